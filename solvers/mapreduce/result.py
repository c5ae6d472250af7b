"""What a method found and what is proved about it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from typing import Any

from ...core.calls.objective import Objective
from ...core.equality import ByValue
from ...core.errors import CertificateError, InvalidSchedule
from ...core.wording import percent
from ...formulations.mapreduce.bounds.closed_form import ERROR
from ...instances.mapreduce.checker import check
from ...instances.mapreduce.instance import Instance
from ...instances.mapreduce.instance_file import instance_document
from ...instances.mapreduce.schedule import Schedule, mean_job_time
from ...instances.mapreduce.schedule_file import RESULT_FORMAT, schedule_document
from ...instances.verdict import Verdict
from ...instances.views import Plottable, Tabular, view
from ..certificate import SECONDS, Certificate
from ..progress import Progress
from .method import MethodOutcome

OPTIMALITY_TOLERANCE = 1e-6
"""A schedule counts as optimal if its makespan is this close, relatively, to a valid bound."""


class Status(StrEnum):
    """What is proved about an instance."""

    OPTIMAL = "optimal"
    FEASIBLE = "feasible"
    INFEASIBLE = "infeasible"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class MeanBound:
    """What is proved of the mean job time: nothing is less (s), and what proved that."""

    value: float
    proof: str


@dataclass(frozen=True, eq=False)
class Result(Plottable, Tabular, ByValue):
    """A schedule with its certificate.

    Parameters
    ----------
    instance
        The instance.
    method
        The method that was asked for.
    status
        What is proved, of the mean job time if that was to be least.
    makespan
        Makespan of the schedule (s), None without one.
    lower_bound
        A valid lower bound on the makespan (s).
    bound_name
        What proved the lower bound.
    seconds
        Wall time (s).
    schedule
        The schedule, None without one.
    found_by
        What found the schedule.
    assumptions_dropped
        Parts of the instance that the method ignored.
    notes
        Remarks.
    progress
        Incumbents and bounds on the way.
    interrupted
        Whether Ctrl-C ended the search.
    outcomes
        What each exact method came to by itself: its schedule and bound, and why it ended.
    mean_bound
        What is proved of the mean job time, None if the makespan was to be least. Bounds of
        `progress` and `outcomes` are of what was to be least; `lower_bound` is of the makespan.
    fault
        An error of slotwise on the way; what it made is left out.
    """

    instance: Instance
    method: str
    status: Status
    makespan: float | None
    lower_bound: float
    bound_name: str
    seconds: float = field(compare=False)
    schedule: Schedule | None = None
    found_by: str = ""
    assumptions_dropped: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    progress: list[Progress] = field(default_factory=list, compare=False)
    interrupted: bool = False
    outcomes: dict[str, MethodOutcome] = field(default_factory=dict)
    mean_bound: MeanBound | None = None
    fault: CertificateError | None = field(default=None, compare=False)

    @property
    def gap(self) -> float | None:
        """(makespan - lower bound) / lower bound; None without a makespan or a positive bound."""
        return None if self.makespan is None else relative_gap(self.makespan, self.lower_bound)

    @property
    def mean_job_time(self) -> float | None:
        """Mean, by weight, of the jobs' times from release to end (s); None without a schedule."""
        return None if self.schedule is None else mean_job_time(self.instance, self.schedule)

    @property
    def objective(self) -> Objective:
        """What was to be least."""
        return "makespan" if self.mean_bound is None else "mean"

    @property
    def goal(self) -> float | None:
        """What the schedule comes to by the objective (s); None without one."""
        return self.makespan if self.mean_bound is None else self.mean_job_time

    @property
    def goal_bound(self) -> tuple[float, str]:
        """The lower bound of the objective (s), and what proved it."""
        if self.mean_bound is None:
            return self.lower_bound, self.bound_name
        return self.mean_bound.value, self.mean_bound.proof

    @property
    def goal_gap(self) -> float | None:
        """The gap of the objective, relative to its bound; None as `gap`."""
        return None if self.goal is None else relative_gap(self.goal, self.goal_bound[0])

    @cached_property
    def certificate(self) -> Certificate:
        """Proofs that a verifier confirms, made when first asked for."""
        certificate: Certificate = view("certify")(self, time_limit=SECONDS)
        return certificate

    def document(self) -> dict[str, Any]:
        """The `slotwise/result/1` document."""
        document: dict[str, Any] = {
            "format": RESULT_FORMAT,
            "instance": self.instance.name,
            "method": self.method,
            "status": self.status.value,
            "makespan": self.makespan,
            "lower_bound": self.lower_bound,
            "gap": self.gap,
            "bound": self.bound_name,
            "found_by": self.found_by,
            "seconds": round(self.seconds, 6),
            "assumptions_dropped": list(self.assumptions_dropped),
            "notes": list(self.notes),
            "progress": [
                {"seconds": p.seconds, "incumbent": p.incumbent, "bound": p.bound}
                for p in self.progress
            ],
            "schedule": None,
        }
        if self.outcomes:
            document["methods"] = [
                {
                    "method": name,
                    "makespan": None if one.schedule is None else one.schedule.makespan,
                    "lower_bound": one.lower_bound if self.mean_bound is None else None,
                    "proof": one.proof,
                    "why": one.why,
                }
                for name, one in self.outcomes.items()
            ]
        if self.instance.release is not None or self.instance.weight is not None:
            document["mean_job_time"] = self.mean_job_time
        if self.mean_bound is not None:
            document |= {
                "objective": self.objective,
                "mean_job_time": self.mean_job_time,
                "mean_job_time_bound": self.mean_bound.value,
                "mean_job_time_gap": self.goal_gap,
                "mean_job_time_proof": self.mean_bound.proof,
            }
        if self.schedule is not None:
            document["schedule"] = schedule_document(self.instance, self.schedule)
        return document

    def __str__(self) -> str:
        if self.makespan is None:
            return f"{self.instance.name}: {self.status.value}, {'; '.join(self.notes[:2])}"
        gap = "" if self.goal_gap is None else f", gap {percent(self.goal_gap)}"
        mean = self.mean_bound is not None
        what = f"mean job time {self.goal:.6g} s" if mean else f"makespan {self.makespan:.6g} s"
        also = f", makespan {self.makespan:.6g} s" if mean else ""
        bound, name = self.goal_bound
        return (
            f"{self.instance.name}: {self.status.value}, {what} ({self.found_by}), "
            f"bound {bound:.6g} s ({name}){gap}{also}, {self.seconds:.2f} s"
        )

    def __repr__(self) -> str:
        return f"Result({self})"


