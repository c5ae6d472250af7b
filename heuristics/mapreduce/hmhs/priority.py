"""Pri, the priority of a job: Johnson's rule as one number ([HMHS], section 3.1)."""

from __future__ import annotations

import numpy as np

from ....core.arrays import FloatArray, IntArray
from ....instances.mapreduce.instance import Instance


def by_priority(instance: Instance) -> IntArray:
    """The jobs by increasing Pri, equal ones by number; shape (jobs,)."""
    return np.argsort(priorities(instance), kind="stable")


def priorities(instance: Instance) -> FloatArray:
    """Compute Pri of each job ([HMHS], equation (4)); smaller comes first.

    A job whose map or reduce phase takes no time on average has -inf if its map phase is not the
    longer one and +inf otherwise: the ends of Johnson's order where it belongs.
    """
    maps, reduces = average_times(instance)
    sign = np.where(maps > reduces, 1.0, -1.0)
    with np.errstate(divide="ignore"):
        pri: FloatArray = sign / np.minimum(maps, reduces)
    return pri


def average_times(instance: Instance) -> tuple[FloatArray, FloatArray]:
    """Total processing time of each job's map and reduce tasks at the average speed factor.

    This is [HMHS], equation (1), summed over the tasks because those of a job need not be equal;
    setups do not count.

    Returns times of the map and of the reduce tasks (s), shapes (jobs,).
    """
    maps, reduces = np.zeros(instance.jobs), np.zeros(instance.jobs)
    np.add.at(maps, instance.map_job, instance.map_processing)
    np.add.at(reduces, instance.reduce_job, instance.reduce_processing)
    factors = instance.speed_factors
    if factors is None:
        return maps, reduces
    return maps * _average(factors.map), reduces * _average(factors.reduce)


def _average(factors: FloatArray) -> FloatArray:
    # Without slots there are no tasks either.
    average: FloatArray = factors.sum(axis=1) / max(factors.shape[1], 1)
    return average
