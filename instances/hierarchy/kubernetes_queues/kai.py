"""KAI: Queue manifests with quota, limit and weight per resource, read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ....core.errors import InputError
from ....core.notices import ImportNotes
from ....core.parameters import importer
from ....core.wording import listed
from ...kubernetes import part, read_manifests, whole, word
from ..hierarchy import Hierarchy
from ..plain_tree import Sharing
from ..quotas import ABOVE, EACH
from ..schedulers.amounts import name_in
from ..schedulers.demands import DemandOptions, Demands, SchedulerFiles, source_of
from ..schedulers.queue_tree import Queue, hierarchy_of

UNITS = {"cpu": 1e-3, "memory": 1e6, "gpu": 1.0}
"""KAI counts thousandths of a CPU and millions of bytes."""

ALL = -1.0
"""In place of a quota or a limit: as much as there is."""


@importer(DemandOptions)
def read_kai(path: SchedulerFiles, options: DemandOptions) -> tuple[Hierarchy, list[str]]:
    """The Queues of files, and of all .yaml and .yml files of folders.

    Weights divide what lies above the quotas, each resource for itself; queues of a higher priority
    take it first. A quota of -1 is all there is, a limit of -1 none; what is not said is 0, also a
    limit.

    Returns
    -------
    Hierarchy
        Queues, weights, quotas, limits, demands.
    list of str
        Notes, one sentence each, on what was left out or adjusted.

    Raises
    ------
    InputError
        If there are no queues, for an unknown parent, and for wrong amounts.
    """
    source, notes = source_of(path), ImportNotes()
    given = options.in_units()
    made: dict[str, Queue] = {}
    above: dict[str, str] = {}
    differ: list[str] = []
    for document in read_manifests(path):
        if document["kind"] != "Queue":
            continue
        name = word(part(document, "metadata", source), "name", f"{source}: Queue, metadata")
        where = f"{source}: Queue {name!r}"
        if not name or name in made:
            raise InputError(f"{where}: {'defined twice' if name else 'has no name'}")
        spec = part(document, "spec", where)
        above[name] = word(spec, "parentQueue", where)
        queue = made[name] = Queue(name)
        queue.priority = whole(spec.get("priority", 0), f"{where}, priority")
        weights = _read_resources(queue, part(spec, "resources", where), where, given)
        queue.weight = next(iter(weights.values()), 0.0)
        if len(set(weights.values())) > 1:
            differ.append(name)
    if not made:
        raise InputError(f"{source}: no Queue in it")
    root = Queue("root", group=True)
    for name, queue in made.items():
        if above[name] and above[name] not in made:
            raise InputError(
                f"{source}: Queue {name!r}, parentQueue: there is no queue {above[name]!r}"
            )
        (made[above[name]] if above[name] else root).children.append(queue)
    _refuse_circles(above, source)
    if differ:
        notes.add(
            f"overQuotaWeight differs between resources, the first is taken: {listed(differ)}"
        )
    return hierarchy_of(root, given, source, notes, sharing=Sharing(ABOVE, EACH)), notes.lines


def _read_resources(
    queue: Queue, resources: Mapping[str, Any], where: str, given: Demands
) -> dict[str, float]:
    """Set quota and limit of a queue; its weights by resource."""
    weights: dict[str, float] = {}
    for resource in ("gpu", "cpu", "memory"):
        name = name_in(given.capacity, resource)
        spec = part(resources, resource, where)
        if name is None:
            queue.limits += [
                (f"{what} of {resource}", f"{spec[what]}")
                for what in ("quota", "limit")
                if spec.get(what) not in (None, 0, ALL)
            ]
            continue
        place = f"{where}, {resource}"
        unit = UNITS[resource]
        quota = _number(spec.get("quota", 0), f"{place}, quota")
        limit = _number(spec.get("limit", 0), f"{place}, limit")
        queue.guarantee[name] = given.capacity[name] if quota == ALL else quota * unit
        if limit != ALL:
            queue.limit[name] = limit * unit
            queue.guarantee[name] = min(queue.guarantee[name], queue.limit[name])
        weights[name] = _number(spec.get("overQuotaWeight", 0), f"{place}, overQuotaWeight")
    return weights


def _number(value: object, where: str) -> float:
    """A number >= 0, or -1."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InputError(f"{where}: need a number, got {value!r}")
    if value < 0 and value != ALL:
        raise InputError(f"{where}: need a number >= 0, or -1, got {value}")
    return float(value)


def _refuse_circles(above: Mapping[str, str], source: str) -> None:
    for name in above:
        seen, up = {name}, above[name]
        while up:
            if up in seen:
                raise InputError(f"{source}: Queue {name!r}, parentQueue: a circle")
            seen.add(up)
            up = above[up]
