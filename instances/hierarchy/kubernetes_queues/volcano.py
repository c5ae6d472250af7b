"""Volcano: Queue manifests, read as the plugins proportion, capacity or drf take them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ....core.errors import InputError
from ....core.files.json_files import shown
from ....core.files.quantities import quantity
from ....core.notices import ImportNotes
from ....core.parameters import importer, parameter
from ....core.wording import listed
from ...kubernetes import part, read_manifests, whole, word
from ..hierarchy import Hierarchy
from ..plain_tree import Sharing
from ..quotas import DOMINANT, EACH, TOTAL
from ..schedulers.amounts import name_in
from ..schedulers.demands import DemandOptions, Demands, SchedulerFiles, source_of
from ..schedulers.queue_tree import Queue, hierarchy_of, walk

PLUGIN_LINE = re.compile(r"^\s*-\s*name:\s*[\"']?([\w-]+)", re.MULTILINE)
"""A plugin in the configuration of Volcano's scheduler."""

PLUGINS = ("proportion", "capacity", "drf")

PATH = "volcano.sh/hierarchy"
WEIGHTS = "volcano.sh/hierarchy-weights"
"""Annotations of the plugin drf: `root/eng/dev` and `1/2/3`."""


@dataclass(frozen=True)
class VolcanoOptions(DemandOptions):
    """How Volcano's queues are read."""

    plugin: str = parameter(
        "", f"The plugin that divides: {', '.join(PLUGINS)}; by default by what the queues say."
    )


@importer(VolcanoOptions)
def read_volcano(path: SchedulerFiles, options: VolcanoOptions) -> tuple[Hierarchy, list[str]]:
    """The Queues of files, and of all .yaml and .yml files of folders.

    With `proportion` weights divide everything, `capability` is a limit, and `guarantee` a
    guarantee that nobody else may use. With `capacity` a queue is guaranteed what it deserves,
    which is its weight as well, and what lies in `guarantee` is reserved. With `drf` the tree is
    that of the annotations.

    Returns
    -------
    Hierarchy
        Queues, weights, guarantees, limits, demands.
    list of str
        Notes, one sentence each, on what was left out or adjusted.

    Raises
    ------
    InputError
        If there are no queues, for an unknown plugin or parent, and for wrong amounts.
    """
    source, notes = source_of(path), ImportNotes()
    documents = read_manifests(path)
    queues = _queues(documents, source)
    configured = _configured(documents)
    plugin = options.plugin or configured or _plugin(queues)
    if plugin not in PLUGINS:
        raise InputError(f"plugin: choose from {', '.join(PLUGINS)}, got {plugin!r}")
    if not options.plugin:
        why = ", which the scheduler's ConfigMap enables" if configured else ""
        notes.add(f"read as the plugin {plugin} takes them{why} (--plugin says otherwise)")
    given = options.in_units()
    root = Queue("root", group=True)
    if plugin == "drf":
        _by_annotations(queues, root, source)
    else:
        _by_parents(queues, root, given, plugin, notes, source)
    shares = DOMINANT if plugin == "drf" else EACH
    return hierarchy_of(root, given, source, notes, sharing=Sharing(TOTAL, shares)), notes.lines


def _queues(documents: list[dict[str, Any]], source: str) -> dict[str, Mapping[str, Any]]:
    found: dict[str, Mapping[str, Any]] = {}
    for document in documents:
        if document["kind"] != "Queue":
            continue
        name = word(part(document, "metadata", source), "name", f"{source}: Queue, metadata")
        if not name:
            raise InputError(f"{source}: a Queue without a name")
        if name in found:
            raise InputError(f"{source}: Queue {name!r}: defined twice")
        found[name] = document
    root = found.pop("root", None)
    if not found:
        raise InputError(f"{source}: no Queue {'but root ' if root else ''}in it")
    return found


def _configured(documents: list[dict[str, Any]]) -> str:
    """The plugin that a scheduler's ConfigMap enables, empty if there is none that says so."""
    for document in documents:
        data = document.get("data")
        if document["kind"] != "ConfigMap" or not isinstance(data, Mapping):
            continue
        for text in data.values():
            if not (isinstance(text, str) and "tiers" in text and "plugins" in text):
                continue
            enabled = _enabled(text)
            if "drf" in enabled and re.search(r"enableHierarchy:\s*true", text):
                return "drf"
            for plugin in ("capacity", "proportion"):
                if plugin in enabled:
                    return plugin
    return ""


def _enabled(text: str) -> set[str]:
    """Names of the plugins of a scheduler's configuration."""
    return {match[1] for match in PLUGIN_LINE.finditer(text)}


