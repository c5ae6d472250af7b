"""A Hadoop history as a graph of stages: setup, maps, reduces and cleanup of each job.

A reduce attempt may begin before its job's maps end. For one from s to f whose gate opens at g, let
o = max(0, g - s) and D = f - max(s, g). *Sure*: it may start from g - o and ends at
max(s + o, g) + D, so it holds its slot as long as in the run. *Likely*: o is cut to what its
shuffle needs. *Least*: o = 0, nothing that happened before the gate is charged.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from ...core.arrays import BoolArray, IntArray
from .projection import Projection, contradicted, counted
from .run import UNKNOWN, Outcome, Run
from .stage_graph import FAR, NO_POOL, Arcs, StageGraph, Tasks, arcs_of

Overlap = Literal["sure", "likely", "least"]

SHUFFLE_QUANTILE = 0.95
"""Of all shuffles that began after the maps, the quantile that a likely one does not exceed."""

OVERHEADS = ("setup", "cleanup", "master")
"""Kinds of stages that are no work."""


@dataclass(frozen=True, eq=False)
class HadoopModel:
    """A history as a graph with setups and cleanups, and what of its jobs no attempt tells.

    `tail` is the time (ms) from the last counted end of each job to its end. `work` says which
    stages are maps or reduces. `moved` counts jobs whose first attempt starts before they were
    submitted.
    """

    run: Run
    projection: Projection
    tail: IntArray
    work: BoolArray
    moved: int
    likely: IntArray


def hadoop_model(run: Run) -> HadoopModel:
    """Project a history into a graph; the run is one of its plans, with no tail after a job."""
    kept = _stages_in_order(run)
    of = counted(run, kept)
    attempts = run.attempts
    shift = min(job.submitted for job in run.jobs)
    shift = min(shift, int(attempts.start[of.attempt].min()))
    start, end = attempts.start[of.attempt] - shift, attempts.end[of.attempt] - shift
    stage = attempts.stage[of.attempt]
    job = np.array([s.job for s in run.stages], dtype=np.int64)
    release, moved = _releases(run, shift, job[stage], start)
    arcs, dropped = _arcs(run, stage, start, end)
    slots, capacity, slot = of.slots(run, shift)
    stages, jobs = len(run.stages), len(run.jobs)
    sinks = [(s, stages + int(j), 0) for s, j in enumerate(job) if kept[s]]
    all_arcs = arcs_of([*arcs.triples(), *sinks])
    last = release.copy()
    np.maximum.at(last, job[stage], end)
    ended = np.array([j.ended if j.ended == UNKNOWN else j.ended - shift for j in run.jobs])
    names = [s.name for s in run.stages] + [f"end of {j.name}" for j in run.jobs]
    has = np.bincount(stage, minlength=stages) > 0
    graph = StageGraph(
        name=run.name,
        pools=run.pools,
        job_names=tuple(j.name for j in run.jobs),
        job_release=release,
        job_weight=np.array([j.weight for j in run.jobs], dtype=float),
        stage_names=tuple(names),
        stage_job=np.append(np.where([s.stays for s in run.stages], UNKNOWN, job), np.arange(jobs)),
        stage_pool=np.append(
            np.where(has, [s.pool for s in run.stages], NO_POOL), np.full(jobs, NO_POOL)
        ),
        stage_release=np.append(release[job], release),
        tasks=Tasks(
            stage,
            end - start,
            np.zeros_like(start),
            end - (of.held.until[of.attempt] - shift),
            of.attempt,
        ),
        arcs=all_arcs,
        slots=slots,
        capacity=capacity,
    )
    graph, likely = _with_overlaps(run, graph, start, end, arcs)
    return HadoopModel(
        run=run,
        projection=Projection(graph, start, slot, shift, dropped),
        tail=np.maximum(ended - last, 0),
        work=np.array([s.kind not in OVERHEADS for s in run.stages] + [False] * jobs),
        moved=moved,
        likely=likely,
    )


def with_overlap(model: HadoopModel, graph: StageGraph, overlap: Overlap) -> StageGraph:
    """A graph of the model's tasks with another overlap of shuffle and maps."""
    if overlap == "sure":
        return graph
    tasks = graph.tasks
    where = np.full(len(model.run.attempts.start), 0, dtype=np.int64)
    where[model.projection.graph.tasks.attempt] = model.likely
    value = where[tasks.attempt] if overlap == "likely" else np.zeros_like(tasks.overlap)
    return replace(graph, tasks=replace(tasks, overlap=np.minimum(tasks.overlap, value)))


def with_overheads(model: HadoopModel, longer: IntArray, tail: IntArray) -> StageGraph:
    """The graph with every task so much longer, and every job's end so much later (ms)."""
    graph, stages = model.projection.graph, len(model.run.stages)
    arcs = graph.arcs
    ends = arcs.child >= stages
    lag = arcs.lag + np.where(ends, tail[np.where(ends, arcs.child - stages, 0)], 0)
    release = graph.stage_release.copy()
    release[stages:] += tail  # of a job without any stage
    return replace(
        graph,
        tasks=replace(graph.tasks, time=graph.tasks.time + longer),
        arcs=Arcs(arcs.parent, arcs.child, lag),
        stage_release=release,
    )


def without_stages(graph: StageGraph, gone: BoolArray) -> StageGraph:
    """The graph without the tasks of these stages, which end when their gates open."""
    tasks = graph.tasks
    kept = ~gone[tasks.stage]
    columns = (c[kept] for c in (tasks.stage, tasks.time, tasks.overlap, tasks.cut, tasks.attempt))
    return replace(
        graph, tasks=Tasks(*columns), stage_pool=np.where(gone, NO_POOL, graph.stage_pool)
    )


