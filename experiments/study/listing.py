"""The runs of a study, and what they came to, in a few words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...core.wording import NONE, percent
from .study import InstanceSource, MethodCall, Study

if TYPE_CHECKING:
    import pandas as pd

FAILED = ("error", "crashed")

TOLERANCE = 1e-9
"""Makespans this close, relatively, are equal."""

MEASURES = ("mean_wait", "guarantees_met")
"""What runs without a makespan are told by."""


def run_rows(study: Study) -> list[dict[str, Any]]:
    """Every run of a study.

    Returns its id `run`, its `instance` and `method` with the parameters that are columns.
    """
    return [
        {
            "run": run.id,
            "instance": called_instance(run.instance),
            "method": called_method(run.method),
        }
        for run in study.runs
    ]


def called_instance(source: InstanceSource) -> str:
    """An instance in words: `ljr nodes=10 seed=0`, or its file."""
    columns = dict(source.columns)
    name = source.generator or str(columns.pop("file", source.path))
    return _with(name, columns)


def called_method(call: MethodCall) -> str:
    """A method in words: `EFSS omega=0.5`."""
    return _with(call.name, call.columns)


def summary(study: Study, frame: pd.DataFrame) -> list[dict[str, Any]]:
    """What each method of a study came to.

    Returns for each `method` with its parameters the number of `runs` that have ended, how many
    `failed`, the mean `gap`, the mean gap `over_best_bound` to what any method proved of the runs
    `with_gap`, the part `best` of the runs with a makespan that no other method undercuts, the mean
    of the measures, and the mean `cpu_seconds`; None where there is none.
    """
    import pandas as pd

    names = {run.id: called_method(run.method) for run in study.runs}
    makespan, best, bound = (
        pd.to_numeric(frame[name]) for name in ("makespan", "best_makespan", "best_bound")
    )
    columns = {
        "gap": frame["gap"],
        "over_best_bound": makespan.where(bound > 0) / bound - 1,
        "best": (makespan <= best * (1 + TOLERANCE)).astype(float).where(makespan.notna()),
        **{name: frame[name] for name in MEASURES if name in frame},
        "cpu_seconds": frame["cpu_seconds"],
    }
    done = ~frame["status"].isin(FAILED)
    by = pd.DataFrame(columns).astype(float).where(done).groupby(frame["run"].map(names))
    means, with_gap = by.mean(), by["over_best_bound"].count()
    ended = done.groupby(frame["run"].map(names)).agg(["size", "sum"])
    rows = []
    for name in dict.fromkeys(names.values()):
        of_method = means.loc[name].dropna() if name in means.index else {}
        runs, good = map(int, ended.loc[name]) if name in ended.index else (0, 0)
        rows.append(
            {
                "method": name,
                "runs": runs,
                "failed": runs - good,
                "gap": _number(of_method, "gap"),
                "over_best_bound": _number(of_method, "over_best_bound"),
                "with_gap": int(with_gap.get(name, 0)),
                **{each: _number(of_method, each) for each in ("best", *MEASURES, "cpu_seconds")},
            }
        )
    return rows


def _number(values: Mapping[str, float], name: str) -> float | None:
    return float(values[name]) if name in values else None


def _with(name: str, values: Mapping[str, Any]) -> str:
    return " ".join([name, *(f"{key}={value}" for key, value in values.items())])


COLUMNS = (
    ("runs", "runs", str),
    ("failed", "failed", str),
    ("over_best_bound", "mean gap", percent),
    ("best", "is best", percent),
    ("mean_wait", "mean wait", "{:.4g}".format),
    ("guarantees_met", "guarantees met", percent),
    ("cpu_seconds", "mean CPU s", "{:.3f}".format),
)
"""What of a method's summary is shown, under which heading and how."""


def summary_table(study: Study, folder: Path, methods: list[dict[str, Any]]) -> Any:
    """What `summary` says, for people, and where everything is."""
    from rich.markup import escape
    from rich.table import Table

    done = sum(row["runs"] for row in methods)
    told = ""
    if any(row["best"] is not None for row in methods):
        told = (
            "gap: to the best bound on the instance; is best: no other method's makespan is "
            "shorter\n"
        )
    table = Table(
        title=escape(f"{study.name}: {done} of {len(study.runs)} runs"),
        title_justify="left",
        caption=escape(f"{told}{folder}: results.parquet and .csv, times.parquet and .csv"),
        caption_justify="left",
    )
    columns = [one for one in COLUMNS if any(row[one[0]] is not None for row in methods)]
    table.add_column("method", overflow="fold")
    for _, label, _ in columns:
        table.add_column(label, justify="right")
    for row in methods:
        cells = {name: NONE if row[name] is None else form(row[name]) for name, _, form in columns}
        if 0 < row["with_gap"] < row["runs"]:
            cells["over_best_bound"] += f" (n = {row['with_gap']})"
        table.add_row(escape(row["method"]), *cells.values())
    return table


def spans(numbers: Sequence[int]) -> str:
    """Numbers in words: `0 to 29, 40`."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(
        f"{run[0]} to {run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs
    )
