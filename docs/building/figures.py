"""Figures with units in the text of pages that are run: what a reader takes for computed.

`python docs/building/figures.py` lists them for review, page and line, without those in cells.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

CELL = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
FIGURE = re.compile(
    r"(?<![\w.-])\d+(?:[ .,]\d+)*\s?(?:%|s|ms|min|h|MB|GB|kB|tasks|jobs|nodes)(?!\w)"
)


def figures(text: str) -> Iterator[tuple[int, str]]:
    """Line and wording of every figure with a unit outside cells; none if the page is not run."""
    if "file_format: mystnb" not in text:
        return
    prose = CELL.sub(lambda cell: "\n" * cell[0].count("\n"), text)
    for number, line in enumerate(prose.splitlines(), 1):
        yield from ((number, found[0]) for found in FIGURE.finditer(line))


if __name__ == "__main__":
    for page in sorted(Path(__file__).parents[1].rglob("*.md")):
        for number, figure in figures(page.read_text(encoding="utf-8")):
            print(f"{page}:{number}: {figure}")
