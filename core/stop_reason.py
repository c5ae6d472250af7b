"""Why a search ended. What it found is told by schedule and bound."""

from __future__ import annotations

from enum import StrEnum


class StopReason(StrEnum):
    """Why a method or a solver ended. The value is what is shown."""

    GAP_CLOSED = "gap closed"
    COMPLETED = "completed"
    PROGRAMS_SOLVED = "linear programs solved"
    INFEASIBLE = "no solution exists"
    TIME_LIMIT = "time limit"
    INTERRUPTED = "interrupted"
    NOT_APPLICABLE = "not applicable"
    GAVE_UP = "solver gave up"
    STILL_RUNNING = "still running"
