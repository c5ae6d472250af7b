"""A lower bound from windows for the ends of map phases; `docs/formulations/bounds.md` proves it.

In a schedule within a horizon the map phases of the critical jobs end in some order, each in a
window of time. The windows say how early the map tasks of all jobs have to be done, how late the
reduce tasks start, and what these read. If no order has room for whole tasks, nor for the halves of
its windows, no schedule is that short.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....core.arrays import FloatArray
from ....core.errors import InputError
from ....instances.mapreduce.instance import Instance
from .all_orders import GAIN, longest_excluded, orders_of_all_jobs
from .closed_form import johnson
from .job_orders import MOST_PACKED, CriticalJobs, critical_jobs, orders_of_critical_jobs
from .last_jobs import last_jobs
from .packing import may_fit
from .phase_lengths import PhaseLengths, least_span, phases
from .reads_within_horizon import least_reads, reads_within_horizon
from .waits import fullest_slot, mean_slot, two_sided

MOST_LOOKS, MOST_WORK = 800, 400_000
"""So many windows are looked at, and so many tasks in them, at most."""

HALVES = 16
"""So many windows of one order."""

CELLS = 1024
"""Reads are worked out for so many different ends of map phases in a horizon."""

SIMPLER = orders_of_critical_jobs, orders_of_all_jobs, reads_within_horizon, johnson, last_jobs
"""Horizons below the greatest of these bounds are not looked at."""

PASSES = 3
"""Windows are narrowed so often by the reads that they imply."""


def windows_of_map_phases(instance: Instance) -> float:
    """The longest horizon found in which the critical jobs' map phases have no order to end."""
    low = max(bound(instance) for bound in SIMPLER)
    if not (low > 0 and instance.map_tasks and instance.reduce_tasks):
        return low
    windows = Orders(instance, low / CELLS)
    return longest_excluded(low, windows.exclude)


class _Windows(NamedTuple):
    """When the map phases end, at the earliest and at the latest (s), shapes (jobs,)."""

    ready: FloatArray
    until: FloatArray


class Orders:
    """Looks for an order of the critical jobs that a horizon leaves possible.

    `cell`: reads are worked out for ends of map phases that are multiples of this (s).
    Raises `InputError` for an instance with security: its reads are others.
    """

    def __init__(self, instance: Instance, cell: float) -> None:
        if instance.security is not None:
            raise InputError(f"{instance.name}: windows of map phases do not understand security")
        self.cell = cell
        self.maps, self.reduces = phases(instance)
        self.critical: CriticalJobs = critical_jobs(instance)
        self.reads = least_reads(instance)
        self.heads = least_span(self.maps) + instance.released
        self.tails = least_span(self.reduces)
        self.horizon = 0.0
        tasks = self.maps.length.size + self.reduces.length.size
        self.left = min(MOST_LOOKS, MOST_WORK // tasks)

    def exclude(self, horizon: float) -> bool:
        """Whether no schedule is within a horizon (s), as far as was looked."""
        self.horizon = horizon
        return self._exclude_after([], 0)

    def _exclude_after(self, order: list[int], done: int) -> bool:
        """Whether no order that begins with these critical jobs is possible.

        `order`: their places among the critical jobs.
        `done`: the same as a set of bits.
        """
        critical = self.critical
        if len(order) == len(critical.jobs):
            return self._exclude_windows(order)
        everything = (1 << len(critical.jobs)) - 1
        for k in range(len(critical.jobs)):
            some = done | 1 << k
            if (
                some == done
                or critical.head[some] + critical.tail[everything & ~done] > self.horizon
                or critical.end[k].after(critical.head[some]) > self.horizon
            ):
                continue
            if not self._exclude_after([*order, k], some):
                return False
        return True

    def _exclude_windows(self, order: list[int]) -> bool:
        """Whether neither the windows of an order nor their halves leave room for all tasks."""
        jobs = [self.critical.jobs[k] for k in order]
        stack = [self._first(order)]
        for _ in range(min(HALVES, self.left)):
            if not stack:
                return True
            self.left -= 1
            windows = self._narrowed(jobs, stack.pop())
            if windows is None:
                continue
            ready, until = windows
            width = (until - ready)[jobs]
            widest = int(np.argmax(width))
            i = jobs[widest]
            if not width[widest] > GAIN * self.horizon:
                return False
            middle = (ready[i] + until[i]) / 2
            early, late = until.copy(), ready.copy()
            early[i] = late[i] = middle
            stack += [_Windows(ready, early), _Windows(late, until)]
        return not stack

    def _first(self, order: list[int]) -> _Windows:
        ready, until = self.heads.copy(), self.horizon - self.tails
        done, everything = 0, (1 << len(order)) - 1
        for k in order:
            i = self.critical.jobs[k]
            until[i] = min(until[i], self.horizon - self.critical.tail[everything & ~done])
            done |= 1 << k
            ready[i] = max(ready[i], self.critical.head[done])
        return _Windows(ready, until)

    def _narrowed(self, jobs: list[int], windows: _Windows) -> _Windows | None:
        """The windows of jobs in order, less what reads exclude; None if nothing is left."""
        ready, until, reduces = windows.ready.copy(), windows.until.copy(), self.reduces
        for _ in range(PASSES):
            ready[jobs] = np.maximum.accumulate(ready[jobs])
            until[jobs] = np.minimum.accumulate(until[jobs][::-1])[::-1]
            if np.any(ready > until):
                return None
            cells = np.ceil(until / self.cell) * self.cell
            longer = self.reads.longer(ready, cells, self.horizon)
            if longer is None:
                return None
            reduces, before = longer, until.copy()
            until = np.minimum(until, self.horizon - least_span(reduces))
            for i, end in zip(self.critical.jobs, self.critical.end, strict=True):
                until[i] = min(until[i], self.horizon - end.tail_by(until[i]))
            work = np.bincount(reduces.job, reduces.length, reduces.jobs)[jobs]
            later = np.cumsum(work[::-1])[::-1] / reduces.slots
            until[jobs] = np.minimum(until[jobs], self.horizon - later)
            if np.all(until > before - GAIN * self.horizon):
                break
        if np.any(ready > until) or not self._have_room(jobs, reduces, ready, until):
            return None
        return _Windows(ready, until)

    def _have_room(
        self, jobs: list[int], reduces: PhaseLengths, ready: FloatArray, until: FloatArray
    ) -> bool:
        """Whether whole tasks of both phases may fit between the windows and the horizon's ends."""
        horizon = self.horizon
        sides = mean_slot, fullest_slot
        if two_sided(self.maps, reduces, ready, horizon - until, *sides) > horizon:
            return False
        for phase, wait in ((reduces, ready), (self.maps, horizon - until)):
            of_task = wait[phase.job]
            if np.any(of_task + phase.length > horizon):
                return False
            for after in {0.0, *wait[jobs].tolist()}:
                lengths = phase.length[of_task >= after]
                if 0 < lengths.size <= MOST_PACKED and not may_fit(
                    np.sort(lengths), phase.slots, horizon - after
                ):
                    return False
        return True
