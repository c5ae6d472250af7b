"""Lower bound of the mean job time by a linear program of mean busy times.

Groups are tasks of a stage with like times; x[g, k] is the slot-time that a group gets in interval
k of a grid. Every schedule makes a point of the program (docs/formulations/audit.md), so that its
optimum is a lower bound.
"""

from __future__ import annotations

import highspy
import numpy as np

from ...core.arrays import FloatArray, IntArray
from ...core.clock import Clock
from ...formulations.history.job_time_bounds import (
    alone_ends,
    job_time_bound,
    own_tails,
)
from ...formulations.history.makespan_bounds import Bound
from ...instances.history.heads_tails import HeadsTails, capacity_steps, heads_and_tails
from ...instances.history.stage_graph import NO_POOL, StageGraph

INTERVALS = 150
"""Intervals of the grid up to the end of the plan."""

MOST_GROUPS = 400
"""Groups with which the program is still solved; with more, closed bounds have to do."""

RATIO, MOST_PER_STAGE = 1.4, 4
CUT = 1e-7
"""Relative tolerance of the solver, taken off the bound."""

SECOND = 1000.0
"""Milliseconds of the program's unit."""


def best_job_time_bound(graph: StageGraph, value: float, clock: Clock) -> Bound:
    """The best bound of the weighted mean job time (ms); `value` is that of some plan."""
    times = heads_and_tails(graph)
    closed = job_time_bound(graph, times)
    program = _Program(graph, times, value)
    if closed.value >= value * (1 - CUT) or len(program.group_stage) > MOST_GROUPS:
        return closed
    solved = program.solved(clock)
    if solved is None:
        return closed
    return max(closed, Bound(min(solved, value), "mean busy times"), key=lambda b: b.value)


