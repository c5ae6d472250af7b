"""Compiled list scheduling: give each task in turn the slot that suits it best.

All slots at which a task has the same setup time differ only in when they become available, so the
first of them stands for all. A map task has few such classes (its replica nodes, the racks that
hold them, the whole cluster), and so has a job's reduce phase (each node and each rack that holds
map output of the job, the whole cluster). A class may take in a nearer one: there it only
overstates the setup of a slot that the nearer class offers as well. `SlotTree` knows the first
available slot of every node, of every rack and of the cluster, so the cost of a task does not grow
with the number of slots, up to a logarithm.

The best slot is the one with the earliest end of the setup, which is the earliest finish, as the
processing time is the same everywhere; then the one with the shortest setup; then the first
available; then the lowest number. Within a class the last two decide, in this order even where
rounding makes two ends equal, so the classes' best holds exactly the slot that a scan of all slots
finds.

Slots, nodes, racks, tasks and jobs are numbers; times are s, data MB, rates MB/s. The comparisons
use `&` and `|` because their outcome is close to random, and a branch on it would cost more than
all the rest. All compiled code is in this file because numba's disk cache watches only the file of
the function that is called.
"""

from __future__ import annotations

from heapq import heapify, heapreplace
from typing import NamedTuple

import numpy as np
from numba import njit

from ..instances.mapreduce import FloatArray, IntArray

AVAILABLE, FINISHING, LOCAL = 0, 1, 2
"""Rules: earliest available slot, earliest finishing, earliest available among replica nodes."""

Rates = tuple[float, float, float]
"""On the node, within the rack, between racks."""

Offer = tuple[float, float, float, int]
"""End of the setup, setup, when the slot becomes available, slot: less is better."""


class SlotTree(NamedTuple):
    """Tournaments among the slots of each node, the nodes of each rack, and the racks.

    `free` says when each slot becomes available; one slot more, number `slots`, never does and
    stands for "none". Positions 0 .. slots are the slots; the others are matches between two
    `sibling` positions, won by the slot `winner` that becomes available first (ties: lowest
    number). `node`, `rack` and `cluster` are the positions of the finals.
    """

    free: FloatArray
    winner: IntArray
    parent: IntArray
    sibling: IntArray
    node: IntArray
    rack: IntArray
    cluster: int


@njit(cache=True)
def _slot_tree(slot_node: IntArray, node_rack: IntArray, racks: int) -> SlotTree:
    """All slots available at time 0; `slot_node` ascends."""
    slots, nodes = len(slot_node), len(node_rack)
    free = np.zeros(slots + 1)
    free[slots] = np.inf
    winner = np.arange(2 * slots + 1)
    parent = np.full(2 * slots + 1, -1)
    sibling = np.full(2 * slots + 1, -1)
    node = np.full(nodes, slots)
    rack = np.full(racks, slots)
    entrants = np.arange(max(slots, nodes))
    used = slots + 1

    last = 0
    for n in range(nodes):
        first = last
        while last < slots and slot_node[last] == n:
            last += 1
        node[n], used = _tournament(entrants[first:last], slots, used, winner, parent, sibling)
    begin = np.zeros(racks + 1, dtype=np.int64)
    for n in range(nodes):
        begin[node_rack[n] + 1] += 1
    begin = np.cumsum(begin)
    size = np.zeros(racks, dtype=np.int64)
    for n in range(nodes):
        r = node_rack[n]
        if node[n] != slots:
            entrants[begin[r] + size[r]] = node[n]
            size[r] += 1
    finals = 0
    for r in range(racks):
        of_rack = entrants[begin[r] : begin[r] + size[r]]
        rack[r], used = _tournament(of_rack, slots, used, winner, parent, sibling)
        if rack[r] != slots:
            entrants[finals] = rack[r]
            finals += 1
    cluster, used = _tournament(entrants[:finals], slots, used, winner, parent, sibling)
    return SlotTree(free, winner, parent, sibling, node, rack, cluster)


