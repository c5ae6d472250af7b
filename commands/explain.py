"""`slotwise explain`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

import slotwise

from ..core.errors import InputError
from ..core.files.outputs import write_bytes
from ..formulations import FORMULATIONS, MODEL_ENDINGS
from .frame import Answer
from .options import Output, about, named, names_of

Model = Annotated[
    str,
    typer.Argument(
        metavar="MODEL",
        help=f"A formulation: {', '.join(FORMULATIONS.names)}.",
        autocompletion=names_of(FORMULATIONS),
    ),
]
READ = {
    "mapreduce": slotwise.Instance,
    "datacenter": slotwise.Datacenter,
    "hierarchy": slotwise.Hierarchy,
}


def explain(
    model: Model,
    instance: Annotated[
        Path | None,
        typer.Argument(
            metavar="INSTANCE",
            help="Adds sizes and a worked row of each equation; a model for solvers needs it.",
        ),
    ] = None,
    output: Output = None,
) -> Answer:
    """-o writes a page (.html), a document (.tex), the model of INSTANCE (.lp, .mps, .lp.gz,
    .mps.gz) or plain text (anything else). To take a model apart: slotwise lesson. What a
    method decides, step by step and with reasons: slotwise steps.
    """
    is_model = str(output).removesuffix(".gz").endswith(MODEL_ENDINGS)
    if is_model and instance is None:
        raise InputError(f"{output}: a model needs an INSTANCE, here is none")
    with problem_for(model, instance) as problem:
        explanation = slotwise.explain(problem, model)

    def write(path: Path) -> None:
        if is_model:
            slotwise.write_model(problem, model, path)
        else:
            forms = {".html": explanation.html, ".tex": explanation.latex}
            write_bytes(path, forms.get(path.suffix, explanation.text)().encode())

    return Answer(explanation.text(), explanation.document(), content=write)


@contextmanager
def problem_for(model: str, file: Path | None) -> Iterator[Any]:
    """The instance in a file, of the kind that a model takes; errors within name the file."""
    entry = named(FORMULATIONS, model, file)
    with about(file):
        yield None if file is None else slotwise.read(file, kind=READ[entry.takes])
