"""Steps of a fluid allocation in words."""

from __future__ import annotations

from collections.abc import Sequence

from ....core.wording import MOST_NAMED, listed, number
from ....instances.hierarchy.hierarchy import Hierarchy
from ..record import Candidate, Fact, Row, Step
from .flat_filling import Flattened
from .rises import Event, Rise, load, same

MOST_SHOWN = 8
"""Events that a step shows as what may come next."""


class Narrator:
    """Makes steps of stages and rises.

    `siblings_first`: whether siblings take up what a leaf leaves that has all its tasks.
    """

    def __init__(self, tree: Hierarchy, *, siblings_first: bool = False) -> None:
        self.tree, self._siblings_first = tree, siblings_first
        self.steps: list[Step] = []
        self._demand = tree.normalised.tolist()
        self._stage = 0

    def flatten(self, flat: Flattened, rule: str, before: str, after: str = "") -> None:
        """A tree is turned into flat weights."""
        self._stage += 1
        tree, text = self.tree, before
        facts: dict[str, Fact] = {"stage": self._stage}
        facts |= {
            f"the root wants {resource}": flat.demand[0][j]
            for j, resource in enumerate(tree.resources)
        }
        groups = [n for n in range(1, tree.nodes) if flat.mu[n] > 0]
        parts = []
        for n in groups:
            name, most = (
                tree.path(n),
                max(range(len(tree.resources)), key=flat.demand[n].__getitem__),
            )
            facts |= {
                f"{name} wants {resource}": flat.demand[n][j]
                for j, resource in enumerate(tree.resources)
            }
            parts.append(f"{name} {number(flat.mu[n])} ({tree.resources[most]})")
        if parts:
            text += (
                "What a group wants of each resource is the sum over its children, by weight; the "
                f"most of it is its μ: {listed(parts)}. A leaf rises by the weights on its way "
                "from the root, over the μ of its groups. "
            )
        else:
            text += "There are no groups below the root: every leaf rises by its weight. "
        self._flat(flat.weight, rule, text + after, facts)

    def keep(self, weight: list[float], rule: str, text: str) -> None:
        """Leaves go on by given flat weights.

        `weight`: flat weight of each leaf, 0 where it does not rise.
        """
        self._stage += 1
        self._flat(weight, rule, text, {"stage": self._stage})

    def _flat(self, weight: list[float], rule: str, text: str, facts: dict[str, Fact]) -> None:
        tree = self.tree
        rising = [i for i, w in enumerate(weight) if w > 0]
        rates = [f"{tree.paths[i]} {number(weight[i])}" for i in rising]
        text += f"For each unit of the root's level the leaves gain: {listed(rates)}."
        self.steps.append(
            Step(
                kind="order",
                title=f"stage {self._stage}: who rises, and how fast",
                rule=rule,
                text=text,
                candidates=tuple(
                    Candidate(
                        i,
                        tree.paths[i],
                        {
                            "flat weight": weight[i],
                            "guarantee": float(tree.guarantee[i]),
                            **self._needs(i),
                        },
                    )
                    for i in rising
                ),
                facts=facts | {"leaves not named": max(0, len(rising) - MOST_NAMED)},
            )
        )

    def rise(self, rise: Rise, full: Sequence[int] = (), stopped: Sequence[int] = ()) -> None:
        """Leaves rise until something happens."""
        ending, others = self._divided(rise, full)
        moving = [i for i in range(self.tree.leaves) if rise.after[i] > rise.before[i]]
        tree = self.tree
        parts = [
            f"{tree.paths[i]} to {number(rise.after[i])} ({number(rise.rates[i])} per level)"
            for i in moving
        ]
        levels = f"Between the levels {number(rise.begin)} and {number(rise.end)}"
        verb = "these leaves rise" if len(moving) > 1 else "one leaf rises"
        text = f"{levels} {verb}: {listed(parts)}. " + self._what(ending, stopped, rise)
        if others:
            text += f" {self._next(others[0], rise)}"
        order = [*ending, *others]
        self.steps.append(
            Step(
                kind="fill",
                title=f"stage {self._stage}: {self._short(ending)}",
                rule={"resource": "full", "tasks": "all tasks", "rises": "catches up"}[
                    ending[0].what
                ],
                text=text,
                candidates=tuple(self._candidate(event, rise) for event in order[:MOST_SHOWN]),
                chosen=0,
                loser=len(ending) if others and len(ending) < MOST_SHOWN else None,
                left_out=max(0, len(order) - MOST_SHOWN),
                facts=self._facts(rise, moving, stopped),
                rows=tuple(self._bar(rise, i) for i in moving),
            )
        )

    def _divided(self, rise: Rise, full: Sequence[int]) -> tuple[list[Event], list[Event]]:
        """The events that end a rise, those of full resources first, and the others."""
        ending = [event for event in rise.happened if event.what != "resource"]
        known = {event.number: event for event in rise.events if event.what == "resource"}
        now = [known.get(j, Event("resource", j, rise.end)) for j in full]
        if not full:
            now = [event for event in rise.happened if event.what == "resource"]
        ending = [*(Event("resource", event.number, rise.end) for event in now), *ending]
        if not ending:
            ending = [rise.events[0]]
        gone = {(event.what, event.number) for event in ending}
        return ending, [event for event in rise.events if (event.what, event.number) not in gone]

    def _what(self, ending: Sequence[Event], stopped: Sequence[int], rise: Rise) -> str:
        tree = self.tree
        texts = []
        full = [tree.resources[event.number] for event in ending if event.what == "resource"]
        if full:
            text = f"Then {listed(full)} {'is' if len(full) == 1 else 'are'} full"
            if stopped:
                some = [tree.paths[i] for i in stopped]
                text += f": {listed(some)} {'needs' if len(some) == 1 else 'need'} it and "
                text += "stops." if len(some) == 1 else "stop."
            else:
                text += "."
            texts.append(text)
        done = [tree.paths[e.number] for e in ending if e.what == "tasks"]
        if done:
            one = len(done) == 1
            text = f"{'Then' if not texts else 'At once'} {listed(done)} "
            text += "has all its tasks and stays" if one else "have all their tasks and stay"
            if self._siblings_first:
                text += "; what is left of its part" if one else "; what is left of their parts"
                text += " goes to siblings first"
            texts.append(f"{text}.{self._whole_groups(ending, rise)}")
        caught = [tree.paths[e.number] for e in ending if e.what == "rises"]
        if caught:
            verb = (
                "begins to rise above what it had"
                if len(caught) == 1
                else ("begin to rise above what they had")
            )
            texts.append(f"{'Then' if not texts else 'At once'} {listed(caught)} {verb}.")
        return " ".join(texts)

    def _whole_groups(self, ending: Sequence[Event], rise: Rise) -> str:
        """Groups below the root that have all their tasks with these events."""
        tree = self.tree
        above: dict[int, list[int]] = {}
        for i, n in enumerate(tree.leaf.tolist()):
            up = int(tree.parent[n])
            while up > 0:
                above.setdefault(up, []).append(i)
                up = int(tree.parent[up])
        now = {event.number for event in ending if event.what == "tasks"}
        most = tree.most_share.tolist()
        groups = [
            tree.path(n)
            for n, leaves in sorted(above.items())
            if now & set(leaves)
            and all(i in now or rise.after[i] >= most[i] or most[i] == 0 for i in leaves)
        ]
        if not groups:
            return ""
        if len(groups) == 1:
            return f" With that group {groups[0]} is at its limit."
        return f" With that groups {listed(groups)} are at their limits."

    def _next(self, event: Event, rise: Rise) -> str:
        """What would have come next."""
        tree = self.tree
        name = (
            tree.resources[event.number] if event.what == "resource" else tree.paths[event.number]
        )
        verb = {
            "resource": "would have been full",
            "tasks": "would have had all its tasks",
            "rises": "would have begun to rise",
        }[event.what]
        if same(event.level, rise.end):
            return f"At these rates {name} {verb} at the same level."
        later = number(event.level - rise.end)
        return f"At these rates {name} {verb} next, at level {number(event.level)}, {later} later."

    def _short(self, ending: Sequence[Event]) -> str:
        first = ending[0]
        if first.what == "resource":
            full = [self.tree.resources[e.number] for e in ending if e.what == "resource"]
            return f"{listed(full, 3)} {'is' if len(full) == 1 else 'are'} full"
        names = [self.tree.paths[e.number] for e in ending if e.what == first.what]
        one = len(names) == 1
        if first.what == "tasks":
            return f"{listed(names, 3)} {'has' if one else 'have'} all tasks"
        return f"{listed(names, 3)} {'rises' if one else 'rise'} too"

    def _candidate(self, event: Event, rise: Rise) -> Candidate:
        tree = self.tree
        at: dict[str, Fact] = {"at level": event.level, "later by": event.level - rise.end}
        if event.what == "resource":
            return Candidate(None, f"{tree.resources[event.number]} is full", at)
        path = tree.paths[event.number]
        if event.what == "tasks":
            share = float(tree.most_share[event.number])
            return Candidate(event.number, f"{path} has all its tasks", {**at, "share": share})
        return Candidate(event.number, f"{path} begins to rise", at)

    def _facts(self, rise: Rise, moving: Sequence[int], stopped: Sequence[int]) -> dict[str, Fact]:
        tree = self.tree
        facts: dict[str, Fact] = {
            "stage": self._stage,
            "level before": rise.begin,
            "level after": rise.end,
        }
        for i in moving:
            facts[f"share of {tree.paths[i]}"] = rise.after[i]
            facts[f"rate of {tree.paths[i]}"] = rise.rates[i]
        for j, resource in enumerate(tree.resources):
            facts[f"{resource} used"] = load(rise.after, self._demand, j)
        facts["leaves that rise, not named"] = max(0, len(moving) - MOST_NAMED)
        facts["leaves that stop, not named"] = max(0, len(stopped) - MOST_NAMED)
        return facts

    def _needs(self, i: int) -> dict[str, Fact]:
        return {
            f"uses {resource}": self._demand[i][j] for j, resource in enumerate(self.tree.resources)
        }

    def _bar(self, rise: Rise, i: int) -> Row:
        return Row(
            i,
            rise.before[i],
            rise.after[i],
            number(rise.after[i]),
            int(self.tree.parent[self.tree.leaf[i]]),
            job=self.tree.paths[i],
        )
