"""The cluster that a Rumen trace shows: hosts, racks, slots."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from ....core.wording import listed, plural
from ...importer_options import ImportNotes
from ..cluster import Cluster, Rates
from .rumen_file import JobRecord, Place, TaskRecord

UNKNOWN_RACK = "unknown"


def cluster_of(
    jobs: Sequence[JobRecord],
    topology: Sequence[Place],
    slots: tuple[int, int],
    rates: Rates,
    notes: ImportNotes,
) -> Cluster:
    """Make the cluster that a Rumen trace shows.

    The nodes are the hosts of the topology in its order, then those that only the trace names, by
    rack and name. A host is identified by its last name, because the trace spells it with its rack
    or without.
    """
    rack_of: dict[str, str | None] = {}
    contradicted: set[str] = set()
    for rack, host in [*topology, *_places(jobs)]:
        known = rack_of.setdefault(host, rack)
        if known is None:
            rack_of[host] = rack
        elif rack is not None and rack != known:
            contradicted.add(host)
    hosts_listed = list(dict.fromkeys(host for _, host in topology))
    added = set(rack_of).difference(hosts_listed)
    if topology and added:
        notes.add(
            f"{plural(len(added), 'host')} of the trace not in the topology: added to the cluster "
            f"({listed(sorted(added))})"
        )
    if contradicted:
        notes.add(
            f"{plural(len(contradicted), 'host')} with more than one rack: the first one counts "
            f"({listed(sorted(contradicted))})"
        )
    lost = sorted(host for host, rack in rack_of.items() if rack is None)
    if lost:
        notes.add(
            f"{plural(len(lost), 'host')} of unknown rack: put together into rack "
            f"{UNKNOWN_RACK!r} ({listed(lost)})"
        )
    racks_of_hosts = {host: rack or UNKNOWN_RACK for host, rack in rack_of.items()}
    hosts = hosts_listed + sorted(added, key=lambda host: (racks_of_hosts[host], host))
    racks = {rack: k for k, rack in enumerate(dict.fromkeys(racks_of_hosts[h] for h in hosts))}
    return Cluster(
        node_names=tuple(hosts),
        rack_names=tuple(racks),
        rack_of=np.array([racks[racks_of_hosts[host]] for host in hosts], dtype=np.int64),
        map_slots=np.full(len(hosts), slots[0], dtype=np.int64),
        reduce_slots=np.full(len(hosts), slots[1], dtype=np.int64),
        rates=rates,
    )


def slots_seen(jobs: Iterable[JobRecord]) -> tuple[int, int]:
    """Most map and most reduce attempts that any host ran at once, at least 1.

    All attempts count, also failed ones and those of setup and cleanup tasks: each held a slot. One
    that starts when another ends takes over its slot.
    """
    changes: dict[tuple[bool, str], list[tuple[int, int]]] = defaultdict(list)
    for job in jobs:
        for task in job.tasks():
            for attempt in task.attempts or []:
                place, start, finish = attempt.place(), attempt.startTime, attempt.finishTime
                if place and start is not None and finish is not None and start < finish:
                    changes[_on_reduce_slot(task), place[1]] += [(start, 1), (finish, -1)]
    most = {False: 1, True: 1}
    for (reduce, _), times in changes.items():
        running = 0
        for _, change in sorted(times):
            running += change
            most[reduce] = max(most[reduce], running)
    return most[False], most[True]


def _on_reduce_slot(task: TaskRecord) -> bool:
    """Setup and cleanup tasks run on either kind of slot; their name tells which."""
    return task.taskType == "REDUCE" or "_r_" in (task.taskID or "")


def _places(jobs: Iterable[JobRecord]) -> Iterator[Place]:
    for job in jobs:
        for task in job.tasks():
            yield from task.replicas()
            for attempt in task.attempts or []:
                if place := attempt.place():
                    yield place
