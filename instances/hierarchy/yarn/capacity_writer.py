"""YARN's Capacity Scheduler: capacity-scheduler.xml, written."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from ....core.arrays import FloatArray
from ....core.errors import InputError
from ....core.wording import listed
from ..hierarchy import Hierarchy
from ..quotas import Quotas
from ..schedulers.amounts import yarn_name
from ..schedulers.markup import xml_text
from ..schedulers.not_written import amounts_in_words, memory_alone, not_written, notes_of_yarn
from .capacity import CALCULATOR, DOMINANT_CALCULATOR, MOST, PREFIX, USER_FACTOR

CLOSE = 1e-6
"""Relative difference of amounts that are written as the same."""

MOST_FACTOR = 1e6
"""Factors above this are none."""

WEIGHTS, PERCENTAGES, AMOUNTS = "weights", "percentages", "amounts"


def yarn_capacity_queues(hierarchy: Hierarchy) -> tuple[str, list[str]]:
    """The content of a capacity-scheduler.xml in weight mode.

    With weights of 0 in percentages, with guarantees that do not follow from the weights in
    amounts. Limits are maximum-capacity.

    Returns the file and notes for the operator. Raises `InputError` if a name has a `.`, a `,` or
    white space, or a group has no queue.
    """
    leaf, children = set(hierarchy.leaf.tolist()), dict[int, list[str]]()
    for n, name in enumerate(hierarchy.names):
        if n not in leaf:
            children[n] = []
        if n:
            children[int(hierarchy.parent[n])].append(name)
            if re.search(r"[.,\s]", name):
                raise InputError(
                    f"node {hierarchy.path(n)!r}: YARN queue names hold no '.', ',' or white space"
                )
    writer, root = _Writer(hierarchy), Element("configuration")
    properties = {} if writer.memory_only else {CALCULATOR: DOMINANT_CALCULATOR}
    for n, path in enumerate(hierarchy.node_paths):
        place = PREFIX + ".".join(["root", *path.split("/")] if n else ["root"])
        if n:
            settings = writer.settings(n, is_leaf=n in leaf)
            properties |= {f"{place}.{name}": value for name, value in settings.items()}
        if n in children:
            if not children[n]:
                raise InputError(f"node {hierarchy.path(n)!r}: YARN needs a queue in each group")
            properties[f"{place}.queues"] = ",".join(children[n])
    for name, value in properties.items():
        element = SubElement(root, "property")
        SubElement(element, "name").text = name
        SubElement(element, "value").text = value
    return xml_text(root), writer.notes()


class _Writer:
    """Capacity and maximum of each queue, and what they do not say."""

    def __init__(self, tree: Hierarchy) -> None:
        self.tree = tree
        self.quotas = tree.quotas or Quotas.none(tree.nodes, len(tree.resources))
        self.memory_only = memory_alone(tree)
        self.columns = [tree.counted] if self.memory_only else list(range(len(tree.resources)))
        self.together = self._of_siblings(tree.weight)
        """Weight of all siblings of each node, busy or not, shape (nodes,)."""
        share, self.most = np.ones(tree.nodes), self.quotas.limit.copy()
        """`most`: what each queue can hold under all limits, shape (nodes, resources)."""
        self.most[0] = tree.capacity
        for n, up in enumerate(tree.parent[1:].tolist(), 1):
            share[n] = share[up] * tree.weight[n] / (self.together[n] or 1.0)
            self.most[n] = np.minimum(self.most[n], self.most[up])
        self.implied: FloatArray = share[:, None] * tree.capacity
        """What weights alone would guarantee, shape (nodes, resources)."""
        self.mode = self._mode()
        self.unwritten: list[str] = []

    def _of_siblings(self, amount: FloatArray) -> FloatArray:
        """The sum over each node and its siblings, shape (nodes,)."""
        together = np.zeros(self.tree.nodes)
        np.add.at(together, self.tree.parent[1:], amount[1:])
        sums: FloatArray = together[np.maximum(self.tree.parent, 0)]
        return sums

    def _mode(self) -> str:
        """Raises `InputError` for a group in which all weights are 0."""
        tree, guarantee, weight = self.tree, self.quotas.guarantee, self.tree.weight[1:]
        stated = guarantee[1:, self.columns]
        if stated.any() and not np.allclose(stated, self.implied[1:, self.columns], rtol=CLOSE):
            above, together = guarantee.copy(), np.zeros_like(guarantee)
            above[0] = tree.capacity
            np.add.at(together, tree.parent[1:], guarantee[1:])
            # YARN refuses children that are guaranteed more than their group.
            fits = (together <= above * (1 + CLOSE)).all()
            if fits and ((stated > 0).all(axis=1) | (weight == 0)).all():
                return AMOUNTS
        if not (weight == 0).any():
            return WEIGHTS
        for n in np.unique(tree.parent[1:]).tolist():
            if not weight[tree.parent[1:] == n].any():
                raise InputError(
                    f"node {tree.path(n)!r}: all weights in it are 0, and YARN takes no such group"
                )
        return PERCENTAGES

    def settings(self, n: int, *, is_leaf: bool) -> dict[str, str]:
        """The properties of a queue: its capacity, its maximum, and how far one user can go."""
        columns, own = self.columns, self.implied
        limited = np.isfinite(self.quotas.limit[n, columns]).any()
        if self.mode == AMOUNTS:
            own = self.quotas.guarantee
            found = {"capacity": self._vector(own[n], range(len(self.tree.resources)))}
            if limited:
                found[MOST] = self._vector(self.most[n], columns)
        else:
            weight = float(self.tree.weight[n])
            found = {"capacity": f"{weight!r}w"}
            if self.mode == PERCENTAGES:
                found = {"capacity": repr(float(100 * weight / self.together[n]))}
            if limited:
                found |= self._maximum(n)
        if is_leaf:
            with np.errstate(divide="ignore", invalid="ignore"):
                factor = (self.most[n] / own[n])[columns].max()
            if not factor <= 1 + CLOSE:  # Not a number where it has nothing of one resource.
                bounded = factor < MOST_FACTOR
                found[USER_FACTOR] = f"{math.ceil(factor - CLOSE)}" if bounded else "-1"
        return found

    def _maximum(self, n: int) -> dict[str, str]:
        """The limit as a percentage of what the group can hold, if it is one of all resources."""
        parts = (self.most[n] / self.most[self.tree.parent[n]])[self.columns]
        differ = parts.max() - parts.min() > CLOSE * parts.max() or not parts.max() > 0
        if differ or (self.implied[n] / self.most[n])[self.columns].max() > 1 + CLOSE:
            limit = amounts_in_words(self.tree.quota_of(n)["limit"])
            self.unwritten.append(f"{self.tree.path(n)} ({limit})")
            return {}
        own = 100 * float(parts[0])
        return {MOST: f"{own:.10g}"} if own < 100 else {}

    def _vector(self, amounts: FloatArray, columns: Sequence[int]) -> str:
        """`[memory=4096,vcores=4]`."""
        named = (
            f"{yarn_name(self.tree.resources[j]).replace('memory-mb', 'memory')}="
            f"{math.floor(amounts[j])}"
            for j in columns
        )
        return f"[{','.join(named)}]"

    def notes(self) -> list[str]:
        """What the operator has to do, and what the file does not say."""
        notes = ["yarn.resourcemanager.scheduler.class must be the CapacityScheduler"]
        tree, guarantee = self.tree, self.quotas.guarantee
        notes.append(
            "YARN gives capacities back to their queues only with "
            "yarn.resourcemanager.scheduler.monitor.enable = true in yarn-site.xml, and divides "
            "what is idle by them only with yarn.resourcemanager.monitor.capacity.preemption."
            "preemption-to-balance-queue-after-satisfied.enabled = true"
        )
        if tree.quotas is None:
            return notes
        below = range(1, tree.nodes)
        if self.mode == AMOUNTS:
            notes += notes_of_yarn(tree, np.stack([guarantee, self.quotas.limit]))
            part = (guarantee / tree.capacity)[:, self.columns].max(axis=1)
            parts, by_weight = part * self.together, tree.weight * self._of_siblings(part)
            close = CLOSE * self.together * self._of_siblings(part)
            lost = [n for n in below if abs(parts[n] - by_weight[n]) > close[n]]
            if lost:
                weights = listed(f"{tree.path(n)} ({tree.weight[n]:g})" for n in lost)
                notes.append(f"not written, as capacities are the weights: the weight of {weights}")
        else:
            notes += notes_of_yarn(tree, None)
            other = ~np.isclose(guarantee, self.implied, rtol=CLOSE) & (guarantee > 0)
            notes += not_written(tree, ("guarantee",), [n for n in below if other[n].any()])
        if self.unwritten:
            notes.append(
                "not written, as a maximum-capacity is one percentage of all resources and not "
                f"below the capacity: the limit of {listed(self.unwritten)}"
            )
        return notes + not_written(tree, ("reserve", "priority"))
