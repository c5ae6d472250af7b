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

QUEUE_TAGS = ("queue", "pool")
LEAST, MOST, CHILDREN_MOST = "minResources", "maxResources", "maxChildResources"
DEFAULT_MOST, DEFAULT_POLICY = "queueMaxResourcesDefault", "defaultQueueSchedulingPolicy"

SLOTS = {"minMaps": "maps", "minReduces": "reduces", "maxMaps": "maps", "maxReduces": "reduces"}
"""Slots of a pool of Hadoop 1, and what the capacity calls them."""

BOUNDS = (LEAST, MOST, "maxRunningApps", "maxAMShare", "maxContainerAllocation", *SLOTS,
          "maxRunningJobs")  # fmt: skip
"""Elements of a queue, or of a pool of Hadoop 1, that bound what it gets.

Those of resources become guarantees and limits, but of the root and of users.
"""

FILE_BOUNDS = ("queueMaxAppsDefault", "queueMaxAMShareDefault", "userMaxAppsDefault",
               "poolMaxJobsDefault", "userMaxJobsDefault")  # fmt: skip
"""Elements of the file that bound what all queues, or all users, get."""

IN_FILE = {*QUEUE_TAGS, *FILE_BOUNDS, DEFAULT_MOST, DEFAULT_POLICY, "user"}
IN_QUEUE = {*QUEUE_TAGS, *BOUNDS, CHILDREN_MOST, "weight", "schedulingPolicy"}
"""`IN_FILE`, `IN_QUEUE`: elements that are read."""

SPARK_TAGS = {"schedulingMode", "weight", "minShare"}
"""Elements of a pool of Spark."""


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
    document = read_xml(path, "allocations")
    for pool in document.iter("pool"):
        tags = {child.tag for child in pool}
        if "minShare" in tags or ("schedulingMode" in tags and tags <= SPARK_TAGS):
            raise InputError(f"{path}: Spark's fairscheduler.xml: {removed('import spark-pools')}")
    reader = _Reader(str(path), document, options.in_units(MEBIBYTE))
    return reader.hierarchy(), reader.notes.lines


