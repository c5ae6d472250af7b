"""The worth of room.

V_j(f), the worth of the free amounts f on a machine of configuration j, is the most that jobs
which fit there bring per time: class prices times service rates. The worth that `bid-price` uses
blends V with its mean over draws in which requests and prices are multiplied by random factors,
because V alone is flat: many places would cost the same.

A grid covers one or two resources. One resource: a line; two: one grid; more: a grid for each
pair of resources, and the worth is the least of them, as each leaves out constraints. A table
over a grid is a weighted sum of knapsacks, its layers. Configurations on which each class is
worth the same share their tables. Worths are integers, so that whoever fills tables by this
recipe gets the same ones.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from statistics import NormalDist, median

from ..splitmix import inner_uniform

WORTH_BITS = 40
"""The job that brings the most per time is worth 2 ** 40; less where sums would not fit 63 bits."""

SMOOTHING = 0.2
"""Coefficient of variation of the factors in a draw."""

EXACT_WEIGHT = 0.75
"""Part of V in the worth, for demands without spread."""

PREDICTABLE = 0.3
"""From this spread of demands on, neither V nor bins are followed."""

BIN_BONUS = 0.3
"""A job that the machine's bin lacks costs so much less, in parts of the median price."""

LOOKED_AT = 32
"""Shapes, machines alike in configuration and free amounts, that are priced for a job."""

PARTS, PARTS_OF_PAIRS, PARTS_OF_LINE = 400, 300, 4096
"""Steps of a grid in each resource: of two resources, of more, of one."""

EXACT_CELLS = 1 << 20
"""A grid on which every sum of requests has a cell of its own may have so many."""

MOST_CELLS = 1 << 22
"""Cells of all tables together; where tables are many, grids are coarser."""

FEWEST_PARTS = 64

ALL_PAIRS = 8
"""With more resources than this, each has a grid with the next one only."""

ONE_CELL = 1 << 62
"""Step of a resource that does not matter."""


@dataclass(frozen=True)
class Layer:
    """A knapsack over a grid."""

    weight: int
    """How often it counts."""
    base: int
    """Worth of the jobs that need none of the grid's resources."""
    items: tuple[tuple[int, int, int], ...]
    """What may be put in, any number of times: its worth, and the cells that it takes of both
    resources, at least one in all."""


@dataclass(frozen=True)
class TableRecipe:
    """A grid and its layers. The table is the sum of the layers, each times its weight."""

    resources: tuple[int, int]
    """The two resources; on a line twice the same."""
    step: tuple[int, int]
    """Units of a cell in each. Free amounts are rounded down to cells."""
    size: tuple[int, int]
    """Cells in each."""
    layers: tuple[Layer, ...]


@dataclass(frozen=True)
class Recipe:
    """The tables of a datacenter at its class prices."""

    group: tuple[int, ...]
    """Whose tables each configuration uses, shape (M,)."""
    tables: tuple[tuple[TableRecipe, ...], ...]
    """Of each group, for the same resources in the same order."""
    unit: float
    """A worth times this is a price per time."""
    bonus: float
    """What a job costs less where the machine's bin lacks it, as a price."""


def predictability(spread: float) -> float:
    """How far demands with this coefficient of variation can be counted on, from 0 to 1."""
    return max(0.0, 1.0 - spread / PREDICTABLE)


def mean_duration(share: Sequence[float], mean_time: Sequence[Sequence[float]]) -> float:
    """Mean duration of a job on the first configuration that can run its class.

    `mean_time`: mean times, inf where a class cannot run, shape (K, M).
    """
    first = [next((t for t in row if t < math.inf), 0.0) for row in mean_time]
    return sum(a * t for a, t in zip(share, first, strict=True)) / sum(share)


