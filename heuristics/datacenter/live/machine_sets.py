"""Sets of machines by what they have free, by their scores, and by the shape of their room."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .machine import Machine
from .plan import Plan, Units, fits


def set_of(places: Sequence[int]) -> int:
    buffer = bytearray(max(places, default=0) // 8 + 1)
    for place in places:
        buffer[place >> 3] |= 1 << (place & 7)
    return int.from_bytes(buffer, "little")


def members(bits: int, at: Sequence[Machine | None]) -> Iterator[Machine]:
    """The machines in a set, the lowest place first."""
    while bits:
        bit = bits & -bits
        bits ^= bit
        machine = at[bit.bit_length() - 1]
        assert machine is not None
        yield machine


def lowest(bits: int, at: Sequence[Machine | None]) -> Machine:
    machine = at[(bits & -bits).bit_length() - 1]
    assert machine is not None
    return machine


class Levels:
    """For each resource and each of some amounts the machines with at least that much free."""

    def __init__(self, plan: Plan) -> None:
        self._steps = [
            _steps([row[r] for row in plan.request], max(row[r] for row in plan.capacity))
            for r in range(len(plan.resources))
        ]
        self._sets = [[0] * len(steps) for steps in self._steps]

    def flip(self, bits: int, like: Machine) -> None:
        """Put in, or take out, machines that are all `like` this one."""
        for steps, sets, amount in zip(self._steps, self._sets, like.seen, strict=True):
            for i in range(bisect_right(steps, amount)):
                sets[i] ^= bits

    def move(self, machine: Machine) -> None:
        """A machine is no longer as it was seen."""
        bit = 1 << machine.place
        for r, amount in enumerate(machine.seen):
            if amount != machine.free[r]:
                steps, sets = self._steps[r], self._sets[r]
                low, high = bisect_right(steps, amount), bisect_right(steps, machine.free[r])
                for i in range(min(low, high), max(low, high)):
                    sets[i] ^= bit

    def with_room(self, demand: Units, among: int) -> int:
        """Those of some machines that may have room: all that have it, and a few that have not."""
        for steps, sets, need in zip(self._steps, self._sets, demand, strict=True):
            at = bisect_right(steps, need)
            if at:
                among &= sets[at - 1]
        return among

    def with_plenty(self, demand: Units, among: int) -> int:
        """Those of some machines that have room by these amounts alone."""
        for steps, sets, need in zip(self._steps, self._sets, demand, strict=True):
            at = bisect_left(steps, need)
            among &= sets[at] if at < len(sets) else 0
        return among


def _steps(requests: list[int], most: int) -> list[int]:
    """Nothing, the amounts that occur in the plan, and between them steps of a sixth."""
    amounts = {need for need in requests if 0 < need <= most}
    if amounts:
        step = min(amounts) / 4
        while step < most:
            amounts.add(math.ceil(step))
            step *= 7 / 6
    return sorted({0, *amounts})


class Scores:
    """The machines by class and score: jobs of the class in the bin minus those that run."""

    def __init__(self, plan: Plan) -> None:
        self._sets: list[dict[int, int]] = [{} for _ in plan.classes]

    def flip(self, bits: int, like: Machine) -> None:
        for k in range(len(like.bin)):
            self._flip(k, like.bin[k] - like.before.get(k, like.runs[k]), bits)

    def move(self, machine: Machine) -> None:
        bit = 1 << machine.place
        for k, before in machine.before.items():
            if before != machine.runs[k]:
                self._flip(k, machine.bin[k] - before, bit)
                self._flip(k, machine.bin[k] - machine.runs[k], bit)

    def _flip(self, k: int, score: int, bits: int) -> None:
        sets = self._sets[k]
        left = sets.get(score, 0) ^ bits
        if left:
            sets[score] = left
        else:
            del sets[score]

    def highest(self, k: int, among: int) -> Iterator[int]:
        """Machines with the same score for class k, those with the highest first."""
        if not among:
            return
        for score in sorted(self._sets[k], reverse=True):
            machines = among & self._sets[k][score]
            if machines:
                yield machines

    def lacking(self, k: int) -> int:
        """The machines whose bin has more jobs of class k than they run."""
        bits = 0
        for score, machines in self._sets[k].items():
            if score > 0:
                bits |= machines
        return bits


@dataclass(eq=False)
class Shape:
    """Machines of one configuration that have the same free."""

    configuration: int
    free: Units
    share: float
    machines: int = 0


class Shapes:
    """All shapes.

    A shape stands in the cell of its free share; a cell has the shares that occur in order, and the
    set of its machines, so that a search skips cells without candidates.
    """

    CELLS = 128

    FEW = 24
    """So many candidates are looked at one by one."""

    def __init__(self, plan: Plan, at: Sequence[Machine | None]) -> None:
        self._plan, self._at = plan, at
        cells = self.CELLS * len(plan.resources) + 1
        self._last = cells - 1
        self._machines = [0] * cells
        self._shares: list[list[float]] = [[] for _ in range(cells)]
        self._with_share: dict[float, list[Shape]] = {}
        self._shapes: dict[tuple[int, Units], Shape] = {}

    def _cell(self, share: float) -> int:
        return min(max(int(share * self.CELLS), 0), self._last)

    def flip(self, bits: int, like: Machine) -> None:
        self._flip(bits, like.configuration, like.seen)

    def move(self, machine: Machine) -> None:
        if machine.seen != machine.free:
            bit = 1 << machine.place
            self._flip(bit, machine.configuration, machine.seen)
            self._flip(bit, machine.configuration, machine.free)

    def _flip(self, bits: int, configuration: int, free: Units) -> None:
        key = configuration, free
        shape = self._shapes.get(key)
        if shape is None:
            shape = self._shapes[key] = Shape(*key, self._plan.share_of(free))
            same = self._with_share.setdefault(shape.share, [])
            if not same:
                insort(self._shares[self._cell(shape.share)], shape.share)
            same.append(shape)
        shape.machines ^= bits
        cell = self._cell(shape.share)
        self._machines[cell] ^= bits
        if not shape.machines:
            del self._shapes[key]
            same = self._with_share[shape.share]
            same.remove(shape)
            if not same:
                del self._with_share[shape.share]
                shares = self._shares[cell]
                del shares[bisect_left(shares, shape.share)]

    def fullest(self, demand: Units, among: int) -> Iterator[tuple[Shape, int]]:
        """Shapes with room, by free share and lowest machine, and which of `among` are in them."""
        if among.bit_count() <= self.FEW:
            yield from self._one_by_one(demand, among)
            return
        for cell in range(self._cell(self._plan.share_of(demand)), self._last + 1):
            inside = among & self._machines[cell]
            if not inside:
                continue
            if inside.bit_count() <= self.FEW:
                yield from self._one_by_one(demand, inside)
                continue
            for share in self._shares[cell]:
                pairs = [
                    (shape, shape.machines & inside)
                    for shape in self._with_share[share]
                    if fits(demand, shape.free)
                ]
                if len(pairs) > 1:
                    pairs.sort(key=lambda pair: pair[1] & -pair[1])
                yield from (pair for pair in pairs if pair[1])

    def _one_by_one(self, demand: Units, among: int) -> Iterator[tuple[Shape, int]]:
        firsts: dict[int, tuple[float, int, Shape]] = {}
        left = among
        while left:  # from the highest place on: so `left` becomes short, and the lowest comes last
            place = left.bit_length() - 1
            left ^= 1 << place
            machine = self._at[place]
            assert machine is not None
            if fits(demand, machine.free):
                shape = self._shapes[machine.configuration, machine.free]
                firsts[id(shape)] = shape.share, place, shape
        for _, _, shape in sorted(firsts.values()):
            yield shape, shape.machines & among
