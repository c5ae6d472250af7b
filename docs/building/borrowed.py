"""Pages whose text stands elsewhere in the project, and links to files that are no pages.

A page of the site that holds nothing but

    ```{text-of} ../CONTRIBUTING.md
    ```

has the text of that file, whose links and pictures are made to lead from the page. Links of all
other pages to that file lead to the page. So both read well on a forge, too.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

DOCS = Path(__file__).parents[1]
TEXT_OF = re.compile(r"^```\{text-of\} (\S+)\n```$", re.MULTILINE)
LINK = re.compile(r"(?P<mark>!?)\[(?P<words>[^]]*)\]\((?P<path>[^)#\s:]+)(?P<anchor>#[^)\s]*)?\)")
CODE = re.compile(r"(^ *(?P<fence>`{3,}|~{3,}).*?^ *(?P=fence)$|`[^`\n]+`(?!\]))", re.M | re.S)


@cache
def borrowers() -> dict[Path, Path]:
    """The page that has the text of each borrowed file."""
    found = {}
    for page in DOCS.rglob("*.md"):
        borrowed = TEXT_OF.search(page.read_text(encoding="utf-8"))
        if borrowed:
            found[(page.parent / borrowed[1]).resolve()] = page
    return found


def outside_code(change: Callable[[str], str], text: str) -> str:
    """The text with a change made to what is no code."""
    pieces = []
    place = 0
    for code in CODE.finditer(text):
        pieces += [change(text[place : code.start()]), code[0]]
        place = code.end()
    return "".join([*pieces, change(text[place:])])


def led_from(page: Path, origin: Path, text: str) -> str:
    """The text of `origin` with links that lead from `page`."""

    def relinked(found: re.Match[str]) -> str:
        target = (origin.parent / found["path"]).resolve()
        target = borrowers().get(target, target)
        path = Path(os.path.relpath(target, page.parent)).as_posix()
        if target.suffix == ".md" and DOCS not in target.parents:
            return f"{{download}}`{found['words'].replace('`', '')} <{path}>`"
        return f"{found['mark']}[{found['words']}]({path}{found['anchor'] or ''})"

    return outside_code(lambda part: LINK.sub(relinked, part), text)


def read(app: Sphinx, name: str, source: list[str]) -> None:
    """Put the borrowed text in, and lead links to where their targets are on the site."""
    page = origin = Path(app.env.doc2path(name)).resolve()
    borrowed = TEXT_OF.search(source[0])
    if borrowed:
        origin = (page.parent / borrowed[1]).resolve()
        app.env.note_dependency(str(origin))
        source[0] = source[0].replace(borrowed[0], origin.read_text(encoding="utf-8"))
    source[0] = led_from(page, origin, source[0])


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the reading."""
    app.connect("source-read", read)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
