"""One machine with releases and preemption, where the least sum of the ends is known."""

from __future__ import annotations

import heapq

import numpy as np

from ..core.arrays import FloatArray


def least_ends(release: FloatArray, need: FloatArray, weight: FloatArray) -> FloatArray:
    """Ends whose weighted sum is at most that of every schedule; only the sum says something."""
    if len(np.unique(weight)) == 1:
        return _preemptive(release, need, None)
    return _preemptive(release, need, weight / need) + need / 2


def _preemptive(release: FloatArray, need: FloatArray, worth: FloatArray | None) -> FloatArray:
    """Preemptive schedule of one machine: ends by shortest remaining time, or mean busy times by
    largest worth."""
    order = np.argsort(release, kind="stable").tolist()
    left, moment, ends = need.copy(), np.zeros(len(need)), np.zeros(len(need))
    ready: list[tuple[float, int]] = []
    now, at = 0.0, 0
    while at < len(order) or ready:
        if not ready:
            now = max(now, float(release[order[at]]))
        while at < len(order) and release[order[at]] <= now:
            j = order[at]
            heapq.heappush(ready, (float(left[j]) if worth is None else -float(worth[j]), j))
            at += 1
        _, j = heapq.heappop(ready)
        until = now + float(left[j])
        if at < len(order):
            until = min(until, float(release[order[at]]))
        moment[j] += (until - now) * (until + now) / 2
        left[j] -= until - now
        now = until
        if left[j] > 1e-9:
            heapq.heappush(ready, (float(left[j]) if worth is None else -float(worth[j]), j))
        else:
            ends[j] = now
    return ends if worth is None else moment / need
