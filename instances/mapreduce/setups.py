"""Setup times: how long a task takes to read its data, given where both are."""

from __future__ import annotations

import numpy as np

from ...core.arrays import BoolArray, FloatArray, IntArray
from ...core.values import once
from .cluster import Rates
from .instance import Instance
from .security import ENCRYPTED, Security

_FIRST_SLOTS = 16
"""So many slots of a node are asked one by one before all slots are."""


def replica_rates(instance: Instance) -> FloatArray:
    """Best rate (MB/s) at which each node reads each map task's input, shape (map_tasks, nodes)."""
    cluster = instance.cluster
    rates = np.full((instance.map_tasks, cluster.nodes), cluster.rates.remote)
    task = np.repeat(np.arange(instance.map_tasks), np.diff(instance.replica_offsets))
    in_rack = np.zeros((instance.map_tasks, len(cluster.rack_names)), dtype=bool)
    in_rack[task, cluster.rack_of[instance.replicas]] = True
    rates[in_rack[:, cluster.rack_of]] = cluster.rates.rack
    rates[task, instance.replicas] = cluster.rates.node
    return rates


def map_setup_matrix(instance: Instance) -> FloatArray:
    """Setup time (s) of each map task on each map slot, (map_tasks, map_slots); small instances."""
    if instance.security is not None:
        return _secure_setups(instance, instance.security, np.arange(instance.map_tasks))
    return map_setups_by_node(instance)[:, instance.cluster.map_slot_node]


def map_setups_by_node(instance: Instance) -> FloatArray:
    """Setup time (s) of each map task on each node, (map_tasks, nodes), without security levels."""
    return instance.input_mb[:, None] / replica_rates(instance)


def map_setups(instance: Instance, slot: IntArray) -> FloatArray:
    """Setup time of each map task on its slot.

    Returns times (s), shape (map_tasks,).
    """
    cluster = instance.cluster
    copies = np.diff(instance.replica_offsets)
    task = np.repeat(np.arange(instance.map_tasks), copies)
    node = cluster.map_slot_node[slot]
    local = task[instance.replicas == node[task]]
    if instance.security is not None:
        plain = task[instance.security.levels[instance.replicas, slot[task]] != ENCRYPTED]
        return instance.input_mb * _secure_seconds(instance.security, plain, local, len(slot))
    rate = np.full(instance.map_tasks, cluster.rates.remote)
    same_rack = cluster.rack_of[instance.replicas] == cluster.rack_of[node[task]]
    rate[task[same_rack]] = cluster.rates.rack
    rate[local] = cluster.rates.node
    setups: FloatArray = instance.input_mb / rate
    return setups


def encryption_times(instance: Instance, slot: IntArray) -> FloatArray:
    """The part of each map task's setup time that encrypts its input.

    Returns times (s), shape (map_tasks,).
    """
    if instance.security is None:
        return np.zeros(instance.map_tasks)
    # As `_secure_seconds` computes it, to the last bit.
    moving = instance.input_mb * (1 / instance.security.transfer_rate)
    setups = map_setups(instance, slot)
    times: FloatArray = np.where(setups > moving, setups - moving, 0.0)
    return times


@once
def best_map_setups(instance: Instance) -> FloatArray:
    """Least setup time (s) of each map task over its eligible map slots, shape (map_tasks,)."""
    if instance.security is not None:
        seconds = np.zeros(instance.map_tasks)
        away = np.flatnonzero(~_may_stay(instance, instance.security))
        for part in _parts(len(away)):
            seconds[away[part]] = _best_secure_seconds(instance, instance.security, away[part])
        return instance.input_mb * seconds
    cluster = instance.cluster
    usable = cluster.map_slots > 0
    usable_rack = np.zeros(len(cluster.rack_names), dtype=bool)
    usable_rack[cluster.rack_of[usable]] = True
    task = np.repeat(np.arange(instance.map_tasks), np.diff(instance.replica_offsets))
    rate = np.full(instance.map_tasks, cluster.rates.remote)
    rate[task[usable_rack[cluster.rack_of[instance.replicas]]]] = cluster.rates.rack
    rate[task[usable[instance.replicas]]] = cluster.rates.node
    setups: FloatArray = instance.input_mb / rate
    return setups


def local_map_setups(instance: Instance) -> FloatArray:
    """Setup time (s) of each map task on a node that holds its input, shape (map_tasks,)."""
    if instance.security is not None:
        return np.zeros(instance.map_tasks)
    setups: FloatArray = instance.input_mb / instance.cluster.rates.node
    return setups


def _secure_setups(instance: Instance, security: Security, tasks: IntArray) -> FloatArray:
    """Setup times (s) of some map tasks on all map slots, shape (tasks, map_slots)."""
    plain, local = _spared_and_local(instance, security, tasks)
    seconds = _secure_seconds(security, plain, local, plain.shape)
    setups: FloatArray = instance.input_mb[tasks, None] * seconds
    return setups


