"""The instance as classes of equal tasks, in integer time units, and the way back to a schedule."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....core.arrays import FloatArray, IntArray
from ....core.values import once
from ....instances.mapreduce.eligibility import map_eligible
from ....instances.mapreduce.instance import Instance
from ....instances.mapreduce.integer_time import nearest_units, power_of_two_unit
from ....instances.mapreduce.schedule import Schedule, timed
from ....instances.mapreduce.setups import map_setups, output_share, reduce_setups
from ..hmhs.equivalence_classes import distinct_holders, numbers

UNIT_BITS = 40
"""The makespan of the given schedule takes 2**39 to 2**40 time units."""

FORBIDDEN = 1 << (UNIT_BITS + 3)
"""Duration where a task may not run, and the longest one: no search accepts it."""

MOST_FASTEST = 30
"""Slots of each class that moves prefer."""


class PhaseClasses(NamedTuple):
    """The classes of one phase. A class is a set of equal tasks of one job."""

    time: IntArray
    """Time of a task of each class on each slot, setup included; shape (classes, slots)."""
    job: IntArray
    """Job of each class; shape (classes,)."""
    fastest: IntArray
    """The slots on which each class is fastest, the fastest first; shape (classes, at most 30)."""


class ClassedInstance(NamedTuple):
    """An instance as classes of equal tasks."""

    instance: Instance
    """The instance, without lost slots."""
    unit_seconds: float
    """Length of the time unit (s), a power of two."""
    maps: PhaseClasses
    reduces: PhaseClasses
    """`maps`, `reduces`: the classes. Reduce tasks are without what they read, which depends on the
    map tasks' slots."""
    map_class: IntArray
    reduce_class: IntArray
    """`map_class`, `reduce_class`: class of each task, shape (tasks,)."""

    @property
    def reads(self) -> bool:
        return bool(output_share(self.instance).any())

    def in_units(self, seconds: FloatArray) -> IntArray:
        """Times (s) in time units, the longest cut at `FORBIDDEN`."""
        return nearest_units(seconds, self.unit_seconds, FORBIDDEN)

    def counts(self, schedule: Schedule) -> tuple[IntArray, IntArray]:
        """Tasks of each class on each slot in a schedule, by phase; shapes (slots, classes)."""
        of = []
        for classes, its_class, slot in (
            (self.maps, self.map_class, schedule.map.slot),
            (self.reduces, self.reduce_class, schedule.reduce.slot),
        ):
            count = np.zeros(classes.time.shape[::-1], dtype=np.int64)
            np.add.at(count, (slot, its_class), 1)
            of.append(count)
        return of[0], of[1]

    def schedule(
        self, map_count: IntArray, reduce_count: IntArray, date: IntArray, end: IntArray
    ) -> Schedule:
        """The schedule with such numbers of tasks on the slots.

        `date`: map slots run the jobs in the order of these dates, shape (jobs,).
        Returns the schedule, timed in seconds.
        """
        instance = self.instance
        return timed(
            instance,
            _slots(self.map_class, map_count),
            date[instance.map_job],
            _slots(self.reduce_class, reduce_count),
            end[instance.reduce_job],
        )

    def read_units(self, map_count: IntArray) -> IntArray:
        """What a task of each reduce class reads on each slot, shape (classes, slots)."""
        node = self.instance.cluster.map_slot_node[_slots(self.map_class, map_count)]
        reads = reduce_setups(self.instance, node)[:, self.instance.cluster.reduce_slot_node]
        return self.in_units(reads)[self.reduces.job]


def number_of_times(instance: Instance) -> int:
    """How many times the search would have to store: classes x slots."""
    maps, reduces = _classes_of(instance)
    slots = instance.cluster.map_slots.sum(), instance.cluster.reduce_slots.sum()
    return int((maps.max(initial=-1) + 1) * slots[0] + (reduces.max(initial=-1) + 1) * slots[1])


def classed(instance: Instance, makespan: float) -> ClassedInstance:
    """Lay an instance out in classes.

    `instance`: an instance without outages.
    `makespan`: a makespan (s) > 0 that is to be improved on.
    """
    unit = power_of_two_unit(makespan, UNIT_BITS)
    map_class, reduce_class = _classes_of(instance)
    _, first = np.unique(map_class, return_index=True)
    job = instance.map_job[first]
    seconds = instance.map_processing[first, None] * instance.phases.map.factors[job]
    seconds += _setups(instance, first)
    times = nearest_units(seconds, unit, FORBIDDEN)
    if instance.security is not None:
        times[~map_eligible(instance)[first]] = FORBIDDEN
    maps = _phase_classes(times, job)
    _, first = np.unique(reduce_class, return_index=True)
    job = instance.reduce_job[first]
    seconds = instance.reduce_processing[first, None] * instance.phases.reduce.factors[job]
    reduces = _phase_classes(nearest_units(seconds, unit, FORBIDDEN), job)
    return ClassedInstance(instance, unit, maps, reduces, map_class, reduce_class)


def _phase_classes(time: IntArray, job: IntArray) -> PhaseClasses:
    fastest = np.argsort(time, axis=1, kind="stable")[:, :MOST_FASTEST]
    return PhaseClasses(time, job, np.ascontiguousarray(fastest))


@once
def _classes_of(instance: Instance) -> tuple[IntArray, IntArray]:
    """The class of each map and of each reduce task; with security map tasks are all different."""
    reduces = numbers(instance.reduce_processing, instance.reduce_job)
    if instance.security is not None:
        return np.arange(instance.map_tasks), reduces
    holders = np.where(instance.input_mb > 0, distinct_holders(instance)[0], 0)
    maps = numbers(holders, instance.input_mb, instance.map_processing, instance.map_job)
    return maps, reduces


def _setups(instance: Instance, first: IntArray) -> FloatArray:
    """Setup time (s) of these map tasks on each map slot."""
    node = instance.cluster.map_slot_node
    setups = np.zeros((len(first), len(node)))
    if not instance.input_mb.any():
        return setups
    for k in range(len(node)):
        if instance.security is None and k and node[k] == node[k - 1]:
            setups[:, k] = setups[:, k - 1]
        else:
            setups[:, k] = map_setups(instance, np.full(instance.map_tasks, k))[first]
    return setups


def _slots(its_class: IntArray, count: IntArray) -> IntArray:
    """The slot of each task; those of a class fill its slots in ascending order."""
    slots, classes = count.shape
    slot = np.empty(len(its_class), dtype=np.int64)
    slot[np.argsort(its_class, kind="stable")] = np.repeat(
        np.tile(np.arange(slots), classes), count.T.ravel()
    )
    return slot
