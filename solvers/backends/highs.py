"""A thin layer over Pyomo's HiGHS interface: warm start, progress, Ctrl-C, lasting bounds."""

from __future__ import annotations

import io
import logging
import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from threading import Event, Lock
from typing import Any, NamedTuple

import highspy
import numpy as np
import pyomo.environ as pyo
from pyomo.common.log import LoggingIntercept
from pyomo.contrib.solver.common.results import Results
from pyomo.contrib.solver.common.util import NoDualsError
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
    incumbent: float | None
    """Objective of the best solution, None without one."""
    bound: float | None
    """The dual bound, None if there is none."""
    seconds: float
    """Wall time (s)."""
    nodes: int
    """Nodes of the branch-and-bound tree."""
    progress: list[Progress] = field(default_factory=list)
    """Incumbents and bounds on the way."""


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

    def options(self) -> dict[str, Any]:
        return {
            "mip_feasibility_tolerance": TOLERANCE,
            "primal_feasibility_tolerance": TOLERANCE,
            "presolve": "choose" if self.presolve else "off",
            **(ALTERNATIVE_OPTIONS if self.alternative else {}),
        }


USUAL = HighsSettings()


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
    solver = Adapter(warm_start=warm_start, on_progress=on_progress, clock=clock)
    try:
        with _alone(clock):
            results = solver.solve(
                model,
                threads=threads,
                rel_gap=settings.relative_gap,
                abs_gap=settings.absolute_gap,
                load_solutions=False,
                raise_exception_on_nonoptimal_result=False,
                solver_options=settings.options(),
            )
    except OutOfTime:
        return HighsOutcome(clock.reason, None, None, clock.elapsed, 0)
    incumbent = results.incumbent_objective
    if incumbent is not None:
        results.solution_loader.load_vars()
        if not math.isclose(objective_value(model), incumbent, rel_tol=SAME, abs_tol=SAME):
            # Seen with 1.16.0: optimal at 5, with a solution that costs 6. Nothing of it counts.
            return HighsOutcome(StopReason.GAVE_UP, None, None, clock.elapsed, 0)
    bound = results.objective_bound
    return HighsOutcome(
        stop=solver.stop,
        incumbent=incumbent,
        bound=bound if bound is not None and math.isfinite(bound) else None,
        seconds=clock.elapsed,
        nodes=max(0, getattr(results.extra_info, "mip_node_count", 0) or 0),
        progress=solver.progress,
    )


def objective_value(model: pyo.ConcreteModel) -> float:
    """The objective of the values that the model holds, 0 without one."""
    return float(sum(map(pyo.value, model.component_data_objects(pyo.Objective, active=True))))


def linear_duals(model: pyo.ConcreteModel, rows: list[Any]) -> Mapping[Any, float]:
    """Solve a linear program, leave the values in the model, and return the duals of some rows.

    Raises `RuntimeError` if HiGHS has none, neither with presolve nor without.
    """
    for presolve in ("choose", "off"):
        with ONE_AT_A_TIME:
            results = Adapter().solve(
                model,
                load_solutions=False,
                solver_options={
                    "primal_feasibility_tolerance": TOLERANCE,
                    "dual_feasibility_tolerance": TOLERANCE,
                    "presolve": presolve,
                },
            )
        # Seen once, on a busy machine: an optimum that came out of presolve without duals.
        with suppress(NoDualsError):
            duals: Mapping[Any, float] = results.solution_loader.get_duals(rows)
            results.solution_loader.load_vars()
            return duals
    raise RuntimeError("HiGHS gave no duals, neither with presolve nor without")


class LinearOptimum(NamedTuple):
    """An optimum of a linear program."""

    objective: float
    values: FloatArray
    duals: FloatArray
    """Of the rows."""


