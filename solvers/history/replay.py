"""The event graph of a run: every attempt starts when its gates are open and its slot is free, and
a lag later; without lags it is what the run would have been at the same order.

Start times are longest paths, so that taking away lags, gates or attempts delays nothing.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, replace

import numpy as np

from ...core.arrays import BoolArray, IntArray
from ...instances.history.occupation import Occupation
from ...instances.history.projection import BrokenRun, Projection
from ...instances.history.run import Run
from ...instances.history.stage_graph import (
    NO_POOL,
    Plan,
    StageGraph,
    timed,
    waiting_order,
)


@dataclass(frozen=True, eq=False)
class EventGraph:
    """Attempts as nodes, in an order in which all that one waits for stands before it (ms).

    `slot` is -1 for an attempt that waits for none. `after` is the attempt whose failure one
    follows, -1 if none. `task` is the place among the graph's tasks, -1 for attempts that do not
    count. `gated` says whether the gate of its stage holds it. `fixed` attempts stay where they
    are.
    """

    graph: StageGraph
    slot: IntArray
    stage: IntArray
    task: IntArray
    time: IntArray
    overlap: IntArray
    cut: IntArray
    after: IntArray
    gated: BoolArray
    fixed: BoolArray
    since: IntArray
    run_start: IntArray
    run_end: IntArray
    lag: IntArray

    @property
    def counts(self) -> BoolArray:
        """Which attempts are the first success of a task."""
        return self.task >= 0

    def with_time(self, time: IntArray) -> EventGraph:
        """The graph with other times (ms), none longer; a slot is freed no later for it.

        A task that holds its slot longer than it now takes holds it as long as it takes.
        """
        return replace(self, time=time, cut=np.maximum(0, time - (self.time - self.cut)))


@dataclass(frozen=True, eq=False)
class Replay:
    """Starts and ends of the attempts, ends of the jobs (ms), and when each could have started."""

    start: IntArray
    end: IntArray
    job_end: IntArray
    ready: IntArray


def event_graph(run: Run, projection: Projection, held: Occupation) -> EventGraph:
    """The event graph of a run; its lags are what the log shows. Raises `BrokenRun`."""
    graph, attempts = projection.graph, run.attempts
    task = np.full(len(attempts.start), -1, dtype=np.int64)
    task[graph.tasks.attempt] = np.arange(len(graph.tasks))
    kept = np.flatnonzero((attempts.end >= attempts.start) & ((task >= 0) | (held.slot >= 0)))
    gate = timed(graph, projection.start, projection.slot).gate
    start, end = attempts.start - projection.shift, attempts.end - projection.shift
    stage = attempts.stage
    # An attempt that does not count may have begun before the gate of its stage.
    gated = (task >= 0) | (start >= gate[stage])
    opens = np.where(gated & (task >= 0), gate[stage], -1)[kept]
    time = np.where(task >= 0, graph.tasks.time[task], end - start)[kept]
    kept = kept[waiting_order(graph, stage[kept], start[kept], opens, time)]
    task = task[kept]
    counts = task >= 0
    start, end = attempts.start[kept] - projection.shift, attempts.end[kept] - projection.shift
    overlap = np.where(counts, graph.tasks.overlap[task], 0)
    nodes = EventGraph(
        graph=graph,
        slot=held.slot[kept],
        stage=attempts.stage[kept],
        task=task,
        time=np.where(counts, graph.tasks.time[task], end - start),
        overlap=overlap,
        cut=attempts.end[kept]
        - np.where(held.slot[kept] >= 0, held.until[kept], attempts.end[kept]),
        after=_after(attempts.stage[kept], attempts.task[kept], start, end, counts),
        gated=gated[kept],
        fixed=graph.stage_job[attempts.stage[kept]] < 0,
        since=held.slots.since - projection.shift,
        run_start=start,
        run_end=end,
        lag=np.zeros(len(kept), dtype=np.int64),
    )
    return _with_lags(nodes)


def _with_lags(nodes: EventGraph) -> EventGraph:
    """The lags of the run: each start less when the attempt could have started."""
    first = replay(replace(nodes, fixed=np.ones_like(nodes.fixed)))
    lag = nodes.run_start - first.ready
    nodes = replace(nodes, lag=np.where(nodes.fixed, 0, lag))
    again = replay(nodes)
    same = np.array_equal(again.start, nodes.run_start) and np.array_equal(
        again.end[nodes.counts], nodes.run_end[nodes.counts]
    )
    if not same or (nodes.lag < 0).any():
        raise BrokenRun(
            f"{nodes.graph.name}: the run breaks the model (replayed, it is another): no verdict"
        )
    return nodes


def replay(nodes: EventGraph, keep: BoolArray | None = None, *, lags: bool = True) -> Replay:
    """Run the graph again: with the attempts of `keep` only, with or without lags."""
    count = len(nodes.stage)
    kept = np.ones(count, dtype=bool) if keep is None else keep
    gates = Gates(nodes.graph)
    start, end, ready = (np.zeros(count, dtype=np.int64) for _ in range(3))
    free = nodes.since.tolist()
    columns = [
        column.tolist()
        for column in (
            nodes.stage,
            nodes.slot,
            nodes.time,
            nodes.overlap,
            nodes.cut,
            nodes.after,
            nodes.gated,
            nodes.fixed,
            nodes.lag,
            nodes.task,
        )
    ]
    for k, (s, m, time, overlap, cut, after, gated, fixed, lag, task) in enumerate(
        zip(*columns, strict=True)
    ):
        if not kept[k]:
            continue
        gate = gates.gate(s) if gated else 0
        at = max(gate - overlap, int(nodes.graph.stage_release[s]) if gated else 0)
        if m >= 0:
            at = max(at, free[m])
        if after >= 0 and kept[after]:
            at = max(at, int(end[after]))
        ready[k] = at
        start[k] = int(nodes.run_start[k]) if fixed else at + (lag if lags else 0)
        over = max(int(start[k]) + overlap, gate) + time if task >= 0 else int(start[k]) + time
        end[k] = over
        if m >= 0:
            free[m] = max(free[m], over - cut)
        if task >= 0:
            gates.ended(s, over)
    return Replay(start, end, nodes.graph.job_ends(gates.ends()), ready)


class Gates:
    """When the gates of stages open, asked once all that they wait for is known."""

    def __init__(self, graph: StageGraph) -> None:
        self.graph = graph
        self.begin, self.parent, self.lag = (column.tolist() for column in graph.parents)
        self.release: list[int] = graph.stage_release.tolist()
        self.empty = (graph.stage_pool == NO_POOL).tolist()
        self.opened: dict[int, int] = {}
        self.last = [0] * graph.stages

    def gate(self, stage: int) -> int:
        """When the gate of a stage opens (ms)."""
        todo = [stage]
        while todo:
            s = todo[-1]
            arcs = range(self.begin[s], self.begin[s + 1])
            unknown = [p for k in arcs if self.empty[p := self.parent[k]] and p not in self.opened]
            if s in self.opened or not unknown:
                todo.pop()
                if s not in self.opened:
                    ends = (self._end(self.parent[k]) + self.lag[k] for k in arcs)
                    self.opened[s] = max([self.release[s], *ends])
            else:
                todo.extend(unknown)
        return self.opened[stage]

    def ended(self, stage: int, end: int) -> None:
        """A task of a stage has ended (ms)."""
        self.last[stage] = max(self.last[stage], end)

    def ends(self) -> IntArray:
        """When all stages end (ms)."""
        for s in self.graph.order.tolist():
            self.gate(s)
        return np.array([self._end(s) for s in range(self.graph.stages)], dtype=np.int64)

    def _end(self, stage: int) -> int:
        """End of a stage; one with tasks whose gate nobody asked for has none that ran yet."""
        return max(self.last[stage], self.opened.get(stage, self.release[stage]))


def _after(
    stage: IntArray, task: IntArray, start: IntArray, end: IntArray, counts: BoolArray
) -> IntArray:
    """The attempt that did not count, of the same task, after whose end each attempt started."""
    after = np.full(len(stage), -1, dtype=np.int64)
    last: dict[tuple[int, int], int] = {}
    for k, key in enumerate(zip(stage.tolist(), task.tolist(), strict=True)):
        before = last.get(key, -1)
        if before >= 0 and not counts[before] and end[before] <= start[k]:
            after[k] = before
        last[key] = k
    return after


def on_any_slot(graph: StageGraph, plan: Plan) -> Plan:
    """The tasks in the order of their starts, each on the slot of its pool that is free first.

    On slots that are always there, with no task before its gate, no task starts later than before.
    Elsewhere the plan stays as it is if some job would end later.
    """
    tasks, gates = graph.tasks, Gates(graph)
    free = graph.slots.since.tolist()
    until = graph.slots.until.tolist()
    heaps: list[list[tuple[int, int]]] = [[] for _ in graph.pools]
    for m, pool in enumerate(graph.slots.pool.tolist()):
        heapq.heappush(heaps[pool], (free[m], m))
    start, slot = plan.start.copy(), plan.slot.copy()
    order = waiting_order(graph, tasks.stage, plan.start, plan.gate[tasks.stage], tasks.time)
    for k in order.tolist():
        s = int(tasks.stage[k])
        gate, heap, aside = gates.gate(s), heaps[graph.stage_pool[s]], []
        earliest = max(gate - int(tasks.overlap[k]), int(graph.stage_release[s]))
        while heap:
            freed, m = heapq.heappop(heap)
            start[k] = max(freed, earliest)
            over = max(int(start[k] + tasks.overlap[k]), gate) + int(tasks.time[k])
            if over - int(tasks.cut[k]) <= until[m]:
                slot[k] = m
                heapq.heappush(heap, (over - int(tasks.cut[k]), m))
                gates.ended(s, over)
                break
            if freed < until[m]:
                aside.append((freed, m))
        else:
            return plan
        for entry in aside:
            heapq.heappush(heap, entry)
    again = timed(graph, start, slot)
    return again if (again.job_end <= plan.job_end).all() else plan


def in_order(graph: StageGraph, plan: Plan) -> Plan:
    """The tasks on the same slots in the same order, each as early as it can be; none is later."""
    tasks, gates = graph.tasks, Gates(graph)
    free, start = graph.slots.since.tolist(), plan.start.copy()
    order = waiting_order(graph, tasks.stage, plan.start, plan.gate[tasks.stage], tasks.time)
    for k in order.tolist():
        s, m = int(tasks.stage[k]), int(plan.slot[k])
        gate, holds = gates.gate(s), graph.held[k] + tasks.overlap[k] > 0
        at = max(gate - int(tasks.overlap[k]), int(graph.stage_release[s]))
        start[k] = max(at, free[m]) if holds else at
        over = max(int(start[k] + tasks.overlap[k]), gate) + int(tasks.time[k])
        if holds:
            free[m] = over - int(tasks.cut[k])
        gates.ended(s, over)
    return timed(graph, start, plan.slot)


def carried(plan: Plan, before: StageGraph, graph: StageGraph) -> Plan:
    """The plan in a graph with the same or fewer tasks, all of which can be as they were.

    A task whose overlap is shorter begins later within the time that it held its slot anyway.
    """
    kept = np.isin(before.tasks.attempt, graph.tasks.attempt)
    start, slot = plan.start[kept], plan.slot[kept]
    gates, rank = Gates(graph), np.empty(graph.stages, dtype=np.int64)
    rank[graph.order] = np.arange(graph.stages)
    tasks = graph.tasks
    for k in np.argsort(rank[tasks.stage], kind="stable").tolist():
        s = int(tasks.stage[k])
        gate = gates.gate(s)
        start[k] = max(int(start[k]), gate - int(tasks.overlap[k]))
        gates.ended(s, max(int(start[k] + tasks.overlap[k]), gate) + int(tasks.time[k]))
    return timed(graph, start, slot)
