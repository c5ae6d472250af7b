"""Lower bounds whose certificates are prices: of time, and of whole tasks on slots."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from functools import cache, partial
from itertools import accumulate
from operator import sub
from typing import Any

from .closed_forms import spans
from .documents import Document, distinct, fields, need, refuse, whole, wholes
from .problem import Shop

MOST_CELLS = 50_000
MOST_WORK, MOST_BOXES = 10**8, 10**5
"""A proof that needs more steps, or more boxes of `covered`, is refused."""
FEW = 48
"""Up to so many tasks of a kind on a slot are counted as whole ones."""

Kind = tuple[int, int, int, int]
"""Due date, duration, price and number of equal tasks on one slot."""
Kinds = dict[tuple[int, tuple[int | None, ...]], int]
"""Job and duration on each slot of the tasks of a phase, and how many are so."""


# 1. Prices of time.


def prices_of_time(shop: Shop, proof: Document) -> int:
    """Tasks pay for the time in which they run; where they have to pay too much, there is no room.

    Time is cut into cells, `map` prices them on a map slot from the start of a schedule within the
    T cells, and `reduce` on a reduce slot from its end. All durations, starts and ends are rounded
    down to cells; what does not overlap still does not. Together the tasks pay no more than the
    price of all cells of all slots. A job whose map phase ends at x pays for each map task at least
    the cheapest place before x, for each reduce task the cheapest after x, and at least the least
    such sum. If that is more for all jobs, no schedule is within T cells.
    """
    fields(proof, "proof cell map reduce")
    cell, count = whole(proof["cell"]), len(need(proof["map"], list))
    if not cell or count > MOST_CELLS:
        refuse("the cell must be above 0, and cells few")
    heads, tails = spans(shop)
    maps = {(job, time // cell) for job, time in zip(shop.maps.job, shop.maps.least, strict=True)}
    if len(maps) * count > MOST_WORK:
        refuse("too many cells")
    surplus = 0
    cheapest: dict[str, Callable[[int], list[int]]] = {}
    for kind, phase in shop.phases.items():
        paid = [0, *accumulate(wholes(proof[kind], count))]
        surplus -= len(phase.node) * paid[-1]
        cheapest[kind] = cache(partial(_cheapest_by, paid))
    for job, (head, tail) in enumerate(zip(heads, tails, strict=True)):
        if head // cell + tail // cell > count:
            return (count + 1) * cell
        costs = []
        for kind, phase in shop.phases.items():
            cost = [0] * (count + 1)
            for size, number in Counter(phase.least[t] // cell for t in phase.tasks[job]).items():
                cost = [a + number * b for a, b in zip(cost, cheapest[kind](size), strict=True)]
            costs.append(cost)
        until = range(head // cell, count + 1 - tail // cell)
        surplus += min(costs[0][x] + costs[1][count - x] for x in until)
    return (count + 1) * cell if surplus > 0 else refuse("they prove nothing")


def _cheapest_by(paid: list[int], size: int) -> list[int]:
    """By each time: the cheapest place of a task that has ended by then, 0 where none has."""
    return [0] * size + list(accumulate(map(sub, paid[size:], paid), min))


# 2. Prices of whole tasks. What one slot runs is a pattern: a number of whole tasks of each kind,
# each done by its due date. In order of due dates a slot does its tasks in time if it does in any.


def patterns(shop: Shop, proof: Document) -> int:
    """What slots can earn within a horizon T, each with a pattern of whole tasks in time.

    In a schedule within T the map tasks of a job end by T less the job's tail. Read backwards, its
    reduce tasks end by T less its head. If these due dates are impossible, no schedule is within T.
    `prices` has one for each of `task_kinds`, `cells` is the accuracy of `best_pattern`.
    """
    fields(proof, "proof phase horizon cells prices")
    kind, horizon, cells = proof["phase"], *horizon_and_cells(proof)
    wait = spans(shop)[1 if kind == "map" else 0]
    due = {job: horizon - time for job, time in enumerate(wait)}
    exclude(due, task_kinds(shop, kind), proof["prices"], horizon, cells)
    return horizon + 1


def windows(shop: Shop, proof: Document) -> int:
    """When the map phases of some jobs end: within a horizon T every way is impossible.

    Without the other jobs nothing gets longer. In a schedule within T the map phase of a job ends
    between its head and T less its tail. `map` has due dates of the jobs' map tasks and the prices
    that exclude them: the map phases do not all end by then. `reduce` has those of the reduce
    tasks, read backwards from T: the map phases do not all end at T less these or later. If each
    way to end at whole units is one of these, no schedule is within T.
    """
    fields(proof, "proof jobs horizon cells map reduce")
    jobs = distinct(proof["jobs"], len(shop.jobs))
    horizon, cells = horizon_and_cells(proof)
    points: dict[str, list[list[int]]] = {}
    work = 0
    for phase in shop.phases:
        kinds = {key: number for key, number in task_kinds(shop, phase).items() if key[0] in jobs}
        points[phase] = []
        for one in need(proof[phase], list):
            fields(one, "due prices")
            due = wholes(one["due"], len(jobs), horizon + 1)
            by_job = dict(zip(jobs, due, strict=True))
            work += exclude(by_job, kinds, one["prices"], horizon, cells)
            if work > MOST_WORK:
                refuse("too many due dates")
            points[phase].append(due)
    heads, tails = spans(shop)
    first, last = [heads[job] for job in jobs], [horizon - tails[job] for job in jobs]
    late = [[horizon - time for time in due] for due in points["reduce"]]
    if all(map(int.__le__, first, last)) and not covered(first, last, points["map"], late):
        refuse("some way may be possible")
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
        if any(all(map(int.__le__, point, first)) for point in late):
            continue
        cuts = [
            [(axis, time) for axis, time in enumerate(point) if time < last[axis]]
            for point in early
            if all(map(int.__ge__, point, first))
        ]
        if not cuts:
            return False
        for axis, time in min(cuts, key=len):
            boxes.append(([*first[:axis], time + 1, *first[axis + 1 :]], last))
            last = [*last[:axis], time, *last[axis + 1 :]]
    return not boxes


def horizon_and_cells(proof: Document) -> tuple[int, int]:
    """The horizon in units, and into how many cells it is cut, both positive."""
    horizon, cells = whole(proof["horizon"]), whole(proof["cells"], 100_001)
    if not horizon or not cells:
        refuse("need a horizon and cells")
    return horizon, cells


def exclude(due: Mapping[int, int], kinds: Kinds, prices: Any, horizon: int, cells: int) -> int:
    """Refuse prices that do not prove the due dates of the jobs impossible; return the steps.

    If all tasks are worth more than the most valuable patterns of all slots, no slots can do them
    all in time. Tasks that take no time on some slot are left out.
    """
    slots = len(next(iter(kinds), (0, ()))[1])
    work = len(kinds) * slots * max(cells // 10, len(kinds))
    if work > MOST_WORK:
        refuse("too many kinds")
    worth = 0
    columns: list[list[Kind]] = [[] for _ in range(slots)]
    given = wholes(prices, len(kinds))
    for ((job, times), number), price in zip(kinds.items(), given, strict=True):
        if price and 0 not in times:
            worth += number * price
            for column, time in zip(columns, times, strict=True):
                if time is not None:
                    column.append((due[job], time, price, number))
    earned = 0
    for there, number in Counter(map(tuple, columns)).items():
        earned += number * best_pattern(there, horizon, cells)
    if worth <= earned:
        refuse("they prove nothing")
    return work


def task_kinds(shop: Shop, kind: str) -> Kinds:
    """Job and duration on each slot of one phase's tasks, and how many tasks are so.

    A reduce task reads from the nearest node. The duration is None where a task may not run.
    """
    phase = shop.phases[kind]
    kinds: Counter[tuple[int, tuple[int | None, ...]]] = Counter()
    rows: dict[tuple[Any, ...], tuple[int | None, ...]] = {}
    slots = range(len(phase.node))

    def least_time(task: int, slot: int) -> int | None:
        if kind == "reduce":
            return shop.nearest_read(phase.job[task]) + phase.time(task, slot)
        return shop.map_time(task, slot) if shop.may_run(task, slot) else None

    for task, job in enumerate(phase.job):
        key: tuple[Any, ...] = job, phase.processing[task]
        if kind == "map":
            allowed = shop.allowed[task] if shop.secure else 0
            key += shop.input[task], frozenset(shop.replicas[task]), allowed
        if key not in rows:
            if len(rows) * len(slots) > MOST_WORK // 20:
                refuse("too many tasks and slots")
            rows[key] = tuple(least_time(task, slot) for slot in slots)
        kinds[job, rows[key]] += 1
    return kinds


def best_pattern(kinds: Iterable[Kind], horizon: int, cells: int) -> int:
    """The greatest worth of tasks that end in time on one slot, or more.

    The horizon is cut into equal cells; a table has the best worth by each cell, kind after kind by
    due date. n tasks of a kind take the whole cells of their sum, due dates are rounded up. Kinds
    of which more than `FEW` fit may be split, without number: for the numbers of a pattern's other
    kinds, the time of the split ones has to keep whole cells up to each due date, so whole cells
    are best.
    """
    table = [0] * (cells + 1)
    for due, time, price, number in _useful(kinds, horizon):
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


def _useful(kinds: Iterable[Kind], horizon: int) -> list[Kind]:
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
