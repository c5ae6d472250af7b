"""Sets of machines by what they have free, and by their scores."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from .machine import Machine
from .plan import Plan, Units


def set_of(places: Sequence[int]) -> int:
    """The set of the machines at some places."""
    buffer = bytearray(max(places) // 8 + 1)
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


def _steps(requests: list[int], most: int) -> list[int]:
    """The amounts that occur in the plan, and between them steps of a sixth."""
    amounts = {need for need in requests if 0 < need <= most}
    if amounts:
        step = min(amounts) / 4
        while step < most:
            amounts.add(math.ceil(step))
            step *= 7 / 6
    return sorted(amounts)


class Scores:
    """The machines by class and score: jobs of the class in the bin minus those that run."""

    def __init__(self, plan: Plan) -> None:
        self._sets: list[dict[int, int]] = [{} for _ in plan.classes]

    def flip(self, bits: int, like: Machine) -> None:
        """As in `Levels`."""
        for k in range(len(like.bin)):
            self._flip(k, like.bin[k] - like.before.get(k, like.runs[k]), bits)

    def move(self, machine: Machine) -> None:
        """As in `Levels`."""
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

    def highest(self, k: int, among: int) -> Iterator[tuple[int, int]]:
        """Scores for class k, the highest first, and which of the machines have it."""
        for score in sorted(self._sets[k], reverse=True):
            machines = among & self._sets[k][score]
            if machines:
                yield score, machines

    def lacking(self, k: int) -> int:
        """The machines whose bin has more jobs of class k than they run."""
        bits = 0
        for score, machines in self._sets[k].items():
            if score > 0:
                bits |= machines
        return bits
