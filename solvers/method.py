"""What every exact road is given and gives back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Event

from ..instances.mapreduce.schedule import Schedule
from .progress import Progress, ProgressCallback


@dataclass(frozen=True)
class Task:
    """Where a road starts: a valid schedule, a valid lower bound (s), and how long it may take.

    `time_limit` in s of wall time; `relative_gap` at which the road may stop. When `stop` is set,
    the road ends soon with what it has. `on_progress` is called from the road's own thread. `best`
    gives the shortest makespan (s) that anyone has by now, if others are on the way too. `keep` is
    called with what the road would arrive with if it ended now: that counts if it does not answer.
    """

    incumbent: Schedule
    lower_bound: float
    time_limit: float
    threads: int
    relative_gap: float
    absolute_gap: float = 0.0
    on_progress: ProgressCallback | None = None
    stop: Event = field(default_factory=Event)
    best: Callable[[], float] | None = None
    keep: Callable[[Arrival], None] = lambda arrival: None


@dataclass(frozen=True)
class Arrival:
    """Where a road ended: its best schedule if it found one, and its own lower bound if any.

    `stop` says in words why it ended, `proof` what its bound rests on.
    """

    schedule: Schedule | None
    lower_bound: float | None
    proof: str
    stop: str
    progress: list[Progress] = field(default_factory=list)