def worth_recipe(
    capacity: Sequence[Sequence[int]],
    request: Sequence[Sequence[int]],
    mean_time: Sequence[Sequence[float]],
    value: Sequence[float],
    spread: float = 0.0,
    draws: int = 24,
    seed: int = 0,
) -> Recipe:
    """Choose grids and layers for the worth of room.

    `capacity`: of a machine of each configuration, in units, shape (M, R).
    `request`: of a job of each class, in units, shape (K, R).
    `mean_time`: mean times, inf where a class cannot run, shape (K, M).
    `value`: price of each class, at least 0 and some of them positive, shape (K,).
    `draws`: number of draws; 0 for V alone, exact where sums of requests are at cells of the grid.
    """
    exact = EXACT_WEIGHT * predictability(spread)
    weight = round(draws * exact / (1 - exact)) if draws else 1
    rates = [
        [v / t if t < math.inf else 0.0 for t in row]
        for v, row in zip(value, mean_time, strict=True)
    ]
    most = max(max(row) for row in rates) or 1.0
    bits = _worth_bits(capacity, request, [[rate / most for rate in row] for row in rates])
    bits = min(WORTH_BITS, int(bits - math.log2(weight + draws)))
    columns = [
        tuple(round(rate / most * 2.0**bits) for rate in column)
        for column in zip(*rates, strict=True)
    ]
    kinds = list(dict.fromkeys(columns))
    group = tuple(kinds.index(column) for column in columns)
    pairs = _pairs([need for need, v in zip(request, value, strict=True) if v > 0])
    drawn = [Draw(request, seed, number) for number in range(draws)]
    tables = []
    for number, worth in enumerate(kinds):
        members = [row for row, g in zip(capacity, group, strict=True) if g == number]
        largest = [max(column) for column in zip(*members, strict=True)]
        jobs = GroupJobs(largest, request, worth, weight, drawn)
        tables.append(tuple(jobs.table(pair, len(kinds) * len(pairs)) for pair in pairs))
    return Recipe(
        group,
        tuple(tables),
        most / 2.0**bits / (weight + draws),
        default_bonus(spread) * _median_price(value),
    )


def default_bonus(spread: float) -> float:
    """The bonus for demands with this coefficient of variation, in parts of the median price."""
    return BIN_BONUS * predictability(spread)


def with_bonus(recipe: Recipe, value: Sequence[float], part: float | None) -> Recipe:
    """The recipe with another bonus, in parts of the median price; None: its own."""
    return recipe if part is None else replace(recipe, bonus=part * _median_price(value))


def _median_price(value: Sequence[float]) -> float:
    return median([v for v in value if v > 0])


