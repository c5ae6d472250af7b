"""The layout of a hierarchy for compiled code: each group's children in a binary tree.

Kernels keep sums and minima over the children of a group in a binary tree of rows. The tree of
group n begins at row 2 first[n]; in it row k joins rows 2k and 2k + 1, row 1 is the top, and the
children have rows children[n] to 2 children[n] - 1. Child c is in row children[n] + place[c], that
is `child[first[n] + place[c]]`. From left to right the children are in their own order, so a walk
down that prefers the left finds the first of equals.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...core.arrays import FloatArray, IntArray
from ...instances.hierarchy.hierarchy import Hierarchy


class TreeLayout(NamedTuple):
    """Arrays over the nodes, all of shape (nodes,).

    `leaf_of` is the leaf number, -1 for groups; `children` is the number of children.
    """

    parent: IntArray
    weight: FloatArray
    leaf_of: IntArray
    children: IntArray
    first: IntArray
    place: IntArray
    child: IntArray


def layout(hierarchy: Hierarchy) -> TreeLayout:
    nodes, parent = hierarchy.nodes, hierarchy.parent
    count = np.bincount(parent[1:], minlength=nodes)
    first = np.concatenate(([0], np.cumsum(count)[:-1]))
    order = np.argsort(parent[1:], kind="stable") + 1
    # Rows from the next power of two on lie deepest, and leftmost.
    power = 2 ** np.ceil(np.log2(np.maximum(count, 1))).astype(np.int64)
    number = np.arange(nodes - 1) - first[parent[order]]
    place, child = np.zeros(nodes, dtype=np.int64), np.zeros(nodes, dtype=np.int64)
    place[order] = (number + (power - count)[parent[order]]) % count[parent[order]]
    child[first[parent[order]] + place[order]] = order
    return TreeLayout(
        parent=parent,
        weight=hierarchy.weight,
        leaf_of=leaf_of(hierarchy),
        children=count,
        first=first,
        place=place,
        child=child,
    )


def leaf_of(hierarchy: Hierarchy) -> IntArray:
    """Leaf number of each node, -1 for groups; shape (nodes,)."""
    numbers = np.full(hierarchy.nodes, -1, dtype=np.int64)
    numbers[hierarchy.leaf] = np.arange(hierarchy.leaves)
    return numbers
