"""A linear program over intervals of time: when each job's map phase ends, and what that costs.

A job whose map phase ends early cannot have had much of its input on one node, and one whose map
phase ends late cannot have many of its reduce tasks on one node: a part of what these read is not
local. In between, map and reduce slots need work to do. The optimum is a lower bound on the
makespan of all schedules no longer than a horizon. The constraint components are numbered (P1) to
(P7) as in docs/formulations/spread-bound.md, which proves them.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import pyomo.environ as pyo

from ....core.arrays import FloatArray, IntArray
from ....core.errors import InputError
from ....instances.mapreduce.instance import Instance
from ..bounds.closed_form import best_lower_bound
from ..bounds.lengths import least_span, phases, slot_loads
from ..bounds.reads import steps
from .coefficients import Spread

INTERVALS, FEWEST = 24, 8
"""Most intervals of time, and the fewest that are of any use."""

LARGEST = 3000
"""Most pairs of a job and an interval: HiGHS solves as many in about 1.5 s on one core."""

LEAST_SHARE = 0.85
"""Least load of a reduce slot, relative to that of a map slot, at which the program is used."""

LEAST_LAST = 1e-6
"""Least length of the last interval, relative to the horizon: HiGHS drops tiny coefficients."""

GROWTH = 2.5
"""The ends of the intervals grow with this power, because slots wait for the first jobs."""


def can_build(instance: Instance) -> bool:
    """Whether the proof covers an instance and the program is small enough to be useful."""
    return not instance.parts and _intervals(instance) >= FEWEST


def is_promising(instance: Instance) -> bool:
    """Whether the reduce phase is long enough for reads to matter; elsewhere nothing was gained."""
    maps, reduces = slot_loads(instance)
    return can_build(instance) and reduces >= LEAST_SHARE * maps


def estimated_terms(instance: Instance) -> float:
    """Estimate the number of nonzeros of the program without building it."""
    return 15.0 * instance.jobs * _intervals(instance)


def build(
    instance: Instance, *, horizon: float | None = None, lower_bound: float | None = None
) -> pyo.ConcreteModel:
    """Build the linear program; `makespan` (s) is its objective.

    Parameters
    ----------
    instance
        The instance.
    horizon
        The bound is valid for schedules no longer than this (s), and the program is infeasible only
        if there is none.
    lower_bound
        A valid lower bound on the makespan (s), by default the best in closed form.

    Returns
    -------
    pyo.ConcreteModel
        The model; see Notes for its variables.

    Raises
    ------
    InputError
        If the instance has optional parts that are not covered.

    Notes
    -----
    Variables, for job i and interval k: `map_end[i, k]`, the job's map phase ends in the interval;
    `off_node[i, k]` and `off_rack[i, k]`, share of its input that is read off its node, off its
    rack, for the sake of its reduce tasks; `map_busy[k]` and `reduce_busy[k]`, slot seconds;
    `map_ahead[k]`, map work done by the end of interval k for jobs that end later;
    `reduce_behind[k]`, reduce work done after it for jobs whose map phases ended before;
    `maps_open[k]`, map tasks of jobs whose map phases end in interval k or later;
    `reduces_open[k]`, reduce tasks of jobs whose map phases end by the end of interval k.
    """
    if instance.parts:
        raise InputError(
            f"{instance.name}: the spread bound does not cover {', '.join(sorted(instance.parts))}"
        )
    if lower_bound is None:
        lower_bound = best_lower_bound(instance)[0]
    ends = _grid(instance, lower_bound, math.inf if horizon is None else horizon)
    data, starts = Spread(instance, ends), np.append(0.0, ends[:-1])
    jobs, intervals = range(instance.jobs), range(len(ends))
    maps, reduces = _phases(instance, data, starts, ends)
    model = pyo.ConcreteModel(name=f"spread bound of {instance.name}")
    model.data = data
    model.makespan = pyo.Var(bounds=(lower_bound, None))
    model.objective = pyo.Objective(expr=model.makespan, sense=pyo.minimize)
    model.map_end = pyo.Var(jobs, intervals, bounds=lambda _, i, k: (0, int(data.possible[i, k])))
    model.off_node = pyo.Var(jobs, intervals, bounds=(0, None))
    model.off_rack = pyo.Var(jobs, intervals, bounds=(0, None))
    model.P1_one_end = pyo.Constraint(
        jobs, rule=lambda model, i: pyo.quicksum(model.map_end[i, k] for k in intervals) == 1
    )
    model.P3_off_node = pyo.Constraint(
        jobs,
        intervals,
        rule=lambda model, i, k: (
            model.off_node[i, k] <= float(data.node_most[i, k]) * model.map_end[i, k]
        ),
    )
    model.P3_off_rack = pyo.Constraint(
        jobs,
        intervals,
        rule=lambda model, i, k: (
            model.off_rack[i, k] <= float(data.rack_most[i, k]) * model.map_end[i, k]
        ),
    )
    _add_phase(model, maps, starts, ends)
    _add_phase(model, reduces, starts, ends)
    return model


def _grid(instance: Instance, lower_bound: float, horizon: float) -> FloatArray:
    """Ends of the intervals: from the least head to the bound, and the horizon."""
    count = max(_intervals(instance), FEWEST)
    lower_bound = min(lower_bound, horizon * (1 - LEAST_LAST))
    heads = least_span(phases(instance)[0])
    first = min(heads[instance.reduces_of > 0].min(initial=lower_bound), lower_bound)
    share = np.arange(count - 1) / (count - 2)
    return np.append(first + (lower_bound - first) * share**GROWTH, horizon)


def _intervals(instance: Instance) -> int:
    return min(INTERVALS, LARGEST // max(instance.jobs, 1))


class Phase(NamedTuple):
    """What (P2) and (P4) to (P7) need of one phase; arrays of jobs, or of jobs and intervals."""

    kind: str
    slots: int
    tasks: int
    """Number of tasks."""
    occupied: IntArray
    """Most slots that a job occupies at a time."""
    wait: FloatArray
    """Least time (s) from the end of a map task, or to the start of a reduce task."""
    part: FloatArray
    """How long (s) tasks of a job that ends in an interval run within it at most."""
    work: FloatArray
    off_node: FloatArray
    off_rack: FloatArray
    """`work`, `off_node`, `off_rack`: least work (s), and what each share adds to it."""


def _phases(
    instance: Instance, data: Spread, starts: FloatArray, ends: FloatArray
) -> tuple[Phase, Phase]:
    map_slots, reduce_slots = (phase.slots for phase in phases(instance))
    node_step, rack_step = (
        np.tile(step * data.input[:, None], len(ends)) for step in steps(instance)
    )
    return (
        Phase(
            "map",
            map_slots,
            instance.map_tasks,
            np.minimum(instance.maps_of, map_slots),
            np.where(data.possible, data.tail, np.inf).min(axis=1),
            np.minimum(ends, ends[-1] - data.tail) - starts,
            np.tile(data.map_work[:, None], len(ends)),
            node_step,
            rack_step,
        ),
        Phase(
            "reduce",
            reduce_slots,
            instance.reduce_tasks,
            np.minimum(instance.reduces_of, reduce_slots),
            data.head,
            ends - np.maximum(starts, data.head[:, None]),
            data.reduce_work,
            -data.node_saving,
            -data.rack_saving,
        ),
    )


def _add_phase(
    model: pyo.ConcreteModel, phase: Phase, starts: FloatArray, ends: FloatArray
) -> None:
    """(P2), (P4) to (P7), as for map tasks; for reduce tasks time runs backwards."""
    kind, intervals, last = phase.kind, range(len(ends)), len(ends) - 1
    backwards = kind == "reduce"
    before, after = (1, -1) if backwards else (-1, 1)
    lengths, finite = ends - starts, [k for k in intervals if math.isfinite(ends[k])]
    ending = [np.flatnonzero(model.data.possible[:, k]).tolist() for k in intervals]

    def at(variable: pyo.Var, k: int) -> pyo.Expression | int:
        return variable[k] if 0 <= k <= last else 0

    busy = pyo.Var(
        intervals,
        bounds=lambda _, k: (0, phase.slots * float(lengths[k]) if k in finite else None),
    )
    ahead = pyo.Var(intervals, bounds=(0, None))
    ready = pyo.Var(intervals, bounds=(0, None))
    model.add_component(f"{kind}_busy", busy)
    model.add_component("reduce_behind" if backwards else "map_ahead", ahead)
    model.add_component(f"{kind}s_open", ready)

    def work(model: pyo.ConcreteModel, k: int) -> pyo.Expression:
        done = pyo.quicksum(
            float(phase.work[i, k]) * model.map_end[i, k]
            + float(phase.off_node[i, k]) * model.off_node[i, k]
            + float(phase.off_rack[i, k]) * model.off_rack[i, k]
            for i in ending[k]
        )
        return ahead[k] == at(ahead, k + before) + busy[k] - done

    def are_open(model: pyo.ConcreteModel, k: int) -> pyo.Expression:
        tasks = pyo.quicksum(int(phase.occupied[i]) * model.map_end[i, k] for i in ending[k])
        return ready[k] == at(ready, k + after) + tasks

    def slots(model: pyo.ConcreteModel, k: int) -> pyo.Expression:
        ended = pyo.quicksum(
            float(phase.occupied[i] * max(0.0, phase.part[i, k])) * model.map_end[i, k]
            for i in ending[k]
        )
        return busy[k] <= float(lengths[k]) * at(ready, k + after) + ended

    used = min(phase.slots, phase.tasks)

    def waits(model: pyo.ConcreteModel, _: int) -> pyo.Expression:
        first = np.sort(np.repeat(phase.wait, np.minimum(phase.occupied, used)))[:used]
        # Infinite if some job cannot end anywhere, which (P1) tells.
        waited = float(first.sum()) if math.isfinite(first.sum()) else 0.0
        return used * model.makespan >= waited + pyo.quicksum(busy[k] for k in intervals)

    model.add_component(f"P2_{kind}_work", pyo.Constraint(intervals, rule=work))
    model.add_component(f"P4_{kind}s_open", pyo.Constraint(intervals, rule=are_open))
    model.add_component(f"P5_{kind}_slots", pyo.Constraint(finite, rule=slots))
    until_the_end = busy[last] <= phase.slots * (model.makespan - float(starts[-1]))
    model.add_component(f"P6_{kind}s", pyo.Constraint(expr=until_the_end))
    model.add_component(f"P7_{kind}s", pyo.Constraint([0] if used else [], rule=waits))
