"""The machines and the sets of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from operator import attrgetter
from typing import TypeVar

from .machine import Machine
from .machine_sets import Levels, Scores, Shapes, members, set_of
from .plan import Plan, Units, fits

View = TypeVar("View", Levels, Scores, Shapes)


class Cluster:
    """All machines.

    Places of a configuration's machines are one after the other; `spare` leaves room for machines
    that join.
    """

    def __init__(self, plan: Plan, machines: Iterable[Machine], *, spare: bool = False) -> None:
        self.plan = plan
        self.at: list[Machine | None] = []
        self._next: list[int] = []
        self._end: list[int] = []
        self.open_of: list[int] = []
        self._sizes: list[Counter[Units]] = []
        in_order: list[Machine] = []
        of_configuration: list[list[Machine]] = [[] for _ in plan.configurations]
        for machine in machines:
            of_configuration[machine.configuration].append(machine)
        for own in of_configuration:
            own.sort(key=attrgetter("number"))
            in_order += own
            for machine in own:
                machine.place = len(self.at)
                self.at.append(machine)
            self._next.append(len(self.at))
            self.at += [None] * (max(16, len(own) // 4) if spare else 0)
            self._end.append(len(self.at))
            self.open_of.append(set_of([m.place for m in own if not m.draining]))
            self._sizes.append(Counter(m.capacity for m in own if not m.draining))
        self.by_name = {machine.name: machine for machine in in_order}
        self._lists: dict[int, list[Machine]] = {}
        self._groups = _groups(in_order)
        self._views: list[Levels | Scores | Shapes] = []
        self._levels = self._watched(Levels(plan))

    @cached_property
    def scores(self) -> Scores:
        """The machines by score. To be asked for before any machine changes, as `shapes`."""
        return self._watched(Scores(self.plan))

    @cached_property
    def shapes(self) -> Shapes:
        """The machines by what they have free."""
        return self._watched(Shapes(self.plan, self.at))

    def _watched(self, view: View) -> View:
        """Sets of all machines, kept up to date."""
        self._views.append(view)
        for bits, like in self._groups:
            view.flip(bits, like)
        return view

    def __iter__(self) -> Iterator[Machine]:
        return (machine for machine in self.at if machine is not None)

    def open_in(self, allowed: Sequence[bool]) -> int:
        """The machines of these configurations that may start jobs."""
        bits = 0
        for of_configuration, able in zip(self.open_of, allowed, strict=True):
            if able:
                bits |= of_configuration
        return bits

    def open_list(self, j: int, demand: Units) -> list[Machine]:
        """The same of one configuration, one by one, that could hold so much if empty."""
        if j not in self._lists:
            self._lists[j] = list(members(self.open_of[j], self.at))
        if all(fits(demand, capacity) for capacity in self._sizes[j]):
            return self._lists[j]
        return [machine for machine in self._lists[j] if fits(demand, machine.capacity)]

    def candidates(self, demand: Units, allowed: Sequence[bool]) -> int:
        """Machines of these configurations: all that may start such a job, a few without room."""
        return self._levels.with_room(demand, self.open_in(allowed))

    def with_room(self, demand: Units, allowed: Sequence[bool]) -> list[Machine]:
        """The machines of these configurations that may start such a job."""
        bits = self.candidates(demand, allowed)
        return [machine for machine in members(bits, self.at) if fits(demand, machine.free)]

    def count_with_room(self, demand: Units, allowed: Sequence[bool]) -> int:
        bits = self.candidates(demand, allowed)
        sure = self._levels.with_plenty(demand, bits)
        others = members(bits ^ sure, self.at)
        return sure.bit_count() + sum(fits(demand, machine.free) for machine in others)

    def holds(self, demand: Units, allowed: Sequence[bool]) -> bool:
        """Whether a machine of these configurations, not draining, could hold so much if empty."""
        return any(
            able and any(fits(demand, capacity) for capacity in sizes)
            for sizes, able in zip(self._sizes, allowed, strict=True)
        )

    def changed(self, machine: Machine) -> None:
        """Jobs of the machine have started or ended."""
        for view in self._views:
            view.move(machine)
        machine.seen = machine.free
        machine.before.clear()

    def set_open(self, machine: Machine) -> None:
        """The machine drains, or no longer."""
        bit = 1 << machine.place
        self.open_of[machine.configuration] &= ~bit
        self._lists.pop(machine.configuration, None)
        if not machine.draining:
            self.open_of[machine.configuration] |= bit

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
        for machine in self:
            if machine.configuration == j and machine.bin_number is not None:
                left[machine.bin_number] -= 1
        return min(+left, default=None)

    def join(self, machine: Machine) -> bool:
        """Whether there was a place left for it."""
        j = machine.configuration
        if self._next[j] == self._end[j]:
            return False
        machine.place = self._next[j]
        self._next[j] += 1
        self.at[machine.place] = machine
        self.by_name[machine.name] = machine
        machine.seen = machine.free
        for view in self._views:
            view.flip(1 << machine.place, machine)
        self.set_open(machine)
        return True

    def leave(self, machine: Machine) -> None:
        """Take a machine out that drains."""
        for view in self._views:
            view.flip(1 << machine.place, machine)
        self.at[machine.place] = None
        del self.by_name[machine.name]


def _groups(machines: list[Machine]) -> list[tuple[int, Machine]]:
    """Sets of machines that are alike for every view, with one of each."""
    places: dict[object, tuple[Machine, list[int]]] = {}
    for machine in machines:
        machine.seen = machine.free
        machine.before.clear()
        key = machine.configuration, machine.free, machine.bin, tuple(machine.runs)
        places.setdefault(key, (machine, []))[1].append(machine.place)
    return [(set_of(group), like) for like, group in places.values()]
