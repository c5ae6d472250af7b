"""Tiny instances, their optima and all closed-form bounds, worked out once for several tests."""

from functools import cache

import numpy as np
from brute_force import optimum
from random_instances import reading, tiny, with_outages, with_speed_factors

from slotwise.formulations.mapreduce.bounds.closed_form import lower_bounds
from slotwise.instances.mapreduce.instance import Instance


@cache
def four_kinds(seed: int) -> list[tuple[Instance, float, dict[str, float]]]:
    """Plain, with much to read, that with speed factors, and with outages; those that can run."""
    reads = reading(seed)
    kinds = tiny(seed), reads, with_speed_factors(reads, seed), with_outages(tiny(seed), seed)
    return [
        (instance, best, lower_bounds(instance))
        for instance in kinds
        if np.isfinite(best := optimum(instance))
    ]
