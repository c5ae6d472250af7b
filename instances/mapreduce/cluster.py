"""Clusters: nodes in racks, their slots, and the transfer rates between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from ...core.arrays import IntArray
from ...core.calls import check_fields, checked
from ...core.errors import InputError
from ...core.values import ByValue
from ..array_checks import check_arrays
from ..limits import LEAST, MOST, MOST_NAMED, MOST_SLOTS
from ..views import Tabular


@dataclass(frozen=True)
class Rates:
    """Transfer rates (MB/s).

    Parameters
    ----------
    node
        On the same node (f_d of [LJR]).
    rack
        Within a rack (f_r).
    remote
        Between racks (f_n).
    """

    node: float = 100.0
    rack: float = 50.0
    remote: float = 30.0

    def __post_init__(self) -> None:
        check_fields("rates", self)
        if not (np.isfinite(self.node) and self.node >= self.rack >= self.remote > 0):
            raise InputError(
                "rates: need node >= rack >= remote > 0, "
                f"got node {self.node}, rack {self.rack}, remote {self.remote}"
            )
        if self.remote < LEAST or self.node > MOST:
            raise InputError(f"rates: must be from {LEAST:g} to {MOST:g} MB/s")


@dataclass(frozen=True, eq=False)
class Cluster(Tabular, ByValue):
    """Nodes in racks. Arrays have one entry per node, in the order of the file.

    Parameters
    ----------
    node_names
        Names of the nodes.
    rack_names
        Names of the racks.
    rack_of
        Rack of each node, shape (nodes,).
    map_slots
        Map slots of each node, shape (nodes,).
    reduce_slots
        Reduce slots of each node, shape (nodes,).
    rates
        Transfer rates.
    """

    node_names: tuple[str, ...]
    rack_names: tuple[str, ...]
    rack_of: IntArray
    map_slots: IntArray
    reduce_slots: IntArray
    rates: Rates = field(default_factory=Rates)

    def __post_init__(self) -> None:
        check_fields("cluster", self)
        for name in ("node", "rack"):
            names = checked_names(f"cluster: {name} name", getattr(self, f"{name}_names"))
            object.__setattr__(self, f"{name}_names", names)
        shape = (self.nodes,)
        check_arrays(
            self, "cluster, ", np.int64, rack_of=shape, map_slots=shape, reduce_slots=shape
        )
        racks = len(self.rack_names)
        for node in np.flatnonzero((self.rack_of < 0) | (self.rack_of >= racks))[:1]:
            raise InputError(
                f"node {self.node_names[node]!r}, rack_of: rack {self.rack_of[node]}, "
                f"there are {racks}"
            )
        for name, slots in (("map_slots", self.map_slots), ("reduce_slots", self.reduce_slots)):
            for node in np.flatnonzero(slots < 0)[:1]:
                raise InputError(
                    f"node {self.node_names[node]!r}, {name}: must be >= 0, got {slots[node]}"
                )
            if slots.sum(dtype=float) > MOST_SLOTS:
                raise InputError(f"cluster, {name}: more than {MOST_SLOTS} together")

    @classmethod
    @checked
    def uniform(
        cls,
        nodes: int,
        *,
        racks: int = 1,
        map_slots: int = 2,
        reduce_slots: int = 1,
        rates: Rates | None = None,
    ) -> Cluster:
        """Make a cluster of equal nodes `n0, n1, …` in racks `r0, r1, …` of nearly equal size.

        Racks have consecutive nodes; rates are those of `Rates()` if None.
        Raises `InputError` if a number is out of range.
        """
        if nodes > MOST_NAMED:
            raise InputError(f"nodes: must be at most {MOST_NAMED}, got {nodes}")
        for name, slots in (("map_slots", map_slots), ("reduce_slots", reduce_slots)):
            if nodes * slots > MOST_SLOTS:
                raise InputError(
                    f"{name}: must be at most {MOST_SLOTS} on all nodes, got {slots} on each of "
                    f"{nodes}"
                )
        if not 1 <= racks <= nodes:
            raise InputError(f"cluster: need 1 <= racks <= nodes, got {racks} racks, {nodes} nodes")
        return cls(
            node_names=tuple(f"n{k}" for k in range(nodes)),
            rack_names=tuple(f"r{k}" for k in range(racks)),
            rack_of=np.arange(nodes, dtype=np.int64) * racks // nodes,
            map_slots=np.full(nodes, map_slots, dtype=np.int64),
            reduce_slots=np.full(nodes, reduce_slots, dtype=np.int64),
            rates=rates or Rates(),
        )

    def __repr__(self) -> str:
        return (
            f"Cluster({self.nodes} nodes in {len(self.rack_names)} racks, "
            f"{int(self.map_slots.sum())} map and {int(self.reduce_slots.sum())} reduce slots)"
        )

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return len(self.node_names)

    @cached_property
    def node_index(self) -> dict[str, int]:
        """Number of each node by name."""
        return {name: k for k, name in enumerate(self.node_names)}

    @cached_property
    def map_slot_node(self) -> IntArray:
        """Node of each map slot, shape (map_slots,); slots are numbered node by node."""
        return np.repeat(np.arange(self.nodes), self.map_slots)

    @cached_property
    def reduce_slot_node(self) -> IntArray:
        """Node of each reduce slot, shape (reduce_slots,)."""
        return np.repeat(np.arange(self.nodes), self.reduce_slots)

    def rate_between(self, a: int, b: int) -> float:
        """Rate (MB/s) at which node a reads data stored on node b."""
        if a == b:
            return self.rates.node
        return self.rates.rack if self.rack_of[a] == self.rack_of[b] else self.rates.remote


def checked_names(what: str, names: Sequence[str]) -> tuple[str, ...]:
    """Names that are words, each used once. Raises `InputError`; the message begins with `what`."""
    seen: set[str] = set()
    for name in names:
        if not isinstance(name, str) or not name:
            raise InputError(f"{what}: needs a word, got {name!r}")
        if name in seen:
            raise InputError(f"{what} {name!r} is used twice")
        seen.add(name)
    return tuple(names)
