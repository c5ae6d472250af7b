"""The verifier's rows as a linear program in HiGHS, and its duals as whole multipliers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import highspy
import numpy as np

from ....core.arrays import FloatArray
from ....verify_rows import Rows
from ...backends.highs import ONE_AT_A_TIME

HORIZON = 1000.0
"""The horizon in the units of the program, in which HiGHS' tolerances are small."""

GRIDS = (1, 60, 10**3, 10**4, 10**6, 10**8, 10**10, 10**13)
"""Denominators of multipliers; the first that suffices makes the shortest certificate."""

LEAST_MULTIPLIER = 1e-9
"""Multipliers below this are rounding errors of the solver."""

TIMES = ("C", "end", "read", "before", "after")
"""Columns that are times; all others are between 0 and 1."""

Leaf = dict[str, Any]
"""Multipliers of rows, as in a certificate."""


@dataclass(frozen=True)
class Solved:
    """A linear program that has been solved."""

    value: float
    """Least makespan over the horizon; infinite if the program is infeasible."""
    columns: FloatArray
    """Values of the columns, shape (columns,); empty if the program is infeasible."""
    multipliers: FloatArray
    """Duals of the rows, or a dual ray, shape (rows,)."""
    basis: highspy.HighsBasis | None = None
    """Where programs with more columns fixed had best start."""


class Relaxation:
    """The linear program of a model, solved again and again with other columns fixed.

    Times are in units in which the horizon is `HORIZON`.
    """

    def __init__(self, model: Rows) -> None:
        self.model = model
        scale = self._scale = max(model.horizon, 1) / HORIZON
        unit = np.ones(len(model.low))
        for name, column in model.number.items():
            unit[column] = scale if name[0] in TIMES else 1.0
        self.low = np.array([float(v) for v in model.low]) / unit
        self.high = np.array([float(v) for v in model.high]) / unit
        makespan = model.number["C",]
        # Beyond the horizon a program says by how much, where it could only be infeasible.
        late = [column for name, column in model.number.items() if name[0] in ("C", "end")]
        self.high[late] = 4 * HORIZON
        start, index, value = [0], [], []
        for _, terms in model.rows:
            index += [column for column, _ in terms]
            value += [float(factor) for _, factor in terms]
            start.append(len(index))
        program = highspy.HighsLp()
        program.num_col_, program.num_row_ = len(model.low), len(model.rows)
        program.col_cost_ = (np.arange(len(model.low)) == makespan).astype(float)
        program.col_lower_, program.col_upper_ = self.low, self.high
        least = np.array([-float(constant) for constant, _ in model.rows]) / scale
        self.equal = np.array(model.equal, dtype=bool)
        program.row_lower_, program.row_upper_ = least, np.where(self.equal, least, np.inf)
        program.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        program.a_matrix_.start_ = np.array(start, dtype=np.int32)
        program.a_matrix_.index_ = np.array(index, dtype=np.int32)
        program.a_matrix_.value_ = np.array(value) * unit[index] / scale
        self.highs = highspy.Highs()  # type: ignore[no-untyped-call]
        for option, setting in (
            ("output_flag", False),
            ("threads", 1),
            ("presolve", "off"),
            ("solver", "simplex"),
        ):
            self.highs.setOptionValue(option, setting)
        self.highs.passModel(program)
        self._fixed: dict[int, int] = {}

    def fix(self, fixed: Mapping[int, int]) -> None:
        """Fix these columns and free all others."""
        change = [c for c in {*fixed, *self._fixed} if fixed.get(c) != self._fixed.get(c)]
        low = [float(fixed.get(c, self.low[c])) for c in change]
        high = [float(fixed.get(c, self.high[c])) for c in change]
        self.highs.changeColsBounds(
            len(change), np.array(change, dtype=np.int32), np.array(low), np.array(high)
        )
        self._fixed = dict(fixed)

    def solve(self, fixed: Mapping[int, int], parent: Solved | None = None) -> Solved | None:
        """The program with these columns fixed; None if HiGHS does not solve it.

        `parent`: a solution with fewer columns fixed, from which to start.
        """
        self.fix(fixed)
        with ONE_AT_A_TIME:
            if parent is not None and parent.basis is not None:
                self.highs.setBasis(parent.basis)
            self.highs.run()
            status = self.highs.getModelStatus()
            if status == highspy.HighsModelStatus.kOptimal:
                solution = self.highs.getSolution()
                columns = np.array(solution.col_value)
                value = self.highs.getObjectiveValue() / HORIZON
                duals = np.array(solution.row_dual)
                return Solved(value, columns, duals, self.highs.getBasis())
            if status == highspy.HighsModelStatus.kInfeasible:
                _, exists, ray = self.highs.getDualRay()  # type: ignore[attr-defined]
                if exists:
                    return Solved(np.inf, np.empty(0), np.array(ray))
        return None

    def leaf(self, solved: Solved, fixed: Mapping[int, int], target: int) -> tuple[int, Leaf]:
        """Whole multipliers that prove the target (units) or else as much as they can."""
        if not len(solved.columns):
            return self._from_ray(solved.multipliers, fixed, target)
        return self._rounded(solved.multipliers, fixed, target)

    def _from_ray(self, ray: FloatArray, fixed: Mapping[int, int], target: int) -> tuple[int, Leaf]:
        """A ray proves any makespan if it is long enough; which sign it has is not documented."""
        greatest = np.abs(ray).max(initial=1e-300)
        best: tuple[int, Leaf] = 0, {"grid": 1, "y": []}
        for length in (1, 10**3, 10**6, 10**9):
            for sign in (1, -1):
                tried = self._rounded(sign * length / greatest * ray, fixed, target)
                if tried[0] >= target:
                    return tried
                best = max(best, tried, key=lambda pair: pair[0])
        return best

    def _rounded(
        self, multipliers: FloatArray, fixed: Mapping[int, int], target: int
    ) -> tuple[int, Leaf]:
        best: tuple[int, Leaf] = 0, {"grid": 1, "y": []}
        multipliers = np.where(self.equal, multipliers, multipliers.clip(min=0))
        used = np.flatnonzero(np.abs(multipliers) > LEAST_MULTIPLIER).tolist()
        for grid in GRIDS:
            leaf = {"grid": grid, "y": self._whole(multipliers, used, grid)}
            value = self.model.at_least(leaf, fixed)
            if value > best[0]:
                best = value, leaf
            if value >= target:
                break
        return best

    def _whole(self, multipliers: FloatArray, used: list[int], grid: int) -> list[int]:
        """Rounded multipliers; those of rows with the makespan still add up to the grid."""
        whole = {row: round(multipliers[row] * grid) for row in used}
        makespan = self.model.number["C",]
        rows = [r for r in used if any(column == makespan for column, _ in self.model.rows[r][1])]
        total = sum(multipliers[row] for row in rows)
        if abs(total - 1) < 1e-6:
            largest = max(rows, key=lambda row: whole[row])
            whole[largest] += grid - sum(whole[row] for row in rows)
        return [
            part
            for row in used
            if whole[row] > 0 or (whole[row] and self.equal[row])
            for part in (row, whole[row])
        ]
