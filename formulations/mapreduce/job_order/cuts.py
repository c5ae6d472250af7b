"""Valid inequalities of the job-order model, one function per family.

docs/formulations/job-order.md proves them. None cuts off every optimal schedule. Each
strengthens the relaxation or gives the solver rows from which it can derive cuts.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import pyomo.environ as pyo

from ....core.arrays import FloatArray
from ..coefficients import Coefficients

MOST_JOBS_FOR_ALL_SETS = 6
"""With more jobs than this not all sets of jobs get rows."""
MOST_JOBS_FOR_TRIPLES = 12
"""With more jobs than this a job and two others get no rows."""


def area(model: pyo.ConcreteModel) -> None:
    """A job that precedes another leaves its least total work before it, over all slots."""
    data: Coefficients = model.data
    model.J13_map_area = pyo.Constraint(
        data.pairs,
        rule=lambda model, j, i: (
            pyo.quicksum(model.map_work_before[j, i, k] for k in data.map_slots)
            >= data.map_area[j] * model.precedes[j, i]
        ),
    )
    model.J13_reduce_area = pyo.Constraint(
        data.pairs,
        rule=lambda model, j, i: (
            pyo.quicksum(model.reduce_work_after[j, i, k] for k in data.reduce_slots)
            >= data.reduce_area[j] * model.precedes[i, j]
        ),
    )


def heads(model: pyo.ConcreteModel) -> None:
    """A reduce slot idles for the head of its first job, a map slot for the tail of its last."""
    data: Coefficients = model.data
    jobs = data.jobs
    model.first_job = pyo.Var(jobs, data.reduce_slots, bounds=(0, 1))
    model.last_job = pyo.Var(jobs, data.map_slots, bounds=(0, 1))

    def rows(
        end_job: pyo.Var,
        on_slot: pyo.Var,
        tasks: list[range],
        work: pyo.Expression,
        wait: FloatArray,
    ) -> tuple[pyo.Constraint, pyo.Constraint, pyo.Constraint]:
        slots = data.reduce_slots if on_slot is model.on_reduce else data.map_slots

        def some_job(model: pyo.ConcreteModel, t: int, k: int) -> pyo.Expression:
            return pyo.quicksum(end_job[i, k] for i in jobs) >= on_slot[t, k]

        def is_there(model: pyo.ConcreteModel, i: int, k: int) -> pyo.Expression:
            return end_job[i, k] <= pyo.quicksum(on_slot[t, k] for t in tasks[i])

        def makespan(model: pyo.ConcreteModel, k: int) -> pyo.Expression:
            return model.makespan >= pyo.quicksum(
                wait[i] * end_job[i, k] + work[i, k] for i in jobs
            )

        return (
            pyo.Constraint([t for of_job in tasks for t in of_job], slots, rule=some_job),
            pyo.Constraint(jobs, slots, rule=is_there),
            pyo.Constraint(slots, rule=makespan),
        )

    model.J14_some_first_job, model.J14_first_job_is_there, model.J14_reduce_slot_makespan = rows(
        model.first_job, model.on_reduce, data.reduces, model.reduce_work, data.head
    )
    model.J15_some_last_job, model.J15_last_job_is_there, model.J15_map_slot_makespan = rows(
        model.last_job, model.on_map, data.maps, model.map_work, data.tail
    )


def spans(model: pyo.ConcreteModel) -> None:
    """A phase lasts at least as long as its longest task, and as its work spread over all slots."""
    data: Coefficients = model.data
    model.J17_map_task = pyo.Constraint(
        data.map_tasks,
        rule=lambda model, t: (
            model.map_completion[data.map_job[t]]
            >= pyo.quicksum(data.map_work[t, k] * model.on_map[t, k] for k in data.map_slots)
        ),
    )
    model.J17_reduce_task = pyo.Constraint(
        data.reduce_tasks,
        rule=lambda model, w: (
            model.makespan
            >= model.map_completion[data.reduce_job[w]]
            + pyo.quicksum(
                data.reduce_time[w, k] * model.on_reduce[w, k] + model.read[w, k]
                for k in data.reduce_slots
            )
        ),
    )
    model.J18_head = pyo.Constraint(
        data.jobs, rule=lambda model, i: model.map_completion[i] >= float(data.head[i])
    )
    model.J18_tail = pyo.Constraint(
        data.jobs,
        rule=lambda model, i: model.makespan >= model.map_completion[i] + float(data.tail[i]),
    )


def sets(model: pyo.ConcreteModel) -> None:
    """On identical slots, the last job of a set ends its maps no sooner than the set alone could.

    Mirrored: after the map phase of the first job of a set, the reduces of the set are still to
    come.
    """
    data: Coefficients = model.data
    jobs = len(data.jobs)
    sizes = {1, jobs - 1}
    if jobs <= MOST_JOBS_FOR_TRIPLES:
        sizes |= {2}
    if jobs <= MOST_JOBS_FOR_ALL_SETS:
        sizes |= set(range(1, jobs))
    last_and_others = [
        (i, others)
        for size in sorted(sizes)
        if 0 < size < jobs
        for i in data.jobs
        for others in combinations([j for j in data.jobs if j != i], size)
    ]

    def missing(model: pyo.ConcreteModel, pairs: list[tuple[int, int]]) -> pyo.Expression:
        return pyo.quicksum(1 - model.precedes[i, j] for i, j in pairs)

    def map_phase(model: pyo.ConcreteModel, row: int) -> pyo.Expression:
        i, others = last_and_others[row]
        least, head = data.least_map_phase(frozenset((i, *others))), float(data.head[i])
        fewer = missing(model, [(j, i) for j in others])
        return model.map_completion[i] >= least - (least - head) * fewer

    def reduce_phase(model: pyo.ConcreteModel, row: int) -> pyo.Expression:
        i, others = last_and_others[row]
        least, tail = data.least_reduce_phase(frozenset((i, *others))), float(data.tail[i])
        fewer = missing(model, [(i, j) for j in others])
        return model.makespan >= model.map_completion[i] + least - (least - tail) * fewer

    rows = range(len(last_and_others))
    model.J19_map_set = pyo.Constraint(rows, rule=map_phase)
    model.J19_reduce_set = pyo.Constraint(rows, rule=reduce_phase)


def horizon(model: pyo.ConcreteModel) -> None:
    """The least work on a slot fits between the least head (or tail) and the horizon.

    These are knapsack rows with a constant right-hand side, for the solver's cover cuts.
    """
    data: Coefficients = model.data
    head = min((data.head[i] for i in data.jobs if data.reduces[i]), default=0.0)
    tail = min((data.tail[i] for i in data.jobs if data.maps[i]), default=0.0)
    model.J16_reduce_knapsack = pyo.Constraint(
        data.reduce_slots if data.reduce_tasks else (),
        rule=lambda model, k: (
            pyo.quicksum(data.least_reduce[w] * model.on_reduce[w, k] for w in data.reduce_tasks)
            <= model.horizon - head
        ),
    )
    model.J16_map_knapsack = pyo.Constraint(
        data.map_slots if data.map_tasks else (),
        rule=lambda model, k: (
            pyo.quicksum(data.map_work[t, k] * model.on_map[t, k] for t in data.map_tasks)
            <= model.horizon - tail
        ),
    )


CUTS: dict[str, Callable[[pyo.ConcreteModel], None]] = {
    "area": area,
    "heads": heads,
    "spans": spans,
    "sets": sets,
    "horizon": horizon,
}
"""The families by name, in the order in which they are added."""
