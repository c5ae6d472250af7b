"""The program behind `cp_sat`: the relaxed problem, then the job-order model; JSON lines.

OR-Tools and highspy cannot be imported in one process, so nothing of the package is imported here.
The first line on stdin is the problem, see `cp_sat.problem`. The end of stdin, which comes at the
latest when the parent process dies, ends the search, and soon the process. Lines on stdout:
`{"seconds", "incumbent", "bound", "map", "reduce"}` whenever one of the first two improves, and
last `{"status", "bound", "relaxed", "map", "reduce"}`, where `relaxed` is the bound of the relaxed
problem and a phase has the `slot`, `start` and `end` of its tasks; both phases are null if there is
no (new) schedule. All times but `seconds` are integers in the problem's time unit.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from itertools import combinations, pairwise, permutations
from typing import Any, NamedTuple

BEGAN = time.perf_counter()
SAYING = threading.Lock()

from ortools.sat.python import cp_model  # noqa: E402

Json = dict[str, Any]

FOUND = (cp_model.OPTIMAL, cp_model.FEASIBLE)

GRACE = 0.5
"""Seconds after the time limit or the end of stdin until the process ends, whatever it does."""


class PhaseVariables(NamedTuple):
    """The variables of a phase: per task an interval of time, per task and slot a literal."""

    start: list[Any]
    size: list[Any]
    end: list[Any]
    on_slot: dict[tuple[int, int], Any]


class Model:
    """What both models have: a makespan between the lower bound and the horizon, to be least."""

    def __init__(self, problem: Json) -> None:
        self.horizon: int = problem["horizon"]
        self.cp = cp_model.CpModel()
        self.makespan = self.cp.new_int_var(problem["lower_bound"], self.horizon, "makespan")
        self.cp.minimize(self.makespan)

    def _release(self, problem: Json, name: str) -> list[int]:
        """Release time of the job of each task of a phase; reduce tasks wait for the map phase."""
        jobs = problem[name]["job"]
        if problem["release"] is None or name == "reduce":
            return [0] * len(jobs)
        return [problem["release"][job] for job in jobs]

    def _time(self, earliest: int = 0) -> Any:
        return self.cp.new_int_var(earliest, self.horizon, "")


class RelaxedModel(Model):
    """The relaxed problem of docs/formulations/relaxed.md: no task has a place."""

    def __init__(self, problem: Json) -> None:
        super().__init__(problem)
        completion = [self._time(head) for head in problem["head"]]
        for done, tail in zip(completion, problem["tail"], strict=True):
            self.cp.add(done + tail <= self.makespan)
        for name in ("map", "reduce"):
            starts = [self._time(at) for at in self._release(problem, name)]
            self._phase(name, problem[name], problem["relaxed"][name], starts, completion)

    def _phase(
        self, name: str, phase: Json, least: list[int], starts: list[Any], completion: list[Any]
    ) -> None:
        """Map tasks until their job's map phase ends, reduce tasks from then on, as slots allow."""
        intervals = []
        for start, size, job in zip(starts, least, phase["job"], strict=True):
            intervals.append(self.cp.new_fixed_size_interval_var(start, size, ""))
            if name == "reduce":
                self.cp.add(start >= completion[job])
            self.cp.add(start + size <= (completion[job] if name == "map" else self.makespan))
        for group in phase["equal"]:
            for s, t in pairwise(group):
                self.cp.add(starts[s] <= starts[t])
        self.cp.add_cumulative(intervals, [1] * len(least), len(phase["slot_node"]))


