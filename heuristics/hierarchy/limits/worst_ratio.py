"""The least ratio of a leaf's shares in two trees of the same shape with weights only, any size.

A share is a product over the levels on the path of the leaf: the weight of a node, over its own and
those of its busy siblings. So the ratio is a product as well. The factor of a level depends on its
own siblings only, and any of them can be busy whatever others do. With the weights a and b of the
node, and the sums A and B of those of its busy siblings, a factor is b (a + A) / (a (b + B)). That
is a ratio of linear functions of the set, so it is least for those with b/a beyond some threshold.
"""

from __future__ import annotations

import numpy as np

from ....core.arrays import BoolArray, FloatArray, IntArray
from ....instances.hierarchy.hierarchy import Hierarchy

ALIKE = 1e-12
"""Difference of normalised demands that counts as none."""


def weights_only(tree: Hierarchy, common: list[int]) -> bool:
    """Whether shares of these leaves, all others idle, follow from weights by products.

    They need the resources in one ratio and have no task limits, guarantees or limits.
    """
    quotas, need = tree.quotas, tree.normalised[common]
    bound = quotas is not None and (
        quotas.guarantee.any()
        or quotas.reserve.any()
        or not np.isinf(quotas.limit).all()
        or (quotas.priority[1:] != quotas.priority[1]).any()
    )
    return bool(
        not bound
        and (tree.weight[1:] > 0).all()
        and ((tree.tasks[common] == 0) | np.isinf(tree.tasks[common])).all()
        and np.abs(need - need[0]).max() < ALIKE
    )


def same_shape(
    first: Hierarchy, second: Hierarchy, pairs: list[tuple[int, int]]
) -> dict[int, int] | None:
    """Nodes of the second tree by those of the first; None if shapes above the leaves differ."""
    partner: dict[int, int] = {}
    back: dict[int, int] = {}
    for i, k in pairs:
        n, m = int(first.leaf[i]), int(second.leaf[k])
        while n >= 0 and m >= 0 and n not in partner and m not in back:
            partner[n], back[m] = m, n
            n, m = int(first.parent[n]), int(second.parent[m])
        if (n < 0) != (m < 0) or (n >= 0 and partner.get(n) != m):
            return None
    return partner


def worst_ratios(
    first: Hierarchy,
    second: Hierarchy,
    pairs: list[tuple[int, int]],
    partner: dict[int, int],
) -> tuple[FloatArray, BoolArray]:
    """Least ratio of the second share to the first, shape (pairs,), and the pairs busy then.

    `partner`: of `same_shape`.
    """
    nodes = np.array(sorted(n for n in partner if n > 0))
    partners = np.array([partner[n] for n in nodes.tolist()])
    before, after = np.zeros((2, first.nodes))
    before[nodes], after[nodes] = first.weight[nodes], second.weight[partners]
    factor, chosen = np.ones(first.nodes), np.zeros(first.nodes, dtype=np.int64)
    order = nodes[np.argsort(-after[nodes] / before[nodes], kind="stable")]
    siblings: dict[int, list[int]] = {}
    for n in order.tolist():
        siblings.setdefault(int(first.parent[n]), []).append(n)
    for group in siblings.values():
        _of_siblings(np.array(group), before, after, factor, chosen)
    ratio, busy = np.ones(len(pairs)), np.zeros((len(pairs), len(pairs)), dtype=np.bool_)
    above = {n: first.inside(n)[first.leaf[[i for i, _ in pairs]]] for n in nodes.tolist()}
    for p, (i, _) in enumerate(pairs):
        busy[p, p] = True
        n = int(first.leaf[i])
        while n > 0:
            ratio[p] *= factor[n]
            group = [c for c in siblings[int(first.parent[n])] if c != n]
            for c in group[: chosen[n]]:
                busy[p] |= above[c]
            n = int(first.parent[n])
    return ratio, busy


def _of_siblings(
    group: IntArray,
    before: FloatArray,
    after: FloatArray,
    factor: FloatArray,
    chosen: IntArray,
) -> None:
    """The least factor of each of some siblings, and how many of the others are busy then.

    `group`: by falling ratio of the weights; the others that are busy are the first of them.
    """
    a, b = before[group], after[group]
    sum_a, sum_b = np.concatenate(([0.0], np.cumsum(a))), np.concatenate(([0.0], np.cumsum(b)))
    for at, n in enumerate(group.tolist()):
        # Prefixes that end before the node itself, and, without it, behind it.
        with_a = np.concatenate((sum_a[: at + 1] + a[at], sum_a[at + 2 :]))
        with_b = np.concatenate((sum_b[: at + 1] + b[at], sum_b[at + 2 :]))
        ratios = (b[at] / a[at]) * (with_a / with_b)
        chosen[n] = int(ratios.argmin())
        factor[n] = min(1.0, ratios[chosen[n]])
