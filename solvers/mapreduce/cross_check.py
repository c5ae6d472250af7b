"""A second opinion: the same instance solved again by methods that share as little as possible.

The job-order model is written as MPS and solved by CBC through PuLP, and solved again by HiGHS
without presolve. Neither is given the closed-form bounds that `solve` starts from. Only a proof
counts as an answer: a method that did not prove the result's bound says nothing about it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import pyomo.environ as pyo

from ...core.background import LOOK, OutOfTime, attempt
from ...core.calls import checked
from ...core.clock import Clock, StopReason
from ...core.files.outputs import temporary_folder
from ...formulations.mapreduce.job_order import model as job_order
from ...instances.mapreduce.usable_slots import with_rates_within
from ..backends import cbc_process, highs
from ..backends.child_processes import start
from .highs_twice import MOST_TERMS
from .result import OPTIMALITY_TOLERANCE, Result
from .time_unit import in_units_of, suitable_unit

GRACE = 1.5
"""Seconds after the time limit until a method without an answer is abandoned."""


@dataclass(frozen=True)
class Opinion:
    """What an independent method says: an interval for the optimum, and whether it fits the result.

    Parameters
    ----------
    method
        The method.
    makespan
        Upper end of the interval (s), None if the method found no schedule in time.
    lower_bound
        Lower end of the interval (s), None if the method proved none in time.
    agrees
        True if the method proved the result's lower bound as well, False if its interval and the
        result's own are disjoint, None if it gave no answer.
    seconds
        Wall time (s).
    note
        Remarks.
    """

    method: str
    makespan: float | None
    lower_bound: float | None
    agrees: bool | None
    seconds: float
    note: str

    @property
    def verdict(self) -> str:
        if self.agrees is None:
            return "no answer"
        return "agrees" if self.agrees else "DISAGREES"

    def document(self) -> dict[str, Any]:
        """The opinion for JSON, which has no infinity: the note says that no solution exists."""
        document = {"road": self.method, **asdict(self), "verdict": self.verdict.lower()}
        if self.lower_bound is not None and math.isinf(self.lower_bound):
            document["lower_bound"] = None
        return document

    def __str__(self) -> str:
        sides = {"best": self.makespan, "bound": self.lower_bound}
        known = ", ".join(f"{name} {side:.6g}" for name, side in sides.items() if side is not None)
        said = f"{self.note} ({known})" if known else self.note
        return f"{self.verdict}: {self.method}: {said}, {self.seconds:.2f} s"


@checked
def cross_check(result: Result, *, time_limit: float = 60.0, threads: int = 1) -> list[Opinion]:
    """Get independent opinions on a result.

    Parameters
    ----------
    result
        A result of `solve`.
    time_limit
        Wall time of each method (s).
    threads
        Number of threads.

    Returns
    -------
    list[Opinion]
        The opinions.
    """
    terms = job_order.estimated_terms(result.instance)
    why = ""
    if result.makespan is None:
        why = "no makespan"
    elif terms > MOST_TERMS:
        why = f"model too large: about {terms:.2g} nonzeros"
    if why or result.makespan is None:
        return [Opinion(name, None, None, None, 0.0, f"not run: {why}") for name in _METHODS]
    return [
        _opinion(name, method, result, result.makespan, time_limit, threads)
        for name, method in _METHODS.items()
    ]


SecondSolver = Callable[[pyo.ConcreteModel, Clock, int], tuple[float | None, float | None, str]]


def _opinion(
    name: str, method: SecondSolver, result: Result, known: float, time_limit: float, threads: int
) -> Opinion:
    clock = Clock(time_limit)
    unit = suitable_unit(known)

    def work() -> tuple[float | None, float | None, str]:
        # Half as long again as the known makespan: a method that could only confirm proves little.
        instance = with_rates_within(result.instance, 1.5 * known)
        model = job_order.build(in_units_of(instance, unit), horizon=1.5 * known / unit)
        return method(model, clock, threads)

    try:
        makespan, bound, note = attempt(work, clock.until(time_limit + GRACE))
    except OutOfTime:
        makespan, bound, note = None, None, "time limit"
    finally:
        clock.stop.set()  # for work that is left behind
    makespan, bound = (None if side is None else side * unit for side in (makespan, bound))
    if note == StopReason.TIME_LIMIT.value:
        note = f"did not finish in {time_limit:.3g} s"
    return Opinion(
        method=name,
        makespan=makespan,
        lower_bound=bound,
        agrees=_agrees(result.lower_bound, known, makespan, bound),
        seconds=clock.elapsed,
        note=note,
    )


def _agrees(
    claimed: float, known: float, makespan: float | None, bound: float | None
) -> bool | None:
    """What `Opinion.agrees` says of a result of `claimed` to `known` s."""
    slack = OPTIMALITY_TOLERANCE * known
    too_good = makespan is not None and makespan < claimed - slack
    too_high = bound is not None and bound > known + slack
    if too_good or too_high:
        return False
    return True if bound is not None and bound >= claimed - slack else None


def _highs_without_presolve(
    model: pyo.ConcreteModel, clock: Clock, threads: int
) -> tuple[float | None, float | None, str]:
    outcome = highs.solve(
        model,
        time_limit=clock.left,
        stop=clock.stop,
        threads=threads,
        settings=highs.HighsSettings(presolve=False),
    )
    bound = math.inf if outcome.stop is StopReason.INFEASIBLE else outcome.bound
    return outcome.incumbent, bound, outcome.stop.value


def _cbc(
    model: pyo.ConcreteModel, clock: Clock, threads: int
) -> tuple[float | None, float | None, str]:
    gap = OPTIMALITY_TOLERANCE / 10
    with temporary_folder() as folder:
        path = folder / "model.mps"
        model.write(str(path), format="mps")
        arguments = map(str, (path, max(1.0, clock.left), threads, gap))
        with start(cbc_process.__name__, list(arguments)) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            try:
                while process.poll() is None and not clock.stop.wait(LOOK):
                    pass
            finally:
                process.stdin.close()
            said = process.stdout.read()
    if not said:
        return None, None, "time limit"
    status, makespan = json.loads(said)
    if status == "infeasible":
        return None, math.inf, "no solution exists"
    proven = status == "optimal"
    return makespan, makespan if proven else None, "gap closed" if proven else "time limit"


_METHODS: dict[str, SecondSolver] = {
    "job-order model as MPS, CBC": _cbc,
    "job-order model, HiGHS without presolve": _highs_without_presolve,
}
