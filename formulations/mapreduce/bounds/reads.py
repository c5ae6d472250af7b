"""Bounds from what reading costs a job at least, depending on when its map phase ends.

If it ends early, its map tasks ran on many nodes, and its reduce tasks read from other nodes; to
gather them on few nodes takes time. In a schedule of a given length, moreover, a slot has time for
few reduce tasks of a job, so they are on many nodes. `docs/formulations/bounds.md` has the proofs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ....core.arrays import FloatArray, IntArray
from ....core.values import once
from ....instances.mapreduce.cluster import Rates
from ....instances.mapreduce.instance import Instance
from ....instances.mapreduce.setups import output_share
from .closed_form import fullest_slot, heads_and_tails, mean_slot, pigeonhole, two_sided
from .lengths import ROUNDING, PhaseLengths, least_span, phases, spans_with_reads
from .packing import packed_span

PARTS, ROUNDS = 256, 4
"""The ends of a map phase are divided into so many intervals, those that decide again."""

ACCURACY = 1e-6
"""Relative: intervals that decide no more than this are not divided again."""

MOST_TURNS = 8
"""Tasks so short that a slot runs more of them in turn are not counted one by one."""

MOST_HORIZONS = 8
"""So many horizons are tried at most."""

GAIN = 1e-4
"""Relative: less than this is not looked for."""

CLOSE, MOST_CLOSE = 3.0, 12
"""The output that nodes can process is computed for jobs whose map phase ends by so many of its
least durations, and for so many jobs at most."""


@once
def one_jobs_reads(instance: Instance) -> float:
    """Bound the makespan of each job alone by when its map phase ends and what it reads then.

    Only jobs that could raise the simpler bounds are looked at.
    """
    maps, reduces = phases(instance)
    heads, least_tails = least_span(maps), least_span(reduces)
    bound = float(np.max(heads + least_tails, initial=0.0))
    simpler = max(heads_and_tails(instance), pigeonhole(instance))
    read = np.bincount(instance.map_job, output_share(instance), instance.jobs)
    # The tail if nothing is in the rack. Taking turns on near slots is shorter than that only.
    far = read * sum(steps(instance))
    tails = least_span(reduces._replace(length=reduces.length + far[reduces.job]))
    most = heads + np.where((read > 0) & (instance.reduces_of > 0), tails, 0.0)
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
        share = np.linspace(0, 1, parts + 1)
        edges = starts[divided, None] * (1 - share) + ends[divided, None] * share
        starts, ends = edges[:, :-1].ravel(), edges[:, 1:].ravel()
    return value


class JobTail:
    """Least tails of job i, by the time at which its map phase has ended."""

    def __init__(self, instance: Instance, i: int) -> None:
        self.instance, self.places = instance, reduce_places(instance)
        maps = slice(*instance.map_offsets[i : i + 2])
        self.input = instance.input_mb[maps]
        self.read = float(output_share(instance)[maps].sum())
        self.lengths = phases(instance)[0].length[maps]
        self.near_lengths = _lengths_in_racks(instance, maps)[self.places.racks]
        reduces = slice(*instance.reduce_offsets[i : i + 2])
        self.processing = -np.sort(-instance.phases.reduce.least()[reduces])

    def __call__(self, ends: FloatArray) -> FloatArray:
        """Least tails (s) of map phases that have ended by given times (s), of the same shape."""
        reads, longest, slots = self.reads(ends), self.processing, self.places.reduce_slots
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
        spans: FloatArray = spans_with_reads(longest, int(slots[-1]), least)
        return np.maximum(tails, spans)

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


def _lengths_in_racks(instance: Instance, maps: slice) -> FloatArray:
    """Least time (s) of some map tasks in each rack, shape (racks, tasks)."""
    cluster = instance.cluster
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
    lengths: FloatArray = instance.phases.map.least()[maps] + instance.input_mb[maps] / rate
    return lengths


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


def steps(instance: Instance) -> tuple[float, float]:
    """Additional time (s/MB) of a read off the node, and of one off the rack on top of it."""
    rates = instance.cluster.rates
    return 1 / rates.rack - 1 / rates.node, 1 / rates.remote - 1 / rates.rack


def seconds_per_mb(rates: Rates, on_node: FloatArray, in_rack: FloatArray) -> FloatArray:
    """Time (s/MB) of a read by its shares on the node and in the rack, that on the node included.

    A sum of what each share takes: what near reads save of a slow remote rate would cancel.
    """
    seconds: FloatArray = (
        on_node / rates.node + (in_rack - on_node) / rates.rack + (1 - in_rack) / rates.remote
    )
    return seconds


def most_input(
    lengths: FloatArray, size: FloatArray, slots: IntArray, until: FloatArray
) -> FloatArray:
    """Greatest share of a job's input that each node can process by each time.

    It is a fractional knapsack with at most as many tasks as the shortest that fit a slot, only of
    tasks that fit, and of those longer than 1 / (k + 1) of the time only k a slot. A job without
    input counts as having all of it there.

    `lengths`: least length of each map task of the job (s), shape (tasks,).
    `size`: input of each (MB), shape (tasks,).
    `until`: times (s), shape (times,).
    """
    total = size.sum()
    if not total > 0:
        return np.ones((len(until), len(slots)))
    with np.errstate(divide="ignore", invalid="ignore"):
        dense = np.argsort(-np.where(size > 0, size / lengths, 0.0), kind="stable")
    worked = np.append(0.0, np.cumsum(lengths[dense]))
    gained = np.append(0.0, np.cumsum(size[dense]))
    largest = np.append(0.0, np.cumsum(-np.sort(-size)))
    rising = np.argsort(lengths, kind="stable")
    fit = np.searchsorted(np.cumsum(lengths[rising]), until, side="right")
    parts = np.arange(1, MOST_TURNS + 2)
    short = np.searchsorted(lengths[rising], until[:, None] / parts, side="right")
    shorter = np.append(0.0, np.cumsum(size[rising]))[short]
    kinds, kind_of = np.unique(slots, return_inverse=True)
    most = np.zeros((len(until), len(kinds)))
    for q, count in enumerate(kinds.tolist()):
        if count:
            filled = np.interp(count * until, worked, gained)
            some = np.minimum(filled, largest[np.minimum(count * fit, len(size))])
            in_turn = shorter + largest[np.minimum(count * (parts - 1), len(size))]
            most[:, q] = np.minimum(some, in_turn.min(axis=1))
    share: FloatArray = np.minimum(1.0, most[:, kind_of] / total * (1 + ROUNDING))
    return share


def input_shares(instance: Instance) -> tuple[FloatArray, FloatArray]:
    """Share of each job's input that a node, or a rack, reads at its best rate: (jobs, …).

    Input that no node with map slots reads at that rate counts everywhere.
    """
    cluster = instance.cluster
    task = np.repeat(np.arange(instance.map_tasks), np.diff(instance.replica_offsets))
    total = np.bincount(instance.map_job, instance.input_mb, instance.jobs)
    shares = []
    for place, places in (
        (np.arange(cluster.nodes), cluster.nodes),
        (cluster.rack_of, len(cluster.rack_names)),
    ):
        held = np.sort(task * places + place[instance.replicas], kind="stable")
        t, p = np.divmod(held[np.diff(held, prepend=-1) > 0], places)
        share = np.zeros((instance.jobs, places))
        np.add.at(share, (instance.map_job[t], p), instance.input_mb[t])
        remote_everywhere = np.ones(instance.map_tasks, dtype=bool)
        remote_everywhere[t[np.isin(p, place[cluster.map_slots > 0])]] = False
        share += np.bincount(
            instance.map_job[remote_everywhere], instance.input_mb[remote_everywhere], instance.jobs
        )[:, None]
        share /= np.where(total > 0, total, 1.0)[:, None]
        shares.append(np.minimum(1.0, share * (1 + ROUNDING)))
    return shares[0], shares[1]


@once
def reads_within_horizon(instance: Instance) -> float:
    """The longest horizon found that the closed forms exceed, given the reads that it implies."""
    low = max(heads_and_tails(instance), pigeonhole(instance), one_jobs_reads(instance))
    reads = LeastReads(instance)
    if not reads.job.size:
        return low
    horizon, high = low, np.inf
    for _ in range(MOST_HORIZONS):
        bound = reads.bound(horizon)
        # No schedule is shorter than the horizon, or than what the horizon implies.
        low = max(low, min(horizon, bound))
        high = min(high, bound if bound > horizon else horizon)
        if not low * (1 + GAIN) < high:
            break
        horizon = high if bound > horizon and np.isfinite(high) else (low + min(high, 2 * low)) / 2
    return float(low)


class LeastReads:
    """The reduce tasks of jobs that read; arrays of `task` are by job, shortest task first."""

    def __init__(self, instance: Instance) -> None:
        self.instance, self.places = instance, reduce_places(instance)
        self.maps, self.reduces = phases(instance)
        self.heads, self.tails = least_span(self.maps), least_span(self.reduces)
        self.read = np.bincount(instance.map_job, output_share(instance), instance.jobs)
        processing = instance.phases.reduce.least()
        order = np.lexsort((processing, instance.reduce_job))
        self.task = order[self.read[instance.reduce_job[order]] > 0]
        self.job = instance.reduce_job[self.task]
        self.processing = processing[self.task]
        first = np.searchsorted(self.job, self.job)
        self.rank = np.arange(self.job.size) - first
        self.shortest = self.processing[first]
        on_node = 1 / np.arange(1, len(self.places.nodes) + 1)
        near = seconds_per_mb(instance.cluster.rates, on_node, np.ones_like(on_node))
        self.seconds = np.maximum(near, self.places.least)
        self.close: dict[int, JobTail] = {}

    def bound(self, horizon: float) -> float:
        """A lower bound for schedules within a horizon (s), infinite if there are none."""
        reduces = self.longer(horizon)
        if reduces is None:
            return np.inf
        tails = least_span(reduces)
        sides = two_sided(self.maps, reduces, self.heads, tails, mean_slot, fullest_slot)
        return max(float(np.max(self.heads + tails, initial=0.0)), sides)

    def longer(self, horizon: float) -> PhaseLengths | None:
        """The reduce phase with what its tasks read at least within a horizon (s).

        None if it does not fit.
        """
        least = self.seconds[0] * self.read[self.job]
        left = horizon * (1 + ROUNDING) - self.heads[self.job]
        with np.errstate(divide="ignore", over="ignore"):
            turns = left / (self.shortest + least) * (1 + ROUNDING)
        on_slot = np.minimum(turns, self.job.size).astype(np.int64)
        slots = self.places.reduce_slots
        if np.any(on_slot < 1) or np.any(self.rank >= on_slot * slots[-1]):
            return None
        node = np.searchsorted(slots, self.rank // on_slot, side="right")
        read = self.seconds[node] * self.read[self.job]
        self._read_close(horizon - self.tails, node, read)
        first = self.rank == 0
        nearest = np.repeat(read[first], np.diff(np.append(np.flatnonzero(first), first.size)))
        length = self.reduces.length.copy()
        longer = np.maximum(self.processing + nearest, self.shortest + read)
        length[self.task] = np.maximum(length[self.task], longer)
        return self.reduces._replace(length=length)

    def _read_close(self, until: FloatArray, node: IntArray, read: FloatArray) -> None:
        """Raise the reads of jobs whose map phases have to end early, by what nodes hold then."""
        spare = until - CLOSE * self.heads
        some = np.flatnonzero((self.read > 0) & (self.tails > 0) & (spare < 0))
        for i in some[np.argsort(spare[some], kind="stable")][:MOST_CLOSE].tolist():
            tasks = slice(*np.searchsorted(self.job, [i, i + 1]).tolist())
            if i not in self.close:
                self.close[i] = JobTail(self.instance, i)
            reads = self.close[i].reads(until[[i]])[0]
            read[tasks] = np.maximum(read[tasks], reads[node[tasks]])
