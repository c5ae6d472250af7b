"""What is wrong with an answer to a batch: a schedule, a bound, an optimum."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ...core.files.json_files import JsonFile
from ...core.wording import listed
from ...instances.mapreduce.checker import check
from ...instances.mapreduce.instance import Instance
from ...instances.mapreduce.instance_file import read_instance
from ...instances.mapreduce.schedule import PhaseSchedule, Schedule, makespan
from ...instances.mapreduce.schedule_file import ScheduleDocument, schedule_from
from ...instances.mapreduce.setups import map_setups, reduce_setups
from .exercise import Document, Failure, Malformed, Question
from .hidden.exact import optimum

MODEL_TOLERANCE, BOUND_TOLERANCE = 1e-6, 1e-9
"""Relative differences that are rounding: HiGHS's are greater than those of a closed form."""

FIELDS: dict[str, tuple[type, ...]] = {
    "job": (str,),
    "phase": (str,),
    "task": (int,),
    "node": (str,),
    "slot": (int,),
    "start": (int, float),
}

KINDS = (
    (r"has no such job|the job has|the cluster has no node|there is no slot", "nowhere to run"),
    (r"is scheduled twice", "a task runs twice"),
    (r"is not scheduled", "a task does not run"),
    (r"before time 0", "a start before 0"),
    (r"before the end of its job's map phase", "a reduce task before its job's maps"),
    (r"that .* holds until", "two tasks at once on a slot"),
    (r": setup is", "a wrong setup time"),
    (r": end is", "a wrong end"),
    (r"makespan is", "a wrong makespan"),
)
"""Words of the checker, and the sort of mistake that they tell."""

_TASK = re.compile(r"job '([^']*)' (map|reduce) task (\d+)")


def shortest(document: Document) -> dict[str, Any]:
    """A right answer: a shortest schedule."""
    best, rows = optimum(document)
    return {"makespan": best, "tasks": rows}


def shown_rows(document: Document, value: Any) -> dict[str, Any]:
    *_, shown = told(document, value)
    return shown


def judge_heuristic(question: Question, value: Any) -> Failure | None:
    """What is wrong with the schedule of a heuristic. Raises `Malformed` if it is no list."""
    instance, schedule, violations, shown = told(question.document, value)
    if violations:
        return first_mistake(violations, shown)
    if question.demands.at_most is not None:
        from ...solvers.mapreduce.heuristic import heuristic

        most, least = question.demands.at_most, heuristic(instance, "EFSS").makespan
        if least is not None and schedule.makespan > most * least * (1 + 1e-9):
            text = f"makespan {schedule.makespan:.9g} s, EFSS {least:.9g} s"
            return Failure(f"above {most:g} times EFSS", text, shown)
    return None


def judge_bound(question: Question, value: Any) -> Failure | None:
    """What is wrong with a lower bound. Raises `Malformed` if it is no number."""
    best, name = question.right["makespan"], question.demands.not_below
    value = _seconds("bound", value)
    if math.isnan(value):
        return Failure("not a number", "the bound is not a number", value)
    if value > best + BOUND_TOLERANCE * max(best, 1e-3):
        text = f"bound {value:.9g} s, optimum {best:.9g} s"
        return Failure("a bound above the optimum", text, value)
    if name is not None:
        from ...formulations.mapreduce.bounds.closed_form import lower_bounds

        least = lower_bounds(instance_of(question.document), [name])[name]
        if value < least - BOUND_TOLERANCE * max(least, 1e-3):
            text = f"bound {value:.9g} s, {name} {least:.9g} s, optimum {best:.9g} s"
            return Failure(f"a bound below {name}", text, value)
    return None


def judge_solve(question: Question, value: Any) -> Failure | None:
    """What is wrong with an optimum, given by a function or by the model that it builds.

    Raises `Malformed` if it is no number.
    """
    best, who = question.right["makespan"], "solve"
    if isinstance(value, dict) and "status" in value:
        who = "the model"
        if value["status"] != "optimal":
            text = f"the model is {value['status']}, optimum {best:.9g} s"
            return Failure(f"the model is {value['status']}", text)
        value = value["makespan"]
    value = _seconds("solve", value)
    if math.isnan(value):
        return Failure("not a number", f"{who} gives no number", value)
    if abs(value - best) <= MODEL_TOLERANCE * max(best, 1e-3):
        return None
    text = f"{who} says {value:.9g} s, optimum {best:.9g} s"
    if value < best:
        return Failure("too low: a rule is missing", text, value)
    return Failure("too high: something legal is cut off", text, value)


def instance_of(document: Document) -> Instance:
    return read_instance(JsonFile("hidden instance", json.dumps(document).encode(), document))


