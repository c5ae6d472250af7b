"""`slotwise.check`: the independent checkers of every kind behind one name."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ...core.calls import check_argument, checked, with_article
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

SOLUTIONS: dict[type, tuple[type, ...]] = {
    Instance: (Schedule, Result),
    Datacenter: (Guidance,),
    Hierarchy: (Allocation,),
}
"""What solves a problem of each class."""


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
    check_argument("check: problem", problem, *SOLUTIONS)
    for known in FORMATS:
        if known.checker and kind_of(solution, (known.thing,)):
            found: Verdict = view(known.checker)(problem, solution)
            return found
    kind = next(kind for kind in SOLUTIONS if isinstance(problem, kind))
    hint = ""
    if isinstance(solution, tuple(SOLUTIONS)):
        hint = "the problem comes first, then its solution"
    elif isinstance(solution, str):
        hint = f"read it first with slotwise.read(path, {kind.__name__.lower()})"
    verb = f"check of {with_article(kind.__name__)}"
    check_argument(verb, solution, *SOLUTIONS[kind], hint=hint)
    of: Any = problem
    if isinstance(solution, Schedule):
        return check_schedule(of, solution)
    if isinstance(solution, Result):
        claims = false_claims(solution)
        if solution.schedule is None:
            return Verdict([*claims, "the result holds no schedule"])
        verdict = check_schedule(of, solution.schedule)
        return Verdict(claims + verdict.violations, verdict.makespan)
    if isinstance(solution, Guidance):
        own = solution.datacenter
        for what in ("resources", "configurations", "classes"):
            if getattr(own, what) != getattr(of, what):
                return Verdict([f"guidance is for a datacenter with other {what}: {own.name!r}"])
        return check_guidance(replace(solution, datacenter=of))
    tree = solution.hierarchy
    if (tree.resources, tree.paths) != (of.resources, of.paths):
        return Verdict([f"allocation is for a hierarchy with other leaves or resources: {tree!r}"])
    return check_allocation(replace(solution, hierarchy=of))
