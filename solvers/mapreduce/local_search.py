"""The improvement method: better schedules for large instances, and no bound of its own.

`docs/heuristics/improvement-search.md` describes the method.
"""

from __future__ import annotations

import math
from types import ModuleType

from ...core.clock import Clock, StopReason
from ...heuristics.mapreduce import block_search, class_search
from ...heuristics.mapreduce.hmhs.priority import by_priority
from ...instances.mapreduce.instance import Instance
from ...instances.mapreduce.schedule import Schedule
from ..progress import Progress
from .method import MethodOutcome, SolveRequest, exact_method, not_applicable
from .pattern_prices.patterns import fits as pattern_prices_fit
from .pattern_prices.rounding import PatternRounding
from .relaxations.unrelated_machines import rounded
from .relaxations.waves import can_pour, poured

POUR_SHARE = 0.25
"""Most of the time that the linear program in waves may take."""

POUR_GAP = 0.1
"""The program runs if the incumbent is further than this, relatively, from the lower bound."""


def searcher(instance: Instance) -> ModuleType:
    """The package that searches: on numbers of equal tasks with speed factors, else over blocks."""
    return block_search if instance.speed_factors is None else class_search


def can_improve(instance: Instance) -> bool:
    return bool(searcher(instance).can_search(instance))


@exact_method
def improvement_method(instance: Instance, request: SolveRequest) -> MethodOutcome:
    """Search from the incumbent until some method's schedule is close enough to the lower bound.

    With speed factors it searches on numbers of equal tasks, else over blocks of nodes.
    """
    if not can_improve(instance):
        return not_applicable("too many different tasks")
    gap = max(request.relative_gap * request.lower_bound, request.absolute_gap)
    target = request.lower_bound + gap
    steps: list[Progress] = []

    def tell(seconds: float, makespan: float) -> None:
        steps.append(Progress(seconds, makespan, None))
        if request.on_progress is not None:
            request.on_progress(steps[-1])

    def known() -> float:
        return request.best() if request.best is not None else math.inf

    clock = request.clock()

    def keep(schedule: Schedule) -> None:
        request.keep(MethodOutcome(schedule, None))

    def better(schedule: Schedule) -> None:
        tell(clock.elapsed, schedule.makespan)
        keep(schedule)

    rule = clock.until(clock.seconds, target=target, asked=lambda: known() <= target)
    if instance.speed_factors is None:
        improved = block_search.improve_blocks(
            instance,
            request.incumbent,
            rule,
            seed=request.seed,
            threads=request.threads,
            on_progress=tell,
            on_end=keep,
        )
    else:
        start = _start(instance, request, clock)
        if start is not request.incumbent:
            better(start)
        improved = class_search.improve_classes(
            instance,
            start,
            rule,
            seed=request.seed,
            threads=request.threads,
            exchange=class_search.Exchange(better, request.best_schedule or (lambda: None)),
            rounding=PatternRounding if pattern_prices_fit(instance) else None,
        )
    closed = min(improved.makespan, known()) <= target
    stop = StopReason.GAP_CLOSED if closed else clock.reason
    shorter = improved.makespan < request.incumbent.makespan
    return MethodOutcome(improved if shorter else None, None, "", stop, progress=steps)


def _start(instance: Instance, request: SolveRequest, clock: Clock) -> Schedule:
    """The incumbent, or with many tasks what the linear program in waves gives, if shorter."""
    start = request.incumbent
    few = instance.map_tasks + instance.reduce_tasks < class_search.MANY_TASKS
    near = start.makespan <= (1 + POUR_GAP) * request.lower_bound
    if few or near or not can_pour(instance):
        return start
    order = by_priority(instance)
    optimum = poured(instance, order, clock.until(clock.elapsed + POUR_SHARE * clock.left))
    if optimum is None:
        return start
    return min(start, rounded(instance, order, optimum), key=lambda schedule: schedule.makespan)
