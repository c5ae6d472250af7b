"""Lower bounds whose certificates are prices, horizons or sets of jobs; see `verify.py`.

Times are whole units of the problem (`Shop.unit`) wherever a certificate gives them. A bound of one
phase, or of the end of a job, may be rounded up: some shortest schedule has no needless wait, so
all its times are whole.
"""

from __future__ import annotations

import copy
import math
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from fractions import Fraction
from functools import cached_property, cmp_to_key, lru_cache, partial
from itertools import accumulate, pairwise
from operator import sub
from typing import Any

try:
    from . import verify
except ImportError:  # beside verify.py, without slotwise
    import verify  # type: ignore[import-not-found,no-redef]

MOST_PACKED = 400
"""Of larger sets of tasks no units of time are counted."""
MOST_UNITS = 8
"""So many units of a task, or beside it, are told apart."""
FINE = 1024
"""Into so many parts each unit of the problem is divided for these units of time."""
PARTS = range(2, 17)
"""A unit is also tried that goes into a makespan once less than so many times."""
MOST_TURNS = 8
"""Tasks so short that a slot runs more of them in turn are not counted one by one."""
MOST_WORK = 10**8
"""A proof that needs more steps than this is refused."""


# 1. One phase of some jobs alone, and the orders of a few jobs.


def packed(lengths: Iterable[int], slots: int) -> int:
    """No schedule of such tasks on so many slots is shorter: `span`, and whole units of time.

    Within a makespan T a slot has k = floor(T / a) units of length a. A task of length L <= T / 2
    takes floor(L / a) of them, and a longer one all but the floor((T - L) / a) that fit beside it:
    no slot gives away more than k, as one task at most is longer than T / 2.
    """
    some = sorted(length for length in lengths if length)
    least: int = verify.span(some, slots)
    if len(some) > MOST_PACKED:
        return least
    low, high = least - 1, least  # nothing within `low` exists
    while not may_fit(some, slots, high):
        low, high = high, high + high // 2 + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if may_fit(some, slots, middle) else (middle, high)
    return high


