"""YARN's Fair Scheduler: fair-scheduler.xml, read."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from xml.etree.ElementTree import Element

import numpy as np

from ....core.calls import taking
from ....core.errors import InputError, NothingToShare
from ....core.removed import removed
from ....core.wording import listed
from ...importer_options import ImportNotes
from ..hierarchy import Hierarchy
from ..nodes import walk
from ..quotas import DOMINANT, TOTAL
from ..schedulers.amounts import MEBIBYTE, name_in, yarn_amounts
from ..schedulers.demands import DemandOptions, Demands, SchedulerFile
from ..schedulers.markup import read_xml
from ..schedulers.queue_tree import Queue, hierarchy_of, with_all_that_tasks_take
from .limits import CHILDREN_MOST, DEFAULT_MOST, QUEUE_MOST, YarnLimits

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
    "maxRunningApps",
    "maxAMShare",
    "maxContainerAllocation",
    "minMaps",
    "maxMaps",
    "minReduces",
    "maxReduces",
    "maxRunningJobs",
)
"""Elements of a queue, or of a pool of Hadoop 1, that bound what it gets.

Those of resources become guarantees and limits, but of the root and of users.
"""

SPARK_TAGS = frozenset({"schedulingMode", "weight", "minShare"})
"""Elements of a pool of Spark."""

FILE_LIMITS = (
    "queueMaxAppsDefault",
    "queueMaxAMShareDefault",
    "userMaxAppsDefault",
    "poolMaxJobsDefault",
    "userMaxJobsDefault",
)
"""Elements of the file that bound what all queues, or all users, get."""


@taking(DemandOptions)
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
        What YARN would refuse to load, minimums above a maximum, and Spark's pools.
    """
    demands = options.in_units(MEBIBYTE)
    document = read_xml(path, "allocations")
    _refuse_pools_of_spark(document, str(path))
    default_most = document.find(DEFAULT_MOST)
    limits = YarnLimits(demands.capacity, default_most, str(path))
    notes = ImportNotes()
    reader = _QueueReader(str(path), limits, name_in(demands.capacity, "memory"))
    reader.default = _policy(document, "defaultQueueSchedulingPolicy", reader.where("")) or "fair"
    tops = [child for child in document if child.tag in QUEUE_TAGS]
    named_root = [child for child in tops if _name(child, reader.where("")) == "root"]
    root = Queue("root", children=[])
    if named_root:
        if len(tops) > 1:
            raise InputError(f"{path}: queue 'root' must have no other queue beside it")
        reader.add_root(root, named_root[0])
    else:
        reader.add_children(root, document, reader.default)
    if not root.children:
        raise NothingToShare(
            f"{path}: no queues: YARN makes root.default (or a queue per user); nothing is divided"
        )
    unread = {child.tag for child in document} - {*QUEUE_TAGS, "user", *FILE_LIMITS}
    unread -= {"defaultQueueSchedulingPolicy", DEFAULT_MOST}
    if unread:
        notes.add(f"not read: {listed(sorted(unread))}")
    reader.tell(notes)
    limits.tell(notes)
    every_queue = _limits(document, FILE_LIMITS)
    for user in document.findall("user"):
        every_queue += [
            (f"{tag} of user {user.get('name', '')}".rstrip(), amount)
            for tag, amount in _limits(user, QUEUE_LIMITS)
        ]
    if limits.unread_default:
        every_queue.append((DEFAULT_MOST, limits.unread_default))
    demands = _cut_to_root(root, demands, str(path), notes)
    counts = _what_counts(reader, demands, notes)
    shares = counts or DOMINANT
    made = hierarchy_of(root, demands, str(path), notes, TOTAL, shares, every_queue)
    if counts is None and reader.memory is not None:
        nodes = np.array([id(queue) in reader.by_memory for queue, _, _ in walk(root)])
        made = with_all_that_tasks_take(made, made.resources.index(reader.memory), nodes)
    if counts is not None:
        queues = listed(reader.memory_only)
        notes.add(f"YARN counts memory only here (policy fair, among the queues of {queues})")
    return made, notes.lines


