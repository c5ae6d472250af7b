"""What the built-in policies keep: one named tuple for all, so that the loop is compiled once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...core.arrays import BoolArray, FloatArray, IntArray
from ...core.errors import InputError
from ...instances.datacenter.datacenter import Datacenter
from ...instances.datacenter.guidance import Guidance
from .engine.columns import machine_numbers
from .engine.state import System
from .machine_index import MachineIndex, index_of
from .waiting_jobs import FEWEST, Queues, empty_queues
from .worth.recipe import LOOKED_AT
from .worth.tables import NO_TABLES, WorthTables, check_prices, tables_at_prices

(PYTHON, FIRST_FIT, GREEDY, BEST_FIT, BF_JS, TETRIS, FGD, LOTES, LOTES_UNRESTRICTED,
 BID_PRICE) = range(10)  # fmt: skip
"""The rules of `rules`; `PYTHON` leaves every decision to a `Policy`."""

SAMPLE, LEAST_PART = 1024, 1e-6
"""Demands that Tetris's directions are chosen from, and the least part in one."""

MANY, DIRECTIONS, DIRECTIONS_OF_MANY = 4096, 8, 32
"""How many directions there are; from so many machines on, that finding one takes longer than
keeping more orders of them."""

OMEGA, GAMMA = 0, 1
"""Entries of `PolicyState.started`."""


@dataclass(frozen=True)
class Setting:
    """What a policy is made from, beside the state of the datacenter."""

    datacenter: Datacenter
    demands: IntArray
    """Shape (jobs, R). A sample of what jobs need, in units. It decides how fast a policy is."""
    guidance: Guidance | None = None
    """The plan that it follows."""
    seed: int = 0
    """Of the policy's own draws."""
    gamma: float | None = None
    """Weight of the remaining work in Tetris's score, in the datacenter's time unit; None if it is
    scaled."""
    sample: int | None = None
    """How many machines an arriving job looks at; None for all."""

    def required_guidance(self) -> Guidance:
        """Return the guidance.

        Raises `InputError` if there is none, or it is for other machines or classes.
        """
        guidance = self.guidance
        if guidance is None:
            raise InputError("this policy follows a plan: give it guidance")
        own, planned = self.datacenter, guidance.datacenter
        if (own.configurations, own.classes) != (planned.configurations, planned.classes) or (
            own.count != planned.count
        ).any():
            raise InputError(f"the guidance is for another datacenter: {guidance.datacenter!r}")
        return guidance


class PolicyState(NamedTuple):
    """P machine numbers, R resources, M configurations, K classes."""

    rule: int
    seed: int
    """Of the policy's draws."""
    gamma: float
    """Tetris's weight of remaining work; NaN if it is scaled."""
    bonus: float
    """Bid price: what a job costs less on a machine whose bin has more of its class than it runs,
    as a worth times a time."""
    sample: int
    """How many machines an arriving job looks at; 0 for all."""
    by_room: MachineIndex
    queues: Queues
    """Queue k is that of class k; queue K + k has its jobs that fit no machine that looks there."""
    homes: IntArray
    """Shape (K, M). Whether machines of the configuration look at the class's queue."""
    upto: FloatArray
    """Shape (K, M). The plan's proportions of a class, added up over the configurations."""
    time: FloatArray
    """Shape (K, M). Mean times."""
    tables: WorthTables
    """Bid price: the worth of room."""
    score: IntArray
    """Shape (P, K). Jobs of the class in the machine's bin less those that it runs."""
    share: FloatArray
    """Shape (P,). What a machine has free, in parts of the largest, summed over the resources."""
    lost: FloatArray
    """Shape (P,). FGD: share of the classes that cannot run on the machine or do not fit it now."""
    worth: IntArray
    """Shape (P,). Bid price: the worth of the machine's room."""
    lacking: IntArray
    """Shape (P, K). Of the lowest of machines alike (`shapes`), how many of these have a bin with
    more jobs of the class than they run."""
    directions: FloatArray
    """Shape (orders, R). Tetris: demands in parts that add up to 1."""
    started: FloatArray
    """Shape (2,). Tetris: sums of omega and gamma over the jobs started so far."""
    line: IntArray
    """Shape (P, 3). Greedy: the machine's queue, as its length, first and last slot."""
    machines: IntArray
    """Shape (M,). Machines of each configuration."""
    may: IntArray
    """Shape (M,). Scratch: the configurations that a job looks at."""
    found: IntArray
    """Shape (P,). Scratch: machines with room for a job."""
    near: IntArray
    """Shape (LOOKED_AT,). Scratch of bid price."""
    order: IntArray
    """Shape (P,). Scratch of samples: the numbers from 0 on."""
    stack: IntArray
    """Shape (64,). Scratch: nodes that a search of a queue has put off."""


