"""The most valuable pattern of whole tasks on each slot, by dynamic programming over time.

Time is cut into equal cells. Rounding favours the pattern: what the tasks of a kind take together
is rounded down, due dates are rounded up, and kinds of which many tasks fit on the slot may be
split and are without number. So the values are upper bounds.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....core.arrays import FloatArray, IntArray
from ....core.kernels.decorators import inner, kernel
from ....formulations.mapreduce.unrelated_machines.model import phases
from ....instances.mapreduce.instance import Instance
from ....instances.mapreduce.setups import best_map_setups, best_reduce_setups

FEW = 48
"""Up to so many tasks of a kind on a slot are counted as whole ones."""

EDGE = 1e-9
"""Part of a cell by which rounding errors of floating point may favour the pattern."""


class Slot(NamedTuple):
    """What the kinds of tasks come to on one slot."""

    seconds: FloatArray
    price: FloatArray
    due: FloatArray
    number: IntArray
    """As in `Patterns`, of one slot; each of shape (kinds,)."""
    cell: float
    """Time of a cell (s)."""


class Patterns:
    """The best patterns of the slots for ever new prices and due dates.

    `seconds`: time of one task of each kind on each slot (s), shape (kinds, slots), positive.
    `number`: number of tasks of each kind, shape (kinds,).
    `cells`: number of cells into which the horizon is cut.
    """

    def __init__(self, seconds: FloatArray, number: IntArray, cells: int) -> None:
        kinds, slots = seconds.shape
        self.seconds, self.number, self.cells = np.ascontiguousarray(seconds.T), number, cells
        self.rows = np.zeros((kinds + 1, cells + 1))
        self.chosen = np.zeros(kinds, dtype=np.int64)
        self.values, self.counts = np.zeros(slots), np.zeros((slots, kinds))

    def best(
        self, price: FloatArray, due: FloatArray, horizon: float
    ) -> tuple[FloatArray, FloatArray]:
        """Find the best pattern of each slot.

        `price`: value of a task of each kind, shape (kinds,), not negative.
        `due`: when the tasks of each kind must be done (s), shape (kinds,), at most the horizon.
        `horizon`: the horizon (s), positive.
        Returns upper bounds on the value of a pattern on each slot, shape (slots,), and the numbers
        of tasks of each kind in the patterns found, shape (slots, kinds).
        """
        _best_patterns(
            np.argsort(due, kind="stable"),
            self.seconds,
            price,
            due,
            self.number,
            horizon / self.cells,
            self.rows,
            self.chosen,
            self.values,
            self.counts,
        )
        return self.values, self.counts


@kernel
def _best_patterns(
    order: IntArray,
    seconds: FloatArray,
    price: FloatArray,
    due: FloatArray,
    number: IntArray,
    cell: float,
    rows: FloatArray,
    chosen: IntArray,
    values: FloatArray,
    counts: FloatArray,
) -> None:
    """Fill `values` and `counts`; see `Patterns.best`. `order` has the kinds by due date."""
    for k in range(len(seconds)):
        slot = Slot(seconds[k], price, due, number, cell)
        some = _choose(order, slot, rows.shape[1] - 1, chosen)
        values[k] = _fill(slot, rows, chosen[:some])
        counts[k, :] = 0.0
        _trace(slot, rows, chosen[:some], counts[k])


@inner
def _last_cell(due: float, cell: float, cells: int) -> int:
    """The number of cells until a due date, rounded up."""
    return min(cells, int(np.ceil(due / cell + EDGE)))


@inner
def _most(seconds: float, number: int, last: int, cell: float) -> int:
    """How many tasks of a kind may be on the slot."""
    fit = (last + 1) * cell / seconds
    return number if fit >= number else int(fit)


@inner
def _choose(order: IntArray, slot: Slot, cells: int, chosen: IntArray) -> int:
    """Choose the kinds that can be in a best pattern, by due date; return how many there are.

    A kind is left out if another with no earlier due date may take its place in any pattern: one
    that may be split and is worth no less per second, or one that is not short of tasks.
    """
    seconds, price, due, number, cell = slot
    split, some = 0.0, 0
    for i in range(len(order) - 1, -1, -1):
        k = order[i]
        last = _last_cell(due[k], cell, cells)
        most = _most(seconds[k], number[k], last, cell) if due[k] > 0.0 else 0
        if price[k] <= 0.0 or most == 0 or price[k] / seconds[k] <= split:
            continue
        if most > FEW:
            split = price[k] / seconds[k]
        elif _replaced(order, i, slot, cells):
            continue
        chosen[len(chosen) - 1 - some] = k
        some += 1
    first = len(chosen) - some
    for i in range(some):
        chosen[i] = chosen[first + i]
    return some


@inner
def _replaced(order: IntArray, i: int, slot: Slot, cells: int) -> bool:
    """Whether a later kind serves as well: some of its tasks fit where one of this kind is."""
    seconds, price, number, k = slot.seconds, slot.price, slot.number, order[i]
    for j in range(i + 1, len(order)):
        other = order[j]
        if seconds[other] > seconds[k] or number[other] * seconds[other] < (cells + 1) * slot.cell:
            continue
        if np.floor(seconds[k] / seconds[other]) * price[other] >= price[k]:
            return True
    return False


@inner
def _raise(row: FloatArray, before: FloatArray, shift: int, last: int, worth: float) -> None:
    for t in range(last + 1 - shift):
        value, other = before[t] + worth, row[t + shift]
        row[t + shift] = value if value > other else other


@inner
def _fill(slot: Slot, rows: FloatArray, chosen: IntArray) -> float:
    """Row u has the best value by each time with the first u of the chosen kinds; the last one."""
    seconds, price, due, number, cell = slot
    cells = rows.shape[1] - 1
    rows[0, :] = 0.0
    for u in range(len(chosen)):
        k = chosen[u]
        before, row = rows[u], rows[u + 1]
        last = _last_cell(due[k], cell, cells)
        most = _most(seconds[k], number[k], last, cell)
        for t in range(cells + 1):
            row[t] = before[t]
        if most > FEW:
            worth = price[k] * cell / seconds[k]
            for t in range(1, last + 1):
                value = row[t - 1] + worth
                row[t] = value if value > row[t] else row[t]
        else:
            for n in range(1, most + 1):
                shift = max(0, int(np.floor(n * seconds[k] / cell - EDGE)))
                _raise(row, before, shift, last, n * price[k])
        # Idle time after the due date is allowed.
        for t in range(last + 1, cells + 1):
            row[t] = row[last]
    return float(rows[len(chosen), cells])


@inner
def _trace(slot: Slot, rows: FloatArray, chosen: IntArray, count: FloatArray) -> None:
    """Read the best pattern off the rows, from the last kind to the first."""
    seconds, price, due, number, cell = slot
    t = rows.shape[1] - 1
    for u in range(len(chosen) - 1, -1, -1):
        k = chosen[u]
        before = rows[u]
        last = _last_cell(due[k], cell, rows.shape[1] - 1)
        t = min(t, last)
        most = _most(seconds[k], number[k], last, cell)
        best, back = before[t], 0
        if most > FEW:
            for shift in range(1, t + 1):
                value = before[t - shift] + shift * price[k] * cell / seconds[k]
                if value > best * (1.0 + EDGE):
                    best, back = value, shift
            count[k] = back * cell / seconds[k]
        else:
            for n in range(1, most + 1):
                shift = max(0, int(np.floor(n * seconds[k] / cell - EDGE)))
                if shift <= t and before[t - shift] + n * price[k] > best:
                    best, back = before[t - shift] + n * price[k], shift
                    count[k] = n
        t -= back


MOST_KINDS = 1000
"""Most kinds of tasks in a phase; with more, prices are not looked for."""


class Kinds(NamedTuple):
    """The kinds of tasks of one phase; tasks that take no time on some slot are left out."""

    job: IntArray
    """Job of each kind, shape (kinds,)."""
    number: IntArray
    """Number of tasks of each kind, shape (kinds,)."""
    seconds: FloatArray
    """Least time of one task on each slot (s), its setup included, shape (kinds, slots)."""


def kinds_of(instance: Instance) -> tuple[Kinds, Kinds] | None:
    """Sort the tasks of both phases into kinds of equal job, processing time and least setup.

    None if there are more than `MOST_KINDS` in a phase.
    """
    setups = best_map_setups(instance), best_reduce_setups(instance)[instance.reduce_job]
    maps = _kinds(instance.map_job, instance.map_processing, setups[0], instance.phases.map.factors)
    factors = instance.phases.reduce.factors
    reduces = _kinds(instance.reduce_job, instance.reduce_processing, setups[1], factors)
    return None if maps is None or reduces is None else (maps, reduces)


def heads_and_tails(instance: Instance) -> tuple[FloatArray, FloatArray]:
    """Least durations (s) of each job's map phase and of its reduce phase, each (jobs,)."""
    maps, reduces = phases(instance)
    return maps.span, reduces.span


def fits(instance: Instance) -> bool:
    """Whether slots differ in speed and the kinds of tasks are few enough."""
    return instance.speed_factors is not None and kinds_of(instance) is not None


def _kinds(
    job: IntArray, processing: FloatArray, setup: FloatArray, factors: FloatArray
) -> Kinds | None:
    rows = np.column_stack((job, processing, setup))[processing + setup > 0]
    kinds, number = np.unique(rows, axis=0, return_counts=True)
    if len(kinds) > MOST_KINDS:
        return None
    of = kinds[:, 0].astype(np.int64)
    seconds = kinds[:, 1:2] * factors[of] + kinds[:, 2:3]
    return Kinds(of, number, np.ascontiguousarray(seconds))
