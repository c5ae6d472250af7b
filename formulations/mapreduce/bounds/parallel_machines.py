"""Least makespan of independent tasks on identical machines, P||Cmax, for small sets of tasks."""

from __future__ import annotations

from collections.abc import Sequence

from ....core.arrays import FloatArray, IntArray
from ....core.kernels.decorators import inner

SEARCH_LIMIT = 20_000
"""Most nodes of the search; a set that needs more gets its closed-form bound."""
MOST_TASKS = 100
"""Most tasks of a set that is searched."""

Lengths = list[float] | FloatArray | IntArray


def least_makespan(durations: Sequence[float], machines: int) -> float:
    """A lower bound on the makespan of tasks, exact if the search ends.

    `durations`: durations of the tasks (s).
    Returns the bound (s).
    """
    tasks = sorted((d for d in durations if d > 0), reverse=True)
    if not tasks or not machines:
        return 0.0
    bound = max(sum(tasks) / machines, pigeonhole(tasks, machines))
    if len(tasks) > MOST_TASKS:
        return bound
    load, before, place = [0.0] * machines, [0.0] * len(tasks), [0] * len(tasks)
    least = packed(tasks, load, before, place, bound * (1 + 1e-12))
    return bound if least < 0 else least


@inner
def pigeonhole(length: Lengths, machines: int) -> float:
    """Pigeonhole bound: of q * machines + 1 tasks some q + 1 share a machine."""
    bound = length[0]
    for q in range(1, (len(length) - 1) // machines + 1):
        shared = length[q * machines - q]
        for t in range(q * machines - q + 1, q * machines + 1):
            shared += length[t]
        bound = max(bound, shared)
    return bound


@inner
def packed(
    length: Lengths, load: Lengths, before: Lengths, place: list[int] | IntArray, enough: float
) -> float:
    """The least makespan by depth-first search, or one of at most `enough`.

    The least loaded machine comes first; of equally loaded ones only one is tried.

    `before`, `place`: scratch, one entry per task.
    Returns the makespan, -1 if the search takes too long.
    """
    best = 1 + length[0]
    for t in range(1, len(length)):
        best += length[t]
    t, left = 0, SEARCH_LIMIT
    place[0] = -1
    while t >= 0:
        k, tried = place[t], -1 * length[0]
        if k >= 0:
            load[k] = tried = before[t]
        k = -1
        for j in range(len(load)):
            if load[j] > tried and (k < 0 or load[j] < load[k]):
                k = j
        if k < 0 or load[k] + length[t] >= best:
            t -= 1
            continue
        left -= 1
        if left == 0:
            return -1
        place[t], before[t] = k, load[k]
        load[k] += length[t]
        if t + 1 < len(length):
            t += 1
            place[t] = -1
            continue
        best = load[0]
        for j in range(1, len(load)):
            best = max(best, load[j])
        if best <= enough:
            return best
    return best
