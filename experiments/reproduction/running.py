"""`slotwise.reproduce`: the runs of tables and figures in one folder, and what they say."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from ...core.advice import did_you_mean
from ...core.calls import checked
from ...core.errors import InputError
from ...core.files.outputs import write_bytes
from ...reports.plots import write_figure
from ..engine.campaign import Options, run_study
from ..engine.store import records_in
from ..engine.tables import frame_of
from ..study.study import Study, joined
from .claims import Comparison, Experiment, Size
from .claims_page import claims_page
from .outcome import DIGITS, Reproduced, Reproduction, comparison_csv

PAPERS = ("ljr", "hmhs", "smso", "lotes", "mch")
"""Modules below this room; each has its tables and figures as `EXPERIMENTS`."""

NAMES = (
    "ljr-figure-3", "ljr-table-2", "ljr-table-3", "ljr-figure-4", "ljr-figure-5",
    "hmhs-figure-1", "hmhs-figure-2", "smso-figure-1", "smso-figure-2", "smso-table-1",
    "lotes-figure-6", "lotes-figure-8", "mch-figure-4", "mch-figure-5",
)  # fmt: skip
"""What `slotwise reproduce` knows, in the order of the papers."""

DPI = 150
"""Of figures."""

COMPARISON, CLAIMS = "comparison.csv", "claims.md"


@dataclass(frozen=True)
class Plan:
    """What is to be run: tables and figures with their studies, and all their runs; what they have
    in common is run once."""

    experiments: list[Experiment]
    studies: list[Study]
    size: Size
    study: Study


def known_names() -> list[str]:
    """What may be asked for: tables and figures, papers, all."""
    return [*NAMES, *PAPERS, "all"]


def names_of(asked: Iterable[str]) -> list[str]:
    """Names of experiments for names, papers and `all`, without doubles. Raises `InputError`."""
    names: dict[str, None] = {}
    for name in asked:
        if name not in known_names():
            known = known_names()
            guess = did_you_mean(name, known)
            raise InputError(f"unknown experiment {name!r}: {guess}choose from {', '.join(known)}")
        names |= dict.fromkeys(n for n in NAMES if name in ("all", n, n.partition("-")[0]))
    return list(names)


def experiment(name: str) -> Experiment:
    module = import_module(f".{name.partition('-')[0]}", __package__)
    found: Experiment = next(one for one in module.EXPERIMENTS if one.name == name)
    return found


def planned(names: Iterable[str], size: Size) -> Plan:
    """The runs of tables and figures, in the order in which they were asked for, without doubles.

    Raises `InputError` for an unknown name, or none.
    """
    asked = list(dict.fromkeys(names))
    experiments = [experiment(name) for name in names_of(asked)]
    if not experiments:
        raise InputError("name a table or figure; slotwise reproduce --list shows what there is")
    studies = [each.study(size) for each in experiments]
    called = asked[0] if len(asked) == 1 else "reproduction"
    return Plan(experiments, studies, size, joined(called, studies))


def told(plan: Plan, folder: Path) -> Reproduction:
    """Compare what a folder holds with the papers, and write the comparison into it.

    Each experiment sees its own runs only, so that it says the same whatever else was run.
    """
    records = records_in(folder)
    parts = []
    for each, study in zip(plan.experiments, plan.studies, strict=True):
        own = {run.id: records[run.id] for run in study.runs if run.id in records}
        good = {name: record for name, record in own.items() if not record.failed}
        if good:
            seen = each.compare(frame_of(study, good), plan.size)
        else:
            errors = {record.error for record in own.values()}
            seen = Comparison(notes=[f"No run has a result: {min(errors, default='none ended')}."])
        parts.append(Reproduced(each, study, seen, len(own) - len(good)))
    known = {run.id: records[run.id] for run in plan.study.runs if run.id in records}
    done = Reproduction(plan.size, parts, plan.study, known)
    write_folder(done, folder)
    return done


@checked
def reproduce(
    names: str | Iterable[str],
    folder: str | Path | None = None,
    size: Size = "quick",
    *,
    workers: int | None = None,
    dask: str | None = None,
    retry: bool = False,
    anyway: bool = False,
) -> Reproduction:
    """Run tables and figures of the papers and compare them with what is printed.

    Parameters
    ----------
    names
        Names of tables and figures, papers, or `all`.
    folder
        Where everything is kept. It is made if need be; runs that it has already are not run again.
        None for the name with the ending `.runs`, for several names `reproduction.runs`.
    size
        `quick`: some seeds and levels; `full`: the paper's own size.
    workers
        Processes side by side; None for one a core.
    dask
        Address of a Dask scheduler, instead of this machine.
    retry
        Run failed runs again.
    anyway
        Go on in a folder of another build of slotwise.

    Returns
    -------
    Reproduction
        Claims with verdicts, printed numbers beside ours, and all results.

    Raises
    ------
    InputError
        For an unknown name, a folder that cannot be used, or a lost scheduler.
    KeyboardInterrupt
        If Ctrl-C ended it; what is finished is kept.
    """
    plan = planned([names] if isinstance(names, str) else names, size)
    place = Path(f"{plan.study.name}.runs" if folder is None else folder)
    options = Options(workers=workers, dask=dask, retry=retry, anyway=anyway)
    ended = run_study(plan.study, place, options)
    if ended.interrupted:
        raise KeyboardInterrupt
    if ended.reason:
        raise InputError(ended.reason)
    return told(plan, place)


def runs_of(names: Iterable[str], size: Size) -> int:
    """About how many runs tables and figures have: equal studies count once, shared runs twice."""
    studies: list[Study] = []
    for name in names_of(names):
        study = experiment(name).study(size)
        if all(study.blocks != other.blocks for other in studies):
            studies.append(study)
    blocks = (block for study in studies for block in study.blocks)
    return sum(len(block.instances) * len(block.methods) for block in blocks)


def write_folder(done: Reproduction, folder: Path) -> None:
    """Write what the runs say.

    Of one table or figure everything is in the folder itself; of several each has a folder of its
    own below it, and `comparison.csv` holds all.
    """
    write_bytes(folder / CLAIMS, claims_page(done).encode())
    if len(done.parts) > 1:
        write_bytes(folder / COMPARISON, comparison_csv([*done.claims, *done.cells]))
    for part in done.parts:
        below = folder if len(done.parts) == 1 else folder / part.experiment.name
        below.mkdir(exist_ok=True)
        seen = part.comparison
        write_bytes(below / COMPARISON, comparison_csv([*seen.claims, *seen.cells]))
        for name, table in seen.tables.items():
            text = table.to_csv(index=False, float_format=f"%.{DIGITS}g", lineterminator="\n")
            write_bytes(below / f"{name}.csv", text.encode())
        for name, figure in seen.figures.items():
            for ending in (".png", ".svg"):
                write_figure(figure, below / f"{name}{ending}", dpi=DPI)