def _worth_bits(
    capacity: Sequence[Sequence[int]],
    request: Sequence[Sequence[int]],
    rates: Sequence[Sequence[float]],
) -> float:
    """Bits left for the worth of a job, if the largest rate is 1.

    A machine is worth no more than R times as much as the best class alone makes of it.
    """
    most = 1.0
    for need, row in zip(request, rates, strict=True):
        for amounts, rate in zip(capacity, row, strict=True):
            number = min(c // n for c, n in zip(amounts, need, strict=True) if n > 0)
            most = max(most, rate * (number + 1))
    # Factors of a draw, and room rounded up, may double it twice.
    return 60 - math.log2(len(request[0]) * most)


def _pairs(request: Sequence[Sequence[int]]) -> list[tuple[int, int]]:
    """The grids' resources: where it can be, all classes need at least one of both."""
    resources = len(request[0])
    if resources == 1:
        return [(0, 0)]
    pairs = [(r, (r + 1) % resources) for r in range(resources)]
    if resources <= ALL_PAIRS:
        pairs = list(combinations(range(resources), 2))
    whole = [pair for pair in pairs if all(need[pair[0]] + need[pair[1]] > 0 for need in request)]
    return whole or pairs


class Draw:
    """One draw: for each class and resource a factor, and a number in (0, 1) to round by."""

    def __init__(self, request: Sequence[Sequence[int]], seed: int, number: int) -> None:
        sigma = math.sqrt(math.log1p(SMOOTHING * SMOOTHING))
        normal = NormalDist()
        self.factor: list[list[float]] = []
        self.rounding: list[list[float]] = []
        self.price: list[float] = []
        for k, need in enumerate(request):
            at = 2 * len(need) * (number * len(request) + k)
            numbers = [inner_uniform(seed, at + i) for i in range(2 * len(need))]
            factors = [math.exp(sigma * normal.inv_cdf(u) - sigma * sigma / 2) for u in numbers]
            self.factor.append(factors[::2])
            self.rounding.append(numbers[1::2])
            mine = [f for f, n in zip(factors[::2], need, strict=True) if n > 0]
            self.price.append(sum(mine) / len(mine))


@dataclass(frozen=True)
class Grid:
    """`exact`: all requests are multiples of the steps."""

    resources: tuple[int, int]
    step: tuple[int, int]
    exact: bool


class GroupJobs:
    """What fills the tables of a group of configurations."""

    def __init__(
        self,
        largest: Sequence[int],
        request: Sequence[Sequence[int]],
        worth: Sequence[int],
        weight: int,
        drawn: Sequence[Draw],
    ) -> None:
        self.largest, self.request, self.worth = largest, request, worth
        self.weight, self.drawn = weight, drawn
        self.priced = [k for k, w in enumerate(worth) if w > 0]

    def table(self, pair: tuple[int, int], tables: int) -> TableRecipe:
        """The grid of a pair of resources and its layers; there are so many tables in all."""
        one = pair[0] == pair[1]
        common = [math.gcd(*(self.request[k][r] for k in self.priced)) or ONE_CELL for r in pair]
        if one:
            common[1] = ONE_CELL
        cells = [self.largest[r] // c + 1 for r, c in zip(pair, common, strict=True)]
        parts, most = self._limits(tables, one=one)
        exact = cells[0] * cells[1] <= most
        step: list[int] = []
        for r, whole, count in zip(pair, common, cells, strict=True):
            if exact or count <= parts:
                # As fine as there are parts, with all requests still at multiples of the step.
                fine = range(max(1, parts // max(1, count - 1)), 0, -1)
                step.append(whole // next(n for n in fine if whole % n == 0 or n == 1))
            else:
                step.append(-(-self.largest[r] // parts))
        grid = Grid(pair, (step[0], step[1]), exact)
        size = [self.largest[r] // s + 1 for r, s in zip(pair, step, strict=True)]
        return TableRecipe(pair, grid.step, (size[0], size[1]), tuple(self._layers(grid)))

    def _limits(self, tables: int, *, one: bool) -> tuple[int, int]:
        """Parts of a resource, and cells of a grid that no sum of requests is between."""
        if one:
            return PARTS_OF_LINE, EXACT_CELLS
        parts = PARTS if len(self.largest) == 2 else PARTS_OF_PAIRS
        parts = min(parts, max(FEWEST_PARTS, math.isqrt(MOST_CELLS // tables)))
        if not self.drawn or (self.weight > 0 and len(self.largest) == 2):
            return parts, max(parts * parts, min(EXACT_CELLS, MOST_CELLS // tables))
        return parts, parts * parts

    def _layers(self, grid: Grid) -> list[Layer]:
        layers = []
        if self.weight > 0 and (grid.exact or not self.drawn):
            layers.append(self._layer(grid, self.weight))
        elif self.weight > 0:
            # Requests between two cells are rounded, by chance, in as many ways as there are draws.
            each, more = divmod(self.weight, len(self.drawn))
            for number, draw in enumerate(self.drawn):
                if each + (number < more) > 0:
                    layers.append(self._layer(grid, each + (number < more), rounding=draw))
        return layers + [self._layer(grid, 1, rounding=draw, factors=draw) for draw in self.drawn]

    def _layer(
        self,
        grid: Grid,
        weight: int,
        *,
        rounding: Draw | None = None,
        factors: Draw | None = None,
    ) -> Layer:
        base, items = 0, []
        for k in self.priced:
            need = self.request[k]
            worth = self.worth[k]
            if factors is not None:
                worth = round(worth * factors.price[k])
            if not any(need[r] for r in grid.resources):
                some = [c // n for c, n in zip(self.largest, need, strict=True) if n > 0]
                base += worth * min(some)
                continue
            cells = [
                need[r] / s * (1.0 if factors is None else factors.factor[k][r])
                for r, s in zip(grid.resources, grid.step, strict=True)
            ]
            # Jobs smaller than a cell are put in by the bundle.
            bundle = max(1, math.ceil(1 / max(cells)))
            up = [0.0 if rounding is None else rounding.rounding[k][r] for r in grid.resources]
            taken = [math.floor(bundle * c + u) for c, u in zip(cells, up, strict=True)]
            if not any(taken):
                taken[cells.index(max(cells))] = 1
            items.append((bundle * worth, taken[0], taken[1]))
        return Layer(weight, base, tuple(items))
