"""Setup times: how long a task takes to read its data, given where both are."""

from __future__ import annotations

from dataclasses import astuple

import numpy as np

from ...core.arrays import FloatArray, IntArray
from ...core.values import once
from .cluster import Rates
from .instance import Instance
from .security import ENCRYPTED

_AT_ONCE = 4096
"""Tasks whose times on all slots are worked out together."""


def input_rates(instance: Instance, source: IntArray, slot: IntArray) -> FloatArray:
    """Rate (MB/s) at which map slots get data of nodes, -1 for data from outside the cluster.

    With security ([SMSO], section III) it is infinite where the data is, and data from outside is
    encrypted. `source` and `slot` are broadcast.
    """
    cluster, security = instance.cluster, instance.security
    node = cluster.map_slot_node[slot]
    if security is None:
        return _network(instance, source, node, cluster.rates)
    at_home, moved, encrypted = distance_rates(instance)
    is_plain = (source >= 0) & (security.levels[source, slot] != ENCRYPTED)
    rates: FloatArray = np.where(source == node, at_home, np.where(is_plain, moved, encrypted))
    return rates


def distance_rates(instance: Instance) -> FloatArray:
    """Rates (MB/s) of input on the slot's node, from a near one, and from elsewhere, shape (3,).

    Near is the rack or, with security, where data goes unencrypted; there the node's is infinite.
    """
    security = instance.security
    if security is None:
        rates: FloatArray = np.array(astuple(instance.cluster.rates), dtype=float)
        return rates
    moved = security.transfer_rate
    return np.array([np.inf, moved, 1 / (1 / moved + 1 / security.encryption_rate)])


def input_rate_matrix(instance: Instance, slots: IntArray | None = None) -> FloatArray:
    """`input_rates` of all nodes and, last, of data from outside: (nodes + 1, slots).

    `slots`: some map slots; by default all.
    """
    cluster = instance.cluster
    slots = np.arange(len(cluster.map_slot_node)) if slots is None else slots
    return input_rates(instance, np.append(np.arange(cluster.nodes), -1)[:, None], slots)


def map_setup_matrix(instance: Instance) -> FloatArray:
    """Setup time (s) of each map task on each map slot, (map_tasks, map_slots); small instances."""
    return _setups(instance, np.arange(instance.map_tasks), input_rate_matrix(instance))


def map_setups_by_node(instance: Instance) -> FloatArray:
    """Setup time (s) of each map task on each node, (map_tasks, nodes), without security levels."""
    node = np.arange(instance.cluster.nodes)
    rates = _network(instance, np.append(node, -1)[:, None], node, instance.cluster.rates)
    return _setups(instance, np.arange(instance.map_tasks), rates)


def _setups(instance: Instance, tasks: IntArray, rates: FloatArray) -> FloatArray:
    """Setup times (s) of some map tasks at the best of the rates from their replicas."""
    first, copies = instance.replica_offsets[tasks], np.diff(instance.replica_offsets)[tasks]
    best = np.repeat(rates[-1:], len(tasks), axis=0)
    for copy in range(int(copies.max(initial=0))):
        some = np.flatnonzero(copies > copy)
        best[some] = np.maximum(best[some], rates[instance.replicas[first[some] + copy]])
    setups: FloatArray = instance.input_mb[tasks, None] / best
    return setups


def map_setups(instance: Instance, slot: IntArray) -> FloatArray:
    """Setup time (s) of each map task on its slot, shape (map_tasks,)."""
    best = input_rates(instance, np.full(len(slot), -1), slot)
    task = np.repeat(np.arange(len(slot)), np.diff(instance.replica_offsets))
    np.maximum.at(best, task, input_rates(instance, instance.replicas, slot[task]))
    setups: FloatArray = instance.input_mb / best
    return setups


def encryption_times(instance: Instance, slot: IntArray) -> FloatArray:
    """The part of each map task's setup time that encrypts its input (s), shape (map_tasks,)."""
    if instance.security is None:
        return np.zeros(instance.map_tasks)
    moving = instance.input_mb / instance.security.transfer_rate
    return np.maximum(map_setups(instance, slot) - moving, 0.0)


