"""A lower bound from one job's reads; `docs/formulations/bounds.md` proves it.

If the map phase of a job ends early, its map tasks ran on many nodes, and its reduce tasks read
from other nodes. To gather them on few nodes takes time. Between them is a least makespan.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ....core.arrays import FloatArray, IntArray
from ....core.values import once
from ....instances.mapreduce.instance import Instance
from ....instances.mapreduce.processing import least_map_times, least_reduce_times
from ....instances.mapreduce.setups import output_share
from .closed_form import heads_and_tails, pigeonhole
from .parallel_machines import packed_span
from .phase_lengths import PhaseLengths, least_span, phases, sums_between
from .read_locality import ROUNDING, most_input, seconds_per_mb, steps

PARTS, ROUNDS = 256, 4
"""The ends of a map phase are divided into so many intervals, those that decide again."""

ACCURACY = 1e-6
"""Relative: intervals that decide no more than this are not divided again."""


@once
def one_jobs_reads(instance: Instance) -> float:
    """Bound the makespan of each job alone by when its map phase ends and what it reads then.

    Only jobs that could raise the simpler bounds are looked at.
    """
    maps, reduces = phases(instance)
    heads, least_tails = least_span(maps), least_span(reduces)
    bound = float(np.max(heads + least_tails, initial=0.0))
    simpler = max(heads_and_tails(instance), pigeonhole(instance))
    most = heads + _farthest_tails(instance, reduces)
    for i in np.argsort(-most, kind="stable").tolist():
        if most[i] <= max(bound, simpler):
            break
        lengths = maps.length[slice(*instance.map_offsets[i : i + 2])]
        head = max(float(heads[i]), packed_span(lengths, maps.slots))
        bound = max(bound, least_sum(head, float(least_tails[i]), JobTail(instance, i)))
    return bound


def least_sum(head: float, least_tail: float, tail: Callable[[FloatArray], FloatArray]) -> float:
    """The least sum of the end of a map phase and the tail that follows, from below.

    `head`: the map phase does not end before (s).
    `least_tail`: least tail, whenever the map phase ends (s).
    `tail`: least tails (s) of map phases that have ended by given times (s), of the same shape;
    they do not grow with time.
    Returns the bound (s).
    """
    at_head = float(tail(np.array([head]))[0])
    value = upper = head + max(at_head, least_tail)
    # A map phase that ends later than this is no better than one that ends at its head.
    edges = np.linspace(head, upper - least_tail, PARTS + 1)
    starts, ends = edges[:-1], edges[1:]
    for k in range(ROUNDS):
        tails = np.maximum(tail(ends), least_tail)
        upper = min(upper, float(np.min(ends + tails)))
        lower = starts + tails
        divided = lower < upper * (1 - ACCURACY)
        if k == ROUNDS - 1 or not divided.any():
            return min(value, float(lower.min()))
        value = min(value, float(lower[~divided].min(initial=np.inf)))
        parts = -(-PARTS // int(np.count_nonzero(divided)))
        steps = np.linspace(0, 1, parts + 1)
        edges = starts[divided, None] * (1 - steps) + ends[divided, None] * steps
        starts, ends = edges[:, :-1].ravel(), edges[:, 1:].ravel()
    return value


class ReducePlaces(NamedTuple):
    """The nodes that have reduce slots, and their racks."""

    nodes: IntArray
    racks: IntArray
    """`nodes`, `racks`: their numbers."""
    reduce_slots: IntArray
    """The most reduce slots of 1, 2, … of the nodes, shape (nodes,)."""
    least: FloatArray
    """The least time (s/MB) in which a reduce task on the worst of 1, 2, … of the nodes reads,
    wherever map tasks run, shape (nodes,)."""


@once
def reduce_places(instance: Instance) -> ReducePlaces:
    """The nodes that have reduce slots, and their racks."""
    cluster, rates = instance.cluster, instance.cluster.rates
    nodes = np.flatnonzero(cluster.reduce_slots)
    node_step, rack_step = steps(instance)
    in_rack = -np.sort(-np.bincount(cluster.rack_of[nodes]))
    position = np.array([k for n in in_rack.tolist() for k in range(1, n + 1)])
    with np.errstate(divide="ignore", invalid="ignore"):
        each = position / (node_step + position * rack_step)
        full = np.append(0.0, np.cumsum(each[np.cumsum(in_rack[in_rack > 0]) - 1]))[:-1]
        others = np.repeat(full, in_rack[in_rack > 0])
        # Of the worst node's reads so much is in its rack, evenly over the nodes there.
        near = np.where(np.isinf(each), 1.0, each / (others + each))
        away = np.where(np.isinf(each), 0.0, others / (others + each))
    in_the_rack = 1 / position / rates.node + (1 - 1 / position) / rates.rack
    return ReducePlaces(
        nodes,
        np.unique(cluster.rack_of[nodes]),
        np.cumsum(-np.sort(-cluster.reduce_slots[nodes])),
        near * in_the_rack + away / rates.remote,
    )


class JobTail:
    """Least tails of one job, by the time at which its map phase has ended.

    `i`: the job.
    """

    def __init__(self, instance: Instance, i: int) -> None:
        self.instance, self.places = instance, reduce_places(instance)
        maps = slice(*instance.map_offsets[i : i + 2])
        self.input = instance.input_mb[maps]
        self.read = float(output_share(instance)[maps].sum())
        self.lengths = phases(instance)[0].length[maps]
        self.near_lengths = _lengths_in_racks(instance, i)[self.places.racks]
        reduces = slice(*instance.reduce_offsets[i : i + 2])
        self.processing = -np.sort(-least_reduce_times(instance)[reduces])

    def __call__(self, ends: FloatArray) -> FloatArray:
        """Least tails (s) of map phases that have ended by given times (s), of the same shape."""
        return self._least_tails(self.reads(ends))

    def reads(self, ends: FloatArray) -> FloatArray:
        """Least read on the worst of some nodes.

        `ends`: times by which the map phase has ended (s), shape (times,).
        Returns how long a reduce task reads on the worst of 1, 2, … nodes (s), shape (times, nodes
        with reduce slots).
        """
        cluster, places = self.instance.cluster, self.places
        until = ends * (1 + ROUNDING)
        on_node = most_input(self.lengths, self.input, cluster.map_slots[places.nodes], until)
        near = np.zeros(len(ends))
        for rack, lengths in zip(places.racks.tolist(), self.near_lengths, strict=True):
            slots = cluster.map_slots[cluster.rack_of == rack].sum(keepdims=True)
            near = np.maximum(near, most_input(lengths, self.input, slots, until)[:, 0])
        count = np.arange(1, len(places.nodes) + 1)
        on_node = np.minimum(-np.sort(-on_node, axis=1), 1 / count)
        seconds = seconds_per_mb(cluster.rates, on_node, np.maximum(near[:, None], on_node))
        reads: FloatArray = self.read * np.maximum(seconds, places.least)
        return reads

    def _least_tails(self, reads: FloatArray) -> FloatArray:
        longest, slots = self.processing, self.places.reduce_slots
        tasks, worked = len(longest), np.append(0.0, np.cumsum(longest[::-1]))
        least = reads[:, 0]
        tails: FloatArray = np.full(len(reads), np.inf)
        for k in range(-(-tasks // int(slots[-1])), tasks + 1):
            # Some slot runs k reduce tasks, none runs more.
            on_slot = worked[k] + k * least
            if np.all(on_slot >= tails):
                break
            first = np.append(0, k * slots[:-1])
            first = first[first < tasks]
            apart = (longest[first] + reads[:, : len(first)]).max(axis=1)
            tails = np.minimum(tails, np.maximum(on_slot, apart))
        shared: FloatArray = np.maximum(tails, self._shared(least))
        return shared

    def _shared(self, read: FloatArray) -> FloatArray:
        """Least tails by area, and of k R + 1 reduce tasks k + 1 on one slot, given each read."""
        slots, tasks = int(self.places.reduce_slots[-1]), len(self.processing)
        last = np.arange(1, tasks + 1, slots)
        on_slot = np.arange(1, len(last) + 1)
        worked = sums_between(self.processing, last - on_slot, last)
        together = worked + on_slot * read[:, None]
        shared: FloatArray = np.maximum(
            together.max(axis=1), (self.processing.sum() + tasks * read) / min(slots, tasks)
        )
        return shared


def _farthest_tails(instance: Instance, reduces: PhaseLengths) -> FloatArray:
    """The tail (s) of each job if nothing it reads is in the rack, 0 if it reads nothing."""
    read = np.bincount(instance.map_job, output_share(instance), instance.jobs)
    far = read * sum(steps(instance))
    tails = least_span(reduces._replace(length=reduces.length + far[reduces.job]))
    # Reduce tasks may take turns on near slots, which is shorter than that only.
    reads_far: FloatArray = np.where((read > 0) & (instance.reduces_of > 0), tails, 0.0)
    return reads_far


def _lengths_in_racks(instance: Instance, i: int) -> FloatArray:
    """Least time (s) of each map task of a job in each rack, shape (racks, tasks)."""
    cluster = instance.cluster
    maps = slice(*instance.map_offsets[i : i + 2])
    copies = slice(*instance.replica_offsets[[maps.start, maps.stop]])
    node = instance.replicas[copies]
    task = np.repeat(
        np.arange(maps.stop - maps.start),
        np.diff(instance.replica_offsets[maps.start : maps.stop + 1]),
    )
    rate = np.full((len(cluster.rack_names), maps.stop - maps.start), cluster.rates.remote)
    rate[cluster.rack_of[node], task] = cluster.rates.rack
    usable = cluster.map_slots[node] > 0
    rate[cluster.rack_of[node[usable]], task[usable]] = cluster.rates.node
    lengths: FloatArray = least_map_times(instance)[maps] + instance.input_mb[maps] / rate
    return lengths
