"""The causes of an audit one by one, and what is told beside their sum: what if some tasks had been
shorter, and what slots spent their time on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ...core.arrays import BoolArray, FloatArray, IntArray
from ...heuristics.history.search import Goal, mean_job_time
from ...instances.history.occupation import occupation
from ...instances.history.run import UNKNOWN
from ...instances.history.stage_graph import FAR, timed
from .audit import Alone, Audit, Detail, WhatIf
from .replay import EventGraph, on_any_slot

SLOW = 1.5
"""A task that took more than so many times the median of its like is a straggler."""

LEAST_NEAR = 5
"""Tasks that read from their own node, with fewer of which a stage says nothing about locality."""

NODE = 1
"""The worst locality of a task that reads from its own node."""


def with_detail(audit: Audit) -> Audit:
    """The audit with its detail."""
    goal = Goal() if audit.objective == "makespan" else mean_job_time(audit.graph)
    areas = _areas(audit) if audit.run.framework == "spark" else {}
    detail = Detail(tuple(_one_by_one(audit, goal)), tuple(_what_if(audit, goal)), areas)
    return replace(audit, detail=detail)


def _one_by_one(audit: Audit, goal: Goal) -> Iterator[Alone]:
    """Each cause removed first and last, by replays in the order of the run on its slots.

    The order is only there last: what is still gained by another one when all else is gone.
    """
    replays = audit.replays
    every = set(replays.causes)
    least = goal(replays.ends(every))
    for cause in replays.causes:
        first = audit.actual - goal(replays.ends({cause}))
        yield Alone(cause[0], first, goal(replays.ends(every - {cause})) - least)
    best = audit.reference("none").best
    assert best is not None
    yield Alone(audit.steps[audit.kept].cause, None, max(0.0, _in_its_order(audit, goal) - best))


def _in_its_order(audit: Audit, goal: Goal) -> float:
    """The value (ms) without overheads in the order of the run, on whatever slot is free first."""
    replays, own = audit.replays, audit.projection.graph.tasks
    nodes, again = replays.nodes, replays.replayed(set(replays.causes))
    graph = audit.reference("none").graph
    start = np.zeros_like(own.stage)
    start[nodes.task[nodes.counts]] = again.start[nodes.counts]
    kept = np.isin(own.attempt, graph.tasks.attempt)
    plan = timed(graph, start[kept], audit.projection.slot[kept])
    return goal(on_any_slot(graph, plan).job_end)


def _what_if(audit: Audit, goal: Goal) -> Iterator[WhatIf]:
    """The run with shorter tasks, else as it was; a replay, so that no job ends later."""
    nodes, metrics = audit.replays.nodes, audit.run.attempts.metrics
    like = _alike(nodes)
    medians = _medians(nodes.time, like, nodes.counts)
    limit = np.where(nodes.time > SLOW * medians, medians, np.inf)
    about = f"tasks over {SLOW:g} × the median of their stage, cut to the median"
    yield _if_shorter(audit, goal, "stragglers", about, limit)
    if "locality" not in metrics:
        return
    locality = np.full(len(nodes.task), UNKNOWN, dtype=np.int64)
    attempt = audit.projection.graph.tasks.attempt
    locality[nodes.counts] = metrics["locality"][attempt[nodes.task[nodes.counts]]]
    near = nodes.counts & (locality != UNKNOWN) & (locality <= NODE)
    medians = _medians(nodes.time, like, near, LEAST_NEAR)
    about = "tasks that read from another node, cut to their stage's median of those that did not"
    limit = np.where(locality > NODE, medians, np.inf)
    yield _if_shorter(audit, goal, "locality", f"{about}; an estimate", limit)


def _alike(nodes: EventGraph) -> IntArray:
    """Tasks of a stage; those that waited for their gate apart, as their time begins later."""
    return 2 * nodes.stage + (nodes.overlap > 0)


def _medians(time: IntArray, like: IntArray, some: BoolArray, least: int = 1) -> FloatArray:
    """For each node the median time (ms) of the like ones among some, infinity if too few."""
    medians = np.full(int(like.max(initial=0)) + 1, np.inf)
    at = np.flatnonzero(some)
    at = at[np.argsort(like[at], kind="stable")]
    for own in np.split(at, np.flatnonzero(np.diff(like[at])) + 1):
        if len(own) >= least:
            medians[like[own[0]]] = np.median(time[own])
    return np.asarray(medians[like])


def _if_shorter(audit: Audit, goal: Goal, name: str, about: str, limit: FloatArray) -> WhatIf:
    """What if tasks had taken at most a limit (ms)."""
    nodes = audit.replays.nodes
    limit = np.ceil(limit)
    cut = nodes.counts & (limit < nodes.time)
    time = np.where(cut, limit, nodes.time).astype(np.int64)
    before, after = audit.replays.ends(), audit.replays.with_time(time).ends()
    return WhatIf(name, about, int(cut.sum()), goal(before) - goal(after), before - after)


def _areas(audit: Audit) -> dict[str, float]:
    """Slot-seconds between the first submission and the last end, and what was spilled (bytes).

    What an attempt of a stage that no job names did is among them: it held a slot.
    """
    run, attempts = audit.run, audit.run.attempts
    held = occupation(run)
    first = audit.projection.shift
    last = first + int(audit.actual)
    since, until = held.slots.since, np.where(held.slots.until >= FAR, last, held.slots.until)
    there = np.clip(np.minimum(until, last) - np.maximum(since, first), 0, None).sum()
    part = np.minimum(held.until, last) - np.maximum(attempts.start, first)
    busy = np.where(held.slot >= 0, np.clip(part, 0, None), 0)
    counts = np.zeros(len(busy), dtype=bool)
    counts[audit.projection.graph.tasks.attempt] = True
    named = np.array([stage.job >= 0 for stage in run.stages])[attempts.stage]
    wasted = busy[~counts & named].sum()
    areas = {"slots": there, "idle": there - busy.sum(), "wasted": wasted}
    for name in ("fetch_wait", "gc", "spilled"):
        known = attempts.metrics.get(name, np.array([], dtype=np.int64))
        if (known != UNKNOWN).any():
            areas[name] = known[known != UNKNOWN].sum()
    return {name: float(v) if name == "spilled" else float(v) / 1000 for name, v in areas.items()}
