"""Hosts of a Hadoop history, the racks they stand in and the slots they have."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ....core.arrays import IntArray
from ....core.wording import plural
from ...hadoop.records import Place
from ...hadoop.rumen_file import read_topology
from ..run import UNKNOWN, Executor
from ..slots import most_at_once

_NODE, _RACK, _ANY = 1, 2, 3


class Hosts:
    """Racks of hosts, and which hosts run tasks: those of a topology, and where attempts ran.

    Raises `InputError` if the topology's file cannot be used.
    """

    def __init__(self, topology: str | Path | None = None) -> None:
        self.racks: dict[str, str | None] = {}
        self.running: dict[str, None] = {}
        for place in () if topology is None else read_topology(topology):
            self.add(place, runs=True)

    def add(self, place: Place, *, runs: bool = False) -> None:
        """Add a place; the first rack of a host counts."""
        rack, host = place
        self.racks[host] = self.racks.get(host) or rack
        if runs:
            self.running.setdefault(host)

    def locality(self, place: Place | None, replicas: Sequence[Place]) -> int:
        """How far an attempt ran from its input, as `Attempts.metrics` has it."""
        if place is None or not replicas:
            return UNKNOWN
        rack, host = place
        if any(host == other for _, other in replicas):
            return _NODE
        rack = rack or self.racks.get(host)
        racks = [known or self.racks.get(other) for known, other in replicas]
        if rack is not None and rack in racks:
            return _RACK
        return UNKNOWN if rack is None or None in racks else _ANY


@dataclass(frozen=True)
class Executors:
    """One executor for every host and pool, and which of them ran each attempt."""

    executors: tuple[Executor, ...]
    of_attempt: IntArray
    note: str


def executors_of(
    hosts: Hosts,
    pools: Sequence[str],
    given: Sequence[int | None],
    where: Sequence[tuple[str, int]],
    times: tuple[IntArray, IntArray],
) -> Executors:
    """The executors of a history.

    `given`: slots of every host by pool, None for what the history shows: the most attempts at once
    on any host. `where`: host and pool of each attempt. `times`: their starts and ends.
    """
    start, end = times
    rows_of: dict[tuple[str, int], list[int]] = defaultdict(list)
    for row, place in enumerate(where):
        rows_of[place].append(row)
    shown = [1] * len(pools)
    for (host, pool), rows in rows_of.items():
        if host:
            shown[pool] = max(shown[pool], most_at_once(start[rows], end[rows]))
    slots = [most if chosen is None else chosen for chosen, most in zip(given, shown, strict=True)]
    executors: list[Executor] = []
    of_attempt = np.full(len(where), UNKNOWN, dtype=np.int64)
    for host in hosts.running:
        for pool, name in enumerate(pools):
            of_attempt[rows_of[host, pool]] = len(executors)
            called = host if len(pools) == 1 else f"{host} {name}"
            executors.append(
                Executor(called, host, pool, slots[pool], rack=hosts.racks[host] or "")
            )
    counts = ", ".join(f"{count} {name}" for count, name in zip(slots, pools, strict=True))
    most = ", ".join(f"{count} {name}" for count, name in zip(shown, pools, strict=True))
    note = f"slots of each of {plural(len(hosts.running), 'host')}: {counts}"
    if shown != slots:
        note += f"; the most at once on one host: {most}"
    if idle := len(hosts.racks) - len(hosts.running):
        note += f"; {plural(idle, 'more host')} with data alone: a topology says if they have slots"
    return Executors(tuple(executors), of_attempt, note)
