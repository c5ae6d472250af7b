"""A scheduler's file, on stdout or in a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from .console import show, tell
from .process.streams import put

if TYPE_CHECKING:
    from ..instances.exporters import Exported
    from ..instances.registry import Entry


def put_exported(
    writer: Entry,
    exported: Exported,
    output: Path | None,
    more: dict[str, Any],
    *,
    as_json: bool,
    quiet: bool,
) -> None:
    """Write the file or print it, and tell its notes.

    Parameters
    ----------
    writer
        The exporter.
    exported
        What it made.
    output
        The file, None for stdout.
    more
        Further fields of the document.
    as_json
        Whether to print a document.
    quiet
        Whether to print nothing.
    """
    from ..instances.files.outputs import write_bytes

    text, notes = exported
    tell(notes, quiet=quiet or as_json)
    document = {"export": writer.name, **more, "text": text, "notes": notes}
    if output is not None:
        write_bytes(output, text.encode())
        text = f"{output}: {writer.summary}"
    elif not as_json:
        if not quiet:
            put(text)
        return
    show(text, document=document, as_json=as_json, quiet=quiet)