def relative_gap(makespan: float, lower_bound: float) -> float | None:
    """(makespan - lower bound) / lower bound, 0 if both are 0, None if only the bound is 0.

    `makespan`: makespan (s).
    `lower_bound`: lower bound (s).
    """
    if lower_bound > 0:
        return max(0.0, makespan - lower_bound) / lower_bound
    return 0.0 if makespan <= 0 else None


def certified(
    instance: Instance,
    method: str,
    schedule: Schedule,
    lower_bound: float,
    bound: str,
    seconds: float = 0.0,
    verdict: Verdict | None = None,
) -> Result:
    """Make a result after checking its schedule and its bound.

    `lower_bound`: a lower bound on the makespan (s).
    `seconds`: wall time (s).
    `verdict`: what the checker says of the schedule, if it was asked already.
    Raises `CertificateError` if the schedule is invalid or the bound contradicts it.
    """
    verdict = check(instance, schedule) if verdict is None else verdict
    if not verdict.valid:
        raise InvalidSchedule(method, verdict.violations[0], lambda: instance_document(instance))
    result = Result(
        instance=instance,
        method=method,
        status=Status.FEASIBLE,
        # The schedule's own number, which the checker has just worked out too, rounded otherwise.
        makespan=schedule.makespan,
        lower_bound=0.0,
        bound_name="",
        seconds=seconds,
        schedule=schedule,
        found_by=method,
    )
    return with_bound(result, lower_bound, bound)


def with_bound(result: Result, lower_bound: float, bound: str) -> Result:
    """Replace the lower bound of a result; its schedule is not checked again.

    `lower_bound`: another valid lower bound (s).
    Raises `CertificateError` if the bound is above the makespan.
    """
    makespan = result.makespan
    assert makespan is not None
    lower_bound, status = _proved(result, makespan, lower_bound, bound)
    return replace(result, status=status, lower_bound=lower_bound, bound_name=bound)


def with_mean_bound(result: Result, lower_bound: float, proof: str) -> Result:
    """The result as one whose mean job time was to be least: what is proved of it.

    `lower_bound`: a valid lower bound of the mean job time (s).
    Raises `CertificateError` if it is above that of the schedule.
    """
    mean = result.mean_job_time
    assert mean is not None
    lower_bound, status = _proved(result, mean, lower_bound, proof)
    return replace(result, status=status, mean_bound=MeanBound(lower_bound, proof))


def _proved(result: Result, value: float, lower_bound: float, bound: str) -> tuple[float, Status]:
    """A bound of what the schedule comes to (s), not above it by rounding, and what that proves."""
    slack = OPTIMALITY_TOLERANCE * value
    if not math.isfinite(lower_bound) or lower_bound > value + slack:
        error = CertificateError(
            f"the bound {bound!r} of {lower_bound:.9g} s is above a valid schedule of "
            f"{value:.9g} s by {result.method}",
            lambda: instance_document(result.instance),
        )
        error.result = result
        raise error
    if lower_bound >= value * (1 - 2 * ERROR):
        lower_bound = value
    gap = relative_gap(value, lower_bound)
    proven = gap is not None and gap <= OPTIMALITY_TOLERANCE
    return lower_bound, Status.OPTIMAL if proven else Status.FEASIBLE


def infeasible(instance: Instance, method: str, why: str) -> Result:
    """The result for an instance without any schedule."""
    return replace(no_schedule(instance, method, (why,)), status=Status.INFEASIBLE)


def no_schedule(
    instance: Instance, method: str, notes: tuple[str, ...], seconds: float = 0.0
) -> Result:
    """The result of a method that has no schedule to show.

    `seconds`: wall time (s).
    """
    return Result(
        instance=instance,
        method=method,
        status=Status.UNKNOWN,
        makespan=None,
        lower_bound=0.0,
        bound_name="",
        seconds=seconds,
        notes=notes,
    )
