"""What becomes of the worth of machines that no running job uses: open room and spoilt room."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....core.arrays import BoolArray, FloatArray, IntArray
from ....core.kernels.decorators import kernel
from ....instances.datacenter.datacenter import Datacenter
from ....instances.datacenter.guidance import Guidance
from ..engine.columns import JOB_CLASS, MACHINE, SPARE
from ..engine.state import System
from .recipe import Recipe
from .tables import tables_of, worths_of_machines


class Room(NamedTuple):
    """Unused worth of each machine number, as rates of arrival."""

    open: FloatArray
    """What the most valuable jobs that fit what is free would bring, shape (P,)."""
    spoilt: FloatArray
    """What a machine brings at most, less `open`, less what its jobs bring, shape (P,). Negative
    only if jobs need less than their class."""


class RoomGauge:
    """Measures the room of a datacenter at the prices of a plan.

    `datacenter`: machines and classes.
    `guidance`: a plan for it, with prices.
    `exact`: whether the worth of room is: with three resources and more, and on grids that are
    coarser than the requests, it is an upper bound.
    """

    def __init__(self, datacenter: Datacenter, guidance: Guidance) -> None:
        assert guidance.class_prices is not None
        value = guidance.class_prices.value
        self._tables, recipe = tables_of(datacenter, value)
        self._rate = value[:, None] * datacenter.rate
        self._bound = guidance.arrival_rate_bound
        self.exact = _is_exact(recipe, datacenter, self._rate)
        places = np.arange(len(datacenter.count))
        capacity = np.ascontiguousarray(datacenter.capacity_units)
        self._full = self._worth_of(capacity, places)
        # The bound is what all machines bring at most; upper bounds of that exceed it.
        self._excess = 0.0 if self.exact else float(datacenter.count @ self._full) - self._bound

    def of_machines(self, system: System) -> Room:
        """Unused worth of each machine now."""
        open_room = self._worth_of(system.free, system.configuration)
        used = np.zeros(len(system.free))
        taken = np.ones(len(system.info), dtype=bool)
        taken[system.spare[: system.tally[SPARE]]] = False
        _use(system.info, taken, self._rate, system.configuration, used)
        full = np.where(system.free[:, 0] >= 0, self._full[system.configuration], 0.0)
        return Room(open_room, full - open_room - used)

    def _worth_of(self, free: IntArray, configuration: IntArray) -> FloatArray:
        worths = np.zeros(len(free), dtype=np.int64)
        worths_of_machines(self._tables, free, configuration, worths)
        priced: FloatArray = worths.astype(float) * self._tables.unit
        return priced

    def measure(self, system: System) -> tuple[float, float]:
        """Open and spoilt room of all machines now, as parts of the plan's bound.

        Where the worth of room is an upper bound, so is open room, and spoilt room is a lower one.
        """
        room = self.of_machines(system)
        spoilt = float(room.spoilt.sum()) - self._excess
        return float(room.open.sum()) / self._bound, spoilt / self._bound


def _is_exact(recipe: Recipe, datacenter: Datacenter, rate: FloatArray) -> bool:
    """Whether every request that counts is at a cell of the one grid, or line."""
    for j, group in enumerate(recipe.group):
        table, *others = recipe.tables[group]
        needs = datacenter.request_units[rate[:, j] > 0]
        # A line has its resource twice; the first step is the one that matters.
        steps = dict(zip(reversed(table.resources), reversed(table.step), strict=True))
        if others or any((needs[:, r] % step).any() for r, step in steps.items()):
            return False
    return True


@kernel
def _use(
    info: IntArray, taken: BoolArray, rate: FloatArray, configuration: IntArray, used: FloatArray
) -> None:
    """Add what running jobs bring on each machine; `taken` slots have a job."""
    for slot in range(len(info)):
        m = info[slot, MACHINE]
        if taken[slot] and m >= 0:
            used[m] += rate[info[slot, JOB_CLASS], configuration[m]]