def _may_stay(instance: Instance, security: Security) -> BoolArray:
    """Whether each map task may run where its data is, as far as a node's first slots tell."""
    first = np.searchsorted(instance.cluster.map_slot_node, np.arange(instance.cluster.nodes + 1))
    task = np.repeat(np.arange(instance.map_tasks), np.diff(instance.replica_offsets))
    slot, end = first[instance.replicas], first[instance.replicas + 1]
    may = np.zeros(instance.map_tasks, dtype=bool)
    for k in range(_FIRST_SLOTS):
        some = np.flatnonzero(slot + k < end)
        may[task[some][security.priorities[task[some], slot[some] + k]]] = True
    return may


def _best_secure_seconds(instance: Instance, security: Security, tasks: IntArray) -> FloatArray:
    """Least time (s/MB) of some map tasks over their eligible slots, shape (tasks,)."""
    allowed = security.priorities[tasks]
    plain, local = (
        (way & allowed).any(axis=1) for way in _spared_and_local(instance, security, tasks)
    )
    seconds = _secure_seconds(security, np.asarray(plain), np.asarray(local), len(allowed))
    return np.where(allowed.any(axis=1), seconds, np.inf)


def _spared_and_local(
    instance: Instance, security: Security, tasks: IntArray
) -> tuple[BoolArray, BoolArray]:
    """Whether a replica's level spares the encryption, and whether it is local.

    Both have shape (tasks, map_slots).
    """
    slot_node = instance.cluster.map_slot_node
    first = instance.replica_offsets[tasks]
    copies = instance.replica_offsets[tasks + 1] - first
    plain = np.zeros((len(tasks), len(slot_node)), dtype=bool)
    local = np.zeros_like(plain)
    spared = security.levels != ENCRYPTED
    for copy in range(int(copies.max(initial=0))):
        some = np.flatnonzero(copies > copy)
        holder = instance.replicas[first[some] + copy]
        plain[some] |= spared[holder]
        local[some] |= holder[:, None] == slot_node
    return plain, local


def _secure_seconds(
    security: Security,
    plain: IntArray | BoolArray,
    local: IntArray | BoolArray,
    shape: int | tuple[int, ...],
) -> FloatArray:
    """Time to move input (s/MB; [SMSO], section III), by whether a replica spares the encryption.

    It is 0 where the data is. Data from outside the cluster has no level and is encrypted.
    """
    seconds = np.full(shape, 1 / security.transfer_rate + 1 / security.encryption_rate)
    seconds[plain] = 1 / security.transfer_rate
    seconds[local] = 0.0
    return seconds


def _parts(tasks: int) -> list[slice]:
    """Ranges of tasks that are short enough for matrices of tasks and slots."""
    return [slice(t, min(t + 4096, tasks)) for t in range(0, tasks, 4096)]


@once
def output_share(instance: Instance) -> FloatArray:
    """Output (MB) of each map task for one reduce task of its job, shape (map_tasks,)."""
    reduces = np.maximum(instance.reduces_of, 1)
    share: FloatArray = (instance.output_ratio / reduces)[instance.map_job] * instance.input_mb
    return share


def read_rates(instance: Instance) -> Rates:
    """Rates (MB/s) at which reduce tasks read; with security the transfer rate from everywhere."""
    if instance.security is None:
        return instance.cluster.rates
    return Rates(*[instance.security.transfer_rate] * 3)


def read_seconds(instance: Instance) -> FloatArray:
    """Time (s/MB) in which a reduce task on one node reads from another, shape (nodes, nodes)."""
    cluster, rates = instance.cluster, read_rates(instance)
    same_rack = cluster.rack_of[:, None] == cluster.rack_of
    rate = np.where(same_rack, rates.rack, rates.remote)
    np.fill_diagonal(rate, rates.node)
    seconds: FloatArray = 1.0 / rate
    return seconds


def reduce_setups(instance: Instance, map_node: IntArray) -> FloatArray:
    """Setup time of a reduce task of each job on each node.

    All reduce tasks of a job read the same amount, so one row serves them all ([LJR], section 4.4).

    Returns times (s), shape (jobs, nodes).
    """
    cluster, rates = instance.cluster, read_rates(instance)
    share = output_share(instance)
    by_node = np.zeros((instance.jobs, cluster.nodes))
    np.add.at(by_node, (instance.map_job, map_node), share)
    by_rack = np.zeros((instance.jobs, len(cluster.rack_names)))
    np.add.at(by_rack, (instance.map_job, cluster.rack_of[map_node]), share)
    total = by_rack.sum(axis=1, keepdims=True)
    rack = by_rack[:, cluster.rack_of]
    setups: FloatArray = (
        by_node / rates.node
        + np.maximum(rack - by_node, 0) / rates.rack
        + np.maximum(total - rack, 0) / rates.remote
    )
    return setups


@once
def best_reduce_setups(instance: Instance) -> FloatArray:
    """Setup time (s) of a reduce task of each job if all it reads is local, shape (jobs,)."""
    total = np.zeros(instance.jobs)
    np.add.at(total, instance.map_job, output_share(instance))
    return total / read_rates(instance).node
