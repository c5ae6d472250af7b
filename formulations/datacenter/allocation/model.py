"""The allocation program of [LoTES], equations (1) to (5).

It decides how much each machine configuration does of each class of jobs. The machines of a
configuration are pooled into one large machine, so the optimum is an upper bound on the arrival
rate. The model uses numbers of running jobs y_jk in place of the paper's shares δ_jkl = r_kl y_jk /
(c_jl n_j), which (3) ties to one another. So it never divides by a resource that a class does not
need or a configuration does not have. Pooling alone lets jobs run that fit no single machine; the
fit rule (A1) forbids that. The constraint components are numbered as in the paper.
"""

from __future__ import annotations

import numpy as np
import pyomo.environ as pyo

from ....core.arrays import FloatArray
from ....instances.datacenter.datacenter import Datacenter

__all__ = ["build", "delta", "estimated_terms", "running"]


def build(datacenter: Datacenter, *, as_printed: bool = False) -> pyo.ConcreteModel:
    """Build the allocation program of a datacenter; `as_printed` leaves out the fit rule (A1).

    Its variables are `arrival_rate` (jobs per time unit) and `running[j, k]`, the jobs of class k
    that run on all machines of configuration j.
    """
    model = pyo.ConcreteModel(name=f"allocation model of {datacenter.name}")
    model.data = datacenter
    classes = range(len(datacenter.classes))
    configurations = range(len(datacenter.configurations))
    resources = range(len(datacenter.resources))
    rate, request = datacenter.rate, datacenter.request
    pooled = datacenter.capacity * datacenter.count[:, None]

    model.arrival_rate = pyo.Var(bounds=(0, None))
    model.running = pyo.Var(configurations, classes, bounds=(0, None))  # (5)
    model.eq1_objective = pyo.Objective(expr=model.arrival_rate, sense=pyo.maximize)

    def demand(model: pyo.ConcreteModel, k: int) -> pyo.Expression:
        served = pyo.quicksum(float(rate[k, j]) * model.running[j, k] for j in configurations)
        return served >= float(datacenter.share[k]) * model.arrival_rate

    def capacity(model: pyo.ConcreteModel, j: int, r: int) -> pyo.Expression:
        needed = [float(request[k, r]) * model.running[j, k] for k in classes if request[k, r]]
        return pyo.quicksum(needed) <= float(pooled[j, r]) if needed else pyo.Constraint.Skip

    model.eq2_demand = pyo.Constraint(classes, rule=demand)
    model.eq4_capacity = pyo.Constraint(configurations, resources, rule=capacity)
    model.A1_fits = pyo.Constraint(
        [] if as_printed else [(j, k) for k, j in np.argwhere(~datacenter.fits).tolist()],
        rule=lambda model, j, k: model.running[j, k] == 0,
    )
    return model


def running(model: pyo.ConcreteModel) -> FloatArray:
    """Read off the jobs of each class that run on each configuration, shape (K, M)."""
    datacenter: Datacenter = model.data
    table = np.zeros(datacenter.mean_time.shape)
    for (j, k), variable in model.running.items():
        table[k, j] = max(0.0, variable.value)
    return table


def delta(model: pyo.ConcreteModel) -> FloatArray:
    """Read off δ_jkl, the share of each resource that a configuration gives to a class: (M, K, R).

    It is 0 where the configuration has nothing of the resource.
    """
    datacenter: Datacenter = model.data
    used = running(model).T[:, :, None] * datacenter.request[None, :, :]
    pooled = (datacenter.capacity * datacenter.count[:, None])[:, None, :]
    shares: FloatArray = np.divide(used, pooled, out=np.zeros_like(used), where=pooled > 0)
    return shares


def estimated_terms(datacenter: Datacenter) -> float:
    """Estimate the number of nonzeros of the model without building it."""
    pairs = float(len(datacenter.classes) * len(datacenter.configurations))
    return pairs * (1 + len(datacenter.resources)) + len(datacenter.classes)
