"""The tables of a study, a pure function of the study and the records; as files, and as a frame.

They are made column by column: a row at a time takes twice as long.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...core.calls import checked
from ...core.errors import InputError
from ...core.files.outputs import write_bytes
from ..study.study import Run, Study
from .record import Record
from .store import NAME, Store

if TYPE_CHECKING:
    import pandas as pd

    Pairs = Sequence[tuple[Run, Record]]
    Columns = dict[str, list[Any]]

RESULTS, TIMES = "results", "times"
"""Names of the files."""

TIME_COLUMNS = ("seconds", "cpu_seconds", "host", "pid", "build")
"""What may differ from one time to the next, and is in a table of its own."""

OUTCOME = ("status", "makespan", "lower_bound", "gap", "error", "best_bound", "best_makespan")
OWN = {"run", "order", "instance", "kind", "method", *OUTCOME, *TIME_COLUMNS}


def results_frame(study: Study, records: Mapping[str, Record]) -> pd.DataFrame:
    """One row for each run that has ended, in the order of the study.

    Whole numbers and truth values stay what they are in columns that some rows lack.

    Returns the columns `run`, `order`, `instance`, the instance's parameters, `kind`, `method`, the
    method's parameters, `status`, `makespan`, `lower_bound`, `gap`, `error`, `best_bound`,
    `best_makespan`, the bounds as `bound NAME`, the measures.
    """
    pairs = _ended(study, records)
    of_instance, of_method = _parameters(study, pairs)
    name, best_bound, best_makespan = {}, {}, {}
    for unit in study.units:
        own, key = [records[run.id] for run in unit.runs if run.id in records], id(unit.instance)
        # A run whose process died does not know the name, the others do.
        name[key] = next((record.instance for record in own if record.instance), "")
        bounds = (record.lower_bound for record in own if record.lower_bound is not None)
        makespans = (record.makespan for record in own if record.makespan is not None)
        best_bound[key], best_makespan[key] = (
            max(bounds, default=None),
            min(makespans, default=None),
        )
    instances = [id(run.instance) for run, _ in pairs]
    return _frame(
        {
            "run": [run.id for run, _ in pairs],
            "order": [run.order for run, _ in pairs],
            "instance": [name[key] for key in instances],
            **of_instance,
            "kind": [run.method.kind for run, _ in pairs],
            "method": [run.method.name for run, _ in pairs],
            **of_method,
            **{column: [getattr(record, column) for _, record in pairs] for column in OUTCOME[:5]},
            "best_bound": [best_bound[key] for key in instances],
            "best_makespan": [best_makespan[key] for key in instances],
            **_by_name((record.bounds for _, record in pairs), "bound {}"),
            **_by_name((record.measures for _, record in pairs), "{}"),
        }
    )


def times_frame(study: Study, records: Mapping[str, Record]) -> pd.DataFrame:
    """Seconds and places of the runs that have ended, in the order of the study.

    Returns the columns `run`, `seconds`, `cpu_seconds`, `host`, `pid`, `build`.
    """
    pairs = _ended(study, records)
    times = {name: [getattr(record, name) for _, record in pairs] for name in TIME_COLUMNS}
    return _frame({"run": [run.id for run, _ in pairs], **times})


def frame_of(study: Study, records: Mapping[str, Record]) -> pd.DataFrame:
    """Both tables as one."""
    return results_frame(study, records).merge(times_frame(study, records), on="run")


def export(study: Study, records: Mapping[str, Record], folder: Path) -> None:
    """Write `results` and `times`, each as Parquet and as CSV, whole or not at all.

    The same study and records make the same bytes, whatever the order of the records.
    """
    frames = {RESULTS: results_frame(study, records), TIMES: times_frame(study, records)}
    for name, frame in frames.items():
        buffer = io.BytesIO()
        frame.to_parquet(
            buffer, engine="pyarrow", index=False, compression="zstd", row_group_size=1 << 20
        )
        write_bytes(folder / f"{name}.parquet", buffer.getvalue())
        write_bytes(folder / f"{name}.csv", frame.to_csv(index=False, lineterminator="\n").encode())


def exported_again(
    study: Study, folder: Path, on_note: Callable[[str], None]
) -> Mapping[str, Record]:
    """Write the tables of a folder again, and return its records. Raises `InputError`."""
    check_libraries()
    if not (folder / NAME).is_file():
        raise InputError(f"{folder}: has no {NAME}, which the tables are made of")
    with Store(folder) as store:
        if store.damage:
            on_note(store.damage)
        export(study, store.records, folder)
        return store.records


@checked
def read_runs(folder: str | Path) -> pd.DataFrame:
    """The results of a campaign, with their times.

    Parameters
    ----------
    folder
        The folder of the campaign.

    Returns
    -------
    pandas.DataFrame
        One row for each run that has ended, in the order of the study. The columns are those of
        `results.parquet`, then those of `times.parquet`.

    Raises
    ------
    InputError
        If the folder has no tables, or pandas is not installed.
    """
    check_libraries()
    import pandas as pd

    folder = Path(folder)
    paths = [folder / f"{name}.parquet" for name in (RESULTS, TIMES)]
    if not all(path.is_file() for path in paths):
        what = "is no folder" if not folder.is_dir() else "has no results of a campaign"
        raise InputError(f"{folder}: {what}")
    try:
        results, times = (pd.read_parquet(path) for path in paths)
    except (OSError, ValueError) as failure:
        raise InputError(f"{folder}: its tables cannot be read: {failure}") from None
    return results.merge(times, on="run")


def check_libraries() -> None:
    """Raise `InputError` if the libraries of campaigns are not installed."""
    for name in ("joblib", "pandas", "pyarrow", "scipy"):
        if find_spec(name) is None:
            raise InputError(
                f"campaigns need {name}, which is not installed: "
                "pip install 'slotwise[experiments]'"
            )


def _ended(study: Study, records: Mapping[str, Record]) -> Pairs:
    return [(run, records[run.id]) for run in study.runs if run.id in records]


def _parameters(study: Study, pairs: Pairs) -> tuple[Columns, Columns]:
    """The columns of the shown parameters of instances and of methods, in this order.

    The columns are those of the whole study, also of runs that have not ended: a reader of the
    tables can tell the two apart. A name that means two things somewhere in the study says which in
    all rows.
    """
    columns: dict[str, dict[int, dict[str, Any]]] = {
        "instance": {id(unit.instance): unit.instance.columns for unit in study.units},
        "method": {id(run.method): run.method.columns for run in study.runs},
    }
    names = {
        what: dict.fromkeys(name for own in each.values() for name in own)
        for what, each in columns.items()
    }
    twice = (names["instance"].keys() & names["method"].keys()) | OWN
    of_instance, of_method = (
        {
            f"{what}.{name}" if name in twice else name: [
                columns[what][id(getattr(run, what))].get(name) for run, _ in pairs
            ]
            for name in names[what]
        }
        for what in columns
    )
    return of_instance, of_method


def _by_name(rows: Iterable[Mapping[str, Any]], form: str) -> Columns:
    """A column for each name that some row has."""
    rows = list(rows)
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
        fit = kinds == {int} and all(v is None or -(2**63) <= v < 2**63 for v in values)
        return pd.Series(values, dtype=("Int64" if missing else "int64") if fit else "float64")
    if kinds == {bool}:
        return pd.Series(values, dtype="boolean" if missing else "bool")
    if kinds != {str}:
        values = [None if value is None else json.dumps(value) for value in values]
    return pd.Series(values, dtype="str")