def _cut_to_root(root: Queue, demands: Demands, file: str, notes: ImportNotes) -> Demands:
    """The capacity cut to the maxResources of the queue root."""
    stated = dict(root.limits).get(QUEUE_MOST)
    if stated is None:
        return demands
    root.limits.remove((QUEUE_MOST, stated))
    most, unknown = yarn_amounts(stated, f"{file}: queue 'root', {QUEUE_MOST}", demands.capacity)
    if unknown:
        root.limits.append((QUEUE_MOST, ", ".join(unknown)))
    whole = demands.capacity
    less = {name: most[name] for name in most if 0 < most[name] < whole.get(name, 0.0)}
    for name, amount in less.items():
        notes.add(
            f"{QUEUE_MOST} of root: the capacity of {name} is {amount:g}, not {whole[name]:g}"
        )
    return replace(demands, capacity={**whole, **less})


def _refuse_pools_of_spark(document: Element, path: str) -> None:
    """Raise `InputError` for pools with the elements of Spark and none of Hadoop 1."""
    for pool in document.iter("pool"):
        tags = {child.tag for child in pool}
        if "minShare" in tags or ("schedulingMode" in tags and tags <= SPARK_TAGS):
            raise InputError(f"{path}: Spark's fairscheduler.xml: {removed('import spark-pools')}")


def _what_counts(reader: _QueueReader, demands: Demands, notes: ImportNotes) -> str | None:
    """The one resource that shares count, None for the dominant one."""
    if not reader.memory_only:
        return None
    queues, memory = listed(reader.memory_only), reader.memory
    if len(demands.capacity) == 1:
        return None
    if not reader.root_counts_memory or memory is None:
        notes.add(
            f"shares are by dominant resource; YARN's policy fair counts memory only, among the "
            f"queues of {queues}"
        )
        return None
    if reader.by_dominant:
        notes.add(
            "shares count memory only, which Hadoop 2 does not below policy drf (Hadoop 3 refuses "
            f"drf below fair): {listed(reader.by_dominant)}"
        )
    every = [demands.demand, *demands.by_leaf.values()]
    if any(wanted is not None and not wanted.get(memory) for wanted in every):
        notes.add(
            "shares are by dominant resource since some tasks need no memory, of which alone "
            f"YARN's policy fair takes account, among the queues of {queues}"
        )
        return None
    return memory