class JobOrderModel(Model):
    """The model of one problem; each method adds one family of constraints."""

    def __init__(self, problem: Json) -> None:
        super().__init__(problem)
        self.problem = problem
        self.jobs = range(problem["jobs"])
        self.map_completion = [self._time(head) for head in problem["head"]]
        self.maps = self._phase("map", [(min(row), max(row)) for row in problem["map_duration"]])
        self.reduces = self._phase("reduce", self._reduce_limits())
        self.before = self._order()
        self._map_durations()
        self._reduce_durations()
        self._completions()
        for name, phase in (("map", self.maps), ("reduce", self.reduces)):
            self._assignment(name, phase)
            self._slot_symmetry(name, phase)
            self._task_symmetry(name, phase)
            self._sequences(name, phase)
            self._area(name, phase)
        if problem["hint"] is not None:
            self._hint(problem["hint"])

    def _phase(self, name: str, limits: list[tuple[int, int]]) -> PhaseVariables:
        tasks, slots = range(len(limits)), range(len(self.problem[name]["slot_node"]))
        return PhaseVariables(
            start=[self._time(at) for at in self._release(self.problem, name)],
            size=[self.cp.new_int_var(low, high, "") for low, high in limits],
            end=[self._time() for _ in tasks],
            on_slot={(t, k): self.cp.new_bool_var("") for t in tasks for k in slots},
        )

    def _tasks_of(self, name: str, job: int) -> list[int]:
        return [t for t, of in enumerate(self.problem[name]["job"]) if of == job]

    def _reduce_limits(self) -> list[tuple[int, int]]:
        """Least and greatest duration of each reduce task over all placements."""
        read, limits = self.problem["read_duration"], []
        for processing, job in zip(
            self.problem["reduce_duration"], self.problem["reduce"]["job"], strict=True
        ):
            reads = [[t for row in read[m] for t in row] for m in self._tasks_of("map", job)]
            least = min(processing) + sum(map(min, reads))
            limits.append((least, max(processing) + sum(map(max, reads))))
        return limits

    def _order(self) -> dict[tuple[int, int], Any]:
        """One order of the jobs, by the completion of their map phases, for all slots."""
        before: dict[tuple[int, int], Any] = {}
        for i, j in combinations(self.jobs, 2):
            before[i, j] = self.cp.new_bool_var("")
            before[j, i] = before[i, j].negated()
        for i, j in permutations(self.jobs, 2):
            done = self.map_completion
            self.cp.add(done[i] <= done[j]).only_enforce_if(before[i, j])
        for i, j in self.problem["comes_first"]:
            self.cp.add_bool_and([before[i, j]])
        return before

    def _map_durations(self) -> None:
        """A map task takes its setup and processing on the slot it is on."""
        slots = range(len(self.problem["map"]["slot_node"]))
        for t, duration in enumerate(self.problem["map_duration"]):
            on_slot = [self.maps.on_slot[t, k] for k in slots]
            self.cp.add(self.maps.size[t] == sum(duration[k] * on_slot[k] for k in slots))
            for k in slots:
                self.cp.add(self.maps.size[t] == duration[k]).only_enforce_if(on_slot[k])

    def _reduce_durations(self) -> None:
        """A reduce task reads from where its job's map tasks ran: a sum over their literals."""
        holders, readers = self.problem["map"]["slot_node"], self.problem["reduce"]["slot_node"]
        read = self.problem["read_duration"]
        for job in self.jobs:
            maps, reduces = self._tasks_of("map", job), self._tasks_of("reduce", job)
            for reader in sorted(set(readers)) if reduces else ():
                terms = [
                    read[m][holder][reader] * self.maps.on_slot[m, k]
                    for m in maps
                    for k, holder in enumerate(holders)
                ]
                most = sum(max(read[m][holder][reader] for holder in holders) for m in maps)
                reach = self.cp.new_int_var(0, most, "")
                self.cp.add(reach == sum(terms))
                for w in reduces:
                    for k, node in enumerate(readers):
                        if node == reader:
                            on_slot = self.reduces.on_slot[w, k]
                            duration = self.problem["reduce_duration"][w][k] + reach
                            self.cp.add(self.reduces.size[w] >= duration).only_enforce_if(on_slot)

    def _completions(self) -> None:
        """Map tasks end before their job's map phase does, reduce tasks start after it."""
        for t, job in enumerate(self.problem["map"]["job"]):
            self.cp.add(self.maps.end[t] <= self.map_completion[job])
        for w, job in enumerate(self.problem["reduce"]["job"]):
            self.cp.add(self.reduces.start[w] >= self.map_completion[job])
            self.cp.add(self.reduces.end[w] <= self.makespan)
        for job, tail in enumerate(self.problem["tail"]):
            self.cp.add(self.map_completion[job] + tail <= self.makespan)

    def _assignment(self, name: str, phase: PhaseVariables) -> None:
        """Every task is on exactly one slot that may run it."""
        slots = range(len(self.problem[name]["slot_node"]))
        for t, k in self.problem[name]["forbidden"]:
            self.cp.add_bool_and([phase.on_slot[t, k].negated()])
        for t in range(len(phase.start)):
            self.cp.add_exactly_one(phase.on_slot[t, k] for k in slots)

    def _slot_symmetry(self, name: str, phase: PhaseVariables) -> None:
        """Of a node's equal slots, a task opens one only after a lower task is on the one before.

        Together with `_task_symmetry` this keeps the lexicographically first of equal assignments.
        """
        for k in self.problem[name]["slots_with_twin"]:
            for t in range(len(phase.start)):
                lower = [phase.on_slot[s, k - 1] for s in range(t)]
                self.cp.add_bool_or([phase.on_slot[t, k].negated(), *lower])

    def _task_symmetry(self, name: str, phase: PhaseVariables) -> None:
        """Equal tasks of a job are on slots in the order of their numbers."""
        slots = range(len(self.problem[name]["slot_node"]))
        for group in self.problem[name]["equal"]:
            places = [sum(k * phase.on_slot[t, k] for k in slots) for t in group]
            for place, next_one in pairwise(places):
                self.cp.add(place <= next_one)

    def _sequences(self, name: str, phase: PhaseVariables) -> None:
        """A slot runs one task at a time: jobs in the common order, a job's tasks by number.

        With release times a map slot may run its tasks in any order, equal ones by number.
        """
        job, tasks = self.problem[name]["job"], range(len(phase.start))
        any_order = name == "map" and self.problem["release"] is not None
        if any_order:
            alike = {t: number for number, ts in enumerate(self.problem[name]["equal"]) for t in ts}
        for k in range(len(self.problem[name]["slot_node"])):
            on_slot = [phase.on_slot[t, k] for t in tasks]
            self.cp.add_no_overlap(
                self.cp.new_optional_interval_var(
                    phase.start[t], phase.size[t], phase.end[t], on_slot[t], ""
                )
                for t in tasks
            )
            for t, u in permutations(tasks, 2):
                if job[t] == job[u] and t > u:
                    continue
                if any_order and (job[t] != job[u] or alike.get(t, -1 - t) != alike.get(u)):
                    continue
                both = [on_slot[t], on_slot[u]]
                if job[t] != job[u]:
                    both.append(self.before[job[t], job[u]])
                self.cp.add(phase.end[t] <= phase.start[u]).only_enforce_if(both)

    def _area(self, name: str, phase: PhaseVariables) -> None:
        """Redundant: the tasks of a phase share its slots at any time."""
        tasks = range(len(phase.start))
        intervals = [
            self.cp.new_interval_var(phase.start[t], phase.size[t], phase.end[t], "") for t in tasks
        ]
        slots = len(self.problem[name]["slot_node"])
        self.cp.add_cumulative(intervals, [1] * len(tasks), slots)

    def _hint(self, hint: Json) -> None:
        """A known schedule, as slots of the tasks and places of the jobs in the order."""
        for name, phase in (("map", self.maps), ("reduce", self.reduces)):
            for (t, k), literal in phase.on_slot.items():
                self.cp.add_hint(literal, int(hint[name][t] == k))
        position = hint["position"]
        for i, j in combinations(self.jobs, 2):
            self.cp.add_hint(self.before[i, j], int(position[i] < position[j]))


