"""A lower bound from the orders of a few critical jobs; `docs/formulations/bounds.md` proves it."""

from __future__ import annotations

import numpy as np

from ....core.arrays import FloatArray
from ....core.values import once
from ....instances.mapreduce.instance import Instance
from .lengths import PhaseLengths, least_span, phases
from .packing import packed_span
from .reads import JobTail

SHARE, MOST_JOBS = 0.15, 6
"""A job is critical if alone it takes this share of the longest at least; so many at most count."""

PARTS = 1024
"""Intervals of time in which the map phase of each may end."""

MOST_PACKED = 400
"""Tasks of larger sets are not packed."""


class JobEnd:
    """When one job can end, by when its map phase ends.

    `tails`: what its reads leave, None of a job without reads.
    `head`, `tail`: least durations of its phases (s).
    `latest`: its map phase is asked to end by then (s) at most.
    """

    def __init__(self, tails: JobTail | None, head: float, tail: float, latest: float) -> None:
        self.head, self.tail = head, tail
        edges = np.array([head])
        if tails is not None:
            # A map phase that ends after the last interval is no better than one as asked.
            longest = tails(np.array([head, latest])).tolist()
            last = max(head + longest[0], latest + longest[1]) - tail
            edges = np.linspace(head, max(head, last), PARTS + 1)
        starts, self.ends = edges[:-1], edges[1:]
        self.following: FloatArray = np.zeros(0)
        if tails is not None:
            self.following = np.maximum(tails(self.ends), tail)
        self.later: FloatArray = np.minimum.accumulate((starts + self.following)[::-1])[::-1]

    def after(self, start: float) -> float:
        """Its least end (s) if its map phase does not end before a time (s)."""
        start = max(start, self.head)
        j = int(np.searchsorted(self.ends, start, side="left"))
        if j == len(self.ends):
            return start + self.tail
        later = float(self.later[j + 1]) if j + 1 < len(self.later) else np.inf
        following = float(self.following[j])
        return min(start + following, later, float(self.ends[-1]) + self.tail)


@once
def orders_of_critical_jobs(instance: Instance) -> float:
    """Bound the makespan by the best order in which the map phases of a few jobs could end."""
    maps, reduces = phases(instance)
    if not maps.usable:
        return 0.0
    tails = least_span(reduces)
    alone = least_span(maps) + tails
    critical = np.flatnonzero(alone >= SHARE * alone.max())
    jobs = critical[np.argsort(-alone[critical], kind="stable")][:MOST_JOBS].tolist()
    # Least durations of the map phase and of the reduce phase by set of jobs, a bit for each.
    sets = range(1 << len(jobs))
    head = [_span(maps, _chosen(jobs, some)) for some in sets]
    tail = [_span(reduces, _chosen(jobs, some)) for some in sets]
    end = [JobEnd(_reads(instance, i), _span(maps, [i]), float(tails[i]), head[-1]) for i in jobs]
    everything = (1 << len(jobs)) - 1
    # Of the jobs in a set, the last one and the best order of those before it.
    best = [0.0] * (everything + 1)
    for some in range(1, everything + 1):
        best[some] = min(
            max(
                best[some & ~(1 << k)],
                head[some] + tail[everything & ~some | 1 << k],
                end[k].after(head[some]),
            )
            for k in range(len(jobs))
            if some >> k & 1
        )
    return best[everything]


def _chosen(jobs: list[int], some: int) -> list[int]:
    return [i for k, i in enumerate(jobs) if some >> k & 1]


def _span(phase: PhaseLengths, jobs: list[int]) -> float:
    """Least duration (s) of a phase of some jobs alone."""
    chosen = [phase.length[slice(*np.searchsorted(phase.job, [i, i + 1]).tolist())] for i in jobs]
    lengths: FloatArray = np.concatenate([np.zeros(0), *chosen])
    if not lengths.size:
        return 0.0
    alone = PhaseLengths(lengths, np.zeros(lengths.size, dtype=np.int64), phase.slots, 1)
    span = float(least_span(alone)[0])
    return max(span, packed_span(lengths, phase.slots)) if lengths.size <= MOST_PACKED else span


def _reads(instance: Instance, i: int) -> JobTail | None:
    reads = instance.reduces_of[i] and instance.maps_of[i] and instance.output_ratio[i]
    return JobTail(instance, i) if reads else None
