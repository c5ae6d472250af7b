"""A second opinion: the same instance solved again by roads that share as little as possible.

The job-order model is written as MPS and solved by PuLP's CBC, and solved again by HiGHS without
presolve; neither is given the closed-form bounds that `solve` starts from. Only a proof is an
answer: a road that did not prove the result's bound says nothing about it.
"""

from __future__ import annotations

import math
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pulp
import pyomo.environ as pyo

from ..formulations import job_order
from . import highs
from .mip import MOST_TERMS
from .result import OPTIMALITY_TOLERANCE, Result
from .time_unit import counted, suitable_unit

INTEGRALITY = 1e-6
"""What CBC shows is a solution if its integers are no farther off than this."""

_FOUND = (pulp.LpSolutionOptimal, pulp.LpSolutionIntegerFeasible)


@dataclass(frozen=True)
class Opinion:
    """What an independent road says: an interval for the optimum in s, and whether it fits.

    A side of the interval is None if the road proved nothing there within its time. `agrees` is
    True only if the road proved the result's lower bound as well, False if its interval and the
    result's own are disjoint, and None if it came to no answer.
    """

    road: str
    makespan: float | None
    lower_bound: float | None
    agrees: bool | None
    seconds: float
    note: str

    @property
    def verdict(self) -> str:
        """`agrees` in words."""
        if self.agrees is None:
            return "no answer"
        return "agrees" if self.agrees else "DISAGREES"

    def document(self) -> dict[str, Any]:
        """For JSON, which has no infinity: the note says that no solution exists."""
        document = {**asdict(self), "verdict": self.verdict.lower()}
        if self.lower_bound is not None and math.isinf(self.lower_bound):
            document["lower_bound"] = None
        return document

    def __str__(self) -> str:
        sides = (
            "–" if side is None else f"{side:.6g}" for side in (self.lower_bound, self.makespan)
        )
        said = f"{' to '.join(sides)} s, {self.note}, {self.seconds:.2f} s"
        return f"{self.verdict}: {self.road}: {said}"


def cross_check(result: Result, *, time_limit: float = 60.0, threads: int = 1) -> list[Opinion]:
    """Independent opinions on `result`, each within `time_limit` s."""
    terms = job_order.estimated_terms(result.instance)
    if result.makespan is None or terms > MOST_TERMS:
        too_large = f"model too large: about {terms:.2g} nonzeros"
        why = "no makespan" if result.makespan is None else too_large
        return [Opinion(name, None, None, None, 0.0, f"not run: {why}") for name in _ROADS]
    return [
        _opinion(name, road, result, result.makespan, time_limit, threads)
        for name, road in _ROADS.items()
    ]


Road = Callable[[pyo.ConcreteModel, float, int], tuple[float | None, float | None, str]]


def _opinion(
    name: str, road: Road, result: Result, known: float, time_limit: float, threads: int
) -> Opinion:
    began = time.perf_counter()
    unit = suitable_unit(known)
    # Half as long again as the known makespan: a road that could only confirm would prove little.
    model = job_order.build(counted(result.instance, unit), horizon=1.5 * known / unit)
    makespan, bound, note = road(model, time_limit, threads)
    makespan, bound = (None if side is None else side * unit for side in (makespan, bound))
    return Opinion(
        road=name,
        makespan=makespan,
        lower_bound=bound,
        agrees=_agrees(result.lower_bound, known, makespan, bound),
        seconds=time.perf_counter() - began,
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
    model: pyo.ConcreteModel, time_limit: float, threads: int
) -> tuple[float | None, float | None, str]:
    outcome = highs.solve(model, time_limit=time_limit, threads=threads, presolve=False)
    bound = math.inf if outcome.stop is highs.Stop.INFEASIBLE else outcome.bound
    return outcome.incumbent, bound, outcome.stop.value


def _cbc(
    model: pyo.ConcreteModel, time_limit: float, threads: int
) -> tuple[float | None, float | None, str]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.mps"
        model.write(str(path), format="mps")
        problem = _read_mps(path)
        solver = pulp.COIN_CMD(
            path=pulp.PULP_CBC_CMD.pulp_cbc_path,  # the CBC that comes with PuLP
            msg=False,
            timeLimit=max(1.0, time_limit),
            threads=threads,
            gapRel=OPTIMALITY_TOLERANCE / 10,
            options=["primalT 1e-9", "integerT 1e-9"],
        )
        problem.solve(solver)
    # Stopped before it found any solution CBC shows that of the relaxation, by the same words.
    if problem.sol_status in _FOUND and _is_whole(problem):
        value = float(pulp.value(problem.objective))
        proven = problem.sol_status == pulp.LpSolutionOptimal
        return value, value if proven else None, "gap closed" if proven else "time limit"
    if problem.status == pulp.LpStatusInfeasible:
        return None, math.inf, "no solution exists"
    return None, None, "time limit"


def _read_mps(path: Path) -> pulp.LpProblem:
    variables, problem = pulp.LpProblem.fromMPS(str(path))
    # PuLP takes the bounds from a BV line but leaves the variable continuous.
    for line in path.read_text().splitlines():
        if line.startswith(" BV "):
            variables[line.split()[2]].cat = pulp.LpInteger
    return problem


def _is_whole(problem: pulp.LpProblem) -> bool:
    """Whether every integer variable has a whole value."""
    values = (v.value() or 0.0 for v in problem.variables() if v.cat == pulp.LpInteger)
    return all(abs(value - round(value)) <= INTEGRALITY for value in values)


_ROADS: dict[str, Road] = {
    "job-order model as MPS, CBC": _cbc,
    "job-order model, HiGHS without presolve": _highs_without_presolve,
}