class _Program:
    """The program of one graph."""

    def __init__(self, graph: StageGraph, times: HeadsTails, value: float) -> None:
        self.graph, self.times = graph, times
        self.slots = [capacity_steps(graph, p).most for p in range(len(graph.pools))]
        groups = list(_groups(graph))
        self.group_stage = np.array([s for s, _, _ in groups], dtype=np.int64)
        self.held = [graph.held[a:b] / SECOND for _, a, b in groups]
        self.work = np.array([float(held.sum()) for held in self.held])
        self.release = graph.job_release / SECOND
        self.weight = graph.job_weight / graph.job_weight.sum()
        self.alone = alone_ends(graph, times) / SECOND
        self.tail = own_tails(graph, times) / SECOND
        self.grid = self._grid(value / SECOND)
        self.cost: list[float] = []
        self.low: list[float] = []
        self.high: list[float] = []
        self.rows: list[tuple[float, float, list[int], list[float]]] = []

    def _grid(self, value: float) -> FloatArray:
        """Times that contain the heads; the last is one by which a best schedule has ended.

        In a best schedule no job takes longer than what the mean of a known plan leaves for it
        beside what the others need at least.
        """
        spare = value - float(self.weight @ (self.alone - self.release))
        with np.errstate(divide="ignore"):
            latest = np.where(self.weight > 0, self.alone + max(spare, 0.0) / self.weight, 0.0)
        last = float(max(latest.max(), self.alone.max())) + 1.0
        heads = np.unique(self.times.head[self.group_stage]) / SECOND
        heads = heads[:: -(-len(heads) // INTERVALS)] if len(heads) else heads
        near = min(last, float(self.alone.max()) * 1.05 + 1.0)
        points = [np.linspace(0.0, near, INTERVALS + 1), heads]
        far = near
        while far < last:
            far = min(last, far * 1.5)
            points.append(np.array([far]))
        grid = np.unique(np.concatenate(points))
        apart = np.append(True, np.diff(grid) > 1e-6)
        return np.asarray(grid[apart])

    def column(self, low: float, high: float, cost: float = 0.0) -> int:
        """A new variable."""
        self.low.append(low)
        self.high.append(high)
        self.cost.append(cost)
        return len(self.cost) - 1

    def row(self, low: float, high: float, terms: list[tuple[int, float]]) -> None:
        """A new row."""
        self.rows.append((low, high, [c for c, _ in terms], [v for _, v in terms]))

    def solved(self, clock: Clock) -> float | None:
        """The optimum, less the solver's tolerance (ms), None if the time was too short."""
        graph, times = self.graph, self.times
        begin = [
            self.column(times.head[s] / SECOND, highspy.kHighsInf) for s in range(graph.stages)
        ]
        end = [
            self.column(
                max(times.head[s] + times.alone[s], times.earliest_end[s]) / SECOND,
                highspy.kHighsInf,
            )
            for s in range(graph.stages)
        ]
        done = [
            self.column(float(self.alone[j]), highspy.kHighsInf, float(self.weight[j]))
            for j in range(graph.jobs)
        ]
        for s in range(graph.stages):
            self.row(times.alone[s] / SECOND, highspy.kHighsInf, [(end[s], 1.0), (begin[s], -1.0)])
            if graph.stage_job[s] >= 0:
                terms = [(done[graph.stage_job[s]], 1.0), (end[s], -1.0)]
                self.row(float(self.tail[s]), highspy.kHighsInf, terms)
        arcs = graph.arcs
        for p, c, lag in zip(arcs.parent, arcs.child, arcs.lag, strict=True):
            self.row(lag / SECOND, highspy.kHighsInf, [(begin[c], 1.0), (end[p], -1.0)])
        self._work(begin, end)
        value = self._run(clock)
        if value is None:
            return None
        value -= float(self.weight @ self.release)
        return (value - CUT * max(abs(value), 1.0)) * SECOND

    def _work(self, begin: list[int], end: list[int]) -> None:
        """Slot-times, mean busy times, and the slots of each pool."""
        ends, lengths = self.grid[1:], np.diff(self.grid)
        pool_rows: dict[tuple[int, int], list[tuple[int, float]]] = {}
        means: dict[int, list[tuple[int, int]]] = {}
        for g, s in enumerate(self.group_stage.tolist()):
            pool = int(self.graph.stage_pool[s])
            rate, head = min(len(self.held[g]), self.slots[pool]), self.times.head[s] / SECOND
            mean = self.column(0.0, highspy.kHighsInf)
            total, least, most = [], [], []
            for k in np.flatnonzero(ends > head + 1e-9).tolist():
                first = max(head, float(self.grid[k]))
                length = float(ends[k]) - first
                x = self.column(0.0, rate * length)
                late = self.column(0.0, highspy.kHighsInf)
                tangent = -rate * length * length / 2
                self.row(tangent, highspy.kHighsInf, [(late, 1.0), (x, -length)])
                total.append((x, 1.0))
                least += [(x, first), (late, 1.0)]
                most.append((x, float(ends[k])))
                pool_rows.setdefault((pool, k), []).append((x, 1.0))
            work = float(self.work[g])
            self.row(work, work, total)
            self.row(-highspy.kHighsInf, 0.0, [*least, (mean, -work)])
            self.row(-highspy.kHighsInf, 0.0, [(mean, work), *((c, -v) for c, v in most)])
            self._between(begin[s], end[s], [(mean, 1.0)], _spread(self.held[g], self.slots[pool]))
            means.setdefault(s, []).append((mean, g))
        for s, own in means.items():
            if len(own) > 1:
                work = float(sum(self.work[g] for _, g in own))
                held = np.concatenate([self.held[g] for _, g in own])
                terms = [(mean, float(self.work[g]) / work) for mean, g in own]
                self._between(
                    begin[s], end[s], terms, _spread(held, self.slots[self.graph.stage_pool[s]])
                )
        for (pool, k), terms in pool_rows.items():
            self.row(0.0, self.slots[pool] * float(lengths[k]), terms)

    def _between(self, begin: int, end: int, mean: list[tuple[int, float]], spread: float) -> None:
        """A mean busy time is so far after the stage's begin, and so far before its end."""
        self.row(spread, highspy.kHighsInf, [*mean, (begin, -1.0)])
        self.row(spread, highspy.kHighsInf, [(end, 1.0), *((c, -v) for c, v in mean)])

    def _run(self, clock: Clock) -> float | None:
        program = highspy.HighsLp()
        program.num_col_, program.num_row_ = len(self.cost), len(self.rows)
        program.col_cost_ = np.array(self.cost)
        program.col_lower_, program.col_upper_ = np.array(self.low), np.array(self.high)
        program.row_lower_ = np.array([low for low, *_ in self.rows])
        program.row_upper_ = np.array([high for _, high, *_ in self.rows])
        matrix = program.a_matrix_
        matrix.format_ = highspy.MatrixFormat.kRowwise
        counts = [0, *(len(columns) for _, _, columns, _ in self.rows)]
        matrix.start_ = np.cumsum(counts).astype(np.int32)
        matrix.index_ = np.array([c for *_, cs, _ in self.rows for c in cs], dtype=np.int32)
        matrix.value_ = np.array([v for *_, vs in self.rows for v in vs])
        highs = highspy.Highs()  # type: ignore[no-untyped-call]
        highs.setOptionValue("output_flag", False)
        highs.setOptionValue("threads", 1)
        highs.setOptionValue("time_limit", max(min(clock.left, 1e6), 0.1))
        highs.passModel(program)
        highs.run()
        if highs.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            return None
        return float(highs.getInfo().objective_function_value)


def _groups(graph: StageGraph) -> list[tuple[int, int, int]]:
    """Stage, first and last task of each group: the longest first, times within a factor."""
    groups = []
    for s in range(graph.stages):
        at, end = int(graph.task_offsets[s]), int(graph.task_offsets[s + 1])
        if graph.stage_pool[s] == NO_POOL:
            continue
        made = 0
        while at < end:
            alike = graph.held[at:end] * RATIO >= graph.held[at]
            last = made == MOST_PER_STAGE - 1 or alike.all()
            size = end - at if last else int(np.argmin(alike))
            if graph.held[at : at + size].sum() > 0:
                groups.append((s, at, at + size))
            at += size
            made += 1
    return groups


def _spread(held: FloatArray | IntArray, slots: int) -> float:
    """How far (s) the mean busy time of tasks on so many slots is at least from begin and end.

    A slot with load l that ends by C has moment at most l C - l²/2: the least sum of l²/2 counts.
    Tasks alone on slots while they are at least the mean of what is left, the rest level.
    """
    longest = np.sort(held)[::-1]
    work = float(longest.sum())
    left, squares, free = work, 0.0, slots
    for time in longest.tolist():
        if free <= 1 or time * free < left:
            break
        squares += time * time / 2
        left -= time
        free -= 1
    squares += left * left / (2 * free)
    return max(squares, float((longest * longest).sum()) / 2) / work
