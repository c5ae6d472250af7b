"""The program behind the cross-check by CBC (Coin-OR branch and cut).

Run as `python -m slotwise.solvers.backends.cbc_process MODEL TIME_LIMIT THREADS GAP`; MODEL is an
MPS file in a folder of its own. It stands between the caller and CBC, which would not notice that
the caller has died. It prints `[value, bound, remarks]`, the first two null if unknown.
"""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path

import pulp

from .child_processes import die_with_parent

INTEGRALITY = 1e-6
"""A result of CBC counts as a solution if its integers are no farther off than this."""

GRACE = 1.0
"""Seconds after the time limit until the process ends, whatever CBC does."""

UNFINISHED = "time limit"

Answer = tuple[float | None, float | None, str]


def solve(path: Path, time_limit: float, threads: int, gap: float) -> Answer:
    """Solve a model with CBC.

    `time_limit`: wall time (s).
    `gap`: relative gap at which CBC may end.
    """
    problem = read_mps(path)
    solver = pulp.COIN_CMD(
        path=pulp.PULP_CBC_CMD.pulp_cbc_path,  # the CBC that comes with PuLP
        msg=False,
        timeLimit=time_limit,
        threads=threads,
        gapRel=gap,
        options=["primalT 1e-9", "integerT 1e-9"],
    )
    solver.tmpDir = str(path.parent)
    problem.solve(solver)
    # Stopped before it found any solution CBC shows that of the relaxation, by the same words.
    with_solution = (pulp.LpSolutionOptimal, pulp.LpSolutionIntegerFeasible)
    if problem.sol_status in with_solution and is_whole(problem):
        value = float(pulp.value(problem.objective))
        proven = problem.sol_status == pulp.LpSolutionOptimal
        return (value, value, "gap closed") if proven else (value, None, UNFINISHED)
    if problem.status == pulp.LpStatusInfeasible:
        return None, math.inf, "no solution exists"
    return None, None, UNFINISHED


def read_mps(path: Path) -> pulp.LpProblem:
    variables, problem = pulp.LpProblem.fromMPS(str(path))
    # PuLP takes the bounds from a BV line but leaves the variable continuous.
    for line in path.read_text().splitlines():
        if line.startswith(" BV "):
            variables[line.split()[2]].cat = pulp.LpInteger
    return problem


def is_whole(problem: pulp.LpProblem) -> bool:
    """Whether every integer variable of a problem has an integral value."""
    values = (v.value() or 0.0 for v in problem.variables() if v.cat == pulp.LpInteger)
    return all(abs(value - round(value)) <= INTEGRALITY for value in values)


if __name__ == "__main__":
    model, limit, threads, gap = sys.argv[1:]
    die_with_parent(float(limit) + GRACE, folder=str(Path(model).parent))
    print(json.dumps(solve(Path(model), float(limit), int(threads), float(gap))), flush=True)
