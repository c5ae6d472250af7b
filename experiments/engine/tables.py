"""The tables of a study, a pure function of the study and the records.

They are made column by column: a row at a time takes twice as long.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..study.study import Run, Study
from .record import Record

if TYPE_CHECKING:
    import pandas as pd

    Pairs = Sequence[tuple[Run, Record]]
    Columns = dict[str, list[Any]]

TIMES = ("seconds", "cpu_seconds", "host", "pid", "build")
"""What may differ from one time to the next, and is in a table of its own."""

OUTCOME = ("status", "makespan", "lower_bound", "gap", "error", "best_bound", "best_makespan")


def results_frame(study: Study, records: Mapping[str, Record]) -> pd.DataFrame:
    """One row for each run that has ended, in the order of the study.

    Whole numbers and truth values stay what they are in columns that some rows lack.

    Returns the columns `run`, `order`, `instance`, the instance's parameters, `kind`, `method`, the
    method's parameters, `status`, `makespan`, `lower_bound`, `gap`, `error`, `best_bound`,
    `best_makespan`, the bounds as `bound NAME`, the measures.
    """
    pairs = _ended(study, records)
    names, best = _names(study, records), _best(study, records)
    of_instance, of_method = _parameters(study, pairs)
    return _frame(
        {
            "run": [run.id for run, _ in pairs],
            "order": [run.order for run, _ in pairs],
            "instance": [names[id(run.instance)] for run, _ in pairs],
            **of_instance,
            "kind": [run.method.kind for run, _ in pairs],
            "method": [run.method.name for run, _ in pairs],
            **of_method,
            **{name: [getattr(record, name) for _, record in pairs] for name in OUTCOME[:5]},
            "best_bound": [best[id(run.instance)][0] for run, _ in pairs],
            "best_makespan": [best[id(run.instance)][1] for run, _ in pairs],
            **_by_name([record.bounds for _, record in pairs], "bound {}"),
            **_by_name([record.measures for _, record in pairs], "{}"),
        }
    )


def times_frame(study: Study, records: Mapping[str, Record]) -> pd.DataFrame:
    """Seconds and places of the runs that have ended, in the order of the study.

    Returns the columns `run`, `seconds`, `cpu_seconds`, `host`, `pid`, `build`.
    """
    pairs = _ended(study, records)
    times = {name: [getattr(record, name) for _, record in pairs] for name in TIMES}
    return _frame({"run": [run.id for run, _ in pairs], **times})


def frame_of(study: Study, records: Mapping[str, Record]) -> pd.DataFrame:
    return results_frame(study, records).merge(times_frame(study, records), on="run")


def _ended(study: Study, records: Mapping[str, Record]) -> Pairs:
    return [(run, records[run.id]) for run in study.runs if run.id in records]


def _names(study: Study, records: Mapping[str, Record]) -> dict[int, str]:
    """Names of the instances. A run whose worker died does not know it, the others do."""
    return {
        id(unit.instance): next(
            (records[run.id].instance for run in unit.runs
             if run.id in records and records[run.id].instance), "",
        )
        for unit in study.units
    }  # fmt: skip


def _best(
    study: Study, records: Mapping[str, Record]
) -> dict[int, tuple[float | None, float | None]]:
    """For each instance the best lower bound and makespan of all its runs."""
    best = {}
    for unit in study.units:
        ended = [records[run.id] for run in unit.runs if run.id in records]
        bounds = [record.lower_bound for record in ended if record.lower_bound is not None]
        makespans = [record.makespan for record in ended if record.makespan is not None]
        best[id(unit.instance)] = max(bounds, default=None), min(makespans, default=None)
    return best


def _parameters(study: Study, pairs: Pairs) -> tuple[Columns, Columns]:
    """The columns of the shown parameters of instances and of methods, in this order.

    The columns are those of the whole study, also of runs that have not ended: a reader of the
    tables can tell the two apart. A name that means two things somewhere in the study says which in
    all rows.
    """
    instances = {id(unit.instance): unit.instance.columns for unit in study.units}
    methods = {id(run.method): run.method.columns for run in study.runs}
    source, method = (
        list(dict.fromkeys(name for columns in every.values() for name in columns))
        for every in (instances, methods)
    )
    twice = (set(source) & set(method)) | (set(source) | set(method)) & _OWN
    return (
        {
            f"instance.{name}" if name in twice else name: [
                instances[id(run.instance)].get(name) for run, _ in pairs
            ]
            for name in source
        },
        {
            f"method.{name}" if name in twice else name: [
                methods[id(run.method)].get(name) for run, _ in pairs
            ]
            for name in method
        },
    )


_OWN = {"run", "order", "instance", "kind", "method", *OUTCOME, *TIMES}


def _by_name(rows: Sequence[Mapping[str, Any]], form: str) -> Columns:
    """A column for each name that some row has."""
    names = dict.fromkeys(name for row in rows for name in row)
    return {form.format(name): [row.get(name) for row in rows] for name in names}


def _frame(columns: Columns) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame({name: _typed(values) for name, values in columns.items()})


def _typed(values: list[Any]) -> pd.Series:
    """A column of one type, whichever rows lack a value.

    Whole numbers beside others are numbers. Lists, and values of several kinds, are told as JSON.
    """
    import pandas as pd

    kinds = {type(value) for value in values}
    missing = type(None) in kinds
    kinds -= {type(None)}
    if kinds <= {int, float}:
        whole = kinds == {int} and all(_fits(value) for value in values)
        return pd.Series(values, dtype=("Int64" if missing else "int64") if whole else "float64")
    if kinds == {bool}:
        return pd.Series(values, dtype="boolean" if missing else "bool")
    if kinds != {str}:
        values = [None if value is None else json.dumps(value) for value in values]
    return pd.Series(values, dtype="str")


def _fits(value: int | None) -> bool:
    return value is None or -(2**63) <= value < 2**63
