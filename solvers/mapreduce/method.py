"""What an exact method is given and what it gives back."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Event

from ...core.clock import Clock, StopReason
from ...instances.mapreduce.instance import Instance
from ...instances.mapreduce.schedule import Schedule
from ..progress import Progress, ProgressCallback


@dataclass(frozen=True)
class SolveRequest:
    """What a method starts from, and when it has to end.

    Parameters
    ----------
    incumbent
        A valid schedule. Only better ones are looked for.
    lower_bound
        A valid lower bound on the makespan (s).
    time_limit
        Wall time (s).
    threads
        Number of threads the method may use.
    relative_gap, absolute_gap
        The method may end when the gap is this small; relative to the bound, and in s.
    on_progress
        Called from the method's own thread with each new incumbent or bound.
    seed
        Seed of random numbers; a method that runs twice at once has two.
    stop
        When it is set, the method ends soon with what it has.
    best
        Gives the least makespan (s) that anyone has by now, if other methods run beside this.
    best_schedule
        Gives the best schedule that anyone has kept by now, if other methods run beside this.
    best_bound
        Gives the greatest lower bound (s) that anyone has kept by now, likewise.
    keep
        To be called with what the method would return if it ended now. That counts if the method
        does not answer in time, and methods that run beside it see it.
    """

    incumbent: Schedule
    lower_bound: float
    time_limit: float
    threads: int
    relative_gap: float
    absolute_gap: float = 0.0
    on_progress: ProgressCallback | None = None
    seed: int = 0
    stop: Event = field(default_factory=Event)
    best: Callable[[], float] | None = None
    best_schedule: Callable[[], Schedule] | None = None
    best_bound: Callable[[], float] | None = None
    keep: Callable[[MethodOutcome], None] = lambda outcome: None

    def clock(self) -> Clock:
        """A clock of the method's time, which begins now and ends with `stop`."""
        return Clock(self.time_limit, self.stop)


@dataclass(frozen=True)
class MethodOutcome:
    """What a method found.

    Parameters
    ----------
    schedule
        The best schedule, None if it has none that is better than the incumbent it was given.
    lower_bound
        The method's own lower bound on the makespan (s), None if it proved none.
    proof
        What the lower bound rests on, in words.
    stop
        Why the method ended.
    detail
        The same in more words, where `stop` alone does not say enough.
    progress
        The steps on the way, for charts.
    """

    schedule: Schedule | None
    lower_bound: float | None
    proof: str = ""
    stop: StopReason = StopReason.STILL_RUNNING
    detail: str = ""
    progress: list[Progress] = field(default_factory=list)

    @property
    def why(self) -> str:
        """Why the method ended, in words."""
        return self.detail or self.stop.value


Method = Callable[[Instance, SolveRequest], MethodOutcome]
"""An exact method, or one that only bounds or only improves: see `slotwise.solvers.METHODS`."""


def exact_method(method: Method) -> Method:
    """Mark a method of ours: what all of them take and return is put into its docstring."""
    method.__doc__ = f"{inspect.getdoc(method)}{_SECTIONS}"
    return method


_SECTIONS = """

Parameters
----------
instance
    The instance.
request
    Incumbent, lower bound and limits.

Returns
-------
MethodOutcome
    What the method found and proved: a schedule only if it is shorter than the incumbent."""


def not_applicable(why: str, proof: str = "") -> MethodOutcome:
    """The outcome of a method that declines an instance.

    Returns an outcome without schedule and bound.
    """
    return MethodOutcome(None, None, proof, StopReason.NOT_APPLICABLE, f"not applicable: {why}")
