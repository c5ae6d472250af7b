"""The CP-SAT method: the job-order model for OR-Tools, solved in a process of its own.

The relaxed problem (docs/formulations/relaxed.md) comes first, for a second at most; its value is a
bound by itself, and the least makespan that the job-order model looks for. Where it relaxes nothing
it takes the place of that model.

Times are integers, and every duration is a sum of terms rounded down. Take an optimal schedule with
one job order (docs/formulations/proofs/job-order.md) and round all its times down as well. Since
⌊a⌋ + ⌊b⌋ ≤ ⌊a + b⌋, it fits the model, with a makespan of no more time units than it had. So the
model is a relaxation: its lower bound times the unit is a lower bound for the instance. Schedules
found are timed again exactly.

The unit is so short that all rounding together costs at most half of `OPTIMALITY_TOLERANCE`. If
every possible duration is a multiple of a common unit, that is used instead, and nothing is
rounded.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...core.arrays import FloatArray, IntArray
from ...core.background import OutOfTime, attempt
from ...core.clock import StopReason
from ...core.errors import InputError
from ...formulations.mapreduce.coefficients import Coefficients
from ...instances.mapreduce.instance import Instance
from ...instances.mapreduce.integer_time import multiples, units_below
from ...instances.mapreduce.schedule import Schedule, map_completions, timed
from ...instances.mapreduce.setups import read_seconds
from ..backends import cp_sat as process
from .branch_and_bound.integer_times import common_unit
from .race import Runner
from .result import OPTIMALITY_TOLERANCE

PROOF = "job-order model (CP-SAT)"
RELAXED_PROOF = "relaxed problem (CP-SAT)"
ENDED_EARLY = "the CP-SAT process ended early"
RELAXED_SECONDS, RELAXED_SHARE = 1.0, 0.1
"""Most time for the relaxed problem, in seconds and as a share of the limit."""
MOST_UNITS = 10_000
"""Most time units of a horizon up to which the relaxed problem may take the place of the other."""

MODELS = Path(__file__).with_name("cp_sat_models.py")
MOST_PAIRS = 500_000
"""With more pairs of tasks that may share a slot than this the model is not built."""

MOST_IMPROVEMENT = 16
"""The time unit assumes that the optimum is no less than the incumbent's makespan over this. If it
is less, the bound still holds, but may be too weak to prove optimality."""

Json = dict[str, Any]
Times = FloatArray | float


def cp_sat_method(instance: Instance, runner: Runner, *, given_bounds: bool = True) -> str:
    """Solve the job-order model with CP-SAT, within the best makespan.

    `given_bounds`: if False, CP-SAT is told no closed-form bound and no schedule.
    Raises `InputError` if OR-Tools is not installed.
    """
    if find_spec("ortools") is None:
        raise InputError("model 'cp-sat' needs OR-Tools: pip install ortools")
    if not can_model(instance):
        pairs = _pairs(instance)
        return f"{StopReason.NOT_APPLICABLE}: model too large: {pairs} pairs on slots"
    clock, incumbent = runner.clock, runner.schedule
    # The makespan in units is short by what was rounded; `_time_unit` keeps that below this.
    least = max(runner.bound, incumbent.makespan / MOST_IMPROVEMENT)

    def prepared() -> tuple[Found, Json]:
        data, common = Coefficients(instance), common_unit(instance)
        rounding = 0.0 if common else OPTIMALITY_TOLERANCE / 2 * least
        unit = common or _time_unit(data, rounding)
        document = problem(data, runner, incumbent, unit, given_bounds, whole=common > 0)
        found = Found(instance, PROOF, unit, rounding)
        document["relaxed"] = _relaxed_problem(document)
        # The relaxed problem may be the problem, with few enough times to be tried. A task that
        # takes no time fits between two others only where it has a slot.
        document["nothing_relaxed"] = (
            common > 0
            and data.places_alike
            and all(map(all, document["relaxed"].values()))
            and document["horizon"] <= MOST_UNITS
        )
        if document["nothing_relaxed"]:
            return found._replace(proof=RELAXED_PROOF), document
        if given_bounds:
            document["first_seconds"] = min(RELAXED_SECONDS, RELAXED_SHARE * clock.left)
        return found, document

    try:
        found, document = attempt(prepared, clock)
    except OutOfTime:
        return f"{clock.reason} before the model was built"
    document["time_limit"] = clock.left

    def told(line: Json) -> None:
        found.tell(runner, line)

    document["time_limit"] = clock.left
    final = process.solve(MODELS, document, clock.stop, told)
    if final is None:
        return ENDED_EARLY
    only_first = final["first"] >= final["bound"]
    better = (found._replace(proof=RELAXED_PROOF) if only_first else found).tell(runner, final)
    if better is not None and clock.left > 0 and better.makespan < least:
        # As before, from a schedule so short that the time unit was too coarse to prove it optimal.
        return cp_sat_method(instance, runner, given_bounds=given_bounds)
    return StopReason.GAP_CLOSED if final["status"] == "optimal" else StopReason(final["status"])


class Found(NamedTuple):
    """What the process's numbers say of the instance: a makespan is so many `unit`s (s), and with
    what was rounded off no longer than `rounding` s more."""

    instance: Instance
    proof: str
    unit: float
    rounding: float

    def tell(self, runner: Runner, line: Json) -> Schedule | None:
        """Tell what a line says, and return its schedule."""
        schedule = None if line["solution"] is None else _schedule(self.instance, line["solution"])
        bound = None if line["bound"] is None else line["bound"] * self.unit
        runner.tell(schedule, bound, self.proof)
        return schedule


def can_model(instance: Instance) -> bool:
    return _pairs(instance) <= MOST_PAIRS


def _pairs(instance: Instance) -> int:
    cluster = instance.cluster
    pairs = instance.map_tasks**2 * cluster.map_slots.sum()
    return int(pairs + instance.reduce_tasks**2 * cluster.reduce_slots.sum())


def problem(
    data: Coefficients,
    runner: Runner,
    known: Schedule,
    unit: float,
    given_bounds: bool = True,
    *,
    whole: bool = False,
) -> Json:
    """The document that the process reads.

    All times are integers, rounded down: `map_duration[t][k]` is setup plus processing of map task
    t on slot k, `reduce_duration[w][k]` the processing of reduce task w on slot k, and
    `read_duration[t][a][b]` what a reduce task on node b takes to read the output of map task t
    from node a. `head[i]` is a lower bound on the end of the map phase of job i, `tail[i]` on the
    duration of its reduce phase. `hint` has the slots of the tasks by phase and the position of the
    jobs, or is null.

    `unit`: the time unit (s).
    `whole`: whether every possible duration is a multiple of `unit`. Then heads, tails and the
    lower bound are rounded up.
    """
    instance = data.instance
    makespan = known.makespan if given_bounds else data.serial_makespan
    units, at_least = _rounding(unit, whole, makespan + 2 * unit)
    map_equal = _equal(data.map_job, np.column_stack((data.map_work, data.share, data.map_allowed)))
    reduce_equal = _equal(data.reduce_job, data.reduce_time)
    nothing = np.zeros(instance.jobs)
    least = at_least(runner.bound if given_bounds else 0.0)
    horizon = units(makespan) + 1
    if whole and given_bounds:
        # Only shorter schedules are of use: if there are none, the incumbent is optimal.
        horizon = max(least, horizon - 2)
    return {
        "workers": runner.threads,
        "relative_gap": runner.relative_gap,
        "absolute_gap": runner.absolute_gap / unit,
        "jobs": instance.jobs,
        "comes_first": [pair for pair in data.pairs if data.comes_first(*pair)],
        "map": {
            "job": data.map_job,
            "slot_node": data.map_slot_node,
            "slots_with_twin": data.map_slots_with_twin,
            "equal": map_equal,
            "forbidden": np.argwhere(~data.map_allowed).tolist(),
        },
        "reduce": {
            "job": data.reduce_job,
            "slot_node": data.reduce_slot_node,
            "slots_with_twin": data.reduce_slots_with_twin,
            "equal": reduce_equal,
            "forbidden": [(w, k) for w in data.reduce_tasks for k in data.lost_reduce_slots],
        },
        "map_duration": units(data.map_work),
        "reduce_duration": units(data.reduce_time),
        "read_duration": units(data.share[:, None, None] * read_seconds(instance)),
        "head": at_least(data.head if given_bounds else nothing),
        "tail": at_least(data.tail if given_bounds else nothing),
        "lower_bound": least,
        "horizon": horizon,
        "without_solution": horizon + 1,
        "hint": {
            "map": _first_of_equals(known.map.slot, data.map_slot_kind, map_equal),
            "reduce": _first_of_equals(known.reduce.slot, data.reduce_slot_kind, reduce_equal),
            "position": data.positions(map_completions(instance, known.map.end)).tolist(),
        }
        if given_bounds
        else None,
    }


def _relaxed_problem(document: Json) -> Json:
    """What the relaxed problem has besides `problem`: least durations."""
    return {name: _least_durations(document, name) for name in ("map", "reduce")}


def _least_durations(document: Json, name: str) -> list[int]:
    """Of each task the least time on any slot that may run it, with the least reads."""
    forbidden = {tuple(pair) for pair in document[name]["forbidden"]}
    reads = [0] * document["jobs"]
    if name == "reduce":
        for job, table in zip(document["map"]["job"], document["read_duration"], strict=True):
            reads[job] += min(map(min, table))
    return [
        reads[job] + min((time for k, time in enumerate(row) if (t, k) not in forbidden), default=0)
        for t, (row, job) in enumerate(
            zip(document[f"{name}_duration"], document[name]["job"], strict=True)
        )
    ]


def _time_unit(data: Coefficients, rounding: float) -> float:
    """The time unit (s) with which all rounding of a makespan stays below `rounding` s.

    A longest path rounds each task's processing, and each read, at most once.
    """
    roundings = len(data.map_tasks) + sum(1 + len(data.maps[i]) for i in data.reduce_job)
    return rounding / max(1, roundings) or 1.0


def _equal(job: list[int], rows: FloatArray) -> list[list[int]]:
    """Groups of two tasks or more of one job with the same row."""
    groups: dict[tuple[int, bytes], list[int]] = {}
    for t, row in enumerate(rows):
        groups.setdefault((job[t], row.tobytes()), []).append(t)
    return [tasks for tasks in groups.values() if len(tasks) > 1]


def _rounding(
    unit: float, whole: bool, most: float
) -> tuple[Callable[[Times], Any], Callable[[Times], Any]]:
    """How durations, at most `most` s, and lower bounds become numbers of units; see `problem`."""

    def units(seconds: Times) -> Any:
        return (multiples if whole else units_below)(np.minimum(seconds, most), unit).tolist()

    def at_least(seconds: Times) -> Any:
        # What is a whole number of units and no less than this. The bound may be off by some bits.
        return np.ceil(np.asarray(seconds) / unit * (1 - 1e-9)).astype(np.int64).tolist()

    return units, at_least if whole else units


def _first_of_equals(slot: IntArray, slot_kind: list[int], equal: list[list[int]]) -> list[int]:
    """The lexicographically first of the assignments that differ by equal slots and tasks only.

    It is the one that the symmetry constraints keep.
    """
    slots: list[int] = slot.tolist()
    before: list[int] = []
    while slots != before:
        before = list(slots)
        unused = {n: iter([k for k, m in enumerate(slot_kind) if m == n]) for n in slot_kind}
        renamed: dict[int, int] = {}
        for k in slots:
            if k not in renamed:
                renamed[k] = next(unused[slot_kind[k]])
        slots = [renamed[k] for k in slots]
        for tasks in equal:
            for t, k in zip(tasks, sorted(slots[t] for t in tasks), strict=True):
                slots[t] = k
    return slots


def _schedule(instance: Instance, solution: Json) -> Schedule:
    maps, reduces = solution["map"], solution["reduce"]
    return timed(
        instance,
        np.array(maps["slot"], dtype=np.int64),
        _ranks(maps),
        np.array(reduces["slot"], dtype=np.int64),
        _ranks(reduces),
    )


def _ranks(phase: Json) -> IntArray:
    """Tasks by start; of those that start together, the ones that take no time go first."""
    rank = np.empty(len(phase["start"]), dtype=np.int64)
    rank[np.lexsort((phase["end"], phase["start"]))] = np.arange(len(rank))
    return rank