class Reporter(cp_model.CpSolverSolutionCallback):
    """Writes a line whenever the incumbent or the bound improves."""

    def __init__(self) -> None:
        super().__init__()
        self.incumbent: int | None = None
        self.bound: int | None = None
        self.solution: list[int] | None = None
        self.model: JobOrderModel | None = None
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
        say(line | _phases(self.model, self.solution if new else None))


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
        self.relaxed = 0
        self.solver: Any = None

    def say(self, status: str, bound: int = 0) -> None:
        """Write the last line, unless it has been written."""
        with self.lock:
            if self.said:
                return
            self.said = True
            bound = max(bound, self.reporter.bound or 0, self.problem["lower_bound"])
            document: Json = {"status": status, "bound": bound, "relaxed": self.relaxed}
            try:
                say(document | _phases(self.reporter.model, self.reporter.solution))
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


def _phases(model: JobOrderModel | None, solution: list[int] | None) -> Json:
    if model is None or solution is None:
        return {"map": None, "reduce": None}
    return {"map": _values(model.maps, solution), "reduce": _values(model.reduces, solution)}


def _values(phase: PhaseVariables, solution: list[int]) -> Json:
    slot = [0] * len(phase.start)
    for (t, k), literal in phase.on_slot.items():
        if solution[literal.index]:
            slot[t] = k
    start, end = ([solution[time.index] for time in times] for times in (phase.start, phase.end))
    return {"slot": slot, "start": start, "end": end}


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
    if problem["relaxed"]["seconds"] and not ending.stopped.is_set():
        relaxed = _solver(problem, problem["relaxed"]["seconds"])
        relaxed.best_bound_callback = reporter.on_bound
        ending.solver = relaxed
        if relaxed.solve(RelaxedModel(problem).cp) in FOUND:
            reporter.on_bound(relaxed.best_objective_bound)
        ending.relaxed = problem["lower_bound"] = max(problem["lower_bound"], reporter.bound or 0)
    reporter.model = model = JobOrderModel(problem)
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
