"""YARN's Capacity Scheduler: capacity-scheduler.xml, read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from ....core.calls import taking
from ....core.errors import InputError
from ....core.parameters import parameter
from ....core.wording import listed, percent
from ...importer_options import ImportNotes
from ..hierarchy import Hierarchy
from ..nodes import walk
from ..quotas import DOMINANT, TOTAL
from ..schedulers.amounts import MEBIBYTE, MEMORY_NAMES, is_quantity, name_in, quantity, yarn_name
from ..schedulers.demands import DemandOptions, Demands, SchedulerFile
from ..schedulers.markup import read_xml
from ..schedulers.queue_tree import Queue, hierarchy_of, usual_demand

PREFIX = "yarn.scheduler.capacity."
CALCULATOR = PREFIX + "resource-calculator"
DOMINANT_CALCULATOR = "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator"
HADOOP_1 = "mapred.capacity-scheduler."
LABELLED = re.compile(r"\.accessible-node-labels\.([^.]+)\.")
MOST_OFF = 0.01
"""Percentages of a group may sum to so much more or less than 100."""

MOST, USER_FACTOR = "maximum-capacity", "user-limit-factor"

BOUNDS: dict[str, tuple[str, ...]] = {
    "maximum-applications": (),
    "max-parallel-apps": (),
    "maximum-am-resource-percent": (),
    "maximum-allocation-mb": (),
    "maximum-allocation-vcores": (),
    "maximum-allocation": (),
    "minimum-user-limit-percent": ("100",),
    USER_FACTOR: ("-1", "-1.0"),
    "state": ("RUNNING",),
}
"""Properties of a queue, or of all, that bound what it gets, and values that bound nothing."""

NO_MOST = ("", "100", "100.0", "-1")
PERCENTAGE = re.compile(r"[0-9]+\.?[0-9]*")
WEIGHT = re.compile(r"([0-9.]+(?:[eE][-+]?[0-9]+)?)\s*w")
ROUNDING = 1e-9

Vector = dict[str, float]


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
    properties: dict[str, str] = {}
    for element in read_xml(path, "configuration").iter("property"):
        name = (element.findtext("name") or "").strip()
        if not name:
            raise InputError(f"{path}: a property without a name")
        properties[name] = (element.findtext("value") or "").strip()
    reader = _Reader(str(path), properties, options.in_units(MEBIBYTE), options.users)
    return reader.hierarchy(), reader.notes.lines


@dataclass
class _Stated:
    """The capacity of a queue: a percentage or a weight, or amounts in the units of the cluster."""

    amount: float = 0.0
    absolute: Vector | None = None


class _Reader:
    """The queues of a file and what is left to tell of them."""

    def __init__(
        self, file: str, properties: Mapping[str, str], demands: Demands, users: int
    ) -> None:
        self.file, self.properties, self.demands, self.users = file, properties, demands, users
        self.capacity, self.notes = demands.capacity, ImportNotes()
        self.read: set[str] = set()
        self.shares = self._what_counts()
        self.counted = list(self.capacity) if self.shares == DOMINANT else [self.shares]
        """Resources that the calculator looks at."""
        self.needed = users > 0
        """Whether something makes capacities guarantees."""
        self.stuck: list[str] = []
        """Leaves that one user alone cannot fill, since nobody says otherwise."""

    def hierarchy(self) -> Hierarchy:
        """The tree. Raises `InputError`."""
        if f"{PREFIX}root.queues" not in self.properties:
            if any(key.startswith(HADOOP_1) for key in self.properties):
                raise InputError(
                    f"{self.file}: Hadoop 1 format: queues are in mapred.queue.names, in another "
                    "file"
                )
            raise InputError(f"{self.file}: {PREFIX}root.queues is missing")
        every_queue = self._bounds(PREFIX)
        if self.users:
            every_queue = [bound for bound in every_queue if bound[0] != USER_FACTOR]
        root, whole = Queue("root", children=[]), dict(self.capacity)
        self._property(f"{PREFIX}root.capacity")
        self._property(f"{PREFIX}root.{MOST}")
        self._add_children(root, "root", whole, whole)
        if not self.needed:
            for queue, _, _ in walk(root):
                queue.guarantee, queue.limit = {}, {}
        unread = sorted(self.properties.keys() - self.read)
        if unread:
            names = listed([key.removeprefix(PREFIX) for key in unread], None)
            self.notes.add(f"not read: {names}")
        if labels := sorted({match[1] for key in unread if (match := LABELLED.search(key))}):
            self.notes.add(f"only the partition without label is read, not {listed(labels)}")
        if self.stuck:
            self.notes.add(
                f"not in the shares: {USER_FACTOR} is 1 unless set, so that one user alone gets no "
                f"more than the queue's own capacity, in {listed(self.stuck)} (--users N makes it "
                "a limit)"
            )
        return hierarchy_of(
            root, self.demands, self.file, self.notes, TOTAL, self.shares, every_queue
        )

    def _what_counts(self) -> str:
        """Memory, unless the calculator says otherwise or some task needs none."""
        memory = name_in(self.capacity, "memory")
        if self._property(CALCULATOR) == DOMINANT_CALCULATOR or len(self.capacity) == 1:
            return DOMINANT
        every = [usual_demand(self.demands), *self.demands.by_leaf.values()]
        if memory is None or any(not wanted.get(memory) for wanted in every):
            self.notes.add(
                f"shares are by dominant resource since some tasks need no memory; {CALCULATOR} is "
                "not the DominantResourceCalculator: YARN itself counts memory only"
            )
            return DOMINANT
        return memory

    def _property(self, key: str) -> str:
        """What the file says, empty for nothing."""
        self.read.add(key)
        return self.properties.get(key, "")

    def _bounds(self, place: str) -> list[tuple[str, str]]:
        """Names and amounts of what bounds one queue, or all."""
        found = [(name, self._property(place + name)) for name in BOUNDS]
        return [(name, text) for name, text in found if text and text.upper() not in BOUNDS[name]]

    def _add_children(self, group: Queue, place: str, above: Vector, most_above: Vector) -> None:
        """The queues of a group, which is guaranteed `above` and can hold `most_above`."""
        group.limits += self._bounds(f"{PREFIX}{place}.")
        listing = f"{PREFIX}{place}.queues"
        names = [name.strip() for name in self._property(listing).split(",")]
        for k, name in enumerate(names):
            if not name or "." in name:
                raise InputError(f"{self.file}: {listing}: bad queue name {name!r}")
            if name in names[:k]:
                raise InputError(f"{self.file}: {listing}: {name!r} is listed twice")
        stated = self._stated(place, names)
        together = sum(own.amount for own in stated.values()) or 1.0
        made: list[Queue] = []
        group.children = made
        for name, own in stated.items():
            here = f"{place}.{name}"
            parental = f"{PREFIX}{here}.queues" in self.properties
            queue = Queue(name, own.amount)
            made.append(queue)
            guaranteed = {n: amount * own.amount / together for n, amount in above.items()}
            if own.absolute is not None:
                guaranteed = {n: own.absolute.get(n, 0.0) for n in self.capacity}
                parts = (guaranteed[n] / self.capacity[n] for n in self.counted)
                queue.weight = max(parts, default=0.0)
            self.needed |= own.absolute is not None or not own.amount
            most = self._most(queue, here, guaranteed, most_above)
            if not parental:
                queue.limits += self._bounds(f"{PREFIX}{here}.")
                self._limit_users(queue, here, guaranteed, most)
            queue.guarantee = {
                n: amount
                for n, amount in guaranteed.items()
                if amount and (own.absolute is not None or n in self.counted)
            }
            queue.limit = {
                n: most[n] for n in self.counted if most[n] < self.capacity[n] * (1 - ROUNDING)
            }
            if parental:
                self._add_children(queue, here, guaranteed, most)

    def _most(self, queue: Queue, place: str, guaranteed: Vector, most_above: Vector) -> Vector:
        """What a queue can hold, from what its group can. Raises `InputError` if it is too little.

        Percentages are of the maximum of the group.
        """
        text, path = self._property(f"{PREFIX}{place}.{MOST}"), _path(place)
        most = dict(most_above)
        if PERCENTAGE.fullmatch(text) and text not in NO_MOST:
            part = min(float(text), 100.0) / 100
            most = {name: amount * part for name, amount in most_above.items()}
            self.needed = True
        elif text.startswith("["):
            self.needed = True
            own, unknown = _absolute(text, f"{self.file}: {path}: {MOST}", self.capacity)
            if any(own.values()):  # YARN takes 0 of everything for no maximum.
                most = {name: min(amount, own.get(name, amount)) for name, amount in most.items()}
                others = (n for n in own if n not in self.counted)
                unknown += [f"{yarn_name(n)}={own[n]:g}" for n in others]
            if unknown:
                queue.limits.append((MOST, f"[{','.join(unknown)}]"))
        elif text not in NO_MOST:
            queue.limits.append((MOST, text))
        for name in self.counted:
            if most[name] < guaranteed[name] * (1 - ROUNDING):
                least, whole = guaranteed[name], self.capacity[name]
                told = f"its maximum is {most[name]:g} {name}, less than its capacity of {least:g}"
                if PERCENTAGE.fullmatch(text):
                    told = (
                        f"{MOST} {text} is {100 * most[name] / whole:g} % of the cluster, less "
                        f"than its capacity of {100 * least / whole:g} %"
                    )
                raise InputError(f"{self.file}: {path}: {told}")
        return most

    def _limit_users(self, queue: Queue, place: str, guaranteed: Vector, most: Vector) -> None:
        """What so many users can hold of a leaf is its limit: both vectors are cut to it."""
        factor, said = 1.0, False
        for key in (f"{PREFIX}{place}.{USER_FACTOR}", PREFIX + USER_FACTOR):
            if not said and (text := self._property(key)):
                try:
                    factor, said = float(text), True
                except ValueError:
                    raise InputError(f"{self.file}: {key}: need a number, got {text!r}") from None
        short = [n for n in self.counted if 0 <= factor * guaranteed[n] < most[n] * (1 - ROUNDING)]
        endless = factor < 0
        if endless or self.users or not short:
            queue.limits = [bound for bound in queue.limits if bound[0] != USER_FACTOR]
        if endless or not short:
            return
        if not self.users:
            if not said:
                part = max(guaranteed[n] / self.capacity[n] for n in short)
                self.stuck.append(f"{_path(place)} ({percent(part)})")
            return
        for name in short:
            together = self.users * factor * guaranteed[name]
            if together < most[name] * (1 - ROUNDING):
                most[name], guaranteed[name] = together, min(guaranteed[name], together)

    def _stated(self, place: str, names: list[str]) -> dict[str, _Stated]:
        """The capacity of each queue of a group. Raises `InputError` unless all are of one mode."""
        found: dict[str, _Stated] = {}
        modes = {}
        for name in names:
            key = f"{PREFIX}{place}.{name}.capacity"
            text = self._property(key)
            weight = WEIGHT.fullmatch(text)
            if text.startswith("["):
                amounts, unknown = _absolute(text, f"{self.file}: {key}", self.capacity)
                found[name] = _Stated(absolute=amounts)
                modes["amounts"] = key
                if unknown:
                    path = _path(f"{place}.{name}")
                    self.notes.add(f"the capacity has no such resource: {path}: {listed(unknown)}")
                continue
            try:
                found[name] = own = _Stated(float(weight.group(1) if weight else text))
            except ValueError:
                raise InputError(
                    f"{self.file}: {key}: need a weight such as 4w, or a percentage, got {text!r}"
                ) from None
            if not own.amount >= 0 or (weight and not own.amount):
                raise InputError(f"{self.file}: {key}: must be > 0, got {text!r}")
            modes["weights" if weight else "percentages"] = key
        if len(modes) > 1:
            first, second = sorted(modes, reverse=True)[:2]
            raise InputError(
                f"{self.file}: {place}: queues with {first} beside queues with {second}"
            )
        together = sum(own.amount for own in found.values())
        if "percentages" in modes and abs(together - 100) > MOST_OFF:
            words = "" if together else ": nobody in it would be served"
            raise InputError(
                f"{self.file}: {place}: the capacities of its queues sum to {together:g}, not to "
                f"100{words}"
            )
        return found


def _path(place: str) -> str:
    return place.removeprefix("root.").replace(".", "/")


def _absolute(text: str, where: str, capacity: Mapping[str, float]) -> tuple[Vector, list[str]]:
    """Amounts of `[memory=10240,vcores=12]`, and the entries that the capacity does not have.

    Memory is in MB, or with a unit. Raises `InputError`.
    """
    found: Vector = {}
    unknown = []
    for part in text.strip().strip("[]").split(","):
        entry = part.strip()
        name, equals, amount = (piece.strip() for piece in entry.partition("="))
        if not entry:
            continue
        if amount.endswith(("%", "w")):
            raise InputError(
                f"{where}: percentages and weights of single resources (capacity vectors) are not "
                f"read, got {entry!r}"
            )
        if not (equals and name and is_quantity(amount)):
            raise InputError(f"{where}: need [memory=10240,vcores=12], got {entry!r}")
        known = name_in(capacity, name.lower())
        if known is None:
            unknown.append(entry)
            continue
        units = known in MEMORY_NAMES and not amount[-1].isdigit()
        found[known] = quantity(amount, where) / (MEBIBYTE if units else 1.0)
    return found, unknown
