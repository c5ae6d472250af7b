"""Place the tasks of a phase one by one by a rule, with the kernel that suits the instance.

The rules are those of `earliest_slot`, which is used without speed factors and security. Otherwise
every task examines every slot (`unrelated_slots`).
"""

from __future__ import annotations

import numpy as np

from ....core.arrays import IntArray
from ....instances.mapreduce.instance import Instance
from ....instances.mapreduce.processing import map_factors, map_times, reduce_factors, reduce_times
from ....instances.mapreduce.schedule import PhaseSchedule, Schedule, makespan, map_completions
from ....instances.mapreduce.security import Security
from ....instances.mapreduce.setups import output_share, read_rates, reduce_setups
from .earliest_slot import place_maps, place_reduces
from .lpt import job_by_job, reduces_longest_first
from .unrelated_slots import place_secure_maps, place_unrelated_maps, place_unrelated_reduces


def placed_maps(instance: Instance, order: IntArray, rule: int) -> PhaseSchedule:
    if instance.security is not None:
        return _secure_maps(instance, order, rule, instance.security)
    if instance.speed_factors is not None:
        rack_of, _, rates = _network(instance)
        slot, start, setup = place_unrelated_maps(
            order,
            rule,
            instance.cluster.map_slot_node,
            rack_of,
            rates,
            instance.map_job,
            instance.map_processing,
            np.ascontiguousarray(map_factors(instance)),
            instance.input_mb,
            instance.replica_offsets,
            instance.replicas,
        )
        return PhaseSchedule(slot, start, setup, start + setup + map_times(instance, slot))
    slot, start, setup = place_maps(
        order,
        rule,
        instance.cluster.map_slot_node,
        *_network(instance),
        instance.map_processing,
        instance.input_mb,
        instance.replica_offsets,
        instance.replicas,
    )
    return PhaseSchedule(slot, start, setup, start + setup + instance.map_processing)


def _secure_maps(
    instance: Instance, order: IntArray, rule: int, security: Security
) -> PhaseSchedule:
    transfer = 1 / security.transfer_rate
    slot, start, setup = place_secure_maps(
        order,
        rule,
        instance.cluster.map_slot_node,
        np.ascontiguousarray(security.priorities),
        np.ascontiguousarray(security.levels),
        (transfer, transfer + 1 / security.encryption_rate),
        instance.map_job,
        instance.map_processing,
        np.ascontiguousarray(map_factors(instance)),
        instance.input_mb,
        instance.replica_offsets,
        instance.replicas,
    )
    return PhaseSchedule(slot, start, setup, start + setup + map_times(instance, slot))


def with_reduces(instance: Instance, maps: PhaseSchedule, rule: int) -> Schedule:
    """Add the reduce phase: jobs by map completion, the tasks of a job by LPT."""
    release = map_completions(instance, maps.end)
    if instance.speed_factors is not None:
        jobs = np.argsort(release, kind="stable")
        cluster = instance.cluster
        setups = reduce_setups(instance, cluster.map_slot_node[maps.slot])
        slot, start, setup = place_unrelated_reduces(
            job_by_job(reduces_longest_first(instance), instance.reduce_offsets, jobs),
            rule,
            release,
            instance.reduce_job,
            instance.reduce_processing,
            np.ascontiguousarray(reduce_factors(instance)),
            np.ascontiguousarray(setups[:, cluster.reduce_slot_node]),
        )
        reduces = PhaseSchedule(slot, start, setup, start + setup + reduce_times(instance, slot))
        return Schedule(instance.name, maps, reduces, makespan(maps, reduces))
    slot, start, setup = place_reduces(
        np.argsort(release, kind="stable"),
        reduces_longest_first(instance),
        rule,
        instance.cluster.reduce_slot_node,
        *_network(instance),
        release,
        instance.reduce_processing,
        instance.reduce_offsets,
        output_share(instance),
        instance.cluster.map_slot_node[maps.slot],
        instance.map_offsets,
    )
    reduces = PhaseSchedule(slot, start, setup, start + setup + instance.reduce_processing)
    return Schedule(instance.name, maps, reduces, makespan(maps, reduces))


def _network(instance: Instance) -> tuple[IntArray, int, tuple[float, float, float]]:
    cluster, rates = instance.cluster, read_rates(instance)
    racks = len(cluster.rack_names)
    return cluster.rack_of, racks, (float(rates.node), float(rates.rack), float(rates.remote))
