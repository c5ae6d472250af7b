"""YARN's Fair Scheduler: fair-scheduler.xml, read and written."""

from __future__ import annotations

import math
import re
from xml.etree.ElementTree import Element, SubElement

from ..advice import kind_hint
from ..errors import InputError
from ..hierarchy.hierarchy import Hierarchy
from ..notices import ImportNotes
from ..parameters import importer
from ..wording import listed
from .demands import DemandOptions, SchedulerFile
from .hadoop_xml import read_xml, xml_text
from .queue_tree import Queue, hierarchy_of

QUEUE_TAGS = ("queue", "pool")
SHARING_POLICIES = ("drf", "fair", "fifo")
IGNORED_ELEMENTS = frozenset(
    {
        "aclAdministerApps",
        "aclAdministerReservations",
        "aclSubmitApps",
        "allowPreemptionFrom",
        "fairSharePreemptionThreshold",
        "fairSharePreemptionTimeout",
        "minSharePreemptionTimeout",
        "reservation",
        "schedulingMode",
    }
)
"""Known elements of a queue that say nothing of its share at rest."""

QUEUE_LIMITS = (
    "minResources",
    "maxResources",
    "maxChildResources",
    "maxRunningApps",
    "maxAMShare",
    "maxContainerAllocation",
    "minMaps",
    "maxMaps",
    "minReduces",
    "maxReduces",
    "maxRunningJobs",
)
"""Elements of a queue, or of a pool of Hadoop 1, that bound what it gets."""

FILE_LIMITS = (
    "queueMaxResourcesDefault",
    "queueMaxAppsDefault",
    "queueMaxAMShareDefault",
    "userMaxAppsDefault",
    "poolMaxJobsDefault",
    "userMaxJobsDefault",
)
"""Elements of the file that bound what all queues, or all users, get."""


@importer(DemandOptions)
def read_yarn_fair(path: SchedulerFile, options: DemandOptions) -> tuple[Hierarchy, list[str]]:
    """The queues of a fair-scheduler.xml.

    Returns
    -------
    Hierarchy
        Queues, weights, demands.
    list of str
        Notes, one sentence each, on what was left out or adjusted.

    Raises
    ------
    InputError
        What YARN would refuse to load, a weight of 0, and Spark's pools.
    """
    document = read_xml(path, "allocations")
    if document.find("pool/minShare") is not None:
        raise InputError(f"{path}: not YARN's{kind_hint('<pool><minShare>')}")
    notes, reader = ImportNotes(), _QueueReader(str(path))
    reader.default = _policy(document, "defaultQueueSchedulingPolicy", reader.where("")) or "fair"
    if reader.default == "fifo":
        raise InputError(f"{path}: defaultQueueSchedulingPolicy: fifo is for leaf queues only")
    tops = [child for child in document if child.tag in QUEUE_TAGS]
    named_root = [child for child in tops if _name(child, reader.where("")) == "root"]
    root = Queue("root", group=True)
    if named_root:
        if len(tops) > 1:
            raise InputError(f"{path}: queue 'root' must have no other queue beside it")
        reader.add_root(root, named_root[0])
    else:
        reader.add_children(root, document, "", reader.default)
    if not root.children:
        raise InputError(
            f"{path}: no queue in it: YARN makes queues as jobs come, there is no tree to share by"
        )
    unread = {child.tag for child in document} - {*QUEUE_TAGS, "user", *FILE_LIMITS}
    unread.discard("defaultQueueSchedulingPolicy")
    if unread:
        notes.add(f"not read: {listed(sorted(unread))}")
    if reader.ignored:
        notes.add(f"not read, of some queues: {listed(sorted(reader.ignored))}")
    if reader.unknown:
        notes.add(f"unknown elements, which YARN ignores too: {listed(sorted(reader.unknown))}")
    if reader.memory_only:
        notes.add(
            "shares are by dominant resource; YARN's policy fair counts memory only, among the "
            f"queues of {listed(reader.memory_only)}"
        )
    if reader.other_leaves:
        notes.add(
            "within a queue jobs share by its own policy, which is not in the shares: "
            f"{listed(reader.other_leaves)}"
        )
    for line in reader.warnings:
        notes.add(line)
    every_queue = _limits(document, FILE_LIMITS)
    for user in document.findall("user"):
        every_queue += [
            (f"{tag} of user {user.get('name', '')}".rstrip(), amount)
            for tag, amount in _limits(user, QUEUE_LIMITS)
        ]
    return hierarchy_of(root, options, str(path), notes, every_queue), notes.lines