class _QueueReader:
    def __init__(self, file: str, most: YarnLimits, memory: str | None) -> None:
        self.file = file
        self.most = most
        self.memory = memory
        self.default = "fair"
        self.ignored: set[str] = set()
        self.unknown: set[str] = set()
        self.memory_only: list[str] = []
        self.by_memory: set[int] = set()
        self.by_dominant: list[str] = []
        self.root_counts_memory = False
        self.other_leaves: list[str] = []
        self.fifo_leaves: list[str] = []
        self.fifo_groups: list[str] = []

    def where(self, path: str) -> str:
        return f"{self.file}: queue {path!r}" if path else self.file

    def add_root(self, root: Queue, element: Element) -> None:
        """The queue that a file may put around all others."""
        where = self.where("root")
        policy = self.group_policy(element, where)
        self.settings(element)
        root.limits += _limits(element, QUEUE_LIMITS)
        self.add_children(root, element, policy)

    def group_policy(self, element: Element, where: str) -> str:
        """The policy of a queue with children; fifo only if it is the default's."""
        policy = _policy(element, "schedulingPolicy", where)
        if policy == "fifo":
            raise InputError(f"{where}, schedulingPolicy: fifo is for leaf queues only")
        return policy or self.default

    def add_children(self, queue: Queue, element: Element, policy: str) -> None:
        """The queues within the root's element, depth first; the default is every queue's."""
        self.root_counts_memory = policy != "drf"
        stack = [(queue, element, "", policy)]
        while stack:
            queue, element, path, policy = stack.pop()
            if policy == "fifo":
                self.fifo_groups.append(path.replace(".", "/") or "root")
                policy = "fair"
            named = f"{path.replace('.', '/') or 'root'} ({policy})"
            (self.memory_only if policy == "fair" else self.by_dominant).append(named)
            above = self.most.of_children(element, self.where(path))
            counted = self.memory if policy == "fair" else None
            groups = []
            children: list[Queue] = []
            queue.children = children
            for child in element:
                if child.tag not in QUEUE_TAGS:
                    continue
                name = _name(child, self.where(path))
                below = f"{path}.{name}" if path else name
                if any(sibling.name == name for sibling in children):
                    raise InputError(f"{self.where(below)}: defined twice")
                found, own = self.queue(child, name, below)
                where = self.where(below)
                self.most.read(found, child, below.replace(".", "/"), where, above, counted)
                children.append(found)
                if counted is not None:
                    self.by_memory.add(id(found))
                if found.children is not None:
                    groups.append((found, child, below, own))
                elif own == "fifo":
                    self.fifo_leaves.append(below.replace(".", "/"))
                elif own != "drf":
                    self.other_leaves.append(f"{below.replace('.', '/')} ({own})")
            stack.extend(reversed(groups))

    def queue(self, element: Element, name: str, path: str) -> tuple[Queue, str]:
        """The queue of an element without its children, and its policy."""
        where = self.where(path)
        tags = {child.tag for child in element}
        parent = element.get("type") == "parent" or bool(tags & {*QUEUE_TAGS})
        policy = (
            self.group_policy(element, where)
            if parent
            else _policy(element, "schedulingPolicy", where) or self.default
        )
        for tag in ("maxAMShare", "reservation"):
            if parent and tag in tags:
                raise InputError(f"{where}, {tag}: not allowed for a queue with children")
        for child in element:
            if child.tag in ("reservation", *QUEUE_TAGS):
                continue
            if not (child.text or "").strip() and not child.tag.startswith("acl"):
                raise InputError(f"{where}, {child.tag}: empty")
        queue = Queue(name, _weight(element, where), children=[] if parent else None)
        self.settings(element)
        queue.limits += [
            limit for limit in _limits(element, QUEUE_LIMITS) if not self.most.knows(limit[0])
        ]
        return queue, policy

    def tell(self, notes: ImportNotes) -> None:
        """Say what is not read, and how jobs share within the queues."""
        if self.ignored:
            notes.add(f"not read, of some queues: {listed(sorted(self.ignored))}")
        if self.unknown:
            notes.add(f"unknown elements, which YARN ignores too: {listed(sorted(self.unknown))}")
        if self.fifo_groups:
            notes.add(
                "defaultQueueSchedulingPolicy fifo is for leaf queues only, and YARN refuses it "
                f"for others: read as fair, the children of {listed(self.fifo_groups)}"
            )
        if self.fifo_leaves:
            notes.add(f"within the queue, first come: {listed(self.fifo_leaves)}")
        if self.other_leaves:
            notes.add(
                "within a queue jobs share by its own policy, which is not in the shares: "
                f"{listed(self.other_leaves)}"
            )

    def settings(self, element: Element) -> None:
        """Remember the names of what is not read."""
        tags = {child.tag for child in element}
        self.ignored |= tags & IGNORED_ELEMENTS
        self.unknown |= (
            tags
            - IGNORED_ELEMENTS
            - {"weight", "schedulingPolicy", CHILDREN_MOST, *QUEUE_TAGS, *QUEUE_LIMITS}
        )


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
    if not 0 <= weight < math.inf:
        raise InputError(f"{where}, weight: must be >= 0, got {text.strip()}")
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
