"""Lower bounds by what reduce tasks read, and by the orders of a few jobs."""

from __future__ import annotations

import copy
import math
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Collection
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from typing import Any

from .closed_forms import MOST_PACKED, johnson, packed, pigeonhole, span, spans, waits
from .documents import Document, Number, distinct, fields, need, refuse, rising, whole
from .problem import Phase, Shop

MOST_TURNS = 8
"""Tasks so short that a slot runs more of them in turn are not counted one by one."""
MOST_STEPS, MOST_ENDS = 10**7, 5000
"""A proof that needs more, or more intervals, is refused."""


# 1. The orders of a few jobs.


def orders(shop: Shop, proof: Document) -> int:
    """The map phases of some jobs end in some order; the best order is found, set by set.

    Without the other jobs nothing gets longer. When the map phase of job k ends, the map tasks of
    all jobs up to k are done: not before the span of these alone. The reduce tasks of k and of all
    later jobs are to come: their span alone follows. `ends` adds what job k reads; see `least_end`.
    """
    fields(proof, "proof jobs ends?")
    jobs = distinct(proof["jobs"], len(shop.jobs))
    tasks = sum(len(phase.tasks[i]) for phase in shop.phases.values() for i in jobs)
    if len(jobs) > 12 or 64 * min(tasks, MOST_PACKED) + tasks << len(jobs) > MOST_STEPS:
        refuse("orders: too many jobs or tasks")
    ends: list[Callable[[int], int]] = [lambda start: start] * len(jobs)
    if "ends" in proof:
        for k, of_job in enumerate(need(proof["ends"], list, len(jobs))):
            if of_job:
                ends[k] = least_end(shop, jobs[k], of_job)
    everything = (1 << len(jobs)) - 1
    before, after = spans_of_sets(shop.maps, jobs), spans_of_sets(shop.reduces, jobs)
    best = [0] * (everything + 1)
    for some in range(1, everything + 1):
        best[some] = min(
            max(
                best[some & ~(1 << k)],
                before[some] + after[everything & ~some | 1 << k],
                ends[k](before[some]),
            )
            for k in range(len(jobs))
            if some >> k & 1
        )
    return best[everything]


def spans_of_sets(phase: Phase, jobs: list[int]) -> list[int]:
    """By set of jobs, a bit for each: no schedule of their tasks of one phase is shorter."""
    sets = range(1 << len(jobs))
    chosen = ([phase.tasks[i] for k, i in enumerate(jobs) if some >> k & 1] for some in sets)
    slots = len(phase.node)
    return [packed((phase.least[t] for tasks in some for t in tasks), slots) for some in chosen]


# 2. What one job reads, by the time at which its map phase has ended.


