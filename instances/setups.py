"""Setup times: what a task waits for its data, given where it and its data are."""

from __future__ import annotations

import numpy as np

from .mapreduce import FloatArray, Instance, IntArray


def replica_rates(instance: Instance) -> FloatArray:
    """Best rate (MB/s) at which each node reads each map task's input: (map_tasks, nodes)."""
    cluster = instance.cluster
    rates = np.full((instance.map_tasks, cluster.nodes), cluster.rates.remote)
    task = np.repeat(np.arange(instance.map_tasks), np.diff(instance.replica_offsets))
    in_rack = np.zeros((instance.map_tasks, len(cluster.rack_names)), dtype=bool)
    in_rack[task, cluster.rack_of[instance.replicas]] = True
    rates[in_rack[:, cluster.rack_of]] = cluster.rates.rack
    rates[task, instance.replicas] = cluster.rates.node
    return rates


def map_setup_matrix(instance: Instance) -> FloatArray:
    """Setup in s of each map task on each node, shape (map_tasks, nodes). For small instances."""
    return instance.input_mb[:, None] / replica_rates(instance)


def map_setups(instance: Instance, node: IntArray) -> FloatArray:
    """Setup in s of each map task on the node it is assigned to, shape (map_tasks,)."""
    cluster = instance.cluster
    copies = np.diff(instance.replica_offsets)
    task = np.repeat(np.arange(instance.map_tasks), copies)
    rate = np.full(instance.map_tasks, cluster.rates.remote)
    same_rack = cluster.rack_of[instance.replicas] == cluster.rack_of[node[task]]
    rate[task[same_rack]] = cluster.rates.rack
    rate[task[instance.replicas == node[task]]] = cluster.rates.node
    setups: FloatArray = instance.input_mb / rate
    return setups


def best_map_setups(instance: Instance) -> FloatArray:
    """Least setup in s of each map task over all nodes with a map slot, shape (map_tasks,)."""
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


def output_share(instance: Instance) -> FloatArray:
    """MB that each map task leaves for each single reduce task of its job, shape (map_tasks,)."""
    reduces = np.maximum(instance.reduces_of, 1)
    share: FloatArray = (instance.output_ratio / reduces)[instance.map_job] * instance.input_mb
    return share


def reduce_setups(instance: Instance, map_node: IntArray) -> FloatArray:
    """Setup in s of a reduce task of each job on each node, shape (jobs, nodes).

    `map_node` is the node that ran each map task. All reduce tasks of a job read the same amount,
    so one row serves them all (LJR section 4.4).
    """
    cluster, rates = instance.cluster, instance.cluster.rates
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


def best_reduce_setups(instance: Instance) -> FloatArray:
    """Setup in s of a reduce task of each job when all it reads is local, shape (jobs,)."""
    total = np.zeros(instance.jobs)
    np.add.at(total, instance.map_job, output_share(instance))
    return total / instance.cluster.rates.node
