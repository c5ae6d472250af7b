"""Lower bound of the mean job time by a linear program of mean busy times.

x[g, k] is the slot-time that a group of tasks gets in interval k of a grid. Every schedule makes a
point of the program, so that its optimum is a lower bound.
"""

from __future__ import annotations

import highspy
import numpy as np

from ..core.arrays import FloatArray
from ..core.clock import Clock
from ..formulations.busy_times import Stages, spread

LEAST_INTERVALS, MOST_INTERVALS, CELLS = 150, 600, 60_000
"""Intervals of the grid up to the end of the plan: as many as keep the cells of groups and
intervals below a number. Fine grids gain up to one part in a hundred."""

MOST_GROUPS = 400
"""Groups with which the program is still solved; with more, closed bounds have to do."""

CUT = 1e-7
"""Relative tolerance of the solver, taken off the bound."""


def busy_time_bound(stages: Stages, value: float, clock: Clock) -> float | None:
    """A lower bound of the mean job time, given that of some schedule, less the tolerance.

    None with too many groups, or too little time.
    """
    if len(stages.groups) > MOST_GROUPS:
        return None
    solved = _Program(stages, value).solved(clock)
    return None if solved is None else min(solved, value)


class _Program:
    """The program of some stages."""

    def __init__(self, stages: Stages, value: float) -> None:
        self.stages = stages
        self.grid = self._grid(value)
        self.cost: list[float] = []
        self.low: list[float] = []
        self.high: list[float] = []
        self.rows: list[tuple[float, float, list[int], list[float]]] = []

    def _grid(self, value: float) -> FloatArray:
        """Times that contain the heads; the last is one by which a best schedule has ended.

        In a best schedule no job takes longer than what the mean of a known plan leaves for it
        beside what the others need at least.
        """
        share, alone = self.stages.share, self.stages.job_alone
        spare = value - float(share @ (alone - self.stages.release))
        with np.errstate(divide="ignore"):
            latest = np.where(share > 0, alone + max(spare, 0.0) / share, 0.0)
        last = float(max(latest.max(), alone.max())) + 1.0
        heads = np.unique(self.stages.head[[s for s, _ in self.stages.groups]])
        intervals = CELLS // max(1, len(self.stages.groups))
        intervals = min(max(intervals, LEAST_INTERVALS), MOST_INTERVALS)
        heads = heads[:: -(-len(heads) // intervals)] if len(heads) else heads
        near = min(last, float(alone.max()) * 1.05 + 1.0)
        points = [np.linspace(0.0, near, intervals + 1), heads]
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
        """The optimum, less the solver's tolerance, None if the time was too short."""
        stages, most = self.stages, highspy.kHighsInf
        begin = [self.column(head, most) for head in stages.head.tolist()]
        ends = np.maximum(stages.head + stages.alone, stages.earliest_end).tolist()
        end = [self.column(at, most) for at in ends]
        done = [
            self.column(alone, most, share)
            for alone, share in zip(stages.job_alone.tolist(), stages.share.tolist(), strict=True)
        ]
        for s, (job, alone, tail) in enumerate(
            zip(stages.job.tolist(), stages.alone.tolist(), stages.tail.tolist(), strict=True)
        ):
            self.row(alone, most, [(end[s], 1.0), (begin[s], -1.0)])
            if job >= 0:
                self.row(tail, most, [(done[job], 1.0), (end[s], -1.0)])
        for parent, child, lag in stages.arcs:
            self.row(lag, most, [(begin[child], 1.0), (end[parent], -1.0)])
        self._work(begin, end)
        value = self._run(clock)
        if value is None:
            return None
        value -= float(stages.share @ stages.release)
        return value - CUT * max(abs(value), 1.0)

    def _work(self, begin: list[int], end: list[int]) -> None:
        """Slot-times, mean busy times, and the slots of each pool."""
        ends, lengths = self.grid[1:], np.diff(self.grid)
        pool_rows: dict[tuple[int, int], list[tuple[int, float]]] = {}
        means: dict[int, list[tuple[int, FloatArray]]] = {}
        for s, held in self.stages.groups:
            pool = int(self.stages.pool[s])
            slots, head = self.stages.slots[pool], float(self.stages.head[s])
            rate = min(len(held), slots)
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
            work = float(held.sum())
            self.row(work, work, total)
            self.row(-highspy.kHighsInf, 0.0, [*least, (mean, -work)])
            self.row(-highspy.kHighsInf, 0.0, [(mean, work), *((c, -v) for c, v in most)])
            self._between(begin[s], end[s], [(mean, 1.0)], spread(held, slots))
            means.setdefault(s, []).append((mean, held))
        for s, own in means.items():
            if len(own) > 1:
                all_held = np.concatenate([held for _, held in own])
                terms = [(mean, float(held.sum() / all_held.sum())) for mean, held in own]
                slots = self.stages.slots[self.stages.pool[s]]
                self._between(begin[s], end[s], terms, spread(all_held, slots))
        for (pool, k), terms in pool_rows.items():
            self.row(0.0, self.stages.slots[pool] * float(lengths[k]), terms)

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
