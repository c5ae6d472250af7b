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
from ..quotas import DOMINANT, EACH, Quotas
from ..schedulers.amounts import MEMORY_NAMES, yarn_name
from ..schedulers.markup import xml_text
from ..schedulers.not_written import amounts_in_words, not_written
from .capacity import CALCULATOR, DOMINANT_CALCULATOR, PREFIX

CLOSE = 1e-6
"""Relative difference of amounts that are written as the same."""

WEIGHTS, PERCENTAGES, AMOUNTS = "weights", "percentages", "amounts"


def yarn_capacity_queues(hierarchy: Hierarchy) -> tuple[str, list[str]]:
    """The content of a capacity-scheduler.xml in weight mode.

    With weights of 0 in percentages, with guarantees that do not follow from the weights in
    amounts. Limits are maximum-capacity.

    Returns the file and notes for the operator. Raises `InputError` if a name has a `.`, a `,` or
    white space, or a group has no queue.
    """
    children = _children(hierarchy)
    writer = _Writer(hierarchy)
    root = Element("configuration")
    if not writer.memory_only:
        _property(root, CALCULATOR, DOMINANT_CALCULATOR)
    for n, path in enumerate(hierarchy.node_paths):
        place = ".".join(["root", *path.split("/")]) if n else "root"
        if n:
            for name, value in writer.settings(n).items():
                _property(root, f"{PREFIX}{place}.{name}", value)
        if n in children:
            if not children[n]:
                raise InputError(f"node {hierarchy.path(n)!r}: YARN needs a queue in each group")
            _property(root, f"{PREFIX}{place}.queues", ",".join(children[n]))
    return xml_text(root), writer.notes()


def _children(hierarchy: Hierarchy) -> dict[int, list[str]]:
    """Names of the queues of each group. Raises `InputError` for those that YARN does not take."""
    children: dict[int, list[str]] = {0: []}
    leaf = set(hierarchy.leaf.tolist())
    for n in range(1, hierarchy.nodes):
        name = hierarchy.names[n]
        if re.search(r"[.,\s]", name):
            raise InputError(
                f"node {hierarchy.path(n)!r}: YARN queue names hold no '.', ',' or white space"
            )
        children[int(hierarchy.parent[n])].append(name)
        if n not in leaf:
            children[n] = []
    return children


