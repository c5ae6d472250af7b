"""FIFO and FIFO-Pri ([HMHS], section 4), recorded: the slot that is free first takes a task."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ....core.arrays import BoolArray, FloatArray
from ....instances.mapreduce.instance import Instance
from ....instances.mapreduce.processing import map_time_matrix, reduce_time_matrix
from ....instances.mapreduce.schedule import PhaseSchedule
from ....instances.mapreduce.setups import map_setup_matrix, reduce_setups
from ..record import Step, Steps
from .board import Board, FactKeeper, Phase, blank, map_ends, put
from .first_free import Turn, candidates, how_it_ends, whose_turn
from .priority import by_priority, priority_step


def fifo(instance: Instance) -> Steps:
    """Record FIFO: the jobs as they come."""
    return _recorded(Board("FIFO", instance), list(range(instance.jobs)))


def fifo_pri(instance: Instance) -> Steps:
    """Record FIFO-Pri: the jobs by increasing Pri."""
    board = Board("FIFO-Pri", instance)
    if instance.jobs:
        board.add(priority_step(board))
    return _recorded(board, by_priority(board.instance)[0])


def _recorded(board: Board, jobs: list[int]) -> Steps:
    instance, cluster = board.instance, board.instance.cluster
    setups, times = map_setup_matrix(instance), map_time_matrix(instance)
    allowed = np.ones(times.shape, dtype=bool)
    if instance.security is not None:
        allowed = instance.security.priorities
    at_once = np.zeros(instance.jobs)
    maps = _served(board, "map", jobs, at_once, (setups, times, allowed))
    setups = reduce_setups(instance, cluster.map_slot_node[maps.slot])
    setups = setups[instance.reduce_job][:, cluster.reduce_slot_node]
    times = reduce_time_matrix(instance)
    allowed = np.ones(times.shape, dtype=bool)
    arrival = map_ends(instance, maps)
    reduces = _served(board, "reduce", jobs, arrival, (setups, times, allowed))
    return board.finished(maps, reduces)


def _served(
    board: Board,
    phase: Phase,
    jobs: list[int],
    arrival: FloatArray,
    tables: tuple[FloatArray, FloatArray, BoolArray],
) -> PhaseSchedule:
    """First come, first served, with a step per task."""
    setups, times, allowed = tables
    job_of = board.instance.map_job if phase == "map" else board.instance.reduce_job
    tasks, slots = times.shape
    placed, free = blank(tasks), np.zeros(slots)
    left = [t for i in jobs for t in range(tasks) if job_of[t] == i]
    while left:
        wanted = [k for k in range(slots) if allowed[left, k].any()]
        k = min(wanted, key=lambda k: (free[k], k))
        mine = [t for t in left if allowed[t, k]]
        now = max(float(free[k]), min(float(arrival[job_of[t]]) for t in mine))
        t = next(t for t in mine if arrival[job_of[t]] <= now)
        end = now + setups[t, k] + times[t, k]
        put(placed, t, k, (now, float(setups[t, k]), float(end)))
        ready = float(arrival[job_of[t]])
        row = setups[t], times[t], allowed[t]
        turn = Turn(phase, k, t, ready, free.copy(), *row, wanted)
        board.add(_step(board, turn, placed, left, arrival), (phase, t))
        free[k] = end
        left.remove(t)
    return placed


def _step(
    board: Board, turn: Turn, placed: PhaseSchedule, queue: Sequence[int], arrival: FloatArray
) -> Step:
    phase, t = turn.phase, turn.task
    keeper = FactKeeper()
    text = (
        whose_turn(board, turn, keeper),
        _whom(board, turn, queue[: queue.index(t)], arrival, keeper),
        how_it_ends(board, turn, keeper, "FIFO"),
    )
    shown, chosen, left_out, loser = candidates(board, turn)
    return Step(
        kind="place",
        title=f"{board.task_name(phase, t)} to {board.slot_name(phase, turn.slot)}",
        rule=turn.rule(),
        text=" ".join(text),
        candidates=shown,
        chosen=chosen,
        loser=loser,
        left_out=left_out,
        facts=keeper.facts,
        rows=(board.row(phase, t, placed),),
    )


def _whom(
    board: Board, turn: Turn, before: Sequence[int], arrival: FloatArray, keeper: FactKeeper
) -> str:
    """Why the slot takes this task, and which of those before it in order it passes over."""
    phase, t = turn.phase, turn.task
    names, name = board.instance.job_names, board.task_name(phase, t)
    waits = turn.ready > turn.free[turn.slot]
    ready = keeper.seconds("its maps have ended", turn.ready) if waits else ""
    if not before and waits:
        return f"It takes {name}, the first in order, and waits for its maps until {ready}."
    if not before:
        return f"It takes {name}, the first task in order."
    if phase == "map":
        passed = keeper.name("passed over", board.task_name(phase, before[0]))
        return f"It takes {name}: {passed} is before it in order, but may not run there."
    other = board.job_of(phase, before[0])[0]
    ends = keeper.seconds("maps of the first in order end", float(arrival[other]))
    passed = f"{names[other]} is first in order, but its maps end only at {ends}"
    if waits:
        job = names[board.job_of(phase, t)[0]]
        return (
            f"No job is ready then, so it waits until {ready} for {job}, the next whose maps end. "
            f"{passed}."
        )
    return f"It takes {name}: {passed}."
