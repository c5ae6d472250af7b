"""Compiled list scheduling: give each task in turn the slot that suits it best.

All slots on which a task has the same setup time differ only in the time at which they become
available, so the first of them stands for all. A map task has few such classes (its replica nodes,
the racks that hold them, the whole cluster), and so has a job's reduce phase (each node and each
rack that holds map output of the job, the whole cluster). A class may include a nearer one: there
it only overstates the setup of a slot that the nearer class offers as well. `SlotTree` knows the
first available slot of every node, of every rack and of the cluster, so the cost of a task is
logarithmic in the number of slots.

The best slot is the one with the earliest end of the setup, which is the earliest finish because
the processing time is the same everywhere; then the one with the shortest setup; then the first
available; then the lowest number. Within a class the last two decide, in this order even where
rounding makes two ends equal. So the best of the classes is exactly the slot that a scan of all
slots finds.

Slots, nodes, racks, tasks and jobs are numbers; times are in s, data in MB, rates in MB/s.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....core.arrays import FloatArray, IntArray
from ....core.kernels.decorators import counted, inner

AVAILABLE, FINISHING, LOCAL, PRINTED = 0, 1, 2, 3
"""Rules: earliest available slot, earliest finishing slot, earliest available replica slot, and for
reduce tasks the slot where the task would finish first if it did not wait for its job's maps."""

UnsignedArray = NDArray[np.uint32]
"""Unsigned, because numba checks every signed index for being negative."""

Rates = tuple[float, float, float]
"""Rates on the node, within the rack, between racks (MB/s)."""

Offer = tuple[float, float, float, int]
"""End of the setup, setup time, time at which the slot is available, slot: less is better."""


class SlotTree(NamedTuple):
    """Tournaments for the first available slot of a node, of a rack, and of the cluster.

    `free` says when each slot becomes available; the additional slot number `slots` never does and
    stands for "none". Groups are the nodes, then the racks, then the cluster; `first` is the slot
    of each group that becomes available first. The tournament of a group lies in `matches` from
    `begin` on: match k is between the winners of 2k and 2k + 1, match 1 is the final, and entrant j
    stands in place `size` + j. The winner is entrant number `place` in the group `above` (-1:
    none).
    """

    free: FloatArray
    first: UnsignedArray
    matches: UnsignedArray
    begin: UnsignedArray
    size: UnsignedArray
    place: UnsignedArray
    above: IntArray


class Offers(NamedTuple):
    """The offer of each group of slots to the next reduce task of a job, and their tournament.

    An offer is the `end` of the setup, the `setup` time, the time at which the slot is `free`, and
    the `slot`; less is better. `matches` is laid out as in `SlotTree`.
    """

    end: FloatArray
    setup: FloatArray
    free: FloatArray
    slot: IntArray
    matches: IntArray


