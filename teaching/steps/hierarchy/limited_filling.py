"""A stage of the exact allocation in which leaves run out of tasks, in plain Python.

A leaf whose tasks all run stays, and its group stays charged for it: from then on the leaves rise
at the rates of the tree without it. The level of the root is followed from event to event. Between
events the use of a node is P + y Q, where y is the dominant share that it is charged, and what it
wants grows by B for each unit of y; all three are put together anew after every event.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ....instances.hierarchy.hierarchy import Hierarchy
from .rises import Event, Rise, in_order

INFINITE = float("inf")


@dataclass(frozen=True)
class _Row:
    """What a node, or several together, add to their group.

    `wants`, `fixed`, `grows` are w B, P and w Q of each resource; `event` is the level of the
    group's children at which the next leaf among them changes its state, `leaf` that leaf.
    """

    wants: tuple[float, ...]
    fixed: tuple[float, ...]
    grows: tuple[float, ...]
    event: float
    path: tuple[int, ...]

    def __add__(self, other: _Row) -> _Row:
        first = self if self.event <= other.event else other
        return _Row(
            tuple(a + b for a, b in zip(self.wants, other.wants, strict=True)),
            tuple(a + b for a, b in zip(self.fixed, other.fixed, strict=True)),
            tuple(a + b for a, b in zip(self.grows, other.grows, strict=True)),
            first.event,
            first.path,
        )


class LimitedStage:
    """The sweep of a stage.

    `rising`: which leaves rise; the others keep their share.
    `share`: dominant share that each leaf has.
    """

    def __init__(self, tree: Hierarchy, rising: list[bool], share: list[float]) -> None:
        self._weight, self._parent = tree.weight.tolist(), tree.parent.tolist()
        self._demand, self._most = tree.normalised.tolist(), tree.most_share.tolist()
        self._rising, self._floor = rising, share
        self._leaf_of = {n: i for i, n in enumerate(tree.leaf.tolist())}
        self._resources = range(len(tree.resources))
        self._children: list[list[int]] = [[] for _ in self._parent]
        for n in range(1, tree.nodes):
            self._children[self._parent[n]].append(n)
        # Leaves that wait at what they had, and leaves that have all their tasks.
        self._waits = {i for i, had in enumerate(share) if had > 0}
        self._done: set[int] = set()
        self._level, self._charged = [0.0] * tree.nodes, [0.0] * tree.nodes
        self._speed, self._due = [0.0] * tree.nodes, [INFINITE] * tree.nodes
        self.rises: list[Rise] = []
        """What happened, after `run`."""

    def run(self) -> list[float]:
        """Sweep to the level at which a resource is full, or all leaves have all their tasks."""
        wanted = [
            j
            for j in self._resources
            if any(r and row[j] > 0 for r, row in zip(self._rising, self._demand, strict=True))
        ]
        while True:
            top = self._together(0)
            if top is None:
                return list(self._floor)
            stop = min(
                ((1 - top.fixed[j]) / top.grows[j] for j in wanted if top.grows[j] > 0),
                default=INFINITE,
            )
            events = self._events(top, wanted)
            ends = stop <= top.event or top.event == INFINITE
            begin, before = self._level[0], self._shares()
            rates = self._rates()
            self._level[0] = max(self._level[0], stop if ends else top.event)
            after = self._shares()
            rise = Rise(begin, self._level[0], before, after, rates, events)
            if rise.before != rise.after and rise.end < INFINITE:
                self.rises.append(rise)
            if ends:
                return list(after)
            *groups, leaf = top.path
            for n in groups:
                self._charged[n] += self._speed[n] * (self._due[n] - self._level[n])
                self._level[n] = self._due[n]
            i = self._leaf_of[leaf]
            if i in self._waits and self._floor[i] < self._most[i]:
                self._waits.remove(i)
            else:
                self._waits.discard(i)
                self._done.add(i)

    def _together(self, n: int) -> _Row | None:
        """The children of a group added up, two by two as in a tournament; None without any."""
        children = self._children[n]
        rows = (self._leaf(c) if c in self._leaf_of else self._group(c) for c in children)
        return _joined(rows, 1, len(children)) if children else None

    def _leaf(self, n: int) -> _Row:
        i, weight = self._leaf_of[n], self._weight[n]
        waits, done, nothing = i in self._waits, i in self._done, (0.0,) * len(self._resources)
        wants = tuple(weight * d for d in self._demand[i])
        has = self._most[i] if done else self._floor[i]
        fixed = tuple(has * d for d in self._demand[i])
        if not self._rising[i] or done:
            return _Row(nothing, fixed, nothing, INFINITE, (n,))
        if waits:
            return _Row(wants, fixed, nothing, self._floor[i] / weight, (n,))
        return _Row(wants, nothing, wants, self._most[i] / weight, (n,))

    def _group(self, n: int) -> _Row:
        inside, weight = self._together(n), self._weight[n]
        nothing = (0.0,) * len(self._resources)
        self._speed[n], self._due[n] = 0.0, INFINITE
        if inside is None:
            return _Row(nothing, nothing, nothing, INFINITE, (n,))
        speed = max(inside.wants)
        if speed == 0:
            return _Row(nothing, inside.fixed, nothing, INFINITE, (n,))
        self._speed[n], self._due[n] = speed, inside.event
        # When the group is charged y, its children are at the level start + y / speed.
        start = self._level[n] - self._charged[n] / speed
        return _Row(
            tuple(weight * (b / speed) for b in inside.wants),
            tuple(p + start * q for p, q in zip(inside.fixed, inside.grows, strict=True)),
            tuple(weight * (q / speed) for q in inside.grows),
            (self._charged[n] + (self._due[n] - self._level[n]) * speed) / weight,
            (n, *inside.path),
        )

    def _shares(self) -> tuple[float, ...]:
        """Dominant shares at the root's level, from the root down."""
        level, shares = list(self._level), list(self._floor)
        for n in range(1, len(level)):
            target = self._weight[n] * level[self._parent[n]]
            if n in self._leaf_of:
                i = self._leaf_of[n]
                if self._rising[i]:
                    shares[i] = (
                        self._most[i]
                        if i in self._done
                        else max(self._floor[i], min(self._most[i], target))
                    )
            elif self._speed[n] > 0:
                more = max(0.0, target - self._charged[n]) / self._speed[n]
                level[n] = min(self._due[n], level[n] + more)
        return tuple(shares)

    def _rates(self) -> tuple[float, ...]:
        """What each leaf gains for each unit of the root's level."""
        rate, rates = [1.0] + [0.0] * (len(self._level) - 1), [0.0] * len(self._floor)
        for n in range(1, len(rate)):
            own = self._weight[n] * rate[self._parent[n]]
            if n not in self._leaf_of:
                rate[n] = own / self._speed[n] if self._speed[n] > 0 else 0.0
                continue
            i = self._leaf_of[n]
            if self._rising[i] and i not in self._done and i not in self._waits:
                rates[i] = own
        return tuple(rates)

    def _events(self, top: _Row, wanted: list[int]) -> tuple[Event, ...]:
        """What may come next, at the root's level at which it comes at present rates."""
        found = [
            Event("resource", j, (1 - top.fixed[j]) / top.grows[j])
            for j in wanted
            if top.grows[j] > 0
        ]
        for n, i in self._leaf_of.items():
            if not self._rising[i] or i in self._done:
                continue
            waits = i in self._waits and self._floor[i] < self._most[i]
            at = (self._floor[i] if i in self._waits else self._most[i]) / self._weight[n]
            while (n := self._parent[n]) > 0:
                charged = self._charged[n] + (at - self._level[n]) * self._speed[n]
                at = charged / self._weight[n]
            if at < INFINITE:
                found.append(Event("rises" if waits else "tasks", i, at))
        return in_order(found)


def _joined(rows: Iterator[_Row], k: int, count: int) -> _Row:
    """Rows added up in a binary tree: place k joins places 2k and 2k + 1, from `count` on is a row.

    From left to right the rows come in their own order.
    """
    if k >= count:
        return next(rows)
    left = _joined(rows, 2 * k, count)
    return left + _joined(rows, 2 * k + 1, count)
