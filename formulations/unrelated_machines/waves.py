"""A linear program that gives each job its slots when the order of the jobs is given.

The jobs run in waves, a few jobs of the order each. As in the job-order model (docs/job-order.md)
every map slot works the waves off one after the other, and after the map phase of a wave each
reduce slot still has that wave and all later ones to do. Work is poured: tasks may be split. The
program is no bound, since the order is one of many and a wave's reduces wait for all its maps; it
says where tasks go (`slotwise.solvers.relaxations.round_shares`).
"""

from __future__ import annotations

import numpy as np
import pyomo.environ as pyo

from ...instances.arrays import FloatArray, IntArray
from ...instances.mapreduce.instance import Instance
from .model import JobPhase, most_share, phases

MOST_WAVES = 20


def build(
    instance: Instance, order: IntArray, *, horizon: float | None = None
) -> pyo.ConcreteModel:
    """The program for the jobs in `order`; with `horizon` (s) no slot gets a task too long for it.

    Variables: `makespan`, `map_over[g]` (s) when the maps of wave g are done, `map_share[i, k]` and
    `reduce_share[i, k]`, share of job i's processing on slot k.
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
    """Shares of a phase, and per wave and slot the work of it and all waves in direction `step`."""
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
