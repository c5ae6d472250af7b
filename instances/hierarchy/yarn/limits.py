"""Minimums and maximums of YARN's Fair Scheduler as guarantees and limits."""

from __future__ import annotations

from collections.abc import Mapping
from xml.etree.ElementTree import Element

from ....core.wording import listed
from ...importer_options import ImportNotes
from ..schedulers.amounts import name_in, yarn_amounts
from ..schedulers.queue_tree import Queue

HADOOP_1 = {
    "minMaps": "maps",
    "minReduces": "reduces",
    "maxMaps": "maps",
    "maxReduces": "reduces",
}
"""Slots of a pool of Hadoop 1, and what the capacity calls them."""

QUEUE_MOST, CHILDREN_MOST, LEAST = "maxResources", "maxChildResources", "minResources"
DEFAULT_MOST = "queueMaxResourcesDefault"


class YarnLimits:
    """What the queues of a file are guaranteed and limited to, and what is left to tell."""

    def __init__(self, capacity: Mapping[str, float], default: Element | None, where: str) -> None:
        self._capacity = capacity
        self._default: dict[str, float] = {}
        if default is not None:
            self._default, unknown = yarn_amounts(
                default.text or "", f"{where}: {DEFAULT_MOST}", capacity
            )
            self.unread_default = ", ".join(unknown)
        else:
            self.unread_default = ""
        self._named: dict[str, list[str]] = {}
        self._one_sided: list[str] = []
        self._memory_alone: list[str] = []
        self._slots = False

    def read(
        self,
        queue: Queue,
        element: Element,
        path: str,
        where: str,
        above: dict[str, float] | None,
        counted: str | None,
    ) -> None:
        """Take the minimums and maximums of a queue's element.

        `above`: maxChildResources of the queue above it, if there are any.
        `counted`: the only resource of which a minimum counts; None for all.
        """
        least = {n: a for n, a in (self._stated(queue, element, LEAST, where) or {}).items() if a}
        queue.guarantee = {n: a for n, a in least.items() if counted in (None, n)}
        if others := sorted(least.keys() - queue.guarantee.keys()):
            self._memory_alone.append(f"{path} ({', '.join(others)})")
        most = self._stated(queue, element, QUEUE_MOST, where)
        tag = QUEUE_MOST
        if most is None and above is not None:
            most, tag = above, CHILDREN_MOST
        elif most is None and self._default:
            most, tag = self._default, DEFAULT_MOST
        queue.limit = dict(most or {})
        for slots, resource in HADOOP_1.items():
            self._read_slots(queue, element, slots, resource, where)
        if queue.guarantee:
            self._named.setdefault(f"{LEAST} of %s: read as guarantees", []).append(path)
            missing = set(self._capacity) - set(queue.guarantee)
            if missing and least and counted is None:
                self._one_sided.append(f"{path} ({', '.join(sorted(missing))})")
        if queue.limit:
            self._named.setdefault(f"{tag} of %s: read as limits", []).append(path)

    def of_children(self, element: Element, where: str) -> dict[str, float] | None:
        """What the queues below an element may hold if they do not say so themselves."""
        text = element.findtext(CHILDREN_MOST)
        if text is None:
            return None
        return yarn_amounts(text, f"{where}, {CHILDREN_MOST}", self._capacity)[0]

    def _stated(
        self, queue: Queue, element: Element, tag: str, where: str
    ) -> dict[str, float] | None:
        text = element.findtext(tag)
        if text is None:
            return None
        found, unknown = yarn_amounts(text, f"{where}, {tag}", self._capacity)
        unknown = [each for each in unknown if tag != LEAST or any(d in each for d in "123456789")]
        if unknown:
            queue.limits.append((tag, ", ".join(unknown)))
        return found

    def _read_slots(
        self, queue: Queue, element: Element, tag: str, resource: str, where: str
    ) -> None:
        text = element.findtext(tag)
        name = name_in(self._capacity, resource)
        if text is None or name is None:
            return
        amount = yarn_amounts(f"{name}={text.strip()}", f"{where}, {tag}", self._capacity)[0][name]
        self._slots = True
        if tag.startswith("max"):
            queue.limit = {**queue.limit, name: amount}
        elif amount:
            queue.guarantee = {**queue.guarantee, name: amount}

    def knows(self, tag: str) -> bool:
        slots = tag in HADOOP_1 and HADOOP_1[tag] in self._capacity
        return slots or tag in (LEAST, QUEUE_MOST, CHILDREN_MOST)

    def tell(self, notes: ImportNotes) -> None:
        """Say what became guarantees and limits."""
        for line, paths in self._named.items():
            notes.add(line % listed(paths))
        if self._one_sided:
            notes.add(
                "guaranteed nothing of a resource that minResources does not name, so that tasks "
                f"that need it have no guarantee: {listed(self._one_sided)}"
            )
        if self._memory_alone:
            notes.add(
                "policy fair counts minimums of memory alone, not these of minResources: "
                f"{listed(self._memory_alone)}"
            )
        if self._slots:
            notes.add("minMaps, maxMaps, minReduces and maxReduces: Hadoop 1 slots, read as slots")
