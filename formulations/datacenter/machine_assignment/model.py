"""The machine assignment program of [LoTES], equations (6) to (10): a bin for every machine.

The model uses numbers of running jobs in place of amounts of resources: Δ_jk here times r_kl is the
paper's Δ_jkl, and N_ijk r_kl its ε_ijkl, so (7) and (8) are the same for every resource l that
class k needs. The constraint components are numbered as in the paper.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyomo.environ as pyo

from ....core.arrays import FloatArray, IntArray
from ....instances.datacenter.datacenter import Datacenter

__all__ = ["build", "estimated_terms", "machines", "start"]


def build(
    datacenter: Datacenter,
    bins: Sequence[IntArray] | None = None,
    *,
    integer: bool = False,
    target_rate: float | None = None,
) -> pyo.ConcreteModel:
    """Build the machine assignment program of a datacenter.

    `bins`: of each configuration, shape (bins, K); by default all non-dominated ones.
    `integer`: whether every machine has exactly one bin. If not, the optimum is an upper bound for
    all plans made of these bins, and for all plans if the bins are all non-dominated ones.
    `target_rate`: arrival rate λ (jobs per time unit) to be carried on the fewest machines; then
    (9) limits the number of machines. By default λ is maximised.
    Its variables are `arrival_rate`, `machines[j, i]`, the machines of configuration j with bin i,
    and `running[j, k]`, the jobs of class k that run on all machines of configuration j.
    """
    if bins is None:
        from .bins import all_non_dominated

        bins = all_non_dominated(datacenter)
    model = pyo.ConcreteModel(name=f"machine assignment model of {datacenter.name}")
    model.data, model.bins = datacenter, bins
    classes = range(len(datacenter.classes))
    configurations = range(len(datacenter.configurations))
    pairs = [(j, i) for j in configurations for i in range(len(bins[j]))]
    rate = datacenter.rate

    model.arrival_rate = pyo.Var(bounds=(0, None))
    model.running = pyo.Var(configurations, classes)
    domain = pyo.NonNegativeIntegers if integer else pyo.NonNegativeReals  # (10)
    model.machines = pyo.Var(pairs, domain=domain)
    if target_rate is None:
        model.eq6_objective = pyo.Objective(expr=model.arrival_rate, sense=pyo.maximize)
    else:
        model.arrival_rate.fix(target_rate)
        model.A2_fewest_machines = pyo.Objective(
            expr=pyo.quicksum(model.machines.values()), sense=pyo.minimize
        )

    def demand(model: pyo.ConcreteModel, k: int) -> pyo.Expression:
        served = pyo.quicksum(float(rate[k, j]) * model.running[j, k] for j in configurations)
        return served >= float(datacenter.share[k]) * model.arrival_rate

    def emulated(model: pyo.ConcreteModel, j: int, k: int) -> pyo.Expression:
        inside = np.flatnonzero(bins[j][:, k]).tolist()
        jobs = pyo.quicksum(int(bins[j][i, k]) * model.machines[j, i] for i in inside)
        return jobs - model.running[j, k] == 0

    def one_bin(model: pyo.ConcreteModel, j: int) -> pyo.Expression:
        assigned = pyo.quicksum(model.machines[j, i] for i in range(len(bins[j])))
        count = int(datacenter.count[j])
        return assigned == count if target_rate is None else assigned <= count

    model.eq7_demand = pyo.Constraint(classes, rule=demand)
    model.eq8_running = pyo.Constraint(configurations, classes, rule=emulated)
    model.eq9_one_bin_each = pyo.Constraint(configurations, rule=one_bin)
    return model


def start(model: pyo.ConcreteModel, machines: Sequence[IntArray]) -> None:
    """Give the variables the values of a plan."""
    datacenter: Datacenter = model.data
    served = np.zeros(len(datacenter.classes))
    for j, (bins, plan) in enumerate(zip(model.bins, machines, strict=True)):
        for i, count in enumerate(plan.tolist()):
            model.machines[j, i].value = count
        running = plan @ bins
        served += running * datacenter.rate[:, j]
        for k, jobs in enumerate(running.tolist()):
            model.running[j, k].value = jobs
    if not model.arrival_rate.fixed:
        arriving = datacenter.share > 0
        model.arrival_rate.value = float((served[arriving] / datacenter.share[arriving]).min())


def machines(model: pyo.ConcreteModel) -> tuple[FloatArray, ...]:
    """Read off x_ij, the machines of each configuration with each of its bins, shapes (bins,)."""
    return tuple(
        np.array([max(0.0, model.machines[j, i].value) for i in range(len(bins))], dtype=float)
        for j, bins in enumerate(model.bins)
    )


def estimated_terms(datacenter: Datacenter) -> float:
    """Bound the number of nonzeros of the model with all non-dominated bins from above."""
    terms = 0.0
    request = datacenter.request_units[:, None, :]
    room = np.where(request > 0, datacenter.capacity_units / np.maximum(request, 1), np.inf)
    most = room.min(axis=2)
    for j in range(len(datacenter.configurations)):
        counts = np.floor(np.sort(most[datacenter.fits[:, j], j]))
        # A bin is known by its counts of all classes but one.
        terms += float(np.prod(counts[:-1] + 1)) * (1 + len(counts))
    return terms
