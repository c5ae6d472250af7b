"""Two hierarchies with the same leaves: who gains and who loses, whoever is busy.

For a set S of busy leaves shares are unique, so the worst loss of a leaf, over all S that hold it,
is a number. Up to `MOST_EXACT` leaves all sets are tried; beyond, a search gives a loss that does
happen, and for one resource a bound that none exceeds.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from ....core.arrays import BoolArray, FloatArray
from ....core.errors import InputError
from ....core.kernels.decorators import plain
from ....instances.hierarchy.hierarchy import Hierarchy
from ..exact import exact
from .clamps import divide_sets
from .exact import feasible_quotas

MOST_EXACT = 20
"""Most leaves of which all busy sets are tried with one resource."""

MOST_EXACT_SEVERAL = 12
"""The same with several resources, of which each set takes longer."""

FEW = 7
"""Most leaves whose sets take less time without compiling."""

STARTS = 12
"""Starts of the search for the worst set of a leaf."""


@dataclass(frozen=True)
class LeafComparison:
    """What becomes of a leaf, in points of dominant share (0 to 1)."""

    leaf: str
    """Its path in the first hierarchy."""
    all_busy: tuple[float, float]
    """Its share in both when every leaf is busy."""
    worst_loss: float
    """The most that it loses, over who is busy; 0 if it never loses."""
    worst_with: tuple[str, ...]
    """Who is busy then."""
    best_gain: float
    """The most that it gains."""
    loss_at_most: float | None
    """A bound on its loss, the loss itself where all sets were tried; None where none is known."""


@dataclass(frozen=True)
class Comparison:
    """The comparison of two hierarchies."""

    leaves: tuple[LeafComparison, ...]
    """Every leaf of both."""
    only_first: tuple[str, ...]
    """Leaves in one of them alone."""
    only_second: tuple[str, ...]
    """Leaves in one of them alone."""
    every_set: bool
    """Whether all sets of busy leaves were tried, so that the worst losses are exact."""

    def harmless(self, tolerance: float) -> bool:
        """Whether nobody is lost and nobody loses more than `tolerance`."""
        return not (self.only_first or self.only_second) and all(
            leaf.worst_loss <= tolerance for leaf in self.leaves
        )

    def document(self) -> dict[str, Any]:
        """The comparison as plain data for JSON."""
        return asdict(self)


def compare_hierarchies(
    first: Hierarchy, second: Hierarchy, leaf_map: Mapping[str, str] | None = None
) -> Comparison:
    """Compare the exact shares of two hierarchies, leaf by leaf.

    Leaves belong together by `leaf_map`, by path, or else by name.
    Raises `InputError` if they share no leaf, or if guarantees do not fit.
    """
    pairs = _pairs(first, second, dict(leaf_map or {}))
    if not pairs:
        raise InputError("the two hierarchies have no leaf in common: give --leaf-map")
    with plain() if len(pairs) <= FEW else nullcontext():
        return _compared(first, second, pairs)


def _compared(first: Hierarchy, second: Hierarchy, pairs: list[tuple[int, int]]) -> Comparison:
    ours, theirs = [i for i, _ in pairs], [k for _, k in pairs]
    trees = _Side(first, ours), _Side(second, theirs)
    simple = all(len(tree.resources) == 1 for tree in (first, second))
    every = len(pairs) <= (MOST_EXACT if simple else MOST_EXACT_SEVERAL)
    loss, gain, busy = (_enumerated if every else _searched)(*trees, len(pairs))
    everybody = np.ones((1, len(pairs)), dtype=np.bool_)
    all_busy = [side.shares(everybody)[0] for side in trees]
    bound = loss if every else _bounds(*trees, loss) if simple else None
    return Comparison(
        tuple(
            LeafComparison(
                first.paths[i],
                (float(all_busy[0][p]), float(all_busy[1][p])),
                float(loss[p]),
                tuple(first.paths[ours[b]] for b in np.flatnonzero(busy[p]).tolist()),
                float(gain[p]),
                None if bound is None else float(bound[p]),
            )
            for p, (i, _) in enumerate(pairs)
        ),
        tuple(path for i, path in enumerate(first.paths) if i not in set(ours)),
        tuple(path for k, path in enumerate(second.paths) if k not in set(theirs)),
        every,
    )


def _pairs(first: Hierarchy, second: Hierarchy, named: dict[str, str]) -> list[tuple[int, int]]:
    for path, other in named.items():
        first.leaf_at(path), second.leaf_at(other)
    by_path = {path: k for k, path in enumerate(second.paths)}
    names = [path.rsplit("/", 1)[-1] for path in second.paths]
    by_name = {name: k for k, name in enumerate(names) if names.count(name) == 1}
    own = [path.rsplit("/", 1)[-1] for path in first.paths]
    pairs: list[tuple[int, int]] = []
    taken: set[int] = set()
    for i, path in enumerate(first.paths):
        k = by_path.get(named.get(path, path))
        if k is None and own.count(own[i]) == 1:
            k = by_name.get(own[i])
        if k is not None and k not in taken:
            taken.add(k)
            pairs.append((i, k))
    return pairs


class _Side:
    """One of the hierarchies: shares of the common leaves for sets of busy ones."""

    def __init__(self, tree: Hierarchy, common: list[int]) -> None:
        busy = np.where(tree.tasks > 0, tree.tasks, np.inf)
        alone = np.zeros(tree.leaves, dtype=np.bool_)
        alone[common] = True
        self.common = np.array(common)
        self.tree = replace(tree, tasks=np.where(alone, busy, 0.0))
        self.quotas = feasible_quotas(self.tree)

    def shares(self, busy: BoolArray) -> FloatArray:
        """Dominant shares, shape (sets, common leaves), of sets of busy ones, the same shape."""
        if len(self.tree.resources) == 1:
            return divide_sets(self.tree, self.quotas, self.common, busy)
        shares = []
        for row in busy:
            idle = np.ones(self.tree.leaves, dtype=np.bool_)
            idle[self.common[row]] = False
            tree = replace(self.tree, tasks=np.where(idle, 0.0, self.tree.tasks))
            shares.append(exact(tree).share[self.common])
        return np.stack(shares)


def _enumerated(
    first: _Side, second: _Side, leaves: int
) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Worst loss and best gain of each leaf over all sets, and the set of the worst loss."""
    loss, gain = np.zeros(leaves), np.zeros(leaves)
    worst = np.zeros((leaves, leaves), dtype=np.bool_)
    block = 1 << 12
    for begin in range(1, 1 << leaves, block):
        numbers = np.arange(begin, min(begin + block, 1 << leaves))
        busy = (numbers[:, None] >> np.arange(leaves) & 1).astype(np.bool_)
        _keep(busy, second.shares(busy) - first.shares(busy), loss, gain, worst)
    return loss, gain, worst


