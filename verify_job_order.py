"""The job-order model: rows that some shortest schedule satisfies; see `verify_search.py`."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations, permutations
from typing import Any

try:
    from . import verify, verify_rows
except ImportError:  # beside verify.py, without slotwise
    import verify  # type: ignore[import-not-found,no-redef]

    verify_rows = verify.beside("verify_rows")

ONE = verify_rows.ONE
MOST_TERMS = 3_000_000
"""Larger models are refused."""


class JobOrder(verify_rows.Rows):
    """The job-order model of some jobs.

    Whole columns: 1 if map task t is on slot k, `x t k`; 1 if reduce task w is on slot l, `y w l`;
    1 if job i comes before job j > i, `p i j`. The others follow from them: `end i`, when all map
    work of the jobs up to i is done; `read w l`, what w reads if it is on l, else 0;
    `before j i k`, work of j on map slot k if j comes before i, else 0; `after j i l`, work of j on
    reduce slot l if j comes after i, else 0; `first i l`, 1 if i is the first job on reduce slot l;
    `last i k`, 1 if i is the last job on map slot k; `empty x k`, `empty y l`, 1 if a slot has no
    task.
    """

    def __init__(self, shop: verify.Shop, jobs: list[int], horizon: int) -> None:
        super().__init__(shop, horizon)
        self.jobs = jobs
        self.maps = {i: shop.maps.tasks[i] for i in jobs}
        self.reduces = {i: shop.reduces.tasks[i] for i in jobs}
        self.map_slots = range(len(shop.maps.node))
        self.reduce_slots = range(len(shop.reduces.node))
        self._need_size()
        self.map_time = {
            (t, k): shop.map_time(t, k) if shop.may_run(t, k) else None
            for i in jobs
            for t in self.maps[i]
            for k in self.map_slots
        }
        self.reduce_time = {
            (w, k): shop.reduce_time(w, k)
            for i in jobs
            for w in self.reduces[i]
            for k in self.reduce_slots
        }
        self._reads()
        self.head = {i: self._head(i) for i in jobs}
        self.tail = {i: self._tail(i) for i in jobs}
        self._columns()
        self._each_task_on_one_slot()
        self._equal_slots_and_tasks()
        self._one_order()
        self._read_rows()
        self._map_phase()
        self._reduce_phase()
        self._areas()
        self._first_and_last_jobs()
        self._single_tasks()
        self._sets_of_jobs()

    def _need_size(self) -> None:
        """A certificate may name all jobs of a huge instance."""
        jobs, slots = len(self.jobs), len(self.map_slots) + len(self.reduce_slots)
        maps, reduces = (sum(map(len, p.values())) for p in (self.maps, self.reduces))
        terms = 4 * slots * (jobs * (jobs + maps + reduces) + maps**2 + reduces**2) + jobs**3
        for i in self.jobs:
            reads = len(self.maps[i]) * len(self.reduces[i])
            terms += reads * len(self.map_slots) * len(self.reduce_slots)
        if terms > MOST_TERMS:
            verify.refuse("the model of these jobs is too large")

    def map_span(self, jobs: Iterable[int]) -> int:
        """No map phase of these jobs is shorter."""
        lengths = [self.shop.least_map[t] for i in jobs for t in self.maps[i]]
        return verify.span(lengths, len(self.map_slots))

    def reduce_span(self, jobs: Iterable[int]) -> int:
        """No reduce phase of these jobs is shorter."""
        lengths = [self.shop.least_reduce[w] for i in jobs for w in self.reduces[i]]
        return verify.span(lengths, len(self.reduce_slots))

    def _head(self, i: int) -> int:
        rows = [[self.map_time[t, k] for k in self.map_slots] for t in self.maps[i]]
        return verify_rows.phase_span(rows)

    def _tail(self, i: int) -> int:
        reads = [self.least_read.get((i, k), 0) for k in self.reduce_slots]
        rows = [
            [self.reduce_time[w, k] + reads[k] for k in self.reduce_slots] for w in self.reduces[i]
        ]
        return verify_rows.phase_span(rows)

    def precedes(self, i: int, j: int) -> verify_rows.Expression:
        """1 if job i comes before job j, else 0, as an expression."""
        return {self.number["p", i, j]: 1} if i < j else {None: 1, self.number["p", j, i]: -1}

    def map_work(self, i: int, k: int) -> verify_rows.Expression:
        """Work of job i on map slot k, as an expression."""
        times = ((t, self.map_time[t, k]) for t in self.maps[i])
        return {self.number["x", t, k]: time for t, time in times if time is not None}

    def reduce_work(self, i: int, k: int) -> verify_rows.Expression:
        """Work of a job on a reduce slot, reading included."""
        work: verify_rows.Expression = {}
        for w in self.reduces[i]:
            work[self.number["y", w, k]] = self.reduce_time[w, k]
            work[self.number["read", w, k]] = 1
        return work

    def _reads(self) -> None:
        """Least and most that a reduce task of job i on slot k reads: `least_read`, `most_read`."""
        self.read_time: dict[tuple[int, int, int], int] = {}
        self.least_read: dict[tuple[int, int], int] = {}
        self.most_read: dict[tuple[int, int], int] = {}
        for i in self.jobs:
            for k in self.reduce_slots if self.reduces[i] else ():
                least = most = 0
                for t in self.maps[i]:
                    times: dict[int, int] = {}
                    for slot, node in enumerate(self.shop.maps.node):
                        if self.map_time[t, slot] is not None:
                            if node not in times:
                                reader = self.shop.reduces.node[k]
                                times[node] = self.shop.read_time(t, node, reader)
                            self.read_time[t, slot, k] = times[node]
                    least, most = least + min(times.values()), most + max(times.values())
                self.least_read[i, k], self.most_read[i, k] = least, most

    def _columns(self) -> None:
        """A task is on no slot on which it is not allowed, or too long for the horizon."""
        for i in self.jobs:
            for t in self.maps[i]:
                for k in self.map_slots:
                    time = self.map_time[t, k]
                    fits = time is not None and time + self.tail[i] <= self.horizon
                    self.column("x", t, k, high=int(fits))
            for w in self.reduces[i]:
                for k in self.reduce_slots:
                    time = self.head[i] + self.reduce_time[w, k] + self.least_read[i, k]
                    self.column("y", w, k, high=int(time <= self.horizon))
                    self.column("read", w, k, high=self.most_read[i, k])
            latest = max(self.head[i], self.horizon - self.tail[i])
            self.column("end", i, low=self.head[i], high=latest)
            for k in self.map_slots if self.maps[i] else ():
                self.column("last", i, k, high=1)
            for k in self.reduce_slots if self.reduces[i] else ():
                self.column("first", i, k, high=1)
        for letter, _, slots in self._phases():
            for k in slots:
                self.column("empty", letter, k, high=1)
        for j, i in permutations(self.jobs, 2):
            if j < i:
                sides = verify_rows.group(j, self.shop), verify_rows.group(i, self.shop)
                free = sides == (1, 1)
                first = sides[0] <= sides[1]
                self.column("p", j, i, low=int(first and not free), high=int(first or free))
            for k in self.map_slots:
                self.column("before", j, i, k, high=self._most_before(j, k))
            for k in self.reduce_slots:
                self.column("after", j, i, k, high=self._most_after(j, k))

    def _most_before(self, j: int, k: int) -> int:
        """Most work of job j on map slot k: its least reduce phase still follows."""
        work = sum(self.map_time[t, k] or 0 for t in self.maps[j])
        return max(0, min(work, self.horizon - self.tail[j]))

    def _most_after(self, j: int, k: int) -> int:
        work = sum(self.reduce_time[w, k] + self.most_read[j, k] for w in self.reduces[j])
        return max(0, min(work, self.horizon - self.head[j]))

    # Families of rows.

    def _each_task_on_one_slot(self) -> None:
        for letter, tasks, slots in self._phases():
            for t in (t for i in self.jobs for t in tasks[i]):
                shares = [(self.horizon, (letter, t, k)) for k in slots]
                self.hold(*shares, (-self.horizon, ONE), equal=True)

    def _phases(self) -> tuple[tuple[str, dict[int, range], range], ...]:
        return (
            ("x", self.maps, self.map_slots),
            ("y", self.reduces, self.reduce_slots),
        )

    def _equal_slots_and_tasks(self) -> None:
        """Of all schedules that differ only in the names of equal slots and of equal tasks, take
        that in which task 0 has the lowest slot, then task 1, and so on.

        If task t is on slot k, and slot k - 1 is equal, a task before t is on slot k - 1: else
        exchange the two slots. Of two equal tasks the later one is not on an earlier slot: else
        exchange them.
        """
        for letter, tasks_of, slots in self._phases():
            tasks = [t for i in self.jobs for t in tasks_of[i]]
            phase = self.shop.maps if letter == "x" else self.shop.reduces
            times = self.map_time if letter == "x" else self.reduce_time
            kind = verify_rows.kinds(phase.node, ([times[t, k] for k in slots] for t in tasks))
            for k in slots[1:]:
                if kind[k] == kind[k - 1]:
                    for n, t in enumerate(tasks):
                        lower = [(self.horizon, (letter, s, k - 1)) for s in tasks[:n]]
                        self.hold(*lower, (-self.horizon, (letter, t, k)))
            latest: dict[Any, int] = {}
            for t in tasks:
                output = self.shop.output[t] if letter == "x" else 0
                like = (phase.job[t], output, *(times[t, k] for k in slots))
                for k in slots[:-1] if like in latest else ():
                    earlier = [(self.horizon, (letter, latest[like], s)) for s in slots[: k + 1]]
                    later = [(-self.horizon, (letter, t, s)) for s in slots[: k + 1]]
                    self.hold(*earlier, *later)
                latest[like] = t

    def _one_order(self) -> None:
        """Three jobs do not come before each other in a circle."""
        for i, j, k in permutations(self.jobs, 3):
            if i < j and i < k:
                circle = [self.precedes(i, j), self.precedes(j, k), self.precedes(k, i)]
                self.hold((2 * self.horizon, ONE), *((-self.horizon, p) for p in circle))

    def _read_rows(self) -> None:
        """A task that is on slot k reads from where the map tasks are; one that is not, nothing."""
        for i in self.jobs:
            for k in self.reduce_slots if self.reduces[i] else ():
                if not self.most_read[i, k]:
                    continue
                reach: verify_rows.Expression = {
                    self.number["x", t, slot]: self.read_time[t, slot, k]
                    for t in self.maps[i]
                    for slot in self.map_slots
                    if (t, slot, k) in self.read_time
                }
                for w in self.reduces[i]:
                    absent = {None: 1, self.number["y", w, k]: -1}
                    most = self.most_read[i, k]
                    self.hold((1, ("read", w, k)), (-1, reach), (most, absent))
                    self.hold((1, ("read", w, k)), (-self.least_read[i, k], ("y", w, k)))

    def _map_phase(self) -> None:
        """`end i` is not before a slot has done the work of the jobs up to i."""
        for i in self.jobs:
            others = [j for j in self.jobs if j != i]
            for k in self.map_slots:
                for j in others:
                    parts = (1, ("before", j, i, k)), (-1, self.map_work(j, k))
                    self.hold(*parts, (self._most_before(j, k), self.precedes(i, j)))
                work = [(-1, ("before", j, i, k)) for j in others]
                self.hold((1, ("end", i)), (-1, self.map_work(i, k)), *work)

    def _reduce_phase(self) -> None:
        """After `end i` a reduce slot still has the work of the jobs from i on."""
        for i in self.jobs:
            others = [j for j in self.jobs if j != i]
            self.hold((1, ("C",)), (-1, ("end", i)), (-self.tail[i], ONE))
            for k in self.reduce_slots:
                for j in others:
                    parts = (1, ("after", j, i, k)), (-1, self.reduce_work(j, k))
                    self.hold(*parts, (self._most_after(j, k), self.precedes(j, i)))
                work = [(-1, ("after", j, i, k)) for j in others]
                self.hold((1, ("C",)), (-1, ("end", i)), (-1, self.reduce_work(i, k)), *work)

    def _areas(self) -> None:
        """A job that comes before (after) another leaves its least work there, over all slots."""
        for j, i in permutations(self.jobs, 2):
            work = sum(self.shop.least_map[t] for t in self.maps[j])
            parts = [(1, ("before", j, i, k)) for k in self.map_slots]
            self.hold(*parts, (-work, self.precedes(j, i)))
            work = sum(self.shop.least_reduce[w] for w in self.reduces[j])
            parts = [(1, ("after", j, i, k)) for k in self.reduce_slots]
            self.hold(*parts, (-work, self.precedes(i, j)))

    def _first_and_last_jobs(self) -> None:
        """A reduce slot waits for its first job's head, a map slot for its last job's tail.

        A slot without a task may be said to wait for any job: the makespan is longer. Let it be
        that of a task which is first on no other slot, if there are at least as many tasks as
        slots. So no job is waited for on more slots than it has tasks.
        """
        sides = (
            ("first", "y", self.reduces, self.reduce_slots, self.head, self.reduce_work),
            ("last", "x", self.maps, self.map_slots, self.tail, self.map_work),
        )
        for name, letter, tasks, slots, wait, work in sides:
            jobs = [i for i in self.jobs if tasks[i]]
            few = sum(len(tasks[i]) for i in jobs) < len(slots)
            for k in slots if jobs else ():
                some = [(self.horizon, (name, i, k)) for i in jobs]
                empty = [(self.horizon, ("empty", letter, k))] if few else []
                self.hold(*some, *empty, (-self.horizon, ONE))
                for i in jobs:
                    there = [(self.horizon, (letter, t, k)) for t in tasks[i]]
                    unused = self.horizon, ("empty", letter, k)
                    self.hold(*there, unused, (-self.horizon, (name, i, k)))
                    for t in tasks[i]:
                        other = [
                            (-self.horizon, (letter, t, k)),
                            (-self.horizon, ("empty", letter, k)),
                        ]
                        self.hold((self.horizon, ONE), *other)
                waits = [(-wait[i], (name, i, k)) for i in jobs]
                self.hold((1, ("C",)), *waits, *((-1, work(i, k)) for i in jobs))
            for i in jobs:
                times = [(-self.horizon, (name, i, k)) for k in slots]
                self.hold((len(tasks[i]) * self.horizon, ONE), *times)

    def _single_tasks(self) -> None:
        """A phase lasts as long as each of its tasks."""
        for i in self.jobs:
            for t in self.maps[i]:
                times = [(-(self.map_time[t, k] or 0), ("x", t, k)) for k in self.map_slots]
                self.hold((1, ("end", i)), *times)
            for w in self.reduces[i]:
                times = [(-self.reduce_time[w, k], ("y", w, k)) for k in self.reduce_slots]
                reads = [(-1, ("read", w, k)) for k in self.reduce_slots]
                self.hold((1, ("C",)), (-1, ("end", i)), *times, *reads)

    def _sets_of_jobs(self) -> None:
        """If i is the last job of a set, its maps end no sooner than those of the set alone could.

        For every job of the set that does not come before i the row loses so much that it says no
        more than that of i alone. Mirrored for reduces.
        """
        count = len(self.jobs)
        sizes = range(1, count) if count <= 6 else (1, 2, count - 1) if count <= 12 else (1,)
        for size in sizes:
            for i in self.jobs:
                for others in combinations([j for j in self.jobs if j != i], size):
                    more = max(0, self.map_span((i, *others)) - self.head[i])
                    missing = [(more, self.precedes(i, j)) for j in others]
                    least = (-self.head[i] - more, ONE)
                    self.hold((1, ("end", i)), least, *missing)
                    more = max(0, self.reduce_span((i, *others)) - self.tail[i])
                    missing = [(more, self.precedes(j, i)) for j in others]
                    least = (-self.tail[i] - more, ONE)
                    self.hold((1, ("C",)), (-1, ("end", i)), least, *missing)

    def branching(self, name: Any) -> int:
        """The column of a whole number on which a tree may branch."""
        key = tuple(verify.need(part, int, "on") for part in verify.rows(name, 3, "on")[1:])
        column = self.number.get((verify.need(name[0], str, "on"), *key))
        if name[0] in "xyp" and column is not None and self.low[column] < self.high[column]:
            return column
        return verify.refuse(f"a tree may not branch on {name}")
