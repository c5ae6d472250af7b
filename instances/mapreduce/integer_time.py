"""Seconds as whole time units: the one place that says how a duration is rounded.

Proofs round down (`units_below`), so that no schedule becomes longer. Searches round to the nearest
unit (`nearest_units`), fine enough that the way back to seconds decides nothing.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from ...core.arrays import IntArray
from .eligibility import map_eligible, reduce_eligible
from .instance import Instance
from .setups import map_setup_matrix, output_share, read_seconds

GUARD = 1e-13
"""Relative error of a quotient of two durations, with room to spare."""

MOST_SECONDS = 2.0**50
"""Greatest sum of all durations (s) for which whole seconds are counted."""

MOST_DURATIONS = 5_000_000
"""Durations of tasks on slots, and reads between nodes, of which a common unit is looked for."""


def power_of_two_unit(seconds: float, bits: int) -> float:
    """The power of two (s) of which `seconds` has 2 ** (bits - 1) to 2 ** bits.

    Division by it is exact.
    """
    return 2.0 ** (math.frexp(seconds)[1] - bits)


def nearest_units(seconds: ArrayLike, unit: float, most: float) -> IntArray:
    """Durations (s) in the nearest whole units, at most `most`."""
    units = np.rint(np.minimum(np.asarray(seconds) / unit, most))
    return units.astype(np.int64, order="C")


def units_below(seconds: ArrayLike, unit: float, most: float = math.inf) -> IntArray:
    """Durations (s) in whole units, at most `most` and never above the true quotient."""
    units = np.floor(np.minimum(np.asarray(seconds) / unit * (1 - GUARD), most))
    return units.astype(np.int64, order="C")


def multiples(seconds: ArrayLike, unit: float) -> IntArray:
    """Durations (s) that are multiples of the unit, as numbers of units."""
    return np.floor(np.asarray(seconds) / unit).astype(np.int64, order="C")


def common_unit(instance: Instance) -> float:
    """The greatest time (s) of which every possible duration is a multiple.

    It is 0 unless all are whole seconds: the durations of each task on each slot that it may run
    on, and of each read between slots. The optimal makespan is a sum of durations, hence a multiple
    too. It is 0 with more than `MOST_DURATIONS`, too.
    """
    cluster = instance.cluster
    map_slots, reduce_slots = len(cluster.map_slot_node), len(cluster.reduce_slot_node)
    durations_on_slots = instance.map_tasks * map_slots + instance.reduce_tasks * reduce_slots
    if durations_on_slots + cluster.nodes**2 > MOST_DURATIONS:
        return 0.0
    may_map, may_reduce = map_eligible(instance), reduce_eligible(instance)
    holders = np.unique(cluster.map_slot_node[may_map.any(axis=0)])
    readers = np.unique(cluster.reduce_slot_node[may_reduce])
    places = np.unique(read_seconds(instance)[np.ix_(holders, readers)])
    reads = output_share(instance)[:, None] * places
    durations = (
        (map_setup_matrix(instance) + instance.phases.map.matrix())[may_map],
        reads[instance.reduces_of[instance.map_job] > 0],
        instance.phases.reduce.matrix()[:, may_reduce],
    )
    seconds = np.concatenate([array.ravel() for array in durations])
    # Beyond this sums are no longer exact; every reduce task reads from every map task of its job.
    most = seconds.sum() + reads.sum(axis=1) @ instance.reduces_of[instance.map_job]
    if np.any(seconds != np.floor(seconds)) or most > MOST_SECONDS:
        return 0.0
    return float(np.gcd.reduce(seconds.astype(np.int64)))
