"""The audit of a Hadoop history: overheads kept, then without what the platform adds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ...core.arrays import IntArray
from ...core.calls.objective import Objective
from ...core.clock import Clock
from ...core.wording import plural
from ...formulations.history.makespan_bounds import Bound
from ...heuristics.history.search import Goal
from ...instances.history.hadoop_graph import (
    HadoopModel,
    Overlap,
    hadoop_model,
    with_overheads,
    with_overlap,
    without_stages,
)
from ...instances.history.master_starts import with_master_starts
from ...instances.history.occupation import occupation
from ...instances.history.projection import BrokenRun
from ...instances.history.run import Run
from ...instances.history.stage_graph import Plan, StageGraph, timed
from .audit import Audit, AuditOptions, Reference, check_sum, checked_run
from .exact import exact_bound
from .hadoop_replays import AFTER, BEAT, IDLE, SETUP, WAIT, HadoopReplays, hadoop_replays
from .masters import masters_told
from .replay import EventGraph, carried, event_graph, in_order, on_any_slot
from .steps import FAILED, SLOT, Cause, Model, Step, check_plan, searched

LITTLE = 0.01
"""Share of the run over which jobs may arrive and still count as a batch."""

GOOD = 0.005
"""Gap at which a search ends."""

ORDER = ("order of the jobs", "another order of jobs and tasks")
AGAIN = ("order again", "another order, with the time that this leaves")
HELD = ("waiting reduces", "slots held by reduces that wait for maps; an estimate")
UNKNOWN_OVERLAP = ("overlap not known", "what reduces may have done before their maps ended")

Bounds = Callable[[StageGraph, float], Bound]
"""The bound of the goal in a graph, given the value (ms) of a plan of it."""


@dataclass(frozen=True, eq=False)
class HadoopGraphs:
    """The models of an audit with what each leaves out, from the most overheads to none."""

    model: HadoopModel
    kept: StageGraph
    no_setup: StageGraph
    no_end: StageGraph
    none: StageGraph


@dataclass(frozen=True, eq=False)
class Replayed:
    """The steps by replay, and the plan in the graph with overheads kept that they end with."""

    ends: list[tuple[Cause, IntArray]]
    replays: HadoopReplays
    graphs: HadoopGraphs
    plan: Plan


def replayed(run: Run, heartbeat: float) -> Replayed:
    """Take the scheduler's causes away that need no search. Raises `BrokenRun`."""
    run = with_master_starts(run)
    model = hadoop_model(run)
    plan = checked_run(model.projection)
    held = occupation(run)
    if held.cut:
        raise BrokenRun(
            f"{run.name}: the run breaks the model in {held.cut} places (attempts on full hosts: "
            "more slots are needed than were given): no verdict"
        )
    nodes = event_graph(run, model.projection, held)
    replays = hadoop_replays(model, nodes, round(heartbeat * 1000))
    ends: list[tuple[Cause, IntArray]] = [(("", "as it ran"), replays.ends())]
    gone = (FAILED, WAIT, IDLE)
    ends += [(cause, replays.ends(gone[: k + 1])) for k, cause in enumerate(gone)]
    kept, lags = nodes.counts, replays.lags(gone)
    graphs = _graphs(model, replace(nodes, lag=lags), replays.tails(gone))
    start = np.empty_like(plan.start)
    start[nodes.task[kept]] = replays.replayed(gone).start[kept] - lags[kept]
    plan = timed(graphs.kept, start, model.projection.slot)
    assert np.array_equal(plan.job_end, ends[-1][1])
    plan = on_any_slot(graphs.kept, plan)
    check_plan(graphs.kept, plan)
    ends.append((SLOT, plan.job_end))
    return Replayed(ends, replays, graphs, plan)


def _graphs(model: HadoopModel, nodes: EventGraph, tail: IntArray) -> HadoopGraphs:
    longer = np.zeros(len(model.projection.graph.tasks), dtype=np.int64)
    longer[nodes.task[nodes.counts]] = nodes.lag[nodes.counts]
    kinds = np.array([s.kind for s in model.run.stages] + [""] * len(model.run.jobs))
    kept = with_overheads(model, longer, tail)
    no_setup = without_stages(kept, kinds == "setup")
    sure = with_overheads(model, longer, np.zeros_like(tail))
    no_end = without_stages(without_stages(sure, kinds == "setup"), kinds == "cleanup")
    bare = with_overheads(model, np.zeros_like(longer), np.zeros_like(tail))
    none = without_stages(without_stages(bare, kinds == "setup"), kinds == "cleanup")
    return HadoopGraphs(model, kept, no_setup, no_end, none)


