"""The built site as a reader's browser sees it: every link leads somewhere, nothing asks a host."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

if TYPE_CHECKING:
    from sphinx.application import Sphinx

LOADED = {
    "audio": ("src",),
    "embed": ("src",),
    "iframe": ("src",),
    "image": ("href", "xlink:href"),
    "img": ("src", "srcset"),
    "input": ("src",),
    "link": ("href",),
    "object": ("data",),
    "script": ("src",),
    "source": ("src", "srcset"),
    "track": ("src",),
    "use": ("href", "xlink:href"),
    "video": ("src", "poster"),
}
"""Attributes that make a browser load what they name."""

STYLE_LOADS = re.compile(r"(?:url\(\s*['\"]?|@import\s+['\"])((?:https?:)?//[^'\")\s]+)")


class Page(HTMLParser):
    """What a page loads, links to and can be linked to at."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.links: list[str] = []
        self.names: set[str] = set()
        self.style = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.style = tag == "style"
        values = {name: value or "" for name, value in attrs}
        self.names |= {values[name] for name in ("id", "name") if name in values}
        self.loads += [values[name] for name in LOADED.get(tag, ()) if name in values]
        self.loads += STYLE_LOADS.findall(values.get("style", ""))
        if tag == "a" and "href" in values:
            self.links.append(values["href"])

    def handle_data(self, data: str) -> None:
        if self.style:
            self.loads += STYLE_LOADS.findall(data)


def faults(site: Path) -> Iterator[str]:
    """What is wrong with the pages in a folder, one line each."""
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in site.rglob("*.html")}
    for path in site.rglob("*.css"):
        for load in STYLE_LOADS.findall(path.read_text(encoding="utf-8")):
            yield f"{path.relative_to(site)}: loads {load}"
    for path, page in pages.items():
        here = path.relative_to(site)
        for target in (*page.loads, *page.links):
            parts = urlsplit(target)
            if parts.scheme or parts.netloc:
                if target in page.loads and parts.scheme not in ("data", "blob"):
                    yield f"{here}: loads {target}"
                continue
            file = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not file.is_file():
                yield f"{here}: no file {target}"
            elif file in pages and unquote(parts.fragment) not in {"", *pages[file].names}:
                yield f"{here}: no place {target}"


def look(app: Sphinx, exception: Exception | None) -> None:
    """End the build with an error if a page is not whole."""
    from sphinx.errors import ExtensionError

    if exception is None and app.builder.format == "html":
        found = sorted(set(faults(Path(app.outdir).resolve())))
        if found:
            raise ExtensionError("the site is not whole:\n" + "\n".join(found))


def setup(app: Sphinx) -> dict[str, Any]:
    """Look at the site when it is built."""
    app.connect("build-finished", look)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


if __name__ == "__main__":
    lines = list(faults(Path(sys.argv[1]).resolve()))
    print("\n".join(lines))
    sys.exit(bool(lines))
