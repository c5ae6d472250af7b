"""Pages of code as Jupyter notebooks to download, made from the same sources."""

from __future__ import annotations

import re
from importlib.metadata import metadata
from pathlib import Path, PurePosixPath
from posixpath import normpath
from typing import Any

import nbformat
from myst_nb.core.read import read_myst_markdown_notebook
from sphinx.application import Sphinx

from .borrowed import outside_code
from .mathematics import FORGE

FOLDER = "notebooks"
"""Folder of the site that holds the notebooks."""

PAGES = ("gallery/", "learn/", "tutorials/")
"""Folders of pages that can be downloaded."""

LINK = re.compile(r"\]\((?P<path>[^)#\s:]+)(?P<anchor>#[^)\s]*)?\)")
DIRECTIVE = re.compile(r"^```\{[^\n]*\n.*?^```\n?", re.MULTILINE | re.DOTALL)
TITLE = re.compile(r"^# .*\n", re.MULTILINE)

ON_THE_SITE = "*(This part is on the page only.)*\n"

ADDRESSES = dict(line.split(", ") for line in metadata("slotwise").get_all("Project-URL") or [])
SOURCES = ADDRESSES["Documentation"]
"""Where the pages can be read, for links that lead away from a notebook."""


def is_run(name: str, text: str) -> bool:
    """Whether a page has cells and a folder whose pages can be downloaded."""
    return name.startswith(PAGES) and "file_format: mystnb" in text


def words(text: str, name: str) -> str:
    """Markdown that Jupyter shows: full addresses, plain formulas, no directives of the site."""

    def led(found: re.Match[str]) -> str:
        path = normpath(PurePosixPath(name).parent / found["path"])
        return f"]({SOURCES}/{path}{found['anchor'] or ''})"

    plain = FORGE.sub(r"$\1$", DIRECTIVE.sub(ON_THE_SITE, text))
    return outside_code(lambda part: LINK.sub(led, part), plain).strip()


def notebook(name: str, text: str) -> nbformat.NotebookNode:
    """The notebook of a page, without outputs."""
    made = read_myst_markdown_notebook(text)
    for number, cell in enumerate(made.cells):
        cell.id = f"cell-{number}"
        cell.metadata = nbformat.from_dict({})
        if cell.cell_type == "markdown":
            cell.source = words(cell.source, name)
    origin = f"From [slotwise's documentation]({SOURCES}/{name}.md); slotwise must be installed."
    made.cells[0].source = TITLE.sub(
        lambda title: f"{title[0]}\n{origin}\n", made.cells[0].source, count=1
    )
    made.metadata = nbformat.from_dict(
        {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    )
    made.nbformat, made.nbformat_minor = 4, 5
    nbformat.validate(made)
    return made


def read(app: Sphinx, name: str, source: list[str]) -> None:
    """Write a page's notebook and put a link to it below the title."""
    if not is_run(name, source[0]):
        return
    path = Path(app.outdir) / FOLDER / f"{name}.ipynb"
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook(name, source[0]), path)
    up = "../" * name.count("/")
    link = f'<a href="{up}{FOLDER}/{name}.ipynb" download>Download as a notebook</a>'
    block = f'\n```{{raw}} html\n<p class="notebook">{link}</p>\n```\n'
    source[0] = TITLE.sub(lambda title: title[0] + block, source[0], count=1)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the reading, before links are changed for the site."""
    app.connect("source-read", read, priority=100)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