class _QueueReader:
    def __init__(self, file: str) -> None:
        self.file = file
        self.default = "fair"
        self.ignored: set[str] = set()
        self.unknown: set[str] = set()
        self.memory_only: list[str] = []
        self.other_leaves: list[str] = []
        self.warnings: list[str] = []

    def where(self, path: str) -> str:
        return f"{self.file}: queue {path!r}" if path else self.file

    def add_root(self, root: Queue, element: Element) -> None:
        """The queue that a file may put around all others."""
        where = self.where("root")
        policy = _policy(element, "schedulingPolicy", where) or self.default
        if policy == "fifo":
            raise InputError(f"{where}, schedulingPolicy: fifo is for leaf queues only")
        self.settings(root, element, where)
        self.add_children(root, element, "", policy)

    def add_children(self, queue: Queue, element: Element, path: str, policy: str) -> None:
        """The queues within an element, depth first; the file's default is every queue's."""
        stack = [(queue, element, path, policy)]
        while stack:
            queue, element, path, policy = stack.pop()
            if policy == "fair":
                self.memory_only.append(f"{path.replace('.', '/') or 'root'} (fair)")
            groups = []
            for child in element:
                if child.tag not in QUEUE_TAGS:
                    continue
                name = _name(child, self.where(path))
                below = f"{path}.{name}" if path else name
                if any(sibling.name == name for sibling in queue.children):
                    raise InputError(f"{self.where(below)}: defined twice")
                found, own = self.queue(child, name, below)
                if policy == "fair" and own == "drf":
                    raise InputError(
                        f"{self.where(below)}, schedulingPolicy: drf below a parent with fair"
                    )
                queue.children.append(found)
                if found.group:
                    groups.append((found, child, below, own))
                elif own != "drf":
                    self.other_leaves.append(f"{below.replace('.', '/')} ({own})")
            stack.extend(reversed(groups))

    def queue(self, element: Element, name: str, path: str) -> tuple[Queue, str]:
        """The queue of an element without its children, and its policy."""
        where = self.where(path)
        tags = {child.tag for child in element}
        parent = element.get("type") == "parent" or bool(tags & {*QUEUE_TAGS})
        policy = _policy(element, "schedulingPolicy", where) or self.default
        if parent and policy == "fifo":
            raise InputError(f"{where}, schedulingPolicy: fifo is for leaf queues only")
        for tag in ("maxAMShare", "reservation"):
            if parent and tag in tags:
                raise InputError(f"{where}, {tag}: not allowed for a queue with children")
        for child in element:
            if child.tag in ("reservation", *QUEUE_TAGS):
                continue
            if not (child.text or "").strip() and not child.tag.startswith("acl"):
                raise InputError(f"{where}, {child.tag}: empty")
        queue = Queue(name, _weight(element, where), group=parent)
        self.settings(queue, element, where)
        return queue, policy

    def settings(self, queue: Queue, element: Element, where: str) -> None:
        """Limits of a queue, and the names of what else is not read."""
        tags = {child.tag for child in element}
        self.ignored |= tags & IGNORED_ELEMENTS
        self.unknown |= (
            tags - IGNORED_ELEMENTS - {"weight", "schedulingPolicy", *QUEUE_TAGS, *QUEUE_LIMITS}
        )
        queue.limits += _limits(element, QUEUE_LIMITS)
        least = _resources(element.findtext("minResources"), f"{where}, minResources", 0.0)
        most = _resources(element.findtext("maxResources"), f"{where}, maxResources", math.inf)
        for name in sorted({*least, *most}):
            if least.get(name, 0.0) > most.get(name, math.inf):
                self.warnings.append(f"{where}: minResources above maxResources for {name}")


