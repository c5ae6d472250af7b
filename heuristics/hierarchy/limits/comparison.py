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
from ....instances.hierarchy.replay import tree_of
from ..exact import exact
from .clamps import divide_sets
from .exact import feasible_quotas
from .stages import fill_sets
from .worst_ratio import same_shape, weights_only, worst_ratios

MOST_EXACT = 20
"""Most leaves of which all busy sets are tried."""

MOST_EXACT_SLOW = 12
"""The same with several resources that are reserved or shared each for itself."""

FEW = 7
"""Most leaves whose sets take less time without compiling."""

EVERY_SET, CLOSED_FORM, SEARCH = "every set", "closed form", "search"
"""How a worst ratio is known; that of a search can be worse than it says."""

MOST_SEARCHED = 200
"""Most leaves that are searched where worst ratios are known."""

LEAST = 1e-12
"""Share below which no ratio counts."""

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
    worst_ratio: float | None
    """Its second share for its first, where that is least; None if it never has anything."""
    ratio_with: tuple[str, ...]
    """Who is busy then."""


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
    ratio_by: str
    """How the worst ratios are known: by every set, in closed form, or by search."""

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
    every = len(pairs) <= (MOST_EXACT_SLOW if any(side.slow for side in trees) else MOST_EXACT)
    worst = _Worst(len(pairs))
    shape = same_shape(first, second, pairs)
    closed = None
    if shape and weights_only(first, ours) and weights_only(second, theirs):
        closed = worst_ratios(first, second, pairs, shape)
        worst.keep(closed[1], *(side.shares(closed[1]) for side in trees))
    if every:
        _enumerate(*trees, worst)
    elif closed is None or len(pairs) <= MOST_SEARCHED:
        _search(*trees, worst)
    everybody = np.ones((1, len(pairs)), dtype=np.bool_)
    all_busy = [side.shares(everybody)[0] for side in trees]
    loss_at_most = worst.loss if every else _bounds(*trees, worst.loss) if simple else None
    if closed is not None:
        worst.ratio, worst.ratio_with = closed
        # Nobody has more than everything.
        most = 1 - worst.ratio if loss_at_most is None else np.minimum(loss_at_most, 1 - closed[0])
        loss_at_most = np.maximum(worst.loss, most)

    def named(busy: BoolArray) -> tuple[str, ...]:
        return tuple(first.paths[ours[b]] for b in np.flatnonzero(busy).tolist())

    return Comparison(
        tuple(
            LeafComparison(
                leaf=first.paths[i],
                all_busy=(float(all_busy[0][p]), float(all_busy[1][p])),
                worst_loss=float(worst.loss[p]),
                worst_with=named(worst.loss_with[p]),
                best_gain=float(worst.gain[p]),
                loss_at_most=None if loss_at_most is None else float(loss_at_most[p]),
                worst_ratio=float(worst.ratio[p]) if worst.ratio[p] < np.inf else None,
                ratio_with=named(worst.ratio_with[p]),
            )
            for p, (i, _) in enumerate(pairs)
        ),
        tuple(path for i, path in enumerate(first.paths) if i not in set(ours)),
        tuple(path for k, path in enumerate(second.paths) if k not in set(theirs)),
        every,
        CLOSED_FORM if closed is not None else EVERY_SET if every else SEARCH,
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
        each = self.tree.shares_each or self.quotas.reserve.any()
        self.slow = len(tree.resources) > 1 and bool(each)

    def shares(self, busy: BoolArray) -> FloatArray:
        """Dominant shares, shape (sets, common leaves), of sets of busy ones, the same shape."""
        if len(self.tree.resources) == 1:
            return divide_sets(self.tree, self.quotas, self.common, busy)
        if self.slow:
            return self._one_by_one(busy)
        tree = tree_of(self.tree, self.quotas)
        dominant: FloatArray = (self.tree.task_share / tree.size)[self.common]
        shares: FloatArray = fill_sets(self.tree, tree, self.common, busy) * dominant
        return shares

    def _one_by_one(self, busy: BoolArray) -> FloatArray:
        shares = []
        for row in busy:
            idle = np.ones(self.tree.leaves, dtype=np.bool_)
            idle[self.common[row]] = False
            tree = replace(self.tree, tasks=np.where(idle, 0.0, self.tree.tasks))
            shares.append(exact(tree).share[self.common])
        return np.stack(shares)


class _Worst:
    """The worst that is known of each leaf: arrays of shape (leaves,), and sets for each."""

    def __init__(self, leaves: int) -> None:
        self.loss, self.gain = np.zeros((2, leaves))
        self.ratio = np.full(leaves, np.inf)
        self.loss_with, self.ratio_with = np.zeros((2, leaves, leaves), dtype=np.bool_)

    def keep(self, busy: BoolArray, before: FloatArray, after: FloatArray) -> FloatArray:
        """Take over what is worse or better than what is known; return the changes.

        All of shape (sets, leaves).
        """
        change = np.where(busy, after - before, 0.0)
        ratio = np.full(busy.shape, np.inf)
        np.divide(after, before, out=ratio, where=busy & (before > LEAST))
        sets, own = change.argmin(axis=0), np.arange(busy.shape[1])
        worse = -change[sets, own] > self.loss + 1e-12
        self.loss[worse] = -change[sets, own][worse]
        self.loss_with[worse] = busy[sets[worse]]
        self.gain = np.maximum(self.gain, change.max(axis=0))
        sets = ratio.argmin(axis=0)
        worse = ratio[sets, own] < self.ratio - 1e-12
        self.ratio[worse] = ratio[sets, own][worse]
        self.ratio_with[worse] = busy[sets[worse]]
        return change


def _enumerate(first: _Side, second: _Side, worst: _Worst) -> None:
    """Try all sets."""
    leaves, block = len(worst.loss), 1 << 12
    for begin in range(1, 1 << leaves, block):
        numbers = np.arange(begin, min(begin + block, 1 << leaves))
        busy = (numbers[:, None] >> np.arange(leaves) & 1).astype(np.bool_)
        worst.keep(busy, first.shares(busy), second.shares(busy))


def _search(first: _Side, second: _Side, worst: _Worst) -> None:
    """For each leaf, flip others and whole subtrees while its loss grows."""
    leaves = len(worst.loss)
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
                change = worst.keep(tries, first.shares(tries), second.shares(tries))
                s = int(change[:, p].argmin())
                if change[s, p] >= least - 1e-12:
                    break
                busy, least = tries[s], float(change[s, p])


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
