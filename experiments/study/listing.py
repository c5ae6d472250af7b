"""The runs of a study, and what they came to, in a few words."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from statistics import fmean
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
    rows_of: dict[str, list[dict[str, Any]]] = {called_method(run.method): [] for run in study.runs}
    names = {run.id: called_method(run.method) for run in study.runs}
    columns = ["run", "status", "makespan", "best_makespan", "best_bound", "gap", "cpu_seconds"]
    columns += [name for name in MEASURES if name in frame]
    for row in [] if frame.empty else frame[columns].to_dict("records"):
        rows_of[names[row["run"]]].append(row)
    return [_summed(name, rows) for name, rows in rows_of.items()]


def _summed(name: str, rows: list[dict[str, Any]]) -> dict[str, Any]:
    done = [row for row in rows if row["status"] not in FAILED]
    best = [
        row["makespan"] <= row["best_makespan"] * (1 + TOLERANCE)
        for row in done
        if _is_number(row["makespan"])
    ]
    over = [
        row["makespan"] / row["best_bound"] - 1
        for row in done
        if _is_number(row["makespan"]) and row["best_bound"] > 0
    ]
    return {
        "method": name,
        "runs": len(rows),
        "failed": len(rows) - len(done),
        "gap": _mean(done, "gap"),
        "over_best_bound": fmean(over) if over else None,
        "with_gap": len(over),
        "best": fmean(best) if best else None,
        **{measure: _mean(done, measure) for measure in MEASURES},
        "cpu_seconds": _mean(done, "cpu_seconds"),
    }


def _mean(rows: list[dict[str, Any]], name: str) -> float | None:
    values = [float(row[name]) for row in rows if _is_number(row.get(name))]
    return fmean(values) if values else None


def _is_number(value: Any) -> bool:
    return value is not None and value == value


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