class _Reader:
    """The queues of a file and what is left to tell of them."""

    def __init__(self, file: str, document: Element, demands: Demands) -> None:
        self.file, self.document, self.demands = file, document, demands
        self.notes = ImportNotes()
        self.memory = name_in(demands.capacity, "memory")
        self.default = _policy(document, DEFAULT_POLICY, file) or "fair"
        text = document.findtext(DEFAULT_MOST)
        self.most, self.unknown_most = self._amounts(text, f"{file}: {DEFAULT_MOST}")
        self.policies: list[tuple[str, str]] = []
        """Path and policy, fair or drf, of each group."""
        self.fifo: list[str] = []
        """Groups that are fifo by default."""
        self.by_memory: set[int] = set()
        """Queues of which memory alone counts."""
        self.unread: set[str] = {child.tag for child in document} - IN_FILE

    def hierarchy(self) -> Hierarchy:
        root = Queue("root", children=[])
        tops = [child for child in self.document if child.tag in QUEUE_TAGS]
        named_root = [child for child in tops if _name(child, self.file) == "root"]
        if named_root and len(tops) > 1:
            raise InputError(f"{self.file}: queue 'root' must have no other queue beside it")
        if named_root:
            (element,) = named_root
            policy = self._group_policy(element, self._where("root"))
            self.unread |= {child.tag for child in element} - IN_QUEUE
            root.limits += _bounds(element, BOUNDS)
            self._add_children(root, element, "", policy)
        else:
            self._add_children(root, self.document, "", self.default)
        if not root.children:
            raise NothingToShare(
                f"{self.file}: no queues: YARN makes root.default (or a queue per user); "
                "nothing is divided"
            )
        every_queue = _bounds(self.document, FILE_BOUNDS)
        for user in self.document.findall("user"):
            every_queue += [
                (f"{tag} of user {user.get('name', '')}".rstrip(), amount)
                for tag, amount in _bounds(user, BOUNDS)
            ]
        if self.unknown_most:
            every_queue.append((DEFAULT_MOST, ", ".join(self.unknown_most)))
        self._cut_to_root(root)
        shares = self._what_counts()
        if self.unread:
            self.notes.add(f"not read: {listed(sorted(self.unread), None)}")
        if self.fifo:
            self.notes.add(
                f"{DEFAULT_POLICY} fifo is for leaf queues only, and YARN refuses it for others: "
                f"read as fair, the children of {listed(self.fifo)}"
            )
        made = hierarchy_of(root, self.demands, self.file, self.notes, TOTAL, shares, every_queue)
        if shares == DOMINANT and self.memory is not None:
            nodes = np.array([id(queue) in self.by_memory for queue, _, _ in walk(root)])
            made = with_all_that_tasks_take(made, made.resources.index(self.memory), nodes)
        return made

    def _where(self, path: str) -> str:
        return f"{self.file}: queue {path!r}" if path else self.file

    def _group_policy(self, element: Element, where: str) -> str:
        """The policy of a queue with children; fifo only if it is the default's."""
        policy = _policy(element, "schedulingPolicy", where)
        if policy == "fifo":
            raise InputError(f"{where}, schedulingPolicy: fifo is for leaf queues only")
        return policy or self.default

    def _add_children(self, group: Queue, element: Element, path: str, policy: str) -> None:
        """The queues within an element; the policy of the group says what counts of them."""
        named, where = path.replace(".", "/") or "root", self._where(path)
        if policy == "fifo":
            self.fifo.append(named)
            policy = "fair"
        self.policies.append((named, policy))
        text = element.findtext(CHILDREN_MOST)
        most, _ = self._amounts(text, f"{where}, {CHILDREN_MOST}")
        made: list[Queue] = []
        group.children = made
        for child in element:
            if child.tag not in QUEUE_TAGS:
                continue
            name = _name(child, where)
            below = f"{path}.{name}" if path else name
            if any(sibling.name == name for sibling in made):
                raise InputError(f"{self._where(below)}: defined twice")
            made.append(self._queue(child, name, below, most if text else self.most, policy))

    def _queue(
        self, element: Element, name: str, path: str, most: dict[str, float], policy: str
    ) -> Queue:
        """The queue of an element; `most` and `policy` are those of the group above it."""
        where, tags = self._where(path), {child.tag for child in element}
        parental = element.get("type") == "parent" or bool(tags & {*QUEUE_TAGS})
        for tag in ("maxAMShare", "reservation"):
            if parental and tag in tags:
                raise InputError(f"{where}, {tag}: not allowed for a queue with children")
        for child in element:
            if child.tag in ("reservation", *QUEUE_TAGS) or child.tag.startswith("acl"):
                continue
            if not (child.text or "").strip():
                raise InputError(f"{where}, {child.tag}: empty")
        queue = Queue(name, _weight(element, where))
        self.unread |= tags - IN_QUEUE
        self._set_quota(queue, element, where, most, self.memory if policy == "fair" else None)
        if policy == "fair":
            self.by_memory.add(id(queue))
        if parental:
            self._add_children(queue, element, path, self._group_policy(element, where))
        elif _policy(element, "schedulingPolicy", where):
            self.unread.add("schedulingPolicy of queues without children")
        return queue

    def _set_quota(
        self,
        queue: Queue,
        element: Element,
        where: str,
        most: dict[str, float],
        counted: str | None,
    ) -> None:
        """Minimums as guarantees, of the resource `counted` alone if there is one, and maximums."""
        guarantee, unknown = self._amounts(element.findtext(LEAST), f"{where}, {LEAST}")
        guarantee = {name: amount for name, amount in guarantee.items() if amount}
        if unknown := [each for each in unknown if re.search("[1-9]", each)]:
            queue.limits.append((LEAST, ", ".join(unknown)))
        if counted is not None:
            others = guarantee.keys() - {counted}
            self.unread |= {f"{LEAST} of {name} below policy fair" for name in others}
            guarantee = {name: guarantee[name] for name in guarantee.keys() & {counted}}
        limit = dict(most)
        if element.findtext(MOST) is not None:
            limit, unknown = self._amounts(element.findtext(MOST), f"{where}, {MOST}")
            if unknown:
                queue.limits.append((MOST, ", ".join(unknown)))
        known = {LEAST, MOST}
        for tag, resource in SLOTS.items():
            name, text = name_in(self.demands.capacity, resource), element.findtext(tag)
            if name is None or text is None:
                continue
            known.add(tag)
            amount = self._amounts(f"{name}={text.strip()}", f"{where}, {tag}")[0][name]
            if tag.startswith("max"):
                limit[name] = amount
            elif amount:
                guarantee[name] = amount
        queue.guarantee, queue.limit = guarantee, limit
        queue.limits += [bound for bound in _bounds(element, BOUNDS) if bound[0] not in known]

    def _amounts(self, text: str | None, where: str) -> tuple[dict[str, float], list[str]]:
        """Amounts by resource, and those of resources that the capacity does not have."""
        return yarn_amounts(text or "", where, self.demands.capacity)

    def _cut_to_root(self, root: Queue) -> None:
        """The capacity cut to the maxResources of the queue root."""
        stated = dict(root.limits).get(MOST)
        if stated is None:
            return
        root.limits.remove((MOST, stated))
        most, unknown = self._amounts(stated, f"{self._where('root')}, {MOST}")
        if unknown:
            root.limits.append((MOST, ", ".join(unknown)))
        whole = self.demands.capacity
        less = {name: most[name] for name in most if 0 < most[name] < whole.get(name, 0.0)}
        for name, amount in less.items():
            self.notes.add(
                f"{MOST} of root: the capacity of {name} is {amount:g}, not {whole[name]:g}"
            )
        self.demands = replace(self.demands, capacity={**whole, **less})

    def _what_counts(self) -> str:
        """Memory alone if that is what the root's policy, fair, looks at."""
        fair = [path for path, policy in self.policies if policy == "fair"]
        drf = [path for path, policy in self.policies if policy == "drf"]
        if not fair or len(self.demands.capacity) == 1:
            return DOMINANT
        every = [self.demands.demand, *self.demands.by_leaf.values()]
        of_none = any(wanted is not None and not wanted.get(self.memory or "") for wanted in every)
        if fair[0] != "root" or self.memory is None or of_none:
            why = " and some tasks need none" if of_none and fair[0] == "root" else ""
            self.notes.add(
                "shares are by dominant resource; YARN's policy fair counts memory only, among "
                f"the queues of {listed(fair)}{why}"
            )
            return DOMINANT
        if drf:
            self.notes.add(
                "shares count memory only, which Hadoop 2 does not below policy drf (Hadoop 3 "
                f"refuses drf below fair): {listed(drf)}"
            )
        return self.memory


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
    if name not in ("drf", "fair", "fifo"):
        raise InputError(f"{where}, {tag}: need fair, drf or fifo, got {text.strip()!r}")
    return name


def _weight(element: Element, where: str) -> float:
    text = element.findtext("weight") or "1"
    try:
        weight = float(text)
    except ValueError:
        raise InputError(f"{where}, weight: not a number: {text.strip()!r}") from None
    if not 0 <= weight < math.inf:
        raise InputError(f"{where}, weight: must be >= 0, got {text.strip()}")
    return weight


def _bounds(element: Element, tags: tuple[str, ...]) -> list[tuple[str, str]]:
    """Names and amounts of what bounds an element, without minimums of 0 and shares of -1."""
    found = []
    for tag in tags:
        amount = " ".join((element.findtext(tag) or "").split())
        none = "AMShare" in tag and amount.startswith("-")
        none |= tag.startswith("min") and not re.search("[1-9]", amount)
        if amount and not none:
            found.append((tag, amount))
    return found
