"""Queue ordering of [SMSO]: the order of tasks on each slot, and slots for the reduce tasks."""

from __future__ import annotations

import numpy as np

from ....core.arrays import BoolArray, FloatArray, IntArray
from ....core.errors import InputError
from ....instances.mapreduce.eligibility import impossible, reduce_eligible
from ....instances.mapreduce.instance import Instance
from ....instances.mapreduce.schedule import PhaseSchedule, Schedule, makespan, map_completions
from ....instances.mapreduce.setups import map_setups, reduce_setups
from ..list_scheduling.orders import johnson_rule, longest_first
from ..list_scheduling.placement import in_turn


def ordered(
    instance: Instance,
    map_slot: IntArray,
    *,
    by_johnson: bool = False,
    reduce_slot: IntArray | None = None,
    job_on_one_slot: bool = False,
) -> Schedule:
    """Order the queues of the map slots and place the reduce tasks ([SMSO], Algorithm 2).

    Reduce tasks follow as their jobs' map phases end, the longest of a job first, each on the slot
    that is available first.

    `by_johnson`: whether each map slot runs the jobs in Johnson's order and the longest task of a
    job first, instead of its longest task first.
    `reduce_slot`: slot of each reduce task, shape (reduce_tasks,); those on usable slots stay
    there.
    `job_on_one_slot`: whether one slot takes all reduce tasks of a job, as the algorithm says
    literally.
    Raises `InputError` if reduce tasks have no slot.
    """
    position = None
    if by_johnson:
        position = np.argsort(johnson_rule(instance))[instance.map_job]
    order = longest_first(instance.map_processing, position)
    setup, processing = map_setups(instance, map_slot), instance.map_processing
    slots = len(instance.cluster.map_slot_node)
    start = in_turn(order, map_slot, setup, processing, slots)
    maps = PhaseSchedule(map_slot, start, setup, start + setup + processing)

    release = map_completions(instance, maps.end)
    position = np.argsort(np.argsort(release, kind="stable"))[instance.reduce_job]
    order = longest_first(instance.reduce_processing, position)
    chosen = np.full(instance.reduce_tasks, -1, dtype=np.int64)
    usable = reduce_eligible(instance)
    if reduce_slot is not None:
        chosen = np.where(usable[reduce_slot], reduce_slot, -1)
    if instance.reduce_tasks and not usable.any():
        raise InputError(f"{instance.name}: {impossible(instance)}")
    setups = reduce_setups(instance, instance.cluster.map_slot_node[map_slot])
    reduces = _spread(instance, order, usable, chosen, release, setups, job_on_one_slot)
    return Schedule(instance.name, maps, reduces, makespan(maps, reduces))


def _spread(
    instance: Instance,
    order: IntArray,
    usable: BoolArray,
    chosen: IntArray,
    release: FloatArray,
    setups: FloatArray,
    job_on_one_slot: bool,
) -> PhaseSchedule:
    """The reduce tasks in `order` on their chosen slots, or if that is -1 on the first free one."""
    slot, start = chosen.copy(), np.zeros(len(chosen))
    node, processing = instance.cluster.reduce_slot_node, instance.reduce_processing
    free = np.where(usable, 0.0, np.inf)
    setup = np.zeros(len(chosen))
    slot_of_job: dict[int, int] = {}
    for w in order.tolist():
        job = int(instance.reduce_job[w])
        if slot[w] < 0:
            first = int(np.argmin(free))
            slot[w] = slot_of_job.setdefault(job, first) if job_on_one_slot else first
        k = slot[w]
        start[w], setup[w] = max(free[k], release[job]), setups[job, node[k]]
        free[k] = start[w] + setup[w] + processing[w]
    return PhaseSchedule(slot, start, setup, start + setup + processing)
