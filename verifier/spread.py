"""A lower bound whose certificate is prices of work by intervals of time.

A job whose map phase ends early cannot have had much of its input on one node, and one whose map
phase ends late cannot have many of its reduce tasks on one node. So a part of what these read is
not on their node or rack, or map tasks have read their input from elsewhere to be there.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import accumulate, pairwise
from operator import mul, sub
from typing import Any, NamedTuple

from .closed_forms import span, spans
from .documents import Document, fields, refuse, rising, whole, wholes
from .last_jobs import input_at, separate_work
from .problem import FAR, LOCAL, NEAR, Shop
from .reads import JobReads

WHOLE = 10**9
"""Shares are counted in parts of the whole, rounded up."""
MOST_ENDS, MOST_CASES = 1000, 10**6
"""A proof with more intervals, or more jobs times intervals times nodes, is refused."""

Shares = dict[Any, int]
"""By place, a node or a rack."""


class Case(NamedTuple):
    """What holds if the map phase of a job ends in an interval.

    `tail` is the least time from the end of the map phase to that of the job. `map_open` and
    `reduce_open`: how long, within the interval, its map or reduce tasks run. `works` are pairs of
    map work and reduce work; one of these, or a mean of some, is not more than is done.
    """

    interval: int
    tail: int
    map_open: int
    reduce_open: int
    works: list[tuple[int, int]]


def spread(shop: Shop, proof: Document) -> int:
    """Work pays for the time in which it is done; where that is more than can be earned, no room.

    `ends` cut the time up to a horizon, the last of them, into intervals; `map` and `reduce` price
    a unit of work in each. The map work of a job whose map phase ends in an interval is done in
    this one or before, its reduce work in this one or later: it pays the least price there at
    least. In whichever interval each job's map phase ends: if all jobs pay more than all slots can
    earn (`Prices`), no schedule is within the horizon.
    """
    fields(proof, "proof ends map reduce")
    ends = rising(proof["ends"], 1)
    if not 0 < len(ends) <= MOST_ENDS or len(ends) * len(shop.jobs) * len(shop.nodes) > MOST_CASES:
        refuse("no intervals, or too many")
    maps, reduces = (Prices(shop, kind, proof[kind], ends) for kind in ("map", "reduce"))
    heads, _ = spans(shop)
    paid = 0
    for job, cases in enumerate(cases_by_job(shop, tuple(ends))):
        if not cases:
            return ends[-1] + 1
        maps.wait(job, min(case.tail for case in cases))
        reduces.wait(job, heads[job])
        paid += min(
            maps.paid(job, case.interval, case.map_open, map_work)
            + reduces.paid(job, case.interval, case.reduce_open, reduce_work)
            for case in cases
            for map_work, reduce_work in case.works
        )
    if paid <= maps.earned() + reduces.earned():
        refuse("they prove nothing")
    return ends[-1] + 1


class Prices:
    """What the work of one phase pays, and what the slots can earn with it.

    All is said of map work; reduce work is the same, read backwards. Of the price of a unit of work
    the part `all` is for all work: u slots can earn u times the horizon less the u least tails,
    see `closed_forms.waits`, where u is the lesser number of slots and tasks. The part `open` is
    for what is open: a job occupies no more slots at a time than it has map tasks, and none after
    the end of its map phase. What is above these two parts, a slot can earn all the time.
    """

    def __init__(self, shop: Shop, kind: str, document: Any, ends: list[int]) -> None:
        fields(document, "price open all")
        self.all = whole(document["all"])
        price, self.open = (wholes(document[name], len(ends)) for name in ("price", "open"))
        lengths = list(map(sub, ends, [0, *ends]))
        self.backwards = kind == "reduce"
        if self.backwards:
            price, self.open, lengths = price[::-1], self.open[::-1], lengths[::-1]
        self.least = list(accumulate(price, min))
        self.before: list[int] = [0, *accumulate(map(mul, self.open, lengths))]
        rest = (max(0, p - o - self.all) for p, o in zip(price, self.open, strict=True))
        self.phase, self.horizon = shop.phases[kind], ends[-1]
        self.slots = len(self.phase.node)
        self.rest: int = self.slots * sum(map(mul, rest, lengths))
        self.waits: list[int] = []

    def wait(self, job: int, time: int) -> None:
        """After each map task of a job follows its tail."""
        self.waits += [time] * min(self.slots, len(self.phase.tasks[job]))

    def paid(self, job: int, interval: int, part: int, work: int) -> int:
        """What a job pays that ends in an interval, open for a part of it; less its `open`."""
        k = len(self.least) - 1 - interval if self.backwards else interval
        occupied = min(self.slots, len(self.phase.tasks[job]))
        return self.least[k] * work - occupied * (self.before[k] + self.open[k] * part)

    def earned(self) -> int:
        """What all slots earn at most, without the part `open`."""
        waits = sorted(self.waits)[: self.slots]
        return self.rest + self.all * (len(waits) * self.horizon - sum(waits))


@lru_cache(1)
def cases_by_job(shop: Shop, ends: tuple[int, ...]) -> list[list[Case]]:
    return [cases_of(shop, job, ends) for job in range(len(shop.jobs))]


def cases_of(shop: Shop, job: int, ends: Sequence[int]) -> list[Case]:
    """All intervals in which the map phase of a job can end. Without map tasks it ends at 0."""
    heads, tails = (side[job] for side in spans(shop))
    maps, reduces = (phase.tasks[job] for phase in (shop.maps, shop.reduces))
    map_work = separate_work(shop, maps)
    reduce_work = sum(shop.reduces.least[w] for w in reduces)
    reads = Reads(shop, job) if shop.output_of[job] and reduces else None
    cases = []
    for k, (start, end) in enumerate(pairwise([0, *ends])):
        if heads > end or (k and not maps):
            continue
        left, tail, works = ends[-1] - start, tails, [(map_work, reduce_work)]
        if reads is not None:
            known = reads.known(end, left)
            if known is None:
                continue
            tail = max(tail, known[0])
            works = [(map_work + moved, work) for moved, work in known[1]]
        if tail <= left:
            map_open = max(0, min(end, ends[-1] - tail) - start)
            cases.append(Case(k, tail, map_open, max(0, end - max(start, heads)), works))
    return cases


class Reads:
    """What the reduce tasks of one job take if the map phase ends by a time, and what is left then.

    With x_v and z_v the shares of the job's map output and of its reduce tasks on node v, and a the
    sum of all x_v z_v, the reduce tasks read on their node a share a of all that they read. Let X_v
    and Z_v be upper bounds of the shares, and fill(X) the shares if places are filled to their
    bounds, the greatest first, until nothing is left. Then a <= sum of fill(X) fill(Z): sorted and
    added up from the greatest on, x is nowhere above fill(X), nor z above fill(Z). Let H_v be the
    share of the input that v reads at its best rate. If map tasks read a share m of the input at a
    worse one, a <= sum of fill(min(X, H)) fill(Z) + m max Z, and they take so much longer. The same
    holds for racks. Both bounds meet at some m: that and m = 0 are the two ways at each level.
    """

    def __init__(self, shop: Shop, job: int) -> None:
        self.rack, self.job = shop.rack, JobReads(shop, job)
        self.maps, self.reduces = Counter(shop.maps.node), Counter(shop.reduces.node)
        self.worked = [0, *accumulate(reversed(self.job.processing))]
        tasks, cost, whole = shop.maps.tasks[job], shop.cost, self.job.whole
        places: Iterable[tuple[Callable[[int], Any], int, int]] = (
            (int, cost[NEAR] - cost[LOCAL], self.job.near),
            (shop.rack.__getitem__, cost[FAR] - cost[NEAR], self.job.rack),
        )
        self.levels: list[tuple[set[Any], Shares, int, int]] = []
        for place, more, saved in places:
            held = input_at(shop, tasks, place)
            shares = {name: _share(size, whole) for name, size in held.items()}
            self.levels.append((set(map(place, self.reduces)), shares, more * whole, saved))

    def known(self, until: int, left: int) -> tuple[int, list[tuple[int, int]]] | None:
        """The tail and the works: additional map work, reduce work. None if there is no room."""
        most = {slots: self.job.on_node.most(slots, until) for slots in set(self.maps.values())}
        inputs = self._bounds(self.maps, most, self.job.whole)
        saved, tasks = 0, len(self.job.processing)
        for x, (reducing, _, _, step) in zip(inputs, self.levels, strict=True):
            saved += step * max(x.get(name, 0) for name in reducing)
        read = self.job.far - saved // WHOLE

        def fit(time: int) -> int:
            return bisect_right(range(1, tasks + 1), time, key=lambda n: self.worked[n] + n * read)

        on_slot, slots_of = fit(left), self.reduces.values()
        fits = {slots: min(slots * on_slot, fit(slots * left)) for slots in set(slots_of)}
        if sum(map(fits.__getitem__, slots_of)) < tasks:
            return None
        reduces = self._bounds(self.reduces, fits, tasks)
        works = [(0, self.worked[-1] + tasks * self.job.far)]
        for x, z, (_, held, more, step) in zip(inputs, reduces, self.levels, strict=True):
            free = _product({name: min(part, held[name]) for name, part in x.items()}, z)
            best, widest = _product(x, z), max(z.values())
            moves = dict.fromkeys([(0, free), (more * (best - free) // (widest * WHOLE), best)])
            works = [
                (moved + longer, work + -step * tasks * local // WHOLE**2)
                for moved, work in works
                for longer, local in moves
            ]
        return span((p + read for p in self.job.processing), sum(slots_of)), works

    def _bounds(
        self, slots_of: Counter[int], most: dict[int, Any], whole: int
    ) -> tuple[Shares, Shares]:
        """Bounds of the shares of nodes, and of racks, from what so many slots can do."""
        parts = {slots: _share(part, whole) for slots, part in most.items()}
        nodes = {node: parts[slots] for node, slots in slots_of.items()}
        racks = Counter[Any]()
        for node, part in nodes.items():
            racks[self.rack[node]] += part
        return nodes, {name: min(WHOLE, part) for name, part in racks.items()}


def _share(part: Any, whole: int) -> int:
    """A share of a whole, at most 1, rounded up."""
    return min(WHOLE, int(-(-part * WHOLE // whole)))


def _product(x: Shares, z: Shares) -> int:
    """The sum of fill(X) fill(Z) over the places that can have something of both, rounded up."""
    both = [name for name in x if x[name] and z.get(name)]
    total, left_x, left_z = 0, WHOLE, WHOLE
    falling = (sorted((side[name] for name in both), reverse=True) for side in (x, z))
    for a, b in zip(*falling, strict=True):
        a, b = min(a, left_x), min(b, left_z)
        total, left_x, left_z = total + a * b, left_x - a, left_z - b
    return total
