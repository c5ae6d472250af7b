"""`slotwise explain`."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..core.errors import InputError
from ..core.registry import Entry
from ..formulations import FORMULATIONS, MODEL_ENDINGS
from .console import Json, Output, Quiet, about, named, show
from .file_rules import saving

if TYPE_CHECKING:
    from ..instances.datacenter.datacenter import Datacenter
    from ..instances.hierarchy.hierarchy import Hierarchy
    from ..instances.mapreduce.instance import Instance

NAMES = ", ".join(FORMULATIONS.names)


def explain(
    model: Annotated[
        str,
        typer.Argument(
            metavar="MODEL",
            help=f"A formulation: {NAMES}.",
        ),
    ],
    instance: Annotated[
        Path | None,
        typer.Argument(
            metavar="INSTANCE",
            help="Adds sizes and a worked row of each equation; a model for solvers needs it.",
        ),
    ] = None,
    output: Output = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """-o writes a page (.html), a document (.tex), the model of INSTANCE (.lp, .mps, .lp.gz,
    .mps.gz) or plain text (anything else). To take a model apart: slotwise lesson. What a
    method decides, step by step and with reasons: slotwise steps.
    """
    from ..reports.explain import explain as explained

    entry = named(FORMULATIONS, model, instance)
    if instance is None and output is not None and _is_model(output):
        raise InputError(f"{output}: a model needs an INSTANCE, here is none")
    with nullcontext() if instance is None else about(instance):
        problem = None if instance is None else problem_of(entry, instance)
        explanation = explained(problem, model)
    if output is not None:
        from ..core.files.outputs import write_bytes

        with saving():
            if _is_model(output):
                from ..formulations.model_files import write_model

                write_model(problem, model, output)
            else:
                forms = {".html": explanation.html, ".tex": explanation.latex}
                write_bytes(output, forms.get(output.suffix, explanation.text)().encode())
    show(explanation.text(), document=explanation.document(), as_json=as_json, quiet=quiet)


def problem_of(entry: Entry, path: Path) -> Instance | Datacenter | Hierarchy:
    """The instance, of the kind that the model is for."""
    if entry.takes == "mapreduce":
        from ..instances.mapreduce.instance_file import read_instance

        return read_instance(path)
    if entry.takes == "datacenter":
        from ..instances.datacenter.datacenter_file import read_datacenter

        return read_datacenter(path)
    from ..instances.hierarchy.hierarchy_file import read_hierarchy

    return read_hierarchy(path)


def _is_model(path: Path) -> bool:
    return str(path).removesuffix(".gz").endswith(MODEL_ENDINGS)
