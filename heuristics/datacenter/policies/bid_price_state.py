"""What bid prices keep: worth of room, machines by shape, queues.

The rule is in `bid_price`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ....core.arrays import FloatArray, IntArray
from ....core.errors import InputError
from ....core.kernels.decorators import by_reference, inlined
from ..engine.columns import is_machine, machine_numbers
from ..engine.state import System
from ..machines.shapes import Shapes, empty_shapes, put_in
from ..policy import Setting
from ..waiting.class_queues import Queues, empty_queues
from ..worth.recipe import LOOKED_AT, with_bonus
from ..worth.tables import WorthTables, tables_of, worth
from .best_fit import free_share, grid_by_free_share

if TYPE_CHECKING:
    from ....instances.datacenter.guidance import ClassPrices, Guidance


class BidPrice(NamedTuple):
    tables: WorthTables
    """The worth of room."""
    bonus: float
    """What a job costs less on a machine whose bin has more of its class than it runs, as a worth
    times a time."""
    time: FloatArray
    """Shape (K, M). Mean times."""
    belongs: IntArray
    """Shape (K, M). 1 where the class belongs, on configurations that have machines."""
    score: IntArray
    """Shape (machine numbers, K). Jobs of the class in the machine's bin minus those that it runs.
    """
    shapes: Shapes
    """Machines by configuration and free amounts."""
    share: FloatArray
    worth: IntArray
    """`share`, `worth`: shape (S,). `free_share` of each shape, and the worth of its room."""
    floor: FloatArray
    """Shape (cells,). The least `free_share` in the cell at each place of the order."""
    near: IntArray
    """Shape (LOOKED_AT,). Scratch: the shapes that a job looks at."""
    queues: Queues
    """Queue k is that of class k; queue K + k has its jobs that fit no machine where it belongs."""


def make(setting: Setting, system: System) -> BidPrice:
    """Raises `InputError` without a plan with prices, and for one of other machines or classes."""
    guidance = setting.required_guidance()
    numbers, resources = system.free.shape
    classes = len(system.runs)
    grid, floor = grid_by_free_share(setting, system)
    score = np.zeros((numbers, classes), dtype=np.int64)
    score[machine_numbers(system.free)] = guidance.machine_jobs
    tables, bonus, belongs = at_prices(guidance, system)
    policy = BidPrice(
        tables=tables,
        bonus=bonus,
        time=np.ascontiguousarray(setting.datacenter.mean_time),
        belongs=belongs,
        score=score,
        shapes=empty_shapes(system, grid),
        share=np.zeros(numbers),
        worth=np.zeros(numbers, dtype=np.int64),
        floor=floor,
        near=np.zeros(LOOKED_AT, dtype=np.int64),
        queues=empty_queues(2 * classes, resources, by_work=False),
    )
    put_all_in(policy, system)
    return policy


def check_prices(guidance: Guidance) -> ClassPrices:
    """The prices of a plan. Raises `InputError` if it has none."""
    if guidance.class_prices is None:
        if guidance.method == "LoTES as printed":
            raise InputError("this plan was made as printed and has no prices")
        raise InputError("this plan has no prices: make it again with `slotwise guide`")
    return guidance.class_prices


def at_prices(guidance: Guidance, system: System) -> tuple[WorthTables, float, IntArray]:
    """Tables, bonus, and where classes belong. Raises `InputError` if the plan has no prices."""
    prices = check_prices(guidance)
    tables, recipe = tables_of(
        guidance.datacenter,
        prices.value,
        spread=prices.spread,
        draws=prices.draws,
        seed=prices.seed,
    )
    recipe = with_bonus(recipe, prices.value.tolist(), prices.bonus)
    there = system.words[:, 0] < system.words[:, 1]
    belongs = (prices.belongs & (system.runs != 0) & there).astype(np.int64)
    return tables, recipe.bonus / recipe.unit, belongs


def renew(policy: BidPrice, setting: Setting, system: System) -> BidPrice:
    """Return the same with a grid that fits what machines have free now."""
    shapes = policy.shapes
    grid, floor = grid_by_free_share(setting, system._replace(free=shapes.free))
    return policy._replace(shapes=shapes._replace(grid=grid), floor=floor)


@inlined
def look_at(policy: BidPrice, system: System, m: int) -> None:
    """Put machine m, which is taken out, into its shape."""
    s = put_in(policy.shapes, system.free, system.configuration, policy.score, m)
    if policy.shapes.size[s] == 1:
        policy.share[s] = free_share(system.free, system.weight, m)
        policy.worth[s] = worth(policy.tables, system.configuration[m], system.free, m)


@by_reference
def put_all_in(policy: BidPrice, system: System) -> None:
    for m in range(len(system.free)):
        if is_machine(system.free, m):
            look_at(policy, system, m)
