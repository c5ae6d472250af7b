"""Datacenters by brute force and PuLP: written apart from slotwise's own code."""

from __future__ import annotations

import itertools
import warnings
from fractions import Fraction

import numpy as np
import pulp

from slotwise.instances.datacenter.datacenter import Datacenter


def exact(value: float) -> Fraction:
    """The decimal number that a person wrote."""
    return Fraction(repr(float(value)))


def feasible_bins(datacenter: Datacenter, j: int) -> list[tuple[int, ...]]:
    """Every set of jobs that fits a machine of configuration j, in exact arithmetic."""
    capacity = [exact(c) for c in datacenter.capacity[j]]
    request = [[exact(r) for r in row] for row in datacenter.request]
    ranges = []
    for k, row in enumerate(request):
        most = min(int(c / r) for c, r in zip(capacity, row, strict=True) if r)
        ranges.append(range(most + 1 if np.isfinite(datacenter.mean_time[k, j]) else 1))
    return [
        jobs
        for jobs in itertools.product(*ranges)
        if all(
            sum(n * row[r] for n, row in zip(jobs, request, strict=True)) <= capacity[r]
            for r in range(len(capacity))
        )
    ]


def maximal_bins(datacenter: Datacenter, j: int) -> set[tuple[int, ...]]:
    """Of these, the ones that are no subset of another."""
    bins = set(feasible_bins(datacenter, j))
    more = [tuple(int(k == other) for k in range(len(datacenter.classes)))
            for other in range(len(datacenter.classes))]  # fmt: skip
    return {
        jobs for jobs in bins if not any(tuple(np.add(jobs, one).tolist()) in bins for one in more)
    }


def best_rate(datacenter: Datacenter, *, integer: bool = False) -> float:
    """The highest arrival rate over all feasible bins, by PuLP's CBC."""
    return _assigned(datacenter, integer, None)


def fewest_machines(datacenter: Datacenter, target_rate: float, *, integer: bool = False) -> float:
    """The fewest machines that carry a rate, by PuLP's CBC; inf if none do."""
    return _assigned(datacenter, integer, target_rate)


def _assigned(datacenter: Datacenter, integer: bool, target_rate: float | None) -> float:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of PuLP 3 about PuLP 4
        return _assign(datacenter, integer, target_rate)


def _assign(datacenter: Datacenter, integer: bool, target_rate: float | None) -> float:
    goal = pulp.LpMaximize if target_rate is None else pulp.LpMinimize
    problem = pulp.LpProblem("plan", goal)
    category = "Integer" if integer else "Continuous"
    configurations = range(len(datacenter.configurations))
    bins = {j: sorted(maximal_bins(datacenter, j)) for j in configurations}
    x = {
        (j, i): pulp.LpVariable(f"x_{j}_{i}", lowBound=0, cat=category)
        for j in configurations
        for i in range(len(bins[j]))
    }
    rate = pulp.LpVariable("rate", lowBound=0) if target_rate is None else target_rate
    problem += rate if target_rate is None else pulp.lpSum(x.values())
    for k in range(len(datacenter.classes)):
        problem += (
            pulp.lpSum(
                x[j, i] * jobs[k] / float(datacenter.mean_time[k, j])
                for j in configurations
                for i, jobs in enumerate(bins[j])
                if jobs[k]
            )
            >= float(datacenter.share[k]) * rate
        )
    for j in configurations:
        problem += pulp.lpSum(x[j, i] for i in range(len(bins[j]))) <= int(datacenter.count[j])
    # The CBC that comes with PuLP.
    path = pulp.PULP_CBC_CMD.pulp_cbc_path
    problem.solve(pulp.COIN_CMD(path=path, msg=False, gapRel=1e-9))
    if problem.status != pulp.LpStatusOptimal:
        return float("inf")
    return float(pulp.value(problem.objective))
