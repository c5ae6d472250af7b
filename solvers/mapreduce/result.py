"""What a method found and what is proved about it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from typing import Any

from ...core.clock import StopReason
from ...core.errors import CertificateError, InvalidSchedule
from ...core.values import ByValue
from ...core.wording import percent
from ...formulations.mapreduce.bounds.closed_form import ERROR
from ...instances.mapreduce.checker import check
from ...instances.mapreduce.instance import Instance
from ...instances.mapreduce.instance_file import instance_document
from ...instances.mapreduce.schedule import Schedule
from ...instances.mapreduce.schedule_file import RESULT_FORMAT, schedule_document
from ...instances.verdict import Verdict
from ...instances.views import Plottable, Tabular, view
from ..certificate import SECONDS, Certificate
from ..progress import Progress

OPTIMALITY_TOLERANCE = 1e-6
"""A schedule counts as optimal if its makespan is this close, relatively, to a valid bound."""


class Status(StrEnum):
    """What is proved about an instance."""

    OPTIMAL = "optimal"
    FEASIBLE = "feasible"
    INFEASIBLE = "infeasible"
    UNKNOWN = "unknown"


@dataclass
class MethodOutcome:
    """What a method came to by itself.

    Parameters
    ----------
    schedule
        Its best schedule, None if it told none.
    lower_bound
        Its own lower bound on the makespan (s), None if it proved none.
    proof
        What the lower bound rests on, in words.
    why
        Why it ended, in words.
    """

    schedule: Schedule | None = None
    lower_bound: float | None = None
    proof: str = ""
    why: str = StopReason.STILL_RUNNING


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
        What is proved.
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
    fault: CertificateError | None = field(default=None, compare=False)

    @property
    def gap(self) -> float | None:
        """(makespan - lower bound) / lower bound; None without a makespan or a positive bound."""
        return None if self.makespan is None else relative_gap(self.makespan, self.lower_bound)

    @cached_property
    def certificate(self) -> Certificate:
        """Proofs that a verifier confirms, made when first asked for."""
        certify = view("reports.documents.certifying:certify")
        certificate: Certificate = certify(self, time_limit=SECONDS)
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
                    "lower_bound": one.lower_bound,
                    "proof": one.proof,
                    "why": one.why,
                }
                for name, one in self.outcomes.items()
            ]
        if self.schedule is not None:
            document["schedule"] = schedule_document(self.instance, self.schedule)
        return document

    def __str__(self) -> str:
        if self.makespan is None:
            return f"{self.instance.name}: {self.status.value}, {'; '.join(self.notes[:2])}"
        gap = "" if self.gap is None else f", gap {percent(self.gap)}"
        return (
            f"{self.instance.name}: {self.status.value}, makespan {self.makespan:.6g} s "
            f"({self.found_by}), bound {self.lower_bound:.6g} s ({self.bound_name}){gap}, "
            f"{self.seconds:.2f} s"
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
    slack = OPTIMALITY_TOLERANCE * makespan
    if not math.isfinite(lower_bound) or lower_bound > makespan + slack:
        error = contradiction(result.instance, bound, lower_bound, makespan, result.method)
        error.result = replace(result, fault=error)
        raise error
    # Rounding may take the bound of an optimal schedule a little off its makespan.
    if lower_bound >= makespan * (1 - 2 * ERROR):
        lower_bound = makespan
    gap = relative_gap(makespan, lower_bound)
    proven = gap is not None and gap <= OPTIMALITY_TOLERANCE
    status = Status.OPTIMAL if proven else Status.FEASIBLE
    return replace(result, status=status, lower_bound=lower_bound, bound_name=bound)


def contradiction(
    instance: Instance, proof: str, bound: float, makespan: float, found_by: str
) -> CertificateError:
    """The error for a bound (s) above the makespan (s) of a valid schedule."""
    return CertificateError(
        f"the bound {proof!r} of {bound:.9g} s is above a valid schedule of {makespan:.9g} s by "
        f"{found_by}",
        lambda: instance_document(instance),
    )


def no_schedule(
    instance: Instance,
    method: str,
    notes: tuple[str, ...],
    seconds: float = 0.0,
    status: Status = Status.UNKNOWN,
) -> Result:
    """The result of a method that has no schedule to show.

    `seconds`: wall time (s).
    """
    return Result(
        instance=instance,
        method=method,
        status=status,
        makespan=None,
        lower_bound=0.0,
        bound_name="",
        seconds=seconds,
        notes=notes,
    )
