"""The program behind CP-SAT: `python -m slotwise.solvers.mapreduce.cp_sat_process`.

OR-Tools and highspy cannot be imported in one process. It reads the fields of `Given`, pickled,
from stdin, whose end ends it; that comes at the latest when the parent process dies. It writes
lines of JSON: `{"bound", "proof", "placed", "status"}` whenever there is a solution or a better
bound (s). `placed` has slots and ranks of the tasks of both phases; the last line has a status, why
it ended, unless it was ended.
"""

from __future__ import annotations

import json
import pickle
import sys
import threading
import time
from typing import Any, NamedTuple

from ortools.sat.python import cp_model

from ...core.clock import StopReason
from ...instances.mapreduce.instance import Instance
from ...instances.mapreduce.schedule import Schedule
from ..backends.child_processes import die_with_parent
from .cp_sat_models import JobOrderModel, Model, RelaxedModel
from .cp_sat_problem import Problem

FOUND = (cp_model.OPTIMAL, cp_model.FEASIBLE)

PROOF, RELAXED_PROOF = "job-order model (CP-SAT)", "relaxed problem (CP-SAT)"

PARTS = 4
"""Horizons are tried so far above the bound, as a part of the way to the incumbent."""

GRACE = 0.5
"""Seconds after the time limit until the process ends, whatever it does."""


class Given(NamedTuple):
    """What the process is asked."""

    instance: Instance
    known: Schedule
    """A schedule; only shorter ones are looked for."""
    bound: float
    """A lower bound (s)."""
    rounding: float
    """What all rounding of a makespan may come to (s)."""
    relaxed_seconds: float
    """Most time for the relaxed problem (s)."""
    until: float
    """When to end, on the clock that all processes share (s)."""
    threads: int
    relative_gap: float
    absolute_gap: float


class Search(cp_model.CpSolverSolutionCallback):
    """The search for the least makespan; what it finds is said, and the last word once."""

    def __init__(self, given: Given) -> None:
        super().__init__()
        self.given = given
        # Solutions and bounds come from different threads.
        self.lock = threading.RLock()
        self.solver: Any = None
        self.problem: Problem | None = None
        self.model: Model | None = None
        self.bound, self.most, self.proof = 0, 0, PROOF

    def say(self, status: str | None = None, placed: Any = None) -> None:
        """Write a line, the last one with a status."""
        with self.lock:
            bound = self.bound * self.problem.unit if self.problem else self.given.bound
            line = {"bound": bound, "proof": self.proof, "placed": placed, "status": status}
            print(json.dumps(line), flush=True)

    def on_solution_callback(self) -> None:
        assert self.model is not None
        with self.lock:
            self.bound = max(self.bound, min(round(self.best_objective_bound), self.most))
            self.say(placed=self.model.placed(list(self.response_proto.solution)))

    def on_bound(self, bound: float) -> None:
        with self.lock:
            if min(round(bound), self.most) > self.bound:
                self.bound = min(round(bound), self.most)
                self.say()

    def solve(self, model: Model, seconds: float, *hearing: Any) -> Any:
        """The status of a model; `hearing`: what hears of its solutions."""
        given = self.given
        self.solver = solver = cp_model.CpSolver()
        solver.parameters.num_workers = given.threads
        solver.parameters.relative_gap_limit = given.relative_gap
        assert self.problem is not None
        solver.parameters.absolute_gap_limit = given.absolute_gap / self.problem.unit
        solver.parameters.max_time_in_seconds = max(0.0, seconds)
        if model.edge_finding:
            solver.parameters.use_timetable_edge_finding_in_cumulative = True
            solver.parameters.use_overload_checker_in_cumulative = True
            solver.parameters.use_conservative_scale_overload_checker = True
        solver.best_bound_callback = self.on_bound
        self.model = model
        status = solver.solve(model.cp, *hearing)
        if status in FOUND:
            self.on_bound(solver.best_objective_bound)
        return status

    def run(self) -> str:
        """Search, and return how it ended."""
        given = self.given
        self.problem = problem = Problem(given.instance, given.known, given.bound, given.rounding)
        self.bound, none = problem.bound, problem.without_solution
        self.most = none
        self.proof = RELAXED_PROOF
        if problem.nothing_relaxed:
            return self.by_horizons(problem)
        relaxed = RelaxedModel(problem, self.bound, problem.horizon)
        if self.solve(relaxed, given.relaxed_seconds) == cp_model.INFEASIBLE:
            self.on_bound(none)
        self.say()
        if self.bound >= none:
            return StopReason.GAP_CLOSED
        self.proof = PROOF
        return self.ended(self.exactly(JobOrderModel(problem, self.bound, problem.horizon), none))

    def exactly(self, model: Model, none: int) -> Any:
        """The status of a model of the problem; that it has no solution proves the bound `none`."""
        status = self.solve(model, self.given.until - time.monotonic(), self)
        if status == cp_model.INFEASIBLE:
            self.on_bound(none)
        return status

    def by_horizons(self, problem: Problem) -> str:
        """The same for one short horizon after another: it is excluded or has a solution."""
        most, given = problem.without_solution, self.given
        absolute = given.absolute_gap / problem.unit
        while most - self.bound > max(given.relative_gap * self.bound, absolute):
            horizon = self.bound + (most - self.bound) // PARTS
            self.most = horizon + 1
            status = self.exactly(RelaxedModel(problem, self.bound, horizon), horizon + 1)
            if status in FOUND:
                most = round(self.solver.objective_value)
            elif status != cp_model.INFEASIBLE:
                return self.ended(status)
        return StopReason.GAP_CLOSED

    def ended(self, status: Any) -> str:
        settled = status in (cp_model.OPTIMAL, cp_model.INFEASIBLE)
        return StopReason.GAP_CLOSED if settled else StopReason.TIME_LIMIT


def main() -> None:
    try:
        given = Given(**pickle.load(sys.stdin.buffer))
    except EOFError:
        return
    die_with_parent(max(0.0, given.until + GRACE - time.monotonic()))
    search = Search(given)
    search.say(search.run())


if __name__ == "__main__":
    main()