class _Writer:
    """Capacity and maximum of each queue, and what they do not say."""

    def __init__(self, hierarchy: Hierarchy) -> None:
        self.tree = hierarchy
        self.quotas = hierarchy.quotas or Quotas.none(hierarchy.nodes, len(hierarchy.resources))
        memory = hierarchy.counted
        self.memory_only = memory >= 0 and hierarchy.resources[memory] in MEMORY_NAMES
        self.columns = [memory] if self.memory_only else list(range(len(hierarchy.resources)))
        self.leaf = set(hierarchy.leaf.tolist())
        self.together = _sum_of_children(hierarchy, hierarchy.weight)
        # what the weights of all siblings, busy or not, give each node, shape (nodes, resources)
        parent, weight = hierarchy.parent, hierarchy.weight
        together = np.where(self.together == 0, 1.0, self.together)
        share = np.ones(hierarchy.nodes)
        for n in range(1, hierarchy.nodes):
            share[n] = share[parent[n]] * weight[n] / together[parent[n]]
        self.implied = np.asarray(share[:, None] * hierarchy.capacity, dtype=float)
        self.most = _most(hierarchy, self.quotas)
        self.mode = self._mode()
        self.unwritten: list[str] = []
        self.rounded = False

    def _mode(self) -> str:
        guarantee, weight = self.quotas.guarantee[1:], self.tree.weight[1:]
        stated = guarantee[:, self.columns]
        if stated.any() and not np.allclose(stated, self.implied[1:, self.columns], rtol=CLOSE):
            fits = ((stated > 0).all(axis=1) | (weight == 0)).all()
            if fits and not self._overcommitted():
                return AMOUNTS
        return PERCENTAGES if (weight == 0).any() and self._some_weight() else WEIGHTS

    def _overcommitted(self) -> bool:
        """Whether children are guaranteed more than their group, which YARN refuses."""
        above = self.quotas.guarantee.copy()
        above[0] = self.tree.capacity
        together = np.zeros_like(above)
        np.add.at(together, self.tree.parent[1:], self.quotas.guarantee[1:])
        return bool((together > above * (1 + CLOSE)).any())

    def _some_weight(self) -> bool:
        """Whether every group has a child of weight above 0."""
        groups = np.unique(self.tree.parent[1:])
        if (self.together[groups] > 0).all():
            return True
        n = int(groups[self.together[groups] == 0][0])
        raise InputError(
            f"node {self.tree.path(n)!r}: all weights in it are 0, and YARN takes no such group"
        )

    def settings(self, n: int) -> dict[str, str]:
        tree = self.tree
        if self.mode == AMOUNTS:
            every = range(len(tree.resources))
            found = {"capacity": self._vector(self.quotas.guarantee[n], every)}
            if self._limited(n):
                found["maximum-capacity"] = self._vector(self.most[n], self.columns)
        else:
            if self.mode == WEIGHTS:
                found = {"capacity": f"{float(tree.weight[n])!r}w"}
            else:
                together = self.together[tree.parent[n]]
                found = {"capacity": repr(float(100 * tree.weight[n] / together))}
            found |= self._maximum(n)
        return found | self._user_factor(n)

    def _limited(self, n: int) -> bool:
        return bool(np.isfinite(self.quotas.limit[n, self.columns]).any())

    def _maximum(self, n: int) -> dict[str, str]:
        """The limit as a percentage of what the group can hold, if it is one of all resources."""
        if not self._limited(n):
            return {}
        parts = (self.most[n] / self.most[self.tree.parent[n]])[self.columns]
        if parts.max() - parts.min() > CLOSE * parts.max() or not parts.max() > 0:
            limit = self.tree.quota_of(n)["limit"]
            self.unwritten.append(f"{self.tree.path(n)} ({amounts_in_words(limit)})")
            return {}
        own = 100 * float(parts[0])
        guaranteed = (self.implied[n] / self.most[n])[self.columns].max()
        if guaranteed > 1 + CLOSE:
            limit = self.tree.quota_of(n)["limit"]
            self.unwritten.append(f"{self.tree.path(n)} ({amounts_in_words(limit)})")
            return {}
        return {"maximum-capacity": f"{own:.10g}"} if own < 100 else {}

    def _user_factor(self, n: int) -> dict[str, str]:
        """So much that one user alone can fill a leaf."""
        if n not in self.leaf:
            return {}
        own = self.quotas.guarantee if self.mode == AMOUNTS else self.implied
        with np.errstate(divide="ignore", invalid="ignore"):
            factor = (self.most[n] / own[n])[self.columns].max()
        if factor <= 1 + CLOSE:
            return {}
        return {"user-limit-factor": f"{math.ceil(factor - CLOSE) if factor < MOST_FACTOR else -1}"}

    def _vector(self, amounts: FloatArray, columns: Sequence[int]) -> str:
        """`[memory=4096,vcores=4]`."""
        self.rounded |= bool((amounts != np.floor(amounts)).any())
        named = (
            f"{yarn_name(self.tree.resources[j]).replace('memory-mb', 'memory')}="
            f"{math.floor(amounts[j])}"
            for j in columns
        )
        return f"[{','.join(named)}]"

    def notes(self) -> list[str]:
        """What the operator has to do, and what the file does not say."""
        notes = ["yarn.resourcemanager.scheduler.class must be the CapacityScheduler"]
        quotas = self.tree.quotas
        notes.append(
            "YARN gives capacities back to their queues only with "
            "yarn.resourcemanager.scheduler.monitor.enable = true in yarn-site.xml, and divides "
            "what is idle by them only with yarn.resourcemanager.monitor.capacity.preemption."
            "preemption-to-balance-queue-after-satisfied.enabled = true"
        )
        if quotas is None:
            return notes
        if quotas.shares != DOMINANT and not self.memory_only and len(self.tree.resources) > 1:
            what = "each resource for itself" if quotas.shares == EACH else quotas.shares
            notes.append(f"YARN shares the dominant resource, or memory alone; here it is {what}")
        if self.mode == AMOUNTS:
            notes.append(
                "amounts are numbers in the units of the hierarchy: YARN takes memory in MB"
            )
            if self.rounded:
                notes.append("amounts are rounded down to whole numbers")
            notes += self._lost_weights()
        else:
            lost = []
            for n in range(1, self.tree.nodes):
                stated = self.quotas.guarantee[n]
                differs = ~np.isclose(stated, self.implied[n], rtol=CLOSE)
                if (differs & (stated > 0)).any():
                    lost.append(n)
            notes += not_written(self.tree, ("guarantee",), lost)
        if self.unwritten:
            notes.append(
                "not written, as a maximum-capacity is one percentage of all resources and not "
                f"below the capacity: the limit of {listed(self.unwritten)}"
            )
        return notes + not_written(self.tree, ("reserve", "priority"))

    def _lost_weights(self) -> list[str]:
        """Weights that capacities do not have."""
        tree = self.tree
        part = (self.quotas.guarantee / tree.capacity)[:, self.columns].max(axis=1)
        parts, lost = _sum_of_children(tree, part), []
        for n in range(1, tree.nodes):
            together, weights = parts[tree.parent[n]], self.together[tree.parent[n]]
            if abs(part[n] * weights - tree.weight[n] * together) > CLOSE * weights * together:
                lost.append(f"{tree.path(n)} ({tree.weight[n]:g})")
        if not lost:
            return []
        return [f"not written, as capacities are the weights: the weight of {listed(lost)}"]


MOST_FACTOR = 1e6
"""Factors above this are none."""


def _sum_of_children(hierarchy: Hierarchy, amount: FloatArray) -> FloatArray:
    """Shape (nodes,)."""
    found = np.zeros(hierarchy.nodes)
    np.add.at(found, hierarchy.parent[1:], amount[1:])
    return found


def _most(hierarchy: Hierarchy, quotas: Quotas) -> FloatArray:
    """What each queue can hold under all limits above it, shape (nodes, resources)."""
    most = quotas.limit.copy()
    most[0] = hierarchy.capacity
    for n in range(1, hierarchy.nodes):
        most[n] = np.minimum(most[n], most[hierarchy.parent[n]])
    return most


def _property(root: Element, name: str, value: str) -> None:
    element = SubElement(root, "property")
    SubElement(element, "name").text = name
    SubElement(element, "value").text = value
