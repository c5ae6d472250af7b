"""Lower bounds whose certificates are trees or searches; see `verify.py`.

All of them speak of schedules of some of the jobs, `jobs`: leaving jobs out never makes a schedule
longer. And they speak of schedules that end within a `horizon`, a whole number of units: if none of
them ends before B, no schedule ends before the lesser of B and horizon + 1.

One order of the jobs is enough. Take a shortest schedule and sort the jobs by the end of their map
tasks, jobs without map tasks first, jobs without reduce tasks last. Let every slot run its tasks in
that order. On a map slot all tasks are ready at 0, and the earliest due date first (Jackson's rule)
meets all due dates, here the ends of the jobs' map tasks, if any order does. On a reduce slot the
earliest release first ends first. No task has changed its slot, so no duration has changed. Hence

    makespan = max over jobs i and slots k, l of
        (map work on k of the jobs up to i) + (reduce work on l of the jobs from i on)

for the best order and the best slots: neither sequences on slots nor starts are needed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import add
from typing import Any

try:
    from . import verify, verify_job_order, verify_rows
except ImportError:  # beside verify.py, without slotwise
    import verify  # type: ignore[import-not-found,no-redef]

    verify_rows = verify.beside("verify_rows")
    verify_job_order = verify.beside("verify_job_order")

Times = tuple[int, ...]
"""Whole units, one per slot."""
Jobs = tuple[int, ...]

MOST_CASES, MOST_JOBS = 10_000_000, 60
"""Longer searches, and searches over more jobs, are refused."""


# 1. Trees: cases, and multipliers of rows in each of them.


def chosen(shop: verify.Shop, jobs: Any) -> list[int]:
    """The jobs of which a proof speaks, rising, each once."""
    numbers = [verify.index(i, len(shop.jobs), "jobs") for i in verify.need(jobs, list, "jobs")]
    if not numbers or sorted(set(numbers)) != numbers:
        verify.refuse("jobs must rise")
    return numbers


def tree(shop: verify.Shop, proof: dict[str, Any]) -> int:
    """Cases: of two children of a node, one holds where a 0-1 variable is 0, the other where 1.

    So every schedule belongs to a leaf, and the least bound of all leaves is one of all schedules.
    """
    verify.fields(proof, "tree", ("proof", "jobs", "horizon", "tree"))
    horizon: int = verify.need(proof["horizon"], int, "horizon")
    if horizon < 0:
        verify.refuse("horizon must be at least 0")
    model = verify_job_order.JobOrder(shop, chosen(shop, proof["jobs"]), horizon)
    best: int = horizon + 1
    left: list[tuple[Any, dict[int, int]]] = [(proof["tree"], {})]
    while left:
        node, fixed = left.pop()
        if "on" not in verify.need(node, dict, "a node"):
            best = min(best, model.at_least(node, fixed))
            continue
        verify.fields(node, "a node", ("on", "no", "yes"))
        column = model.branching(node["on"])
        if column in fixed:
            verify.refuse("a tree branches twice on one variable")
        left += [(node["no"], {**fixed, column: 0}), (node["yes"], {**fixed, column: 1})]
    return best


# 2. Search: every order of the jobs and all slots, a job at a time.


class Search:
    """Looks for a schedule within the horizon, the jobs one after another in the common order.

    A state is what is left: the jobs, when every map slot has done its work (`load`), and every
    reduce slot (`free`). Equal states are searched once. States in which two slots that differ in
    nothing have changed places are equal.
    """

    def __init__(self, shop: verify.Shop, jobs: list[int], horizon: int, cases: int) -> None:
        self.shop, self.jobs, self.horizon, self.cases = shop, jobs, horizon, cases
        self.maps, self.reduces = shop.maps, shop.reduces
        self.seen: set[Any] = set()
        self.read: dict[tuple[int, int], Times] = {}
        slots = range(len(self.maps.node))
        self.map_times: dict[int, list[int | None]] = {}
        self.reduce_times: dict[int, list[int]] = {}
        for i in jobs:
            for t in self.maps.tasks[i]:
                may = [shop.may_run(t, k) for k in slots]
                self.map_times[t] = [shop.map_time(t, k) if may[k] else None for k in slots]
            for w in self.reduces.tasks[i]:
                times = (shop.reduce_time(w, k) for k in range(len(self.reduces.node)))
                self.reduce_times[w] = list(times)
        self.map_kind = verify_rows.kinds(self.maps.node, self.map_times.values())
        self.reduce_kind = verify_rows.kinds(self.reduces.node, self.reduce_times.values())
        self.map_work = {i: sum(shop.least_map[t] for t in self.maps.tasks[i]) for i in jobs}
        self.reduce_work = {
            i: sum(shop.least_reduce[w] for w in self.reduces.tasks[i]) for i in jobs
        }
        self.tail = {i: self.least_reduces(i) for i in jobs}
        self.order = {
            i: sorted(self.maps.tasks[i], key=lambda t: (-shop.least_map[t], self.like(t), t))
            for i in jobs
        }

    def least_reduces(self, i: int) -> int:
        """No reduce phase of job i is shorter."""
        tasks = self.reduces.tasks[i]
        least = verify.span([self.shop.least_reduce[w] for w in tasks], len(self.reduces.node))
        return max(least, verify_rows.phase_span([self.reduce_times[w] for w in tasks]))

    def count(self) -> None:
        """Count a case."""
        self.cases -= 1
        if self.cases < 0:
            verify.refuse("the search needs more cases than it says")

    def reads(self, task: int, slot: int) -> Times:
        """For every reduce slot how long a task on it reads what a map task on a slot left."""
        node = self.maps.node[slot]
        if (task, node) not in self.read:
            reducers = self.reduces.node if self.reduces.tasks[self.maps.job[task]] else ()
            times = (self.shop.read_time(task, node, reader) for reader in reducers)
            self.read[task, node] = tuple(times) or (0,) * len(self.reduces.node)
        return self.read[task, node]

    def like(self, task: int) -> tuple[list[int], Any]:
        """Map tasks of a job with the same list can be exchanged."""
        times = [-1 if time is None else time for time in self.map_times[task]]
        return times, self.shop.output[task]

    def possible(self) -> bool:
        """Whether there is a schedule within the horizon."""
        load, free = (0,) * len(self.maps.node), (0,) * len(self.reduces.node)
        return self.succeeds(tuple(self.jobs), load, free)

    def succeeds(self, left: Jobs, load: Times, free: Times) -> bool:
        """Whether the jobs that are left can end within the horizon."""
        if not left:
            return True
        for i in self.next_jobs(left):
            rest = tuple(j for j in left if j != i)
            for later, ends in self.after(i, rest, load, free):
                if self.is_new(rest, later, ends) and self.succeeds(rest, later, ends):
                    return True
        return False

    def next_jobs(self, left: Jobs) -> Jobs:
        """Jobs without map tasks come first, by number; jobs without reduce tasks last."""
        least = min(verify_rows.group(i, self.shop) for i in left)
        jobs = tuple(i for i in left if verify_rows.group(i, self.shop) == least)
        return jobs if least == 1 else jobs[:1]

    def after(self, i: int, rest: Jobs, load: Times, free: Times) -> Iterator[tuple[Times, Times]]:
        """The states after job i: loads and ends of the slots."""
        maps = self.order[i]
        latest = self.horizon - self.tail[i]
        last = self.horizon - min(self.tail[j] for j in (i, *rest) if self.maps.tasks[j] or j == i)
        spare = sum(max(0, last - k) for k in load) - sum(self.map_work[j] for j in (i, *rest))
        times = [self.map_times[t] for t in maps]
        alike = [n > 0 and self.like(t) == self.like(maps[n - 1]) for n, t in enumerate(maps)]
        later_work = sum(self.reduce_work[j] for j in rest)
        for later, slots in self.placements(times, alike, self.map_kind, load, latest, spare):
            start = max(later, default=0) if maps else 0
            delays: Times = (0,) * len(free)
            for t, k in zip(maps, slots, strict=True):
                delays = tuple(map(add, delays, self.reads(t, k)))
            self.count()
            middle = (i, rest, self.sorted_map(later), self.sorted_reduce(free, delays, start))
            if middle in self.seen:
                continue
            self.seen.add(middle)
            ends = tuple(max(end, start) for end in free)
            work = [
                [time + delay for time, delay in zip(self.reduce_times[w], delays, strict=True)]
                for w in self.reduces.tasks[i]
            ]
            work.sort(key=lambda row: (-min(row), row))
            if start + verify.span([min(row) for row in work], len(free)) > self.horizon:
                continue
            alike_work = [n > 0 and row == work[n - 1] for n, row in enumerate(work)]
            room = sum(self.horizon - end for end in ends) - later_work
            room -= sum(min(row) for row in work)
            for done, _ in self.placements(
                work, alike_work, self.reduce_kind, ends, self.horizon, room
            ):
                yield later, done

    def placements(
        self,
        times: Sequence[verify_rows.Row],
        alike: list[bool],
        kind: list[int],
        load: Times,
        latest: int,
        spare: int,
    ) -> Iterator[tuple[Times, tuple[int, ...]]]:
        """Every way to add tasks to slots that end by `latest`: new loads, slots of the tasks.

        `spare` is how much longer than least the tasks may take altogether. Of equal slots with
        equal loads one is tried. Of equal tasks the later one is not on an earlier slot.
        """
        if spare < 0:
            return
        left: list[tuple[int, Times, tuple[int, ...], int]] = [(0, load, (), spare)]
        while left:
            n, load, slots, spare = left.pop()
            if n == len(times):
                yield load, slots
                continue
            self.count()
            row, tried = times[n], set[tuple[int, int]]()
            most = spare + min(time for time in row if time is not None)
            for k in range(slots[-1] if alike[n] else 0, len(load)):
                time, now = row[k], (kind[k], load[k])
                if time is None or time > most or load[k] + time > latest or now in tried:
                    continue
                tried.add(now)
                new = (*load[:k], load[k] + time, *load[k + 1 :])
                left.append((n + 1, new, (*slots, k), most - time))

    def sorted_map(self, load: Times) -> Any:
        """Loads of the map slots, the same for slots that are equal."""
        return tuple(sorted(zip(self.map_kind, load, strict=True)))

    def sorted_reduce(self, free: Times, delays: Times, start: int) -> Any:
        """What a state of the reduce slots is, the same for slots that are equal."""
        ends = (max(end, start) for end in free)
        return tuple(sorted(zip(self.reduce_kind, ends, delays, strict=True)))

    def is_new(self, rest: Jobs, load: Times, free: Times) -> bool:
        """Whether a state is still to be searched, and not hopeless by its work."""
        self.count()
        waiting = sorted((self.tail[j], j) for j in rest if self.maps.tasks[j])
        start = max(load, default=0)
        if not waiting:
            load, start = (), max(load, default=0)
        soonest = {j: self.soonest(j, load) if self.maps.tasks[j] else start for j in rest}
        first = max(start, min(soonest.values(), default=0))
        free = tuple(max(end, first) for end in free)
        state = rest, self.sorted_map(load) if load else (), self.sorted_reduce(free, free, first)
        if state in self.seen:
            return False
        self.seen.add(state)
        work = 0
        for tail, j in reversed(waiting):
            # The map tasks of all jobs with so long a tail end before it.
            work += self.map_work[j]
            if work > sum(max(0, self.horizon - tail - end) for end in load):
                return False
        work = 0
        for j in sorted(rest, key=lambda j: -soonest[j]):
            # The reduce tasks of all jobs that start so late start then.
            work += self.reduce_work[j]
            at = max(start, soonest[j])
            if at + self.tail[j] > self.horizon:
                return False
            if work > sum(self.horizon - max(end, at) for end in free if at < self.horizon):
                return False
        return True

    def soonest(self, j: int, load: Times) -> int:
        """The maps of a job end no sooner than its work, poured on the slots, fills them."""
        work, best = self.map_work[j], 0
        for count, end in enumerate(sorted(load), 1):
            work += end
            if count == len(load) or work <= count * sorted(load)[count]:
                best = -(-work // count)
                break
        longest = max(
            min(
                end + time
                for end, time in zip(load, self.map_times[t], strict=True)
                if time is not None
            )
            for t in self.maps.tasks[j]
        )
        return max(best, longest)


def search(shop: verify.Shop, proof: dict[str, Any]) -> int:
    """No order of the jobs and no choice of slots gives a schedule within the horizon.

    All are tried. `cases` is how many steps that takes at most: a reader sees before what it costs.
    """
    verify.fields(proof, "search", ("proof", "jobs", "horizon", "cases"))
    horizon: int = verify.need(proof["horizon"], int, "horizon")
    jobs = chosen(shop, proof["jobs"])
    cases = verify.index(proof["cases"], MOST_CASES + 1, "cases")
    if horizon < 0 or len(jobs) > MOST_JOBS:
        verify.refuse("search: horizon must be at least 0, jobs must be few")
    if Search(shop, jobs, horizon, cases).possible():
        verify.refuse("a schedule of these jobs ends within the horizon")
    return horizon + 1


PROOFS = {"tree": tree, "search": search}
"""Theorem by name: a function from the problem and the numbers of a certificate to a bound."""
