"""Security and outages ([SMSO], section III): eligible slots, and the cost of moving data."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ...core.arrays import BoolArray, LevelArray
from ...core.calls import check_fields
from ...core.errors import InputError
from ...core.values import ByValue
from ..array_checks import check_arrays
from ..limits import LEAST, MOST, bounds_of
from .cluster import Cluster

ENCRYPTED, SAME_NODE, PLAIN = -1, 0, 1
"""Security levels h of moving data: only encrypted, not at all (same node), unencrypted."""


@dataclass(frozen=True, eq=False)
class Security(ByValue):
    """Priorities of tasks on slots, and security levels of moving data from nodes to slots.

    Parameters
    ----------
    priorities
        Whether a task may run on a slot (l of the paper), shape (map_tasks, map_slots).
    levels
        Level of moving data of a node to a slot (h of the paper), shape (nodes, map_slots): -1
        encrypted, 1 unencrypted, 0 exactly where the slot is on the node. The paper has a row per
        slot; here all slots of a node share one, because data belongs to the node.
    transfer_rate
        tau_t of the paper (MB/s).
    encryption_rate
        tau_e of the paper (MB/s).
    """

    priorities: BoolArray
    levels: LevelArray
    transfer_rate: float = 100.0
    encryption_rate: float = 50.0

    def check_fit(self, cluster: Cluster, map_tasks: int) -> None:
        """Raise `InputError` unless shapes and values suit the cluster and the tasks."""
        check_fields("security", self)
        for name, rate in (
            ("transfer_rate", self.transfer_rate),
            ("encryption_rate", self.encryption_rate),
        ):
            if not LEAST <= rate <= MOST:
                need = f"must be finite and > 0, got {rate}{bounds_of(rate)}"
                raise InputError(f"security, {name}: {need}")
        slots = len(cluster.map_slot_node)
        check_arrays(self, "security, ", np.bool_, priorities=(map_tasks, slots))
        check_arrays(self, "security, ", np.int8, levels=(cluster.nodes, slots))
        own = np.arange(cluster.nodes)[:, None] == cluster.map_slot_node
        wrong = (np.abs(self.levels) > 1) | ((self.levels == SAME_NODE) != own)
        for node, slot in np.argwhere(wrong)[:1]:
            need = "0 on its own node" if own[node, slot] else "-1 or 1"
            raise InputError(
                f"security, levels, node {cluster.node_names[node]!r}, map slot {slot}: "
                f"must be {need}, got {self.levels[node, slot]}"
            )


@dataclass(frozen=True, eq=False)
class Outages(ByValue):
    """Slots that are lost before the start. A lost slot runs nothing; its node's data can be read.

    Parameters
    ----------
    map
        Which map slots are lost, shape (map_slots,).
    reduce
        Which reduce slots are lost, shape (reduce_slots,).
    """

    map: BoolArray
    reduce: BoolArray

    @classmethod
    def of_nodes(cls, cluster: Cluster, nodes: Iterable[int]) -> Outages:
        """The outages in which all slots of some nodes, given by number, are lost."""
        lost = np.zeros(cluster.nodes, dtype=bool)
        lost[np.fromiter(nodes, dtype=np.int64)] = True
        return cls(lost[cluster.map_slot_node], lost[cluster.reduce_slot_node])

    def check_fit(self, cluster: Cluster) -> None:
        """Raise `InputError` unless the shapes suit the cluster."""
        maps, reduces = len(cluster.map_slot_node), len(cluster.reduce_slot_node)
        check_arrays(self, "outages, ", np.bool_, map=(maps,), reduce=(reduces,))
