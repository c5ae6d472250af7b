"""Lower bounds whose certificates are prices of whole tasks on slots; see `verify.py`.

What one slot runs is a pattern: a number of whole tasks of each kind, each done by its due date. In
order of due dates a slot does its tasks in time if it does in any order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from fractions import Fraction
from itertools import accumulate
from typing import Any

try:
    from . import verify, verify_prices
except ImportError:  # beside verify.py, without slotwise
    import verify  # type: ignore[import-not-found,no-redef]

    verify_prices = verify.beside("verify_prices")

FEW = 48
"""Up to so many tasks of a kind on a slot are counted as whole ones."""
MOST_WORK, MOST_BOXES = 10**8, 10**5
"""A proof that needs more steps, or more boxes of `covered`, is refused."""

Kind = tuple[int, int, int, int]
"""Due date, duration, price and number of equal tasks on one slot."""
Kinds = dict[tuple[int, tuple[int | None, ...]], int]
"""Job and duration on each slot of the tasks of a phase, and how many are so."""


def patterns(shop: verify.Shop, proof: verify.Proof) -> int:
    """What slots can earn within a horizon T, each with a pattern of whole tasks in time.

    In a schedule within T the map tasks of a job end by T less the job's tail. Read backwards, its
    reduce tasks end by T less its head. If these due dates are impossible, no schedule is within T.
    `prices` has one for each of `task_kinds`, `cells` is the accuracy of `best_pattern`.
    """
    what = "patterns"
    verify.fields(proof, what, ("proof", "phase", "horizon", "cells", "prices"))
    kind = verify.choice(proof["phase"], shop.phases, what)
    horizon, cells = horizon_and_cells(proof, what)
    wait = verify_prices.spans(shop)[1 if kind == "map" else 0]
    due = {job: horizon - time for job, time in enumerate(wait)}
    exclude(due, task_kinds(shop, kind), proof["prices"], horizon, cells, what)
    return horizon + 1


def windows(shop: verify.Shop, proof: verify.Proof) -> int:
    """When the map phases of some jobs end: within a horizon T every way is impossible.

    Without the other jobs nothing gets longer. In a schedule within T the map phase of a job ends
    between its head and T less its tail. `map` has due dates of the jobs' map tasks and the prices
    that exclude them: the map phases do not all end by then. `reduce` has those of the reduce
    tasks, read backwards from T: the map phases do not all end at T less these or later. If each
    way to end at whole units is one of these, no schedule is within T.
    """
    what = "windows"
    verify.fields(proof, what, ("proof", "jobs", "horizon", "cells", "map", "reduce"))
    jobs = verify_prices.distinct_jobs(shop, proof["jobs"], f"{what}: jobs")
    horizon, cells = horizon_and_cells(proof, what)
    points: dict[str, list[list[int]]] = {}
    work = 0
    for phase in shop.phases:
        kinds = {key: number for key, number in task_kinds(shop, phase).items() if key[0] in jobs}
        points[phase] = []
        for one in verify.rows(proof[phase], None, f"{what}: {phase}"):
            verify.fields(one, what, ("due", "prices"))
            due = [
                verify.index(time, horizon + 1, f"{what}: due")
                for time in verify.rows(one["due"], len(jobs), f"{what}: due")
            ]
            by_job = dict(zip(jobs, due, strict=True))
            work += exclude(by_job, kinds, one["prices"], horizon, cells, what)
            if work > MOST_WORK:
                verify.refuse(f"{what}: too many due dates")
            points[phase].append(due)
    heads, tails = verify_prices.spans(shop)
    first, last = [heads[job] for job in jobs], [horizon - tails[job] for job in jobs]
    late = [[horizon - time for time in due] for due in points["reduce"]]
    if all(a <= b for a, b in zip(first, last, strict=True)) and not covered(
        first, last, points["map"], late
    ):
        verify.refuse(f"{what}: some way may be possible")
    return horizon + 1


def covered(
    first: list[int], last: list[int], early: list[list[int]], late: list[list[int]]
) -> bool:
    """Whether each whole point from `first` to `last` is up to an `early` or from a `late` one on.

    A box is cut into what is up to a point of `early` and, along each coordinate in turn, the rest.
    """
    boxes = [(first, last)]
    for _ in range(MOST_BOXES):
        if not boxes:
            return True
        first, last = boxes.pop()
        if any(all(a <= b for a, b in zip(point, first, strict=True)) for point in late):
            continue
        cuts = [
            [(axis, time) for axis, time in enumerate(point) if time < last[axis]]
            for point in early
            if all(time >= least for time, least in zip(point, first, strict=True))
        ]
        if not cuts:
            return False
        for axis, time in min(cuts, key=len):
            boxes.append(([*first[:axis], time + 1, *first[axis + 1 :]], last))
            last = [*last[:axis], time, *last[axis + 1 :]]
    return not boxes


def horizon_and_cells(proof: verify.Proof, what: str) -> tuple[int, int]:
    """The horizon in units, and into how many cells it is cut, both positive."""
    horizon = verify.index(proof["horizon"], 10**300, f"{what}: horizon")
    cells = verify.index(proof["cells"], 100_001, f"{what}: cells")
    if not horizon or not cells:
        verify.refuse(f"{what}: need a horizon and cells")
    return horizon, cells


def exclude(
    due: Mapping[int, int], kinds: Kinds, prices: Any, horizon: int, cells: int, what: str
) -> int:
    """Refuse prices that do not prove the due dates of the jobs impossible; return the steps.

    If all tasks are worth more than the most valuable patterns of all slots, no slots can do them
    all in time. Tasks that take no time on some slot are left out.
    """
    verify.rows(prices, len(kinds), f"{what}: prices")
    slots = len(next(iter(kinds), (0, ()))[1])
    work = len(kinds) * slots * max(cells // 10, len(kinds))
    if work > MOST_WORK:
        verify.refuse(f"{what}: too many kinds")
    worth = 0
    columns: list[list[Kind]] = [[] for _ in range(slots)]
    for ((job, times), number), price in zip(kinds.items(), prices, strict=True):
        price = verify.index(price, 10**300, f"{what}: prices")
        if price and 0 not in times:
            worth += number * price
            for column, time in zip(columns, times, strict=True):
                if time is not None:
                    column.append((due[job], time, price, number))
    earned = 0
    for there, number in Counter(map(tuple, columns)).items():
        earned += number * best_pattern(there, horizon, cells)
    if worth <= earned:
        verify.refuse(f"{what}: they prove nothing")
    return work


def task_kinds(shop: verify.Shop, kind: str) -> Kinds:
    """Job and duration on each slot of one phase's tasks, and how many tasks are so.

    A reduce task reads from the nearest node. The duration is None where a task may not run.
    """
    phase = shop.phases[kind]
    kinds: Counter[tuple[int, tuple[int | None, ...]]] = Counter()
    rows: dict[tuple[Any, ...], tuple[int | None, ...]] = {}
    slots = range(len(phase.node))
    for task, job in enumerate(phase.job):
        key: tuple[Any, ...] = job, phase.processing[task]
        if kind == "map":
            allowed = 0 if shop.security is None else shop.allowed[task]
            key += shop.input[task], frozenset(shop.replicas[task]), allowed
        if key not in rows:
            if len(rows) * len(slots) > MOST_WORK // 20:
                verify.refuse("patterns: too many tasks and slots")
            rows[key] = tuple(least_time(shop, kind, task, slot) for slot in slots)
        kinds[job, rows[key]] += 1
    return kinds


def least_time(shop: verify.Shop, kind: str, task: int, slot: int) -> int | None:
    """What a task takes on a slot, with the least reads; None if it may not run there."""
    if kind == "reduce":
        return shop.nearest_read(shop.reduces.job[task]) + shop.reduce_time(task, slot)
    return shop.map_time(task, slot) if shop.may_run(task, slot) else None


def best_pattern(kinds: Iterable[Kind], horizon: int, cells: int) -> int:
    """The greatest worth of tasks that end in time on one slot, or more.

    The horizon is cut into equal cells; a table has the best worth by each cell, kind after kind by
    due date. n tasks of a kind take the whole cells of their sum, due dates are rounded up. Kinds
    of which more than `FEW` fit may be split, without number: for the numbers of a pattern's other
    kinds, the time of the split ones has to keep whole cells up to each due date, so whole cells
    are best.
    """
    table = [0] * (cells + 1)
    for due, time, price, number in useful(kinds, horizon):
        last = min(cells, -(-due * cells // horizon))
        most = min(number, due // time)
        if most > FEW:
            each = -(-price * horizon // (cells * time))
            falling = (value - each * t for t, value in enumerate(table[: last + 1]))
            upto = [value + each * t for t, value in enumerate(accumulate(falling, max))]
        else:
            upto = table[: last + 1]
            for n in range(1, most + 1):
                shift = n * time * cells // horizon
                more = map((n * price).__add__, table[: max(0, last + 1 - shift)])
                upto[shift:] = map(max, upto[shift:], more)
        table[: last + 1] = upto
        table[last + 1 :] = [upto[last]] * (cells - last)
    return table[cells]


def useful(kinds: Iterable[Kind], horizon: int) -> list[Kind]:
    """The kinds that can be in a best pattern, by due date.

    A kind can be left out if another with no earlier due date may take its place in any pattern:
    one that may be split and is worth no less per time, or one that fills the horizon, some of
    whose tasks fit where one of this kind is and are worth no less.
    """
    chosen: list[Kind] = []
    later: list[Kind] = []
    rate = Fraction(0)
    for due, time, price, number in sorted(kinds, reverse=True):
        if due < time:
            continue
        if Fraction(price, time) > rate:
            if min(number, due // time) > FEW:
                rate = Fraction(price, time)
                chosen.append((due, time, price, number))
            elif not any(time // t * p >= price for _, t, p, n in later if n * t >= horizon):
                chosen.append((due, time, price, number))
        later.append((due, time, price, number))
    return chosen[::-1]


PROOFS: dict[str, verify.Theorem] = {"patterns": patterns, "windows": windows}
"""From the problem and the numbers of a certificate to a bound in units, by name."""
