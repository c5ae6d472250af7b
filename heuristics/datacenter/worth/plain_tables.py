"""The worth of room as tables in plain Python, filled when they are first needed."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from functools import lru_cache

from .recipe import Layer, Recipe, TableRecipe


class PlainTable:
    """A table of worths, filled; the longer side of the grid lies along the rows.

    `cells`: its worths row by row, if they are known.
    """

    def __init__(self, recipe: TableRecipe, cells: bytes | None = None) -> None:
        sides = list(zip(recipe.resources, recipe.step, recipe.size, strict=True))
        self._turned = recipe.size[0] > recipe.size[1]
        if self._turned:
            sides.reverse()
        (self._down, self._down_step, rows), (self._right, self._right_step, columns) = sides
        self._last = rows - 1, columns - 1
        if cells is not None:
            parts = (cells[8 * columns * row : 8 * columns * (row + 1)] for row in range(rows))
            self._rows = [array("q", part) for part in parts]
            return
        total = [[0] * columns for _ in range(rows)]
        for layer in recipe.layers:
            table = self._knapsack(layer, rows, columns)
            weight = layer.weight
            for row, values in zip(total, table, strict=True):
                row[:] = [x + weight * y for x, y in zip(row, values, strict=True)]
        self._rows = [array("q", row) for row in total]

    def _knapsack(self, layer: Layer, rows: int, columns: int) -> list[list[int]]:
        table = [[layer.base] * columns for _ in range(rows)]
        for worth, *cells in layer.items:
            down, right = reversed(cells) if self._turned else cells
            if down:
                for row, source in zip(table[down:], table, strict=False):
                    row[right:] = _better(row[right:], source, worth)
            else:
                for row in table:
                    # One more copy, then two, four, and so on: together any number.
                    shift, more = right, worth
                    while shift < columns:
                        row[shift:] = _better(row[shift:], row, more)
                        shift, more = 2 * shift, 2 * more
        return table

    def worth(self, free: Sequence[int]) -> int:
        """The worth of the cell in which the free amounts are."""
        row, column = free[self._down] // self._down_step, free[self._right] // self._right_step
        last_row, last_column = self._last
        return self._rows[row if row < last_row else last_row][
            column if column < last_column else last_column
        ]


def _better(values: list[int], others: list[int], more: int) -> list[int]:
    """The greater of each value and the other one at its place, which is worth so much more."""
    return [
        value if value > (raised := other + more) else raised
        for value, other in zip(values, others, strict=False)
    ]


@lru_cache(maxsize=64)
def plain_table(recipe: TableRecipe) -> PlainTable:
    """The table of a recipe; plans that are followed again need it again."""
    return PlainTable(recipe)


class Worth:
    def __init__(self, recipe: Recipe) -> None:
        self.unit, self.bonus = recipe.unit, recipe.bonus / recipe.unit
        self._recipe = recipe
        self._tables: dict[int, list[PlainTable]] = {}

    def fill(self, cells: Callable[[Recipe], Sequence[Sequence[bytes]]] | None = None) -> None:
        """Fill the tables of all configurations now; `cells` computes those of each group."""
        if cells is not None and not self._tables:
            for group, known in enumerate(cells(self._recipe)):
                tables = zip(self._recipe.tables[group], known, strict=True)
                self._tables[group] = [PlainTable(table, filled) for table, filled in tables]
        for group in self._recipe.group:
            self._of_group(group)

    def _of_group(self, group: int) -> list[PlainTable]:
        tables = self._tables.get(group)
        if tables is None:
            tables = [plain_table(table) for table in self._recipe.tables[group]]
            self._tables[group] = tables
        return tables

    def of(self, j: int, free: Sequence[int]) -> int:
        """The worth of the free amounts on a machine of configuration j."""
        tables = self._of_group(self._recipe.group[j])
        if len(tables) == 1:
            return tables[0].worth(free)
        return min(table.worth(free) for table in tables)
