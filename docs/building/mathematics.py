"""Mathematics as MathML, made while the site is built: pages need no script and print well."""

from __future__ import annotations

import html
import re
import unicodedata
from typing import Any
from xml.etree import ElementTree

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.util.math import get_node_equation_number

TAG = re.compile(r"\\tag\{([^}]*)\}")
NAMESPACE = ' xmlns="http://www.w3.org/1998/Math/MathML"'
FORGE = re.compile(r"\$`([^`]+)`\$")


def mathml(formula: str, *, display: bool = False) -> str:
    """Render a formula; what stands under a maximum is put there, as TeX does."""
    text = convert(formula, display="block" if display else "inline")
    root = ElementTree.fromstring(text.replace(NAMESPACE, ""))
    for element in root.iter():
        if element.tag == "mi" and unicodedata.category((element.text or "x")[0]) == "Sm":
            element.tag = "mo"
        if display and element.tag == "msub" and element[0].text in ("max", "min"):
            element.tag = "munder"
    return ElementTree.tostring(root, encoding="unicode")


def from_forge(app: Sphinx, name: str, source: list[str]) -> None:
    """Read a formula in dollars and backticks, as forges write it, as one in dollars."""
    source[0] = FORGE.sub(lambda found: f"${found[1]}$", source[0])


def inline(visitor: Any, node: nodes.math) -> None:
    """Write a formula within a line."""
    visitor.body.append(mathml(node.astext()))
    raise nodes.SkipNode


def display(visitor: Any, node: nodes.math_block) -> None:
    """Write a formula on a line of its own, with its tag as the number of the equation."""
    formula = node.astext()
    tag = TAG.search(formula)
    number = tag[1] if tag else get_node_equation_number(visitor, node) if node["number"] else ""
    visitor.body.append(visitor.starttag(node, "div", CLASS="math"))
    if number:
        visitor.body.append(f'<span class="eqno">({html.escape(str(number))})</span>')
    visitor.body.append(mathml(TAG.sub("", formula).strip(), display=True) + "</div>\n")
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the renderer and the reading of formulas."""
    app.add_html_math_renderer("mathml", (inline, None), (display, None))
    app.connect("source-read", from_forge)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
