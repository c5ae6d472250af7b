"""A lower bound from reads that cannot all be near; `docs/formulations/bounds.md` proves it.

In a schedule of a given length a slot has time for few reduce tasks of a job, so they are on many
nodes, and each node holds a part of the job's output only. The closed forms with the reads that
follow may exceed the length; then no schedule is that short.
"""

from __future__ import annotations

import numpy as np

from ....core.arrays import FloatArray, IntArray
from ....core.values import once
from ....instances.mapreduce.instance import Instance
from ....instances.mapreduce.processing import least_reduce_times
from ....instances.mapreduce.setups import output_share
from .closed_form import heads_and_tails, pigeonhole
from .job_reads import JobTail, one_jobs_reads, reduce_places
from .phase_lengths import PhaseLengths, fullest_slot, least_span, mean_slot, phases, two_sided
from .read_locality import ROUNDING, seconds_per_mb

MOST_HORIZONS = 8
"""So many horizons are tried at most."""

GAIN = 1e-4
"""Relative: less than this is not looked for."""

CLOSE, MOST_CLOSE = 3.0, 12
"""The output that nodes can process is computed for jobs whose map phase ends by so many of its
least durations, and for so many jobs at most."""


@once
def reads_within_horizon(instance: Instance) -> float:
    """The longest horizon found that the closed forms exceed, given the reads that it implies."""
    low = max(heads_and_tails(instance), pigeonhole(instance), one_jobs_reads(instance))
    reads = least_reads(instance)
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


@once
def least_reads(instance: Instance) -> LeastReads:
    return LeastReads(instance)


class LeastReads:
    """The reduce tasks of jobs that read; arrays of `task` are by job, shortest task first."""

    def __init__(self, instance: Instance) -> None:
        self.instance, self.places = instance, reduce_places(instance)
        self.maps, self.reduces = phases(instance)
        self.heads, self.tails = least_span(self.maps), least_span(self.reduces)
        self.read = np.bincount(instance.map_job, output_share(instance), instance.jobs)
        processing = least_reduce_times(instance)
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
        if not self.job.size:
            return self.reduces
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
