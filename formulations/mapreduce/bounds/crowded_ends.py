"""A lower bound from reduce phases that crowd at the end; `docs/formulations/bounds.md` proves it.

A map task that runs shortly before the end is of a job whose reduce tasks all run after it. Only a
few jobs' reduce tasks have room there, so only these jobs' map tasks can keep the map slots busy.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ....core.arrays import FloatArray, IntArray
from ....core.once import once
from ....instances.mapreduce.instance import Instance
from .phase_lengths import PhaseLengths, least_span, phases
from .read_locality import ROUNDING

CELLS = 512
"""The last seconds are looked at in so many intervals at least."""

UNITS = 2, 3, 4
"""A slot is also cut into so many units of time, of which its tasks take whole ones, not all."""

MOST_STEPS = 4_000_000
"""Most intervals times (tasks, or jobs times slots); larger instances are not looked at."""


@once
def crowded_ends(instance: Instance) -> float:
    """The work of the map phase before a crowded end, and of the reduce phase after the mirror."""
    maps, reduces = phases(instance)
    return max(_filled(maps, reduces), _filled(reduces, maps))


def _filled(front: PhaseLengths, back: PhaseLengths) -> float:
    """The least time (s) in which one phase's slots can do its work, given the other's room."""
    usable = front.usable
    if not usable:
        return 0.0
    number = np.minimum(np.bincount(front.job, minlength=front.jobs), usable)
    spans = least_span(back)
    uncrowded = _uncrowded(number, spans, back, usable)
    ends = np.unique(np.append(np.linspace(0, uncrowded, CELLS + 1), spans[spans < uncrowded]))[1:]
    steps = ends.size * max(front.jobs * usable, back.length.size)
    if not 0 < steps <= MOST_STEPS:
        return float(front.length.sum()) / usable
    # Busy slots do not get fewer within an interval, counted from the end.
    busy = np.append(_most_busy(number, spans, back, usable, ends), usable)
    starts = np.append(0.0, ends)
    done = np.append(0.0, np.cumsum(busy[:-1] * np.diff(starts)))
    work = float(front.length.sum())
    last = int(np.searchsorted(done, work, side="left")) - 1
    return float(starts[last] + (work - done[last]) / busy[last]) if last >= 0 else 0.0


def _uncrowded(number: IntArray, spans: FloatArray, back: PhaseLengths, usable: int) -> float:
    """A time (s) in which the tasks of enough jobs have room one after another."""
    order = np.argsort(spans, kind="stable")
    work = np.bincount(back.job, back.length, back.jobs)[order]
    # List scheduling ends by mean work and one more task.
    ends = np.cumsum(work) / max(back.slots, 1) + spans[order]
    enough = int(np.searchsorted(np.cumsum(number[order]), usable, side="left"))
    return float(ends[enough])


def _most_busy(
    number: IntArray, spans: FloatArray, back: PhaseLengths, usable: int, ends: FloatArray
) -> IntArray:
    """How many slots the jobs can keep busy whose tasks of the other phase fit, by time (s)."""
    most = np.full(ends.size, usable)
    fits = spans <= ends[:, None] * (1 + ROUNDING)
    for size in _sizes(back, ends):
        least: FloatArray = np.full((ends.size, usable + 1), np.inf)
        least[:, 0] = 0.0
        for i in np.flatnonzero(number).tolist():
            taken = np.full_like(least, np.inf)
            taken[:, number[i] :] = least[:, : usable + 1 - number[i]]
            taken[:, usable] = least[:, usable - number[i] :].min(axis=1)
            taken += np.where(fits[:, i], size[:, i], np.inf)[:, None]
            np.minimum(least, taken, out=least)
        room = least <= back.slots * (1 + ROUNDING)
        most = np.minimum(most, usable - np.argmax(room[:, ::-1], axis=1))
    return most


def _sizes(back: PhaseLengths, ends: FloatArray) -> Iterator[FloatArray]:
    """Shares of a slot's time that jobs take at least, in several ways, shapes (times, jobs)."""
    # Tasks that are longer than the time are left out by their spans.
    share = np.minimum(back.length / (ends[:, None] * (1 + ROUNDING)), 2.0)
    first = np.searchsorted(back.job, np.arange(back.jobs + 1))
    for units in (1, *UNITS):
        way = share if units == 1 else np.floor(units * share) / (units - 1)
        sums = np.pad(np.cumsum(way, axis=1), ((0, 0), (1, 0)))
        yield sums[:, first[1:]] - sums[:, first[:-1]]
