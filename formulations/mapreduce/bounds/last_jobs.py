"""A lower bound from the jobs that end the map slots; `docs/formulations/bounds.md` proves it.

After its last task a map slot waits for the reduce phase of that task's job. If a job ends many
slots, either its map tasks run on many nodes, so that its reduce tasks read from other nodes and
take longer; or its output is gathered on few nodes, where its input is not.
"""

from __future__ import annotations

import numpy as np

from ....core.arrays import FloatArray, IntArray
from ....core.values import once
from ....instances.mapreduce.instance import Instance
from ....instances.mapreduce.setups import output_share, read_rates
from .lengths import least_span, phases
from .reads import input_shares


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
    jobs, slopes = LastJobs(instance), np.zeros(0)
    for i in np.argsort(tails, kind="stable").tolist():
        if slopes.size >= maps.usable and slopes[maps.usable - 1] <= tails[i]:
            break
        if instance.maps_of[i]:
            slots = np.arange(1, min(int(instance.maps_of[i]), maps.usable) + 1)
            costs = jobs.costs(i, float(tails[i]), slots)
            slopes = np.sort(np.append(slopes, _slopes(costs)))
    return float(maps.length.sum()), slopes[: maps.usable]


class LastJobs:
    """What slots wait for if jobs end them; in the notation of the proof."""

    def __init__(self, instance: Instance) -> None:
        cluster = instance.cluster
        self.instance, self.rates = instance, read_rates(instance)
        self.processing = instance.phases.reduce.least()
        self.share = output_share(instance)
        self.input_shares = input_shares(instance)
        self.both = (cluster.map_slots > 0) & (cluster.reduce_slots > 0)
        # Of the first j nodes that have slots of both phases, and of a rack.
        self.map_slots = _greatest_sums(cluster.map_slots[self.both]).astype(np.int64)
        self.reduce_slots = _greatest_sums(cluster.reduce_slots[self.both]).astype(np.int64)
        self.racks = np.unique(cluster.rack_of[cluster.reduce_slots > 0])
        in_rack = np.bincount(cluster.rack_of, cluster.map_slots, len(cluster.rack_names))
        self.rack_map_slots = int(in_rack[self.racks].max(initial=0))

    def costs(self, i: int, tail: float, slots: IntArray) -> FloatArray:
        """Least additional work of the map slots (s) by the number of slots that job i ends.

        It is computed for each number of reduce tasks that a slot has time for.

        `tail`: least duration of its reduce phase (s).
        """
        maps = slice(*self.instance.map_offsets[i : i + 2])
        read = float(self.share[maps].sum())
        processing = self.processing[slice(*self.instance.reduce_offsets[i : i + 2])]
        if not read > 0 or not len(processing):
            return slots.astype(np.float64) * tail
        rates = self.rates
        # What a read is longer off the node, and beyond this off the rack.
        off_node = read * (1 / rates.rack - 1 / rates.node)
        off_rack = read * (1 / rates.remote - 1 / rates.rack)
        ratio = float(self.instance.input_mb[maps].sum()) / read
        least = np.append(0.0, np.cumsum(np.sort(self.share[maps]))) / read
        nodes, racks = (shares[i] for shares in self.input_shares)
        on_node = _greatest_sums(nodes[self.both])
        on_rack = float(racks[self.racks].max(initial=0.0))
        on_nodes = self.map_slots[1 : len(processing) + 1]
        least_elsewhere = least[np.maximum(0, slots[:, None] - on_nodes)]
        least_off = off_rack * least[np.maximum(0, slots - self.rack_map_slots)]
        free_off = off_rack * (1 - on_rack)
        local = -np.sort(-processing) + read / rates.node
        worked = np.append(0.0, np.cumsum(local[::-1]))
        costs: FloatArray = np.full(len(slots), np.inf)
        at_tail = worked + np.arange(len(worked)) * least_off[-1] <= tail
        for k in range(max(1, int(np.count_nonzero(at_tail)) - 1), len(worked)):
            if np.all(slots * worked[k] >= costs):
                break
            first = k * self.reduce_slots
            held = first[:-1][first[:-1] < len(local)]
            j = np.arange(1, len(held) + 1)
            needed = np.cumsum(local[held])
            feasible = (needed + off_node * (j - 1 + least_elsewhere[:, : len(j)])) / j
            free = np.append(0.0, (needed + off_node * (j - on_node[1 : len(j) + 1])) / j)
            apart = local[first[-1]] + off_node if first[-1] < len(local) else 0.0
            least_near = feasible.max(axis=1, initial=apart)
            least_time = np.maximum(tail, worked[k] + k * least_off)
            time = np.maximum(least_time, least_near + least_off)
            gathered = np.minimum(slots[:, None], np.append(0, j) * ratio) * np.maximum(
                0.0, free - (time - least_off)[:, None]
            )
            off = least_time[:, None] - np.maximum(least_near[:, None], free)
            near = np.minimum(slots, ratio)[:, None] * np.maximum(
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
