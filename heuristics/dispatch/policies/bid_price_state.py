"""What bid prices keep: worth of room, machines by shape, queues.

The rule is in `bid_price`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ....instances.arrays import FloatArray, IntArray
from ....instances.errors import InputError
from ....instances.kernels.decorators import inlined, kernel
from ..engine.columns import NO_SLOT, is_machine, machine_numbers
from ..engine.state import System
from ..machines.shapes import Shapes, empty_shapes, put_in
from ..policy import Setting
from ..waiting.class_queues import Queues, empty_queues, with_more_places
from ..waiting.kept_machines import Kept, nothing_kept
from ..worth.tables import WorthTables, tables_of, worth
from .best_fit import free_share, grid_by_free_share

if TYPE_CHECKING:
    from ....instances.datacenter.guidance import ClassPrices, Guidance

LOOKED_AT = 32
"""Shapes that a job looks at."""


class BidPrice(NamedTuple):
    """Bid prices at work.

    Attributes
    ----------
    tables
        The worth of room.
    bonus
        What a job costs less on a machine whose bin has more of its class than it runs, as a worth
        times a time.
    time : (K, M)
        Mean times.
    belongs : (K, M)
        1 where the class belongs, on configurations that have machines.
    score : (machine numbers, K)
        Jobs of the class in the machine's bin minus those that it runs.
    shapes
        Machines by configuration and free amounts.
    share, worth : (S,)
        `free_share` of each shape, and the worth of its room.
    floor : (cells,)
        The least `free_share` in the cell at each place of the order.
    near : (LOOKED_AT,)
        Scratch: the shapes that a job looks at.
    queues
        Queue k is that of class k; queue K + k has its jobs that fit no machine where it belongs.
    kept
        Machines that are kept for jobs.
    """

    tables: WorthTables
    bonus: float
    time: FloatArray
    belongs: IntArray
    score: IntArray
    shapes: Shapes
    share: FloatArray
    worth: IntArray
    floor: FloatArray
    near: IntArray
    queues: Queues
    kept: Kept


def make(setting: Setting, system: System) -> BidPrice:
    """Return the arrays for an empty datacenter.

    `system`: the empty datacenter.
    Raises `InputError` if there is no guidance with prices, it is for other machines or classes, or
    jobs are to be helped before the mean duration is over.
    """
    guidance = setting.need_guidance()
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
        kept=nothing_kept(system, setting.datacenter, setting.keep_after),
    )
    put_all_in(policy, system)
    return policy


def need_prices(guidance: Guidance) -> ClassPrices:
    """Return the prices of a plan.

    Raises `InputError` if it has none.
    """
    if guidance.class_prices is None:
        if guidance.method == "LoTES as printed":
            raise InputError("this plan was made as printed and has no prices")
        raise InputError("this plan has no prices: make it again with `slotwise guide`")
    return guidance.class_prices


def at_prices(guidance: Guidance, system: System) -> tuple[WorthTables, float, IntArray]:
    """Return what a policy takes from a plan: tables, bonus, and where classes belong.

    Raises `InputError` if the plan has no prices.
    """
    prices = need_prices(guidance)
    tables, recipe = tables_of(
        guidance.datacenter,
        prices.value,
        spread=prices.spread,
        draws=prices.draws,
        seed=prices.seed,
    )
    there = system.words[:, 0] < system.words[:, 1]
    belongs = (prices.belongs & (system.runs != 0) & there).astype(np.int64)
    return tables, recipe.bonus / recipe.unit, belongs


def make_room(policy: BidPrice, system: System) -> BidPrice:
    """Return the same with longer queues."""
    return policy._replace(queues=with_more_places(policy.queues, system.info))


def renew(policy: BidPrice, setting: Setting, system: System) -> BidPrice:
    """Return the same with a grid that fits what machines have free now."""
    shapes = policy.shapes
    grid, floor = grid_by_free_share(setting, system._replace(free=shapes.free))
    return policy._replace(shapes=shapes._replace(grid=grid), floor=floor)


@inlined
def look_at(policy: BidPrice, system: System, m: int) -> None:
    """Put machine m, which is taken out, into its shape, unless it is kept.

    `policy`: its arrays, which change.
    """
    if policy.kept.for_job[m] != NO_SLOT:
        return
    s = put_in(policy.shapes, system.free, system.configuration, policy.score, m)
    if policy.shapes.size[s] == 1:
        policy.share[s] = free_share(system.free, system.weight, m)
        policy.worth[s] = worth(policy.tables, system.configuration[m], system.free, m)


@kernel
def put_all_in(policy: BidPrice, system: System) -> None:
    """Put all machines, which are taken out, into their shapes.

    `policy`: its arrays, which change.
    """
    for m in range(len(system.free)):
        if is_machine(system.free, m):
            look_at(policy, system, m)
