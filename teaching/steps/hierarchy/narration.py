"""Steps of a fluid allocation in words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ....core.arrays import FloatArray
from ....core.wording import MOST_NAMED, listed, number, sentences
from ....instances.hierarchy.hierarchy import Hierarchy
from ..record import Candidate, Fact, Row, Step
from ..telling import FactKeeper, few
from .filling import Event, Flattened, Rise, same

MOST_SHOWN = 8
"""Events that a step shows as what may come next."""

RULES = {"resource": "full", "tasks": "all tasks", "rises": "catches up"}


class Narrator:
    """Makes steps of stages and rises.

    `siblings_first`: whether siblings take up what a leaf leaves that has all its tasks.
    """

    def __init__(self, tree: Hierarchy, *, siblings_first: bool = False) -> None:
        self.tree, self._siblings_first = tree, siblings_first
        self.steps: list[Step] = []
        self._stage = 0

    def flatten(self, flat: Flattened, rule: str, before: str, after: str = "") -> None:
        """A tree is turned into flat weights."""
        tree, keeper, parts = self.tree, FactKeeper(), []
        for n in [0, *(n for n in range(1, tree.nodes) if flat.mu[n] > 0)]:
            name = tree.path(n) if n else "the root"
            for resource, wants in zip(tree.resources, flat.demand[n], strict=True):
                keeper.number(f"{name} wants {resource}", float(wants))
            most = tree.resources[int(flat.demand[n].argmax())]
            parts.append(f"{name} {number(flat.mu[n])} ({most})")
        text = "There are no groups below the root: every leaf rises by its weight"
        if parts[1:]:
            text = (
                "What a group wants of each resource is the sum over its children, by weight; the "
                f"most of it is its μ: {listed(parts[1:])}. A leaf rises by the weights on its way "
                "from the root, over the μ of its groups"
            )
        self.keep(flat.weight, rule, sentences(before, text, after), keeper)

    def keep(
        self, weight: FloatArray, rule: str, text: str, keeper: FactKeeper | None = None
    ) -> None:
        """Leaves rise by given flat weights, 0 where one does not rise."""
        keeper, tree = keeper or FactKeeper(), self.tree
        self._stage += 1
        keeper.facts["stage"] = self._stage
        rising = np.flatnonzero(weight > 0).tolist()
        rates = [f"{tree.paths[i]} {number(float(weight[i]))}" for i in rising]
        keeper.facts["leaves not named"] = max(0, len(rising) - MOST_NAMED)
        self.steps.append(
            Step(
                kind="order",
                title=f"stage {self._stage}: who rises, and how fast",
                rule=rule,
                text=sentences(
                    text, f"For each unit of the root's level the leaves gain: {listed(rates)}"
                ),
                candidates=tuple(self._leaf(i, float(weight[i])) for i in rising),
                facts=keeper.facts,
            )
        )

    def _leaf(self, i: int, weight: float) -> Candidate:
        tree = self.tree
        uses = zip(tree.resources, tree.normalised[i].tolist(), strict=True)
        facts: dict[str, Fact] = {"flat weight": weight, "guarantee": float(tree.guarantee[i])}
        return Candidate(i, tree.paths[i], facts | {f"uses {r}": amount for r, amount in uses})

    def rise(self, rise: Rise, full: Sequence[int] = (), stopped: Sequence[int] = ()) -> None:
        """Leaves rise until something happens: perhaps resources are full, and leaves stop."""
        tree, keeper = self.tree, FactKeeper()
        keeper.facts["stage"] = self._stage
        ending = [event for event in rise.events if same(event.level, rise.end)]
        if full:
            ending = [event for event in ending if event.what != "resource"]
            ending = [*(Event("resource", j, rise.end) for j in full), *ending]
        gone = {(event.what, event.number) for event in ending}
        others = [event for event in rise.events if (event.what, event.number) not in gone]
        moving = np.flatnonzero(rise.after > rise.before).tolist()
        parts = []
        for i in moving:
            share = keeper.number(f"share of {tree.paths[i]}", float(rise.after[i]))
            rate = keeper.number(f"rate of {tree.paths[i]}", float(rise.rates[i]))
            parts.append(f"{tree.paths[i]} to {share} ({rate} per level)")
        for j, used in enumerate((rise.after @ tree.normalised).tolist()):
            keeper.facts[f"{tree.resources[j]} used"] = used
        keeper.facts["leaves that rise, not named"] = max(0, len(moving) - MOST_NAMED)
        keeper.facts["leaves that stop, not named"] = max(0, len(stopped) - MOST_NAMED)
        levels = [
            keeper.number(name, level)
            for name, level in (("level before", rise.begin), ("level after", rise.end))
        ]
        verb = _by(moving, "one leaf rises", "these leaves rise")
        keeper.say(f"Between the levels {levels[0]} and {levels[1]} {verb}: {listed(parts)}")
        self._tell_end(ending, stopped, rise, keeper)
        if others:
            self._tell_next(others[0], rise, keeper)
        first = ending[0].what
        names = [self._name(event) for event in ending if event.what == first]
        short = {
            "resource": _by(names, "is full", "are full"),
            "tasks": _by(names, "has all tasks", "have all tasks"),
            "rises": _by(names, "rises too", "rise too"),
        }[first]
        candidates = [self._candidate(event, rise) for event in (*ending, *others)]
        loser = len(ending) if others and len(ending) < MOST_SHOWN else None
        self.steps.append(
            Step(
                "fill",
                f"stage {self._stage}: {listed(names, 3)} {short}",
                RULES[first],
                keeper.text,
                **few(candidates, 0, loser, MOST_SHOWN),
                facts=keeper.facts,
                rows=tuple(self._bar(rise, i) for i in moving),
            )
        )

    def _name(self, event: Event) -> str:
        names = self.tree.resources if event.what == "resource" else self.tree.paths
        return names[event.number]

    def _tell_end(
        self, ending: Sequence[Event], stopped: Sequence[int], rise: Rise, keeper: FactKeeper
    ) -> None:
        then = "Then"
        for what in RULES:
            names = [self._name(event) for event in ending if event.what == what]
            if not names:
                continue
            text = _by(
                names, "begins to rise above what it had", "begin to rise above what they had"
            )
            if what == "resource":
                text = _by(names, "is full", "are full")
                if stopped:
                    some = listed([self.tree.paths[i] for i in stopped])
                    text += f": {some} {_by(stopped, 'needs it and stops', 'need it and stop')}"
            elif what == "tasks":
                text = _by(names, "has all its tasks and stays", "have all their tasks and stay")
                if self._siblings_first:
                    parts = _by(names, "its part", "their parts")
                    text += f"; what is left of {parts} goes to siblings first"
            keeper.say(f"{then} {listed(names)} {text}")
            then = "At once"
        groups = self._whole_groups({e.number for e in ending if e.what == "tasks"}, rise)
        if groups:
            limit = _by(groups, "is at its limit", "are at their limits")
            keeper.say(f"With that {_by(groups, 'group', 'groups')} {listed(groups)} {limit}")

    def _whole_groups(self, now: set[int], rise: Rise) -> list[str]:
        """Groups below the root that have all their tasks now that these leaves have."""
        tree = self.tree
        above: dict[int, list[int]] = {}
        for i, n in enumerate(tree.leaf.tolist()):
            while (n := int(tree.parent[n])) > 0:
                above.setdefault(n, []).append(i)
        done = rise.after >= tree.most_share
        return [
            tree.path(n)
            for n, leaves in sorted(above.items())
            if now & set(leaves) and done[leaves].all()
        ]

    def _tell_next(self, event: Event, rise: Rise, keeper: FactKeeper) -> None:
        """What would have come next."""
        verb = {
            "resource": "would have been full",
            "tasks": "would have had all its tasks",
            "rises": "would have begun to rise",
        }[event.what]
        when = "at the same level"
        if not same(event.level, rise.end):
            level, later = number(event.level), number(event.level - rise.end)
            when = f"next, at level {level}, {later} later"
        keeper.say(f"At these rates {self._name(event)} {verb} {when}")

    def _candidate(self, event: Event, rise: Rise) -> Candidate:
        at: dict[str, Fact] = {"at level": event.level, "later by": event.level - rise.end}
        what = {"resource": "is full", "tasks": "has all its tasks", "rises": "begins to rise"}
        lane = None if event.what == "resource" else event.number
        if event.what == "tasks":
            at["share"] = float(self.tree.most_share[event.number])
        return Candidate(lane, f"{self._name(event)} {what[event.what]}", at)

    def _bar(self, rise: Rise, i: int) -> Row:
        before, after = float(rise.before[i]), float(rise.after[i])
        group = int(self.tree.parent[self.tree.leaf[i]])
        return Row(i, before, after, number(after), group, job=self.tree.paths[i])


def _by(some: Sequence[object], one: str, many: str) -> str:
    return one if len(some) == 1 else many