def state_of(rule: int, setting: Setting, system: System) -> PolicyState:
    """The state of a policy in a datacenter without jobs.

    Raises `InputError` for policies that follow a plan if there is none, or it is of other machines
    or classes, or lacks what they need of it.
    """
    numbers, resources = system.free.shape
    classes, configurations = system.runs.shape
    machines = machine_numbers(system.free)
    score = np.zeros((numbers, classes), dtype=np.int64)
    upto = np.zeros((classes, configurations))
    homes = system.runs != 0
    tables, bonus = NO_TABLES, 0.0
    if rule in (LOTES, LOTES_UNRESTRICTED, BID_PRICE):
        guidance = setting.required_guidance()
        score[machines] = guidance.machine_jobs
        if rule == BID_PRICE:
            tables, bonus = tables_at_prices(guidance)
        else:
            upto = upper_ends(guidance)
        homes = homes_of(rule, guidance) & (system.words[:, 0] < system.words[:, 1])
    most = DIRECTIONS if len(machines) < MANY else DIRECTIONS_OF_MANY
    directions = _directions(setting.demands[:SAMPLE] * system.weight, most)
    orders = {
        LOTES: classes,
        LOTES_UNRESTRICTED: classes,
        TETRIS: len(directions),
        FGD: 2,
        BID_PRICE: 2,
    }
    return PolicyState(
        rule=rule,
        seed=setting.seed,
        gamma=np.nan if setting.gamma is None else setting.gamma,
        bonus=bonus,
        sample=min(setting.sample or 0, len(machines)),
        by_room=index_of(system, setting.demands, orders.get(rule, 1)),
        queues=empty_queues(np.full(2 * classes, FEWEST), resources),
        homes=homes.astype(np.int64),
        upto=upto,
        time=np.array(setting.datacenter.mean_time),
        tables=tables,
        score=score,
        share=np.zeros(numbers),
        lost=np.zeros(numbers),
        worth=np.zeros(numbers, dtype=np.int64),
        lacking=np.zeros((numbers, classes), dtype=np.int64),
        directions=directions,
        started=np.zeros(2),
        line=np.zeros((numbers, 3), dtype=np.int64),
        machines=setting.datacenter.count.astype(np.int64),
        may=np.zeros(configurations, dtype=np.int64),
        found=np.zeros(numbers, dtype=np.int64),
        near=np.zeros(LOOKED_AT, dtype=np.int64),
        order=np.arange(numbers, dtype=np.int64),
        stack=np.zeros(64, dtype=np.int64),
    )


def upper_ends(guidance: Guidance) -> FloatArray:
    """The plan's proportions of a class, added up over the configurations, shape (K, M)."""
    total = np.cumsum(guidance.proportions, axis=1)
    # The last one with a share takes what rounding left.
    return np.where(total >= total[:, -1:], np.where(total > 0, 2.0, 0.0), total)


def homes_of(rule: int, guidance: Guidance) -> BoolArray:
    """Where jobs of a class start when others wait, shape (K, M): in the plan, or as prices say."""
    runs = np.isfinite(guidance.datacenter.mean_time)
    if rule == BID_PRICE:
        return check_prices(guidance).belongs & runs
    return (guidance.running > 0) & runs if rule == LOTES else runs


def _directions(demand: FloatArray, most: int) -> FloatArray:
    """Some directions such that each demand is near one of them.

    Farthest first, by the largest ratio of two parts between a demand and the nearest direction.
    """
    total = demand.sum(axis=1, keepdims=True)
    parts = np.divide(demand, total, out=np.ones_like(demand), where=total > 0)
    parts = np.unique(np.maximum(parts, LEAST_PART), axis=0)
    logs = np.log(parts)
    chosen, far = [0], np.full(len(parts), np.inf)
    while len(chosen) < min(most, len(parts)):
        difference = logs - logs[chosen[-1]]
        far = np.minimum(far, difference.max(axis=1) - difference.min(axis=1))
        chosen.append(int(far.argmax()))
    return np.ascontiguousarray(parts[chosen])
