"""What a run and every model of it share: the attempts that count, and the tasks they make."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...core.arrays import BoolArray, IntArray
from ...core.errors import InputError
from .occupation import Occupation, occupation, without
from .run import Outcome, Run
from .stage_graph import FAR, Arcs, Slots, StageGraph


class BrokenRun(InputError):
    """A run that the audit's model does not contain: no verdict, exit code 1."""


@dataclass(frozen=True)
class Projection:
    """A model of a run, and the run as one of its plans: start (ms) and slot of every task.

    `shift` is the run's time (ms) that is the model's 0. `dropped` are arcs that the log's own
    times contradict: (parent, child) by position.
    """

    graph: StageGraph
    start: IntArray
    slot: IntArray
    shift: int
    dropped: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class Counted:
    """The attempts that count: the first success of every task that a model keeps.

    `attempt` gives their positions, stage by stage and the longest first; `held` is what every
    attempt of the run held.
    """

    attempt: IntArray
    held: Occupation

    def slots(self, run: Run, shift: int) -> tuple[Slots, Slots, IntArray]:
        """Slots for schedules, slots for bounds, and the slot of each counted attempt.

        Attempts of stages that stay are where they were: schedules go around them.
        """
        attempts, held = run.attempts, self.held
        stays = np.array([stage.stays for stage in run.stages], dtype=bool)
        fixed = np.flatnonzero(stays[attempts.stage] & (held.slot >= 0))
        free, origin = without(
            held.slots, held.slot[fixed], attempts.start[fixed], held.until[fixed]
        )
        slot, start = held.slot[self.attempt], attempts.start[self.attempt]
        # The part of its slot that begins last before the attempt does.
        place = np.searchsorted(_key(origin, free.since), _key(slot, start), side="right") - 1
        slot = np.where(slot < 0, _any_slot(run, free, self.attempt), place)
        return _shifted(free, shift), _shifted(held.slots, shift), slot


def counted(run: Run, stages: BoolArray) -> Counted:
    """The first success of every task of these stages. Raises `InputError` if there is none."""
    attempts = run.attempts
    good = np.flatnonzero((attempts.outcome == Outcome.SUCCESS) & stages[attempts.stage])
    if not len(good):
        raise InputError(_nothing(run))
    order = good[np.lexsort((attempts.end[good], attempts.task[good], attempts.stage[good]))]
    key = np.stack((attempts.stage[order], attempts.task[order]))
    first = np.append(True, (key[:, 1:] != key[:, :-1]).any(axis=0))
    kept = order[first]
    length = attempts.end[kept] - attempts.start[kept]
    return Counted(kept[np.lexsort((-length, attempts.stage[kept]))], occupation(run))


def contradicted(arcs: Arcs, first: IntArray, last: IntArray) -> BoolArray:
    """Which arcs the run breaks: a child that began (ms) before its parent ended, and the lag."""
    return first[arcs.child] < last[arcs.parent] + arcs.lag


def _nothing(run: Run) -> str:
    if not len(run.attempts.start):
        return f"{run.name}: 0 tasks ended: nothing to audit"
    return (
        f"{run.name}: no task ever succeeded, so nothing says how long it takes; nothing to audit"
    )


def _key(slot: IntArray, time: IntArray) -> IntArray:
    """Slot and time (ms) as one number that grows with slot, then time."""
    return slot * (4 * FAR) + time


def _any_slot(run: Run, slots: Slots, attempt: IntArray) -> IntArray:
    """A slot of each attempt's pool, for those that hold none."""
    pools = np.array([stage.pool for stage in run.stages], dtype=np.int64)
    first = {pool: k for k, pool in reversed(list(enumerate(slots.pool.tolist())))}
    return np.array([first.get(p, 0) for p in pools[run.attempts.stage[attempt]]], dtype=np.int64)


def _shifted(slots: Slots, shift: int) -> Slots:
    until = np.where(slots.until >= FAR, FAR, slots.until - shift)
    return Slots(slots.pool, slots.since - shift, until)