class Part:
    """How much of a job's input some slots of one place can process by a time.

    `lengths`: least time of each map task there. `sizes`: input of each, in whole parts.
    """

    def __init__(self, lengths: list[int], sizes: list[int]) -> None:
        tasks = sorted(zip(lengths, sizes, strict=True))
        self.length = [length for length, _ in tasks]
        self.turn = list(accumulate(self.length))
        self.shorter = [0, *accumulate(size for _, size in tasks)]
        self.largest = [0, *accumulate(sorted(sizes, reverse=True))]
        dense = [task for task in zip(lengths, sizes, strict=True) if task[1]]
        dense.sort(key=lambda task: Fraction(*task))
        self.worked = [0, *accumulate(length for length, _ in dense)]
        self.gained = [0, *accumulate(size for _, size in dense)]

    def most(self, slots: int, until: int) -> Fraction:
        """The greatest part that so many slots can process.

        They fill their time with the tasks of most input per time, the last one cut. A slot runs no
        more tasks than the shortest that fit one after another. And of the tasks longer than 1 /
        (k + 1) of the time it runs k at most.
        """
        tasks, time = len(self.length), slots * until
        whole = bisect_right(self.worked, time) - 1
        filled = Fraction(self.gained[whole])
        if whole + 1 < len(self.worked):
            length = self.worked[whole + 1] - self.worked[whole]
            size = self.gained[whole + 1] - self.gained[whole]
            filled += Fraction(size * (time - self.worked[whole]), length)
        fit = bisect_right(self.turn, until)
        bounds = [filled, Fraction(self.largest[min(slots * fit, tasks)])]
        for k in range(MOST_TURNS + 1):
            short = self.shorter[bisect_right(self.length, until // (k + 1))]
            bounds.append(Fraction(short + self.largest[min(slots * k, tasks)]))
        return min(bounds)


class JobReads:
    """How long reduce tasks of one job read, given when its map phase has ended.

    A reduce task on node v of rack r reads for `far` - `near` x_v - `rack` y_r, where x_v and y_r
    are the shares of the job's output there. A task's share of the output is its share of the
    input. All nodes here have reduce slots. `turns` has the most reduce slots of 1, 2, ... nodes.
    """

    def __init__(self, shop: Shop, job: int) -> None:
        if not shop.output_of[job] or not shop.reduces.tasks[job]:
            refuse("a job that reads nothing")
        local, near, far, *_ = (shop.output_of[job] * cost for cost in shop.cost)
        self.far, self.near, self.rack = far, near - local, far - near
        nodes = Counter(shop.reduces.node)
        self.turns = list(accumulate(sorted(nodes.values(), reverse=True)))
        racks = Counter(shop.rack[node] for node in nodes)
        self.saved = self._most_saved(sorted(racks.values(), reverse=True))
        self.shop, self.tasks = shop, shop.maps.tasks[job]
        self.sizes = [shop.input[t] for t in self.tasks]
        self.whole = sum(self.sizes)
        on_node = Counter(shop.maps.node)
        self.slots = [on_node[node] for node in nodes]
        in_rack = Counter(shop.rack[node] for node in shop.maps.node)
        self.rack_slots = {name: in_rack[name] for name in racks if in_rack[name]}
        nearest = shop.nearest_read(job)
        self.processing = sorted(
            (shop.reduces.least[w] - nearest for w in shop.reduces.tasks[job]), reverse=True
        )

    @cached_property
    def on_node(self) -> Part:
        """What slots of one node can process."""
        return Part([self.shop.maps.least[t] for t in self.tasks], self.sizes)

    @cached_property
    def in_rack(self) -> dict[str, Part]:
        """What slots of each rack can process; its tasks take their least times there."""
        return {
            name: Part([least_in_rack(self.shop, t, name) for t in self.tasks], self.sizes)
            for name in self.rack_slots
        }

    def _most_saved(self, racks: list[int]) -> list[Fraction]:
        """Of 1, 2, ... nodes: the most that the worst of them saves, wherever map tasks run.

        Let each of j_r nodes of rack r save `near` x + `rack` y >= z. Added up, j_r z <= near y +
        j_r rack y, so y >= z j_r / (near + rack j_r). These shares add up to 1 at most, and least
        if racks are filled one after another, the largest first: j / (near + rack j) is concave.
        """
        if not self.near + self.rack:
            return [Fraction(0)] * sum(racks)
        saved, full = [], Fraction(0)
        for nodes in racks:
            shares = [Fraction(j, self.near + self.rack * j) for j in range(1, nodes + 1)]
            saved += [1 / (full + share) for share in shares]
            full += shares[-1]
        return saved

    def reads(self, until: int | None) -> list[Fraction]:
        """The least reads on the worst of 1, 2, ... nodes if the map phase has ended by a time.

        The worst of J nodes has at most the J-th greatest share that nodes can process, and 1 / J.
        """
        count = range(1, len(self.turns) + 1)
        shares, near = [Fraction(1)] * len(count), Fraction(1)
        if until is not None:
            most = {slots: self.on_node.most(slots, until) for slots in set(self.slots)}
            shares = sorted((most[slots] / self.whole for slots in self.slots), reverse=True)
            parts = (self.in_rack[name].most(k, until) for name, k in self.rack_slots.items())
            near = max(parts, default=Fraction(0)) / self.whole
        return [
            self.far - min(self.near * min(x, Fraction(1, j)) + self.rack * near, saved)
            for j, x, saved in zip(count, shares, self.saved, strict=True)
        ]

    def least_tail(self, until: int) -> int:
        """The least time from the end of the map phase to that of the job.

        Some slot runs k of the n reduce tasks, at least the k shortest, and none runs more. Then
        the k D + 1 longest are on more nodes than the J that have most slots, D: one is on the
        worst of J + 1. And all of them read as on the best node at least.
        """
        reads, longest = self.reads(until), self.processing
        worked, tail = 0, None
        for k, shortest in enumerate(reversed(longest), 1):
            worked += shortest
            on_slot = worked + k * reads[0]
            if tail is not None and on_slot >= tail:
                break
            if k * self.turns[-1] >= len(longest):
                first = [0, *(k * slots for slots in self.turns)]
                apart = [
                    longest[m] + read
                    for m, read in zip(first, reads, strict=False)
                    if m < len(longest)
                ]
                tail = max(on_slot, *apart) if tail is None else min(tail, max(on_slot, *apart))
        shared = span((p + math.ceil(reads[0]) for p in longest), self.turns[-1])
        return math.ceil(max(shared, tail or 0))


def least_in_rack(shop: Shop, task: int, rack: str) -> int:
    """The least time of a map task on the map slots of a rack that has some."""
    near = {node for node in shop.replicas[task] if shop.rack[node] == rack}
    cost = shop.cost[0 if near & shop.map_nodes else 1 if near else 2]
    work = shop.maps.processing[task] * shop.fastest(shop.maps, shop.maps.job[task])[rack]
    return shop.input[task] * cost + work


def least_end(shop: Shop, job: int, ends: Any) -> Callable[[int], int]:
    """The least end of a job whose map phase does not end before a time.

    If its map phase ends early, its map tasks ran on many nodes, and its reduce tasks read from
    other nodes and racks. `ends` cut the time after the head into intervals. A map phase that ends
    within one ends at its beginning or later, has processed by its end what it has, and a tail of
    that time follows; after the last one at least the least tail does.
    """
    head, tail = (side[job] for side in spans(shop))
    reads, until = JobReads(shop, job), rising(ends, head)
    if len(until) > MOST_ENDS:
        refuse("too many intervals")
    starts = [head, *(u + 1 for u in until)]
    tails = [*(max(tail, reads.least_tail(u)) for u in until), tail]
    later = [start + rest for start, rest in zip(starts, tails, strict=True)]
    later = list(accumulate(later[::-1], min))[::-1]

    def end(start: int) -> int:
        j = bisect_left(until, start)
        return min([max(start, starts[j]) + tails[j], *later[j + 1 : j + 2]])

    return end


def one_jobs_reads(shop: Shop, proof: Document) -> int:
    """One job alone: spread it and it reads from afar, gather it and its maps take longer."""
    fields(proof, "proof job ends")
    return least_end(shop, whole(proof["job"], len(shop.jobs)), proof["ends"])(0)


# 3. What a horizon says of all jobs.


def reads_within_horizon(shop: Shop, proof: Document) -> int:
    """In a schedule within a horizon T reduce tasks are on several nodes, and read from afar.

    So no schedule is shorter than T + 1 or than another theorem's bound with these reads. A slot
    has time for k reduce tasks of a job at most. Then the k D + 1 with the least reads are on more
    than the J nodes that have most slots, D, and one of them reads as on the worst of J + 1. Sorted
    lengths are not below the sorted processing times with the least read, nor below the least
    processing time with the sorted reads. For `jobs` it counts that their map phase ends by T less
    their tail. The theorems of `SORTED` depend on the sorted lengths of each job only, and grow
    with them.
    """
    fields(proof, "proof horizon jobs then")
    horizon, close = whole(proof["horizon"]), distinct(proof["jobs"], len(shop.jobs))
    then = need(proof["then"], dict)
    theorem = SORTED[then.get("proof")]
    if "ends" in then:
        refuse("ends of jobs have no place within a horizon")
    longer = with_reads(shop, readers(shop), horizon, close)
    bound = horizon + 1 if longer is None else math.ceil(theorem(longer, then))
    return min(horizon + 1, bound)


SORTED: dict[str, Callable[[Shop, Document], Number]] = {
    "waits": waits,
    "pigeonhole": pigeonhole,
    "johnson": johnson,
    "orders": orders,
}


def readers(shop: Shop) -> dict[int, JobReads]:
    """What jobs read, of those that do."""
    reading = (i for i, tasks in enumerate(shop.reduces.tasks) if tasks and shop.output_of[i])
    return {job: JobReads(shop, job) for job in reading}


def with_reads(
    shop: Shop, reading: dict[int, JobReads], horizon: int, close: Collection[int]
) -> Shop | None:
    """The problem with the reads that a horizon implies; None if no schedule is within it."""
    heads, tails = spans(shop)
    longer = copy.copy(shop)
    longer.reduces = copy.copy(shop.reduces)
    longer.reduces.least = list(shop.reduces.least)
    longer.phases = {"map": longer.maps, "reduce": longer.reduces}
    for job, reads in reading.items():
        tasks = shop.reduces.tasks[job]
        least, processing = reads.reads(None), reads.processing[::-1]
        each = processing[0] + least[0]
        turns = (horizon - heads[job]) // each if each else len(processing)
        if turns < 1 or len(processing) > turns * reads.turns[-1]:
            return None
        if job in close:
            if horizon - tails[job] < heads[job]:
                return None
            least = reads.reads(horizon - tails[job])
        shortest = sorted(tasks, key=shop.reduces.least.__getitem__)
        for m, (task, time) in enumerate(zip(shortest, processing, strict=True)):
            read = least[bisect_right(reads.turns, m // turns)]
            length = max(time + least[0], processing[0] + read)
            longer.reduces.least[task] = max(shop.reduces.least[task], math.ceil(length))
    return longer
