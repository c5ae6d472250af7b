"""Valid inequalities of the heterogeneous model, one function per family.

docs/formulations/heterogeneous.md proves them and tells what each is worth. None cuts off
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
    jobs, maps, reduces = model.data.jobs, model.maps, model.reduces
    model.first_job = pyo.Var(jobs, reduces.slots, bounds=(0, 1))
    model.last_job = pyo.Var(jobs, maps.slots, bounds=(0, 1))

    def rows(
        end_job: pyo.Var, count: pyo.Var, phase: ClassPhase, wait: list[float]
    ) -> tuple[pyo.Constraint, pyo.Constraint, pyo.Constraint]:
        with_tasks = [i for i in jobs if phase.of[i]]
        longest = max((wait[i] for i in with_tasks), default=0.0)

        def there(model: pyo.ConcreteModel, i: int, k: int) -> pyo.Expression:
            return end_job[i, k] <= pyo.quicksum(count[t, k] for t in phase.of[i])

        def one(model: pyo.ConcreteModel, k: int) -> pyo.Expression:
            return pyo.quicksum(end_job[i, k] for i in jobs) <= 1

        def slot(model: pyo.ConcreteModel, k: int) -> pyo.Expression:
            spared = pyo.quicksum((longest - wait[i]) * end_job[i, k] for i in with_tasks)
            busy = pyo.quicksum(phase.seconds[t, k] * count[t, k] for t in phase.classes)
            return model.makespan >= longest - spared + busy

        return (
            pyo.Constraint(jobs, phase.slots, rule=there),
            pyo.Constraint(phase.slots if jobs else (), rule=one),
            pyo.Constraint(phase.slots, rule=slot),
        )

    model.H12_first_job_is_there, model.H12_one_first_job, model.H12_reduce_slot = rows(
        model.first_job, model.reduce_count, reduces, maps.span
    )
    model.H12_last_job_is_there, model.H12_one_last_job, model.H12_map_slot = rows(
        model.last_job, model.map_count, maps, reduces.span
    )


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