def may_fit(some: list[int], slots: int, time: int) -> bool:
    """Whether units of time leave room for tasks of rising lengths above 0, none above `time`."""
    rising, time = [length * FINE for length in some], time * FINE
    half = bisect_right(rising, time // 2)
    left = (time - length + 1 for length in rising[half:])
    for a in dict.fromkeys([*rising[:half], *(time // k + 1 for k in PARTS), *left]):
        units = time // a
        taken = (len(rising) - half) * units
        for n in range(1, min(MOST_UNITS, units // 2) + 1):
            taken += half - bisect_left(rising, n * a, 0, half)
            taken -= bisect_right(rising, time - n * a, half) - half
        if units // 2 > MOST_UNITS:  # where still more units fit beside a task, it counts none
            beside = bisect_right(rising, time - (MOST_UNITS + 1) * a, half) - half
            taken -= beside * (units - MOST_UNITS)
        if taken > slots * units:
            return False
    return True


@lru_cache(4)
def spans(shop: verify.Shop) -> tuple[list[int], list[int]]:
    """Heads and tails: least durations of each job's map phase, and of its reduce phase."""
    if None in shop.least_map or None in shop.least_reduce:
        verify.refuse("a task may run on no slot")
    heads, tails = (
        [
            max(alone, packed((least[t] for t in tasks), len(phase.node)))
            for tasks, alone in zip(phase.tasks, verify.job_spans(shop, kind), strict=True)
        ]
        for kind, phase, least in (
            ("map", shop.maps, shop.least_map),
            ("reduce", shop.reduces, shop.least_reduce),
        )
    )
    return heads, tails


def orders(shop: verify.Shop, proof: verify.Proof) -> int:
    """The map phases of some jobs end in some order; the best order is found, set by set.

    Without the other jobs nothing gets longer. When the map phase of job k ends, the map tasks of
    all jobs up to k are done: not before the span of these alone. The reduce tasks of k and of all
    later jobs are to come: their span alone follows. `ends` adds what job k reads; see `JobEnd`.
    """
    verify.fields(proof, "orders", ("proof", "jobs"), ("ends",))
    jobs = distinct_jobs(shop, proof["jobs"], "orders: jobs")
    tasks = sum(len(phase.tasks[i]) for phase in shop.phases.values() for i in jobs)
    if len(jobs) > 12 or 64 * min(tasks, MOST_PACKED) + tasks << len(jobs) > MOST_WORK // 10:
        verify.refuse("orders: too many jobs or tasks")
    heads, tails = spans(shop)
    ends: list[Callable[[int], int]] = [lambda start: start] * len(jobs)
    if "ends" in proof:
        table = verify.rows(proof["ends"], len(jobs), "orders: ends")
        ends = [
            JobEnd(shop, i, heads[i], tails[i], of_job) if of_job else same
            for i, of_job, same in zip(jobs, table, ends, strict=True)
        ]
    everything = (1 << len(jobs)) - 1
    before = spans_of_sets(shop.maps, shop.least_map, jobs)
    after = spans_of_sets(shop.reduces, shop.least_reduce, jobs)
    best = [0] * (everything + 1)
    for some in range(1, everything + 1):
        lasts = [k for k in range(len(jobs)) if some >> k & 1]
        best[some] = min(
            max(
                best[some & ~(1 << k)],
                before[some] + after[everything & ~some | 1 << k],
                ends[k](before[some]),
            )
            for k in lasts
        )
    return best[everything]


def spans_of_sets(phase: verify.Phase, least: list[int], jobs: list[int]) -> list[int]:
    """By set of jobs, a bit for each: no schedule of their tasks of one phase is shorter."""
    sets = range(1 << len(jobs))
    chosen = ([phase.tasks[i] for k, i in enumerate(jobs) if some >> k & 1] for some in sets)
    slots = len(phase.node)
    return [packed((least[t] for tasks in some for t in tasks), slots) for some in chosen]


def distinct_jobs(shop: verify.Shop, value: Any, what: str) -> list[int]:
    """Numbers of jobs, none twice."""
    jobs = [verify.index(i, len(shop.jobs), what) for i in verify.rows(value, None, what)]
    if len(set(jobs)) < len(jobs):
        verify.refuse(f"{what}: a job comes twice")
    return jobs


# 2. What one job reads, by the time at which its map phase has ended.


class Part:
    """How much of a job's input some slots of one place can process by a time.

    `lengths`: least time of each map task there. `sizes`: input of each, in whole parts.
    """

    def __init__(self, lengths: list[int], sizes: list[int]) -> None:
        tasks = [task for task in zip(lengths, sizes, strict=True) if task[1]]
        tasks.sort(key=cmp_to_key(later))
        self.worked = [0, *accumulate(length for length, _ in tasks)]
        self.gained = [0, *accumulate(size for _, size in tasks)]
        self.largest = [0, *accumulate(sorted(sizes, reverse=True))]
        tasks = sorted(zip(lengths, sizes, strict=True))
        self.length = [length for length, _ in tasks]
        self.turn = list(accumulate(self.length))
        self.shorter = [0, *accumulate(size for _, size in tasks)]

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


def later(a: tuple[int, int], b: tuple[int, int]) -> int:
    """Above 0 if task a, with its length and size, has less input per time than b."""
    return a[0] * b[1] - b[0] * a[1]


class JobReads:
    """How long reduce tasks of one job read, given when its map phase has ended.

    A reduce task on node v of rack r reads for `far` - `near` x_v - `rack` y_r, where x_v and y_r
    are the shares of the job's output there. A task's share of the output is its share of the
    input. All nodes here have reduce slots. `turns` has the most reduce slots of 1, 2, ... nodes.
    """

    def __init__(self, shop: verify.Shop, job: int) -> None:
        if not shop.output_of[job] or not shop.reduces.tasks[job]:
            verify.refuse("a job that reads nothing")
        read = [shop.output_of[job] * cost for cost in shop.output_cost]
        self.far, self.near, self.rack = read[2], read[1] - read[0], read[2] - read[1]
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
        self.processing = sorted(
            (shop.least_reduce[w] - shop.nearest_read(job) for w in shop.reduces.tasks[job]),
            reverse=True,
        )

    @cached_property
    def on_node(self) -> Part:
        """What slots of one node can process."""
        return Part([self.shop.least_map[t] for t in self.tasks], self.sizes)

    @cached_property
    def in_rack(self) -> dict[str, Part]:
        """What slots of each rack can process; its tasks take their least times there."""
        lengths = least_in_racks(self.shop, self.tasks, self.rack_slots)
        return {name: Part(lengths[name], self.sizes) for name in self.rack_slots}

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
        shared = verify.span((p + math.ceil(reads[0]) for p in longest), self.turns[-1])
        return math.ceil(max(shared, tail or 0))


def least_in_racks(shop: verify.Shop, tasks: range, racks: Iterable[str]) -> dict[str, list[int]]:
    """By rack: the least time of each map task on the map slots there."""
    nodes = set(shop.maps.node)
    lengths: dict[str, list[int]] = {}
    for rack in racks:
        lengths[rack] = []
        for t in tasks:
            near = {node for node in shop.replicas[t] if shop.rack[node] == rack}
            cost = shop.input_cost[0 if near & nodes else 1 if near else 2]
            factor = shop.fastest(shop.maps, shop.maps.job[t])["rack", rack]
            lengths[rack].append(shop.input[t] * cost + shop.maps.processing[t] * factor)
    return lengths


class JobEnd:
    """The least end of one job whose map phase does not end before a time.

    If its map phase ends early, its map tasks ran on many nodes, and its reduce tasks read from
    other nodes and racks. `ends` cut the time after the head into intervals. A map phase that ends
    within one ends at its beginning or later, has processed by its end what it has, and a tail of
    that time follows; after the last one at least the least tail does.
    """

    def __init__(self, shop: verify.Shop, job: int, head: int, tail: int, ends: Any) -> None:
        reads = JobReads(shop, job)
        ends = [verify.index(u, 10**300, "an end") for u in verify.rows(ends, None, "ends")]
        if len(ends) > 5000 or any(b <= a for a, b in pairwise([head - 1, *ends])):
            verify.refuse("ends: must rise from the job's head on, and be few")
        self.ends: list[int] = ends
        self.tail = tail
        self.starts: list[int] = [head, *(u + 1 for u in ends)]
        self.tails = [max(tail, reads.least_tail(u)) for u in ends]
        later = [a + b for a, b in zip(self.starts, self.tails, strict=False)]
        later.append(self.starts[-1] + tail)
        self.later: list[int] = list(accumulate(reversed(later), min))[::-1]

    def __call__(self, start: int) -> int:
        j = bisect_left(self.ends, start)
        if j == len(self.ends):
            return max(start, self.starts[-1]) + self.tail
        return min(max(start, self.starts[j]) + self.tails[j], self.later[j + 1])


def one_jobs_reads(shop: verify.Shop, proof: verify.Proof) -> int:
    """One job alone: spread it and it reads from afar, gather it and its maps take longer."""
    verify.fields(proof, "one job's reads", ("proof", "job", "ends"))
    job = verify.index(proof["job"], len(shop.jobs), "one job's reads: job")
    heads, tails = spans(shop)
    return JobEnd(shop, job, heads[job], tails[job], proof["ends"])(0)


def reads_within_horizon(shop: verify.Shop, proof: verify.Proof) -> int:
    """In a schedule within a horizon T reduce tasks are on several nodes, and read from afar.

    So no schedule is shorter than T + 1 or than another theorem's bound with these reads. A slot
    has time for k reduce tasks of a job at most. Then the k D + 1 with the least reads are on more
    than the J nodes that have most slots, D, and one of them reads as on the worst of J + 1. Sorted
    lengths are not below the sorted processing times with the least read, nor below the least
    processing time with the sorted reads. For `jobs` it counts that their map phase ends by T less
    their tail. The theorems of `SORTED` depend on the sorted lengths of each job only, and grow
    with them.
    """
    what = "reads within a horizon"
    verify.fields(proof, what, ("proof", "horizon", "jobs", "then"))
    horizon = verify.index(proof["horizon"], 10**300, what)
    close = set(distinct_jobs(shop, proof["jobs"], f"{what}: jobs"))
    then = verify.mapping(proof["then"], f"{what}: then")
    theorem = verify.theorem(then.get("proof"))
    verify.choice(then["proof"], SORTED, f"{what}: then")
    if "ends" in then:
        verify.refuse(f"{what}: ends of jobs have no place there")
    longer = with_reads(shop, readers(shop), horizon, close)
    if longer is None:
        return horizon + 1
    return min(horizon + 1, math.ceil(theorem(longer, then)))


def readers(shop: verify.Shop) -> dict[int, JobReads]:
    """What jobs read, of those that do."""
    reading = (i for i, tasks in enumerate(shop.reduces.tasks) if tasks and shop.output_of[i])
    return {job: JobReads(shop, job) for job in reading}


def with_reads(
    shop: verify.Shop,
    reading: dict[int, JobReads],
    horizon: int,
    close: Collection[int],
) -> verify.Shop | None:
    """The problem with the reads that a horizon implies; None if no schedule is within it."""
    heads, tails = spans(shop)
    longer = copy.copy(shop)
    longer.least_reduce = list(shop.least_reduce)
    for job, reads in reading.items():
        tasks = shop.reduces.tasks[job]
        least, rising = reads.reads(None), reads.processing[::-1]
        each = rising[0] + least[0]
        turns = (horizon - heads[job]) // each if each else len(rising)
        if turns < 1 or len(rising) > turns * reads.turns[-1]:
            return None
        if job in close:
            if horizon - tails[job] < heads[job]:
                return None
            least = reads.reads(horizon - tails[job])
        shortest = sorted(tasks, key=shop.least_reduce.__getitem__)
        for m, (task, processing) in enumerate(zip(shortest, rising, strict=True)):
            read = least[bisect_right(reads.turns, m // turns)]
            length = max(processing + least[0], rising[0] + read)
            longer.least_reduce[task] = max(shop.least_reduce[task], math.ceil(length))
    return longer


# 3. Prices of time.


def prices_of_time(shop: verify.Shop, proof: verify.Proof) -> int:
    """Tasks pay for the time in which they run; where they have to pay too much, there is no room.

    Time is cut into cells, `map` prices them on a map slot from the start of a schedule within the
    T cells, and `reduce` on a reduce slot from its end. All durations, starts and ends are rounded
    down to cells; what does not overlap still does not. Together the tasks pay no more than the
    price of all cells of all slots. A job whose map phase ends at x pays for each map task at least
    the cheapest place before x, for each reduce task the cheapest after x, and at least the least
    such sum. If that is more for all jobs, no schedule is within T cells.
    """
    what = "prices of time"
    verify.fields(proof, what, ("proof", "cell", "map", "reduce"))
    cell = verify.index(proof["cell"], 10**300, f"{what}: cell")
    count = len(verify.rows(proof["map"], None, what))
    if not cell or count > 50_000:
        verify.refuse(f"{what}: the cell must be above 0, and cells few")
    heads, tails = spans(shop)
    kinds = {(job, time // cell) for job, time in zip(shop.maps.job, shop.least_map, strict=True)}
    if len(kinds) * count > MOST_WORK:
        verify.refuse(f"{what}: too many cells")
    surplus = 0
    cheapest: dict[str, Callable[[int], list[int]]] = {}
    for kind, phase in shop.phases.items():
        row = verify.rows(proof[kind], count, what)
        paid = [0, *accumulate(verify.index(price, 10**300, what) for price in row)]
        surplus -= len(phase.node) * paid[-1]
        cheapest[kind] = lru_cache(None)(partial(cheapest_by, paid))
    for job, (head, tail) in enumerate(zip(heads, tails, strict=True)):
        if head // cell + tail // cell > count:
            return (count + 1) * cell
        costs = []
        for kind, least in (("map", shop.least_map), ("reduce", shop.least_reduce)):
            cost = [0] * (count + 1)
            sizes = Counter(least[t] // cell for t in shop.phases[kind].tasks[job])
            for size, number in sizes.items():
                cost = [a + number * b for a, b in zip(cost, cheapest[kind](size), strict=True)]
            costs.append(cost)
        until = range(head // cell, count + 1 - tail // cell)
        surplus += min(costs[0][x] + costs[1][count - x] for x in until)
    return (count + 1) * cell if surplus > 0 else verify.refuse(f"{what}: they prove nothing")


def cheapest_by(paid: list[int], size: int) -> list[int]:
    """By each time: the cheapest place of a task that has ended by then, 0 where none has."""
    return [0] * size + list(accumulate(map(sub, paid[size:], paid), min))


PROOFS: dict[str, verify.Theorem] = {
    "orders": orders,
    "one job's reads": one_jobs_reads,
    "reads within a horizon": reads_within_horizon,
    "prices of time": prices_of_time,
}
"""From the problem and the numbers of a certificate to a bound in units, by name."""

SORTED = (*verify.PROOFS, "orders", "prices of time")
"""The theorems that depend on the sorted least lengths of each job only."""
