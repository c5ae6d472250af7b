"""How long tasks take at least on the slots of one phase.

Every task counts with its least duration. Some shortest schedule has no needless wait, so all its
times are whole, and what is said of one phase, or of the end of a job, may be rounded up.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable
from functools import lru_cache

from .documents import refuse
from .problem import Shop

MOST_PACKED = 400
"""Of larger sets of tasks no units of time are counted."""
MOST_UNITS = 8
"""So many units of a task, or beside it, are told apart."""
FINE = 1024
"""Into so many parts each unit of the problem is divided for these units of time."""
PARTS = range(2, 17)
"""A unit is also tried that goes into a makespan once less than so many times."""


def span(lengths: Iterable[int], slots: int) -> int:
    """No schedule of such tasks on so many slots is shorter.

    One task takes as long as the longest; the slots share the work; and of k S + 1 tasks one of S
    slots runs k + 1 or more, so at least as long as the k + 1 shortest of them.
    """
    falling = sorted(lengths, reverse=True)
    if not falling:
        return 0
    turns = range((len(falling) - 1) // slots + 1)
    bounds = (sum(falling[k * slots - k : k * slots + 1]) for k in turns)
    return max(-(-sum(falling) // slots), *bounds)


def packed(lengths: Iterable[int], slots: int) -> int:
    """No schedule of such tasks on so many slots is shorter: `span`, and whole units of time.

    Within a makespan T a slot has k = floor(T / a) units of length a. A task of length L <= T / 2
    takes floor(L / a) of them, and a longer one all but the floor((T - L) / a) that fit beside it:
    no slot gives away more than k, as one task at most is longer than T / 2.
    """
    some = sorted(length for length in lengths if length)
    least = span(some, slots)
    if not slots < len(some) <= MOST_PACKED:
        return least
    low, high = least - 1, least  # nothing within `low` exists
    while not _may_fit(some, slots, high):
        low, high = high, high + high // 2 + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _may_fit(some, slots, middle) else (middle, high)
    return high


def _may_fit(some: list[int], slots: int, time: int) -> bool:
    """Whether units of time leave room for tasks of rising lengths above 0, none above `time`."""
    lengths, time = [length * FINE for length in some], time * FINE
    half = bisect_right(lengths, time // 2)
    left = (time - length + 1 for length in lengths[half:])
    for a in dict.fromkeys([*lengths[:half], *(time // k + 1 for k in PARTS), *left]):
        units = time // a
        taken = (len(lengths) - half) * units
        for n in range(1, min(MOST_UNITS, units // 2) + 1):
            taken += half - bisect_left(lengths, n * a, 0, half)
            taken -= bisect_right(lengths, time - n * a, half) - half
        if units // 2 > MOST_UNITS:  # where still more units fit beside a task, it counts none
            beside = bisect_right(lengths, time - (MOST_UNITS + 1) * a, half) - half
            taken -= beside * (units - MOST_UNITS)
        if taken > slots * units:
            return False
    return True


def span_of_equals(times: dict[int, int], tasks: int) -> int:
    """No schedule of so many tasks is shorter if each takes the time of its slot, or longer.

    `times` counts slots by time. By T a slot has finished floor(T / time) tasks at most.
    """
    low, high = -1, tasks * min(times)
    while min(times) and high - low > 1:
        middle = (low + high) // 2
        enough = sum(slots * (middle // time) for time, slots in times.items()) >= tasks
        low, high = (low, middle) if enough else (middle, high)
    return high


@lru_cache(8)
def spans(
    shop: Shop, at_least: Callable[[Iterable[int], int], int] = packed
) -> tuple[list[int], list[int]]:
    """Heads and tails: least durations of each job's map phase, and of its reduce phase.

    With speed factors the tasks of a job count once with their own least times, and once with that
    of the job's shortest task on every slot.
    """
    if shop.impossible:
        refuse("a task may run on no slot")
    both = []
    for phase in (shop.maps, shop.reduces):
        both.append([at_least((phase.least[t] for t in ts), len(phase.node)) for ts in phase.tasks])
        for job, tasks in enumerate(phase.tasks):
            factors = Counter(phase.factors[job]) if tasks and not shop.equal else {}
            if len(factors) > 1:
                shortest = min(phase.processing[t] for t in tasks)
                read = shop.nearest_read(job) if phase is shop.reduces else 0
                times = Counter[int]()
                for factor, slots in factors.items():
                    times[read + shortest * factor] += slots
                both[-1][job] = max(both[-1][job], span_of_equals(times, len(tasks)))
    return both[0], both[1]
