"""Pages read well on a forge and on the site: links, notebooks."""

from __future__ import annotations

import os
import re
from importlib.metadata import metadata
from pathlib import Path, PurePosixPath
from posixpath import normpath
from typing import Any

import nbformat
from myst_nb.core.read import read_myst_markdown_notebook
from sphinx.application import Sphinx

DOCS = Path(__file__).parents[1]
LINK = re.compile(r"\]\((?P<path>[^)#\s:]+)(?P<anchor>#[^)\s]*)?\)")
INCLUDED = re.compile(r"```\{include\} (\S+)\n```\s*")
DIRECTIVE = re.compile(r"^```\{[^\n]*\n.*?^```\n?", re.MULTILINE | re.DOTALL)
TITLE = re.compile(r"^# .*\n", re.MULTILINE)

SOURCES = dict(line.split(", ") for line in metadata("slotwise").get_all("Project-URL") or [])[
    "Documentation"
]
"""Where the pages can be read, for links that lead away from a notebook."""


def include(app: Sphinx, name: str, source: list[str]) -> None:
    """Put in the text of a file outside `docs`, and lead links to where its text is on the site."""
    page = origin = Path(app.env.doc2path(name)).resolve()
    if found := INCLUDED.fullmatch(source[0]):
        origin = (page.parent / found[1]).resolve()
        app.env.note_dependency(str(origin))
        source[0] = origin.read_text(encoding="utf-8")
    pages = {
        (shown.parent / found[1]).resolve(): shown
        for shown in DOCS.rglob("*.md")
        if (found := INCLUDED.fullmatch(shown.read_text(encoding="utf-8")))
    }

    def led(link: re.Match[str]) -> str:
        target = (origin.parent / link["path"]).resolve()
        if not target.exists():  # code may look like a link
            return link[0]
        target = pages.get(target, target)
        path = Path(os.path.relpath(target, page.parent)).as_posix()
        file = "" if DOCS in target.parents or target.suffix != ".md" else "path:"
        return f"]({file}{path}{link['anchor'] or ''})"

    source[0] = LINK.sub(led, source[0])


def notebook(name: str, text: str) -> nbformat.NotebookNode | None:
    """A page with cells as a notebook for Jupyter, without outputs; None of other pages."""
    if not name.startswith(("gallery/", "learn/", "tutorials/")) or "mystnb" not in text:
        return None

    def led(link: re.Match[str]) -> str:
        path = normpath(PurePosixPath(name).parent / link["path"])
        return f"]({SOURCES}/{path}{link['anchor'] or ''})"

    made = read_myst_markdown_notebook(text)
    for number, cell in enumerate(made.cells):
        cell.id = f"cell-{number}"
        cell.metadata = nbformat.from_dict({})
        if cell.cell_type == "markdown":
            words = DIRECTIVE.sub("*(This part is on the page only.)*\n", cell.source)
            cell.source = LINK.sub(led, re.sub(r"\$`([^`]+)`\$", r"$\1$", words))
    origin = f"From [slotwise's documentation]({SOURCES}/{name}.md); slotwise must be installed."
    made.cells[0].source = TITLE.sub(rf"\g<0>\n{origin}\n", made.cells[0].source, count=1)
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    made.metadata = nbformat.from_dict({"kernelspec": kernel})
    made.nbformat, made.nbformat_minor = 4, 5
    return made


def offer_notebook(app: Sphinx, name: str, source: list[str]) -> None:
    """Write a page's notebook and put a link to it below the title."""
    if made := notebook(name, source[0]):
        path = Path(app.outdir) / "notebooks" / f"{name}.ipynb"
        path.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(made, path)
        link = f'<a href="../notebooks/{name}.ipynb" download>Download as a notebook</a>'
        block = f'\n```{{raw}} html\n<p class="notebook">{link}</p>\n```\n'
        source[0] = TITLE.sub(rf"\g<0>{block}", source[0], count=1)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register what is done to pages; notebooks are made before links are changed for the site."""
    app.connect("source-read", offer_notebook, priority=100)
    app.connect("source-read", include)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
