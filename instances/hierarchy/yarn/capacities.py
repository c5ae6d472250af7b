"""Capacities of YARN's Capacity Scheduler as guarantees and limits."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ....core.errors import InputError
from ....core.wording import listed, percent
from ...importer_options import ImportNotes
from ..nodes import walk
from ..schedulers.amounts import MEBIBYTE, MEMORY_NAMES, is_quantity, name_in, quantity, yarn_name
from ..schedulers.queue_tree import Queue

Vector = dict[str, float]

PERCENTAGE = re.compile(r"[0-9]+\.?[0-9]*")
WEIGHT_PATTERN = re.compile(r"([0-9.]+(?:[eE][-+]?[0-9]+)?)\s*w")
ROUNDING = 1e-9

MOST_CAPACITY, USER_FACTOR = "maximum-capacity", "user-limit-factor"


@dataclass
class Stated:
    amount: float = 0.0
    """Its percentage, or its weight."""
    part: float = 0.0
    """The same as a part of its group."""
    absolute: Vector | None = None
    """Its capacity in the units of the cluster, if it is stated so."""
    most: str = ""
    """Its maximum-capacity, as the file has it."""
    factor: float = 1.0
    """Its user-limit-factor, negative for none."""
    own_factor: bool = False
    """Whether the file says the factor, of it or of all queues."""


@dataclass
class Capacities:
    """What queues are guaranteed and limited to, from the root down."""

    file: str
    capacity: Mapping[str, float]
    counted: Sequence[str]
    """Resources that the calculator looks at."""
    users: int
    """Users in every queue, 0 if that is not known."""
    notes: ImportNotes
    stated: dict[str, Stated] = field(default_factory=dict)
    """What the file says, by the path of the queue."""

    def set_quotas(self, root: Queue) -> None:
        """Guarantees and limits of all queues below a root, where something needs them."""
        needed = bool(self.users) or any(
            stated.most or stated.absolute is not None or not stated.amount
            for stated in self.stated.values()
        )
        whole = dict(self.capacity)
        reach: dict[str, tuple[Vector, Vector]] = {"": (whole, whole)}
        for queue, _, path in walk(root):
            if not path:
                continue
            above = path.rpartition("/")[0]
            guaranteed, most = self._of(queue, path, *reach[above])
            reach[path] = guaranteed, most
            if queue.children is None:
                self._limit_users(queue, path, guaranteed, most)
            if needed:
                every = self.stated[path].absolute is not None
                queue.guarantee = {
                    name: amount
                    for name, amount in guaranteed.items()
                    if amount and (every or name in self.counted)
                }
                queue.limit = {**queue.limit} | {
                    name: most[name]
                    for name in self.counted
                    if most[name] < self.capacity[name] * (1 - ROUNDING)
                }
        self._tell_users(root, reach)

    def set_weights(self, queue: Queue, path: str) -> None:
        """The weights of absolute capacities: the greatest part of the cluster."""
        for child in queue.children or ():
            own = self.stated[f"{path}/{child.name}" if path else child.name]
            if own.absolute is not None:
                child.weight = max(
                    own.absolute.get(name, 0.0) / self.capacity[name] for name in self.counted
                )
                own.amount = child.weight

    def _of(
        self, queue: Queue, path: str, above: Vector, most_above: Vector
    ) -> tuple[Vector, Vector]:
        """What a queue is guaranteed and can hold, from what its group is and can."""
        stated = self.stated[path]
        if stated.absolute is not None:
            guaranteed = {name: stated.absolute.get(name, 0.0) for name in self.capacity}
        else:
            guaranteed = {name: amount * stated.part for name, amount in above.items()}
        if PERCENTAGE.fullmatch(stated.most):
            part = min(float(stated.most), 100.0) / 100
            most = {name: amount * part for name, amount in most_above.items()}
        elif stated.most:
            where = f"{self.file}: {path}: {MOST_CAPACITY}"
            own, unknown = absolute(stated.most, where, self.capacity)
            own = own if any(own.values()) else {}  # YARN takes 0 of everything for no maximum.
            most = {name: min(amount, own.get(name, amount)) for name, amount in most_above.items()}
            unread = [
                *unknown,
                *(f"{yarn_name(n)}={a:g}" for n, a in own.items() if n not in self.counted),
            ]
            if unread:
                queue.limits.append((MOST_CAPACITY, f"[{','.join(unread)}]"))
        else:
            most = dict(most_above)
        for name in self.counted:
            if most[name] < guaranteed[name] * (1 - ROUNDING):
                self._refuse(path, stated, name, most[name], guaranteed[name])
        return guaranteed, most

    def _refuse(self, path: str, stated: Stated, name: str, most: float, least: float) -> None:
        whole = self.capacity[name]
        if PERCENTAGE.fullmatch(stated.most):
            raise InputError(
                f"{self.file}: {path}: maximum-capacity {stated.most} is "
                f"{100 * most / whole:g} % of the cluster, less than its capacity of "
                f"{100 * least / whole:g} %"
            )
        raise InputError(
            f"{self.file}: {path}: its maximum is {most:g} {name}, less than its capacity of "
            f"{least:g}"
        )

    def _limit_users(self, queue: Queue, path: str, guaranteed: Vector, most: Vector) -> None:
        """What so many users can hold of a leaf is its limit."""
        stated = self.stated[path]
        reached = {name: stated.factor * guaranteed[name] for name in self.counted}
        endless = stated.factor < 0
        if endless or all(reached[n] >= most[n] * (1 - ROUNDING) for n in self.counted):
            queue.limits = [limit for limit in queue.limits if limit[0] != USER_FACTOR]
        if self.users and not endless:
            queue.limits = [limit for limit in queue.limits if limit[0] != USER_FACTOR]
            for name in self.counted:
                together = self.users * reached[name]
                if together < most[name] * (1 - ROUNDING):
                    queue.limit = {**queue.limit, name: together}
                    most[name] = together
                    guaranteed[name] = min(guaranteed[name], together)

    def _tell_users(self, root: Queue, reach: Mapping[str, tuple[Vector, Vector]]) -> None:
        """Name the leaves that one user alone cannot fill."""
        if self.users:
            return
        stuck = []
        for queue, _, path in walk(root):
            if not path or queue.children is not None or self.stated[path].own_factor:
                continue
            guaranteed, most = reach[path]
            short = [n for n in self.counted if guaranteed[n] < most[n] * (1 - ROUNDING)]
            if short:
                part = max(guaranteed[name] / self.capacity[name] for name in short)
                stuck.append(f"{path} ({percent(part)})")
        if stuck:
            self.notes.add(
                "not in the shares: user-limit-factor is 1 unless set, so that one user alone gets "
                f"no more than the queue's own capacity, in {listed(stuck)} (--users N makes it a "
                "limit)"
            )


def absolute(text: str, where: str, capacity: Mapping[str, float]) -> tuple[Vector, list[str]]:
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
        if not (equals and name and is_quantity(amount)):
            raise InputError(f"{where}: need [memory=10240,vcores=12], got {entry!r}")
        known = name_in(capacity, name.lower())
        if known is None:
            unknown.append(entry)
            continue
        units = known in MEMORY_NAMES and not amount[-1].isdigit()
        found[known] = quantity(amount, where) / (MEBIBYTE if units else 1.0)
    return found, unknown
