"""HiGHS for Pyomo's models: warm start, progress, Ctrl-C, limits that hold, lasting bounds."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Event, Lock
from typing import Any, NamedTuple

import highspy
import numpy as np
import pyomo.environ as pyo
from pyomo.contrib.solver.solvers.highs import Highs

from ...core.arrays import FloatArray, IntArray
from ...core.background import LOOK, OutOfTime, attempt
from ...core.clock import Clock, StopReason
from ..progress import Progress, ProgressCallback

TOLERANCE = 1e-9
"""Feasibility and integrality tolerance. The default of 1e-6 times a big-M would blur the bound."""

ALTERNATIVE_OPTIONS = {
    "random_seed": 1,
    "mip_detect_symmetry": False,
    "mip_allow_restart": False,
    "mip_heuristic_effort": 0.0,
}
"""Options that change on what HiGHS branches, and hence its cuts."""

ONE_AT_A_TIME = Lock()
"""highspy runs one solver in a process at a time and refuses a second."""

SAME = 1e-5
"""A solution whose objective differs by more from what HiGHS says, relatively, is none."""


@dataclass(frozen=True)
class HighsOutcome:
    """What a run of HiGHS gave. The model's variables hold the incumbent, if there is one."""

    stop: StopReason
    """Why the run ended."""
    incumbent: float | None = None
    """Objective of the best solution, None without one."""
    bound: float | None = None
    """The dual bound, None if there is none."""


@dataclass(frozen=True)
class HighsSettings:
    """How HiGHS searches, and how far."""

    relative_gap: float = 1e-7
    absolute_gap: float = 0.0
    """`relative_gap`, `absolute_gap`: gaps at which the run may end."""
    presolve: bool = True
    """Whether HiGHS may presolve."""
    alternative: bool = False
    """Whether to search with `ALTERNATIVE_OPTIONS`, so as not to repeat a defect of another run."""


USUAL = HighsSettings()

_STOPS = {
    highspy.HighsModelStatus.kOptimal: StopReason.GAP_CLOSED,
    highspy.HighsModelStatus.kInfeasible: StopReason.INFEASIBLE,
    highspy.HighsModelStatus.kUnboundedOrInfeasible: StopReason.INFEASIBLE,
    highspy.HighsModelStatus.kTimeLimit: StopReason.TIME_LIMIT,
    highspy.HighsModelStatus.kInterrupt: StopReason.INTERRUPTED,
}


def solve(
    model: pyo.ConcreteModel,
    *,
    time_limit: float = math.inf,
    stop: Event | None = None,
    threads: int | None = None,
    warm_start: bool = False,
    settings: HighsSettings = USUAL,
    on_progress: ProgressCallback | None = None,
) -> HighsOutcome:
    """Minimise a model with HiGHS.

    A limit, `stop` or Ctrl-C ends the run with the best solution and bound so far.

    `time_limit`: wall time (s) from the call on, including the transfer of the model to HiGHS.
    `stop`: the run ends soon after this is set.
    `threads`: number of threads, None for the default of HiGHS.
    `on_progress`: called with each new incumbent or bound.
    """
    clock = Clock(time_limit, stop)
    options: dict[str, Any] = {
        "mip_feasibility_tolerance": TOLERANCE,
        "primal_feasibility_tolerance": TOLERANCE,
        "presolve": "choose" if settings.presolve else "off",
        "mip_rel_gap": settings.relative_gap,
        "mip_abs_gap": settings.absolute_gap,
        **(ALTERNATIVE_OPTIONS if settings.alternative else {}),
        **({} if threads is None else {"threads": threads}),
    }
    try:
        with _alone(clock):
            run = _Run(model, clock, options)
            if warm_start:
                run.start()
            if on_progress is not None:
                run.report(on_progress)
            status = run.solve()
    except OutOfTime:
        return HighsOutcome(clock.reason)
    info = run.highs.getInfo()
    value = float(info.objective_function_value)
    found = info.primal_solution_status == 2  # a feasible solution
    incumbent = value if found else None
    optimal = status is StopReason.GAP_CLOSED
    bound = info.mip_dual_bound if info.mip_node_count != -1 else incumbent if optimal else None
    if found:
        run.load()
        if not math.isclose(objective_value(model), value, rel_tol=SAME, abs_tol=SAME):
            # Seen with 1.16.0: optimal at 5, with a solution that costs 6. Nothing of it counts.
            return HighsOutcome(StopReason.GAVE_UP)
    known = bound is not None and math.isfinite(bound)
    return HighsOutcome(status, incumbent, bound if known else None)


def objective_value(model: pyo.ConcreteModel) -> float:
    """The objective of the values that the model holds, 0 without one."""
    return float(sum(map(pyo.value, model.component_data_objects(pyo.Objective, active=True))))


def linear_duals(model: pyo.ConcreteModel, rows: list[Any]) -> Mapping[Any, float]:
    """Solve a linear program, leave the values in the model, and return the duals of some rows.

    Raises `RuntimeError` if HiGHS has none, neither with presolve nor without.
    """
    for presolve in ("choose", "off"):
        options = {
            "primal_feasibility_tolerance": TOLERANCE,
            "dual_feasibility_tolerance": TOLERANCE,
            "presolve": presolve,
        }
        with ONE_AT_A_TIME:
            run = _Run(model, Clock(), options)
            run.solve()
        # Seen once, on a busy machine: an optimum that came out of presolve without duals.
        duals = run.duals(rows)
        if duals is not None:
            run.load()
            return duals
    raise RuntimeError("HiGHS gave no duals, neither with presolve nor without")


class LinearOptimum(NamedTuple):
    """An optimum of a linear program."""

    objective: float
    values: FloatArray
    duals: FloatArray
    """Of the rows."""


