"""The improvement method: better schedules for large instances, and no bound of its own.

`docs/heuristics/improvement-search.md` describes the method.
"""

from __future__ import annotations

import math
from types import ModuleType

from ..heuristics import block_search, class_search
from ..heuristics.stopping_rules import Asked, FirstOf, TargetReached
from ..instances.mapreduce.instance import Instance
from ..instances.mapreduce.schedule import Schedule
from .method import MethodOutcome, SolveRequest, not_applicable
from .progress import Progress
from .stop_reason import StopReason


def searcher(instance: Instance) -> ModuleType:
    """The package that searches: on numbers of equal tasks with speed factors, else over blocks."""
    return block_search if instance.speed_factors is None else class_search


def can_improve(instance: Instance) -> bool:
    """Whether the method can handle an instance."""
    return bool(searcher(instance).can_search(instance))


def improvement_method(instance: Instance, request: SolveRequest) -> MethodOutcome:
    """Search from the incumbent until some method's schedule is close enough to the lower bound.

    With speed factors it searches on numbers of equal tasks, else over blocks of nodes.

    Parameters
    ----------
    instance
        The instance.
    request
        Incumbent, lower bound and limits.

    Returns
    -------
    MethodOutcome
        The schedule is None unless it is shorter than the incumbent; nothing is proved.
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

    rule = FirstOf(clock, TargetReached(target), Asked(lambda: known() <= target))
    if instance.speed_factors is None:
        found = block_search.improve_blocks(
            instance,
            request.incumbent,
            rule,
            seed=request.seed,
            threads=request.threads,
            on_progress=tell,
            on_end=keep,
        )
    else:
        found = class_search.improve_classes(
            instance,
            request.incumbent,
            rule,
            seed=request.seed,
            threads=request.threads,
            others=request.best_schedule,
            on_better=better,
        )
    closed = min(found.makespan, known()) <= target
    stop = StopReason.GAP_CLOSED if closed else clock.reason
    shorter = found.makespan < request.incumbent.makespan
    return MethodOutcome(found if shorter else None, None, "", stop, progress=steps)
