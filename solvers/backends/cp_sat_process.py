"""The program behind CP-SAT: `python -P cp_sat_process.py MODELS`; JSON lines.

OR-Tools and highspy cannot be imported in one process, so nothing of the package is imported here.
MODELS is a file with a class `MODEL` and perhaps a class `FIRST`, a relaxation; made from a
problem, each has the model as `cp`. The first line on stdin is the problem; its `lower_bound`,
`workers`, gaps and `time_limit` are read here, and `first_seconds` for the relaxation. The end of
stdin, which comes at the latest when the parent process dies, ends the search, and soon the
process. Lines on stdout: `{"seconds", "incumbent", "bound", "solution"}` whenever one of the middle
two improves, and last `{"status", "bound", "first", "solution"}`, where `first` is the bound of the
relaxation and `solution` what the model's `values` makes of it, null if there is no (new) one.
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

GRACE = 0.5
"""Seconds after the time limit or the end of stdin until the process ends, whatever it does."""


class Reporter(cp_model.CpSolverSolutionCallback):
    """Writes a line whenever the incumbent or the bound improves."""

    def __init__(self) -> None:
        super().__init__()
        self.incumbent: int | None = None
        self.bound: int | None = None
        self.solution: list[int] | None = None
        self.model: Any = None
        # Solutions and bounds come from different threads.
        self.lock = threading.Lock()

    def on_solution_callback(self) -> None:
        """Report a new incumbent."""
        with self.lock:
            self.incumbent = round(self.objective_value)
            self.solution = list(self.response_proto.solution)
            self.bound = max(self.bound or 0, round(self.best_objective_bound))
            self._tell(new=True)

    def on_bound(self, bound: float) -> None:
        """Report a new bound."""
        with self.lock:
            self.bound = max(self.bound or 0, round(bound))
            self._tell()

    def _tell(self, new: bool = False) -> None:
        seconds = time.perf_counter() - BEGAN
        line = {"seconds": seconds, "incumbent": self.incumbent, "bound": self.bound}
        say(line | _solution(self.model, self.solution if new else None))


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
                say(document | _solution(self.reporter.model, self.reporter.solution))
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


def _solution(model: Any, solution: list[int] | None) -> Json:
    return {"solution": None if model is None or solution is None else model.values(solution)}


def _solver(problem: Json, seconds: float) -> Any:
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = problem["workers"]
    solver.parameters.relative_gap_limit = problem["relative_gap"]
    solver.parameters.absolute_gap_limit = problem["absolute_gap"]
    solver.parameters.max_time_in_seconds = max(0.0, seconds)
    return solver


def main() -> None:
    """Read a problem from stdin, solve it, and write what is found to stdout."""
    line = sys.stdin.readline()
    if not line:
        return
    problem = json.loads(line)
    reporter = Reporter()
    ending = Ending(problem, reporter)
    for watch in (ending.watch_input, ending.watch_clock):
        threading.Thread(target=watch, daemon=True).start()
    models = runpy.run_path(sys.argv[1])
    if problem.get("first_seconds") and not ending.stopped.is_set():
        first = _solver(problem, problem["first_seconds"])
        first.best_bound_callback = reporter.on_bound
        ending.solver = first
        if first.solve(models["FIRST"](problem).cp) in FOUND:
            reporter.on_bound(first.best_objective_bound)
        ending.first = problem["lower_bound"] = max(problem["lower_bound"], reporter.bound or 0)
    reporter.model = model = models["MODEL"](problem)
    solver = _solver(problem, problem["time_limit"] - (time.perf_counter() - BEGAN))
    solver.best_bound_callback = reporter.on_bound
    ending.solver = solver
    status = solver.solve(model.cp, reporter)
    solved = status in FOUND
    if solved:
        reporter.solution = list(solver.response_proto.solution)
    if status in (cp_model.FEASIBLE, cp_model.UNKNOWN):
        stop = "interrupted" if ending.stopped.is_set() else "time limit"
    else:
        stop = solver.status_name(status).lower().replace("_", " ")
    ending.say(stop, round(solver.best_objective_bound) if solved else 0)


if __name__ == "__main__":
    main()
