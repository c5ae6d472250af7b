"""A lower bound from the orders of a few critical jobs; `docs/formulations/bounds.md` proves it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ....core.arrays import FloatArray
from ....instances.mapreduce.instance import Instance
from .closed_form import PhaseLengths, least_span, phases
from .job_reads import JobTail
from .packing import packed_span

SHARE, MOST_JOBS = 0.4, 6
"""A job is critical if alone it takes this share of the longest at least; so many at most count."""

PARTS = 1024
"""Intervals of time in which the map phase of each may end."""

MOST_PACKED = 400
"""Tasks of larger sets are not packed."""

Least = Callable[[float], float]
"""From the least end (s) of a job's map phase to the least end (s) of its reduce phase."""


def orders_of_critical_jobs(instance: Instance) -> float:
    """Bound the makespan by the best order in which the map phases of a few jobs could end."""
    maps, reduces = phases(instance)
    if not maps.usable:
        return 0.0
    tails = least_span(reduces)
    alone = least_span(maps) + tails
    critical = np.flatnonzero(alone >= SHARE * alone.max())
    jobs = critical[np.argsort(-alone[critical], kind="stable")][:MOST_JOBS].tolist()
    everything = (1 << len(jobs)) - 1
    head = [_span(maps, _chosen(jobs, some)) for some in range(everything + 1)]
    least = [_least(instance, i, float(tails[i]), head[everything]) for i in jobs]
    tail = [_span(reduces, _chosen(jobs, some)) for some in range(everything + 1)]
    # Of the jobs in a set, the last one and the best order of those before it.
    best = [0.0] * (everything + 1)
    for some in range(1, everything + 1):
        best[some] = min(
            max(
                best[some & ~(1 << k)],
                head[some] + tail[everything & ~some | 1 << k],
                least[k](head[some]),
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


def _least(instance: Instance, i: int, tail: float, latest: float) -> Least:
    """The least end of a job whose map phase does not end before a time, `latest` (s) at most."""
    maps = phases(instance)[0]
    head = _span(maps, [i])
    if not instance.reduces_of[i] or not instance.maps_of[i] or not instance.output_ratio[i]:
        return lambda start: max(start, head) + tail
    tails = JobTail(instance, i)
    # A map phase that ends after the last interval is no better than one that ends as asked.
    longest = float(tails(np.array([head]))[0]), float(tails(np.array([latest]))[0])
    last = max(head + longest[0], latest + longest[1]) - tail
    edges = np.linspace(head, max(head, last), PARTS + 1)
    starts, ends = edges[:-1], edges[1:]
    following: FloatArray = np.maximum(tails(ends), tail)
    later = np.append(np.minimum.accumulate((starts + following)[::-1])[::-1], np.inf)

    def least(start: float) -> float:
        start = max(start, head)
        j = int(np.searchsorted(ends, start, side="left"))
        if j == PARTS:
            return start + tail
        return min(start + float(following[j]), float(later[j + 1]), float(ends[-1]) + tail)

    return least
