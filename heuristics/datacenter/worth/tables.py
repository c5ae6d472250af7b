"""The worth of room as tables that kernels look up."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ....core.arrays import FloatArray, IntArray
from ....core.errors import InputError
from ....core.kernels.decorators import by_reference, inlined, kernel
from ....instances.datacenter.datacenter import Datacenter
from ....instances.datacenter.guidance import ClassPrices, Guidance
from ..engine.columns import FIRST_DEMAND, is_machine
from .recipe import Recipe, TableRecipe, with_bonus, worth_recipe


class WorthTables(NamedTuple):
    """The worth of room on machines of M configurations: the least of P tables each."""

    worth: IntArray
    """Shape (cells,). All tables, one after the other, row by row."""
    first: IntArray
    row: IntArray
    """`first`, `row`: shape (M, P). Where the table of a configuration begins, and how long its
    rows are."""
    resource: IntArray
    """Shape (P, 2). The two resources of the tables; with a single one the second does not matter.
    """
    step: IntArray
    per_step: FloatArray
    """`step`, `per_step`: shape (M, P, 2). Units of a cell, and 1 over them."""
    unit: float
    """A worth times this is a price per time."""


NO_TABLES = WorthTables(
    worth=np.zeros(1, dtype=np.int64),
    first=np.zeros((1, 1), dtype=np.int64),
    row=np.zeros((1, 1), dtype=np.int64),
    resource=np.zeros((1, 2), dtype=np.int64),
    step=np.ones((1, 1, 2), dtype=np.int64),
    per_step=np.ones((1, 1, 2)),
    unit=1.0,
)
"""For policies that ask for no worth."""


def check_prices(guidance: Guidance) -> ClassPrices:
    """The prices of a plan. Raises `InputError` if it has none."""
    if guidance.class_prices is None:
        if guidance.method == "LoTES as printed":
            raise InputError("this plan was made as printed and has no prices")
        raise InputError("this plan has no prices: make it again with `slotwise guide`")
    return guidance.class_prices


def tables_at_prices(guidance: Guidance) -> tuple[WorthTables, float]:
    """Tables and bonus of a plan. Raises `InputError` if it has no prices."""
    prices = check_prices(guidance)
    tables, recipe = tables_of(
        guidance.datacenter,
        prices.value,
        spread=prices.spread,
        draws=prices.draws,
        seed=prices.seed,
    )
    recipe = with_bonus(recipe, prices.value.tolist(), prices.bonus)
    return tables, recipe.bonus / recipe.unit


def tables_of(
    datacenter: Datacenter,
    value: FloatArray,
    *,
    spread: float = 0.0,
    draws: int = 0,
    seed: int = 0,
) -> tuple[WorthTables, Recipe]:
    recipe = worth_recipe(
        datacenter.capacity_units.tolist(),
        datacenter.request_units.tolist(),
        datacenter.mean_time.tolist(),
        value.tolist(),
        spread,
        draws,
        seed,
    )
    return filled(recipe), recipe


def filled(recipe: Recipe) -> WorthTables:
    made: list[IntArray] = []
    begins: list[list[int]] = []
    at = 0
    for tables in recipe.tables:
        begins.append([])
        for table in tables:
            total = _total(table)
            made.append(total.ravel())
            begins[-1].append(at)
            at += total.size
    of_group = np.array(recipe.group)
    step = np.array([[table.step for table in tables] for tables in recipe.tables])[of_group]
    row = np.array([[table.size[1] for table in tables] for tables in recipe.tables])[of_group]
    return WorthTables(
        worth=np.concatenate(made),
        first=np.array(begins, dtype=np.int64)[of_group],
        row=row.astype(np.int64),
        resource=np.array([table.resources for table in recipe.tables[0]], dtype=np.int64),
        step=step.astype(np.int64),
        per_step=1.0 / step,
        unit=recipe.unit,
    )


@lru_cache(maxsize=16)
def _total(table: TableRecipe) -> IntArray:
    """The worths of one table, shape `size`; plans that are followed again need them again."""
    total, scratch = np.zeros((2, *table.size), dtype=np.int64)
    for layer in table.layers:
        items = np.array(layer.items, dtype=np.int64).reshape(-1, 3)
        _add_layer(total, scratch, items, layer.base, layer.weight)
    return total


@kernel
def _add_layer(total: IntArray, scratch: IntArray, items: IntArray, base: int, weight: int) -> None:
    """Add the knapsack of the items, each any number of times, to a table."""
    rows, columns = total.shape
    for a in range(rows):
        for b in range(columns):
            scratch[a, b] = base
    for i in range(len(items)):
        worth, down, right = items[i, 0], items[i, 1], items[i, 2]
        for a in range(down, rows):
            for b in range(right, columns):
                scratch[a, b] = max(scratch[a, b], scratch[a - down, b - right] + worth)
    for a in range(rows):
        for b in range(columns):
            total[a, b] += weight * scratch[a, b]


@inlined
def _cell(amount: int, step: int, per_step: float) -> int:
    """`amount // step` by a multiplication, which takes a tenth of the time."""
    cell = int(amount * per_step)
    if cell * step > amount:
        cell -= 1
    elif (cell + 1) * step <= amount:
        cell += 1
    return cell


@inlined
def worth(tables: WorthTables, j: int, free: IntArray, m: int) -> int:
    """The worth of what is free on a machine: row m of `free`, in units."""
    least = np.iinfo(np.int64).max
    for p in range(len(tables.resource)):
        r, s = tables.resource[p, 0], tables.resource[p, 1]
        a = _cell(free[m, r], tables.step[j, p, 0], tables.per_step[j, p, 0])
        b = _cell(free[m, s], tables.step[j, p, 1], tables.per_step[j, p, 1])
        least = min(least, tables.worth[tables.first[j, p] + a * tables.row[j, p] + b])
    return least


@inlined
def worth_after(
    tables: WorthTables, j: int, free: IntArray, m: int, info: IntArray, slot: int
) -> int:
    """The worth of what is free on a machine as soon as it runs a job, too."""
    least = np.iinfo(np.int64).max
    for p in range(len(tables.resource)):
        r, s = tables.resource[p, 0], tables.resource[p, 1]
        x, y = free[m, r] - info[slot, FIRST_DEMAND + r], free[m, s] - info[slot, FIRST_DEMAND + s]
        a = _cell(x, tables.step[j, p, 0], tables.per_step[j, p, 0])
        b = _cell(y, tables.step[j, p, 1], tables.per_step[j, p, 1])
        least = min(least, tables.worth[tables.first[j, p] + a * tables.row[j, p] + b])
    return least


@by_reference
def worths_of_machines(
    tables: WorthTables, free: IntArray, configuration: IntArray, worths: IntArray
) -> None:
    """Fill in the worth of what is free on every machine; numbers without a machine get nothing."""
    for m in range(len(free)):
        worths[m] = worth(tables, configuration[m], free, m) if is_machine(free, m) else 0
