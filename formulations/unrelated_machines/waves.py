"""A linear program that chooses slots for the tasks when the order of the jobs is given.

The jobs run in waves of a few consecutive jobs each. As in the job-order model
(docs/formulations/job-order.md), every map slot finishes the waves one after the other, and after
the map phase of a wave each reduce slot still has that wave and all later ones to do. Tasks may be
split. The program gives no bound, because the order is one of many and the reduces of a wave wait
for all its maps. It tells where tasks should run (`slotwise.solvers.relaxations.round_shares`).
"""

from __future__ import annotations

import numpy as np
import pyomo.environ as pyo

from ...instances.arrays import FloatArray, IntArray
from ...instances.mapreduce.instance import Instance
from .model import JobPhase, most_share, phases

MOST_WAVES = 20
"""Most waves of jobs."""


def build(
    instance: Instance, order: IntArray, *, horizon: float | None = None
) -> pyo.ConcreteModel:
    """Build the program for jobs in a given order.

    Parameters
    ----------
    instance
        The instance.
    order
        The jobs in order, shape (jobs,).
    horizon
        No slot gets a task too long for this makespan (s).

    Returns
    -------
    pyo.ConcreteModel
        The model. Its variables are `makespan`, `map_over[g]`, the end (s) of the maps of wave g,
        and `map_share[i, k]` and `reduce_share[i, k]`, the share of job i's processing on slot k.
    """
    maps, reduces = phases(instance)
    model = pyo.ConcreteModel(name=f"waves of {instance.name}")
    model.wave = [wave.tolist() for wave in np.array_split(order, min(len(order), MOST_WAVES))]
    model.waves = pyo.RangeSet(0, len(model.wave) - 1)
    model.makespan = pyo.Var(bounds=(0, None))
    model.objective = pyo.Objective(expr=model.makespan, sense=pyo.minimize)
    model.map_over = pyo.Var(model.waves, bounds=(0, None))
    model.end = pyo.Constraint(
        model.waves, rule=lambda model, g: model.makespan >= model.map_over[g]
    )
    _pour(model, "map", maps, most_share(maps, reduces.span, horizon), step=-1)
    _pour(model, "reduce", reduces, most_share(reduces, maps.span, horizon), step=1)
    model.map_phase = pyo.Constraint(
        model.map_work.index_set(),
        rule=lambda model, g, k: model.map_over[g] >= model.map_work[g, k],
    )
    model.reduce_phase = pyo.Constraint(
        model.reduce_work.index_set(),
        rule=lambda model, g, k: model.makespan >= model.map_over[g] + model.reduce_work[g, k],
    )
    return model


def _pour(
    model: pyo.ConcreteModel, name: str, phase: JobPhase, most: FloatArray, step: int
) -> None:
    """Add the shares of a phase, and the work per wave and slot summed in direction `step`."""
    jobs = np.flatnonzero(phase.tasks).tolist()
    slots = range(phase.factors.shape[1] if jobs else 0)
    seconds = phase.work[:, None] * phase.factors
    share = pyo.Var(jobs, slots, bounds=lambda model, i, k: (0, float(most[i, k])))
    work = pyo.Var(model.waves, slots, bounds=(0, None))
    model.add_component(f"{name}_share", share)
    model.add_component(f"{name}_work", work)
    model.add_component(
        f"{name}_spread",
        pyo.Constraint(jobs, rule=lambda model, i: pyo.quicksum(share[i, k] for k in slots) == 1),
    )

    def summed(model: pyo.ConcreteModel, g: int, k: int) -> pyo.Expression:
        here = pyo.quicksum(
            float(seconds[i, k]) * share[i, k] for i in model.wave[g] if phase.tasks[i]
        )
        return work[g, k] == here + (work[g + step, k] if g + step in model.waves else 0)

    model.add_component(f"{name}_summed", pyo.Constraint(model.waves, slots, rule=summed))
