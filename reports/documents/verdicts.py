"""`slotwise.check`: the independent checkers of every kind behind one name."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ...core.calls import check_argument, checked
from ...instances.datacenter.checker import check_guidance
from ...instances.datacenter.datacenter import Datacenter
from ...instances.datacenter.guidance import Guidance
from ...instances.hierarchy.allocation import Allocation
from ...instances.hierarchy.checker import check_allocation
from ...instances.hierarchy.hierarchy import Hierarchy
from ...instances.mapreduce.checker import check as check_schedule
from ...instances.mapreduce.instance import Instance
from ...instances.mapreduce.schedule import Schedule
from ...instances.verdict import Verdict
from ...instances.views import view
from ...solvers.mapreduce.result import Result
from ..kinds import kind_of
from .formats import FORMATS
from .result_file import false_claims


@checked
def check(
    problem: Instance | Datacenter | Hierarchy,
    solution: Schedule | Result | Guidance | Allocation | Any,
) -> Verdict:
    """Check a solution against its problem, independently of whoever made it.

    Parameters
    ----------
    problem : Instance, Datacenter or Hierarchy
        What was to be solved.
    solution : Schedule, Result or Steps, Guidance, or Allocation
        Of an instance, of a datacenter, of a hierarchy, in this order. Of a result the numbers are
        checked, too: makespan, bound and status must fit one another. Steps are checked as the
        schedule that they end with.

    Returns
    -------
    Verdict
        Every violation, one line each, and the makespan of a schedule.

    Raises
    ------
    InputError
        If the two do not belong together.
    """
    check_argument("check: problem", problem, Instance, Datacenter, Hierarchy)
    for kind in FORMATS:
        if kind.checker and kind_of(solution, (kind.thing,)):
            found: Verdict = view(kind.checker)(problem, solution)
            return found
    if isinstance(problem, Instance):
        check_argument(
            "check of an Instance", solution, Schedule, Result, hint=_hint(solution, "instance")
        )
        if isinstance(solution, Result):
            claims = false_claims(solution)
            if solution.schedule is None:
                return Verdict([*claims, "the result holds no schedule"])
            verdict = check_schedule(problem, solution.schedule)
            return Verdict(claims + verdict.violations, verdict.makespan)
        assert isinstance(solution, Schedule)
        return check_schedule(problem, solution)
    if isinstance(problem, Datacenter):
        check_argument(
            "check of a Datacenter", solution, Guidance, hint=_hint(solution, "datacenter")
        )
        assert isinstance(solution, Guidance)
        return _check_guidance(problem, solution)
    check_argument("check of a Hierarchy", solution, Allocation, hint=_hint(solution, "hierarchy"))
    assert isinstance(solution, Allocation)
    own = solution.hierarchy
    if (own.resources, own.paths) != (problem.resources, problem.paths):
        return Verdict([f"allocation is for a hierarchy with other leaves or resources: {own!r}"])
    return check_allocation(replace(solution, hierarchy=problem))


def _hint(solution: object, problem: str) -> str:
    if isinstance(solution, Instance | Datacenter | Hierarchy):
        return "the problem comes first, then its solution"
    return f"read it first with slotwise.read(path, {problem})" if isinstance(solution, str) else ""


def _check_guidance(datacenter: Datacenter, guidance: Guidance) -> Verdict:
    own = guidance.datacenter
    for what in ("resources", "configurations", "classes"):
        if getattr(own, what) != getattr(datacenter, what):
            return Verdict([f"guidance is for a datacenter with other {what}: {own.name!r}"])
    return check_guidance(replace(guidance, datacenter=datacenter))