def _name(element: Element, where: str) -> str:
    name = element.get("name") or ""
    if not name.strip():
        raise InputError(f"{where}: a queue without a name")
    if name != name.strip():
        raise InputError(f"{where}: queue name {name!r} has white space around it")
    if "." in name:
        raise InputError(f"{where}: queue name {name!r} must not hold a '.'")
    return name


def _policy(element: Element, tag: str, where: str) -> str | None:
    text = element.findtext(tag)
    if text is None:
        return None
    name = text.strip().rsplit(".", 1)[-1].removesuffix("Policy").lower()
    name = {"fairshare": "fair", "dominantresourcefairness": "drf"}.get(name, name)
    if name not in SHARING_POLICIES:
        raise InputError(f"{where}, {tag}: need fair, drf or fifo, got {text.strip()!r}")
    return name


def _weight(element: Element, where: str) -> float:
    text = element.findtext("weight")
    if text is None:
        return 1.0
    try:
        weight = float(text)
    except ValueError:
        raise InputError(f"{where}, weight: not a number: {text.strip()!r}") from None
    if weight == 0:
        raise InputError(f"{where}, weight: 0 (served last) has no share to compute")
    if not 0 < weight < math.inf:
        raise InputError(f"{where}, weight: must be > 0, got {text.strip()}")
    return weight


def _limits(element: Element, tags: tuple[str, ...]) -> list[tuple[str, str]]:
    """Names and amounts of the limits in an element, without those that limit nothing."""
    found = [(tag, " ".join((element.findtext(tag) or "").split())) for tag in tags]
    return [(tag, amount) for tag, amount in found if amount and not _is_none(tag, amount)]


def _is_none(tag: str, amount: str) -> bool:
    """Whether a minimum is 0, or a share of application masters is switched off (-1)."""
    if tag.startswith("min"):
        return not re.search("[1-9]", amount)
    return tag in ("maxAMShare", "queueMaxAMShareDefault") and amount.startswith("-")


def _resources(text: str | None, where: str, missing: float) -> dict[str, float]:
    """`4096 mb, 4 vcores` or `memory-mb=4096, vcores=4` by resource; percentages are not kept."""
    found: dict[str, float] = {}
    for part in (text or "").split(","):
        entry = part.strip().lower()
        if not entry or "%" in entry:
            continue
        new = re.fullmatch(r"([\w./-]+)\s*=\s*(-?\d+)", entry)
        old = re.fullmatch(r"(-?\d+)\s*(mb|vcores?)", entry)
        if new is None and old is None:
            raise InputError(f"{where}: cannot read {part.strip()!r}")
        name, amount = new.groups() if new else (old.group(2), old.group(1))  # type: ignore[union-attr]
        name = {"mb": "memory-mb", "vcore": "vcores"}.get(name, name)
        if float(amount) < 0:
            raise InputError(f"{where}, {name}: must be >= 0, got {amount}")
        found[name] = float(amount)
    return found


def yarn_fair_queues(hierarchy: Hierarchy) -> tuple[str, list[str]]:
    """The content of a fair-scheduler.xml with all queues by drf.

    YARN holds weights as 32-bit floats.

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
        A name has a `.`, or white space around it.
    """
    root = Element("allocations")
    SubElement(root, "defaultQueueSchedulingPolicy").text = "drf"
    leaf = set(hierarchy.leaf.tolist())
    elements = [root]
    for n in range(1, hierarchy.nodes):
        name = hierarchy.names[n]
        if "." in name or name != name.strip():
            raise InputError(
                f"node {hierarchy.path(n)!r}: YARN queue names hold no '.' and no outer white space"
            )
        queue = SubElement(elements[hierarchy.parent[n]], "queue", {"name": name})
        if n not in leaf:
            queue.set("type", "parent")
        SubElement(queue, "weight").text = repr(float(hierarchy.weight[n]))
        elements.append(queue)
    return xml_text(root), [
        "yarn.resourcemanager.scheduler.class must be the FairScheduler",
    ]
