"""Processing times: how long a task runs on a slot, without its setup."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...core.arrays import FloatArray, IntArray
from .instance import Instance


def map_times(instance: Instance, slot: IntArray) -> FloatArray:
    """Processing time of each map task on its slot.

    Returns times (s), shape (map_tasks,).
    """
    if instance.speed_factors is None:
        return instance.map_processing
    times: FloatArray = instance.map_processing * instance.speed_factors.map[instance.map_job, slot]
    return times


def reduce_times(instance: Instance, slot: IntArray) -> FloatArray:
    """Processing time of each reduce task on its slot.

    Returns times (s), shape (reduce_tasks,).
    """
    if instance.speed_factors is None:
        return instance.reduce_processing
    times: FloatArray = (
        instance.reduce_processing * instance.speed_factors.reduce[instance.reduce_job, slot]
    )
    return times


def map_factors(instance: Instance) -> FloatArray:
    """Speed factor of each job on each map slot, 1 without any, shape (jobs, map_slots)."""
    if instance.speed_factors is None:
        return np.ones((instance.jobs, len(instance.cluster.map_slot_node)))
    return instance.speed_factors.map


def reduce_factors(instance: Instance) -> FloatArray:
    """Speed factor of each job on each reduce slot, 1 without any, shape (jobs, reduce_slots)."""
    if instance.speed_factors is None:
        return np.ones((instance.jobs, len(instance.cluster.reduce_slot_node)))
    return instance.speed_factors.reduce


def map_time_matrix(instance: Instance) -> FloatArray:
    """Processing time (s) of each map task on each map slot; for small instances."""
    return instance.map_processing[:, None] * map_factors(instance)[instance.map_job]


def reduce_time_matrix(instance: Instance) -> FloatArray:
    """Processing time (s) of each reduce task on each reduce slot; for small instances."""
    return instance.reduce_processing[:, None] * reduce_factors(instance)[instance.reduce_job]


def least_map_times(instance: Instance) -> FloatArray:
    """Least processing time (s) of each map task over all map slots, shape (map_tasks,)."""
    factors = instance.speed_factors
    of_job = None if factors is None else factors.map
    return _over_slots(instance.map_processing, instance.map_job, of_job, np.min)


def least_reduce_times(instance: Instance) -> FloatArray:
    """Least processing time (s) of each reduce task over all slots, shape (reduce_tasks,)."""
    factors = instance.speed_factors
    of_job = None if factors is None else factors.reduce
    return _over_slots(instance.reduce_processing, instance.reduce_job, of_job, np.min)


def mean_map_times(instance: Instance) -> FloatArray:
    """Mean processing time (s) of each map task over all map slots, shape (map_tasks,)."""
    factors = instance.speed_factors
    of_job = None if factors is None else factors.map
    return _over_slots(instance.map_processing, instance.map_job, of_job, np.mean)


def mean_reduce_times(instance: Instance) -> FloatArray:
    """Mean processing time (s) of each reduce task over all slots, shape (reduce_tasks,)."""
    factors = instance.speed_factors
    of_job = None if factors is None else factors.reduce
    return _over_slots(instance.reduce_processing, instance.reduce_job, of_job, np.mean)


def _over_slots(
    processing: FloatArray, job: IntArray, factors: FloatArray | None, of: Callable[..., FloatArray]
) -> FloatArray:
    """Processing times (s) by the least, or the mean, factor of each job over all slots."""
    if factors is None or not len(processing):
        return processing
    times: FloatArray = processing * of(factors, axis=1)[job]
    return times
