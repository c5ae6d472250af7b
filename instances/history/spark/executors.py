"""Executors of a Spark log: how many slots each has, and from when until when."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from dataclasses import dataclass, replace

import numpy as np

from ....core.arrays import IntArray
from ....core.wording import plural
from ..run import UNKNOWN, Executor
from ..slots import most_at_once
from .events import EventLog, ExecutorSeen


@dataclass(frozen=True)
class Executors:
    """Executors in the order in which they came, and which of them ran each attempt."""

    executors: tuple[Executor, ...]
    of_attempt: IntArray
    notes: tuple[str, ...]


def executors_of(log: EventLog, number: IntArray, start: IntArray, end: IntArray) -> Executors:
    """The executors; times are those of the log.

    `number`, `start`, `end`: executor, launch and finish of each attempt, all of shape (attempts,).
    """
    names = list(log.executors)
    windows = _windows(log)
    executors: list[Executor] = []
    of_attempt = np.full(len(number), UNKNOWN, dtype=np.int64)
    guessed = outside = 0
    order = np.argsort(number, kind="stable")
    groups = np.split(order, np.flatnonzero(np.diff(number[order])) + 1) if len(order) else []
    rows_of = {names[int(number[rows[0]])]: rows for rows in groups}
    for name in sorted({*windows, *rows_of}, key=_by_number):
        rows = rows_of.get(name, order[:0])
        known = windows.get(name)
        if not known:
            slots = most_at_once(start[rows], end[rows])
            host = log.hosts[log.executors[name]]
            known = [Executor(name, host, 0, max(slots, 1), until=_only_end(log, name))]
            guessed += 1
        since = [window.since for window in known]
        which = np.array([max(bisect_right(since, t) - 1, 0) for t in start[rows].tolist()])
        for k, window in enumerate(known):
            own = rows[which == k] if len(rows) else rows
            of_attempt[own] = len(executors)
            widened = _widened(window, start[own])
            outside += widened != window
            executors.append(widened)
    notes = []
    if guessed:
        notes.append(
            f"{plural(guessed, 'executor')} of unknown size: taken as the most tasks at once"
        )
    if outside:
        notes.append(
            f"{plural(outside, 'executor')} ran tasks before being added or after being removed: "
            "the time of these counts"
        )
    return Executors(tuple(executors), of_attempt, tuple(notes))


def _widened(window: Executor, starts: IntArray) -> Executor:
    """The window with all launches in it."""
    if not len(starts):
        return window
    since, until = window.since, window.until
    if since != UNKNOWN:
        since = min(since, int(starts.min()))
    if until != UNKNOWN:
        until = max(until, int(starts.max()))
    return replace(window, since=since, until=until)


def _windows(log: EventLog) -> dict[str, list[Executor]]:
    """Executors that were added, by name and in order of time."""
    removals: dict[str, list[int]] = defaultdict(list)
    for name, time in log.removed:
        removals[name].append(time)
    added: dict[str, list[ExecutorSeen]] = defaultdict(list)
    for one in sorted(log.added, key=lambda one: (one.since, one.cores, one.host)):
        if not added[one.name] or added[one.name][-1].since < one.since:
            added[one.name].append(one)
    windows = {}
    for name, times in added.items():
        nexts = [one.since for one in times[1:]] + [None]
        windows[name] = [
            Executor(
                name,
                one.host,
                0,
                slots_of(one, log),
                one.since,
                _end(one.since, following, removals[name]),
            )
            for one, following in zip(times, nexts, strict=True)
        ]
    return windows


def _end(since: int, following: int | None, removals: list[int]) -> int:
    """When an executor added at `since` went, UNKNOWN if it stayed."""
    own = [t for t in removals if t >= since and (following is None or t <= following)]
    return min(own, default=UNKNOWN if following is None else following)


def _only_end(log: EventLog, name: str) -> int:
    return min((time for removed, time in log.removed if removed == name), default=UNKNOWN)


def slots_of(executor: ExecutorSeen, log: EventLog) -> int:
    """Tasks that an executor runs at once."""
    needs = log.profiles.get(executor.profile, {})
    cpus = needs.get("cpus") or float(_number(log.properties.get("spark.task.cpus")))
    return max(int(executor.cores // max(cpus, 1.0)), 1)


def _number(text: str | None) -> int:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 7 else 1


def _by_number(name: str) -> tuple[int, str]:
    """Executors 2, 10, driver in this order."""
    return (
        (int(name), "") if name.isascii() and name.isdigit() and len(name) < 10 else (10**10, name)
    )
