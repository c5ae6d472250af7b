"""Outage verifying of [SMSO]: heartbeats report lost slots, and their tasks move."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from ....core.arrays import IntArray
from ....instances.mapreduce.instance import Instance
from ....instances.mapreduce.schedule import Schedule
from ....instances.mapreduce.security import Outages
from .matchmaking import loads, matched
from .queue_ordering import ordered
from .reading import USUAL, Reading


@dataclass(frozen=True)
class Move:
    """A task that moved, from a lost slot or because all reduce tasks were placed again."""

    phase: Literal["map", "reduce"]
    task: int
    """Its number over all jobs."""
    source: int
    target: int
    """`source`, `target`: slots, numbered over the cluster."""
    heartbeat: int
    """Number of the heartbeat, from 0."""


@dataclass(frozen=True)
class Rescheduling:
    """The schedule after all outages."""

    schedule: Schedule
    """The schedule on the remaining slots."""
    moves: tuple[Move, ...]
    """Every task that moved."""


def rescheduled(
    instance: Instance,
    heartbeats: Sequence[Outages] | None = None,
    *,
    reading: Reading = USUAL,
    by_johnson: bool = False,
) -> Rescheduling:
    """Plan for the whole cluster, then move the tasks of lost slots ([SMSO], Algorithms 3 and 4).

    After each heartbeat the map tasks on lost slots are matched again to the remaining slots, while
    all others stay; then the queues are ordered again. Reduce tasks on remaining slots stay, or all
    are placed again. Outages accumulate.

    `heartbeats`: the outages reported by each heartbeat; by default one with the instance's
    outages.
    `by_johnson`: whether each slot runs the jobs in Johnson's order instead of all tasks by LPT.
    Raises `InputError` if the outages leave a task without an eligible slot.
    """
    if heartbeats is None:
        heartbeats = [] if instance.outages is None else [instance.outages]
    known = replace(instance, outages=None)
    slots = len(instance.cluster.map_slot_node)
    every_task = np.arange(instance.map_tasks)
    work = loads(instance, reading.load)
    map_slot = matched(known, every_task, np.zeros(slots), reading)
    plan = ordered(known, map_slot, by_johnson=by_johnson)
    moves: list[Move] = []
    for beat, outages in enumerate(heartbeats):
        known = replace(instance, outages=_both(known.outages, outages))
        assert known.outages is not None
        lost = np.flatnonzero(known.outages.map[map_slot])
        if lost.size:
            queued = np.bincount(np.delete(map_slot, lost), np.delete(work, lost), slots)
            new_slot = matched(known, lost, queued.astype(np.float64), reading)
            moves += _moves("map", lost, map_slot[lost], new_slot, beat)
            map_slot = map_slot.copy()
            map_slot[lost] = new_slot
        planned = plan.reduce.slot
        kept = planned if reading.reduces == "stay" else None
        plan = ordered(known, map_slot, by_johnson=by_johnson, reduce_slot=kept)
        moved = np.flatnonzero(plan.reduce.slot != planned)
        moves += _moves("reduce", moved, planned[moved], plan.reduce.slot[moved], beat)
    notes = moves_in_words(instance, known.outages, moves)
    return Rescheduling(replace(plan, notes=notes), tuple(moves))


def _both(one: Outages | None, other: Outages) -> Outages:
    return other if one is None else Outages(one.map | other.map, one.reduce | other.reduce)


def _moves(
    phase: Literal["map", "reduce"], tasks: IntArray, source: IntArray, target: IntArray, beat: int
) -> list[Move]:
    rows = zip(tasks.tolist(), source.tolist(), target.tolist(), strict=True)
    return [Move(phase, task, before, after, beat) for task, before, after in rows]


def moves_in_words(
    instance: Instance, lost: Outages | None, moves: Sequence[Move]
) -> tuple[str, ...]:
    """What was moved: first a summary, then one line per task.

    `lost`: all outages, None without any.
    """
    if lost is None:
        return ()
    cluster = instance.cluster
    count = {phase: sum(move.phase == phase for move in moves) for phase in ("map", "reduce")}
    lines = [
        f"{int(lost.map.sum())} map and {int(lost.reduce.sum())} reduce slots lost: "
        f"{count['map']} of {instance.map_tasks} map and {count['reduce']} of "
        f"{instance.reduce_tasks} reduce tasks moved"
    ]
    for move in moves:
        phase = getattr(instance.phases, move.phase)
        source, target = (
            f"{move.phase} slot {slot} ({cluster.node_names[phase.slot_node[slot]]!r})"
            for slot in (move.source, move.target)
        )
        lines.append(f"{phase.task_name(move.task)}: {source} -> {target}")
    return tuple(lines)
