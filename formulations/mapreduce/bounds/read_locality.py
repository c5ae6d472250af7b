"""What reading costs a job at least, depending on when its map phase ends.

Until then a node can process only a part of the job's input, and afterwards it can run only some of
its reduce tasks. To read locally nevertheless, map tasks have to run where their input is not.
`docs/formulations/proofs/spread-bound.md` proves every number here.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....core.arrays import BoolArray, FloatArray, IntArray
from ....instances.mapreduce.cluster import Rates
from ....instances.mapreduce.instance import Instance
from ....instances.mapreduce.setups import best_map_setups, output_share

ROUNDING = 1e-9
"""Relative tolerance: what fits a time but for rounding does fit."""


MOST_TURNS = 8
"""Tasks so short that a slot runs more of them in turn are not counted one by one."""


class Spread(NamedTuple):
    """Bounds on a job whose map phase ends in an interval; all of shape (jobs, intervals)."""

    possible: BoolArray
    """Whether the map phase can end there."""
    tail: FloatArray
    """Least duration of the reduce phase (s)."""
    reading: FloatArray
    """Least time (s) that the reduce tasks together read beyond a local read, if the map tasks read
    locally."""
    node_most: FloatArray
    node_saving: FloatArray
    rack_most: FloatArray
    """`node_most`, `rack_most`: greatest share of the input that map tasks can usefully read off
    their node (or rack)."""
    rack_saving: FloatArray
    """`node_saving`, `rack_saving`: reading time (s) that is saved per unit of this share."""


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


def least_map_lengths(instance: Instance) -> FloatArray:
    """Least time (s) that each map task holds its slot, shape (map_tasks,)."""
    lengths: FloatArray = instance.map_processing + best_map_setups(instance)
    return lengths


def spread(instance: Instance, ends: FloatArray) -> Spread:
    """Compute the coefficients for intervals of time.

    `ends`: ends of the intervals (s), the last one at the horizon.
    """
    cluster = instance.cluster
    lengths, output = least_map_lengths(instance), output_share(instance)
    on_node, on_rack = input_shares(instance)
    until = ends * (1 + ROUNDING)
    left = ends[-1] * (1 + ROUNDING) - np.append(0.0, ends[:-1])
    result = Spread(
        np.zeros((instance.jobs, len(ends)), dtype=bool),
        *(np.zeros((instance.jobs, len(ends))) for _ in range(6)),
    )
    node_step, rack_step = steps(instance)
    reducing = cluster.reduce_slots > 0
    for i in range(instance.jobs):
        maps = slice(*instance.map_offsets[i : i + 2])
        processing = np.sort(instance.reduce_processing[slice(*instance.reduce_offsets[i : i + 2])])
        result.possible[i] = span(lengths[maps], cluster.map_slots) <= until
        if not instance.maps_of[i]:
            result.possible[i, 1:] = False
        if not len(processing):
            continue
        input_here = most_input(lengths[maps], instance.input_mb[maps], cluster.map_slots, until)
        input_near = _by_rack(instance, input_here)
        read = float(output[maps].sum())
        least = read * (
            1 / cluster.rates.node
            + node_step * (1 - input_here[:, reducing].max(axis=1))
            + rack_step * (1 - input_near[:, cluster.rack_of[reducing]].max(axis=1))
        )
        most_here = np.zeros((len(ends), cluster.nodes))
        for k in range(len(ends)):
            length = processing + least[k]
            result.tail[i, k] = span(length, cluster.reduce_slots)
            most_here[k] = _most_tasks(length, cluster.reduce_slots, left[k]) / len(processing)
        result.possible[i] &= (most_here.sum(axis=1) * (1 + ROUNDING) >= 1) & (
            result.tail[i] <= left
        )
        most_here = np.minimum(1.0, most_here)
        near = _by_rack(instance, most_here)
        all_read = read * len(processing)
        for most, saving, step, share, inputs, most_reduces in (
            (result.node_most, result.node_saving, node_step, on_node[i], input_here, most_here),
            (result.rack_most, result.rack_saving, rack_step, on_rack[i], input_near, near),
        ):
            best = _most_together(inputs, most_reduces)
            free = _most_together(np.minimum(inputs, share), most_reduces)
            widest = most_reduces.max(axis=1)
            result.reading[i] += all_read * step * (1 - free)
            saving[i] = all_read * step * widest
            np.divide(best - free, widest, out=most[i], where=widest > 0)
    return result


def span(lengths: FloatArray, slots: IntArray) -> float:
    """Least duration of the tasks of one job: longest task, area, and the pigeonhole argument.

    `lengths`: length of each task (s), shape (tasks,).
    Returns the bound (s).
    """
    if not len(lengths):
        return 0.0
    count = int(slots.sum())
    area = float(lengths.sum()) / min(count, len(lengths))
    some_slot = -(-len(lengths) // count)
    return max(area, float(lengths.max()), float(np.sort(lengths)[:some_slot].sum()))


def _most_tasks(sorted_lengths: FloatArray, slots: IntArray, time: float) -> IntArray:
    """Most tasks that each node can finish within `time` (s), shape (nodes,)."""
    ends = np.cumsum(sorted_lengths)
    on_slot = np.searchsorted(ends, time, side="right")
    with np.errstate(invalid="ignore"):
        worked = np.searchsorted(ends, np.where(slots > 0, slots * time, -1.0), side="right")
    most: IntArray = np.minimum(on_slot * slots, worked)
    return most


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


def _by_rack(instance: Instance, most: FloatArray) -> FloatArray:
    """The most of each rack, from the most of each node: (times, racks)."""
    cluster = instance.cluster
    sums = np.zeros((len(most), len(cluster.rack_names)))
    np.add.at(sums.T, cluster.rack_of, most.T)
    return np.minimum(1.0, sums)


def _most_together(most_input: FloatArray, most_reduces: FloatArray) -> FloatArray:
    """The greatest sum over places of input share times reduce share, both at most as given.

    Both fill the places in the order of their limits; shape (times,).
    """
    both = (most_input > 0) & (most_reduces > 0)
    together = _filled(np.where(both, most_input, 0)) * _filled(np.where(both, most_reduces, 0))
    total: FloatArray = np.minimum(1.0, together.sum(axis=1))
    return total


def _filled(most: FloatArray) -> FloatArray:
    ordered = -np.sort(-most, axis=1)
    return np.diff(np.minimum(1.0, np.cumsum(ordered, axis=1)), axis=1, prepend=0.0)
