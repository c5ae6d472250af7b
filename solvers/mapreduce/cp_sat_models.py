"""The models behind CP-SAT: the relaxed problem, then the job-order model if it relaxes anything.

They are built in a process of their own: OR-Tools and highspy cannot be imported in one.
"""

from __future__ import annotations

from itertools import combinations, pairwise, permutations
from typing import Any, NamedTuple

import numpy as np
from ortools.sat.python import cp_model

from ...core.arrays import IntArray
from .cp_sat_problem import MOST, Phase, Problem

Placed = tuple[list[int], list[int]]
"""Slot and place in the order of starts, of each task of a phase."""


class Model:
    """What both models have: a makespan from the bound up to the horizon, to be least."""

    edge_finding = False
    """Whether CP-SAT is to use its edge finding."""

    def __init__(self, problem: Problem, bound: int, horizon: int) -> None:
        self.problem, self.horizon, self.cp = problem, horizon, cp_model.CpModel()
        self.makespan = self.cp.new_int_var(bound, horizon, "makespan")
        self.cp.minimize(self.makespan)

    def _time(self, earliest: int = 0) -> Any:
        if earliest > self.horizon:
            self.cp.add_bool_or([])  # there is no solution
        return self.cp.new_int_var(min(earliest, self.horizon), self.horizon, "")

    def placed(self, solution: list[int]) -> list[Placed]:
        """Slots and ranks of the tasks of both phases in a solution."""
        raise NotImplementedError


class RelaxedModel(Model):
    """The relaxed problem of docs/formulations/relaxed.md: no task has a place."""

    edge_finding = True

    def __init__(self, problem: Problem, bound: int, horizon: int) -> None:
        super().__init__(problem, bound, horizon)
        self.starts = [[self._time() for _ in phase.job] for phase in problem.phases]
        completion = [self._completion(job) for job in problem.jobs]
        for done, tail in zip(completion, problem.tail, strict=True):
            self.cp.add(done + tail <= self.makespan)
        for phase, starts in zip(problem.phases, self.starts, strict=True):
            self._phase(phase, starts, completion)

    def _completion(self, job: int) -> Any:
        """When the map phase of a job has ended: with its only task, or a variable."""
        maps = self.problem.maps
        tasks = maps.tasks_of(job)
        if len(tasks) != 1:
            return self._time(self.problem.head[job])
        return self.starts[0][tasks[0]] + maps.least[tasks[0]]

    def _phase(self, phase: Phase, starts: list[Any], completion: list[Any]) -> None:
        """Map tasks until their job's map phase ends, reduce tasks from then on, as slots allow."""
        intervals = []
        for start, size, job in zip(starts, phase.least, phase.job, strict=True):
            intervals.append(self.cp.new_fixed_size_interval_var(start, size, ""))
            if phase is self.problem.maps:
                self.cp.add(start + size <= completion[job])
            else:
                self.cp.add(start >= completion[job])
                self.cp.add(start + size <= self.makespan)
        for group in phase.equal:
            for s, t in pairwise(group):
                self.cp.add(starts[s] <= starts[t])
        self.cp.add_cumulative(intervals, [1] * len(starts), len(phase.node))

    def placed(self, solution: list[int]) -> list[Placed]:
        """Every task goes to the slot that is free first."""
        placed = []
        for phase, variables in zip(self.problem.phases, self.starts, strict=True):
            starts = [solution[start.index] for start in variables]
            ends = [start + size for start, size in zip(starts, phase.least, strict=True)]
            free, slot = [0] * len(phase.node), [0] * len(starts)
            for t in sorted(range(len(starts)), key=starts.__getitem__):
                slot[t] = min(range(len(free)), key=free.__getitem__)
                free[slot[t]] = ends[t]
            placed.append((slot, _ranks(starts, ends)))
        return placed


class PhaseVariables(NamedTuple):
    """The variables of a phase: per task an interval of time, per task and slot a literal."""

    start: list[Any]
    size: list[Any]
    end: list[Any]
    on_slot: dict[tuple[int, int], Any]


