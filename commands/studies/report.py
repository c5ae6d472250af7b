"""`slotwise report`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..console import Json, Quiet, show
from ..file_rules import Written, saving


def report(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="The folder that a campaign wrote.")
    ],
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="PAGE", help="Write the page here; - is stdout."),
        Written(what="a page"),
    ],
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """A campaign as one HTML page: gaps, performance profiles, times, failed runs.

    The page needs no network. It shows what has ended so far; the campaign may go on meanwhile.
    """
    from ...experiments.pages.report import report as made
    from ...instances.files.outputs import check_distinct, write_bytes

    # An older page in the folder may be replaced, what the campaign wrote may not.
    written = [path for path in folder.glob("*") if path.suffix not in (".html", ".htm")]
    check_distinct({"--output": output}, {"file of FOLDER": written})
    found = made(folder)
    with saving():
        write_bytes(output, found.html.encode())
    document = found.document | {"page": str(output)}
    show(f"{output}: {found.summary}", document=document, as_json=as_json, quiet=quiet)
