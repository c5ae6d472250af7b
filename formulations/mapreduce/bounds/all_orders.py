"""A lower bound from the orders in which all map phases could end.

`docs/formulations/bounds.md` proves it. When the map phase of a job ends, the map tasks of all jobs
up to it are done, and the reduce tasks of this job and of all later ones are to come: whole tasks,
on as many slots as there are. Besides, each map slot waits for the reduce phase of the job that
ends it, and each reduce slot for a map phase.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ....core.arrays import BoolArray, FloatArray, IntArray
from ....core.once import once
from ....instances.mapreduce.instance import Instance
from .closed_form import heads_and_tails, pigeonhole
from .crowded_ends import crowded_ends
from .job_orders import MOST_PACKED
from .packing import packed_span
from .parallel_machines import least_makespan
from .phase_lengths import PhaseLengths, least_span, phases
from .read_locality import ROUNDING
from .reads_within_horizon import least_reads

MOST_JOBS = 12
"""With more jobs there are too many sets of them."""

MOST_WORK = 20_000_000
"""Most sets times tasks times tasks of a slot; larger instances are not looked at."""

MOST_SEARCHED = 12
"""The tasks of a set are put on slots by search if they are no more than this."""

MOST_SHARPER = 40
"""So often an order that seems possible is looked at more closely."""

GAIN, MOST_HORIZONS = 2e-4, 16
"""Relative: less than this is not looked for; so many horizons are tried at most."""


@once
def orders_of_all_jobs(instance: Instance) -> float:
    """The longest horizon found in which all map phases have no order to end."""
    low = max(bound(instance) for bound in (heads_and_tails, pigeonhole, crowded_ends))
    if not _is_small(instance):
        return low
    return longest_excluded(low, AllOrders(instance).exclude)


def longest_excluded(low: float, exclude: Callable[[float], bool]) -> float:
    """The longest horizon found that has no schedule, by steps that grow, then by bisection.

    `low`: no schedule is shorter (s).
    `exclude`: whether a horizon (s) has no schedule.
    """
    step, high = 2 * GAIN, np.inf
    for _ in range(MOST_HORIZONS):
        horizon = min(low * (1 + step), (low + high) / 2)
        if horizon < low * (1 + GAIN) or not exclude(horizon):
            high = horizon
        else:
            low, step = horizon, 3 * step
        if not low * (1 + 2 * GAIN) < high:
            break
    return float(low)


def _is_small(instance: Instance) -> bool:
    if instance.jobs > MOST_JOBS or not (instance.map_tasks and instance.reduce_tasks):
        return False
    sets = 1 << instance.jobs
    work = (
        phase.length.size * (1 + phase.length.size // phase.slots) for phase in phases(instance)
    )
    return sets * sum(work) <= MOST_WORK


class AllOrders:
    """Looks for an order of all jobs that a horizon leaves possible; sets of jobs are bits."""

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        self.sets = np.arange(1 << instance.jobs)
        self.members = (self.sets[:, None] >> np.arange(instance.jobs) & 1).astype(bool)
        self.size = self.members.sum(axis=1)
        self.maps, self.reduces = phases(instance)
        self.map_spans = _Spans(self.maps, self.members)
        self.heads = least_span(self.maps) + instance.released
        self.tails = least_span(self.reduces)

    def exclude(self, horizon: float) -> bool:
        """Whether no schedule is within a horizon (s), as far as was looked."""
        reduces: PhaseLengths | None = self.reduces
        if self.instance.security is None:
            reads = least_reads(self.instance)
            reduces = reads.longer(self.heads, horizon - self.tails, horizon)
        if reduces is None:
            return True
        orders = _Orders(self, reduces, horizon * (1 + ROUNDING))
        return any(orders.exclude(mirrored) for mirrored in (False, True))


class _Orders:
    """The orders of all jobs within a horizon.

    `reduces`: the reduce phase with what its tasks read within the horizon.
    """

    def __init__(self, jobs: AllOrders, reduces: PhaseLengths, horizon: float) -> None:
        self.jobs, self.reduces, self.horizon = jobs, reduces, horizon
        self.reduce_spans = _Spans(reduces, jobs.members)
        self.tails = least_span(reduces)

    def exclude(self, mirrored: bool) -> bool:
        """Whether no order leaves room.

        `mirrored`: reduce slots wait at the start, rather than map slots at the end.
        """
        for _ in range(MOST_SHARPER):
            order = self._possible(mirrored)
            if order is None:
                return True
            if not self._sharpen(order):
                return False
        return False

    def _possible(self, mirrored: bool) -> IntArray | None:
        """Of each set of jobs that may end last, the first of them; None if no order is possible.

        Sets grow from the job that ends last; of the orders of a set the one counts after which the
        slots have waited least.
        """
        jobs, everything = self.jobs, len(self.jobs.sets) - 1
        phase = self.reduces if mirrored else jobs.maps
        number = np.bincount(phase.job, minlength=phase.jobs)
        counted = np.minimum(jobs.members @ number, phase.usable)
        room = phase.usable * self.horizon - float(phase.length.sum())
        waited: FloatArray = np.full(everything + 1, np.inf)
        waited[0] = 0.0
        first = np.full(everything + 1, -1)
        for k in range(phase.jobs):
            of_size = jobs.sets[(jobs.size == k) & np.isfinite(waited)]
            for i in range(phase.jobs):
                before = of_size[~jobs.members[of_size, i]]
                after = before | 1 << i
                earlier = everything & ~before
                head = np.maximum(jobs.map_spans.least[earlier], jobs.heads[i])
                tail = np.maximum(self.reduce_spans.least[after], self.tails[i])
                slots = counted[after] - counted[before]
                if mirrored:
                    slots = counted[earlier] - counted[everything & ~after]
                total = waited[before] + slots * (head if mirrored else tail)
                # Slots that end earlier wait as long as these at least.
                more = 0.0 if mirrored else (phase.usable - counted[after]) * tail
                better = (head + tail <= self.horizon) & (total + more <= room)
                better &= total < waited[after]
                waited[after[better]], first[after[better]] = total[better], i
        return first if np.isfinite(waited[everything]) else None

    def _sharpen(self, first: IntArray) -> bool:
        """Look more closely at the sets of the order found; whether one of them takes longer."""
        last, everything, longer = len(first) - 1, len(first) - 1, False
        while last:
            longer |= self.reduce_spans.sharpen(last)
            last &= ~(1 << int(first[last]))
            longer |= self.jobs.map_spans.sharpen(everything & ~last)
        return longer


class _Spans:
    """How long a phase of some jobs alone takes at least, for every set of them.

    `members`: which jobs are in each set, shape (sets, jobs).
    """

    def __init__(self, phase: PhaseLengths, members: BoolArray) -> None:
        self.slots = phase.slots
        falling = np.argsort(-phase.length, kind="stable")
        self.length = phase.length[falling]
        self.chosen = members[:, phase.job[falling]]
        self.least: FloatArray = self.chosen @ self.length / max(phase.slots, 1)
        self.known = np.zeros(len(members), dtype=bool)
        rank = np.cumsum(self.chosen, axis=1)
        for turns in range((self.length.size - 1) // max(phase.slots, 1) + 1):
            # Of so many tasks one slot runs one more than turns.
            last = turns * phase.slots + 1
            shared = self.chosen & (rank >= last - turns) & (rank <= last)
            enough = rank[:, -1] >= last
            self.least = np.maximum(self.least, np.where(enough, shared @ self.length, 0.0))

    def sharpen(self, some: int) -> bool:
        """Whether search, or whole units, show that a set takes longer than known."""
        if self.known[some]:
            return False
        self.known[some] = True
        lengths = self.length[self.chosen[some]]
        span = 0.0
        if lengths.size <= MOST_SEARCHED:
            span = least_makespan(lengths.tolist(), self.slots)
        elif lengths.size <= MOST_PACKED:
            span = packed_span(lengths, self.slots)
        longer = span > self.least[some] * (1 + ROUNDING)
        self.least[some] = max(self.least[some], span)
        return bool(longer)
