"""Disjoint sets of machines, each with its lowest machine at hand: pairing heaps [PairingHeap1986].

A set is known by its lowest machine, the root, or `NO_MACHINE` if it is empty. Machines are
numbers, and the heaps of all sets share arrays by machine. Joining and looking take constant time,
leaving logarithmic time on average.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....core.arrays import IntArray
from ....core.kernels.decorators import inlined, inner
from ..engine.columns import NO_MACHINE


class Heaps(NamedTuple):
    """Trees in which no machine is below one with a higher number."""

    child: IntArray
    """Shape (machine numbers,). The first of a machine's children."""
    after: IntArray
    """Shape (machine numbers,). The next child of the same machine."""
    before: IntArray
    """Shape (machine numbers,). The one before; of a first child, the machine above; of a root,
    none."""
    stack: IntArray
    """Shape (machine numbers,). Scratch."""


def empty_heaps(machines: int) -> Heaps:
    """Return heaps for machine numbers below `machines`, which are in none."""
    return Heaps(*np.full((4, machines), NO_MACHINE, dtype=np.int64))


@inlined
def _joined(heaps: Heaps, a: int, b: int) -> int:
    if a == NO_MACHINE:
        return b
    if b == NO_MACHINE:
        return a
    if b < a:
        a, b = b, a
    first = heaps.child[a]
    heaps.after[b], heaps.before[b] = first, a
    if first != NO_MACHINE:
        heaps.before[first] = b
    heaps.child[a] = b
    return a


@inlined
def joined(heaps: Heaps, root: int, m: int) -> int:
    """Put machine m, which is in no set, into a set, and return the set's lowest machine."""
    heaps.child[m] = heaps.after[m] = heaps.before[m] = NO_MACHINE
    return _joined(heaps, root, m)


@inner
def _one_of(heaps: Heaps, first: int) -> int:
    """The root of a tree made of a machine's children, from the first of them on."""
    pairs = NO_MACHINE
    while first != NO_MACHINE:
        a = first
        b = heaps.after[a]
        first = NO_MACHINE if b == NO_MACHINE else heaps.after[b]
        a = _joined(heaps, a, b)
        heaps.after[a] = pairs
        pairs = a
    root = NO_MACHINE
    while pairs != NO_MACHINE:
        a = pairs
        pairs = heaps.after[a]
        root = _joined(heaps, root, a)
    if root != NO_MACHINE:
        heaps.after[root] = heaps.before[root] = NO_MACHINE
    return root


@inlined
def left(heaps: Heaps, root: int, m: int) -> int:
    """Take machine m out of its set, and return the lowest that is left, or `NO_MACHINE`."""
    below = _one_of(heaps, heaps.child[m])
    if m == root:
        return below
    before, after = heaps.before[m], heaps.after[m]
    if heaps.child[before] == m:
        heaps.child[before] = after
    else:
        heaps.after[before] = after
    if after != NO_MACHINE:
        heaps.before[after] = before
    return _joined(heaps, root, below)


@inner
def lowest_above_zero(heaps: Heaps, root: int, number: IntArray, k: int) -> int:
    """The lowest machine of a set with a positive `number` (machines, K), or `NO_MACHINE`."""
    lowest = NO_MACHINE
    heaps.stack[0] = root
    waiting = 0 if root == NO_MACHINE else 1
    while waiting > 0:
        waiting -= 1
        m = heaps.stack[waiting]
        if heaps.after[m] != NO_MACHINE:
            heaps.stack[waiting] = heaps.after[m]
            waiting += 1
        if lowest != NO_MACHINE and m > lowest:
            continue
        if number[m, k] > 0:
            lowest = m
        elif heaps.child[m] != NO_MACHINE:
            heaps.stack[waiting] = heaps.child[m]
            waiting += 1
    return lowest
