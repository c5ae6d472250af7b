"""YARN's Capacity Scheduler in weight mode: capacity-scheduler.xml, read and written."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement

from ....core.errors import InputError
from ....core.files.hadoop_xml import read_xml, xml_text
from ....core.notices import ImportNotes
from ....core.parameters import importer
from ....core.wording import listed
from ..hierarchy import Hierarchy
from ..plain_tree import Sharing
from ..quotas import TOTAL
from .amounts import MEBIBYTE
from .demands import DemandOptions, SchedulerFile
from .first_shares import full_limits
from .not_written import QUOTAS, not_written, refuse_weight_0
from .queue_tree import Queue, hierarchy_of

PREFIX = "yarn.scheduler.capacity."
CALCULATOR = PREFIX + "resource-calculator"
DOMINANT_CALCULATOR = "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator"
QUEUE_LIMITS = (
    "maximum-capacity",
    "maximum-applications",
    "max-parallel-apps",
    "maximum-am-resource-percent",
    "maximum-allocation-mb",
    "maximum-allocation-vcores",
    "maximum-allocation",
    "minimum-user-limit-percent",
    "user-limit-factor",
    "state",
)
"""Properties of a queue, or of all, that bound what it gets."""

VALUES_WITHOUT_LIMIT = {
    "maximum-capacity": ("100", "100.0", "-1"),
    "minimum-user-limit-percent": ("100",),
    "user-limit-factor": ("-1", "-1.0"),
    "state": ("RUNNING",),
}
"""Values that bound nothing."""

PERCENTAGE = re.compile(r"[0-9]+\.?[0-9]*")
WEIGHT_PATTERN = re.compile(r"([0-9.]+(?:[eE][-+]?[0-9]+)?)\s*w")


@importer(DemandOptions)
def read_yarn_capacity(path: SchedulerFile, options: DemandOptions) -> tuple[Hierarchy, list[str]]:
    """The queues of a capacity-scheduler.xml; those of a group have weights (`4w`) or percentages.

    With a maximum-capacity below 100, or a queue of 0 %, capacities are guarantees too. A queue of
    0 % is guaranteed nothing and has weight 0.

    Returns
    -------
    Hierarchy
        Queues, weights, demands.
    list of str
        Notes, one sentence each, on what was left out or adjusted.

    Raises
    ------
    InputError
        Absolute resources, a group that mixes both modes, and a weight of 0.
    """
    properties = _properties(path)
    notes = ImportNotes()
    if properties.get(CALCULATOR) != DOMINANT_CALCULATOR:
        notes.add(
            f"{CALCULATOR} is not the DominantResourceCalculator: YARN itself counts memory only"
        )
    if f"{PREFIX}root.queues" not in properties:
        raise InputError(f"{path}: {PREFIX}root.queues is missing")
    root = Queue("root", group=True)
    stack = [(root, "root")]
    read = {CALCULATOR}
    every_queue = _limits(properties, PREFIX, read)
    without_factor: list[str] = []
    empty: list[str] = []
    while stack:
        queue, place = stack.pop()
        read |= {f"{PREFIX}{place}.queues", f"{PREFIX}{place}.capacity"}
        queue.limits += _limits(properties, f"{PREFIX}{place}.", read)
        names = [name.strip() for name in properties[f"{PREFIX}{place}.queues"].split(",")]
        for name, repeated in zip(names, (names[:k] for k in range(len(names))), strict=True):
            if not name or "." in name:
                raise InputError(f"{path}: {PREFIX}{place}.queues: bad queue name {name!r}")
            if name in repeated:
                raise InputError(f"{path}: {PREFIX}{place}.queues: {name!r} is listed twice")
        for name, weight in _weights(path, properties, place, names).items():
            below = f"{place}.{name}"
            if weight == 0:
                empty.append(below.removeprefix("root.").replace(".", "/"))
            group = f"{PREFIX}{below}.queues" in properties
            queue.children.append(Queue(name, weight, group=group))
            if group:
                stack.append((queue.children[-1], below))
            else:
                here = f"{PREFIX}{below}."
                read.add(f"{here}capacity")
                queue.children[-1].limits += _limits(properties, here, read)
                if f"{here}user-limit-factor" not in properties:
                    without_factor.append(below.removeprefix("root."))
    unread = sorted(set(properties) - read)
    if unread:
        notes.add(f"not read: {listed([key.removeprefix(PREFIX) for key in unread])}")
    if empty:
        notes.add(f"0 %, so guaranteed nothing and served from what is idle: {listed(empty)}")
    if without_factor and f"{PREFIX}user-limit-factor" not in properties:
        notes.add(
            "not in the shares: user-limit-factor is 1 unless set, so that one user alone gets no "
            f"more than the queue's own capacity, in {listed(without_factor)}"
        )
    demands = options.in_units(MEBIBYTE)
    _set_quotas(root, demands.capacity, str(path), needed=bool(empty))
    made = hierarchy_of(root, demands, str(path), notes, every_queue, Sharing(TOTAL))
    if full := full_limits(made):
        notes.add(f"binding while all are busy: {listed(full)}")
    return made, notes.lines


def _set_quotas(root: Queue, capacity: Mapping[str, float], file: str, *, needed: bool) -> None:
    """Guarantees and limits of all queues below a root, if one has a maximum, or if `needed`."""
    stack = [(root, "", 1.0, 1.0)]
    found = []
    while stack:
        queue, path, part, most = stack.pop()
        together = sum(child.weight for child in queue.children) or 1.0
        for child in queue.children:
            below = f"{path}/{child.name}" if path else child.name
            share = part * child.weight / together
            mine, own = most, dict(child.limits).get("maximum-capacity", "")
            if PERCENTAGE.fullmatch(own):
                child.limits.remove(("maximum-capacity", own))
                mine = most * min(float(own), 100.0) / 100
                needed = True
                if mine < share * (1 - 1e-9):
                    raise InputError(
                        f"{file}: {below}: maximum-capacity {own} is {100 * mine:g} % of the "
                        f"cluster, less than its capacity of {100 * share:g} %"
                    )
            found.append((child, share, mine))
            stack.append((child, below, share, mine))
    for queue, share, mine in found if needed else ():
        if share:
            queue.guarantee = {name: share * amount for name, amount in capacity.items()}
        if mine < 1:
            queue.limit = {name: mine * amount for name, amount in capacity.items()}


def _limits(properties: Mapping[str, str], place: str, read: set[str]) -> list[tuple[str, str]]:
    """Names and amounts of the limits of one queue; they are added to what is `read`."""
    read |= {place + name for name in QUEUE_LIMITS}
    found = [(name, properties.get(place + name, "")) for name in QUEUE_LIMITS]
    return [(name, amount) for name, amount in found if amount and not _is_none(name, amount)]


def _is_none(name: str, amount: str) -> bool:
    return amount.upper() in VALUES_WITHOUT_LIMIT.get(name, ())


def _properties(path: str | Path) -> dict[str, str]:
    properties: dict[str, str] = {}
    for element in read_xml(path, "configuration").iter("property"):
        name = (element.findtext("name") or "").strip()
        if not name:
            raise InputError(f"{path}: a property without a name")
        properties[name] = (element.findtext("value") or "").strip()
    return properties


def _weights(
    path: str | Path, properties: Mapping[str, str], place: str, names: list[str]
) -> dict[str, float]:
    """Weight of each queue of a group; percentages of one sum serve as weights too."""
    weights, modes = {}, {}
    for name in names:
        key = f"{PREFIX}{place}.{name}.capacity"
        text = properties.get(key, "")
        weight = WEIGHT_PATTERN.fullmatch(text)
        if text.startswith("["):
            raise InputError(f"{path}: {key}: absolute resources {text!r} are no weights")
        try:
            weights[name] = float(weight.group(1) if weight else text)
        except ValueError:
            raise InputError(
                f"{path}: {key}: need a weight such as 4w, or a percentage, got {text!r}"
            ) from None
        if not weights[name] >= 0 or (weight and not weights[name]):
            raise InputError(f"{path}: {key}: must be > 0, got {text!r}")
        modes["weight" if weight else "percentage"] = key
    if len(modes) > 1:
        raise InputError(f"{path}: {place}: queues with weights beside queues with percentages")
    if "percentage" in modes and abs(sum(weights.values()) - 100) > 0.01:
        raise InputError(
            f"{path}: {place}: the capacities of its queues sum to {sum(weights.values()):g}, "
            "not to 100"
        )
    return weights


def yarn_capacity_queues(hierarchy: Hierarchy) -> tuple[str, list[str]]:
    """The content of a capacity-scheduler.xml in weight mode.

    Parameters
    ----------
    hierarchy
        Queues and weights.

    Returns
    -------
    str
        The file.
    list of str
        Notes for the operator, one sentence each.

    Raises
    ------
    InputError
        A name has a `.`, a `,` or white space, or a group has no queue.
    """
    refuse_weight_0(hierarchy, "YARN's weight mode")
    root = Element("configuration")
    children: dict[int, list[str]] = {0: []}
    leaf = set(hierarchy.leaf.tolist())
    for n in range(1, hierarchy.nodes):
        name = hierarchy.names[n]
        if re.search(r"[.,\s]", name):
            raise InputError(
                f"node {hierarchy.path(n)!r}: YARN queue names hold no '.', ',' or white space"
            )
        children[int(hierarchy.parent[n])].append(name)
        if n not in leaf:
            children[n] = []
    _property(root, CALCULATOR, DOMINANT_CALCULATOR)
    for n, path in enumerate(hierarchy.node_paths):
        place = ".".join(["root", *path.split("/")]) if n else "root"
        if n:
            _property(root, f"{PREFIX}{place}.capacity", f"{float(hierarchy.weight[n])!r}w")
        if n in children:
            if not children[n]:
                raise InputError(f"node {hierarchy.path(n)!r}: YARN needs a queue in each group")
            _property(root, f"{PREFIX}{place}.queues", ",".join(children[n]))
    return xml_text(root), [
        "yarn.resourcemanager.scheduler.class must be the CapacityScheduler",
        *not_written(hierarchy, QUOTAS),
    ]


def _property(root: Element, name: str, value: str) -> None:
    element = SubElement(root, "property")
    SubElement(element, "name").text = name
    SubElement(element, "value").text = value