@once
def best_map_setups(instance: Instance) -> FloatArray:
    """Least setup time (s) of each map task over its eligible map slots, shape (map_tasks,)."""
    if instance.security is not None:
        least, rates = np.empty(instance.map_tasks), input_rate_matrix(instance)
        for first in range(0, len(least), _AT_ONCE):
            part = np.arange(first, min(first + _AT_ONCE, len(least)))
            times = _setups(instance, part, rates)
            allowed = instance.security.priorities[part]
            least[part] = times.min(axis=1, initial=np.inf, where=allowed)
        return least
    cluster, network = instance.cluster, instance.cluster.rates
    usable = cluster.map_slots > 0
    in_rack = np.bincount(cluster.rack_of, usable, len(cluster.rack_names)) > 0
    of_node = np.where(usable, network.node, np.where(in_rack[cluster.rack_of], network.rack, 0.0))
    best = np.full(instance.map_tasks, float(network.remote))
    task = np.repeat(np.arange(instance.map_tasks), np.diff(instance.replica_offsets))
    np.maximum.at(best, task, of_node[instance.replicas])
    setups: FloatArray = instance.input_mb / best
    return setups


def local_map_setups(instance: Instance) -> FloatArray:
    """Setup time (s) of each map task on a node that holds its input, shape (map_tasks,)."""
    rate = instance.cluster.rates.node if instance.security is None else np.inf
    setups: FloatArray = instance.input_mb / rate
    return setups


@once
def output_share(instance: Instance) -> FloatArray:
    """Output (MB) of each map task for one reduce task of its job, shape (map_tasks,)."""
    ratio = instance.output_ratio / np.maximum(instance.reduces_of, 1)
    share: FloatArray = ratio[instance.map_job] * instance.input_mb
    return share


def read_rates(instance: Instance) -> Rates:
    """Rates (MB/s) at which reduce tasks read; with security the transfer rate from everywhere."""
    security = instance.security
    return instance.cluster.rates if security is None else Rates(*[security.transfer_rate] * 3)


def read_seconds(instance: Instance) -> FloatArray:
    """Time (s/MB) in which a reduce task on one node reads from another, shape (nodes, nodes)."""
    node = np.arange(instance.cluster.nodes)
    seconds: FloatArray = 1.0 / _network(instance, node[:, None], node, read_rates(instance))
    return seconds


def reduce_setups(instance: Instance, map_node: IntArray) -> FloatArray:
    """Setup time (s) of a reduce task of each job on each node, shape (jobs, nodes).

    All reduce tasks of a job read the same amount, so one row serves them all ([LJR], section 4.4).
    """
    cluster, rates = instance.cluster, read_rates(instance)
    by_node = _outputs(instance, map_node, cluster.nodes)
    by_rack = _outputs(instance, cluster.rack_of[map_node], len(cluster.rack_names))
    total, rack = _outputs(instance, np.zeros_like(map_node), 1), by_rack[:, cluster.rack_of]
    far = np.maximum(total - rack, 0) / rates.remote
    near = by_node / rates.node + np.maximum(rack - by_node, 0) / rates.rack + far
    # Nearer data takes no longer, not even by rounding.
    setups: FloatArray = np.minimum(near, np.minimum(rack / rates.rack + far, total / rates.remote))
    return setups


@once
def best_reduce_setups(instance: Instance) -> FloatArray:
    """Setup time (s) of a reduce task of each job if all it reads is local, shape (jobs,)."""
    total = np.bincount(instance.map_job, output_share(instance), instance.jobs)
    setups: FloatArray = total / read_rates(instance).node
    return setups


def _outputs(instance: Instance, place: IntArray, places: int) -> FloatArray:
    """What a reduce task of each job reads from each place (MB), shape (jobs, places).

    `place`: where each map task ran.
    """
    keys = instance.map_job * places + place
    sums = np.bincount(keys, output_share(instance), instance.jobs * places)
    return sums.reshape(instance.jobs, places).astype(np.float64, copy=False)


def _network(instance: Instance, source: IntArray, node: IntArray, rates: Rates) -> FloatArray:
    """Rate (MB/s) at which nodes get data of others, -1 for data from outside the cluster."""
    rack_of = instance.cluster.rack_of
    is_beside = (source >= 0) & (rack_of[source] == rack_of[node])
    beyond = np.where(is_beside, rates.rack, rates.remote)
    return np.where(source == node, rates.node, beyond).astype(np.float64)
