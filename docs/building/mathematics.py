"""Mathematics as MathML, made while the site is built: pages need no script and print well."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx

TAG = re.compile(r"\\tag\{([^}]*)\}")
UNDER = re.compile(r"<msub>(<mo>(?:max|min)</mo>)(<mi>\w</mi>|<mrow>.*?</mrow>)</msub>")


def inline(visitor: Any, node: nodes.math) -> None:
    """Write a formula within a line; forges write it in dollars and backticks."""
    visitor.body.append(convert(node.astext().strip("`")))
    raise nodes.SkipNode


def display(visitor: Any, node: nodes.math_block) -> None:
    """Write a formula on a line of its own; its tag is the number of the equation."""
    formula = node.astext()
    visitor.body.append(visitor.starttag(node, "div", CLASS="math"))
    if tag := TAG.search(formula):
        visitor.body.append(f'<span class="eqno">({tag[1]})</span>')
    mathml = convert(TAG.sub("", formula).strip(), display="block")
    # What stands under a maximum is put there, as TeX does.
    visitor.body.append(UNDER.sub(r"<munder>\1\2</munder>", mathml) + "</div>\n")
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the renderer."""
    app.add_html_math_renderer("mathml", (inline, None), (display, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
