"""`slotwise report`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

import slotwise

from ..core.errors import InputError
from ..core.wording import plural
from .file_rules import Written, check_distinct
from .frame import Answer


def report(
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="FOLDER",
            help="The folder that a campaign wrote.",
            autocompletion=lambda: [],  # there are no examples of folders
        ),
    ],
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="PAGE", help="Write the page here; - is stdout."),
        Written(what="a page"),
    ],
    paper: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Write every figure as SVG and PDF and every table as LaTeX here, and tests "
            "between the methods with their critical-difference diagram.",
        ),
        Written(folder=True),
    ] = None,
) -> Answer:
    """The page needs no network. It shows what has ended so far; the campaign may go on
    meanwhile.
    """
    from ..experiments.pages.parts import keeping

    # An older page in the folder may be replaced, what the campaign wrote may not.
    written = [path for path in folder.glob("*") if path.suffix not in (".html", ".htm")]
    check_distinct({"--output": output}, {"file of FOLDER": written})
    if paper is None:
        found = slotwise.report(folder)
        document = found.document | {"page": str(output)}
        return Answer(found.summary, document, content=found.html.encode())
    with keeping() as kept:
        found = slotwise.report(folder)
        notes = []
        try:
            ranking = slotwise.rank(folder)
        except InputError as error:
            notes = [f"no tests between methods: {error}"]
        else:
            kept.table("Tests between methods", ranking.printed())
            figure: Any = ranking.plot().figure
            kept.figure("Critical difference", figure)
    document = found.document | {
        "page": str(output),
        "paper": [str(paper / name) for name in kept.files],
    }
    return Answer(
        f"{found.summary}; {paper}: {plural(len(kept.files), 'file')} for papers",
        document,
        notes=notes,
        content=found.html.encode(),
        files={paper: kept.write},
    )
