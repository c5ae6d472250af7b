"""YARN's Capacity Scheduler: capacity-scheduler.xml, read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ....core.calls import taking
from ....core.errors import InputError
from ....core.parameters import parameter
from ....core.wording import listed
from ...importer_options import ImportNotes
from ..hierarchy import Hierarchy
from ..quotas import DOMINANT, TOTAL
from ..schedulers.amounts import MEBIBYTE, name_in
from ..schedulers.demands import DemandOptions, Demands, SchedulerFile
from ..schedulers.markup import read_xml
from ..schedulers.queue_tree import Queue, hierarchy_of, usual_demand
from .capacities import (
    MOST_CAPACITY,
    PERCENTAGE,
    USER_FACTOR,
    WEIGHT_PATTERN,
    Capacities,
    Stated,
    absolute,
)

PREFIX = "yarn.scheduler.capacity."
CALCULATOR = PREFIX + "resource-calculator"
DOMINANT_CALCULATOR = "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator"
HADOOP_1 = "mapred.capacity-scheduler."
LABELLED = re.compile(r"\.accessible-node-labels\.([^.]+)\.")
MOST_OFF = 0.01
"""Percentages of a group may sum to so much more or less than 100."""

QUEUE_LIMITS = (
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


@dataclass(frozen=True)
class YarnCapacityOptions(DemandOptions):
    """What is not in the file."""

    users: int = parameter(
        0, "Users of every queue, each limited by its factor times the capacity.", least=0
    )


@taking(YarnCapacityOptions)
def read_yarn_capacity(
    path: SchedulerFile, options: YarnCapacityOptions
) -> tuple[Hierarchy, list[str]]:
    """The queues of a capacity-scheduler.xml; those of a group have weights, percentages, amounts.

    With a maximum-capacity below 100, a queue of 0 %, amounts (`[memory=…,vcores=…]`) or `users`,
    capacities are guarantees too. A queue of 0 % is guaranteed nothing and has weight 0. Shares
    count memory alone without the DominantResourceCalculator.

    Returns
    -------
    Hierarchy
        Queues, weights, guarantees, limits, demands.
    list of str
        Notes, one sentence each, on what was left out or adjusted.

    Raises
    ------
    InputError
        A group that mixes modes, a weight of 0, percentages that do not sum to 100, a maximum below
        the capacity, and files of Hadoop 1.
    """
    demands = options.in_units(MEBIBYTE)
    reader = _Reader(str(path), _properties(path), demands, options.users)
    made = reader.hierarchy()
    return made, reader.notes.lines


class _Reader:
    """The queues of a file and what is left to tell of them."""

    def __init__(
        self, file: str, properties: Mapping[str, str], demands: Demands, users: int
    ) -> None:
        self.file = file
        self.properties = properties
        self.demands = demands
        self.notes = ImportNotes()
        self.shares = self._what_counts()
        counted = list(demands.capacity) if self.shares == DOMINANT else [self.shares]
        self.capacities = Capacities(file, demands.capacity, counted, users, self.notes)
        self.read = {CALCULATOR}
        self.empty: list[str] = []

    def hierarchy(self) -> Hierarchy:
        """The tree. Raises `InputError`."""
        if f"{PREFIX}root.queues" not in self.properties:
            if any(key.startswith(HADOOP_1) for key in self.properties):
                raise InputError(
                    f"{self.file}: Hadoop 1 format: queues are in mapred.queue.names, in another "
                    "file"
                )
            raise InputError(f"{self.file}: {PREFIX}root.queues is missing")
        every_queue = self._limits(PREFIX)
        if self.capacities.users:
            every_queue = [limit for limit in every_queue if limit[0] != USER_FACTOR]
        root = Queue("root", children=[])
        stack = [(root, "root")]
        while stack:
            queue, place = stack.pop()
            self._add_children(queue, place)
            stack += [
                (child, f"{place}.{child.name}")
                for child in queue.children or ()
                if child.children is not None
            ]
        unread = sorted(set(self.properties) - self.read)
        if unread:
            self.notes.add(f"not read: {listed([key.removeprefix(PREFIX) for key in unread])}")
        labels = sorted({match[1] for key in unread if (match := LABELLED.search(key))})
        if labels:
            self.notes.add(f"only the partition without label is read, not {listed(labels)}")
        if self.empty:
            names = listed(self.empty)
            self.notes.add(f"0 %, so guaranteed nothing and served from what is idle: {names}")
        self.capacities.set_quotas(root)
        made = hierarchy_of(
            root, self.demands, self.file, self.notes, TOTAL, self.shares, every_queue
        )
        if self.shares != DOMINANT:
            self.notes.add(
                f"YARN counts memory only here ({CALCULATOR} is not the DominantResourceCalculator)"
            )
        return made

    def _what_counts(self) -> str:
        """Memory, unless the calculator says otherwise or some task needs none."""
        memory = name_in(self.demands.capacity, "memory")
        if self.properties.get(CALCULATOR) == DOMINANT_CALCULATOR:
            return DOMINANT
        if len(self.demands.capacity) == 1:
            return DOMINANT
        every = [usual_demand(self.demands), *self.demands.by_leaf.values()]
        if memory is None or any(not wanted.get(memory) for wanted in every):
            self.notes.add(
                f"shares are by dominant resource since some tasks need no memory; {CALCULATOR} is "
                "not the DominantResourceCalculator: YARN itself counts memory only"
            )
            return DOMINANT
        return memory

    def _add_children(self, queue: Queue, place: str) -> None:
        """The queues of a group, each with what the file says of it."""
        self.read |= {f"{PREFIX}{place}.queues", f"{PREFIX}{place}.capacity"}
        queue.limits += self._limits(f"{PREFIX}{place}.")
        listing = self.properties[f"{PREFIX}{place}.queues"]
        names = [name.strip() for name in listing.split(",")]
        for k, name in enumerate(names):
            if not name or "." in name:
                raise InputError(f"{self.file}: {PREFIX}{place}.queues: bad queue name {name!r}")
            if name in names[:k]:
                raise InputError(f"{self.file}: {PREFIX}{place}.queues: {name!r} is listed twice")
        stated = self._stated(place, names)
        queue.children = children = []
        parent = place.removeprefix("root").lstrip(".").replace(".", "/")
        for name, own in stated.items():
            here = f"{PREFIX}{place}.{name}"
            parental = f"{here}.queues" in self.properties
            child = Queue(name, own.amount, children=[] if parental else None)
            children.append(child)
            path = f"{parent}/{name}" if parent else name
            self.capacities.stated[path] = own
            self.read |= {f"{here}.capacity", f"{here}.{MOST_CAPACITY}"}
            own.most = self.properties.get(f"{here}.{MOST_CAPACITY}", "")
            if own.most in VALUES_WITHOUT_LIMIT[MOST_CAPACITY]:
                own.most = ""
            elif not own.most.startswith("[") and not PERCENTAGE.fullmatch(own.most or "0"):
                child.limits.append((MOST_CAPACITY, own.most))
                own.most = ""
            if not parental:
                child.limits += self._limits(f"{here}.")
                self._set_factor(own, here)
        self.capacities.set_weights(queue, parent)
        for child in children:
            if child.weight == 0:
                self.empty.append(f"{parent}/{child.name}" if parent else child.name)

    def _set_factor(self, own: Stated, here: str) -> None:
        for key in (f"{here}.{USER_FACTOR}", f"{PREFIX}{USER_FACTOR}"):
            if self.properties.get(key):
                text = self.properties[key]
                try:
                    own.factor = float(text)
                except ValueError:
                    raise InputError(f"{self.file}: {key}: need a number, got {text!r}") from None
                own.own_factor = True
                return

    def _stated(self, place: str, names: list[str]) -> dict[str, Stated]:
        """The capacity of each queue of a group: parts of the group, or amounts."""
        found: dict[str, Stated] = {}
        modes = {}
        for name in names:
            key = f"{PREFIX}{place}.{name}.capacity"
            text = self.properties.get(key, "")
            weight = WEIGHT_PATTERN.fullmatch(text)
            if text.startswith("["):
                amounts, unknown = absolute(text, f"{self.file}: {key}", self.demands.capacity)
                found[name] = Stated(absolute=amounts)
                modes["amounts"] = key
                if unknown:
                    path = f"{place}.{name}".removeprefix("root.").replace(".", "/")
                    self.notes.add(f"the capacity has no such resource: {path}: {listed(unknown)}")
                continue
            try:
                found[name] = Stated(float(weight.group(1) if weight else text))
            except ValueError:
                raise InputError(
                    f"{self.file}: {key}: need a weight such as 4w, or a percentage, got {text!r}"
                ) from None
            if not found[name].amount >= 0 or (weight and not found[name].amount):
                raise InputError(f"{self.file}: {key}: must be > 0, got {text!r}")
            modes["weights" if weight else "percentages"] = key
        if len(modes) > 1:
            first, second = sorted(modes, reverse=True)[:2]
            raise InputError(
                f"{self.file}: {place}: queues with {first} beside queues with {second}"
            )
        return self._parts(found, place, next(iter(modes)))

    def _parts(self, found: dict[str, Stated], place: str, mode: str) -> dict[str, Stated]:
        """Weights and percentages as parts of all configured siblings."""
        together = sum(own.amount for own in found.values())
        if mode == "percentages" and abs(together - 100) > MOST_OFF:
            words = "" if together else ": nobody in it would be served"
            raise InputError(
                f"{self.file}: {place}: the capacities of its queues sum to {together:g}, not to "
                f"100{words}"
            )
        for own in found.values():
            own.part = own.amount / (together or 1.0)
        return found

    def _limits(self, place: str) -> list[tuple[str, str]]:
        """Names and amounts of the limits of one queue, or of all."""
        self.read |= {place + name for name in (*QUEUE_LIMITS, MOST_CAPACITY)}
        found = [(name, self.properties.get(place + name, "")) for name in QUEUE_LIMITS]
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
