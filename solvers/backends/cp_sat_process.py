"""The program behind CP-SAT: `python -P cp_sat_process.py MODELS`; JSON lines.

OR-Tools and highspy cannot be imported in one process, so nothing of the package is imported here.
MODELS is a file with a class `MODEL` and a class `FIRST`, a relaxation; made from a problem, each
has the model as `cp`, and `edge_finding` if that is of use. The first line on stdin is the problem;
its `lower_bound`, `workers`, gaps and `time_limit` are read here, `first_seconds` for the
relaxation, and `without_solution`, the bound that holds if the model turns out to have no solution.
With `nothing_relaxed` horizons are tried one by one. The end of stdin, which comes at the latest
when the parent process dies, ends the search, and soon the process. Lines on stdout:
`{"seconds", "incumbent", "bound", "solution"}` whenever one of the middle two improves, and last
`{"status", "bound", "first", "solution"}`, where `first` is the bound of the relaxation and
`solution` what the model's `values` makes of it, null if there is no (new) one.
"""

from __future__ import annotations

import json
import os
import runpy
import sys
import threading
import time
from typing import Any

BEGAN = time.perf_counter()
SAYING = threading.Lock()

from ortools.sat.python import cp_model  # noqa: E402

Json = dict[str, Any]

FOUND = (cp_model.OPTIMAL, cp_model.FEASIBLE)

PARTS = 4
"""Horizons are tried so far above the bound, as a part of the way to the incumbent."""

GRACE = 0.5
"""Seconds after the time limit or the end of stdin until the process ends, whatever it does."""


class Reporter(cp_model.CpSolverSolutionCallback):
    """Writes a line whenever the incumbent or the bound improves.

    `most`: the greatest bound that can hold.
    """

    def __init__(self, most: int) -> None:
        super().__init__()
        self.most = most
        self.incumbent: int | None = None
        self.bound: int | None = None
        self.solution: Json | None = None
        self.model: Any = None
        # Solutions and bounds come from different threads.
        self.lock = threading.Lock()

    def on_solution_callback(self) -> None:
        with self.lock:
            self.incumbent = round(self.objective_value)
            self.solution = self.model.values(list(self.response_proto.solution))
            self.bound = max(self.bound or 0, round(self.best_objective_bound))
            self._tell(self.solution)

    def on_bound(self, bound: float) -> None:
        with self.lock:
            self.bound = max(self.bound or 0, round(min(bound, self.most)))
            self._tell()

    def _tell(self, new: Json | None = None) -> None:
        seconds = time.perf_counter() - BEGAN
        line = {"seconds": seconds, "incumbent": self.incumbent, "bound": self.bound}
        say(line | {"solution": new})


def say(line: Json) -> None:
    """Write a line of JSON to stdout, whole, whichever thread says it."""
    with SAYING:
        sys.stdout.write(json.dumps(line) + "\n")
        sys.stdout.flush()


class Ending:
    """Writes the last line exactly once: from the search, or when it does not end in time.

    The building of the model and parts of the solver cannot be interrupted.
    """

    def __init__(self, problem: Json, reporter: Reporter) -> None:
        self.problem, self.reporter = problem, reporter
        self.lock = threading.Lock()
        self.said = False
        self.stopped = threading.Event()
        self.first = 0
        self.solver: Any = None

    def say(self, status: str, bound: int = 0) -> None:
        """Write the last line, unless it has been written."""
        with self.lock:
            if self.said:
                return
            self.said = True
            bound = max(bound, self.reporter.bound or 0, self.problem["lower_bound"])
            document: Json = {"status": status, "bound": bound, "first": self.first}
            try:
                say(document | {"solution": self.reporter.solution})
            except BrokenPipeError:
                os._exit(1)  # there is nobody to tell

    def watch_input(self) -> None:
        """End the search when stdin ends, and the process if the search does not."""
        sys.stdin.read()
        self.stopped.set()
        until = time.perf_counter() + GRACE
        while self.solver is not None and time.perf_counter() < until:
            # A stop before the search has begun is lost, hence again and again.
            self.solver.stop_search()
            time.sleep(0.05)
        self._leave("interrupted")

    def watch_clock(self) -> None:
        """End the process soon after the time limit."""
        left = self.problem["time_limit"] + GRACE - (time.perf_counter() - BEGAN)
        if left < threading.TIMEOUT_MAX:
            time.sleep(max(0.0, left))
            self._leave("time limit")

    def _leave(self, why: str) -> None:
        self.say(why)
        os._exit(0)


