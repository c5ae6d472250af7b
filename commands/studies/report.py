"""`slotwise report`."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, Any

import typer

from ...core.errors import InputError
from ...experiments.pages.kept import Kept, keeping
from ..console import Json, Quiet, show, tell
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
    paper: Annotated[
        Path | None,
        typer.Option(
            "--paper",
            metavar="FOLDER",
            help="Write every figure as SVG and PDF and every table as LaTeX here, and tests "
            "between the methods with their critical-difference diagram.",
        ),
        Written(folder=True),
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """The page needs no network. It shows what has ended so far; the campaign may go on
    meanwhile.
    """
    from ...core.files.outputs import check_distinct, write_bytes
    from ...core.wording import plural
    from ...experiments.pages.report import report as made

    # An older page in the folder may be replaced, what the campaign wrote may not.
    written = [path for path in folder.glob("*") if path.suffix not in (".html", ".htm")]
    check_distinct({"--output": output}, {"file of FOLDER": written})
    with keeping() if paper is not None else nullcontext(Kept()) as kept:
        found = made(folder)
        note = "" if paper is None else _keep_tests(kept, folder)
    with saving():
        write_bytes(output, found.html.encode())
    document, text = found.document | {"page": str(output)}, f"{output}: {found.summary}"
    if paper is not None:
        tell([note] if note else [], quiet=quiet or as_json)
        with saving():
            written = kept.write(paper)
            document["paper"] = [str(path) for path in written]
            text += f"; {paper}: {plural(len(written), 'file')} for papers"
    show(text, document=document, as_json=as_json, quiet=quiet)


def _keep_tests(kept: Kept, folder: Path) -> str:
    """Keep the tests between the methods; why there are none, if there are none."""
    from ...experiments.statistics.ranking import rank

    try:
        ranking = rank(folder)
    except InputError as error:
        return f"no tests between methods: {error}"
    kept.table("Tests between methods", ranking.printed())
    figure: Any = ranking.plot().figure
    kept.figure("Critical difference", figure)
    return ""
