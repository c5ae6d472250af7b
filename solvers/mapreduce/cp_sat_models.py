"""The models behind `cp_sat`: the relaxed problem, then the job-order model if it relaxes anything.

A program of its own reads this file, see `solvers.backends.cp_sat_process`: nothing of the package
is imported here. The problem is a document of `cp_sat.problem`; all times are integers in its unit.
"""

from __future__ import annotations

from itertools import combinations, pairwise, permutations
from typing import Any, NamedTuple

from ortools.sat.python import cp_model

Json = dict[str, Any]


class PhaseVariables(NamedTuple):
    """The variables of a phase: per task an interval of time, per task and slot a literal."""

    start: list[Any]
    size: list[Any]
    end: list[Any]
    on_slot: dict[tuple[int, int], Any]


class Model:
    """What both models have: a makespan up to the horizon, to be least."""

    def __init__(self, problem: Json) -> None:
        self.horizon: int = problem["horizon"]
        self.cp = cp_model.CpModel()
        self.makespan = self.cp.new_int_var(problem["lower_bound"], self.horizon, "makespan")
        self.cp.minimize(self.makespan)

    def _time(self, earliest: int = 0) -> Any:
        if earliest > self.horizon:
            self.cp.add_bool_or([])  # there is no solution
        return self.cp.new_int_var(min(earliest, self.horizon), self.horizon, "")


class RelaxedModel(Model):
    """The relaxed problem of docs/formulations/relaxed.md: no task has a place."""

    edge_finding = True

    def __init__(self, problem: Json) -> None:
        super().__init__(problem)
        self.problem = problem
        self.starts = {
            name: [self._time() for _ in problem[name]["job"]] for name in ("map", "reduce")
        }
        completion = [self._completion(job, head) for job, head in enumerate(problem["head"])]
        for done, tail in zip(completion, problem["tail"], strict=True):
            self.cp.add(done + tail <= self.makespan)
        for name, starts in self.starts.items():
            self._phase(name, problem[name], problem["relaxed"][name], starts, completion)

    def _completion(self, job: int, head: int) -> Any:
        """When the map phase of a job has ended: with its only task, or a variable."""
        tasks = [t for t, other in enumerate(self.problem["map"]["job"]) if other == job]
        if len(tasks) != 1:
            return self._time(head)
        return self.starts["map"][tasks[0]] + self.problem["relaxed"]["map"][tasks[0]]

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

    def values(self, solution: list[int]) -> Json:
        """The `slot`, `start` and `end` of the tasks of each phase: on any slot that is free."""
        return {name: self._placed(name, solution) for name in self.starts}

    def _placed(self, name: str, solution: list[int]) -> Json:
        starts = [solution[start.index] for start in self.starts[name]]
        ends = [at + size for at, size in zip(starts, self.problem["relaxed"][name], strict=True)]
        free = [0] * len(self.problem[name]["slot_node"])
        slot = [0] * len(starts)
        for t in sorted(range(len(starts)), key=starts.__getitem__):
            slot[t] = min(range(len(free)), key=free.__getitem__)
            free[slot[t]] = ends[t]
        return {"slot": slot, "start": starts, "end": ends}


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
            slots = range(len(self.problem[name]["slot_node"]))
            for t, k in self.problem[name]["forbidden"]:
                self.cp.add_bool_and([phase.on_slot[t, k].negated()])
            for t in range(len(phase.start)):
                self.cp.add_exactly_one(phase.on_slot[t, k] for k in slots)
            self._slot_symmetry(name, phase)
            self._task_symmetry(name, phase)
            self._sequences(name, phase)
            self._area(name, phase)
        if problem["hint"] is not None:
            self._hint(problem["hint"])

    def _phase(self, name: str, limits: list[tuple[int, int]]) -> PhaseVariables:
        tasks, slots = range(len(limits)), range(len(self.problem[name]["slot_node"]))
        return PhaseVariables(
            start=[self._time() for _ in tasks],
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
        """A slot runs one task at a time: jobs in the common order, a job's tasks by number."""
        job, tasks = self.problem[name]["job"], range(len(phase.start))
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

    def values(self, solution: list[int]) -> Json:
        """The `slot`, `start` and `end` of the tasks of each phase."""
        return {"map": _values(self.maps, solution), "reduce": _values(self.reduces, solution)}


def _values(phase: PhaseVariables, solution: list[int]) -> Json:
    slot = [0] * len(phase.start)
    for (t, k), literal in phase.on_slot.items():
        if solution[literal.index]:
            slot[t] = k
    start, end = ([solution[time.index] for time in times] for times in (phase.start, phase.end))
    return {"slot": slot, "start": start, "end": end}


def model(problem: Json) -> Model:
    """The model that has every schedule: the relaxed one, if it relaxes nothing."""
    return RelaxedModel(problem) if problem.get("nothing_relaxed") else JobOrderModel(problem)


FIRST, MODEL = RelaxedModel, model
