"""A thin layer over Pyomo's HiGHS interface: start, progress, Ctrl-C, bounds that last."""

from __future__ import annotations

import io
import logging
import math
import time
from dataclasses import dataclass, field
from enum import Enum
from threading import Event, Lock
from typing import Any

import highspy
import pyomo.environ as pyo
from pyomo.common.log import LoggingIntercept
from pyomo.contrib.solver.common.results import Results
from pyomo.contrib.solver.solvers.highs import Highs

from .progress import Progress, ProgressCallback

TOLERANCE = 1e-9
"""Feasibility and integrality tolerance. HiGHS's own 1e-6 times a big-M would blur the bound."""

ANOTHER_WAY = {
    "random_seed": 1,
    "mip_detect_symmetry": False,
    "mip_allow_restart": False,
    "mip_heuristic_effort": 0.0,
}
"""Options that change what HiGHS branches on, what it knows by then, and hence its cuts."""

ONE_AT_A_TIME = Lock()
"""highspy runs one solver in a process at a time, and refuses a second."""


class Stop(Enum):
    """Why the solver stopped; what it found is told apart, by incumbent and bound."""

    PROVEN = "gap closed"
    INFEASIBLE = "no solution exists"
    TIME_LIMIT = "time limit"
    INTERRUPTED = "interrupted"
    OTHER = "solver gave up"


@dataclass(frozen=True)
class Outcome:
    """What a run of HiGHS gave. `incumbent` is None if it found no solution.

    The model's variables hold the incumbent, if there is one. `bound` is the dual bound, None if
    there is none.
    """

    stop: Stop
    incumbent: float | None
    bound: float | None
    seconds: float
    nodes: int
    progress: list[Progress] = field(default_factory=list)


def solve(
    model: pyo.ConcreteModel,
    *,
    time_limit: float | None = None,
    threads: int | None = None,
    relative_gap: float = 1e-7,
    absolute_gap: float = 0.0,
    warm_start: bool = False,
    presolve: bool = True,
    another_way: bool = False,
    on_progress: ProgressCallback | None = None,
    stop: Event | None = None,
) -> Outcome:
    """Minimise `model` with HiGHS.

    `time_limit` in s; with `warm_start` the variables' values are given as a first solution;
    `another_way` searches with `ANOTHER_WAY`, so as not to repeat a mistake of another run. A
    limit, `stop` when it is set, or Ctrl-C ends the run with the best solution and bound so far.
    """
    began = time.perf_counter()
    solver = Adapter(warm_start=warm_start, on_progress=on_progress, stop=stop)
    options = {
        "mip_feasibility_tolerance": TOLERANCE,
        "primal_feasibility_tolerance": TOLERANCE,
        "presolve": "choose" if presolve else "off",
        **(ANOTHER_WAY if another_way else {}),
    }
    with ONE_AT_A_TIME:
        results = solver.solve(
            model,
            time_limit=time_limit,
            threads=threads,
            rel_gap=relative_gap,
            abs_gap=absolute_gap,
            load_solutions=False,
            raise_exception_on_nonoptimal_result=False,
            solver_options=options,
        )
    incumbent = results.incumbent_objective
    if incumbent is not None:
        results.solution_loader.load_vars()
    bound = results.objective_bound
    return Outcome(
        stop=solver.stop,
        incumbent=incumbent,
        bound=bound if bound is not None and math.isfinite(bound) else None,
        seconds=time.perf_counter() - began,
        nodes=max(0, getattr(results.extra_info, "mip_node_count", 0) or 0),
        progress=solver.progress,
    )


_STOPS = {
    highspy.HighsModelStatus.kOptimal: Stop.PROVEN,
    highspy.HighsModelStatus.kInfeasible: Stop.INFEASIBLE,
    highspy.HighsModelStatus.kUnboundedOrInfeasible: Stop.INFEASIBLE,
    highspy.HighsModelStatus.kTimeLimit: Stop.TIME_LIMIT,
    highspy.HighsModelStatus.kInterrupt: Stop.INTERRUPTED,
}


class Adapter(Highs):  # type: ignore[misc]
    """Pyomo's interface with a start, callbacks and a run that Ctrl-C ends gently."""

    def __init__(
        self,
        *,
        warm_start: bool = False,
        on_progress: ProgressCallback | None = None,
        stop: Event | None = None,
        **kwds: Any,
    ) -> None:
        super().__init__(**kwds)
        self.please_stop = stop or Event()
        self.warm_start = warm_start
        self.on_progress = on_progress
        self.progress: list[Progress] = []
        self.stop = Stop.OTHER

    def _reinit(self) -> None:
        kept = self.warm_start, self.on_progress, self.please_stop
        super()._reinit()
        self.warm_start, self.on_progress, self.please_stop = kept

    def set_instance(self, model: pyo.ConcreteModel) -> None:
        """As in Pyomo, but without redirecting the whole process's output meanwhile.

        That would swallow what other threads print, and their subprocesses would inherit it.
        """
        self._reinit()
        self._model = model
        self._solver_model: Any = highspy.Highs()  # type: ignore[no-untyped-call]
        self._solver_model.setOptionValue("output_flag", False)
        self.add_block(model)
        if self._objective is None:
            self.set_objective(None)

    def _solve(self) -> Results:
        config, highs = self._active_config, self._solver_model
        options = dict(config.solver_options)
        options |= {"mip_rel_gap": config.rel_gap, "mip_abs_gap": config.abs_gap}
        if config.threads is not None:
            options["threads"] = config.threads
        if config.time_limit is not None:
            options["time_limit"] = max(0.0, config.time_limit)
        for key, value in options.items():
            highs.setOptionValue(key, value)
        if self.warm_start:
            self._pass_start()
        highs.cbMipInterrupt.subscribe(self._record)
        # The scheduler is global; without a reset a second run ignores a new number of threads.
        highspy.Highs.resetGlobalScheduler(True)
        self._run()
        self.stop = _STOPS.get(highs.getModelStatus(), Stop.OTHER)
        # Pyomo warns of the status that an interrupted run has.
        with LoggingIntercept(None, "pyomo", logging.WARNING):
            return self._postsolve(io.StringIO())

    def _run(self) -> None:
        """Run in a thread, so that Ctrl-C reaches Python and can ask HiGHS to stop."""
        highs = self._solver_model
        highs.HandleUserInterrupt = True
        highs.startSolve()
        finished = False
        while not finished:
            try:
                finished, _ = highs.wait(0.05)
                if self.please_stop.is_set():
                    highs.cancelSolve()
            except KeyboardInterrupt:
                highs.cancelSolve()

    def _pass_start(self) -> None:
        solution = highspy.HighsSolution()
        solution.col_value = [
            float(self._vars[variable][0].value or 0.0)
            for variable in self._pyomo_var_to_solver_var_map
        ]
        self._solver_model.setSolution(solution)

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
