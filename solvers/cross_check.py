"""A second opinion: the same instance solved again by roads that share as little as possible.

The job-order model is written as MPS and solved by PuLP's CBC, and solved again by HiGHS without
presolve; neither is given the closed-form bounds that `solve` starts from.
"""

from __future__ import annotations

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


@dataclass(frozen=True)
class Opinion:
    """What an independent road says: an interval for the optimum in s, and whether it fits.

    A side of the interval is None if the road proved nothing there within its time.
    """

    road: str
    makespan: float | None
    lower_bound: float | None
    agrees: bool
    seconds: float
    note: str

    def document(self) -> dict[str, Any]:
        return asdict(self)

    def __str__(self) -> str:
        sides = (
            "–" if side is None else f"{side:.6g}" for side in (self.lower_bound, self.makespan)
        )
        verdict = "agrees" if self.agrees else "DISAGREES"
        return f"{verdict}: {self.road}: {' to '.join(sides)} s, {self.note}, {self.seconds:.2f} s"


def cross_check(result: Result, *, time_limit: float = 60.0, threads: int = 1) -> list[Opinion]:
    """Independent opinions on `result`, each within `time_limit` s.

    A road agrees unless its interval for the optimum and the result's own are disjoint.
    """
    terms = job_order.estimated_terms(result.instance)
    if terms > MOST_TERMS or result.makespan is None:
        why = f"model too large: about {terms:.2g} nonzeros" if result.makespan else "no makespan"
        return [Opinion(name, None, None, True, 0.0, f"not run: {why}") for name in _ROADS]
    return [_opinion(name, road, result, time_limit, threads) for name, road in _ROADS.items()]


Road = Callable[[pyo.ConcreteModel, float, int], tuple[float | None, float | None, str]]


def _opinion(name: str, road: Road, result: Result, time_limit: float, threads: int) -> Opinion:
    began = time.perf_counter()
    # Half as long again as the known makespan: a road that could only confirm would prove little.
    model = job_order.build(result.instance, horizon=1.5 * (result.makespan or 0.0))
    makespan, bound, note = road(model, time_limit, threads)
    known = result.makespan or 0.0
    slack = OPTIMALITY_TOLERANCE * max(1.0, known)
    too_good = makespan is not None and makespan < result.lower_bound - slack
    too_high = bound is not None and bound > known + slack
    return Opinion(
        road=name,
        makespan=makespan,
        lower_bound=bound,
        agrees=not (too_good or too_high),
        seconds=time.perf_counter() - began,
        note=note,
    )


def _highs_without_presolve(
    model: pyo.ConcreteModel, time_limit: float, threads: int
) -> tuple[float | None, float | None, str]:
    outcome = highs.solve(model, time_limit=time_limit, threads=threads, presolve=False)
    return outcome.incumbent, outcome.bound, outcome.stop.value


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
    if problem.sol_status == pulp.LpSolutionOptimal:
        value = float(pulp.value(problem.objective))
        return value, value, "gap closed"
    if problem.sol_status == pulp.LpSolutionIntegerFeasible:
        return float(pulp.value(problem.objective)), None, "time limit"
    if problem.status == pulp.LpStatusInfeasible:
        return None, float("inf"), "no solution exists"
    return None, None, "time limit"


def _read_mps(path: Path) -> pulp.LpProblem:
    variables, problem = pulp.LpProblem.fromMPS(str(path))
    # PuLP takes the bounds from a BV line but leaves the variable continuous.
    for line in path.read_text().splitlines():
        if line.startswith(" BV "):
            variables[line.split()[2]].cat = pulp.LpInteger
    return problem


_ROADS: dict[str, Road] = {
    "job-order model as MPS, CBC": _cbc,
    "job-order model, HiGHS without presolve": _highs_without_presolve,
}
