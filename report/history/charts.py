"""What the charts of an audit's page draw: bars on slots, or slots of each job over time."""

from __future__ import annotations

import heapq
from typing import Any

import numpy as np

from ...core.arrays import FloatArray, IntArray
from ...instances.history.occupation import occupation
from ...instances.history.stage_graph import Plan, StageGraph
from ...solvers.history.audit import Audit

MOST_BARS = 20_000
"""Bars of a chart; with more tasks, areas are drawn."""

COLUMNS = 400
"""Points in time of areas."""

NAMED = 7
"""Jobs that have an area of their own; the others share one."""

RUNS, WAITS, FAILS = 0, 1, 2
"""Kinds of bars: work, a reduce that waits for maps, an attempt that does not count."""


def charts(audit: Audit) -> dict[str, Any]:
    """Both charts on one axis of seconds: as it ran, and the best plan."""
    ran, best = _as_it_ran(audit), _best(audit)
    plan = audit.shown.plan
    assert plan is not None
    last = max(audit.steps[0].job_end.max(), plan.job_end.max()) / 1000
    document: dict[str, Any] = {"last": round(float(last), 3)}
    if len(ran["job"]) > MOST_BARS:
        document["areas"] = _areas((ran, best), float(last))
    else:
        document["bars"] = [
            {name: column.tolist() for name, column in chart.items()} for chart in (ran, best)
        ]
    return document


def _as_it_ran(audit: Audit) -> dict[str, IntArray]:
    run, projection = audit.run, audit.projection
    graph, held = projection.graph, occupation(run)
    attempts, shift = run.attempts, projection.shift
    kept = np.flatnonzero((held.slot >= 0) & (attempts.end > attempts.start))
    counts = np.isin(kept, graph.tasks.attempt)
    job = np.array([stage.job for stage in run.stages], dtype=np.int64)
    start, end = attempts.start[kept] - shift, held.until[kept] - shift
    overlap = np.zeros(len(attempts.start), dtype=np.int64)
    overlap[graph.tasks.attempt] = graph.tasks.overlap
    kind = np.where(counts, RUNS, FAILS)
    return _bars(
        held.slot[kept], start, end, job[attempts.stage[kept]], kind, start + overlap[kept]
    )


def _best(audit: Audit) -> dict[str, IntArray]:
    graph, plan = audit.shown.graph, audit.shown.plan
    assert plan is not None
    tasks = graph.tasks
    gate = plan.gate[tasks.stage]
    until = plan.end - tasks.cut
    kept = until > plan.start
    waits = np.where(tasks.overlap > 0, np.minimum(gate, until), plan.start)
    kind = np.full(kept.sum(), RUNS)
    job = graph.stage_job[tasks.stage]
    columns = (_rows(graph, plan, until), plan.start, until, job, waits)
    slot, start, end, job, waits = (column[kept] for column in columns)
    return _bars(slot, start, end, job, kind, waits)


def _rows(graph: StageGraph, plan: Plan, until: IntArray) -> IntArray:
    """The slot of each task; where fixed attempts leave parts of slots, one of its pool that is
    free: slots of a pool are alike."""
    if graph.whole:
        return plan.slot
    rows = plan.slot.copy()
    pools = graph.capacity.pool
    free = [[(0, int(m)) for m in np.flatnonzero(pools == p)] for p in range(len(graph.pools))]
    for k in np.argsort(plan.start, kind="stable").tolist():
        slots = free[graph.slots.pool[plan.slot[k]]]
        if until[k] > plan.start[k]:
            rows[k] = heapq.heappop(slots)[1]
            heapq.heappush(slots, (int(until[k]), int(rows[k])))
    return rows


def _bars(
    slot: IntArray, start: IntArray, end: IntArray, job: IntArray, kind: IntArray, work: IntArray
) -> dict[str, IntArray]:
    """Bars from `start` to `end` (ms); what is before `work` is a bar of its own that waits."""
    waits = work > start
    middle = np.minimum(work, end)
    first = {
        "slot": slot[waits],
        "start": start[waits],
        "end": middle[waits],
        "job": job[waits],
        "kind": np.full(int(waits.sum()), WAITS),
    }
    rest = np.where(waits, middle, start) < end
    second = {
        "slot": slot[rest],
        "start": np.where(waits, middle, start)[rest],
        "end": end[rest],
        "job": job[rest],
        "kind": kind[rest],
    }
    return {name: np.concatenate((first[name], second[name])) for name in first}


def _areas(both: tuple[dict[str, IntArray], dict[str, IntArray]], last: float) -> dict[str, Any]:
    """Mean slots that each of the largest jobs holds, and all others, over time."""
    ran, _ = both
    jobs = int(max(chart["job"].max(initial=0) for chart in both)) + 1
    work = np.bincount(
        np.maximum(ran["job"], 0), (ran["end"] - ran["start"]).astype(float), minlength=jobs
    )
    named = np.argsort(-work, kind="stable")[:NAMED]
    layer = np.full(jobs + 1, len(named))
    layer[named] = np.arange(len(named))
    layers = [_held(chart, layer, len(named) + 1, last).round(2).tolist() for chart in both]
    return {"jobs": named.tolist(), "layers": layers}


def _held(chart: dict[str, IntArray], layer: IntArray, layers: int, last: float) -> FloatArray:
    """Shape (layers, COLUMNS): mean slots held within each column."""
    edges = np.linspace(0.0, last * 1000, COLUMNS + 1)
    of = layer[chart["job"]]
    held = np.zeros((layers, COLUMNS))
    for k in range(layers):
        start, end = np.sort(chart["start"][of == k]), np.sort(chart["end"][of == k])
        # Time held before an edge: that of all begun, less what of it comes after.
        before = [_held_before(start, edge) - _held_before(end, edge) for edge in edges]
        held[k] = np.diff(before) / np.diff(edges)
    return held


def _held_before(times: IntArray, edge: float) -> float:
    count = int(np.searchsorted(times, edge))
    return count * edge - float(times[:count].sum())
