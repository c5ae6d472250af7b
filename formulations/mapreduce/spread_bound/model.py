"""A linear program over intervals of time: when each job's map phase ends, and what that costs.

A job whose map phase ends early cannot have had much of its input on one node, and one whose map
phase ends late cannot have many of its reduce tasks on one node: a part of what these read is not
local. In between, map and reduce slots need work to do. The optimum is a lower bound on the
makespan of all schedules no longer than a horizon. The constraint components are numbered (P1) to
(P7) as in docs/formulations/proofs/spread-bound.md, which proves them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
import pyomo.environ as pyo

from ....core.arrays import FloatArray
from ....core.errors import InputError
from ....instances.mapreduce.instance import Instance
from ..bounds.closed_form import best_lower_bound, slot_loads
from ..bounds.read_locality import least_map_lengths, span, spread, steps

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
    heads = _heads(instance)
    ends = _grid(instance, heads, lower_bound, math.inf if horizon is None else horizon)
    model = pyo.ConcreteModel(name=f"spread bound of {instance.name}")
    model.makespan = pyo.Var(bounds=(lower_bound, None))
    model.objective = pyo.Objective(expr=model.makespan, sense=pyo.minimize)
    _Rows(instance, model, ends, heads).add()
    return model


class _Rows:
    """Adds variables and constraints to a model, one method per number."""

    def __init__(
        self, instance: Instance, model: pyo.ConcreteModel, ends: FloatArray, heads: FloatArray
    ) -> None:
        cluster = instance.cluster
        self.instance, self.model, self.ends, self.heads = instance, model, ends, heads
        self.starts = np.append(0.0, ends[:-1])
        self.spread = spread(instance, ends)
        self.jobs, self.intervals = range(instance.jobs), range(len(ends))
        self.last = len(ends) - 1
        self.finite = [k for k in self.intervals if math.isfinite(ends[k])]
        self.map_slots = int(cluster.map_slots.sum())
        self.reduce_slots = int(cluster.reduce_slots.sum())
        self.maps = np.minimum(instance.maps_of, self.map_slots)
        self.reduces = np.minimum(instance.reduces_of, self.reduce_slots)
        self.map_work = np.bincount(instance.map_job, least_map_lengths(instance), instance.jobs)
        total = np.bincount(instance.map_job, instance.input_mb, instance.jobs)
        self.input = total
        local = np.where(instance.reduces_of, instance.output_ratio * total, 0.0)
        self.reduce_work = (
            np.bincount(instance.reduce_job, instance.reduce_processing, instance.jobs)
            + local / cluster.rates.node
        )

    def add(self) -> None:
        self.variables()
        self.one_end()
        self.work()
        self.off()
        self.open()
        self.slots()
        self.last_interval()
        self.ends_of_slots()

    def variables(self) -> None:
        model, lengths = self.model, self.ends - self.starts

        def ends(model: pyo.ConcreteModel, i: int, k: int) -> tuple[int, int]:
            return 0, int(self.spread.possible[i, k])

        def busy(slots: int, k: int) -> tuple[float, float | None]:
            return 0, slots * float(lengths[k]) if math.isfinite(lengths[k]) else None

        model.map_end = pyo.Var(self.jobs, self.intervals, bounds=ends)
        model.off_node = pyo.Var(self.jobs, self.intervals, bounds=(0, None))
        model.off_rack = pyo.Var(self.jobs, self.intervals, bounds=(0, None))
        model.map_busy = pyo.Var(self.intervals, bounds=lambda _, k: busy(self.map_slots, k))
        model.reduce_busy = pyo.Var(self.intervals, bounds=lambda _, k: busy(self.reduce_slots, k))
        for name in ("map_ahead", "reduce_behind", "maps_open", "reduces_open"):
            model.add_component(name, pyo.Var(self.intervals, bounds=(0, None)))

    def one_end(self) -> None:
        """(P1) The map phase of a job ends in one interval."""

        def one(model: pyo.ConcreteModel, i: int) -> pyo.Expression:
            return pyo.quicksum(model.map_end[i, k] for k in self.intervals) == 1

        self.model.P1_one_end = pyo.Constraint(self.jobs, rule=one)

    def work(self) -> None:
        """(P2) Map work comes before the end of the map phase, reduce work after."""
        node_step, rack_step = steps(self.instance)
        spread = self.spread
        reduce_work = self.reduce_work[:, None] + spread.reading

        def maps(model: pyo.ConcreteModel, k: int) -> pyo.Expression:
            before = model.map_ahead[k - 1] if k else 0
            return model.map_ahead[k] == before + model.map_busy[k] - pyo.quicksum(
                float(self.map_work[i]) * model.map_end[i, k]
                + float(self.input[i]) * node_step * model.off_node[i, k]
                + float(self.input[i]) * rack_step * model.off_rack[i, k]
                for i in self.ending(k)
            )

        def reduces(model: pyo.ConcreteModel, k: int) -> pyo.Expression:
            after = model.reduce_behind[k + 1] if k < self.last else 0
            return model.reduce_behind[k] == after + model.reduce_busy[k] - pyo.quicksum(
                float(reduce_work[i, k]) * model.map_end[i, k]
                - float(spread.node_saving[i, k]) * model.off_node[i, k]
                - float(spread.rack_saving[i, k]) * model.off_rack[i, k]
                for i in self.ending(k)
            )

        self.model.P2_map_work = pyo.Constraint(self.intervals, rule=maps)
        self.model.P2_reduce_work = pyo.Constraint(self.intervals, rule=reduces)

    def off(self) -> None:
        """(P3) Reading input elsewhere makes only so many reads local as fit a node or rack."""
        for row, name, most in (
            ("P3_off_node", "off_node", self.spread.node_most),
            ("P3_off_rack", "off_rack", self.spread.rack_most),
        ):
            share = self.model.component(name)

            def enough(
                model: pyo.ConcreteModel,
                i: int,
                k: int,
                share: pyo.Var = share,
                most: FloatArray = most,
            ) -> pyo.Expression:
                return share[i, k] <= float(most[i, k]) * model.map_end[i, k]

            self.model.add_component(row, pyo.Constraint(self.jobs, self.intervals, rule=enough))

    def open(self) -> None:
        """(P4) The tasks that are ready: how many slots they can occupy at a time."""

        def maps(model: pyo.ConcreteModel, k: int) -> pyo.Expression:
            later = model.maps_open[k + 1] if k < self.last else 0
            ends = pyo.quicksum(int(self.maps[i]) * model.map_end[i, k] for i in self.ending(k))
            return model.maps_open[k] == later + ends

        def reduces(model: pyo.ConcreteModel, k: int) -> pyo.Expression:
            earlier = model.reduces_open[k - 1] if k else 0
            ends = pyo.quicksum(int(self.reduces[i]) * model.map_end[i, k] for i in self.ending(k))
            return model.reduces_open[k] == earlier + ends

        self.model.P4_maps_open = pyo.Constraint(self.intervals, rule=maps)
        self.model.P4_reduces_open = pyo.Constraint(self.intervals, rule=reduces)

    def slots(self) -> None:
        """(P5) Slots work on ready tasks only: those of an ending job before or after it ends."""
        until = np.minimum(self.ends, self.ends[-1] - self.spread.tail) - self.starts
        since = self.ends - np.maximum(self.starts, self.heads[:, None])

        def maps(model: pyo.ConcreteModel, k: int) -> pyo.Expression:
            later = model.maps_open[k + 1] if k < self.last else 0
            return model.map_busy[k] <= float(self.ends[k] - self.starts[k]) * later + pyo.quicksum(
                float(self.maps[i] * max(0.0, until[i, k])) * model.map_end[i, k]
                for i in self.ending(k)
            )

        def reduces(model: pyo.ConcreteModel, k: int) -> pyo.Expression:
            earlier = model.reduces_open[k - 1] if k else 0
            length = float(self.ends[k] - self.starts[k])
            return model.reduce_busy[k] <= length * earlier + pyo.quicksum(
                float(self.reduces[i] * max(0.0, since[i, k])) * model.map_end[i, k]
                for i in self.ending(k)
            )

        self.model.P5_map_slots = pyo.Constraint(self.finite, rule=maps)
        self.model.P5_reduce_slots = pyo.Constraint(self.finite, rule=reduces)

    def last_interval(self) -> None:
        """(P6) In the last interval, which starts at the lower bound, slots work until C."""
        model, start = self.model, float(self.starts[-1])
        left = model.makespan - start
        model.P6_maps = pyo.Constraint(expr=model.map_busy[self.last] <= self.map_slots * left)
        model.P6_reduces = pyo.Constraint(
            expr=model.reduce_busy[self.last] <= self.reduce_slots * left
        )

    def ends_of_slots(self) -> None:
        """(P7) All slots together wait for the first heads and for the last tails."""
        tails = np.where(self.spread.possible, self.spread.tail, np.inf).min(axis=1)
        model, instance = self.model, self.instance
        for row, busy, wait, tasks, slots in (
            ("P7_maps", model.map_busy, tails, instance.maps_of, self.map_slots),
            ("P7_reduces", model.reduce_busy, self.heads, instance.reduces_of, self.reduce_slots),
        ):
            used = min(slots, int(tasks.sum()))
            first = np.sort(np.repeat(wait, np.minimum(tasks, used)))[:used]
            # Infinite if some job cannot end anywhere, which (P1) tells.
            waited = float(first.sum()) if math.isfinite(first.sum()) else 0.0

            def wait_and_work(
                model: pyo.ConcreteModel,
                _: int,
                used: int = used,
                waited: float = waited,
                busy: pyo.Var = busy,
            ) -> pyo.Expression:
                return used * model.makespan >= waited + pyo.quicksum(
                    busy[k] for k in self.intervals
                )

            some = [0] if used else []
            model.add_component(row, pyo.Constraint(some, rule=wait_and_work))

    def ending(self, k: int) -> Iterable[int]:
        return np.flatnonzero(self.spread.possible[:, k]).tolist()


def _intervals(instance: Instance) -> int:
    return min(INTERVALS, LARGEST // max(instance.jobs, 1))


def _heads(instance: Instance) -> FloatArray:
    """Least duration of each job's map phase (s), shape (jobs,)."""
    lengths, offsets = least_map_lengths(instance), instance.map_offsets
    return np.array(
        [
            span(lengths[offsets[i] : offsets[i + 1]], instance.cluster.map_slots)
            for i in range(instance.jobs)
        ]
    )


def _grid(instance: Instance, heads: FloatArray, lower_bound: float, horizon: float) -> FloatArray:
    """Ends of the intervals: from the least head to the bound, and the horizon."""
    count = max(_intervals(instance), FEWEST)
    lower_bound = min(lower_bound, horizon * (1 - LEAST_LAST))
    first = min(heads[instance.reduces_of > 0].min(initial=lower_bound), lower_bound)
    share = np.arange(count - 1) / (count - 2)
    return np.append(first + (lower_bound - first) * share**GROWTH, horizon)
