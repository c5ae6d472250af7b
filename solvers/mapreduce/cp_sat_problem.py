"""What the models for CP-SAT are made of: an instance in whole time units."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...core.arrays import BoolArray, FloatArray, IntArray
from ...formulations.mapreduce.coefficients import Coefficients
from ...instances.mapreduce.instance import Instance
from ...instances.mapreduce.integer_time import common_unit, multiples, units_below
from ...instances.mapreduce.schedule import Schedule, map_completions
from ...instances.mapreduce.setups import read_seconds

MOST_UNITS = 10_000
"""Most time units of a horizon up to which the relaxed problem may take the place of the other."""

MOST = 2**62
"""More than any time."""


class Phase(NamedTuple):
    """The tasks and slots of a phase; times in whole units."""

    job: list[int]
    node: list[int]
    """Node of each slot."""
    twins: list[int]
    """Slots whose predecessor is equal."""
    equal: list[list[int]]
    """Groups of two tasks or more of a job that are equal."""
    allowed: BoolArray
    """Which slots may run each task, shape (tasks, slots)."""
    time: IntArray
    """What a task takes on each slot without reads, shape (tasks, slots)."""
    least: list[int]
    """Least duration of each task, with the least reads."""
    hint: list[int]
    """Slot of each task in the known schedule."""

    def tasks_of(self, job: int) -> list[int]:
        return [t for t, of in enumerate(self.job) if of == job]


class Problem:
    """An instance in integer time units, and what is known of it.

    Every duration is rounded down, heads, tails and the bound too, unless all possible durations
    are multiples of the unit.

    `known`: a schedule, as long as the horizon.
    `bound`: a lower bound (s).
    `rounding`: what all rounding of a makespan may come to (s), where there is no common unit.
    """

    def __init__(self, instance: Instance, known: Schedule, bound: float, rounding: float) -> None:
        data = Coefficients(instance)
        whole = common_unit(instance)
        # A longest path rounds each task's processing, and each read, at most once.
        roundings = len(data.map_tasks) + sum(1 + len(data.maps[i]) for i in data.reduce_job)
        self.unit = whole or rounding / max(1, roundings) or 1.0

        def units(seconds: FloatArray | float) -> IntArray:
            seconds = np.minimum(seconds, known.makespan + 2 * self.unit)
            return np.asarray((multiples if whole else units_below)(seconds, self.unit))

        def at_least(seconds: FloatArray | float) -> IntArray:
            if not whole:
                return units(seconds)
            # What is a whole number of units and no less than this. It may be off by some bits.
            least = np.ceil(np.asarray(seconds) / self.unit * (1 - 1e-9))
            return np.asarray(least.astype(np.int64))

        self.jobs = range(instance.jobs)
        self.comes_first = [pair for pair in data.pairs if data.comes_first(*pair)]
        self.bound = int(at_least(bound))
        self.horizon = int(units(known.makespan)) + 1
        if whole:
            # Only shorter schedules are of use: if there are none, the known one is optimal.
            self.horizon = max(self.bound, self.horizon - 2)
        self.without_solution = self.horizon + 1
        """The bound that holds if there is no solution."""
        self.head, self.tail = at_least(data.head).tolist(), at_least(data.tail).tolist()
        self.read: list[list[list[int]]] = units(
            data.share[:, None, None] * read_seconds(instance)
        ).tolist()
        """`read[t][a][b]`: time in which a task on node b reads the output of map task t on a."""
        self.maps = _phase(
            data.map_job,
            data.map_slot_node,
            data.map_slots_with_twin,
            data.map_slot_kind,
            np.column_stack((data.map_work, data.share, data.map_allowed)),
            data.map_allowed,
            units(data.map_work),
            np.zeros(instance.jobs, dtype=np.int64),
            known.map.slot,
        )
        least_reads = np.zeros(instance.jobs, dtype=np.int64)
        for job, table in zip(data.map_job, self.read, strict=True):
            least_reads[job] += min(map(min, table))
        usable = np.ones(data.reduce_time.shape, dtype=np.bool_)
        usable[:, data.lost_reduce_slots] = False
        self.reduces = _phase(
            data.reduce_job,
            data.reduce_slot_node,
            data.reduce_slots_with_twin,
            data.reduce_slot_kind,
            data.reduce_time,
            usable,
            units(data.reduce_time),
            least_reads,
            known.reduce.slot,
        )
        self.phases = self.maps, self.reduces
        self.position = data.positions(map_completions(instance, known.map.end))
        """Place of each job in the known schedule."""
        # A task that takes no time fits between two others only where it has a slot.
        self.nothing_relaxed = bool(
            whole
            and data.identical_slots
            and all(self.maps.least)
            and all(self.reduces.least)
            and self.horizon <= MOST_UNITS
        )
        """Whether the relaxed problem is the problem, with few enough times to be tried."""


def _phase(
    job: list[int],
    node: list[int],
    twins: list[int],
    kind: list[int],
    columns: FloatArray,
    allowed: BoolArray,
    time: IntArray,
    reads: IntArray,
    slot: IntArray,
) -> Phase:
    """`columns`: what makes tasks of a job equal. `reads`: least reads of a task of each job."""
    groups: dict[tuple[int, bytes], list[int]] = {}
    for t, row in enumerate(columns):
        groups.setdefault((job[t], row.tobytes()), []).append(t)
    equal = [tasks for tasks in groups.values() if len(tasks) > 1]
    least = np.where(allowed, time, MOST).min(axis=1, initial=MOST)
    least = np.where(allowed.any(axis=1), least, 0) + reads[job]
    hint = _first_of_equals(slot, kind, equal)
    return Phase(job, node, twins, equal, allowed, time, least.tolist(), hint)


def _first_of_equals(slot: IntArray, kind: list[int], equal: list[list[int]]) -> list[int]:
    """The lexicographically first of the assignments that differ by equal slots and tasks only.

    It is the one that the symmetry constraints keep. `kind`: the same for equal slots.
    """
    slots: list[int] = slot.tolist()
    before: list[int] = []
    while slots != before:
        before = list(slots)
        unused = {n: iter([k for k, m in enumerate(kind) if m == n]) for n in kind}
        renamed: dict[int, int] = {}
        for k in slots:
            if k not in renamed:
                renamed[k] = next(unused[kind[k]])
        slots = [renamed[k] for k in slots]
        for tasks in equal:
            for t, k in zip(tasks, sorted(slots[t] for t in tasks), strict=True):
                slots[t] = k
    return slots
