"""How long the tasks of a phase take at least, and the lower bounds in closed form.

Every task counts with its least duration. Some shortest schedule has no needless wait, so all its
times are whole, and what is said of one phase, or of the end of a job, may be rounded up.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache
from heapq import heapify, heappushpop

from .documents import Document, Number, fields, refuse, whole
from .problem import Phase, Shop

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
def spans(shop: Shop) -> tuple[list[int], list[int]]:
    """Heads and tails: least durations of each job's map phase, and of its reduce phase.

    With speed factors the tasks of a job count once with their own least times, and once with that
    of the job's shortest task on every slot.
    """
    if shop.impossible:
        refuse("a task may run on no slot")
    both = []
    for phase in (shop.maps, shop.reduces):
        least = [packed((phase.least[t] for t in ts), len(phase.node)) for ts in phase.tasks]
        for job, tasks in enumerate(phase.tasks):
            factors = Counter(phase.factors[job]) if tasks and not shop.equal else {}
            if len(factors) > 1:
                shortest = min(phase.processing[t] for t in tasks)
                read = shop.nearest_read(job) if phase is shop.reduces else 0
                times = Counter[int]()
                for factor, slots in factors.items():
                    times[read + shortest * factor] += slots
                least[job] = max(least[job], span_of_equals(times, len(tasks)))
        both.append(least)
    return both[0], both[1]


def waiting_phases(shop: Shop) -> dict[str, tuple[Phase, list[int]]]:
    """By phase: the phase, and how long each job's tasks wait.

    Reduce tasks wait for the map phase of their job. Read backwards, a schedule is one in which map
    tasks wait for the reduce phase of their job.
    """
    heads, tails = spans(shop)
    return {"reduce": (shop.reduces, heads), "map": (shop.maps, tails)}


def waits(shop: Shop, proof: Document) -> int:
    """One job takes its head and its tail. And the slots wait on average for the least waits.

    Let U be S or more tasks of a phase with S slots. The first task of U on a slot starts after its
    job's wait. A slot without a task of U can be charged the wait of any other task: the makespan
    is no shorter. So S times the makespan is at least the sum of all of U and of its S least waits.
    U is all tasks that wait longest, and the S longest (wait and duration) of those that wait less.
    """
    fields(proof, "proof")
    heads, tails = spans(shop)
    best = max((head + tail for head, tail in zip(heads, tails, strict=True)), default=0)
    for phase, wait in waiting_phases(shop).values():
        slots = len(phase.node)
        tasks = sorted((wait[job], time) for job, time in zip(phase.job, phase.least, strict=True))
        if len(tasks) < slots or not slots:
            continue  # tasks wait and run as long as their job, or less
        top = [a + b for a, b in tasks[:slots]]
        heapify(top)
        total = sum(top) + sum(length for _, length in tasks[slots:])
        best = max(best, -(-total // slots))
        for a, b in tasks[slots:]:
            total += a - heappushpop(top, a + b)
            best = max(best, -(-total // slots))
    return best


def pigeonhole(shop: Shop, proof: Document) -> int:
    """Of k S + 1 tasks that wait as long as a job, a slot runs k + 1, after the least wait.

    The k S + 1 longest of the tasks whose wait is at least that of `job`; the k + 1 shortest of
    them follow each other on some slot, or longer ones do.
    """
    fields(proof, "proof phase job k")
    phase, wait = waiting_phases(shop)[proof["phase"]]
    after, slots = wait[whole(proof["job"], len(shop.jobs))], len(phase.node)
    waiting = ((time, wait[job]) for job, time in zip(phase.job, phase.least, strict=True))
    tasks = sorted((task for task in waiting if task[1] >= after), key=lambda task: -task[0])
    k = whole(proof["k"], (len(tasks) - 1) // max(slots, 1) + 1)
    chosen = tasks[: k * slots + 1]
    turns: int = sum(length for length, _ in chosen[k * (slots - 1) :])
    return min(w for _, w in chosen) + turns


def johnson(shop: Shop, proof: Document) -> Number:
    """A flow shop of two machines, each as fast as all slots of a phase, is not slower.

    When a map phase ends, the map work of all jobs whose map phase has ended is done, and the
    reduce work of this job and of those that follow is to come. In the flow shop of these works the
    shortest schedule takes first the jobs with less work on the first machine than on the second,
    by rising work on the first; then the others, by falling work on the second [Johnson 1954].
    """
    fields(proof, "proof")
    works = []
    for phase in (shop.maps, shop.reduces):
        usable = max(1, min(len(phase.node), len(phase.job)))
        works.append([Fraction(sum(phase.least[t] for t in ts), usable) for ts in phase.tasks])
    pairs = sorted(
        zip(*works, strict=True),
        key=lambda pair: (0, pair[0]) if pair[0] <= pair[1] else (1, -pair[1]),
    )
    first = second = Fraction(0)
    for a, b in pairs:
        first += a
        second = max(first, second) + b
    return max(first, second)