def _keep(
    busy: BoolArray,
    change: FloatArray,
    loss: FloatArray,
    gain: FloatArray,
    worst: BoolArray,
) -> None:
    """Take over what is worse or better than what is known."""
    change = np.where(busy, change, 0.0)
    for p in range(len(loss)):
        s = int(change[:, p].argmin())
        if -change[s, p] > loss[p] + 1e-12:
            loss[p], worst[p] = -change[s, p], busy[s]
        gain[p] = max(gain[p], float(change[:, p].max()))


def _searched(first: _Side, second: _Side, leaves: int) -> tuple[FloatArray, FloatArray, BoolArray]:
    """The same by a search: for each leaf, flip others and whole subtrees while its loss grows."""
    loss, gain = np.zeros(leaves), np.zeros(leaves)
    worst = np.zeros((leaves, leaves), dtype=np.bool_)
    rng = np.random.default_rng(0)
    groups = _groups(first) + _groups(second)
    for p in range(leaves):
        starts = rng.random((STARTS, leaves)) < rng.random((STARTS, 1))
        starts[0], starts[1] = True, False
        for start in starts:
            busy, least = start.copy(), 1.0
            busy[p] = True
            while True:
                tries = np.repeat(busy[None], leaves + 2 * len(groups), axis=0)
                tries[np.arange(leaves), np.arange(leaves)] ^= True
                for g, members in enumerate(groups):
                    tries[leaves + 2 * g, members] = True
                    tries[leaves + 2 * g + 1, members] = False
                tries[:, p] = True
                change = second.shares(tries) - first.shares(tries)
                _keep(tries, change, loss, gain, worst)
                s = int(change[:, p].argmin())
                if change[s, p] >= least - 1e-12:
                    break
                busy, least = tries[s], float(change[s, p])
    return loss, gain, worst


def _groups(side: _Side) -> list[Any]:
    """Common leaves below each group with at least two and not all of them."""
    tree, groups = side.tree, []
    for n in range(1, tree.nodes):
        members = np.flatnonzero(tree.inside(n)[tree.leaf[side.common]])
        if 1 < len(members) < len(side.common):
            groups.append(members)
    return groups


def _bounds(first: _Side, second: _Side, loss: FloatArray) -> FloatArray:
    """A leaf never has less when others fall idle: at most alone before less all busy after."""
    alone = np.eye(len(loss), dtype=np.bool_)
    everybody = np.ones((1, len(loss)), dtype=np.bool_)
    most = np.diag(first.shares(alone)) - second.shares(everybody)[0]
    bound: FloatArray = np.maximum(most, loss)
    return bound