def solve_lp(
    cost: FloatArray,
    upper: FloatArray,
    rows: tuple[FloatArray, FloatArray],
    terms: tuple[IntArray, IntArray, FloatArray],
    clock: Clock,
    solver: str = "choose",
) -> LinearOptimum | None:
    """Minimise a linear program on one thread; None if it has no optimum, or the clock runs out.

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
    for option, value in (("output_flag", False), ("threads", 1), ("solver", solver)):
        highs.setOptionValue(option, value)
    highs.passModel(program)
    try:
        with _alone(clock):
            highs.setOptionValue("time_limit", max(0.0, min(clock.left, 1e9)))
            highs.HandleUserInterrupt = True
            highs.startSolve()
            while not highs.wait(LOOK)[0]:
                if clock.stop.is_set():
                    highs.cancelSolve()  # type: ignore[no-untyped-call]
    except OutOfTime:
        return None
    if highs.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        return None
    found = highs.getSolution()
    values, duals = np.array(found.col_value), np.array(found.row_dual)
    return LinearOptimum(highs.getObjectiveValue(), values, duals)


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


_STOPS = {
    highspy.HighsModelStatus.kOptimal: StopReason.GAP_CLOSED,
    highspy.HighsModelStatus.kInfeasible: StopReason.INFEASIBLE,
    highspy.HighsModelStatus.kUnboundedOrInfeasible: StopReason.INFEASIBLE,
    highspy.HighsModelStatus.kTimeLimit: StopReason.TIME_LIMIT,
    highspy.HighsModelStatus.kInterrupt: StopReason.INTERRUPTED,
}


class Adapter(Highs):  # type: ignore[misc]
    """Pyomo's interface with a warm start, callbacks, and an orderly stop on Ctrl-C."""

    def __init__(
        self,
        *,
        warm_start: bool = False,
        on_progress: ProgressCallback | None = None,
        clock: Clock | None = None,
        **kwds: Any,
    ) -> None:
        super().__init__(**kwds)
        self.clock = clock or Clock()
        self.warm_start = warm_start
        self.on_progress = on_progress
        self.progress: list[Progress] = []
        self.stop = StopReason.GAVE_UP

    def _reinit(self) -> None:
        kept = self.warm_start, self.on_progress, self.clock
        super()._reinit()
        self.warm_start, self.on_progress, self.clock = kept

    def set_instance(self, model: pyo.ConcreteModel) -> None:
        """Hand the model to HiGHS, as Pyomo does, but without redirecting the process's output.

        Redirecting would swallow what other threads print, and subprocesses would inherit it.
        Raises `OutOfTime` if the clock runs out first.
        """
        self._reinit()
        self._model = model
        self._solver_model: Any = highspy.Highs()  # type: ignore[no-untyped-call]
        self._solver_model.setOptionValue("output_flag", False)
        attempt(lambda: self.add_block(model), self.clock)
        if self._objective is None:
            self.set_objective(None)

    def _solve(self) -> Results:
        config, highs = self._active_config, self._solver_model
        options = dict(config.solver_options)
        options |= {"mip_rel_gap": config.rel_gap, "mip_abs_gap": config.abs_gap}
        if config.threads is not None:
            options["threads"] = config.threads
        if math.isfinite(self.clock.seconds):
            options["time_limit"] = self.clock.left
        for key, value in options.items():
            highs.setOptionValue(key, value)
        if self.warm_start:
            columns = self._pyomo_var_to_solver_var_map
            known = {
                column: self._vars[variable][0].value
                for variable, column in columns.items()
                if self._vars[variable][0].value is not None
            }
            # HiGHS finds the values of the other variables itself.
            highs.setSolution(
                len(known), np.array([*known], np.int32), np.array([*known.values()], float)
            )
        highs.cbMipInterrupt.subscribe(self._record)
        # The scheduler is global; without a reset a second run ignores a new number of threads.
        highspy.Highs.resetGlobalScheduler(True)
        self._run()
        self.stop = _STOPS.get(highs.getModelStatus(), StopReason.GAVE_UP)
        # Pyomo warns of the status that an interrupted run has.
        with LoggingIntercept(None, "pyomo", logging.WARNING):
            return self._postsolve(io.StringIO())

    def _run(self) -> None:
        """Run in a thread, so that Ctrl-C reaches Python, which asks HiGHS to stop."""
        highs = self._solver_model
        highs.HandleUserInterrupt = True
        highs.startSolve()
        finished = False
        while not finished:
            try:
                finished, _ = highs.wait(0.05)
                if self.clock.stop.is_set():
                    highs.cancelSolve()
            except KeyboardInterrupt:
                highs.cancelSolve()

    def _record(self, event: Any) -> None:
        data = event.data_out
        incumbent = data.mip_primal_bound if abs(data.mip_primal_bound) < 1e30 else None
        bound = data.mip_dual_bound if abs(data.mip_dual_bound) < 1e30 else None
        if self.progress:
            last = self.progress[-1]
            if (last.incumbent, last.bound) == (incumbent, bound):
                return
        step = Progress(data.running_time, incumbent, bound)
        self.progress.append(step)
        if self.on_progress is not None:
            self.on_progress(step)
