"""The audit of a Spark application: its order kept, then without what the platform adds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from ...core.clock import Clock
from ...core.wording import listed, plural
from ...formulations.history.makespan_bounds import makespan_bound
from ...heuristics.history.search import Goal
from ...instances.history.occupation import occupation
from ...instances.history.projection import Projection
from ...instances.history.run import UNKNOWN, Run
from ...instances.history.spark_graph import driver_only, spark_graph
from ...instances.history.stage_graph import FAR, Slots, StageGraph, timed
from .audit import Audit, Reference, check_sum, checked_run
from .replay import event_graph, on_any_slot
from .spark_replays import DELAY, DRIVER, IDLE, LATE, SparkReplays
from .steps import FAILED, SLOT, Cause, Model, Step, searched

ORDER = ("order of the tasks", "another order; the program and its driver as they were")
WITHOUT = {
    DRIVER: "without the driver's time between jobs",
    DELAY: "with tasks cut to reading, running and writing",
    LATE: "with all executors from the first moment to the last",
}
"""What is otherwise when a cause of the platform is taken away."""


def audit_spark(run: Run, clock: Clock) -> Audit:
    """Audit one application; its makespan is from the first submission to the last job's end."""
    projection = spark_graph(run)
    plan = checked_run(projection)
    graph, goal = projection.graph, Goal()
    held = occupation(run)
    nodes = event_graph(run, projection, held)
    platform = _without_platform(run, graph)
    replays = SparkReplays(nodes, platform)
    steps = [Step("", "as it ran", plan.job_end, goal(plan.job_end))]
    for cause, gone in ((FAILED, (FAILED,)), (IDLE, (FAILED, IDLE))):
        again = replays.replayed(gone)
        steps.append(Step(*cause, again.job_end, goal(again.job_end)))
    start = np.empty_like(plan.start)
    start[nodes.task[nodes.counts]] = again.start[nodes.counts]
    plan = on_any_slot(graph, timed(graph, start, projection.slot))
    steps.append(Step(*SLOT, plan.job_end, goal(plan.job_end)))
    models = [Model(*ORDER, graph, makespan_bound(graph))]
    models += [Model(*name, other, makespan_bound(other)) for name, other in platform.items()]
    steps += searched(models, plan, graph, goal, clock)
    data = spark_graph(run, "data").graph
    best, last = steps[4], steps[-1]
    check_sum(steps)
    return Audit(
        run=run,
        projection=projection,
        objective="makespan",
        steps=tuple(steps),
        replays=replays,
        kept=4,
        references=(
            _reference("kept", "with the program as it is", models[0], best),
            Reference("any order", _any_order(run), data, makespan_bound(data)),
            _reference("none", _without(platform), models[-1], last),
        ),
        facts={
            "driver_only": driver_only(run) / 1000,
            "late_ends": held.cut,
            "late_time": held.cut_time / 1000,
        },
        assumptions=_assumptions(run, projection, held.cut, held.cut_time),
    )


def _reference(key: str, under: str, model: Model, step: Step) -> Reference:
    assert step.bound is not None
    return Reference(key, under, model.graph, step.bound, step.value, step.plan)


def _any_order(run: Run) -> str:
    """What a bound over the data's arcs keeps: tasks and executors, but nothing of the program."""
    there = ", on the same executors while they were there" if len(run.executors) > 1 else ""
    return (
        "whatever the order of its jobs and however quick its driver, with tasks as long as they "
        f"were{there}"
    )


def _without(platform: Iterable[Cause]) -> str:
    """What is otherwise when these causes are taken away, all together."""
    return f"with its jobs in their order, but {listed(WITHOUT[cause] for cause in platform)}"


def _without_platform(run: Run, graph: StageGraph) -> dict[Cause, StageGraph]:
    """Graphs without driver gaps, then also without scheduler delay, then with all executors."""
    gapless = spark_graph(run, "without gaps").graph
    metrics, tasks = run.attempts.metrics, gapless.tasks
    graphs = {DRIVER: gapless}
    if all(name in metrics for name in ("deserialize", "run", "serialize")):
        parts = np.stack([metrics[n][tasks.attempt] for n in ("deserialize", "run", "serialize")])
        work = np.where((parts == UNKNOWN).any(axis=0), tasks.time, parts.sum(axis=0))
        time = np.minimum(tasks.time, work)
        cut = np.maximum(0, time - gapless.held)
        graphs[DELAY] = replace(gapless, tasks=replace(tasks, time=time, cut=cut))
    slots = graph.slots
    # Not where fixed attempts leave parts of them.
    if graph.whole and ((slots.since > 0).any() or (slots.until < FAR).any()):
        always = [
            Slots(s.pool, np.minimum(s.since, 0), np.full_like(s.until, FAR))
            for s in (graph.slots, graph.capacity)
        ]
        last = list(graphs.values())[-1]
        graphs[LATE] = replace(last, slots=always[0], capacity=always[1])
    return graphs


def _assumptions(run: Run, projection: Projection, cut: int, cut_time: int) -> tuple[str, ...]:
    """What the figures rest on, in sentences."""
    texts = [
        "Tasks take what they took; that a task beside fewer others is faster, no log tells.",
        "All jobs and times are known in advance: this is hindsight.",
        "Jobs wait for every job that had ended when they were submitted, and the driver's time "
        "after it; threads of the program may have been independent.",
        f"{plural(len(projection.graph.capacity), 'slot')} on "
        f"{plural(len(run.executors), 'executor')}, while they were there.",
    ]
    if cut:
        texts.append(
            f"{plural(cut, 'slot')} went on before the driver heard of the task's end, by "
            f"{cut_time / 1000:.6g} s in all."
        )
    if any(stage.assumed_parents for stage in run.stages):
        texts.append(
            "The log names no parents: a stage waits for the earlier stages of its job that had "
            "ended when it began. The bound whatever the order does without."
        )
    if projection.dropped:
        texts.append(
            f"Left out: {plural(len(projection.dropped), 'arc')} that the log contradicts."
        )
    strange = sum(stage.job < 0 for stage in run.stages)
    if strange:
        texts.append(
            f"Left out: {plural(strange, 'stage')} that no job names; their tasks stay where they "
            "were."
        )
    return (*texts, *run.notes)
