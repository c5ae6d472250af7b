"""Tables of campaigns, and folders that hold them, written by hand."""

import json

import pandas as pd

from slotwise.experiments.engine.record import Record
from slotwise.experiments.engine.store import Store

COLUMNS = {
    "run": "", "order": 0, "instance": "i", "kind": "heuristic", "method": "A",
    "status": "feasible", "makespan": None, "lower_bound": None, "gap": None, "error": "",
    "best_bound": None, "best_makespan": None, "seconds": 0.5, "cpu_seconds": 0.5, "host": "h",
    "pid": 1,
}  # fmt: skip
NUMBERS = ("makespan", "lower_bound", "gap", "best_bound", "best_makespan", "seconds")
TIMES = ("seconds", "cpu_seconds", "host", "pid")

TWO_METHODS = [
    {"instance": f"i{k}", "method": method, "makespan": makespan, "best_bound": 10.0}
    for k in range(3)
    for method, makespan in (("A", 10.0 + k), ("B", 11.0))
]


def frame(rows, of_instance=(), of_method=()):
    """What `read_runs` gives of such runs: each row says only what differs from the default.

    `lower_bound`, `gap` and `best_makespan` are worked out where they are not given.
    """
    names = list(COLUMNS)
    order = [
        *names[:3], *of_instance, *names[3:5], *of_method, *names[5:12],
        *dict.fromkeys(
            k for row in rows for k in row if k not in {*names, *of_instance, *of_method}
        ),
        *names[12:],
    ]  # fmt: skip
    full = [{**COLUMNS, "run": f"{k:032x}", "order": k, **row} for k, row in enumerate(rows)]
    for row in full:
        same = [one["makespan"] for one in full if one["instance"] == row["instance"]]
        row.setdefault("best_makespan", None)
        if row["best_makespan"] is None:
            row["best_makespan"] = min((m for m in same if m is not None), default=None)
        if row["lower_bound"] is None:
            row["lower_bound"] = row["best_bound"]
        if row["gap"] is None and row["makespan"] is not None and row["lower_bound"]:
            row["gap"] = row["makespan"] / row["lower_bound"] - 1
    table = pd.DataFrame(full, columns=order)
    return table.astype(dict.fromkeys(NUMBERS, float))


def write(folder, table, manifest=None, tracebacks=()):
    """The folder of a campaign with such a table."""
    folder.mkdir(exist_ok=True)
    table.drop(columns=list(TIMES)).to_parquet(folder / "results.parquet")
    table[["run", *TIMES]].to_parquet(folder / "times.parquet")
    if manifest is not None:
        (folder / "manifest.json").write_text(json.dumps(manifest))
    if tracebacks:
        with Store(folder) as store:
            for run, text in tracebacks.items():
                store.add(Record(run, 0, "i", "A", {}, "error", traceback=text))
    return folder
