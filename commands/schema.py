"""`slotwise schema`."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from ..report.documents.formats import FORMATS
from .console import Json, Output, Quiet, show
from .file_rules import saving

NAMES = ", ".join(known.name for known in FORMATS)


def schema(
    name: Annotated[str, typer.Argument(metavar="FORMAT", help=f"One of {NAMES}.")],
    output: Output = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """The JSON Schema of a file format."""
    from ..instances.files.json_files import write_json
    from ..report.documents.schemas import schema as shipped

    document = shipped(name)
    if output is not None:
        with saving():
            write_json(output, document)
    show(json.dumps(document, indent=1), document=document, as_json=as_json, quiet=quiet)
