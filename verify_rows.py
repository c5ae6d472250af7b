"""Linear programs in whole numbers, and least durations of a phase; see `verify_search.py`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

try:
    from . import verify
except ImportError:  # beside verify.py, without slotwise
    import verify  # type: ignore[import-not-found,no-redef]

Row = Sequence[int | None]
"""Times of a task on all slots, None where it may not be."""
Expression = dict[int | None, int]
"""Factors of columns, and of None, the constant."""
Part = Expression | tuple[Any, ...]
"""An expression, or the name of a column."""
ONE: Expression = {None: 1}


def phase_span(rows: Sequence[Row]) -> int:
    """No schedule of tasks is shorter. Rows: a task's times on all slots, None where it may not be.

    Each task takes its least time; and a slot takes the least time of all for each task that it
    has, so that by T it has ended at most T over that time.
    """
    if not rows:
        return 0
    least = (min(time for time in row if time is not None) for row in rows)
    columns = ([time for time in column if time is not None] for column in zip(*rows, strict=True))
    times = Counter(map(min, filter(None, columns)))
    return max(verify.span(least, len(rows[0])), verify.span_of_equals(times, len(rows)))


def group(job: int, shop: verify.Shop) -> int:
    """0 for jobs that may come first in the order, 2 for those that may come last, 1 for others."""
    return 0 if not shop.maps.tasks[job] else 1 if shop.reduces.tasks[job] else 2


def kinds(nodes: Sequence[int], rows: Iterable[Row]) -> list[int]:
    """Per slot a number that is the same for slots of one node on which all tasks are as fast."""
    numbers: dict[Any, int] = {}
    columns = list(zip(nodes, *rows, strict=True))
    return [numbers.setdefault(column, len(numbers)) for column in columns]


class Rows:
    """A linear program in whole numbers: every row is an expression that is at least 0, or equal.

    A column has a name and a box. An expression is a dict from columns to factors, and None to the
    constant. A certificate names a row by its number: `__init__` adds them, family by family. Rows
    without times are multiplied by the horizon, so that all multipliers have much the same size.
    The column `C` is the makespan.
    """

    def __init__(self, shop: verify.Shop, horizon: int) -> None:
        self.shop, self.horizon = shop, horizon
        self.number: dict[tuple[Any, ...], int] = {}
        self.low: list[int] = []
        self.high: list[int] = []
        self.rows: list[tuple[int, list[tuple[int, int]]]] = []
        self.equal: list[bool] = []
        self.column("C", high=horizon)

    def column(self, *name: Any, low: int = 0, high: int) -> None:
        """Add a column with its box."""
        self.number[name] = len(self.low)
        self.low.append(low)
        self.high.append(high)

    def hold(self, *parts: tuple[int, Part], equal: bool = False) -> None:
        """Add a row: a sum of parts (factor, expression or name of a column) is at least 0."""
        row: dict[int | None, int] = {}
        for factor, part in parts:
            for column, value in self.expression(part).items():
                row[column] = row.get(column, 0) + factor * value
        constant = row.pop(None, 0)
        terms = [(c, value) for c, value in row.items() if value and c is not None]
        self.rows.append((constant, terms))
        self.equal.append(equal)

    def expression(self, part: Part) -> Expression:
        """An expression as it is, or one of a single column."""
        return part if isinstance(part, dict) else {self.number[part]: 1}

    def at_least(self, leaf: Any, fixed: Mapping[int, int]) -> int:
        """A bound of the makespan by weak duality, for all points in a box that satisfy the rows.

        Multiply every row by a number that is not negative (where a row is an equation, by any
        number) and subtract it from the objective: the value cannot rise. What is left is a
        linear expression, which is least at a corner of the box. Multipliers are whole numbers
        over `grid`; the makespan is a whole number, so the bound is rounded up.
        """
        verify.fields(leaf, "a leaf", ("grid", "y"))
        grid: int = verify.need(leaf["grid"], int, "grid")
        pairs = verify.need(leaf["y"], list, "y")
        if grid < 1 or len(pairs) % 2:
            verify.refuse("a leaf: grid must be above 0, y must have pairs")
        rest, previous = {self.number["C",]: grid}, -1
        total = 0
        for at, multiplier in zip(pairs[::2], pairs[1::2], strict=True):
            row = verify.index(at, len(self.rows), "a row")
            verify.need(multiplier, int, "a multiplier")
            if row <= previous or (multiplier < 0 and not self.equal[row]):
                verify.refuse("a leaf: rows must rise, multipliers of inequalities not be negative")
            previous = row
            constant, terms = self.rows[row]
            total -= multiplier * constant
            for column, value in terms:
                rest[column] = rest.get(column, 0) - multiplier * value
        for column, value in rest.items():
            if value:
                box = self.low[column] if value > 0 else self.high[column]
                total += value * fixed.get(column, box)
        return -(-total // grid)
