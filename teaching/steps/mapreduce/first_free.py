"""A task goes to the slot that is free first: candidates and sentences, for FIFO and SMSO."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....core.arrays import BoolArray, FloatArray
from ..record import Candidate, Fact
from .board import Board, FactKeeper, Phase, few


@dataclass(frozen=True)
class Turn:
    """A slot's turn to take a task."""

    phase: Phase
    slot: int
    task: int
    """`slot`, `task`: both, numbered over the phase."""
    ready: float
    """When the job's maps have ended (s)."""
    free: FloatArray
    """When each slot is free (s), infinite for a lost one, shape (slots,)."""
    setup: FloatArray
    time: FloatArray
    """`setup`, `time`: setup and processing time of the task on each slot (s), shape (slots,)."""
    allowed: BoolArray
    """Whether the task may run on each slot, shape (slots,)."""
    wanted: list[int]
    """The slots whose turn it might have been."""

    @property
    def start(self) -> FloatArray:
        """When the task would start on each slot (s)."""
        return np.maximum(self.free, self.ready)

    @property
    def end(self) -> FloatArray:
        """When it would end (s)."""
        end: FloatArray = self.start + self.setup + self.time
        return end

    @property
    def soonest(self) -> int:
        """The slot that would end it first."""
        end = self.end
        return min(np.flatnonzero(self.allowed).tolist(), key=lambda k: (end[k], k))

    def rule(self) -> str:
        """What decided, with the tie rule if one was needed."""
        tied = sum(self.free[k] == self.free[self.slot] for k in self.wanted) > 1
        return "first free slot, of equal ones the lowest number" if tied else "first free slot"


def candidates(board: Board, turn: Turn) -> tuple[tuple[Candidate, ...], int, int, int | None]:
    """The slots, as far as they are shown.

    Returns the candidates, the chosen one's number among them, how many are left out, and the
    number of the one that loses although it would end the task sooner or is free next.
    """
    every = [_candidate(board, turn, k) for k in range(len(turn.free))]
    loser = turn.soonest
    if turn.end[loser] >= turn.end[turn.slot]:
        others = [k for k in turn.wanted if k != turn.slot]
        loser = min(others, key=lambda k: (turn.free[k], k), default=turn.slot)
    return few(every, turn.slot, None if loser == turn.slot else loser)


def _candidate(board: Board, turn: Turn, k: int) -> Candidate:
    lane, label, free = board.lane(turn.phase, k), board.slot_name(turn.phase, k), turn.free[k]
    if not turn.allowed[k]:
        if not np.isfinite(free):
            return Candidate(lane, label, {"lost": True})
        return Candidate(lane, label, {"free": float(free), "allowed": False})
    start, end = float(turn.start[k]), float(turn.end[k])
    facts: dict[str, Fact] = {
        "free": float(free),
        "start": start,
        "setup": float(turn.setup[k]),
        "processing": float(turn.time[k]),
        "end": end,
    }
    return Candidate(lane, label, facts, (start, end))


def whose_turn(board: Board, turn: Turn, keeper: FactKeeper) -> str:
    """Why it is this slot's turn."""
    k, phase, free = turn.slot, turn.phase, turn.free
    slot, when = board.slot_name(phase, k), keeper.seconds("free", float(free[k]))
    others = [j for j in turn.wanted if j != k]
    text = f"{slot} is free first, at {when}"
    if others:
        j = min(others, key=lambda j: (free[j], j))
        name = board.slot_name(phase, j)
        if free[j] == free[k]:
            text += f", as is {name}; the lower number takes its turn"
        else:
            later = keeper.seconds("next slot later by", float(free[j] - free[k]))
            text += f"; {name} follows {later} later"
    idle = [j for j in range(len(free)) if j not in turn.wanted and free[j] < free[k]]
    if idle:
        name = board.slot_name(phase, idle[0])
        text += f". {name} was free before, but no task that is left may run there"
    return f"{text}."


def how_it_ends(board: Board, turn: Turn, keeper: FactKeeper, method: str) -> str:
    """When the task ends, and which slot would end it sooner.

    `method`: name of the heuristic that does not look at that.
    """
    k, j, end = turn.slot, turn.soonest, turn.end
    ends = keeper.seconds("end", float(end[k]))
    if end[j] >= end[k]:
        alone = "" if turn.allowed.sum() == 1 else "; no other slot would end it sooner"
        return f"It ends at {ends}{alone}."
    sooner = keeper.seconds("would end sooner by", float(end[k] - end[j]))
    there, name = keeper.seconds("sooner end", float(end[j])), board.slot_name(turn.phase, j)
    reasons = []
    reading, running = float(turn.setup[k] - turn.setup[j]), float(turn.time[k] - turn.time[j])
    if reading > 0:
        reasons.append(f"reads for {keeper.seconds('reads less by', reading)} less")
    if running > 0:
        reasons.append(f"runs for {keeper.seconds('runs less by', running)} less")
    why = f", because it {' and '.join(reasons)} there" if reasons else ""
    return (
        f"It ends at {ends}. {name} would end it {sooner} sooner, at {there}{why}; {method} does "
        "not look at that."
    )
