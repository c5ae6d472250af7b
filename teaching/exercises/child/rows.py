"""Rows that a submission fills into a model: what they make of it, and which cut a schedule off."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .functions import Unfit, solved

BROKEN = 1e-6
"""By so much a row is missed at least: the solver rounds."""


def answer(_name: str, function: Any, document: Any) -> dict[str, Any]:
    """Minimise the makespan under the rows of the submission.

    `document`: the instance, in which no task reads; with a field `schedule` the question is which
    rows cut that off.
    Returns `status`, `makespan` (s) and `tasks`, the schedule of the model; or `cut_off_by`, the
    names of rows.
    """
    model = blank(document)
    names = list(_added(model, function(model)))
    if "schedule" in document:
        return {"cut_off_by": _broken(model, names, document["schedule"])}
    solution = solved(model)
    return {**solution, "tasks": _schedule(model) if solution["status"] == "optimal" else []}


def blank(document: Any) -> Any:
    """The model without rows, as the file to begin with explains it."""
    import pyomo.environ as pyo

    model = pyo.ConcreteModel()
    model.task_rows = {
        f"{job['name']} {phase} {t}": {"job": job["name"], "phase": phase, "task": t, **task}
        for phase in ("map", "reduce")
        for job in document["jobs"]
        for t, task in enumerate(job[f"{phase}_tasks"])
    }
    model.slot_rows = {
        f"{node['name']} {phase} slot {k}": {"node": node["name"], "phase": phase, "slot": k}
        for phase in ("map", "reduce")
        for node in document["cluster"]["nodes"]
        for k in range(node[f"{phase}_slots"])
    }
    phase = {name: row["phase"] for name, row in (model.task_rows | model.slot_rows).items()}
    model.tasks = list(model.task_rows)
    model.job = {task: row["job"] for task, row in model.task_rows.items()}
    model.maps = [task for task in model.tasks if phase[task] == "map"]
    model.reduces = [task for task in model.tasks if phase[task] == "reduce"]
    model.time = {task: row["processing"] for task, row in model.task_rows.items()}
    model.slots = {t: [s for s in model.slot_rows if phase[s] == phase[t]] for t in model.tasks}
    model.pairs = [
        (a, b) for a in model.tasks for b in model.tasks if a != b and phase[a] == phase[b]
    ]
    model.horizon = sum(model.time.values())
    places = [(task, slot) for task in model.tasks for slot in model.slots[task]]
    model.on = pyo.Var(places, domain=pyo.Binary)
    model.before = pyo.Var(model.pairs, domain=pyo.Binary)
    model.start = pyo.Var(model.tasks, bounds=(0, model.horizon))
    model.makespan = pyo.Var(bounds=(0, model.horizon))
    return model


def _added(model: Any, rows: Any) -> Iterator[str]:
    """Add the rows to the model; their names in the same order."""
    import pyomo.environ as pyo

    model.rows = pyo.ConstraintList()
    if rows is None:
        raise Unfit("rows: need pairs of a name and a row, got None (forgot `yield`?)")
    for pair in rows:
        if not isinstance(pair, (tuple, list)) or len(pair) != 2 or not isinstance(pair[0], str):
            raise Unfit("rows: need pairs of a name and a row: yield 'a name', row")
        name, row = pair
        if row is None or (isinstance(row, (int, float)) and not isinstance(row, bool)):
            raise Unfit(f"rows: {name!r} is no row: need one side <=, >= or == the other")
        if row is True:  # no variable is in it
            continue
        # Nothing fulfils a row that is false without variables.
        model.rows.add(model.makespan <= -1 if row is False else row)
        yield name


def _schedule(model: Any) -> list[dict[str, Any]]:
    """What the variables say: a row for every slot that a task is on."""
    fields = ("job", "phase", "task")
    return [
        {
            **{name: model.task_rows[task][name] for name in fields},
            "node": model.slot_rows[slot]["node"],
            "slot": model.slot_rows[slot]["slot"],
            "start": model.start[task].value or 0.0,
        }
        for task, slot in model.on
        if (model.on[task, slot].value or 0.0) > 0.5
    ]


def _broken(model: Any, names: list[str], schedule: list[dict[str, Any]]) -> list[str]:
    """Names of rows that no values of `before` fulfil together with the schedule."""
    import pyomo.environ as pyo

    where = {(row["job"], row["phase"], row["task"]): row for row in schedule}
    for task, own in model.task_rows.items():
        row = where[own["job"], own["phase"], own["task"]]
        model.start[task].fix(row["start"])
        for slot in model.slots[task]:
            place = model.slot_rows[slot]
            model.on[task, slot].fix(
                int((row["node"], row["slot"]) == (place["node"], place["slot"]))
            )
    model.makespan.fix(max([row["end"] for row in schedule], default=0.0))
    # A row that is missed lets go for a price.
    model.missed = pyo.Var(
        range(1, len(names) + 1), ["above", "below"], domain=pyo.NonNegativeReals
    )
    for k, row in model.rows.items():
        body = row.body + model.missed[k, "above"] - model.missed[k, "below"]
        row.set_value((row.lower, body, row.upper))
    solved(model, pyo.quicksum(model.missed.values()))
    return [
        name
        for k, name in enumerate(names, 1)
        if max(model.missed[k, side].value or 0.0 for side in ("above", "below")) > BROKEN
    ]
