"""`slotwise explain`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..formulations import FORMULATIONS
from .console import Json, Output, Quiet, check_outputs, show

NAMES = ", ".join(entry.name for entry in FORMULATIONS)


def explain(
    model: Annotated[str, typer.Argument(metavar="MODEL", help=f"One of {NAMES}.")],
    instance: Annotated[
        Path | None,
        typer.Argument(metavar="[INSTANCE]", help="Adds sizes and a worked row of each equation."),
    ] = None,
    output: Output = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """A formulation in mathematics, with its equation numbers.

    -o writes a page (.html), a document (.tex) or plain text (anything else).
    """
    from ..instances.files import write_bytes
    from ..instances.mapreduce_file import read_instance
    from ..report.explain import explain as explained

    check_outputs(output)
    explanation = explained(model, None if instance is None else read_instance(instance))
    if output is not None:
        forms = {".html": explanation.html, ".tex": explanation.latex}
        write_bytes(output, forms.get(output.suffix, explanation.text)().encode())
    show(explanation.text(), document=explanation.document(), as_json=as_json, quiet=quiet)
