"""From the run to the best that was possible, step by step; the causes are the differences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...core.arrays import IntArray
from ...core.clock import Clock
from ...core.errors import SlotwiseError
from ...formulations.history.makespan_bounds import Bound
from ...heuristics.history.search import Goal, improve
from ...instances.history.plan_checker import violations
from ...instances.history.stage_graph import Plan, StageGraph
from .exact import PROOF, counts_for_all, is_small, solve_exactly
from .replay import carried

Cause = tuple[str, str]
"""The name of a cause, and what it is."""

FAILED: Cause = ("failed attempts", "attempts that did not count, and waiting for them to fail")
SLOT: Cause = ("which slot", "the same order of tasks, each on the slot that is free first")
"""Causes that all histories have: their names, and what they are."""


@dataclass(frozen=True, eq=False)
class Step:
    """What is left when one more cause is taken away.

    `cause` and `about` name it; `job_end` are the ends of the jobs (ms) without it. `bound` is
    there where a search ended: no schedule is better under what still holds then.
    """

    cause: str
    about: str
    job_end: IntArray
    value: float
    bound: Bound | None = None
    plan: Plan | None = None


@dataclass(frozen=True, eq=False)
class Model:
    """A graph in which plans are looked for, and the bound of the goal in it."""

    cause: str
    about: str
    graph: StageGraph
    bound: Bound


def searched(
    models: Sequence[Model],
    plan: Plan,
    before: StageGraph,
    goal: Goal,
    clock: Clock,
    good: float = 0.0,
) -> list[Step]:
    """Search each model from the best plan of the one before, which is a plan of it as well.

    `plan` is one of `before`. `good`: a gap at which a search ends. The time is shared out evenly.
    """
    steps = []
    for k, model in enumerate(models):
        plan = carried(plan, before, model.graph)
        before = model.graph
        share = Clock(clock.left / (len(models) - k), clock.stop)
        plan, bound = _best(model, plan, goal, share, good)
        check_plan(model.graph, plan)
        value = goal(plan.job_end)
        if value < bound.value * (1 - 1e-9) - 1e-6:
            raise SlotwiseError(
                f"{model.graph.name}: a plan of {value} ms is below the bound {bound}"
            )
        steps.append(Step(model.cause, model.about, plan.job_end, value, bound, plan))
    return steps


def _best(model: Model, plan: Plan, goal: Goal, clock: Clock, good: float) -> tuple[Plan, Bound]:
    """The best plan of a model that search, and on small graphs CP-SAT, make of one; the bound."""
    graph, bound = model.graph, model.bound
    small = is_small(graph)
    share = clock.until_left(clock.left / 2) if small else clock
    plan = improve(graph, plan, goal, bound.value * (1 + good), share)
    if small:
        plan, proved = solve_exactly(graph, plan, goal, bound.value, clock)
        if proved > bound.value + 1e-6 and counts_for_all(graph, goal):
            bound = Bound(proved, PROOF)
    return plan, bound


def check_plan(graph: StageGraph, plan: Plan) -> None:
    """Raise if a plan breaks a rule of the graph, which is a defect."""
    broken = violations(graph, plan)
    if broken:
        raise SlotwiseError(f"{graph.name}: an impossible plan: {broken[0]}")
