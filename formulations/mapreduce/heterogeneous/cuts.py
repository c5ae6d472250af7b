"""Valid inequalities of the heterogeneous model, one function per family.

docs/formulations/proofs/heterogeneous.md proves them and tells what each is worth. None cuts off
every optimal schedule.
"""

from __future__ import annotations

from collections.abc import Callable

import pyomo.environ as pyo

from ..coefficients import Coefficients
from ..identical_tasks import ClassPhase


def heads(model: pyo.ConcreteModel) -> None:
    """(H12) Reduce slots wait for the head of their first job, the makespan for tails.

    After the last job of a map slot the tail of that job is still to come.
    """
    data: Coefficients = model.data
    maps: ClassPhase = model.maps
    reduces: ClassPhase = model.reduces
    model.first_job = pyo.Var(data.jobs, data.reduce_slots, bounds=(0, 1))
    model.last_job = pyo.Var(data.jobs, data.map_slots, bounds=(0, 1))

    def there(end_job: pyo.Var, count: pyo.Var, phase: ClassPhase) -> pyo.Constraint:
        return pyo.Constraint(
            data.jobs,
            phase.slots,
            rule=lambda model, i, k: (
                end_job[i, k] <= pyo.quicksum(count[t, k] for t in phase.of[i])
            ),
        )

    def one(end_job: pyo.Var, phase: ClassPhase) -> pyo.Constraint:
        return pyo.Constraint(
            phase.slots if data.jobs else (),
            rule=lambda model, k: pyo.quicksum(end_job[i, k] for i in data.jobs) <= 1,
        )

    def slot(
        end_job: pyo.Var, count: pyo.Var, phase: ClassPhase, wait: list[float]
    ) -> pyo.Constraint:
        longest = max((wait[i] for i in data.jobs if phase.of[i]), default=0.0)

        def row(model: pyo.ConcreteModel, k: int) -> pyo.Expression:
            spared = pyo.quicksum(
                (longest - wait[i]) * end_job[i, k] for i in data.jobs if phase.of[i]
            )
            busy = pyo.quicksum(phase.seconds[t, k] * count[t, k] for t in phase.classes)
            return model.makespan >= longest - spared + busy

        return pyo.Constraint(phase.slots, rule=row)

    model.H12_first_job_is_there = there(model.first_job, model.reduce_count, reduces)
    model.H12_one_first_job = one(model.first_job, reduces)
    model.H12_reduce_slot = slot(model.first_job, model.reduce_count, reduces, maps.span)
    model.H12_last_job_is_there = there(model.last_job, model.map_count, maps)
    model.H12_one_last_job = one(model.last_job, maps)
    model.H12_map_slot = slot(model.last_job, model.map_count, maps, reduces.span)


def spans(model: pyo.ConcreteModel) -> None:
    """(H13) A phase lasts at least as long as the job's own equal tasks."""
    data: Coefficients = model.data
    model.H13_head = pyo.Constraint(
        data.jobs, rule=lambda model, i: model.map_completion[i] >= model.maps.span[i]
    )
    model.H13_tail = pyo.Constraint(
        data.jobs,
        rule=lambda model, i: model.makespan >= model.map_completion[i] + model.reduces.span[i],
    )


CUTS: dict[str, Callable[[pyo.ConcreteModel], None]] = {"heads": heads, "spans": spans}
"""The families by name, in the order in which they are added."""
