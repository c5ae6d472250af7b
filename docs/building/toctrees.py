"""Lists of pages may name pages by patterns that match none yet."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

TOCTREE = re.compile(r"^```\{toctree\}\n.*?^```$", re.MULTILINE | re.DOTALL)


def read(app: Sphinx, name: str, source: list[str]) -> None:
    """Leave out patterns without a page, and lists without a pattern."""
    folder = Path(app.env.doc2path(name)).parent

    def with_pages(found: re.Match[str]) -> str:
        lines = found[0].splitlines()
        kept = [
            line
            for line in lines
            if not re.search(r"[*\[?]", line) or any(folder.glob(f"{line}.md"))
        ]
        entries = [line for line in kept[1:-1] if line and not line.startswith(":")]
        return "\n".join(kept) if entries else ""

    source[0] = TOCTREE.sub(with_pages, source[0])


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the reading."""
    app.connect("source-read", read)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