@njit(cache=True)
def _tournament(
    entrants: IntArray, none: int, used: int, winner: IntArray, parent: IntArray, sibling: IntArray
) -> tuple[int, int]:
    """Pair the entrants (overwritten) until one is left. Its position, and how many are used."""
    count = len(entrants)
    if count == 0:
        return none, used
    while count > 1:
        for k in range(0, count - 1, 2):
            a, b = entrants[k], entrants[k + 1]
            parent[a], parent[b], sibling[a], sibling[b] = used, used, b, a
            winner[used] = min(winner[a], winner[b])
            entrants[k // 2] = used
            used += 1
        if count % 2:
            entrants[count // 2] = entrants[count - 1]
        count = (count + 1) // 2
    return entrants[0], used


@njit(cache=True)
def _occupy(tree: SlotTree, slot: int, until: float) -> None:
    """`slot` becomes available at `until`, not earlier than so far: replay what it had won."""
    tree.free[slot] = until
    position, first = slot, slot
    above = tree.parent[position]
    while above >= 0 and tree.winner[above] == slot:
        first = _sooner(tree.free, first, tree.winner[tree.sibling[position]])
        tree.winner[above] = first
        position, above = above, tree.parent[above]


@njit(cache=True)
def _sooner(free: FloatArray, a: int, b: int) -> int:
    """Which of two slots becomes available first; ties: lowest number."""
    return a if (free[a] < free[b]) | ((free[a] == free[b]) & (a < b)) else b


@njit(cache=True)
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
    """Slot, start and setup of every map task, each of shape (tasks,), placing them in `order`."""
    tree = _slot_tree(slot_node, node_rack, racks)
    none = len(slot_node)
    slots = np.empty(len(order), dtype=np.int64)
    starts = np.empty(len(order))
    setups = np.empty(len(order))
    for t in order:
        copies = replicas[replica_offsets[t] : replica_offsets[t + 1]]
        mb = input_mb[t]
        first = tree.winner[tree.cluster]
        if rule == AVAILABLE:
            rate = _rate(slot_node[first], copies, node_rack, rates)
            offer = _offer(tree.free, first, 0.0, mb / rate)
        else:
            near, beside, rack = none, none, -1
            for n in copies:
                near = _sooner(tree.free, near, tree.winner[tree.node[n]])
                if rack != node_rack[n]:
                    rack = node_rack[n]
                    beside = _sooner(tree.free, beside, tree.winner[tree.rack[rack]])
            offer = _offer(tree.free, near, 0.0, mb / rates[0])
            if rule == FINISHING or near == none or mb == 0:
                offer = _better(offer, _offer(tree.free, beside, 0.0, mb / rates[1]))
                offer = _better(offer, _offer(tree.free, first, 0.0, mb / rates[2]))
        end, setups[t], starts[t], slots[t] = offer
        _occupy(tree, slots[t], end + processing[t])
    return slots, starts, setups


@njit(cache=True)
def _rate(node: int, copies: IntArray, node_rack: IntArray, rates: Rates) -> float:
    """Rate at which `node` reads data of which there are `copies` on these nodes."""
    rate = rates[2]
    for c in copies:
        if c == node:
            return rates[0]
        if node_rack[c] == node_rack[node]:
            rate = rates[1]
    return rate


@njit(cache=True)
def _offer(free: FloatArray, slot: int, release: float, setup: float) -> Offer:
    """What `slot` offers a task that may start from `release` on."""
    return max(free[slot], release) + setup, setup, free[slot], slot


@njit(cache=True)
def _better(a: Offer, b: Offer) -> Offer:
    """The lesser of two offers."""
    b_sooner = (b[2] < a[2]) | ((b[2] == a[2]) & (b[3] < a[3]))
    b_wins = (b[0] < a[0]) | ((b[0] == a[0]) & ((b[1] < a[1]) | ((b[1] == a[1]) & b_sooner)))
    return (
        b[0] if b_wins else a[0],
        b[1] if b_wins else a[1],
        b[2] if b_wins else a[2],
        b[3] if b_wins else a[3],
    )


@njit(cache=True)
def in_turn(
    order: IntArray, slot: IntArray, setup: FloatArray, processing: FloatArray, slots: int
) -> FloatArray:
    """Starts of tasks that run in `order`, each as soon as its slot is free; shape (tasks,)."""
    free = np.zeros(slots)
    starts = np.empty(len(order))
    for t in order:
        starts[t] = free[slot[t]]
        free[slot[t]] = starts[t] + setup[t] + processing[t]
    return starts


@njit(cache=True)
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
    """Slot, start and setup of every reduce task, each of shape (tasks,).

    The jobs take their turns as in `jobs`; `order` lists the tasks of all jobs, those of job i in
    the places `reduce_offsets[i]:reduce_offsets[i + 1]`. `share` is what each map task leaves for
    one reduce task, `map_node` where. No task of job i starts before `release[i]`.
    """
    tree = _slot_tree(slot_node, node_rack, racks)
    slots = np.empty(len(order), dtype=np.int64)
    starts = np.empty(len(order))
    setups = np.empty(len(order))
    on_node = np.zeros(len(node_rack))
    in_rack = np.zeros(racks)
    read_nodes = np.empty(len(node_rack), dtype=np.int64)
    read_racks = np.empty(racks, dtype=np.int64)
    for i in jobs:
        tasks = order[reduce_offsets[i] : reduce_offsets[i + 1]]
        if len(tasks) == 0:
            continue
        total, node_count, rack_count = 0.0, 0, 0
        for m in range(map_offsets[i], map_offsets[i + 1]):
            n, r, mb = map_node[m], node_rack[map_node[m]], share[m]
            if mb > 0:
                if on_node[n] == 0:
                    read_nodes[node_count] = n
                    node_count += 1
                if in_rack[r] == 0:
                    read_racks[rack_count] = r
                    rack_count += 1
                on_node[n] += mb
                in_rack[r] += mb
                total += mb

        if rule == AVAILABLE:
            for t in tasks:
                slot = tree.winner[tree.cluster]
                n = slot_node[slot]
                setups[t] = _read(on_node[n], in_rack[node_rack[n]], total, rates)
                starts[t] = max(tree.free[slot], release[i])
                slots[t] = slot
                _occupy(tree, slot, starts[t] + setups[t] + processing[t])
        else:
            # An offer only gets worse, so an outdated one may wait until it comes to the top.
            offers = [_standing(tree, tree.cluster, release[i], _read(0.0, 0.0, total, rates))]
            for r in read_racks[:rack_count]:
                setup = _read(0.0, in_rack[r], total, rates)
                offers.append(_standing(tree, tree.rack[r], release[i], setup))
            for n in read_nodes[:node_count]:
                setup = _read(on_node[n], in_rack[node_rack[n]], total, rates)
                offers.append(_standing(tree, tree.node[n], release[i], setup))
            heapify(offers)
            for t in tasks:
                (end, setup, free, slot), position = offers[0]
                while slot != tree.winner[position] or free != tree.free[slot]:
                    heapreplace(offers, _standing(tree, position, release[i], setup))
                    (end, setup, free, slot), position = offers[0]
                setups[t] = setup
                starts[t] = max(free, release[i])
                slots[t] = slot
                _occupy(tree, slot, end + processing[t])
        on_node[read_nodes[:node_count]] = 0
        in_rack[read_racks[:rack_count]] = 0
    return slots, starts, setups


@njit(cache=True)
def _standing(tree: SlotTree, position: int, release: float, setup: float) -> tuple[Offer, int]:
    """What the slots below `position` of the tree offer at best, and the position."""
    return _offer(tree.free, tree.winner[position], release, setup), position


@njit(cache=True)
def _read(on_node: float, in_rack: float, total: float, rates: Rates) -> float:
    """Time to read `total` of which `in_rack` lie in one's rack and `on_node` on one's node.

    `min` because rounding must not make data that is nearer take longer.
    """
    far = max(total - in_rack, 0.0) / rates[2]
    return min(
        total / rates[2],
        in_rack / rates[1] + far,
        on_node / rates[0] + max(in_rack - on_node, 0.0) / rates[1] + far,
    )
