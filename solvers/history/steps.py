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
        plan = improve(model.graph, plan, goal, model.bound.value * (1 + good), share)
        check_plan(model.graph, plan)
        value = goal(plan.job_end)
        if value < model.bound.value * (1 - 1e-9) - 1e-6:
            raise SlotwiseError(
                f"{model.graph.name}: a plan of {value} ms is below the bound {model.bound}"
            )
        steps.append(Step(model.cause, model.about, plan.job_end, value, model.bound, plan))
    return steps


def check_plan(graph: StageGraph, plan: Plan) -> None:
    """Raise if a plan breaks a rule of the graph, which is a defect."""
    broken = violations(graph, plan)
    if broken:
        raise SlotwiseError(f"{graph.name}: an impossible plan: {broken[0]}")