def _plugin(queues: Mapping[str, Mapping[str, Any]]) -> str:
    """The plugin that the queues are written for."""
    specs = [queue.get("spec") or {} for queue in queues.values()]
    if any("parent" in spec or "deserved" in spec for spec in specs):
        return "capacity"
    marked = [(queue.get("metadata") or {}).get("annotations") or {} for queue in queues.values()]
    return "drf" if any(PATH in annotations for annotations in marked) else "proportion"


def _by_parents(
    queues: Mapping[str, Mapping[str, Any]],
    root: Queue,
    given: Demands,
    plugin: str,
    notes: ImportNotes,
    source: str,
) -> None:
    """Queues below the parents that they name, with the plugin capacity; else below the root."""
    made: dict[str, Queue] = {}
    without: list[str] = []
    for name, document in queues.items():
        where = f"{source}: Queue {name!r}"
        spec = part(document, "spec", where)
        queue = made[name] = Queue(name)
        kept = _amounts(
            queue, part(spec, "guarantee", where).get("resource"), f"{where}, guarantee", given
        )
        queue.limit = _amounts(queue, spec.get("capability"), f"{where}, capability", given)
        queue.reserve, queue.guarantee = kept, dict(kept)
        priority = whole(spec.get("priority", 0), f"{where}, priority")
        if plugin == "proportion":
            queue.weight = quantity(spec.get("weight", 1), f"{where}, weight")
            continue
        deserved = _amounts(queue, spec.get("deserved"), f"{where}, deserved", given)
        for resource, amount in deserved.items():
            queue.guarantee[resource] = max(amount, kept.get(resource, 0.0))
        for resource, limit in queue.limit.items():
            if resource in queue.guarantee:
                queue.guarantee[resource] = min(queue.guarantee[resource], limit)
        # A queue that deserves nothing goes before those above what they deserve.
        queue.priority = 2 * priority + (not deserved)
        if deserved:
            parts = (amount / given.capacity[name] for name, amount in deserved.items())
            queue.weight = max(parts)
        else:
            without.append(name)
    for name, document in queues.items():
        spec = part(document, "spec", f"{source}: Queue {name!r}")
        above = word(spec, "parent", f"{source}: Queue {name!r}") if plugin == "capacity" else ""
        if above and above != "root" and above not in made:
            raise InputError(f"{source}: Queue {name!r}, parent: there is no queue {above!r}")
        parent = made[above] if above and above != "root" else root
        parent.children.append(made[name])
    reached = {id(queue) for queue, _, _ in walk(root)}
    for name, queue in made.items():
        if id(queue) not in reached:
            raise InputError(f"{source}: Queue {name!r}, parent: its parents are a circle")
    if without:
        notes.add(
            f"they deserve nothing, and go before all that have more than they deserve: "
            f"{listed(without)}"
        )


def _by_annotations(queues: Mapping[str, Mapping[str, Any]], root: Queue, source: str) -> None:
    """The tree of the plugin drf: each leaf names its whole path and the weights on it."""
    for name, document in queues.items():
        annotations = part(
            part(document, "metadata", source), "annotations", f"{source}: Queue {name!r}"
        )
        path = word(annotations, PATH, f"{source}: Queue {name!r}") or f"root/{name}"
        weights = word(annotations, WEIGHTS, f"{source}: Queue {name!r}") or "/".join(
            "1" for _ in path.split("/")
        )
        steps, numbers = path.split("/"), weights.split("/")
        if steps[0] != "root" or len(steps) < 2 or len(steps) != len(numbers):
            raise InputError(
                f"{source}: Queue {name!r}, {PATH}: need root/… and as many weights, "
                f"got {path!r} and {weights!r}"
            )
        here = root
        for step, number in zip(steps[1:], numbers[1:], strict=True):
            weight = max(1.0, quantity(number, f"{source}: Queue {name!r}, {WEIGHTS}"))
            below = next((queue for queue in here.children if queue.name == step), None)
            if below is None:
                below = Queue(step, weight)
                here.children.append(below)
            here = below
        spec = part(document, "spec", f"{source}: Queue {name!r}")
        here.limits += [
            (f"{what} of {name}", shown(spec[what]))
            for what in ("guarantee", "deserved", "capability")
            if spec.get(what)
        ]


def _amounts(queue: Queue, amounts: object, where: str, given: Demands) -> dict[str, float]:
    """Amounts by the names of the capacity; those of other resources stay in words."""
    if amounts is None:
        return {}
    if not isinstance(amounts, Mapping):
        raise InputError(f"{where}: need amounts by resource")
    found: dict[str, float] = {}
    for resource, amount in amounts.items():
        name = name_in(given.capacity, str(resource))
        if name is not None:
            found[name] = quantity(amount, f"{where}, {resource}")
        elif quantity(amount, f"{where}, {resource}"):
            queue.limits.append((f"{where.rsplit(', ', 1)[-1]} of {resource}", f"{amount}"))
    return found
