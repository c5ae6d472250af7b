"""Schedules: for every task its slot, start, setup time and end."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real

import numpy as np

from ...core.arrays import FloatArray, IntArray
from ...core.calls import check_argument, checked
from ...core.errors import InputError
from ...core.values import ByValue
from ..array_checks import array_of, check_arrays
from ..views import Tabular
from .instance import Instance
from .setups import map_setups, reduce_setups


@dataclass(frozen=True, eq=False)
class PhaseSchedule(ByValue):
    """The tasks of one phase in the instance's order; all of shape (tasks,).

    Parameters
    ----------
    slot
        Slot, numbered over the whole cluster node by node, -1 for a missing task.
    start
        Start of the setup (s).
    setup
        Setup time (s).
    end
        start + setup + processing (s), where processing includes the speed factor.
    """

    slot: IntArray
    start: FloatArray
    setup: FloatArray
    end: FloatArray

    def __post_init__(self) -> None:
        check_arrays(self, "schedule, ", np.int64, slot=(None,))
        shape = (len(self.slot),)
        check_arrays(self, "schedule, ", np.float64, start=shape, setup=shape, end=shape)


@dataclass(frozen=True, eq=False)
class Schedule(Tabular, ByValue):
    """Both phases of a schedule.

    Parameters
    ----------
    instance
        Name of the instance.
    map, reduce
        The phases.
    makespan
        The makespan (s) that the maker of the schedule claims.
    notes
        Remarks of the maker.
    """

    instance: str
    map: PhaseSchedule
    reduce: PhaseSchedule
    makespan: float
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_argument("schedule, instance", self.instance, str)
        check_argument("schedule, map", self.map, PhaseSchedule)
        check_argument("schedule, reduce", self.reduce, PhaseSchedule)
        check_argument("schedule, makespan", self.makespan, Real)

    def __repr__(self) -> str:
        return (
            f"Schedule(of {self.instance!r}: {len(self.map.slot)} map and "
            f"{len(self.reduce.slot)} reduce tasks, makespan {self.makespan:.6g} s)"
        )


@checked
def timed(
    instance: Instance,
    map_slot: IntArray,
    map_rank: IntArray | FloatArray,
    reduce_slot: IntArray,
    reduce_rank: IntArray | FloatArray,
) -> Schedule:
    """The earliest schedule with given slots and a given order of the tasks on each slot.

    Each task starts as soon as its slot is free and, for reduce tasks, the last map task of the job
    has ended.

    Parameters
    ----------
    instance
        The instance.
    map_slot
        Slot of each map task, shape (map_tasks,).
    map_rank
        Map tasks on one slot run by increasing rank, ties by task number, shape (map_tasks,).
    reduce_slot, reduce_rank
        The same of reduce tasks, shape (reduce_tasks,).

    Returns
    -------
    Schedule
        The schedule.

    Raises
    ------
    InputError
        For an array of another shape, or a slot that there is not.
    """
    cluster = instance.cluster
    map_slot = _slots_of("map_slot", map_slot, instance.map_tasks, cluster.map_slot_node)
    map_rank = array_of("timed: map_rank", map_rank, np.float64, map_slot.shape)
    reduce_slot = _slots_of(
        "reduce_slot", reduce_slot, instance.reduce_tasks, cluster.reduce_slot_node
    )
    reduce_rank = array_of("timed: reduce_rank", reduce_rank, np.float64, reduce_slot.shape)
    map_node = cluster.map_slot_node[map_slot]
    setup, processing = map_setups(instance, map_slot), instance.phases.map.times(map_slot)
    maps = _earliest(map_slot, map_rank, setup, processing, np.zeros(len(map_slot)))

    release = map_completions(instance, maps.end)
    reduce_node = cluster.reduce_slot_node[reduce_slot]
    setup = reduce_setups(instance, map_node)[instance.reduce_job, reduce_node]
    processing = instance.phases.reduce.times(reduce_slot)
    reduces = _earliest(reduce_slot, reduce_rank, setup, processing, release[instance.reduce_job])
    return Schedule(instance.name, maps, reduces, makespan(maps, reduces))


def check_tasks(instance: Instance, schedule: Schedule, *, all_placed: bool = True) -> None:
    """Raise `InputError` unless a schedule has the instance's tasks, on slots that there are.

    `all_placed`: whether each of them must have a slot and finite times.
    """
    for phase, part in zip(instance.phases, (schedule.map, schedule.reduce), strict=True):
        slots = len(phase.slot_node)
        if len(part.slot) != phase.tasks:
            raise InputError(
                f"the schedule has {len(part.slot)} {phase.name} tasks, "
                f"instance {instance.name!r} has {phase.tasks}"
            )
        for task in np.flatnonzero(part.slot >= slots)[:1]:
            raise InputError(
                f"{phase.task_name(task)} is on {phase.name} slot {part.slot[task]}, "
                f"the cluster has {slots}"
            )
        placed = (part.slot >= 0) & np.isfinite((part.start, part.setup, part.end)).all(axis=0)
        for task in np.flatnonzero(~placed)[: int(all_placed)]:
            raise InputError(
                f"{phase.task_name(task)} is not scheduled: slot {part.slot[task]}, "
                f"start {part.start[task]}, setup {part.setup[task]}, end {part.end[task]}"
            )


def _slots_of(what: str, values: IntArray, tasks: int, slot_node: IntArray) -> IntArray:
    """A slot for each task. Raises `InputError`."""
    slot: IntArray = array_of(f"timed: {what}", values, np.int64, (tasks,))
    if tasks and not 0 <= slot.min() <= slot.max() < len(slot_node):
        raise InputError(f"timed: {what}: needs numbers from 0 to {len(slot_node) - 1}")
    return slot


def timed_by_job(
    instance: Instance, map_slot: IntArray, reduce_slot: IntArray, order: IntArray
) -> Schedule:
    """The earliest schedule with the given slots whose slots all run the jobs in one order."""
    position = np.argsort(order)
    map_rank, reduce_rank = position[instance.map_job], position[instance.reduce_job]
    return timed(instance, map_slot, map_rank, reduce_slot, reduce_rank)


def makespan(maps: PhaseSchedule, reduces: PhaseSchedule) -> float:
    """The last end over both phases, 0 without tasks.

    Returns the makespan (s).
    """
    return float(max(maps.end.max(initial=0.0), reduces.end.max(initial=0.0)))


def map_completions(instance: Instance, map_end: FloatArray) -> FloatArray:
    """End of the map phase of each job, 0 for a job without map tasks.

    `map_end`: end of each map task (s), shape (map_tasks,).
    Returns ends (s), shape (jobs,).
    """
    completions = np.zeros(instance.jobs)
    some = instance.maps_of > 0
    if some.any():
        completions[some] = np.maximum.reduceat(map_end, instance.map_offsets[:-1][some])
    return completions


def _earliest(
    slot: IntArray,
    rank: IntArray | FloatArray,
    setup: FloatArray,
    processing: FloatArray,
    release: FloatArray,
) -> PhaseSchedule:
    start, end = np.zeros(len(slot)), np.zeros(len(slot))
    free = np.zeros(int(slot.max(initial=-1)) + 1)
    for task in np.lexsort((np.arange(len(slot)), rank)):
        k = slot[task]
        start[task] = max(free[k], release[task])
        free[k] = end[task] = start[task] + setup[task] + processing[task]
    return PhaseSchedule(slot, start, setup, end)
