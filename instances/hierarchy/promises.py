"""What queues are promised, and whether there is so much of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...core.arrays import FloatArray, IntArray
from ...core.errors import InputError
from ...core.kernels.decorators import counted
from .hierarchy import Hierarchy
from .quotas import Quotas, sums_below

ROUNDING = 1e-9
"""Relative difference of amounts that counts as rounding."""


def feasible(tree: Hierarchy, *, scale: bool = False) -> Quotas:
    """The quotas, cut where they promise more than there is if that is wanted.

    Raises `InputError` for promises that cannot be kept.
    """
    quotas = tree.quotas or Quotas.none(tree.nodes, len(tree.resources))
    if scale:
        quotas = scaled(tree, quotas)
    check_feasible(tree, quotas)
    return quotas


def kept_quotas(tree: Hierarchy) -> Quotas:
    """The quotas, cut as `--scale-guarantees` does where they promise more than there is."""
    try:
        return feasible(tree)
    except InputError:
        return scaled(tree, tree.quotas or Quotas.none(tree.nodes, len(tree.resources)))


def scaled(tree: Hierarchy, quotas: Quotas) -> Quotas:
    """Guarantees cut, from the root down, so that those of siblings fit above them.

    A group's own amount is divided among its children in the ratio of what they are promised.
    """
    asked = promised(tree, quotas)
    room = _room(asked, quotas.limit, tree.capacity, tree.parent)
    cut = room < asked
    return replace(
        quotas,
        guarantee=np.where(cut, np.minimum(quotas.guarantee, room), quotas.guarantee),
        reserve=np.where(cut, np.minimum(quotas.reserve, room), quotas.reserve),
    )


def promised(tree: Hierarchy, quotas: Quotas, wanted: FloatArray | None = None) -> FloatArray:
    """What each subtree is promised of what it wants, shape (nodes, resources).

    Its own guarantee or the sum of its children's promises, whichever is more, and at least
    what is reserved. `wanted`: most that each subtree can use, by default what its tasks can.
    """
    own = np.minimum(quotas.guarantee, tree.wanted if wanted is None else wanted)
    return sums_below(tree.parent, np.zeros_like(own), np.maximum(own, quotas.reserve))


def check_feasible(
    tree: Hierarchy,
    quotas: Quotas,
    capacity: FloatArray | None = None,
    wanted: FloatArray | None = None,
) -> None:
    """Raise `InputError` if promises exceed a limit above them or the capacity.

    A guarantee that is not wanted need not fit.
    """
    total = promised(tree, quotas, wanted)
    most = quotas.limit.copy()
    most[0] = tree.capacity if capacity is None else capacity
    for n, j in np.argwhere(total > most * (1 + ROUNDING))[:1]:
        children = [c for c in np.flatnonzero(tree.parent == n).tolist() if total[c, j] > 0]
        named = [f"{tree.names[c]} {total[c, j]:g}" for c in children[:4]]
        if len(children) > len(named):
            named.append(f"{len(children) - len(named)} more")
        top = "the capacity is" if n == 0 else "limit"
        where = "" if n == 0 else f"{tree.path(n)}: "
        raise InputError(
            f"{where}guarantees of {' + '.join(named)} = {total[n, j]:g} {tree.resources[j]}, "
            f"{top} {most[n, j]:g}"
        )


@counted
def _room(
    asked: FloatArray, limit: FloatArray, capacity: FloatArray, parent: IntArray
) -> FloatArray:
    """What each subtree may ask for if siblings share what is above them."""
    together, room = np.zeros_like(asked), np.zeros_like(asked)
    for n in range(1, len(parent)):
        together[parent[n]] += asked[n]
    room[0] = capacity
    for n in range(1, len(parent)):
        up = parent[n]
        for j in range(asked.shape[1]):
            part = 1.0
            if together[up, j] > room[up, j]:
                part = room[up, j] / together[up, j]
            room[n, j] = min(asked[n, j] * part, limit[n, j])
    return room