def linear_program(
    cost: FloatArray,
    upper: FloatArray,
    rows: tuple[FloatArray, FloatArray],
    terms: tuple[IntArray, IntArray, FloatArray],
    **options: Any,
) -> Any:
    """A linear program to be minimised, in HiGHS, on one thread.

    `upper`: bounds of the columns; their lower bounds are 0.
    `rows`: lower and upper bounds of the rows.
    `terms`: rows, columns and coefficients, each pair of row and column at most once.
    """
    row, column, coefficient = terms
    by_column = np.argsort(column, kind="stable")
    program = highspy.HighsLp()
    program.num_col_, program.num_row_ = len(cost), len(rows[0])
    program.col_cost_, program.col_lower_, program.col_upper_ = cost, np.zeros(len(cost)), upper
    program.row_lower_, program.row_upper_ = rows
    program.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    begin = np.searchsorted(column[by_column], np.arange(len(cost) + 1))
    program.a_matrix_.start_ = begin.astype(np.int32)
    program.a_matrix_.index_ = row[by_column].astype(np.int32)
    program.a_matrix_.value_ = coefficient[by_column]
    highs = highspy.Highs()  # type: ignore[no-untyped-call]
    for option, value in ({"output_flag": False, "threads": 1} | options).items():
        highs.setOptionValue(option, value)
    highs.passModel(program)
    return highs


def solve_lp(highs: Any, clock: Clock, *, quick: bool = False) -> LinearOptimum | None:
    """The optimum of a `linear_program`; None if it has none, or the clock runs out.

    `quick`: it takes less than to look for a stop meanwhile.
    """
    try:
        with _alone(clock):
            stop = _run(highs, clock, quick)
    except OutOfTime:
        return None
    if stop is not StopReason.GAP_CLOSED:
        return None
    found = highs.getSolution()
    values, duals = np.array(found.col_value), np.array(found.row_dual)
    return LinearOptimum(highs.getObjectiveValue(), values, duals)


def _run(highs: Any, clock: Clock, quick: bool = False) -> StopReason:
    """Run HiGHS in its own thread, so that Ctrl-C reaches Python, which asks HiGHS to stop."""
    if math.isfinite(clock.left):
        highs.setOptionValue("time_limit", highs.getRunTime() + clock.left)
    finished = quick
    if quick:
        highs.run()
    else:
        highs.HandleUserInterrupt = True
        highs.startSolve()
    while not finished:
        try:
            finished, _ = highs.wait(LOOK)
            if clock.stop.is_set():
                highs.cancelSolve()
        except KeyboardInterrupt:
            highs.cancelSolve()
    return _STOPS.get(highs.getModelStatus(), StopReason.GAVE_UP)


@contextmanager
def _alone(clock: Clock) -> Iterator[None]:
    """Hold `ONE_AT_A_TIME`. Raises `OutOfTime` if the clock runs out first."""
    while not ONE_AT_A_TIME.acquire(timeout=LOOK):
        if clock.over:
            raise OutOfTime
    try:
        yield
    finally:
        ONE_AT_A_TIME.release()


class _Run(Highs):  # type: ignore[misc]
    """A model in HiGHS, handed over by Pyomo; what follows does without Pyomo.

    Pyomo's own run redirects the process's output, which would swallow what other threads print,
    and subprocesses would inherit it. Raises `OutOfTime` if the clock runs out first.
    """

    def __init__(self, model: pyo.ConcreteModel, clock: Clock, options: dict[str, Any]) -> None:
        super().__init__()
        self._model, self.clock = model, clock
        self.highs: Any = highspy.Highs()  # type: ignore[no-untyped-call]
        self._solver_model = self.highs
        self.highs.setOptionValue("output_flag", False)
        attempt(lambda: self.add_block(model), clock)
        if self._objective is None:
            self.set_objective(None)
        for key, value in options.items():
            self.highs.setOptionValue(key, value)

    def _columns(self) -> list[tuple[Any, int]]:
        """Every variable with its column."""
        columns = self._pyomo_var_to_solver_var_map
        return [(self._vars[variable][0], column) for variable, column in columns.items()]

    def start(self) -> None:
        """Start from the values that the variables have; HiGHS finds those of the others itself."""
        known = {column: variable.value for variable, column in self._columns()}
        known = {column: value for column, value in known.items() if value is not None}
        self.highs.setSolution(
            len(known), np.array([*known], np.int32), np.array([*known.values()], float)
        )

    def report(self, on_progress: ProgressCallback) -> None:
        """Report each new incumbent or bound."""
        last: list[tuple[float | None, float | None]] = []

        def record(event: Any) -> None:
            data = event.data_out
            sides = data.mip_primal_bound, data.mip_dual_bound
            incumbent, bound = (side if abs(side) < 1e30 else None for side in sides)
            if [(incumbent, bound)] != last:
                last[:] = [(incumbent, bound)]
                on_progress(Progress(data.running_time, incumbent, bound))

        self.highs.cbMipInterrupt.subscribe(record)

    def solve(self) -> StopReason:
        # The scheduler is global; without a reset a second run ignores a new number of threads.
        highspy.Highs.resetGlobalScheduler(True)
        return _run(self.highs, self.clock)

    def load(self) -> None:
        """Leave the values in the model."""
        values = self.highs.getSolution().col_value
        for variable, column in self._columns():
            variable.set_value(values[column], skip_validation=True)

    def duals(self, rows: list[Any]) -> dict[Any, float] | None:
        solution, row_of = self.highs.getSolution(), self._pyomo_con_to_solver_con_map
        if not solution.dual_valid:
            return None
        return {row: solution.row_dual[row_of[row]] for row in rows}
