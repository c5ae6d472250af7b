"""Lower bounds in closed form: the waits of slots, pigeonholes, Johnson's flow shop."""

from __future__ import annotations

from fractions import Fraction
from heapq import heapify, heappushpop

from .documents import Document, Number, fields, whole
from .problem import Phase, Shop
from .spans import span, spans


def waiting_phases(shop: Shop) -> dict[str, tuple[Phase, list[int]]]:
    """By phase: the phase, and how long each job's tasks wait.

    Reduce tasks wait for the map phase of their job. Read backwards, a schedule is one in which map
    tasks wait for the reduce phase of their job.
    """
    heads, tails = spans(shop, span)
    return {"reduce": (shop.reduces, heads), "map": (shop.maps, tails)}


def waits(shop: Shop, proof: Document) -> int:
    """One job takes its head and its tail. And the slots wait on average for the least waits.

    Let U be S or more tasks of a phase with S slots. The first task of U on a slot starts after its
    job's wait. A slot without a task of U can be charged the wait of any other task: the makespan
    is no shorter. So S times the makespan is at least the sum of all of U and of its S least waits.
    U is all tasks that wait longest, and the S longest (wait and duration) of those that wait less.
    """
    fields(proof, "proof")
    heads, tails = spans(shop, span)
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