def judged(made: Replayed, objective: Objective, goal: Goal, bounds: Bounds, clock: Clock) -> Audit:
    """Audit by one objective, from the replays on."""
    graphs, plan = made.graphs, made.plan
    model, kept = graphs.model, graphs.kept
    steps = [Step(*name, ends, goal(ends)) for name, ends in made.ends]
    bound = bounds(kept, goal(plan.job_end))
    bound = exact_bound(kept, plan, goal, bound, clock.until_left(clock.left * 4 / 5))
    time = clock.left
    best = _searched(kept, bound, ORDER, plan, kept, goal, clock.until_left(time * 4 / 5))
    steps.append(best)
    side = _overlaps(model, kept, bound, best, kept, goal, clock.until_left(time * 2 / 5))
    reference = _reference("kept", "overheads kept", kept, [best, *side], bound)
    assert best.plan is not None
    plan, before = best.plan, kept
    for name, graph in ((SETUP, graphs.no_setup), (AFTER, graphs.no_end), (BEAT, graphs.none)):
        plan = in_order(graph, carried(plan, before, graph))
        before = graph
        steps.append(Step(*name, plan.job_end, goal(plan.job_end)))
    bound = bounds(graphs.none, goal(plan.job_end))
    bound = exact_bound(graphs.none, plan, goal, bound, clock.until_left(clock.left * 2 / 3))
    again = _searched(graphs.none, bound, AGAIN, plan, before, goal, clock.until_left(time / 5))
    held = _overlaps(model, graphs.none, bound, again, graphs.none, goal, clock)
    steps += [again, *held]
    check_sum(steps)
    return Audit(
        run=model.run,
        projection=model.projection,
        objective=objective,
        steps=tuple(steps),
        replays=made.replays,
        kept=5,
        references=(
            reference,
            _reference("none", "without overheads", graphs.none, [again, *held], bound),
        ),
        assumptions=_assumptions(model, kept, best.plan),
    )


def _searched(
    graph: StageGraph,
    bound: Bound,
    name: Cause,
    plan: Plan,
    before: StageGraph,
    goal: Goal,
    clock: Clock,
) -> Step:
    return searched([Model(*name, graph, bound)], plan, before, goal, clock, GOOD)[0]


def _overlaps(
    model: HadoopModel,
    graph: StageGraph,
    bound: Bound,
    best: Step,
    before: StageGraph,
    goal: Goal,
    clock: Clock,
) -> list[Step]:
    """The likely and the least overlap, from the best plan of the sure one."""
    names: tuple[tuple[Cause, Overlap], ...] = (
        (HELD, "likely"),
        (UNKNOWN_OVERLAP, "least"),
    )
    models = [Model(*name, with_overlap(model, graph, overlap), bound) for name, overlap in names]
    assert best.plan is not None
    return searched(models, best.plan, before, goal, clock, GOOD)


def _reference(
    key: str, under: str, graph: StageGraph, steps: list[Step], bound: Bound
) -> Reference:
    sure, likely, least = (step.value for step in steps)
    return Reference(key, under, graph, bound, sure, steps[0].plan, likely, least)


def audit_hadoop(
    run: Run,
    clock: Clock,
    bounds: Callable[[Objective], Bounds],
    goal: Callable[[Replayed, Objective], Goal],
    options: AuditOptions,
) -> Audit:
    """Audit a history by both objectives, the lesser first: in a quarter of the time at most.

    Where the other is the makespan, one job often decides it, and little of its time is used.
    """
    made = replayed(run, options.heartbeat)
    first = options.objective or _fitting(made)
    second: Objective = "makespan" if first == "mean" else "mean"
    share = clock.until_left(clock.left * 3 / 4)
    other = judged(made, second, goal(made, second), bounds(second), share)
    main = judged(made, first, goal(made, first), bounds(first), clock)
    return replace(main, other=other)


def _fitting(made: Replayed) -> Objective:
    """The mean job time as soon as jobs arrive over more than a hundredth of the run."""
    release = made.graphs.kept.job_release
    spread = int(release.max() - release.min())
    return "mean" if spread > LITTLE * float(made.ends[0][1].max()) else "makespan"


def _assumptions(model: HadoopModel, kept: StageGraph, best: Plan) -> tuple[str, ...]:
    """What the figures rest on, in sentences; `best` is the best plan with overheads kept."""
    run = model.run
    slots = plural(len(model.projection.graph.capacity), "slot")
    texts = [
        "Tasks take what they took; that a task beside fewer others is faster, no log tells.",
        "All arrivals and times are known in advance: this is hindsight.",
        f"{slots}, as the history shows them, all the time.",
        "A reduce that began before its job's maps ended holds its slot as long as in the run.",
    ]
    if run.framework == "yarn":
        texts.append(masters_told(run, model.projection, kept, best))
    if model.moved:
        texts.append(
            f"{plural(model.moved, 'job')} began before submission: released at that time."
        )
    if model.projection.dropped:
        dropped = plural(len(model.projection.dropped), "arc")
        texts.append(f"Left out: {dropped} that the log contradicts.")
    return (*texts, *run.notes)
