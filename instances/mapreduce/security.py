"""Security and outages (SMSO section III): which slots may run a task, what moving data costs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ..arrays import BoolArray, LevelArray
from ..errors import InputError
from ..limits import LEAST, MOST, bounds_of
from .cluster import Cluster

ENCRYPTED, SAME_NODE, PLAIN = -1, 0, 1
"""Security levels h of moving data: only encrypted, not at all (same node), as it is."""


@dataclass(frozen=True, eq=False)
class Security:
    """Priorities of tasks on slots, and the security levels of moving data between nodes and slots.

    `priorities` (map_tasks, map_slots): whether the task may run on the slot, l of the paper.
    `levels` (nodes, map_slots): level of moving data of a node to a slot, h of the paper, which has
    a row per slot; data belongs to the node, so all slots of a node have one row. -1: encrypted,
    1: as it is, 0 exactly where the slot is on the node. Rates in MB/s: `transfer_rate` is tau_t,
    `encryption_rate` tau_e.
    """

    priorities: BoolArray
    levels: LevelArray
    transfer_rate: float = 100.0
    encryption_rate: float = 50.0

    def need_fit(self, cluster: Cluster, map_tasks: int) -> None:
        """Raise `InputError` unless shapes and values suit the cluster and the number of tasks."""
        for name, rate in (
            ("transfer_rate", self.transfer_rate),
            ("encryption_rate", self.encryption_rate),
        ):
            if not LEAST <= rate <= MOST:
                need = f"must be finite and > 0, got {rate}{bounds_of(rate)}"
                raise InputError(f"security, {name}: {need}")
        slots = len(cluster.map_slot_node)
        for what, values, rows, row in (
            ("priorities", self.priorities, map_tasks, "map tasks"),
            ("levels", self.levels, cluster.nodes, "nodes"),
        ):
            if values.shape != (rows, slots):
                raise InputError(
                    f"security, {what}: need {rows} {row} x {slots} map slots, "
                    f"got {' x '.join(map(str, values.shape))}"
                )
        here = np.arange(cluster.nodes)[:, None] == cluster.map_slot_node
        wrong = (np.abs(self.levels) > 1) | ((self.levels == SAME_NODE) != here)
        for node, slot in np.argwhere(wrong)[:1]:
            need = "0 on its own node" if here[node, slot] else "-1 or 1"
            raise InputError(
                f"security, levels, node {cluster.node_names[node]!r}, map slot {slot}: "
                f"must be {need}, got {self.levels[node, slot]}"
            )


@dataclass(frozen=True, eq=False)
class Outages:
    """Slots lost before the start: `map` of shape (map slots,), `reduce` of shape (reduce slots,).

    A lost slot runs nothing; the data on its node can still be read.
    """

    map: BoolArray
    reduce: BoolArray

    @classmethod
    def of_nodes(cls, cluster: Cluster, nodes: Iterable[int]) -> Outages:
        """All slots of these nodes (indices) are lost."""
        lost = np.zeros(cluster.nodes, dtype=bool)
        lost[np.fromiter(nodes, dtype=np.int64)] = True
        return cls(lost[cluster.map_slot_node], lost[cluster.reduce_slot_node])

    def need_fit(self, cluster: Cluster) -> None:
        """Raise `InputError` unless the shapes suit the cluster."""
        for phase, lost, slots in (
            ("map", self.map, len(cluster.map_slot_node)),
            ("reduce", self.reduce, len(cluster.reduce_slot_node)),
        ):
            if lost.shape != (slots,):
                raise InputError(f"outages, {phase}: need {slots} slots, got {lost.shape}")