def first_mistake(violations: list[str], shown: Any) -> Failure:
    """The first mistake in the order of `KINDS`.

    `violations`: what the checker says, at least one line.
    """
    kinds = [kind for pattern, kind in KINDS if any(re.search(pattern, v) for v in violations)]
    first = next((p for p, kind in KINDS if kinds and kind == kinds[0]), "")
    of_kind = [v for v in violations if re.search(first, v)]
    broken = [" ".join(words) for v in of_kind for words in _TASK.findall(v)]
    kind = kinds[0] if kinds else "not a schedule"
    return Failure(kind, listed(of_kind, 3), shown, broken=tuple(dict.fromkeys(broken)))


def told(document: Document, value: Any) -> tuple[Instance, Schedule, list[str], dict[str, Any]]:
    """Instance and schedule of rows, what the checker says of them, and what is shown of them.

    Raises `Malformed` if the value is none of this.
    """
    rows, claimed = _rows(value)
    instance = instance_of(document)
    full_rows = [{"setup": 0.0, "end": 0.0, **{name: row[name] for name in FIELDS}} for row in rows]
    for row in full_rows:
        row["start"] = float(row["start"])
    given = ScheduleDocument(
        format="slotwise/schedule/1",
        instance=instance.name,
        makespan=0.0,
        tasks=full_rows,
    )
    schedule, violations = schedule_from(instance, given)
    placed = not violations and min([*schedule.map.slot, *schedule.reduce.slot], default=0) >= 0
    if placed:
        cluster, maps, reduces = instance.cluster, schedule.map, schedule.reduce
        setup = map_setups(instance, maps.slot)
        end = maps.start + setup + instance.phases.map.times(maps.slot)
        maps = PhaseSchedule(maps.slot, maps.start, setup, end)
        by_node = reduce_setups(instance, cluster.map_slot_node[maps.slot])
        setup = by_node[instance.reduce_job, cluster.reduce_slot_node[reduces.slot]]
        end = reduces.start + setup + instance.phases.reduce.times(reduces.slot)
        reduces = PhaseSchedule(reduces.slot, reduces.start, setup, end)
        schedule = Schedule(schedule.instance, maps, reduces, makespan(maps, reduces))
        if claimed is not None:
            schedule = replace(schedule, makespan=claimed)
    violations += check(instance, schedule).violations
    fields = [{name: row[name] for name in FIELDS} for row in rows]
    shown = {"makespan": schedule.makespan, "tasks": fields}
    if placed:
        shown["tasks"] = _with_ends(instance, schedule, fields)
    return instance, schedule, violations, shown


def _rows(value: Any) -> tuple[Sequence[dict[str, Any]], float | None]:
    """Rows of an answer and, if it says so, its makespan. Raises `Malformed`."""
    claimed = None
    if isinstance(value, dict) and "tasks" in value:
        claimed = _seconds("heuristic: makespan", value.get("makespan"))
        value = value["tasks"]
    if not isinstance(value, list):
        raise Malformed(f"heuristic: need a list of rows, got {_called(value)}")
    for number, row in enumerate(value, 1):
        if not isinstance(row, dict):
            raise Malformed(f"heuristic: row {number} is {_called(row)}, need a dict")
        for name, kinds in FIELDS.items():
            if name not in row:
                raise Malformed(f"heuristic: row {number} has no field `{name}`")
            if not isinstance(row[name], kinds) or isinstance(row[name], bool):
                shown = f"{row[name]!r}"[:60]
                wanted = {str: "a text", int: "an integer"}.get(kinds[0], "a number")
                wanted = "a number" if len(kinds) > 1 else wanted
                raise Malformed(f"heuristic: row {number}: `{name}` is {shown}, need {wanted}")
        if row["phase"] not in ("map", "reduce"):
            raise Malformed(f"heuristic: row {number}: `phase` is {row['phase']!r}")
        if not math.isfinite(_float(row["start"])):
            raise Malformed(f"heuristic: row {number}: `start` is {_float(row['start'])}")
    return value, claimed


def _with_ends(
    instance: Instance, schedule: Schedule, rows: Sequence[dict[str, Any]]
) -> list[dict[str, Any]]:
    """The rows with the setups and ends of the schedule."""
    first = {"map": instance.map_offsets, "reduce": instance.reduce_offsets}
    jobs = {name: i for i, name in enumerate(instance.job_names)}
    shown = []
    for row in rows:
        part = schedule.map if row["phase"] == "map" else schedule.reduce
        t = int(first[row["phase"]][jobs[row["job"]]]) + row["task"]
        shown.append({**row, "setup": float(part.setup[t]), "end": float(part.end[t])})
    return shown


def _seconds(what: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise Malformed(f"{what}: need a number of seconds, got {_called(value)}")
    return _float(value)


def _float(value: float) -> float:
    """A number that may be an integer beyond all floats."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def _called(value: Any) -> str:
    return "None (forgot `return`?)" if value is None else f"a {type(value).__name__}"
