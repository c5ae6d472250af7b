"""Kinds of equal tasks of one phase, and how long one of each takes on each slot."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....core.arrays import FloatArray, IntArray
from ....formulations.mapreduce.unrelated_machines.model import phases
from ....instances.mapreduce.instance import Instance
from ....instances.mapreduce.processing import map_factors, reduce_factors
from ....instances.mapreduce.setups import best_map_setups, best_reduce_setups

MOST_KINDS = 1000
"""Most kinds of tasks in a phase; with more, prices are not looked for."""


class Kinds(NamedTuple):
    """The kinds of tasks of one phase; tasks that take no time on some slot are left out."""

    job: IntArray
    """Job of each kind, shape (kinds,)."""
    number: IntArray
    """Number of tasks of each kind, shape (kinds,)."""
    seconds: FloatArray
    """Least time of one task on each slot (s), its setup included, shape (kinds, slots)."""


def kinds_of(instance: Instance) -> tuple[Kinds, Kinds] | None:
    """Sort the tasks of both phases into kinds of equal job, processing time and least setup.

    None if there are more than `MOST_KINDS` in a phase.
    """
    setups = best_map_setups(instance), best_reduce_setups(instance)[instance.reduce_job]
    maps = _kinds(instance.map_job, instance.map_processing, setups[0], map_factors(instance))
    factors = reduce_factors(instance)
    reduces = _kinds(instance.reduce_job, instance.reduce_processing, setups[1], factors)
    return None if maps is None or reduces is None else (maps, reduces)


def heads_and_tails(instance: Instance) -> tuple[FloatArray, FloatArray]:
    """Least durations (s) of each job's map phase and of its reduce phase, each (jobs,)."""
    maps, reduces = phases(instance)
    return maps.span, reduces.span


def fits(instance: Instance) -> bool:
    """Whether slots differ in speed and the kinds of tasks are few enough."""
    return instance.speed_factors is not None and kinds_of(instance) is not None


def _kinds(
    job: IntArray, processing: FloatArray, setup: FloatArray, factors: FloatArray
) -> Kinds | None:
    rows = np.column_stack((job, processing, setup))[processing + setup > 0]
    kinds, number = np.unique(rows, axis=0, return_counts=True)
    if len(kinds) > MOST_KINDS:
        return None
    of = kinds[:, 0].astype(np.int64)
    seconds = kinds[:, 1:2] * factors[of] + kinds[:, 2:3]
    return Kinds(of, number, np.ascontiguousarray(seconds))
