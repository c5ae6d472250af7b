"""Making a failing problem smaller as long as it fails in the same way.

A problem is plain data. A change drops a row of a list, joins two rows, gives several things the
same name, or makes a number plainer; what no longer fits together is repaired or refused by the
exercise. Coarse changes come first.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from dataclasses import replace
from itertools import combinations, permutations
from typing import Any

from .exercise import TIME_OUT, Document, Exercise, Failure
from .grade import Finding

MOST_TIME_OUTS = 20
"""Trials without an answer in time that one search may spend."""

SHARED = ("rack", "class")
"""Fields by which rows belong together."""

Path = tuple[str | int, ...]


def shrink(
    case: Finding,
    exercise: Exercise,
    domain: str,
    fails: Callable[[Document], Failure | None],
    until: float,
) -> Finding:
    """Take the first change that gives a smaller problem of the same failure, and start over.

    Returns the last problem that failed. The size falls with every change, so the search ends.
    """
    problems, trials, time_outs = exercise.problems, 0, 0
    tried: set[str] = set()
    going = True
    while going:
        going = False
        for smaller in changed(case.document):
            problems.repair(smaller)
            key = repr(smaller)
            if key in tried or not problems.inside(smaller, domain):
                continue
            size = size_of(smaller, problems.counts)
            if size >= case.size:
                continue
            if time.monotonic() > until or time_outs >= MOST_TIME_OUTS:
                return replace(case, trials=trials)
            tried.add(key)
            trials += 1
            failure = fails(smaller)
            time_outs += failure is not None and failure.kind == TIME_OUT
            if failure is not None and failure.kind == case.failure.kind:
                case, going = replace(case, document=smaller, failure=failure, size=size), True
                break
    return replace(case, trials=trials, minimal=True)


def size_of(
    document: Document, counts: Callable[[Document], tuple[float, ...]]
) -> tuple[float, ...]:
    """What there is of everything, then how much there is to read in its numbers, and their sum."""
    numbers = [value for path, value in _numbers(document) if path[-1] not in UNREAD]
    return (*counts(document), sum(map(_effort, numbers)), sum(numbers))


UNREAD = ("share", "mean_time")


def changed(document: Document) -> Iterator[Document]:
    """Copies that differ in one respect, perhaps with parts that no longer fit together."""
    places = sorted(_walk(document), key=lambda place: len(place[0]))
    lists = [(path, value) for path, value in places if isinstance(value, list)]
    for path, rows in lists:
        yield from (_with(document, {path: [*rows[:k], *rows[k + 1 :]]}) for k in range(len(rows)))
    for path, rows in lists:
        for i, j in combinations(range(len(rows)), 2):
            if isinstance(rows[i], dict) and any(isinstance(v, list) for v in rows[i].values()):
                joined = {
                    name: value + rows[j][name] if isinstance(value, list) else value
                    for name, value in rows[i].items()
                }
                others = [row for k, row in enumerate(rows) if k not in (i, j)]
                yield _with(document, {path: [*rows[:i], joined, *others[i:]]})
    for path, value in places:
        if isinstance(value, int) and value > 0:
            yield _with(document, {path: value - 1})
    for field in SHARED:
        named = {path: value for path, value in places if path and path[-1] == field}
        for old, new in permutations(dict.fromkeys(named.values()), 2):
            some = [path for path, value in named.items() if value == old]
            yield _with(document, dict.fromkeys(some, new))
            yield from (_with(document, {path: new}) for path in some if len(some) > 1)
    numbers = dict(_numbers(document))
    for path, value in numbers.items():
        yield from (_with(document, {path: other}) for other in plainer(value))
    for name in dict.fromkeys(path[-1] for path in numbers):
        alike = {path: value for path, value in numbers.items() if path[-1] == name}
        for factor in (0.1, 0.5):
            yield _with(document, {path: value * factor for path, value in alike.items()})
        yield _with(document, dict.fromkeys(alike, 1.0))


def plainer(value: float) -> Iterator[float]:
    """0, 1, 2, 100, the half and an integer near a number, without itself."""
    for other in (0.0, 1.0, 2.0, 100.0, value / 2, float(round(value))):
        if other != value:
            yield other


def _effort(value: float) -> float:
    """0, 1 and 2 are plain, fractions are not; 100 is the plain size of a block (MB)."""
    if value in (0.0, 1.0, 2.0):
        return value
    if value == 100.0:
        return 1.0
    return 2.0 + len(str(int(value))) if value == round(value) else 10.0 + len(repr(value))


def _walk(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    yield path, value
    items: Iterable[tuple[Any, Any]] = ()
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, list):
        items = enumerate(value)
    for key, item in items:
        yield from _walk(item, (*path, key))


def _numbers(document: Document) -> Iterator[tuple[Path, float]]:
    """The numbers of rows, which are floats; what is no row stays as it is."""
    for path, value in _walk(document):
        if isinstance(value, float) and any(isinstance(key, int) for key in path):
            yield path, value


def _with(document: Document, values: dict[Path, Any]) -> Document:
    copy = deepcopy(document)
    for path, value in values.items():
        part: Any = copy
        for key in path[:-1]:
            part = part[key]
        part[path[-1]] = deepcopy(value)
    return copy
