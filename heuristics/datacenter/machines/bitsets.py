"""Sets of machines as bits, with a second level that says which words are not empty.

`words` (sets, W) int64 holds machine m as bit `m % 64` of word `m // 64`; `tops` (sets, W / 64)
holds a bit for every word that is not zero. Adding and removing touch one word of each; searching
skips 64 empty words at a time.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.cpython.unsafe import numbers

from ....core.arrays import IntArray
from ....core.kernels.decorators import inlined

BITS = 64

_trailing_zeros: Any = numbers.trailing_zeros


def empty_sets(sets: int, words: int) -> tuple[IntArray, IntArray]:
    shape = sets, max(1, -(-words // BITS))
    return np.zeros((sets, words), dtype=np.int64), np.zeros(shape, dtype=np.int64)


@inlined
def add(words: IntArray, tops: IntArray, s: int, m: int) -> None:
    w = m >> 6
    words[s, w] |= 1 << (m & 63)
    tops[s, w >> 6] |= 1 << (w & 63)


@inlined
def remove(words: IntArray, tops: IntArray, s: int, m: int) -> None:
    w = m >> 6
    left = words[s, w] & ~(1 << (m & 63))
    words[s, w] = left
    if left == 0:
        tops[s, w >> 6] &= ~(1 << (w & 63))


@inlined
def lowest_bit(bits: int) -> int:
    """The number of the lowest bit of a word that is not zero."""
    return int(_trailing_zeros(bits))


@inlined
def bits_between(top: int, t: int, first: int, stop: int) -> int:
    """The bits of a word of `tops` that stand for some words."""
    if t == first >> 6:
        top &= -1 << (first & 63)
    if t == (stop - 1) >> 6:
        top &= ~(-2 << ((stop - 1) & 63))
    return top


@inlined
def count_bits(bits: int) -> int:
    x = np.uint64(bits)
    x = x - ((x >> np.uint64(1)) & np.uint64(0x5555555555555555))
    x = (x & np.uint64(0x3333333333333333)) + ((x >> np.uint64(2)) & np.uint64(0x3333333333333333))
    x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return int((x * np.uint64(0x0101010101010101)) >> np.uint64(56))