@counted
def _slot_tree(slot_node: IntArray, node_rack: IntArray, racks: int) -> SlotTree:
    """All slots available at time 0; `slot_node` ascends."""
    slots, nodes = len(slot_node), len(node_rack)
    free = np.zeros(slots + 1)
    free[slots] = np.inf
    cluster = nodes + racks
    first = np.empty(cluster + 1, dtype=np.uint32)
    matches = np.empty(2 * (slots + nodes + racks), dtype=np.uint32)
    first[:] = slots
    matches[:] = slots
    begin = np.zeros(cluster + 1, dtype=np.uint32)
    size = np.zeros(cluster + 1, dtype=np.uint32)
    place = np.zeros(cluster + 1, dtype=np.uint32)
    above = np.empty(cluster + 1, dtype=np.int64)
    for n in range(nodes):
        above[n] = nodes + node_rack[n]
    above[nodes:cluster] = cluster
    above[cluster] = -1
    for n in slot_node:
        size[n] += 1
    for group in range(cluster):
        place[group] = size[above[group]]
        size[above[group]] += 1
        begin[group + 1] = begin[group] + 2 * size[group]
    for slot in range(slots):
        n = slot_node[slot]
        matches[begin[n] + size[n] + slot - begin[n] // 2] = slot
    for group in range(cluster + 1):
        ties = matches[begin[group] : begin[group] + 2 * size[group]]
        # Not from `size - 1` on: nothing may fall below 0 in unsigned numbers.
        for k in range(size[group], 1, -1):
            ties[k - 1] = _sooner(free, ties[2 * k - 2], ties[2 * k - 1])
        if size[group]:
            first[group] = ties[1]
        if group < cluster:
            matches[begin[above[group]] + size[above[group]] + place[group]] = first[group]
    return SlotTree(free, first, matches, begin, size, place, above)


@inner
def _occupy(tree: SlotTree, node: int, slot: int, until: float) -> None:
    """Set the time at which `slot`, first of its node, becomes available; replay its matches."""
    tree.free[slot] = until
    matches = tree.matches
    # Slots are numbered node by node, and each has two places in `matches`.
    group, place, entrant = node, slot - tree.begin[node] // 2, slot
    while group >= 0:
        begin = tree.begin[group]
        k = tree.size[group] + place
        matches[begin + k] = entrant
        while k > 1 and matches[begin + (k >> 1)] == slot:
            entrant = _sooner(tree.free, entrant, matches[begin + (k ^ 1)])
            k >>= 1
            matches[begin + k] = entrant
        if k > 1:
            break
        tree.first[group] = entrant
        group, place = tree.above[group], tree.place[group]


@inner
def _sooner(free: FloatArray, a: int, b: int) -> int:
    """Which of two slots becomes available first; of equal ones the lower number."""
    # No `and`, no `or`: the outcome is close to random, and a branch on it would cost too much.
    return a if (free[a] < free[b]) | ((free[a] == free[b]) & (a < b)) else b


@counted
def place_maps(
    order: IntArray,
    rule: int,
    slot_node: IntArray,
    node_rack: IntArray,
    racks: int,
    rates: Rates,
    processing: FloatArray,
    input_mb: FloatArray,
    replica_offsets: IntArray,
    replicas: IntArray,
) -> tuple[IntArray, FloatArray, FloatArray]:
    """Place the map tasks one by one.

    `processing`: processing time of each task (s), shape (tasks,).
    `input_mb`: input of each task (MB), shape (tasks,).
    Returns slot, start (s) and setup (s) of each task, shapes (tasks,).
    """
    tree = _slot_tree(slot_node, node_rack, racks)
    nodes, none = len(node_rack), len(slot_node)
    slots = np.empty(len(order), dtype=np.int64)
    starts = np.empty(len(order))
    setups = np.empty(len(order))
    for t in order:
        copies = replicas[replica_offsets[t] : replica_offsets[t + 1]]
        mb = input_mb[t]
        first = tree.first[nodes + racks]
        if rule == AVAILABLE:
            rate = _rate(slot_node[first], copies, node_rack, rates)
            offer = _offer(tree.free, first, 0.0, mb / rate)
        else:
            near, beside, rack = none, none, -1
            for n in copies:
                near = _sooner(tree.free, near, tree.first[n])
                if rack != node_rack[n]:
                    rack = node_rack[n]
                    beside = _sooner(tree.free, beside, tree.first[nodes + rack])
            offer = _offer(tree.free, near, 0.0, mb / rates[0])
            if rule == FINISHING or near == none or mb == 0:
                offer = _better(offer, _offer(tree.free, beside, 0.0, mb / rates[1]))
                offer = _better(offer, _offer(tree.free, first, 0.0, mb / rates[2]))
        end, setups[t], starts[t], slots[t] = offer
        _occupy(tree, slot_node[slots[t]], slots[t], end + processing[t])
    return slots, starts, setups


@inner
def _rate(node: int, copies: IntArray, node_rack: IntArray, rates: Rates) -> float:
    """Rate at which `node` reads data with `copies` on these nodes."""
    rate = rates[2]
    for c in copies:
        if c == node:
            return rates[0]
        if node_rack[c] == node_rack[node]:
            rate = rates[1]
    return rate


@inner
def _offer(free: FloatArray, slot: int, release: float, setup: float) -> Offer:
    """What `slot` offers a task that may start from `release` on."""
    return max(free[slot], release) + setup, setup, free[slot], slot


@inner
def _better(a: Offer, b: Offer) -> Offer:
    return b if b < a else a


@counted
def in_turn(
    order: IntArray, slot: IntArray, setup: FloatArray, processing: FloatArray, slots: int
) -> FloatArray:
    """Starts of tasks that run in a given order, each as soon as its slot is free.

    `setup`: setup time of each task (s), shape (tasks,).
    `processing`: processing time of each task (s), shape (tasks,).
    Returns start of each task (s), shape (tasks,).
    """
    free = np.zeros(slots)
    starts = np.empty(len(order))
    for t in order:
        starts[t] = free[slot[t]]
        free[slot[t]] = starts[t] + setup[t] + processing[t]
    return starts


@counted
def place_reduces(
    jobs: IntArray,
    order: IntArray,
    rule: int,
    slot_node: IntArray,
    node_rack: IntArray,
    racks: int,
    rates: Rates,
    release: FloatArray,
    processing: FloatArray,
    reduce_offsets: IntArray,
    share: FloatArray,
    map_node: IntArray,
    map_offsets: IntArray,
) -> tuple[IntArray, FloatArray, FloatArray]:
    """Place the reduce tasks one by one, job after job.

    `order`: the tasks of all jobs; those of job i are `order[reduce_offsets[i]:reduce_offsets[i +
    1]]` in their order.
    `release`: earliest start of the tasks of each job (s), shape (jobs,).
    `processing`: processing time of each task (s), shape (tasks,).
    `share`: output of each map task for one reduce task of its job (MB), shape (map tasks,).
    Returns slot, start (s) and setup (s) of each task, shapes (tasks,).
    """
    tree = _slot_tree(slot_node, node_rack, racks)
    slots = np.empty(len(order), dtype=np.int64)
    starts = np.empty(len(order))
    setups = np.empty(len(order))
    nodes = len(node_rack)
    cluster = nodes + racks
    # The groups of slots that hold map output of the job, and how much.
    groups = np.empty(cluster + 1, dtype=np.int64)
    mb = np.zeros(cluster + 1)
    offers = Offers(
        np.empty(cluster + 1),
        np.empty(cluster + 1),
        np.empty(cluster + 1),
        np.empty(cluster + 1, dtype=np.int64),
        np.empty(2 * cluster + 2, dtype=np.int64),
    )
    for i in jobs:
        tasks = order[reduce_offsets[i] : reduce_offsets[i + 1]]
        if len(tasks) == 0:
            continue
        groups[0], count = cluster, 1
        for m in range(map_offsets[i], map_offsets[i + 1]):
            if share[m] > 0:
                n, r = map_node[m], nodes + node_rack[map_node[m]]
                if mb[r] == 0:
                    groups[count] = r
                    count += 1
                if mb[n] == 0:
                    groups[count] = n
                    count += 1
                mb[n] += share[m]
                mb[r] += share[m]
                mb[cluster] += share[m]
        compared = release[i] if rule == FINISHING else 0.0
        if rule != AVAILABLE:
            for k in range(count):
                on_node = mb[groups[k]] if groups[k] < nodes else 0.0
                r = groups[k] if groups[k] >= nodes else nodes + node_rack[groups[k]]
                in_rack = mb[r] if r < cluster else 0.0
                offers.setup[k] = _read(on_node, in_rack, mb[cluster], rates)
                _renew(offers, k, tree.free, tree.first[groups[k]], compared)
                offers.matches[count + k] = k
            for k in range(count - 1, 0, -1):
                offers.matches[k] = _lesser(
                    offers, offers.matches[2 * k], offers.matches[2 * k + 1]
                )
        for t in tasks:
            if rule != AVAILABLE:
                k = offers.matches[1]
                # Offers only get worse: an outdated one does no harm before it wins.
                while (
                    offers.slot[k] != tree.first[groups[k]]
                    or offers.free[k] != tree.free[offers.slot[k]]
                ):
                    _renew(offers, k, tree.free, tree.first[groups[k]], compared)
                    match = count + k
                    while match > 1:
                        k = _lesser(offers, k, offers.matches[match ^ 1])
                        match >>= 1
                        offers.matches[match] = k
                slot, setup = offers.slot[k], offers.setup[k]
            else:
                slot = tree.first[cluster]
                n = slot_node[slot]
                setup = _read(mb[n], mb[nodes + node_rack[n]], mb[cluster], rates)
            slots[t], setups[t], starts[t] = slot, setup, max(tree.free[slot], release[i])
            _occupy(tree, slot_node[slot], slot, starts[t] + setup + processing[t])
        for group in groups[:count]:
            mb[group] = 0
    return slots, starts, setups


@inner
def _renew(offers: Offers, k: int, free: FloatArray, slot: int, release: float) -> None:
    """Replace offer `k` by that of `slot`; its setup stays."""
    offers.end[k], _, offers.free[k], offers.slot[k] = _offer(free, slot, release, offers.setup[k])


@inner
def _lesser(offers: Offers, a: int, b: int) -> int:
    """The better of the offers number `a` and `b`."""
    if offers.end[a] != offers.end[b]:
        return a if offers.end[a] < offers.end[b] else b
    offer_a = offers.setup[a], offers.free[a], offers.slot[a]
    offer_b = offers.setup[b], offers.free[b], offers.slot[b]
    return b if offer_b < offer_a else a


@inner
def _read(on_node: float, in_rack: float, total: float, rates: Rates) -> float:
    """Time to read `total`, of which `in_rack` is in the own rack and `on_node` on the own node.

    `min`, because rounding must not make nearer data take longer.
    """
    far = max(total - in_rack, 0.0) / rates[2]
    return min(
        total / rates[2],
        in_rack / rates[1] + far,
        on_node / rates[0] + max(in_rack - on_node, 0.0) / rates[1] + far,
    )
