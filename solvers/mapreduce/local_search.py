"""The improvement method: better schedules for large instances, and no bound of its own.

`docs/heuristics/improvement-search.md` describes the method.
"""

from __future__ import annotations

from ...core.clock import StopReason
from ...heuristics.mapreduce.hmhs.priority import by_priority
from ...heuristics.mapreduce.improvement import Shared, can_search, improve
from ...instances.mapreduce.instance import Instance
from .race import Runner
from .relaxations.waves import fits, rounded, solve_waves

MANY_TASKS = 30_000
"""With so many tasks the search begins with the linear program in waves."""

WAVES_SHARE = 0.25
"""Most of the time that the linear program in waves may take."""

WAVES_GAP = 0.1
"""The program runs if the best schedule is further than this, relatively, from the lower bound."""


def improvement_method(instance: Instance, runner: Runner) -> str:
    """Search from the best schedule until one is close enough to the bound known at the start.

    With speed factors it searches on numbers of equal tasks, else over blocks of nodes.
    """
    if not can_search(instance):
        return f"{StopReason.NOT_APPLICABLE}: too many different tasks"
    bound, clock = runner.bound, runner.clock
    target = bound + max(runner.relative_gap * bound, runner.absolute_gap)
    rule = clock.until(clock.seconds, target=target, asked=lambda: runner.makespan <= target)
    start = runner.schedule
    if instance.speed_factors is not None:
        _tell_start(instance, runner)
    best = improve(
        instance,
        runner.schedule,
        rule,
        seed=runner.seed,
        threads=runner.threads,
        shared=Shared(
            lambda makespan: runner.tell(makespan=makespan), runner.tell, lambda: runner.schedule
        ),
    )
    if best.makespan < start.makespan:
        runner.tell(best)
    return StopReason.GAP_CLOSED if runner.makespan <= target else clock.reason


def _tell_start(instance: Instance, runner: Runner) -> None:
    """With many tasks far from the bound, tell what the linear program in waves gives."""
    few = instance.map_tasks + instance.reduce_tasks < MANY_TASKS
    near = runner.makespan <= (1 + WAVES_GAP) * runner.bound
    if few or near or not fits(instance):
        return
    order, clock = by_priority(instance), runner.clock
    optimum = solve_waves(instance, order, clock.until(clock.elapsed + WAVES_SHARE * clock.left))
    if optimum is not None:
        runner.tell(rounded(instance, order, optimum))
