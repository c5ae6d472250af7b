"""Search for the best plan of a graph: list schedules of several orders, then annealing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...core.arrays import FloatArray, IntArray
from ...core.clock import Clock
from ...instances.history.heads_tails import heads_and_tails
from ...instances.history.stage_graph import Plan, StageGraph, timed
from .list_schedule import Decoder, decoder, list_schedule, scratch

ROUNDS = 2
"""Orders that are annealed: the best of the first ones."""

EVALUATIONS = 50_000
"""Schedules that one search tries at most."""

WAITS = 0.1
"""Share of the moves that let a group wait for another job's release."""

FIRST_TEMPERATURE, LAST_TEMPERATURE = 0.01, 0.0001
"""First and last temperature, as a share of the value."""


@dataclass(frozen=True)
class Goal:
    """What is least: the last end of a job, or the weighted mean time of the jobs (ms).

    `latest` is when each job must be done; a plan that breaks it is never the best.
    """

    weight: FloatArray | None = None
    release: IntArray | None = None
    latest: IntArray | None = None

    def __call__(self, job_end: IntArray) -> float:
        """The value of ends of jobs (ms)."""
        if self.weight is None or self.release is None:
            return float(job_end.max(initial=0))
        return float(self.weight @ (job_end - self.release) / self.weight.sum())

    def excess(self, job_end: IntArray) -> float:
        """By how much (ms, in all) jobs are later than they may be."""
        return 0.0 if self.latest is None else float(np.maximum(job_end - self.latest, 0).sum())


def mean_job_time(graph: StageGraph) -> Goal:
    """The goal of the least weighted mean job time."""
    return Goal(graph.job_weight, graph.job_release)


def improve(
    graph: StageGraph, plan: Plan, goal: Goal, target: float, clock: Clock, *, seed: int = 0
) -> Plan:
    """The best plan found, never worse than the one given; ends early at `target` (ms)."""
    return _Search(graph, plan, goal, target, clock, seed).run()


def planned(
    graph: StageGraph, like: Plan, goal: Goal, target: float, clock: Clock, *, seed: int = 0
) -> Plan:
    """The best plan found of a graph on slots that are always there.

    `like`: starts of the same tasks, on whatever slots; their order is one to begin with.
    """
    search = _Search(graph, like, goal, target, clock, seed)
    search.value = math.inf
    return search.run()


class _Search:
    def __init__(
        self,
        graph: StageGraph,
        plan: Plan,
        goal: Goal,
        target: float,
        clock: Clock,
        seed: int,
    ) -> None:
        self.graph, self.goal, self.target, self.clock = graph, goal, target, clock
        self.seconds = clock.left
        self.random = np.random.default_rng(seed)
        self.best, self.value = plan, goal(plan.job_end)
        self.decoder = decoder(graph)
        self.state = scratch(self.decoder)
        self.start, self.slot = np.zeros_like(plan.start), np.zeros_like(plan.slot)
        self.tried = 0
        self.no_hold = np.zeros(len(self.decoder.group_stage), dtype=np.int64)
        self.releases = np.unique(graph.job_release)

    @property
    def over(self) -> bool:
        return self.value <= self.target or self.clock.over or self.tried >= EVALUATIONS

    def run(self) -> Plan:
        orders = starts(self.graph, self.decoder, self.best)  # made however short the time is
        scored = [(self.evaluate(o, self.no_hold), k, o) for k, o in enumerate(orders)]
        scored = sorted(scored)[:ROUNDS]
        rounds = len(scored)
        for k, (value, _, order) in enumerate(scored):
            if self.over or len(order) < 2:
                break
            self.anneal(order.copy(), value, (k + 1) / rounds)
        return self.best

    def evaluate(self, order: IntArray, hold: IntArray) -> float:
        """The value of a list schedule, with a surcharge for jobs that are too late."""
        self.tried += 1
        ends = list_schedule(self.decoder, self.state, order, hold, self.start, self.slot)
        if not len(ends):
            return math.inf
        value, excess = self.goal(ends), self.goal.excess(ends)
        if value < self.value and excess == 0:
            plan = timed(self.graph, self.start.copy(), self.slot.copy())
            self.best, self.value = plan, self.goal(plan.job_end)
        return value + excess

    def anneal(self, order: IntArray, value: float, until: float) -> None:
        """Move groups in the order, until this share of the time and of the evaluations is used."""
        began, hold = self.used(), self.no_hold
        while not self.over and (share := self.used()) < until:
            progress = (share - began) / max(until - began, 1e-9)
            cooled = (LAST_TEMPERATURE / FIRST_TEMPERATURE) ** progress
            temperature = FIRST_TEMPERATURE * cooled * max(self.value, 1.0)
            waits = len(self.releases) > 1 and self.random.random() < WAITS
            changed = order if waits else self.moved(order)
            later = self.held(hold) if waits else hold
            other = self.evaluate(changed, later)
            if other <= value or self.random.random() < math.exp((value - other) / temperature):
                order, hold, value = changed, later, other

    def moved(self, order: IntArray) -> IntArray:
        """The order with one group elsewhere: mostly near, sometimes far."""
        count = len(order)
        source = int(self.random.integers(count))
        far = count if self.random.random() < 0.3 else min(count, 8)
        step = int(self.random.integers(1, far)) if far > 1 else 1
        to = (source + step if self.random.random() < 0.5 else source - step) % count
        return np.insert(np.delete(order, source), to, order[source])

    def held(self, hold: IntArray) -> IntArray:
        """One group waits for the release of some job, or for none any more."""
        group = int(self.random.integers(len(hold)))
        until = 0 if hold[group] else int(self.random.choice(self.releases))
        changed = hold.copy()
        changed[group] = until
        return changed

    def used(self) -> float:
        """The share of time or evaluations that is used, whichever is more."""
        time = 0.0 if math.isinf(self.seconds) else 1 - self.clock.left / max(self.seconds, 1e-9)
        return max(self.tried / EVALUATIONS, time)


def starts(graph: StageGraph, d: Decoder, plan: Plan) -> Sequence[IntArray]:
    """Orders of the groups to begin with: the plan's, by longest tail, by release, by work."""
    groups = d.group_begin[:-1]
    stage = d.group_stage
    times = heads_and_tails(graph)
    first = np.minimum.reduceat(plan.start, groups)
    tail = times.tail[stage] + graph.tasks.time[groups]
    work = np.zeros(graph.jobs)
    np.add.at(work, graph.stage_job[graph.tasks.stage], graph.held)
    job = graph.stage_job[stage]
    release = graph.job_release[job].astype(float)
    keys: list[tuple[FloatArray | IntArray, ...]] = [(first,), (-tail,)]
    if graph.jobs > 1:
        slots = max(len(graph.slots), 1)
        keys += [
            (-tail, release),
            (-tail, work[job]),
            (-tail, release + work[job] / slots),
        ]
    return [np.lexsort(key) for key in keys]
