"""Lists of pages with one sentence about each, and the tables of contents that they stand for.

    ```{pages}
    eass
    improvement-search: Better schedules of large instances, by local search.
    ```

A page without a sentence has that of the registry which it shows with `{entry}` or `{statement}`.
With `:pictures:` each page has its first figure, made small, beside its sentence.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.parsers.rst import directives
from PIL import Image
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective

import slotwise

FOLDER = "thumbnails"
"""Folder of the site that holds the small pictures."""

SIZE = (480, 480)
"""Most pixels of a small picture: twice what a page shows, for fine screens."""

SHOWN = re.compile(r"^```\{(?:entry\} (?P<kind>\w+) |statement\} )(?P<name>.+)$", re.MULTILINE)


class thumbnail(nodes.General, nodes.Element):
    """Where the first figure of a page will stand."""


def registered(text: str) -> str:
    """What a registry says of the method or formulation that a page shows; empty if none."""
    shown = SHOWN.search(text)
    if not shown:
        return ""
    summary = slotwise.registry(shown["kind"] or "formulations").lookup(shown["name"]).summary
    return f"{summary[:1].upper()}{summary[1:]}."


def listed(lines: list[str], folder: Path) -> Iterator[tuple[str, str]]:
    """Name and sentence of every page of a list."""
    for line in filter(None, map(str.strip, lines)):
        name, _, sentence = line.partition(": ")
        page = folder / f"{name}.md"
        if not page.is_file():
            raise ExtensionError(f"no page {page}")
        sentence = sentence or registered(page.read_text(encoding="utf-8"))
        if not sentence:
            raise ExtensionError(f"no sentence about {page}")
        yield name, sentence


class Pages(SphinxDirective):
    """A list of pages."""

    has_content = True
    option_spec = {"pictures": directives.flag}

    def run(self) -> list[nodes.Node]:
        here = Path(self.env.doc2path(self.env.docname)).parent
        pages = list(listed(list(self.content), here))
        text = [f"- [](<{name}.md>)\\\n  {sentence}" for name, sentence in pages]
        text += ["", "```{toctree}", ":hidden:", "", *(name for name, _ in pages), "```"]
        made = self.parse_text_to_nodes("\n".join(text))
        if "pictures" in self.options:
            (items,) = (node for node in made if isinstance(node, nodes.bullet_list))
            items["classes"].append("gallery")
            base = self.env.docname.rpartition("/")[0]
            for item, (name, _) in zip(items, pages, strict=True):
                item.insert(0, thumbnail(page=f"{base}/{name}"))
        return made


def picture(app: Sphinx, page: str) -> tuple[Path, str] | None:
    """File and description of the first figure of a page, None without one."""
    for image in app.env.get_doctree(page).findall(nodes.image):
        for path in (image["uri"], *image.get("candidates", {}).values()):
            file = Path(app.srcdir) / path.lstrip("/")
            if file.suffix in (".png", ".jpg") and file.is_file():
                return file, image.get("alt", "")
    return None


def with_pictures(app: Sphinx, tree: nodes.document, name: str) -> None:
    """Put small pictures in, as links to the pages that they are from."""
    for place in list(tree.findall(thumbnail)):
        page = place["page"]
        found = picture(app, page)
        if found is None or not found[1]:
            raise ExtensionError(f"{page} has no figure with a description (mystnb: image: alt)")
        file, description = found
        small = Path(app.outdir) / FOLDER / f"{page.replace('/', '-')}.png"
        small.parent.mkdir(exist_ok=True)
        with Image.open(file) as image:
            image.thumbnail(SIZE)
            image.save(small, optimize=True)
            width, height = image.size
        up = "../" * name.count("/")
        text = (
            f'<a href="{up}{page}.html" tabindex="-1"><img src="{up}{FOLDER}/{small.name}" '
            f'alt="{html.escape(description)}" width="{width}" height="{height}" '
            'loading="lazy"></a>'
        )
        place.replace_self(nodes.raw("", text, format="html"))


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directive and the pictures."""
    app.add_node(thumbnail)
    app.add_directive("pages", Pages)
    app.connect("doctree-resolved", with_pictures)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