class JobOrderModel(Model):
    """The model of one problem; each method adds one family of constraints."""

    def __init__(self, problem: Problem, bound: int, horizon: int) -> None:
        super().__init__(problem, bound, horizon)
        self.map_completion = [self._time(head) for head in problem.head]
        time = problem.maps.time
        least, most = time.min(axis=1, initial=MOST), time.max(axis=1, initial=0)
        self.maps = self._variables(problem.maps, least, most)
        self.reduces = self._variables(problem.reduces, *self._reduce_limits())
        self.before = self._order()
        self._map_durations()
        self._reduce_durations()
        self._completions()
        self.phases = [(problem.maps, self.maps), (problem.reduces, self.reduces)]
        for phase, variables in self.phases:
            for t, k in np.argwhere(~phase.allowed).tolist():
                self.cp.add_bool_and([variables.on_slot[t, k].negated()])
            for t in range(len(phase.job)):
                self.cp.add_exactly_one(variables.on_slot[t, k] for k in range(len(phase.node)))
            self._symmetry(phase, variables)
            self._sequences(phase, variables)
            self._area(phase, variables)
        self._hint()

    def _variables(self, phase: Phase, low: IntArray, high: IntArray) -> PhaseVariables:
        tasks, slots = range(len(phase.job)), range(len(phase.node))
        return PhaseVariables(
            start=[self._time() for _ in tasks],
            size=[self.cp.new_int_var(int(low[t]), int(high[t]), "") for t in tasks],
            end=[self._time() for _ in tasks],
            on_slot={(t, k): self.cp.new_bool_var("") for t in tasks for k in slots},
        )

    def _reduce_limits(self) -> tuple[IntArray, IntArray]:
        """Least and greatest duration of each reduce task over all placements."""
        reads = np.zeros((2, len(self.problem.jobs)), dtype=np.int64)
        for job, table in zip(self.problem.maps.job, self.problem.read, strict=True):
            reads[:, job] += min(map(min, table)), max(map(max, table))
        of, time = self.problem.reduces.job, self.problem.reduces.time
        least, most = time.min(axis=1, initial=MOST), time.max(axis=1, initial=0)
        return least + reads[0, of], most + reads[1, of]

    def _order(self) -> dict[tuple[int, int], Any]:
        """One order of the jobs, by the completion of their map phases, for all slots."""
        before: dict[tuple[int, int], Any] = {}
        for i, j in combinations(self.problem.jobs, 2):
            before[i, j] = self.cp.new_bool_var("")
            before[j, i] = before[i, j].negated()
        for i, j in permutations(self.problem.jobs, 2):
            done = self.map_completion
            self.cp.add(done[i] <= done[j]).only_enforce_if(before[i, j])
        for i, j in self.problem.comes_first:
            self.cp.add_bool_and([before[i, j]])
        return before

    def _map_durations(self) -> None:
        """A map task takes its setup and processing on the slot it is on."""
        for t, duration in enumerate(self.problem.maps.time.tolist()):
            on_slot = [self.maps.on_slot[t, k] for k in range(len(duration))]
            size = self.maps.size[t]
            self.cp.add(size == sum(d * there for d, there in zip(duration, on_slot, strict=True)))
            for d, there in zip(duration, on_slot, strict=True):
                self.cp.add(size == d).only_enforce_if(there)

    def _reduce_durations(self) -> None:
        """A reduce task reads from where its job's map tasks ran: a sum over their literals."""
        maps, reduces, read = self.problem.maps, self.problem.reduces, self.problem.read
        time = reduces.time.tolist()
        for job in self.problem.jobs:
            sources, tasks = maps.tasks_of(job), reduces.tasks_of(job)
            for reader in sorted(set(reduces.node)) if tasks else ():
                terms = [
                    read[m][holder][reader] * self.maps.on_slot[m, k]
                    for m in sources
                    for k, holder in enumerate(maps.node)
                ]
                most = sum(max(read[m][holder][reader] for holder in maps.node) for m in sources)
                reach = self.cp.new_int_var(0, most, "")
                self.cp.add(reach == sum(terms))
                for w in tasks:
                    for k, node in enumerate(reduces.node):
                        if node == reader:
                            on_slot = self.reduces.on_slot[w, k]
                            duration = time[w][k] + reach
                            self.cp.add(self.reduces.size[w] >= duration).only_enforce_if(on_slot)

    def _completions(self) -> None:
        """Map tasks end before their job's map phase does, reduce tasks start after it."""
        for t, job in enumerate(self.problem.maps.job):
            self.cp.add(self.maps.end[t] <= self.map_completion[job])
        for w, job in enumerate(self.problem.reduces.job):
            self.cp.add(self.reduces.start[w] >= self.map_completion[job])
            self.cp.add(self.reduces.end[w] <= self.makespan)
        for job, tail in enumerate(self.problem.tail):
            self.cp.add(self.map_completion[job] + tail <= self.makespan)

    def _symmetry(self, phase: Phase, variables: PhaseVariables) -> None:
        """Keep the lexicographically first of equal assignments.

        Of a node's equal slots, a task opens one only after a lower task is on the one before.
        Equal tasks of a job are on slots in the order of their numbers.
        """
        for k in phase.twins:
            for t in range(len(phase.job)):
                lower = [variables.on_slot[s, k - 1] for s in range(t)]
                self.cp.add_bool_or([variables.on_slot[t, k].negated(), *lower])
        slots = range(len(phase.node))
        for group in phase.equal:
            places = [sum(k * variables.on_slot[t, k] for k in slots) for t in group]
            for place, next_one in pairwise(places):
                self.cp.add(place <= next_one)

    def _sequences(self, phase: Phase, variables: PhaseVariables) -> None:
        """A slot runs one task at a time: jobs in the common order, a job's tasks by number."""
        job, tasks = phase.job, range(len(phase.job))
        start, size, end = variables.start, variables.size, variables.end
        for k in range(len(phase.node)):
            on_slot = [variables.on_slot[t, k] for t in tasks]
            self.cp.add_no_overlap(
                self.cp.new_optional_interval_var(start[t], size[t], end[t], on_slot[t], "")
                for t in tasks
            )
            for t, u in permutations(tasks, 2):
                if job[t] == job[u] and t > u:
                    continue
                both = [on_slot[t], on_slot[u]]
                if job[t] != job[u]:
                    both.append(self.before[job[t], job[u]])
                self.cp.add(end[t] <= start[u]).only_enforce_if(both)

    def _area(self, phase: Phase, variables: PhaseVariables) -> None:
        """Redundant: the tasks of a phase share its slots at any time."""
        times = zip(variables.start, variables.size, variables.end, strict=True)
        intervals = [self.cp.new_interval_var(*time, "") for time in times]
        self.cp.add_cumulative(intervals, [1] * len(intervals), len(phase.node))

    def _hint(self) -> None:
        """A known schedule, as slots of the tasks and places of the jobs in the order."""
        position = self.problem.position
        for phase, variables in self.phases:
            for (t, k), literal in variables.on_slot.items():
                self.cp.add_hint(literal, int(phase.hint[t] == k))
        for i, j in combinations(self.problem.jobs, 2):
            self.cp.add_hint(self.before[i, j], int(position[i] < position[j]))

    def placed(self, solution: list[int]) -> list[Placed]:
        """Where the literals put every task."""
        placed = []
        for phase, variables in self.phases:
            slot = [0] * len(phase.job)
            for (t, k), literal in variables.on_slot.items():
                if solution[literal.index]:
                    slot[t] = k
            times = variables.start, variables.end
            starts, ends = ([solution[one.index] for one in ones] for ones in times)
            placed.append((slot, _ranks(starts, ends)))
        return placed


def _ranks(starts: list[int], ends: list[int]) -> list[int]:
    """Tasks by start; of those that start together, the ones that take no time go first."""
    rank = np.empty(len(starts), dtype=np.int64)
    rank[np.lexsort((ends, starts))] = np.arange(len(rank))
    ranks: list[int] = rank.tolist()
    return ranks
