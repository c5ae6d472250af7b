"""A lower bound from the jobs that end the map slots; `docs/formulations/bounds.md` proves it.

After its last task a map slot waits for the reduce phase of that task's job. If a job ends many
slots, either its map tasks run on many nodes, so that its reduce tasks read from other nodes and
take longer; or its output is gathered on few nodes, where its input is not.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....core.arrays import FloatArray, IntArray
from ....core.values import once
from ....instances.mapreduce.instance import Instance
from ....instances.mapreduce.setups import output_share, read_rates
from .lengths import least_span, phases
from .reads import input_shares


class _Job(NamedTuple):
    """Bounds on the phases of one job; times in s.

    `tail` is the least duration of its reduce phase and `processing` the processing times of its
    reduce tasks, descending. Each of them reads for `read` if all is local, for `off_node` longer
    if nothing is on its node, and for `off_rack` longer still if nothing is in its rack; map tasks
    read `ratio` times as much input. `least` are sums of the smallest output shares of its map
    tasks, `on_node` sums of the greatest shares of its input that nodes hold, and `on_rack` the
    greatest share that a rack holds.
    """

    tail: float
    processing: FloatArray
    read: float
    off_node: float
    off_rack: float
    ratio: float
    least: FloatArray
    on_node: FloatArray
    on_rack: float


class _Places(NamedTuple):
    """The most map slots, and reduce slots, of the first j nodes that have both, and of a rack."""

    map_slots: IntArray
    reduce_slots: IntArray
    rack_map_slots: int


@once
def last_jobs(instance: Instance) -> float:
    """Bound the map work plus what the map slots wait for after their last tasks, per slot used."""
    work, rises = least_rises(instance)
    if not rises.size:
        return 0.0
    return float(np.min((work + np.cumsum(rises)) / np.arange(1, rises.size + 1)))


def least_rises(instance: Instance) -> tuple[float, FloatArray]:
    """The map work (s), and the least additional work of 1, 2, … used map slots (s), ascending."""
    maps, reduces = phases(instance)
    if not maps.usable:
        return 0.0, np.zeros(0)
    tails = least_span(reduces)
    places, jobs = _places(instance), _Jobs(instance)
    slopes = np.zeros(0)
    for i in np.argsort(tails, kind="stable").tolist():
        if slopes.size >= maps.usable and slopes[maps.usable - 1] <= tails[i]:
            break
        if instance.maps_of[i]:
            job = jobs.job(i, float(tails[i]))
            slots = np.arange(1, min(int(instance.maps_of[i]), maps.usable) + 1)
            slopes = np.sort(np.append(slopes, _slopes(_costs(job, places, slots))))
    return float(maps.length.sum()), slopes[: maps.usable]


def _places(instance: Instance) -> _Places:
    cluster = instance.cluster
    both = (cluster.map_slots > 0) & (cluster.reduce_slots > 0)
    racks = len(cluster.rack_names)
    map_slots = np.bincount(cluster.rack_of, cluster.map_slots, racks).astype(np.int64)
    reduce_slots = np.bincount(cluster.rack_of, cluster.reduce_slots, racks)
    return _Places(
        _greatest_sums(cluster.map_slots[both]).astype(np.int64),
        _greatest_sums(cluster.reduce_slots[both]).astype(np.int64),
        int(map_slots[reduce_slots > 0].max(initial=0)),
    )


class _Jobs:
    """Makes each `_Job` when it is asked for."""

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        self.processing = instance.phases.reduce.least()
        self.share = output_share(instance)
        self.input_shares = input_shares(instance)
        cluster = instance.cluster
        self.both = (cluster.map_slots > 0) & (cluster.reduce_slots > 0)
        self.reduce_racks = np.unique(cluster.rack_of[cluster.reduce_slots > 0])

    def job(self, i: int, tail: float) -> _Job:
        instance, rates = self.instance, read_rates(self.instance)
        maps = slice(*instance.map_offsets[i : i + 2])
        reduces = slice(*instance.reduce_offsets[i : i + 2])
        on_node, on_rack = (shares[i] for shares in self.input_shares)
        read = float(self.share[maps].sum())
        whole = read if read > 0 else 1.0
        return _Job(
            tail,
            -np.sort(-self.processing[reduces]),
            read / rates.node,
            read * (1 / rates.rack - 1 / rates.node),
            read * (1 / rates.remote - 1 / rates.rack),
            float(instance.input_mb[maps].sum()) / whole,
            np.append(0.0, np.cumsum(np.sort(self.share[maps]))) / whole,
            _greatest_sums(on_node[self.both]),
            float(on_rack[self.reduce_racks].max(initial=0.0)),
        )


def _costs(job: _Job, places: _Places, slots: IntArray) -> FloatArray:
    """Least additional work of the map slots (s) by the number of slots that the job ends.

    It is computed for each number of reduce tasks that a slot has time for, in the notation of the
    proof.
    """
    if not job.read > 0 or not len(job.processing):
        return slots.astype(np.float64) * job.tail
    on_nodes = places.map_slots[1 : len(job.processing) + 1]
    least_elsewhere = job.least[np.maximum(0, slots[:, None] - on_nodes)]
    least_off = job.off_rack * job.least[np.maximum(0, slots - places.rack_map_slots)]
    free_off = job.off_rack * (1 - job.on_rack)
    local = job.processing + job.read
    worked = np.append(0.0, np.cumsum(local[::-1]))
    costs: FloatArray = np.full(len(slots), np.inf)
    at_tail = worked + np.arange(len(worked)) * least_off[-1] <= job.tail
    for k in range(max(1, int(np.count_nonzero(at_tail)) - 1), len(worked)):
        if np.all(slots * worked[k] >= costs):
            break
        first = k * places.reduce_slots
        held = first[:-1][first[:-1] < len(local)]
        j = np.arange(1, len(held) + 1)
        needed = np.cumsum(local[held])
        feasible = (needed + job.off_node * (j - 1 + least_elsewhere[:, : len(j)])) / j
        free = np.append(0.0, (needed + job.off_node * (j - job.on_node[1 : len(j) + 1])) / j)
        apart = local[first[-1]] + job.off_node if first[-1] < len(local) else 0.0
        least_near = feasible.max(axis=1, initial=apart)
        least_time = np.maximum(job.tail, worked[k] + k * least_off)
        time = np.maximum(least_time, least_near + least_off)
        gathered = np.minimum(slots[:, None], np.append(0, j) * job.ratio) * np.maximum(
            0.0, free - (time - least_off)[:, None]
        )
        off = least_time[:, None] - np.maximum(least_near[:, None], free)
        near = np.minimum(slots, job.ratio)[:, None] * np.maximum(
            0.0, free_off - np.maximum(least_off[:, None], off)
        )
        costs = np.minimum(costs, slots * time + (gathered + near).max(axis=1))
    return costs


def _slopes(costs: FloatArray) -> FloatArray:
    """Slopes of the greatest convex function through 0 that is nowhere above `costs` of 1, 2, …"""
    corners = [(0, 0.0)]
    for x, y in enumerate(costs.tolist(), 1):
        while len(corners) > 1:
            (x0, y0), (x1, y1) = corners[-2:]
            if (y1 - y0) * (x - x1) < (y - y1) * (x1 - x0):
                break
            corners.pop()
        corners.append((x, y))
    at, height = np.array(corners).T
    runs = np.diff(at)
    return np.repeat(np.diff(height) / runs, runs.astype(np.int64))


def _greatest_sums(values: FloatArray | IntArray) -> FloatArray:
    """Sums of the greatest 0, 1, … values."""
    return np.append(0.0, np.cumsum(-np.sort(-values)))
