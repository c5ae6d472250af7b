"""What holds if the map phase of a job ends in an interval: tail, work, and what moved reads save.

Until then a node can process only a part of the job's input, and afterwards it can run only some of
its reduce tasks. To read locally nevertheless, map tasks have to run where their input is not.
`docs/formulations/spread-bound.md` proves every number here.
"""

from __future__ import annotations

import numpy as np

from ....core.arrays import FloatArray, IntArray
from ....instances.mapreduce.instance import Instance
from ....instances.mapreduce.setups import output_share
from ..bounds.lengths import ROUNDING, least_span, phases, spans_with_reads
from ..bounds.reads import input_shares, most_input, steps


class Spread:
    """Coefficients of jobs, shape (jobs,), and of jobs by interval, shape (jobs, intervals)."""

    def __init__(self, instance: Instance, ends: FloatArray) -> None:
        """`ends`: ends of the intervals (s), the last one at the horizon."""
        cluster, rates, jobs = instance.cluster, instance.cluster.rates, instance.jobs
        maps, reduces = phases(instance)
        output, reducing = output_share(instance), cluster.reduce_slots > 0
        on_node, on_rack = input_shares(instance)
        node_step, rack_step = steps(instance)
        until = ends * (1 + ROUNDING)
        left = ends[-1] * (1 + ROUNDING) - np.append(0.0, ends[:-1])
        self.head = least_span(maps)
        """Least duration of the map phase (s)."""
        self.possible = self.head[:, None] <= until
        """Whether the map phase can end in an interval."""
        self.possible[instance.maps_of == 0, 1:] = False
        self.map_work = np.bincount(instance.map_job, maps.length, jobs)
        """Least work of the map tasks (s)."""
        self.input = np.bincount(instance.map_job, instance.input_mb, jobs)
        """Input (MB)."""
        read = np.bincount(instance.map_job, output, jobs)
        local = instance.reduces_of * read / rates.node
        processing = np.bincount(instance.reduce_job, instance.reduce_processing, jobs)
        self.tail, self.reduce_work = np.zeros((2, jobs, len(ends)))
        """`tail`, `reduce_work`: least duration of the reduce phase and work of the reduce tasks
        (s), if the map tasks read locally."""
        self.reduce_work += (processing + local)[:, None]
        self.node_most, self.node_saving, self.rack_most, self.rack_saving = np.zeros(
            (4, jobs, len(ends))
        )
        """`node_most`, `rack_most`: greatest share of the input that map tasks can usefully read
        off their node (or rack). `node_saving`, `rack_saving`: reading time (s) that reduce tasks
        save per unit of this share."""
        for i in np.flatnonzero(instance.reduces_of).tolist():
            map_tasks = slice(*instance.map_offsets[i : i + 2])
            reduce_tasks = slice(*instance.reduce_offsets[i : i + 2])
            here = most_input(
                maps.length[map_tasks], instance.input_mb[map_tasks], cluster.map_slots, until
            )
            near = _by_rack(instance, here)
            least = read[i] * (
                1 / rates.node
                + node_step * (1 - here[:, reducing].max(axis=1))
                + rack_step * (1 - near[:, cluster.rack_of[reducing]].max(axis=1))
            )
            falling = -np.sort(-instance.reduce_processing[reduce_tasks])
            self.tail[i] = spans_with_reads(falling, reduces.slots, least)
            tasks_here = _most_tasks(falling[::-1], least, cluster.reduce_slots, left)
            tasks_here /= len(falling)
            all_fit = tasks_here.sum(axis=1) * (1 + ROUNDING) >= 1
            self.possible[i] &= all_fit & (self.tail[i] <= left)
            tasks_here = np.minimum(1.0, tasks_here)
            all_read = read[i] * len(falling)
            for most, saving, step, share, inputs, tasks in (
                (self.node_most, self.node_saving, node_step, on_node[i], here, tasks_here),
                (
                    *(self.rack_most, self.rack_saving, rack_step, on_rack[i]),
                    *(near, _by_rack(instance, tasks_here)),
                ),
            ):
                best = _most_together(inputs, tasks)
                free = _most_together(np.minimum(inputs, share), tasks)
                widest = tasks.max(axis=1)
                self.reduce_work[i] += all_read * step * (1 - free)
                saving[i] = all_read * step * widest
                np.divide(best - free, widest, out=most[i], where=widest > 0)


def _most_tasks(
    rising: FloatArray, read: FloatArray, slots: IntArray, left: FloatArray
) -> FloatArray:
    """Most reduce tasks that each node can finish, shape (intervals, nodes).

    `rising`: processing times (s), shortest first; each task reads for `read` and has `left` (s),
    shape (intervals,).
    """
    worked = np.cumsum(rising) + np.arange(1, len(rising) + 1) * read[:, None]
    on_slot = np.count_nonzero(worked <= left[:, None], axis=1)
    most = np.zeros((len(left), len(slots)))
    for count in np.unique(slots[slots > 0]).tolist():
        together = np.count_nonzero(worked <= count * left[:, None], axis=1)
        most[:, slots == count] = np.minimum(count * on_slot, together)[:, None]
    return most


def _by_rack(instance: Instance, most: FloatArray) -> FloatArray:
    """The most of each rack, from the most of each node: (intervals, racks)."""
    cluster = instance.cluster
    sums = np.zeros((len(most), len(cluster.rack_names)))
    np.add.at(sums.T, cluster.rack_of, most.T)
    return np.minimum(1.0, sums)


def _most_together(most_input: FloatArray, most_reduces: FloatArray) -> FloatArray:
    """The greatest sum over places of input share times reduce share, both at most as given.

    Both fill the places in the order of their limits; shape (intervals,).
    """
    both = (most_input > 0) & (most_reduces > 0)
    together = _filled(np.where(both, most_input, 0)) * _filled(np.where(both, most_reduces, 0))
    total: FloatArray = np.minimum(1.0, together.sum(axis=1))
    return total


def _filled(most: FloatArray) -> FloatArray:
    ordered = -np.sort(-most, axis=1)
    return np.diff(np.minimum(1.0, np.cumsum(ordered, axis=1)), axis=1, prepend=0.0)
