"""Sums over the subtrees of a hierarchy."""

from __future__ import annotations

from ...core.arrays import FloatArray, IntArray
from ...core.kernels.decorators import counted


@counted
def subtree_sums(parent: IntArray, amount: FloatArray) -> FloatArray:
    """Sum over each subtree of amounts of its nodes, shape (nodes, resources)."""
    total = amount.copy()
    for n in range(len(parent) - 1, 0, -1):
        for j in range(amount.shape[1]):
            total[parent[n], j] += total[n, j]
    return total
