"""A lower bound by search: every order of the jobs and all slots are tried."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from operator import add
from typing import Any, NamedTuple

from .closed_forms import span, span_of_equals
from .documents import Document, fields, refuse, rising, whole
from .problem import Shop

Times = tuple[int, ...]
"""Whole units, one per slot."""
Row = Sequence[int | None]
"""Times of a task on all slots, None where it may not be."""
Jobs = tuple[int, ...]
Begin = tuple[int, list[Times]]
"""When the reduce tasks of a job may begin, and what each takes on every slot."""

MOST_CASES, MOST_JOBS, MOST_PAIRS = 10_000_000, 60, 50_000
"""Longer searches, and those over more jobs, or pairs of a task and a slot, are refused."""
STEPS = 8
"""Most times that are tried for the start of a reduce phase."""


def search(shop: Shop, proof: Document) -> int:
    """No order of some jobs and no choice of slots gives a schedule within the horizon.

    Leaving the other jobs out never makes a schedule longer. One order of the jobs is enough: take
    a shortest schedule and sort the jobs by the end of their map tasks, jobs without map tasks
    first, jobs without reduce tasks last. Let every slot run its tasks in that order. On a map slot
    all tasks are ready at 0, and the earliest due date first (Jackson's rule) meets all due dates,
    here the ends of the jobs' map tasks, if any order does. On a reduce slot the earliest release
    first ends first. No task has changed its slot, so no duration has changed. Hence

        makespan = max over jobs i and slots k, l of
            (map work on k of the jobs up to i) + (reduce work on l of the jobs from i on)

    for the best order and the best slots: neither sequences on slots nor starts are needed. All
    are tried. `cases` is how many steps that takes at most: a reader sees before what it costs.
    """
    fields(proof, "proof jobs horizon cases")
    jobs, horizon = rising(proof["jobs"], 0), whole(proof["horizon"])
    if not jobs or jobs[-1] >= len(shop.jobs):
        refuse("jobs must rise, and be there")
    if Search(shop, jobs, horizon, whole(proof["cases"], MOST_CASES + 1)).possible():
        refuse("a schedule of these jobs ends within the horizon")
    return horizon + 1


class Tasks(NamedTuple):
    """Tasks that are placed on slots one after another, and when each has to end.

    `repeats`: whether a task can be exchanged with the one before. `latest`: of each task the time
    by which its slot has to be free again, for all slots; they rise.
    """

    rows: Sequence[Row]
    repeats: Sequence[bool]
    latest: Sequence[Sequence[int]]


class Search:
    """Looks for a schedule within the horizon, the jobs one after another in the common order.

    A state is what is left: the jobs, when every map slot has done its work (`load`), and every
    reduce slot (`free`). Equal states are searched once; so are states in which two slots that
    differ in nothing have changed places. A state is given up if the tasks of one phase alone, all
    of them whole, do not fit on their slots between what is known of the other phase.
    """

    def __init__(self, shop: Shop, jobs: list[int], horizon: int, cases: int) -> None:
        self.shop, self.jobs, self.horizon, self.cases = shop, tuple(jobs), horizon, cases
        self.maps, self.reduces = maps, reduces = shop.maps, shop.reduces
        pairs = sum(len(p.node) * len(p.tasks[i]) for p in shop.phases.values() for i in jobs)
        if len(jobs) > MOST_JOBS or pairs > MOST_PAIRS:
            refuse("jobs and their tasks must be few")
        self.seen: set[Any] = set()
        slots = range(len(maps.node))
        self.map_times: dict[int, list[int | None]] = {
            t: [shop.map_time(t, k) if shop.may_run(t, k) else None for k in slots]
            for i in jobs
            for t in maps.tasks[i]
        }
        self.like = {
            t: ([-1 if time is None else time for time in row], shop.output[t])
            for t, row in self.map_times.items()
        }
        self.order = {
            i: sorted(maps.tasks[i], key=lambda t: (-maps.least[t], self.like[t], t)) for i in jobs
        }
        self.delays = {t: self._delays(t) for t in self.map_times}
        self.reduce_times = {
            w: [reduces.time(w, k) for k in range(len(reduces.node))]
            for i in jobs
            for w in reduces.tasks[i]
        }
        self.map_kind = _kinds(maps.node, self.map_times.values())
        self.reduce_kind = _kinds(reduces.node, self.reduce_times.values())
        self.idle = (0,) * len(reduces.node)
        self.least_reduces: dict[int, list[Times]] = {}
        for i in jobs:
            delays = self.idle  # what a job reads at least, wherever its map tasks ran
            for t in maps.tasks[i]:
                least = map(min, zip(*self.delays[t].values(), strict=True))
                delays = tuple(map(add, delays, least))
            self.least_reduces[i] = self.work(i, delays)
        self.tail = {i: _phase_span(rows) for i, rows in self.least_reduces.items()}

    def _delays(self, task: int) -> dict[int, Times]:
        """By node for how long each reduce slot's task reads what a map task left there."""
        there = zip(self.maps.node, self.map_times[task], strict=True)
        nodes = {node for node, time in there if time is not None}
        if not self.reduces.tasks[self.maps.job[task]]:
            return dict.fromkeys(nodes, (0,) * len(self.reduces.node))
        return {
            node: tuple(self.shop.read_time(task, node, reader) for reader in self.reduces.node)
            for node in nodes
        }

    def work(self, i: int, delays: Times) -> list[Times]:
        """What every reduce task of a job takes on every slot, the longest first."""
        rows = [tuple(map(add, self.reduce_times[w], delays)) for w in self.reduces.tasks[i]]
        return sorted(rows, key=lambda row: (-min(row), row))

    def count(self) -> None:
        self.cases -= 1
        if self.cases < 0:
            refuse("the search needs more cases than it says")

    def is_new(self, state: Any) -> bool:
        self.count()
        new = state not in self.seen
        self.seen.add(state)
        return new

    def possible(self) -> bool:
        """Whether there is a schedule within the horizon."""
        load = (0,) * len(self.maps.node)
        return self.maps_fit(self.jobs, load) and self.succeeds(self.jobs, load, self.idle)

    def succeeds(self, left: Jobs, load: Times, free: Times) -> bool:
        """Whether the jobs that are left can end within the horizon."""
        if not left:
            return True
        for i in self.next_jobs(left):
            rest = tuple(j for j in left if j != i)
            begins = [(self.soonest({i, j}, load), self.least_reduces[j]) for j in (i, *rest)]
            latest = self.latest_start(begins, self.horizon - self.tail[i], free)
            if latest < begins[0][0]:
                continue
            for later, ends in self.after(i, rest, load, free, latest):
                first = min((self.soonest({j}, later) for j in rest), default=self.horizon)
                ends = tuple(max(end, first) for end in ends)
                state = rest, _canonical(self.map_kind, later), _canonical(self.reduce_kind, ends)
                if self.is_new(state) and self.succeeds(rest, later, ends):
                    return True
        return False

    def next_jobs(self, left: Jobs) -> Jobs:
        """Jobs without map tasks come first, by number; jobs without reduce tasks last."""
        maps, reduces = self.maps.tasks, self.reduces.tasks
        first = [i for i in left if not maps[i]]
        middle = tuple(i for i in left if maps[i] and reduces[i])
        return (first[0],) if first else middle or left[:1]

    def latest_start(self, begins: list[Begin], latest: int, free: Times) -> int:
        """The reduce phase of the first of these jobs, which the others follow, starts no later.

        If the reduce tasks do not fit from a time on, they do not from a later one. The first such
        time is looked for in a few steps, and not before the first job can begin.
        """
        start, never = begins[0][0], latest + 1
        middle = start
        for _ in range(STEPS):
            if middle < never and self.reduces_fit(
                [(max(at, middle), rows) for at, rows in begins], free
            ):
                start = middle
            else:
                never = min(middle, never)
            middle = (start + never) // 2
            if not start < middle < never:
                break
        return never - 1

    def after(
        self, i: int, rest: Jobs, load: Times, free: Times, latest: int
    ) -> Iterator[tuple[Times, Times]]:
        """The states after job i, whose maps end by `latest`: loads and ends of the slots."""
        tasks = self.map_tasks((i,), latest)
        for later, slots in self.placements(tasks, self.map_kind, load):
            start = max(later, default=0)
            ends = tuple(max(end, start) for end in free)
            delays = self.idle
            for t, k in zip(self.order[i], slots, strict=True):
                delays = tuple(map(add, delays, self.delays[t][self.maps.node[k]]))
            loads = _canonical(self.map_kind, later) if rest else ()
            middle = i, rest, loads, _canonical(self.reduce_kind, ends, delays)
            if not self.is_new(middle):
                continue
            work = self.work(i, delays)
            others = [(self.soonest({j}, later), self.least_reduces[j]) for j in rest]
            if self.reduces_fit([(start, work), *others], ends) and self.maps_fit(rest, later):
                tasks = self.reduce_tasks([(start, work)], free)
                for added, _ in self.placements(tasks, self.reduce_kinds(ends), self.idle):
                    yield later, tuple(map(add, ends, added))

    def placements(
        self, tasks: Tasks, kind: Sequence[Any], load: Times
    ) -> Iterator[tuple[Times, tuple[int, ...]]]:
        """Every way to add tasks to slots: new loads, slots of the tasks.

        Of slots of one kind with equal loads one is tried. Of equal tasks the later one is not on
        an earlier slot. All tasks together take no longer than the slots have time, but for what a
        slot has left that is too short for any task to come.
        """
        if not tasks.rows:
            yield load, ()
            return
        least = [min(time for time in row if time is not None) for row in tasks.rows]
        ends = tasks.latest[-1]
        spare = sum(max(0, end - k) for end, k in zip(ends, load, strict=True)) - sum(least)
        if spare < 0:
            return
        # By slot the least time of the tasks from the first on, from the second on, and so on.
        never = self.horizon + 1
        shortest = [[never] * len(load)]
        for row in reversed(tasks.rows):
            times = (never if time is None else time for time in row)
            shortest.insert(0, list(map(min, times, shortest[0])))

        def lost(n: int, k: int, load: int) -> int:
            over = max(0, ends[k] - load)
            return over if over < shortest[n][k] else 0

        spare -= sum(lost(0, k, end) for k, end in enumerate(load))
        left: list[tuple[int, Times, tuple[int, ...], int]] = [(0, load, (), spare)]
        while left:
            n, load, slots, spare = left.pop()
            if n == len(least):
                yield load, slots
                continue
            self.count()
            row, latest, tried = tasks.rows[n], tasks.latest[n], set[Any]()
            for k in range(slots[-1] if tasks.repeats[n] else 0, len(load)):
                time, now = row[k], (kind[k], load[k])
                if time is None or now in tried or load[k] + time > latest[k]:
                    continue
                tried.add(now)
                end = load[k] + time
                after = spare + least[n] - time - lost(n + 1, k, end)
                if after >= 0:
                    left.append((n + 1, (*load[:k], end, *load[k + 1 :]), (*slots, k), after))

    def map_tasks(self, jobs: Iterable[int], latest: int) -> Tasks:
        """The map tasks of some jobs; after those of a job its least reduce phase follows."""
        tasks = [t for i in sorted(jobs, key=lambda i: -self.tail[i]) for t in self.order[i]]
        repeats = _repeats([(self.maps.job[t], self.like[t]) for t in tasks])
        ends = [min(latest, self.horizon - self.tail[self.maps.job[t]]) for t in tasks]
        slots = len(self.maps.node)
        return Tasks([self.map_times[t] for t in tasks], repeats, [[end] * slots for end in ends])

    def reduce_tasks(self, jobs: Iterable[Begin], free: Times) -> Tasks:
        """Reduce tasks of jobs, those that may begin latest first, and what room they have.

        On a slot the work of all jobs that begin at some time or later fits between that time, or
        when the slot is free if that is later, and the horizon. So a load here is work, not a time.
        """
        falling = sorted(jobs, key=lambda job: -job[0])
        begins = [(at, row) for at, rows in falling for row in rows]
        latest = [[self.horizon - max(end, at) for end in free] for at, _ in begins]
        return Tasks([row for _, row in begins], _repeats(begins), latest)

    def maps_fit(self, jobs: Iterable[int], load: Times) -> bool:
        """Whether the map tasks alone can end so soon that the least reduce phases can follow.

        A slot meets all due dates in the order of the due dates if it does in any [Jackson 1955].
        """
        return any(self.placements(self.map_tasks(jobs, self.horizon), self.map_kind, load))

    def reduces_fit(self, jobs: Iterable[Begin], free: Times) -> bool:
        """Whether reduce tasks alone, each job's from its time on, can end within the horizon."""
        tasks = self.reduce_tasks(jobs, free)
        return any(self.placements(tasks, self.reduce_kinds(free), self.idle))

    def reduce_kinds(self, free: Times) -> list[Any]:
        """Per slot what it has in common with the slots that are equal."""
        return list(zip(self.reduce_kind, free, strict=True))

    def soonest(self, jobs: Collection[int], load: Times) -> int:
        """The maps of some jobs end no sooner than all slots now, nor than their work, poured on
        the slots, fills them, nor than any of them alone."""
        tasks = [t for j in jobs for t in self.order[j]]
        best = max(load, default=0)
        work = sum(self.maps.least[t] for t in tasks)
        for count, end in enumerate(rising := sorted(load), 1):
            work += end
            if count == len(load) or work <= count * rising[count]:
                best = max(best, -(-work // count))
                break
        for t in tasks:
            ends = zip(load, self.map_times[t], strict=True)
            best = max(best, min(end + time for end, time in ends if time is not None))
        return best


def _phase_span(rows: Sequence[Row]) -> int:
    """No schedule of these tasks is shorter.

    Each task takes its least time; and a slot takes the least time of all for each task that it
    has, so that by T it has ended at most T over that time.
    """
    if not rows:
        return 0
    least = (min(time for time in row if time is not None) for row in rows)
    columns = ([time for time in column if time is not None] for column in zip(*rows, strict=True))
    times = Counter(map(min, filter(None, columns)))
    return max(span(least, len(rows[0])), span_of_equals(times, len(rows)))


def _kinds(nodes: Sequence[int], rows: Iterable[Row]) -> list[int]:
    """Per slot a number that is the same for slots of one node on which all tasks are as fast."""
    numbers: dict[Any, int] = {}
    return [numbers.setdefault(column, len(numbers)) for column in zip(nodes, *rows, strict=True)]


def _canonical(kind: Sequence[Any], *values: Times) -> Any:
    """What is known of slots, the same for slots that are equal."""
    return tuple(sorted(zip(kind, *values, strict=True)))


def _repeats(things: Sequence[Any]) -> list[bool]:
    return [n > 0 and thing == things[n - 1] for n, thing in enumerate(things)]