def _solver(model: Any, problem: Json, seconds: float) -> Any:
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = problem["workers"]
    solver.parameters.relative_gap_limit = problem["relative_gap"]
    solver.parameters.absolute_gap_limit = problem["absolute_gap"]
    solver.parameters.max_time_in_seconds = max(0.0, seconds)
    if getattr(model, "edge_finding", False):
        solver.parameters.use_timetable_edge_finding_in_cumulative = True
        solver.parameters.use_overload_checker_in_cumulative = True
        solver.parameters.use_conservative_scale_overload_checker = True
    return solver


class Search:
    """The search for the least makespan of a problem."""

    def __init__(self, problem: Json, reporter: Reporter, ending: Ending) -> None:
        self.problem, self.reporter, self.ending = problem, reporter, ending

    def solve(self, model: Any, seconds: float, *hearing: Any) -> tuple[Any, Any]:
        """Solve a model; the status and the solver. `hearing`: what hears of solutions."""
        self.ending.solver = solver = _solver(model, self.problem, seconds)
        solver.best_bound_callback = self.reporter.on_bound
        return solver.solve(model.cp, *hearing), solver

    def whole(self, model: Any) -> tuple[Any, Any]:
        """Solve a model that has every schedule up to its horizon."""
        self.reporter.model = model
        return self.solve(model, self.left(), self.reporter)

    def left(self) -> float:
        return float(self.problem["time_limit"]) - (time.perf_counter() - BEGAN)

    def first(self, build: Any) -> bool:
        """Whether the relaxation's bound, which is kept, leaves nothing to look for."""
        status, solver = self.solve(build(self.problem), self.problem["first_seconds"])
        none = self.problem["without_solution"]
        if status in FOUND:
            self.reporter.on_bound(solver.best_objective_bound)
        elif status == cp_model.INFEASIBLE:
            self.reporter.on_bound(none)
        self.ending.first = max(self.problem["lower_bound"], self.reporter.bound or 0)
        self.problem["lower_bound"] = self.ending.first
        return bool(self.ending.first >= none)

    def least(self, build: Any) -> tuple[Any, int]:
        """Status and bound of the search for the least makespan up to the horizon."""
        status, solver = self.whole(build(self.problem))
        if status == cp_model.INFEASIBLE:
            return cp_model.OPTIMAL, self.problem["without_solution"]
        return status, round(solver.best_objective_bound) if status in FOUND else 0

    def by_horizons(self, build: Any) -> tuple[Any, int]:
        """The same for one short horizon after another: it is excluded or has a solution."""
        least, most = self.problem["lower_bound"], self.problem["without_solution"]
        relative, absolute = self.problem["relative_gap"], self.problem["absolute_gap"]
        while most - least > max(relative * least, absolute):
            horizon = least + (most - least) // PARTS
            self.reporter.most = horizon + 1
            now = {"lower_bound": least, "horizon": horizon}
            status, solver = self.whole(build(self.problem | now))
            if status == cp_model.INFEASIBLE:
                least = horizon + 1
                self.reporter.on_bound(least)
            elif status in FOUND:
                most = round(solver.objective_value)
            else:
                return status, least
        return cp_model.OPTIMAL, least


def main() -> None:
    """Read a problem from stdin, solve it, and write what is found to stdout."""
    line = sys.stdin.readline()
    if not line:
        return
    problem = json.loads(line)
    reporter = Reporter(problem["without_solution"])
    ending = Ending(problem, reporter)
    for watch in (ending.watch_input, ending.watch_clock):
        threading.Thread(target=watch, daemon=True).start()
    models = runpy.run_path(sys.argv[1])
    search = Search(problem, reporter, ending)
    if (
        problem.get("first_seconds")
        and not ending.stopped.is_set()
        and search.first(models["FIRST"])
    ):
        status, bound = cp_model.OPTIMAL, ending.first
    elif problem.get("nothing_relaxed"):
        status, bound = search.by_horizons(models["MODEL"])
    else:
        status, bound = search.least(models["MODEL"])
    if status in (cp_model.FEASIBLE, cp_model.UNKNOWN):
        stop = "interrupted" if ending.stopped.is_set() else "time limit"
    else:
        stop = cp_model.CpSolver().status_name(status).lower().replace("_", " ")
    ending.say(stop, bound)


if __name__ == "__main__":
    main()
