"""Min-Min where slots differ only in their distance from a task's data, in almost linear time.

Map tasks of equal input and processing time are a class. A slot reads a task's input on its node,
within its rack or from elsewhere, so a class has three setup times. Every node, every rack and the
whole cluster are a group of slots, and each group has a list of tasks: a node those with a replica
on it, a rack those with a replica in it, the cluster all. A list offers the task that would end
first if the group's first free slot took it with the setup of the list. The least of all offers is
the next task of Min-Min: no offer is below the task's true completion time, because a slot of the
group is at least as near to the data as the list supposes; and the completion time of the task that
ends first is offered by the list that suits its slot.

Within a list classes are sorted by setup plus processing, tasks of a class by number. Rounding may
let a later class end at the same time, so all that could are compared. The slot is the lowest one
that gives the completion time; trees over the slots of each group find it. Each list is passed
once, so the work is that of sorting.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....core.arrays import FloatArray, IntArray, offsets
from ....core.kernels.decorators import inner, kernel
from ....instances.mapreduce.instance import Instance
from ....instances.mapreduce.schedule import PhaseSchedule
from .equivalence_classes import grouped
from .tournament import entered, rematch

ROUNDING = 2e-15
"""Relative: a class with a greater sum of setup and processing ends later, unless the sums differ
by less than this. A completion time has three roundings of 1.2e-16 each."""


class TaskClasses(NamedTuple):
    """Setup times by distance and processing time of each class (s), and class of each task."""

    setup: FloatArray
    processing: FloatArray
    of: IntArray


class Lists(NamedTuple):
    """The task list of each group, in runs of tasks of one class.

    The runs of group g are `first[g]:last[g]`, where `first` skips those that are done. Run r has
    the tasks `task[upcoming[r]:end[r]]`, where `upcoming` skips those that are done, of class
    `kind[r]` with setup time `setup[r]`.
    """

    first: IntArray
    last: IntArray
    task: IntArray
    upcoming: IntArray
    end: IntArray
    kind: IntArray
    setup: FloatArray


class Groups(NamedTuple):
    """The groups (nodes, then racks, then the cluster) and trees of when their slots become free.

    Group g has the slots from `slot[begin[g]]` on, in ascending order. Its tree is in `free` from
    `root[g]` on: entry k is the lesser of 2k and 2k + 1; entry `leaves[g]`, a power of two, belongs
    to the first slot. Slot s is in the groups `group[s]`, at place `place[s]` of each.
    """

    begin: IntArray
    slot: IntArray
    root: IntArray
    leaves: IntArray
    free: FloatArray
    group: IntArray
    place: IntArray


class ListOffers(NamedTuple):
    """The least completion time in each list, its task, and a tournament of the lists."""

    finish: FloatArray
    task: IntArray
    match: IntArray


def near_data_maps(instance: Instance) -> PhaseSchedule:
    """Place the map tasks by Min-Min, for an instance without speed factors and security."""
    tasks, cluster = instance.map_tasks, instance.cluster
    slot = np.full(tasks, -1, dtype=np.int64)
    start, setup, end = np.zeros(tasks), np.zeros(tasks), np.zeros(tasks)
    groups = _slot_groups(cluster.map_slots, cluster.rack_of, len(cluster.rack_names))
    if tasks:
        classes = _classes(instance)
        count = len(groups.root)
        _dispatch(
            classes,
            _lists(instance, classes),
            groups,
            ListOffers(np.zeros(count), np.zeros(count, dtype=np.int64), entered(count)),
            cluster.rack_of,
            instance.replica_offsets,
            instance.replicas,
            slot,
            start,
            setup,
            end,
        )
    return PhaseSchedule(slot, start, setup, end)


def _classes(instance: Instance) -> TaskClasses:
    tasks, begins = grouped(instance.map_processing, instance.input_mb)
    of = np.empty(instance.map_tasks, dtype=np.int64)
    of[tasks] = np.repeat(np.arange(len(begins) - 1), np.diff(begins))
    some, rates = tasks[begins[:-1]], instance.cluster.rates
    setup = instance.input_mb[some, None] / np.array([rates.node, rates.rack, rates.remote])
    return TaskClasses(setup, instance.map_processing[some], of)


def _lists(instance: Instance, classes: TaskClasses) -> Lists:
    cluster = instance.cluster
    every = np.arange(instance.map_tasks)
    holding = np.repeat(every, np.diff(instance.replica_offsets))
    nodes, racks = cluster.nodes, len(cluster.rack_names)
    tasks, kinds, setups, lengths, runs = [], [], [], [], []
    for way, (candidates, place, places) in enumerate(
        (
            (holding, instance.replicas, nodes),
            (holding, cluster.rack_of[instance.replicas], racks),
            (every, np.zeros_like(every), 1),
        )
    ):
        rank = np.empty(len(classes.processing), dtype=np.int64)
        rank[np.argsort(classes.setup[:, way] + classes.processing, kind="stable")] = np.arange(
            len(rank)
        )
        kind = classes.of[candidates]
        order, begins = grouped(rank[kind], place)
        first = order[begins[:-1]]
        tasks.append(candidates[order])
        kinds.append(kind[first])
        setups.append(classes.setup[kind[first], way])
        lengths.append(np.diff(begins))
        runs.append(np.bincount(place[first], minlength=places))
    of_group, of_run = offsets(np.concatenate(runs)), offsets(np.concatenate(lengths))
    return Lists(
        of_group[:-1].copy(),
        of_group[1:],
        np.concatenate(tasks),
        of_run[:-1].copy(),
        of_run[1:],
        np.concatenate(kinds),
        np.concatenate(setups),
    )


def _slot_groups(slots: IntArray, rack_of: IntArray, racks: int) -> Groups:
    nodes, count = len(slots), int(slots.sum())
    every, node = np.arange(count), np.repeat(np.arange(nodes), slots)
    by_rack = np.argsort(rack_of[node], kind="stable")
    sizes = np.concatenate((slots, np.bincount(rack_of[node], minlength=racks), [count]))
    begin = offsets(sizes)[:-1]
    group = np.stack((node, nodes + rack_of[node], np.full(count, nodes + racks)), axis=1)
    place = np.empty((count, 3), dtype=np.int64)
    for way, order in enumerate((every, by_rack, every)):
        place[order, way] = every + way * count - begin[group[order, way]]
    leaves = 1 << np.array([int(size - 1).bit_length() if size else 0 for size in sizes])
    root = offsets(2 * leaves)
    free = np.full(root[-1], np.inf)
    for way in range(3):
        free[root[group[:, way]] + leaves[group[:, way]] + place[:, way]] = 0.0
    _grow(root[:-1], leaves, free)
    return Groups(
        begin, np.concatenate((every, by_rack, every)), root[:-1], leaves, free, group, place
    )


def _grow(root: IntArray, leaves: IntArray, free: FloatArray) -> None:
    """Compute the trees from the leaves up: the root is the least of its leaves."""
    for g in range(len(root)):
        tree = free[root[g] : root[g] + 2 * leaves[g]]
        width = leaves[g] // 2
        while width:
            tree[width : 2 * width] = tree[2 * width : 4 * width].reshape(-1, 2).min(axis=1)
            width //= 2


@kernel
def _dispatch(
    classes: TaskClasses,
    lists: Lists,
    groups: Groups,
    offers: ListOffers,
    rack_of: IntArray,
    replica_offsets: IntArray,
    replicas: IntArray,
    slot: IntArray,
    start: FloatArray,
    setup: FloatArray,
    end: FloatArray,
) -> None:
    """Fill slot (-1 before), start, setup and end of every task."""
    nodes, cluster = len(rack_of), len(groups.root) - 1
    for g in range(cluster + 1):
        _renew(classes, lists, groups, offers, slot, g)
    for _ in range(len(slot)):
        g = offers.match[1]
        finish, t = offers.finish[g], offers.task[g]
        c = classes.of[t]
        p = classes.processing[c]

        # A slot that several groups have is found in the nearest first, hence with its true setup.
        chosen, read = len(groups.place), 0.0
        for way in range(3):
            s = classes.setup[c, way]
            begin, stop = replica_offsets[t], replica_offsets[t + 1]
            if way == 2:
                begin, stop = 0, 1
            for copy in range(begin, stop):
                g = cluster
                if way < 2:
                    g = replicas[copy]
                if way == 1:
                    g = nodes + rack_of[g]
                k = _lowest(groups, g, s, p, finish)
                if k < chosen:
                    chosen, read = k, s

        leaf = groups.root[cluster] + groups.leaves[cluster] + groups.place[chosen, 2]
        slot[t], start[t], setup[t], end[t] = chosen, groups.free[leaf], read, finish
        for way in range(3):
            g = groups.group[chosen, way]
            _occupy(groups, g, groups.place[chosen, way], finish)
            _renew(classes, lists, groups, offers, slot, g)
        for copy in range(replica_offsets[t], replica_offsets[t + 1]):
            g = replicas[copy]
            for _ in range(2):
                if offers.task[g] == t:
                    _renew(classes, lists, groups, offers, slot, g)
                g = nodes + rack_of[replicas[copy]]


@inner
def _renew(
    classes: TaskClasses,
    lists: Lists,
    groups: Groups,
    offers: ListOffers,
    slot: IntArray,
    g: int,
) -> None:
    best, of = np.inf, len(slot)
    free, limit = groups.free[groups.root[g] + 1], np.inf
    for r in range(lists.first[g], lists.last[g]):
        if free == np.inf:
            break
        c = lists.kind[r]
        s, p = lists.setup[r], classes.processing[c]
        if s + p > limit:
            break
        t = lists.upcoming[r]
        while t < lists.end[r] and slot[lists.task[t]] >= 0:
            t += 1
        lists.upcoming[r] = t
        if t == lists.end[r]:
            if lists.first[g] == r:
                lists.first[g] = r + 1
            continue
        t = lists.task[t]
        finish = free + s + p
        if limit == np.inf:
            limit = s + p + ROUNDING * finish
        if finish < best or (finish == best and t < of):
            best, of = finish, t
    offers.finish[g], offers.task[g] = best, of
    rematch(offers.match, offers.finish, offers.task, g)


@inner
def _lowest(groups: Groups, g: int, s: float, p: float, finish: float) -> int:
    """The lowest slot of group g where setup s and processing p end by `finish`, else too large."""
    root, leaves = groups.root[g], groups.leaves[g]
    if groups.free[root + 1] + s + p > finish:
        return len(groups.place)
    k = 1
    while k < leaves:
        k *= 2
        if groups.free[root + k] + s + p > finish:
            k += 1
    return int(groups.slot[groups.begin[g] + k - leaves])


@inner
def _occupy(groups: Groups, g: int, place: int, until: float) -> None:
    """Set the time at which the slot at this place of group g becomes free."""
    root, k = groups.root[g], groups.leaves[g] + place
    groups.free[root + k] = until
    while k > 1:
        k >>= 1
        groups.free[root + k] = min(groups.free[root + 2 * k], groups.free[root + 2 * k + 1])
