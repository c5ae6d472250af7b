"""The machines as arrays: what they have free, and what their bins lack."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from ....core.arrays import BoolArray, IntArray
from .machine import Machine
from .plan import Plan, Units, fits

MOST = 1 << 62
"""More units count as so many in the arrays."""


def _row(amounts: Units) -> list[int]:
    return [min(amount, MOST) for amount in amounts]


class Cluster:
    """All machines, in order of their configurations and numbers; a row of each array for each.

    `free` (P, R): units, at most `MOST`. `share` (P,): what is free in parts of the largest
    machine. `kind` (P,): configuration. `more` (P, K): jobs of the class in the bin minus those
    that run.
    """

    def __init__(self, plan: Plan, machines: Iterable[Machine]) -> None:
        self.plan = plan
        self._sizes: list[Counter[Units]] = [Counter() for _ in plan.configurations]
        self._set(machines)
        for machine in self.at:
            if not machine.draining:
                self._sizes[machine.configuration][machine.capacity] += 1

    def _set(self, machines: Iterable[Machine]) -> None:
        self.at = sorted(machines, key=lambda m: (m.configuration, m.number))
        self.by_name = {machine.name: machine for machine in self.at}
        count, resources = len(self.at), len(self.plan.resources)
        self._capacity = np.array([_row(m.capacity) for m in self.at], dtype=np.int64)
        self._capacity = self._capacity.reshape(count, resources)
        self.kind = np.array([m.configuration for m in self.at], dtype=np.int64)
        self._open = np.array([not m.draining for m in self.at], dtype=bool)
        self.free = np.zeros((count, resources), dtype=np.int64)
        self.share = np.zeros(count)
        self.more = np.zeros((count, len(self.plan.classes)), dtype=np.int64)
        for place, machine in enumerate(self.at):
            machine.place = place
            self.changed(machine)

    def __iter__(self) -> Iterator[Machine]:
        return iter(self.at)

    def changed(self, machine: Machine) -> None:
        """Jobs of the machine have started or ended, or it drains, or no longer."""
        place = machine.place
        self.free[place] = _row(machine.free)
        self.share[place] = self.plan.share_of(machine.free)
        self.more[place] = [n - runs for n, runs in zip(machine.bin, machine.runs, strict=True)]
        self._open[place] = not machine.draining

    def places(self, demand: Units, allowed: Sequence[bool]) -> IntArray:
        """Places of the machines of these configurations that have room and may start a job."""
        return self._holding(self.free, demand, allowed)

    def places_if_empty(self, demand: Units, allowed: Sequence[bool]) -> IntArray:
        """Places of those that would have room if they were empty."""
        return self._holding(self._capacity, demand, allowed)

    def _holding(self, amounts: IntArray, demand: Units, allowed: Sequence[bool]) -> IntArray:
        able: BoolArray = (amounts >= _row(demand)).all(axis=1) & self._open
        found = np.flatnonzero(able & np.asarray(allowed, dtype=bool)[self.kind])
        if max(demand) >= MOST:
            exact = [fits(demand, self.at[place].free) for place in found.tolist()]
            found = found[np.array(exact, dtype=bool)]
        return found

    def with_room(self, demand: Units, allowed: Sequence[bool]) -> list[Machine]:
        """The machines of these configurations that may start such a job."""
        return [self.at[place] for place in self.places(demand, allowed).tolist()]

    def holds(self, demand: Units, allowed: Sequence[bool]) -> bool:
        """Whether a machine of these configurations, not draining, could hold so much if empty."""
        return any(
            able and any(fits(demand, capacity) for capacity in sizes)
            for sizes, able in zip(self._sizes, allowed, strict=True)
        )

    def count_size(self, machine: Machine, change: int) -> bool:
        """A machine more or less that is not draining; whether that changes what jobs fit."""
        sizes = self._sizes[machine.configuration]
        sizes[machine.capacity] += change
        if sizes[machine.capacity]:
            return change > 0 and sizes[machine.capacity] == 1
        del sizes[machine.capacity]
        return True

    def vacant_bin(self, j: int) -> int | None:
        """The first of the plan's bins that fewer machines of configuration j have than should."""
        left = Counter(self.plan.bins_of[j])
        for machine in self.at:
            if machine.configuration == j and machine.bin_number is not None:
                left[machine.bin_number] -= 1
        return min(+left, default=None)

    def join(self, machine: Machine) -> None:
        self._set([*self.at, machine])

    def leave(self, machine: Machine) -> None:
        """Take a machine out that drains."""
        self._set(other for other in self.at if other is not machine)
