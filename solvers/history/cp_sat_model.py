"""The model behind `exact`: stages of tasks on pools of slots.

A program of its own reads this file, see `solvers.backends.cp_sat_process`: nothing of the package
is imported here. The problem is a document of `exact.problem`; all times are whole milliseconds.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from ortools.sat.python import cp_model

Json = dict[str, Any]


class StageModel:
    """The model of one graph; each method adds one family of constraints."""

    def __init__(self, problem: Json) -> None:
        self.problem, self.horizon = problem, problem["horizon"]
        self.cp = cp_model.CpModel()
        self.gate = [self._time(release) for release in problem["stage_release"]]
        self.end = [self._time() for _ in self.gate]
        self.start: list[Any] = []
        self.interval: list[Any] = []
        self.on_slot: dict[tuple[int, int], Any] = {}
        self._stages()
        for task in problem["tasks"]:
            self._task(task)
        for pool in problem["pools"]:
            self._pool(pool)
        self._equal_tasks()
        self._goal()

    def _time(self, earliest: int = 0) -> Any:
        return self.cp.new_int_var(min(earliest, self.horizon), self.horizon, "")

    def _stages(self) -> None:
        """A gate opens when every parent has ended and the lag has passed."""
        for parent, child, lag in self.problem["arcs"]:
            self.cp.add(self.gate[child] >= self.end[parent] + lag)
        for gate, end in zip(self.gate, self.end, strict=True):
            self.cp.add(end >= gate)

    def _task(self, task: Json) -> None:
        """A task may begin its overlap before its gate opens, and frees its slot `cut` early."""
        stage, time, overlap, cut = (task[n] for n in ("stage", "time", "overlap", "cut"))
        gate = self.gate[stage]
        start = self._time(self.problem["stage_release"][stage])
        if overlap:
            over = self._time()
            self.cp.add(start >= gate - overlap)
            self.cp.add(over >= start + overlap + time)
            self.cp.add(over >= gate + time)
            size = self.cp.new_int_var(0, self.horizon, "")
            interval = self.cp.new_interval_var(start, size, over - cut, "")
        else:
            over = start + time
            self.cp.add(start >= gate)
            interval = self.cp.new_fixed_size_interval_var(start, time - cut, "")
        self.cp.add(self.end[stage] >= over)
        self.cp.add_hint(start, task["hint"])
        self.start.append(start)
        self.interval.append(interval)

    def _pool(self, pool: Json) -> None:
        """No more tasks at once than slots; each on one slot where these come and go."""
        tasks, windows = pool["tasks"], pool["windows"]
        self.cp.add_cumulative([self.interval[t] for t in tasks], [1] * len(tasks), pool["slots"])
        if windows is None:
            return
        for slot, since, until in windows:
            optional = []
            for t in tasks:
                there = self.on_slot[t, slot] = self.cp.new_bool_var("")
                interval = self.interval[t]
                begin, end = interval.start_expr(), interval.end_expr()
                optional.append(
                    self.cp.new_optional_interval_var(begin, interval.size_expr(), end, there, "")
                )
                self.cp.add(begin >= since).only_enforce_if(there)
                self.cp.add(end <= until).only_enforce_if(there)
            self.cp.add_no_overlap(optional)
        for t in tasks:
            self.cp.add_exactly_one(self.on_slot[t, slot] for slot, _, _ in windows)

    def _equal_tasks(self) -> None:
        """Equal tasks of a stage, which follow one another, start in that order."""
        alike = ("stage", "time", "overlap", "cut")
        for (t, one), (u, other) in pairwise(enumerate(self.problem["tasks"])):
            if all(one[name] == other[name] for name in alike):
                self.cp.add(self.start[t] <= self.start[u])

    def _goal(self) -> None:
        """The last end of a job, or the weighted sum of the jobs' times, is least."""
        jobs, least = self.problem["jobs"], self.problem["lower_bound"]
        done = [self._time(job["release"]) for job in jobs]
        for s, job in enumerate(self.problem["stage_job"]):
            if job >= 0:
                self.cp.add(done[job] >= self.end[s])
        for end, job in zip(done, jobs, strict=True):
            if job["latest"] is not None:
                self.cp.add(end <= job["latest"])
        if self.problem["makespan"]:
            goal = self.cp.new_int_var(least, self.horizon, "makespan")
            for end in done:
                self.cp.add(goal >= end)
        else:
            most = sum(job["weight"] for job in jobs) * self.horizon
            goal = self.cp.new_int_var(least, most, "sum of job times")
            times = zip(done, jobs, strict=True)
            self.cp.add(goal >= sum(job["weight"] * (end - job["release"]) for end, job in times))
        self.cp.minimize(goal)

    def values(self, solution: list[int]) -> Json:
        """The start of each task, and its slot where that is chosen."""
        slot: list[int | None] = [None] * len(self.start)
        for (t, m), there in self.on_slot.items():
            if solution[there.index]:
                slot[t] = m
        return {"start": [solution[start.index] for start in self.start], "slot": slot}


MODEL = StageModel
