"""What is wrong with the rows of a model: too loose or too tight, and which row is to blame."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ...core.wording import listed
from .batch_judges import MODEL_TOLERANCE, first_mistake, told
from .exercise import Document, Failure, Malformed, Question

TIGHT, LOOSE = "too tight: the optimum is cut off", "too loose"

ROUNDING = 1e-5
"""By so many seconds a start of the solver may be early."""


def judge_rows(question: Question, value: Any) -> Failure | None:
    """What is wrong with the optimum and the schedule of the model that the rows make.

    A second question has a shortest schedule: which rows cut it off? Raises `Malformed` if the
    value is none of a model.
    """
    if not isinstance(value, dict) or "status" not in value:
        raise Malformed("rows: the answer is not that of a model")
    best, span = question.right["makespan"], value["makespan"]
    slack = MODEL_TOLERANCE * max(best, 1e-3)
    if span is not None and span <= best + slack:
        failure = _too_loose(question.document, value, best - slack)
    elif span is not None or value["status"] == "infeasible":
        failure = _too_tight(question, value)
    else:
        failure = Failure(f"the model is {value['status']}", "it has no optimum")
    return failure and replace(failure, text=f"{failure.text}; optimum {best:.9g} s")


def _too_loose(document: Document, value: dict[str, Any], least: float) -> Failure | None:
    says = f"the model says {value['makespan']:.9g} s"
    _, schedule, violations, shown = told(document, _unrounded(document, value["tasks"]))
    if violations:
        mistake = first_mistake(violations, shown)
        text = f"{says}, and in its schedule {mistake.text}"
        return replace(mistake, kind=f"{LOOSE}: {mistake.kind}", text=text)
    if value["makespan"] >= least:
        return None
    text = f"{says}, and its schedule ends at {schedule.makespan:.9g} s"
    return Failure(f"{LOOSE}: a makespan before the last end", text, shown)


def _too_tight(question: Question, value: dict[str, Any]) -> Failure:
    says, shown, document = "the model has no schedule", None, question.document
    if value["makespan"] is not None:
        says = f"the model says {value['makespan']:.9g} s"
        *_, shown = told(document, _unrounded(document, value["tasks"]))
    answer = question.ask({**document, "schedule": question.right["tasks"]})
    names = answer.value["cut_off_by"] if answer.how == "value" else []
    by = listed([repr(name) for name in names], 3) or "all rows together"
    return Failure(TIGHT, f"{says}; the shortest schedule below is cut off by {by}", shown)


def _unrounded(document: Document, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows in order of time; a start that the solver rounded down is where it can be."""
    times = {
        (job["name"], phase, t): task["processing"]
        for job in document["jobs"]
        for phase in ("map", "reduce")
        for t, task in enumerate(job[f"{phase}_tasks"])
    }
    free: dict[tuple[str, str, int], float] = {}
    done: dict[str, float] = {}
    exact_rows = []
    for row in sorted(
        rows, key=lambda row: (row["phase"], round(row["start"], 5), _time(row, times))
    ):
        slot, job = (row["node"], row["phase"], row["slot"]), row["job"]
        least = max(free.get(slot, 0.0), done.get(job, 0.0) if row["phase"] == "reduce" else 0.0)
        start = least if least - ROUNDING <= row["start"] < least else row["start"]
        free[slot] = end = start + _time(row, times)
        if row["phase"] == "map":
            done[job] = max(end, done.get(job, 0.0))
        exact_rows.append({**row, "start": start})
    return exact_rows


def _time(row: dict[str, Any], times: dict[tuple[str, str, int], float]) -> float:
    return times[row["job"], row["phase"], row["task"]]
