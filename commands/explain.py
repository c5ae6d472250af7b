"""`slotwise explain`."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..core.errors import InputError
from ..formulations import FORMULATIONS, MODEL_ENDINGS
from .console import Json, Output, Quiet, about, named, show
from .file_rules import Written, saving
from .from_registry.names import WithAllNames
from .learning.lesson import HighsFolder, LessonFile, check_lesson, explain_lesson, refuse_lesson
from .learning.problems import problem_of
from .learning.simulation_options import (
    Arrivals,
    GuidanceFile,
    JobCount,
    Load,
    Noise,
    Scale,
    Seed,
    Trace,
)
from .learning.steps import (
    Optimum,
    Options,
    Parameters,
    Slides,
    explain_steps,
    is_method,
    with_methods,
)

if TYPE_CHECKING:
    from ..instances.datacenter.datacenter import Datacenter
    from ..instances.hierarchy.hierarchy import Hierarchy
    from ..instances.mapreduce.instance import Instance
    from ..report.explain import Explanation

NAMES = ", ".join(entry.name for entry in FORMULATIONS.own)

Html = Annotated[
    Path | None,
    typer.Option("--html", metavar="FILE", help="Write a page that needs no network."),
    Written(),
]


class Explain(WithAllNames):
    """`explain` with the options that `lesson` and `steps` have now, which nobody is shown."""

    old = frozenset(
        (
            *("html", "slides", "parameter", "optimum", "lesson", "highs"),
            *("scale", "load", "jobs", "noise", "seed", "trace", "guidance"),
        )
    )


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
    html: Html = None,
    slides: Slides = None,
    parameter: Parameters = None,
    optimum: Optimum = None,
    scale: Scale = None,
    load: Load = None,
    jobs: JobCount = None,
    noise: Noise = None,
    seed: Seed = None,
    trace: Trace = None,
    guidance: GuidanceFile = None,
    lesson: LessonFile = None,
    highs: HighsFolder = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """A model in mathematics, or as a file for other solvers.

    -o writes a page (.html), a document (.tex), the model of INSTANCE (.lp, .mps, .lp.gz, .mps.gz)
    or plain text (anything else). To take a model apart: slotwise lesson. What a method decides,
    step by step and with reasons: slotwise steps.
    """
    from ..report.explain import explain as explained

    arrivals = Arrivals(scale, load, jobs, noise, seed, trace, guidance)
    arrivals.check(model)
    if is_method(model, instance):
        refuse_lesson(model, lesson, highs)
        outputs = (output, html, slides)
        options = Options(parameter, optimum, arrivals)
        explain_steps(model, instance, options, outputs, as_json=as_json, quiet=quiet)
        return
    _check_method(model, {"--slides": slides, "--parameter": parameter, "--optimum": optimum})
    with with_methods(model):
        entry = named(FORMULATIONS, model, instance)
    check_lesson(lesson, highs)
    _check_instance(instance, output)
    with nullcontext() if instance is None else about(instance):
        problem = None if instance is None else problem_of(entry, instance)
        explanation = explained(problem, model)
    _write_explanation(explanation, model, problem, output, html)
    if lesson is not None:
        with nullcontext() if instance is None else about(instance):
            explain_lesson(model, problem, lesson, highs, as_json=as_json, quiet=quiet)
        return
    show(explanation.text(), document=explanation.document(), as_json=as_json, quiet=quiet)


def _check_instance(instance: Path | None, output: Path | None) -> None:
    if instance is None and output is not None and _is_model(output):
        raise InputError(f"{output}: a model needs an INSTANCE, here is none")


def _check_method(model: str, given: dict[str, object]) -> None:
    """Options that only methods have."""
    for option, value in given.items():
        if value is not None:
            raise InputError(f"{option} is for methods step by step, such as EFSS, not {model!r}")


def _is_model(path: Path) -> bool:
    return str(path).removesuffix(".gz").endswith(MODEL_ENDINGS)


def _write_explanation(
    explanation: Explanation,
    model: str,
    problem: Instance | Datacenter | Hierarchy | None,
    output: Path | None,
    html: Path | None,
) -> None:
    from ..core.files.outputs import write_bytes

    if output is not None:
        _write(explanation, model, problem, output)
    if html is not None:
        with saving():
            write_bytes(html, explanation.html().encode())


def _write(
    explanation: Explanation,
    model: str,
    problem: Instance | Datacenter | Hierarchy | None,
    output: Path,
) -> None:
    """What the ending of `output` asks for."""
    from ..core.files.outputs import write_bytes

    with saving():
        if _is_model(output):
            from ..formulations.model_files import write_model

            write_model(problem, model, output)
        else:
            forms = {".html": explanation.html, ".tex": explanation.latex}
            write_bytes(output, forms.get(output.suffix, explanation.text)().encode())
