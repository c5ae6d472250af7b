"""Fair shares of a tree of queues, computed anew in fractions; see `verify.py`.

A certificate of shares holds no numbers: what is fair is defined, and computed here from the text
of the tree. docs/heuristics/limits.md tells the same at length.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Any

try:
    from . import verify
except ImportError:  # beside verify.py, without slotwise
    import verify  # type: ignore[import-not-found, no-redef]

Object = dict[str, Any]
Say = Callable[[str], object]
Amounts = list[Fraction | float]
"""Of each resource, as fractions of its capacity; only limits and wishes may be infinite."""
Shares = dict[int, Fraction]
"""By the node of a leaf."""

TOLERANCE = Fraction(1, 10**9)
"""Claimed amounts are rounded numbers."""
SLACK = Fraction(1, 10**12)
"""The same, as a fraction of all that there is."""
NOT_JUDGED = "weight", "limited_by"
"""What is said of a leaf or node beside its share: by which weight it rose last, what stops it."""
ZERO = Fraction(0)


def problem_of(document: Object) -> Tree:
    """A tree of queues."""
    return Tree(document)


# 1. The tree.


class Tree:
    """Queues. Nodes are numbered from the root (0) down, a node before all that is below it.

    Per node: `parent`, `end` (the number after the last node below), `path`, `weight`, `rank`
    (siblings of a higher one come first), and the amounts `guarantee`, `limit`, `reserve`. Per
    leaf, by its node: `demand`, the amounts that a task needs, and `tasks`, infinite without end.

    `total`: weights divide everything, not what lies above the guarantees. `each`: every resource
    is divided for itself. `counted`: the resources that a charge counts.
    """

    def __init__(self, document: Object) -> None:
        self.quotas = document["format"] == "slotwise/hierarchy/2"
        may = ("name", "source", "dropped_limits", "users")
        more = ("surplus", "shares") if self.quotas else ()
        verify.fields(document, "the hierarchy", ("format", "capacity", "root"), (*may, *more))
        capacity = verify.mapping(document["capacity"], "capacity")
        self.resources = list(capacity) or verify.refuse("capacity: there is no resource")
        self.capacity = [verify.amount(capacity[name], name, above=True) for name in capacity]
        surplus = verify.choice(document.get("surplus", "above"), ("above", "total"), "surplus")
        ways = "dominant", "each", *self.resources
        shares = verify.choice(document.get("shares", "dominant"), ways, "shares")
        self.total, self.each = surplus == "total", shares == "each"
        self.counted = list(range(len(self.resources)))
        if shares not in ways[:2]:
            self.counted = [self.resources.index(shares)]
        self.parent: list[int] = []
        self.path: list[str] = []
        self.weight: list[Fraction] = []
        self.rank: list[tuple[bool, int]] = []
        self.guarantee: list[list[Fraction]] = []
        self.reserve: list[list[Fraction]] = []
        self.limit: list[Amounts] = []
        self.demand: dict[int, list[Fraction]] = {}
        self.tasks: dict[int, Fraction | float] = {}
        stack: list[tuple[Any, int]] = [(document["root"], -1)]
        while stack:
            entry, parent = stack.pop()
            below = self._read_node(verify.mapping(entry, "a node"), parent)
            stack += [(child, len(self.parent) - 1) for child in reversed(below)]
        if len(set(self.path)) < len(self.path):
            verify.refuse("two nodes have one path")
        self.end = list(range(1, len(self.parent) + 1))
        for n in range(len(self.parent) - 1, 0, -1):
            self.end[self.parent[n]] = max(self.end[self.parent[n]], self.end[n])
        self.scaled = self._scale()

    def judge(self, claim: Object, certificate: Object, say: Say) -> bool:
        """Whether all that an allocation claims is confirmed; its certificate has no numbers."""
        return judge_shares(self, claim, say)

    def _read_node(self, entry: Object, parent: int) -> list[Any]:
        """Number a node; the nodes below it."""
        n = len(self.parent)
        given = {key: value for key, value in entry.items() if value is not None}
        name = verify.need(given.get("name", None if n else ""), str, "name of a node")
        what = f"node {name[:40]!a}"
        leaf = "demand" in given and n > 0
        quotas = ("guarantee", "limit", "reserve", "priority") if self.quotas else ()
        must, may = (("demand",), ("tasks",)) if leaf else (("children",), ())
        verify.fields(given, what, must, ("name", "weight", *quotas, *may))
        self.parent.append(parent)
        self.path.append(f"{self.path[parent]}/{name}" if parent > 0 else name if n else "")
        weight = verify.amount(given.get("weight", 1), "weight", above=not self.quotas)
        priority = verify.need(given.get("priority", 0), int, "priority")
        self.weight.append(weight or Fraction(1))
        self.rank.append((weight > 0, priority if weight else 0))
        most = given.get("limit", {})
        limit: Amounts = list(self._amounts(most))
        limit = [a if r in most else math.inf for a, r in zip(limit, self.resources, strict=True)]
        guarantee = within(self._amounts(given.get("guarantee", {})), limit, what)
        reserve = within(self._amounts(given.get("reserve", {})), guarantee, what)
        if n == 0 and (any(guarantee) or most):
            verify.refuse("the root has no guarantee and no limit but the capacity")
        self.limit.append(limit)
        self.guarantee.append(guarantee)
        self.reserve.append(reserve)
        if not leaf:
            return verify.rows(given["children"], None, "children")
        self.demand[n] = self._amounts(given["demand"])
        if not any(self.demand[n][r] for r in self.counted):
            verify.refuse(f"{what}: needs nothing that counts")
        self.tasks[n] = math.inf
        if "tasks" in given:
            self.tasks[n] = verify.amount(given["tasks"], "tasks")
        return []

    def _amounts(self, document: Any) -> list[Fraction]:
        """Amounts by resource, 0 where none is given, as fractions of the capacity."""
        verify.fields(document, "amounts", (), self.resources)
        given = (verify.amount(document.get(name, 0), name) for name in self.resources)
        return [a / b for a, b in zip(given, self.capacity, strict=True)]

    def _scale(self) -> bool:
        """Cut promises that are more than there is; whether that was more than rounding.

        A subtree is promised what it is guaranteed, as far as its tasks want it, or what those
        below it are promised, if that is more. From the root down, siblings whose promises do not
        fit have the same part of them.
        """
        scaled = False
        for r in range(len(self.resources)):
            inner, asked = [ZERO] * len(self.parent), [ZERO] * len(self.parent)
            wanted: Amounts = [ZERO] * len(self.parent)
            for n in range(len(self.parent) - 1, -1, -1):
                if n in self.demand and self.demand[n][r]:
                    wanted[n] = self.tasks[n] * self.demand[n][r]
                own = Fraction(min(self.guarantee[n][r], wanted[n]))
                asked[n] = max(inner[n], own, self.reserve[n][r])
                if n:
                    inner[self.parent[n]] += asked[n]
                    wanted[self.parent[n]] += wanted[n]
            room = [Fraction(1)] * len(self.parent)
            for n in range(1, len(self.parent)):
                up = self.parent[n]
                part = min(Fraction(1), room[up] / inner[up]) if inner[up] else Fraction(1)
                room[n] = Fraction(min(asked[n] * part, self.limit[n][r]))
                if room[n] < asked[n]:
                    scaled = scaled or room[n] * (1 + TOLERANCE) < asked[n]
                    self.guarantee[n][r] = min(self.guarantee[n][r], room[n])
                    self.reserve[n][r] = min(self.reserve[n][r], room[n])
        return scaled


def within(amounts: list[Fraction], most: list[Any], what: str) -> list[Fraction]:
    """The amounts, cut to others which they exceed by rounding alone."""
    if any(a > b * (1 + TOLERANCE) for a, b in zip(amounts, most, strict=True)):
        verify.refuse(f"{what}: need reserve <= guarantee <= limit")
    return [min(a, b) for a, b in zip(amounts, most, strict=True)]


# 2. What is fair.


class Division:
    """What is divided at once: all resources, or one of them for itself.

    Per node, entries of these resources: `guarantee`, `limit`, `reserve`; the root's limit is all
    that there is. Per leaf: `need` for a share of 1, `size`, the share of one task, and `most`, the
    share of all its tasks. A share is the largest entry, of those that are counted, of what a leaf
    holds. Where one resource counts, a guarantee of it brings what tasks take of the others.
    """

    def __init__(self, tree: Tree, resources: list[int]) -> None:
        def chosen(rows: Iterable[list[Any]]) -> list[list[Any]]:
            return [[row[r] for r in resources] for row in rows]

        self.tree, self.resources = tree, resources
        self.guarantee, self.limit = chosen(tree.guarantee), chosen(tree.limit)
        self.reserve = chosen(tree.reserve)
        self.limit[0] = [Fraction(1)] * len(resources)
        self.counted = [k for k, r in enumerate(resources) if r in tree.counted]
        self.others = [k for k, r in enumerate(resources) if r not in tree.counted]
        for own, most in zip(self.guarantee, self.limit, strict=True):
            for k in self.others:
                own[k] = most[k] if own[self.counted[0]] else ZERO
        self.need: dict[int, list[Fraction]] = {}
        self.size: Shares = {}
        self.most: dict[int, Fraction | float] = {}
        for n, demand in tree.demand.items():
            row = [demand[r] for r in resources]
            if any(row):
                self.size[n] = size = max(row[k] for k in self.counted)
                self.need[n] = [a / size for a in row]
                self.most[n] = tree.tasks[n] * size

    def use(self, top: int, share: Shares) -> dict[int, list[Fraction]]:
        """What every node from `top` down uses; what is reserved below it counts as used."""
        used = {n: [ZERO] * len(self.resources) for n in range(top, self.tree.end[top])}
        for n in reversed(used):
            if n in self.need:
                used[n] = [share[n] * a for a in self.need[n]]
            if n > top:
                up, kept = used[self.tree.parent[n]], self.reserve[n]
                for k, a in enumerate(used[n]):
                    up[k] += max(a, kept[k])
        return used


def fair_shares(division: Division) -> tuple[Shares, Shares]:
    """The exact share of every leaf, and how much of it stated guarantees give.

    Guarantees come first. A leaf has what its own give. Then every group with a guarantee of its
    own, those inside first, is filled as if this were a cluster of its own; of resources that do
    not count this takes no more than there is. Then the whole tree is filled stage by stage. A
    stage ends when a resource of the cluster is full; whoever needs a full one has all that it
    gets, and the next stage is without it.

    This is one allocation and no other. Between two events all is linear, so the next event and
    its level are given. Events at one level are independent: each stops or starts leaves that the
    others leave alone; only where something is reserved does their order matter, and it is that of
    the nodes. It ends: an event lets a node be charged or a leaf rise, lets use reach what is
    reserved, or stops a leaf for good; and there are no more stages than resources.
    """
    tree, base = division.tree, {}
    for n, need in division.need.items():
        own = zip(division.guarantee[n], need, strict=True)
        base[n] = Fraction(min(division.most[n], *(a / b for a, b in own if b)))
    for n in range(len(tree.parent) - 1, 0, -1):
        if n not in tree.demand and any(division.guarantee[n]):
            limit, division.limit[n] = division.limit[n], division.guarantee[n]
            Stage(division, n, dict(base), base, dict(division.most)).run()
            division.limit[n] = limit
    fit(division, base)
    share, most, full = dict(base), dict(division.most), set[int]()
    while newly := Stage(division, 0, base, share, most, full).run():
        full |= newly
    return share, base


def fit(division: Division, base: Shares) -> None:
    """Cut what is guaranteed to what limits permit of the resources that do not count.

    All leaves below a limit that need the resource lose the same part, from the lowest limits up.
    """
    parent = division.tree.parent
    for k in division.others:
        used, part = [ZERO] * len(parent), [Fraction(1)] * len(parent)
        for n in range(len(parent) - 1, -1, -1):
            if n in base:
                used[n] = base[n] * division.need[n][k]
            if used[n] > division.limit[n][k]:
                part[n] = Fraction(division.limit[n][k]) / used[n]
            if n:
                used[parent[n]] += used[n] * part[n]
        for n in range(1, len(parent)):
            part[n] *= part[parent[n]]
            if n in base and division.need[n][k]:
                base[n] *= part[n]


class Stage:
    """The level of the nodes below `top` rises until a resource of the cluster is full.

    Siblings of the highest rank in which somebody can still have more rise in the ratio of their
    weights: when their level rises by 1, the target of each rises by its weight. A group's target
    is what it is charged: it lets the level of its children rise so that the largest counted entry
    of what they need together, each for its own target, is the charge. A leaf has what it had
    before until its target is there. It rises with it until it has all its tasks, or a limit above
    it, of something that it needs, is full; then it stands still and is not charged any more.

    Where weights divide what lies above guarantees, targets do not count `base`, what is
    guaranteed. Where they divide everything, nodes are charged from `start` on, what this base is
    charged by itself; a level at which no child of a charged group is charged is passed for free.
    """

    def __init__(
        self,
        division: Division,
        top: int,
        base: Shares,
        share: Shares,
        most: dict[int, Fraction | float],
        full: Iterable[int] = (),
    ) -> None:
        self.division, self.tree, self.top = division, division.tree, top
        self.share, self.most = share, most
        self.nodes = range(top + 1, self.tree.end[top])
        self.leaves = [
            n for n in self.nodes if n in base and not any(division.need[n][k] for k in full)
        ]
        self.used = division.use(top, share)
        self.target = dict.fromkeys(self.nodes, ZERO)
        self.start, self.apart = dict.fromkeys(self.nodes, ZERO), base
        if self.tree.total:
            held = division.use(top, base)
            self.start = {n: max(held[n][k] for k in division.counted) for n in self.nodes}
            self.apart = dict.fromkeys(base, ZERO)

    def run(self) -> set[int]:
        """Raise shares; the resources of the cluster that are full then, none at the end."""
        while any(self.share[n] < self.most[n] for n in self.leaves):
            front = self.front()
            if not self.pass_for_free(front):
                full = self.rise(self.speeds(front))
                if full:
                    return full
        return set()

    def front(self) -> dict[int, list[int]]:
        """By group, from the top down: its children that rise or wait to, of the highest rank."""
        front: dict[int, list[int]] = {}
        waiting = {n for n in self.leaves if self.share[n] < self.most[n] or self.behind(n)}
        rank = self.tree.rank
        for n in reversed(self.nodes):
            if n in waiting or n in front:
                siblings = front.setdefault(self.tree.parent[n], [])
                if siblings and rank[n] > rank[siblings[0]]:
                    siblings.clear()
                if not siblings or rank[n] == rank[siblings[0]]:
                    siblings.append(n)
        return {n: front[n] for n in sorted(front)}

    def behind(self, n: int) -> bool:
        """Whether the target of a leaf is not yet at what the leaf has."""
        return self.target[n] < self.share[n] - self.apart[n]

    def charged(self, n: int) -> bool:
        """Whether the target of a node counts for its group."""
        return n == self.top or self.target[n] >= self.start[n]

    def pass_for_free(self, front: dict[int, list[int]]) -> bool:
        """Pass levels of charged groups at which no child is charged; whether there were any."""
        passed = False
        for group, children in front.items():
            if self.charged(group) and not any(map(self.charged, children)):
                passed, weight = True, self.tree.weight
                level = min((self.start[n] - self.target[n]) / weight[n] for n in children)
                for n in children:
                    self.target[n] += level * weight[n]
        return passed

    def speeds(self, front: dict[int, list[int]]) -> dict[int, Fraction]:
        """How fast targets rise with the level below the top."""
        division, weight = self.division, self.tree.weight
        need = dict(division.need)  # for a unit of a node's target
        charge: dict[int, Fraction] = {}  # for a unit of the level of a group's children
        for group in reversed(front):
            if self.charged(group):
                rising = [n for n in front[group] if self.charged(n)]
                rows = ([weight[n] * a for a in need[n]] for n in rising)
                together = [total(column) for column in zip(*rows, strict=True)]
                charge[group] = max(together[k] for k in division.counted)
                need[group] = [a / charge[group] for a in together]
        speed: dict[int, Fraction] = {}
        level = {self.top: Fraction(1)}
        for group, children in front.items():
            for n in children if group in level else ():
                speed[n] = weight[n] * level[group]
                if n in charge:
                    level[n] = speed[n] / charge[n]
        return speed

    def rise(self, speed: dict[int, Fraction]) -> set[int]:
        """Raise targets and shares up to the next event; the resources that are full then."""
        rising, steps = [], []
        for n, pace in speed.items():
            goal: Fraction | float = math.inf
            if not self.charged(n):
                goal = self.start[n] - self.target[n]
            elif n in self.share and self.behind(n):
                goal = self.share[n] - self.apart[n] - self.target[n]
            elif n in self.share:
                rising.append(n)
                goal = self.most[n] if self.most[n] == math.inf else self.most[n] - self.share[n]
            if isinstance(goal, Fraction):
                steps.append(goal / pace)
        filling = self.filling({n: speed[n] for n in rising})
        for n, row in filling.items():
            for k, pace in enumerate(row):
                used, end = self.used[n][k], self.division.limit[n][k]
                if pace and n > 0 and used >= end:
                    self.stop(n, k)
                    return set()
                if used < self.division.reserve[n][k]:
                    end = self.division.reserve[n][k]
                if pace and isinstance(end, Fraction):
                    steps.append(max(ZERO, end - used) / pace)
        step = min(steps)
        for n, pace in speed.items():
            self.target[n] += step * pace
        for n in rising:
            self.share[n] += step * speed[n]
        for n, row in filling.items():
            self.used[n] = [a + step * pace for a, pace in zip(self.used[n], row, strict=True)]
        cluster = self.used.get(0, [])
        hit = any(a >= 1 and pace for a, pace in zip(cluster, filling.get(0, []), strict=False))
        return {k for k, a in enumerate(cluster) if hit and a >= 1}

    def filling(self, speed: dict[int, Fraction]) -> dict[int, list[Fraction]]:
        """How fast use rises, of leaves that rise and of all above them; what is reserved counts
        as used already."""
        filling = {n: [pace * a for a in self.division.need[n]] for n, pace in speed.items()}
        for n in reversed(self.nodes):
            if n in filling:
                up = filling.setdefault(self.tree.parent[n], [ZERO] * len(filling[n]))
                for k, pace in enumerate(filling[n]):
                    if self.used[n][k] >= self.division.reserve[n][k]:
                        up[k] += pace
        order = (n for n in (*self.nodes, self.top) if n in filling)
        return {n: filling[n] for n in order}

    def stop(self, top: int, k: int) -> None:
        """A limit is full: who is below it and needs it has all that it can get."""
        for n in range(top, self.tree.end[top]):
            if n in self.share and self.division.need[n][k]:
                self.most[n] = self.share[n]


PROOFS: dict[str, Callable[..., object]] = {"stages": fair_shares, "a stage": Stage}
"""What shares are proved by; a certificate adds nothing to it."""


def total(parts: Iterable[Fraction]) -> Fraction:
    """A sum that is a fraction, also of nothing."""
    return sum(parts, ZERO)


# 3. The claim.


def fair_tasks(tree: Tree) -> tuple[Shares, Shares]:
    """Tasks that every leaf runs, and how many of them stated guarantees give.

    Where each resource is divided for itself, a leaf runs what all of its amounts permit.
    """
    resources = range(len(tree.resources))
    tasks, stated = dict(tree.tasks), dict(tree.tasks)
    for some in ([r] for r in resources) if tree.each else [list(resources)]:
        division = Division(tree, some)
        for result, share in zip((tasks, stated), fair_shares(division), strict=True):
            result |= {n: min(result[n], a / division.size[n]) for n, a in share.items()}
    return (
        {n: Fraction(a) for n, a in tasks.items()},
        {n: Fraction(min(a, tasks[n])) for n, a in stated.items()},
    )


def guaranteed_by_weights(tree: Tree) -> Shares:
    """Dominant share of each leaf if all that have tasks were busy with one resource."""
    active, together = set[int](), [ZERO] * len(tree.parent)
    for n in range(len(tree.parent) - 1, 0, -1):
        if n in active or tree.tasks.get(n):
            active |= {n, tree.parent[n]}
            together[tree.parent[n]] += tree.weight[n]
    part = [Fraction(1)]
    for n in range(1, len(tree.parent)):
        up = tree.parent[n]
        part.append(part[up] * tree.weight[n] / together[up] if n in active else ZERO)
    return {n: part[n] for n in tree.tasks}


def truth(tree: Tree) -> Object:
    """What an allocation has to say: numbers with the unit in which a whole cluster is 1."""
    tasks, stated = fair_tasks(tree)
    size = {n: max(demand) for n, demand in tree.demand.items()}
    promise = {n: stated[n] * size[n] for n in size} if tree.quotas else guaranteed_by_weights(tree)
    leaves, met = {}, {}
    for n, share in size.items():
        goal = min(promise[n], tree.tasks[n] * share)
        met[n] = tasks[n] * share >= goal
        leaves[tree.path[n]] = {
            "tasks": (tasks[n], 1 / share),
            "dominant_share": (tasks[n] * share, 1),
            "guarantee": (promise[n], 1),
            "met": met[n],
        }
    used, given = sums(tree, tasks), sums(tree, stated)

    def amounts(row: Sequence[Fraction | float]) -> dict[str, tuple[Fraction, Fraction]]:
        named = zip(tree.resources, row, tree.capacity, strict=True)
        return {name: (a * c, c) for name, a, c in named if isinstance(a, Fraction)}

    nodes = {
        tree.path[n]: {
            "used": amounts(used[n]),
            "guaranteed": amounts(given[n]),
            "limit": amounts(tree.limit[n]),
            "dominant_share": (max(used[n]), 1),
        }
        for n in range(1, len(tree.parent))
    }
    parts = {name: (a, 1) for name, a in zip(tree.resources, used[0], strict=True)}
    return {
        "used": parts,
        "guarantees_met": all(met.values()),
        "leaves": leaves,
        "nodes": nodes if tree.quotas else {},
    }


def sums(tree: Tree, tasks: Shares) -> list[list[Fraction]]:
    """What the tasks below each node use, as fractions of the capacity."""
    used = [[ZERO] * len(tree.resources) for _ in tree.parent]
    for n in range(len(used) - 1, -1, -1):
        if n in tasks:
            used[n] = [tasks[n] * a for a in tree.demand[n]]
        if n:
            up = used[tree.parent[n]]
            up[:] = [a + b for a, b in zip(up, used[n], strict=True)]
    return used


def differences(what: str, claimed: Any, true: Any) -> Iterator[str]:
    """A line for each number that is not what it has to be."""
    if isinstance(true, dict):
        for key, value in verify.fields(claimed, what, (), (*true, *NOT_JUDGED)).items():
            if key in true:
                yield from differences(f"{what}, {key}", value, true[key])
    elif isinstance(true, bool):
        if claimed is not true:
            yield f"{what}: it is {true}"
    else:
        exact, unit = true
        value = verify.need(claimed, Fraction, what)
        if abs(value - exact) > TOLERANCE * exact + SLACK * unit:
            yield f"{what}: {verify.decimal(exact)}, claimed {verify.decimal(value)}"


def judge_shares(tree: Tree, allocation: Object, say: Say) -> bool:
    """Whether an allocation has the exact fair shares, and what it says of them is true."""
    true = truth(tree)
    if tree.scaled:
        say("guarantees that are more than there is are scaled")
    leaves = verify.mapping(allocation.get("leaves"), "leaves")
    wrong = [
        f"{path}: says no tasks"
        for path in true["leaves"]
        if "tasks" not in verify.mapping(leaves.get(path, {}), "a leaf")
    ]
    for name in true:
        if name in allocation:
            wrong += differences(name, allocation[name], true[name])
    for line in wrong[:20]:
        say(line)
    say(f"exact fair shares of {len(true['leaves'])} leaves: {verify.word(not wrong)}")
    return not wrong