def _stages_in_order(run: Run) -> BoolArray:
    """Stages that are maps or reduces, setups before all of them and cleanups after all of them.

    Cleanups of failed attempts are attempts that do not count; masters stay where they were.
    """
    attempts = run.attempts
    good = attempts.outcome == Outcome.SUCCESS
    first = np.full(len(run.jobs), np.iinfo(np.int64).max)
    last = np.full(len(run.jobs), np.iinfo(np.int64).min)
    job = np.array([s.job for s in run.stages], dtype=np.int64)
    kind = np.array([s.kind for s in run.stages])
    work = ~np.isin(kind, OVERHEADS) & (job >= 0)
    at = np.flatnonzero(good & work[attempts.stage])
    np.minimum.at(first, job[attempts.stage[at]], attempts.start[at])
    np.maximum.at(last, job[attempts.stage[at]], attempts.end[at])
    kept = work | (kind == "setup") | (kind == "cleanup")
    for s in np.flatnonzero(~work & (job >= 0)).tolist():
        own = good & (attempts.stage == s)
        begins, ends = attempts.start[own].min(initial=1 << 60), attempts.end[own].max(initial=0)
        if kind[s] == "setup":
            kept[s] = ends <= first[job[s]]
        elif kind[s] == "cleanup":
            kept[s] = begins >= last[job[s]] > 0
    return np.asarray(kept & (job >= 0))


def _releases(run: Run, shift: int, job: IntArray, start: IntArray) -> tuple[IntArray, int]:
    """Release of each job (ms): its submission, or the first start of its counted attempts."""
    submitted = np.array([j.submitted - shift for j in run.jobs], dtype=np.int64)
    release = submitted.copy()
    np.minimum.at(release, job, start)
    return release, int((release < submitted).sum())


def _arcs(
    run: Run, stage: IntArray, start: IntArray, end: IntArray
) -> tuple[Arcs, tuple[tuple[int, int], ...]]:
    """Setup before maps before reduces before cleanup, but for what the log contradicts.

    Reduces begin before maps end: that is their overlap and contradicts nothing. Only a reduce
    that ended before a map did contradicts its arc.
    """
    triples = []
    of_job: dict[int, list[int]] = {}
    for s, one in enumerate(run.stages):
        of_job.setdefault(one.job, []).append(s)
    of_job.pop(-1, None)
    for own in of_job.values():
        kinds = {s: run.stages[s].kind for s in own}
        works = [s for s in own if kinds[s] not in OVERHEADS]
        triples += [(p, s, 0) for s in works for p in run.stages[s].parents]
        triples += [(p, s, 0) for p in own if kinds[p] == "setup" for s in works]
        triples += [(p, s, 0) for s in own if kinds[s] == "cleanup" for p in works]
    arcs = arcs_of(triples)
    count = len(run.stages)
    first, first_end = (np.full(count, np.iinfo(np.int64).max) for _ in range(2))
    last = np.full(count, np.iinfo(np.int64).min)
    np.minimum.at(first, stage, start)
    np.minimum.at(first_end, stage, end)
    np.maximum.at(last, stage, end)
    reduces = np.array([s.kind == "reduce" for s in run.stages], dtype=bool)
    data = np.array([run.stages[p].kind not in OVERHEADS for p in arcs.parent], dtype=bool)
    shuffles = reduces[arcs.child] & data
    wrong = np.where(
        shuffles, first_end[arcs.child] < last[arcs.parent], contradicted(arcs, first, last)
    )
    dropped = tuple(zip(arcs.parent[wrong].tolist(), arcs.child[wrong].tolist(), strict=True))
    return Arcs(arcs.parent[~wrong], arcs.child[~wrong], arcs.lag[~wrong]), dropped


def _with_overlaps(
    run: Run, graph: StageGraph, start: IntArray, end: IntArray, arcs: Arcs
) -> tuple[StageGraph, IntArray]:
    """The graph with the overlaps of the run, and the likely ones (ms)."""
    tasks, stages = graph.tasks, len(run.stages)
    last = np.full(graph.stages, -FAR)
    np.maximum.at(last, tasks.stage, end)
    gate = np.full(graph.stages, -FAR)
    np.maximum.at(gate, arcs.child, last[arcs.parent])
    reduces = np.array([s.kind == "reduce" for s in run.stages] + [False] * (graph.stages - stages))
    opens = np.where(reduces[tasks.stage], gate[tasks.stage], start)
    overlap = np.maximum(0, opens - start)
    time = end - np.maximum(start, opens)
    shuffled = run.attempts.shuffle_end[tasks.attempt]
    shuffle = shuffled - run.attempts.start[tasks.attempt]
    after = (shuffled >= 0) & reduces[tasks.stage] & (overlap == 0)
    usual = np.quantile(shuffle[after], SHUFFLE_QUANTILE) if after.any() else np.inf
    longest = np.full(graph.stages, -1.0)
    np.maximum.at(longest, tasks.stage[after], shuffle[after].astype(float))
    own = longest[tasks.stage]
    need = np.where(own >= 0, np.minimum(own, usual), usual)
    computing = run.attempts.end[tasks.attempt] - shuffled
    cut = np.where(np.isfinite(need) & (shuffled >= 0), computing + need - time, np.inf)
    likely = np.minimum(overlap, np.maximum(np.minimum(cut, 1e15), 0).astype(np.int64))
    return replace(graph, tasks=replace(tasks, time=time, overlap=overlap)), likely
