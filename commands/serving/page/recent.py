"""What a service did lately: starts, waits and other changes, the last of each."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable
from statistics import fmean
from time import time
from typing import Any

from ....heuristics.datacenter.live.answers import Joined, Left, Placement
from ....heuristics.datacenter.live.dispatcher import Dispatcher

MOST_CHANGES = 20
"""So many changes of jobs are listed, and so many others."""

MOST_WAITS = 2000
"""Waits are those of so many starts."""


class Recent:
    """Told of every change after it was made; jobs that wait then have just arrived."""

    def __init__(self, dispatcher: Dispatcher) -> None:
        self.began = time()
        self._number = 0
        self._of_jobs = deque[dict[str, Any]](maxlen=MOST_CHANGES)
        self._others = deque[dict[str, Any]](maxlen=MOST_CHANGES)
        self._waits = deque[tuple[str, float]](maxlen=MOST_WAITS)
        self._since = dict.fromkeys(dispatcher.waiting, self.began)
        self._counts = Counter[str]()

    def note(self, dispatcher: Dispatcher, verb: str, given: dict[str, Any], made: Any) -> None:
        """A verb of the dispatcher was called."""
        now = time()
        if verb == "arrive":
            self._arrived(given["job"], given["job_class"], made, now)
        elif verb == "place":
            self._placed(dispatcher, given["job"], given["machine"], now)
        elif verb == "depart":
            taken_back = self._since.pop(given["job"], None) is not None
            self._add(now, "taken back" if taken_back else "done", given["job"])
            self._counts["done"] += 1
        elif verb == "follow":
            self._add(now, "another plan")
        elif verb == "leave":
            self._left(given["machine"], made, now)
        elif verb == "join":
            self._add(now, "machine joins", machine=made.machine)
        else:
            self._add(now, verb, given.get("job", ""), given.get("machine") or "")
        if verb != "arrive":
            self._started(dispatcher, made, now)

    def _add(self, now: float, what: str, job: str = "", machine: str = "") -> None:
        self._number += 1
        entry = {"number": self._number, "at": now, "what": what, "job": job, "machine": machine}
        (self._of_jobs if job else self._others).append(entry)

    def _arrived(self, job: str, job_class: str, place: Placement | None, now: float) -> None:
        self._counts["arrived"] += 1
        if place is None:
            self._since[job] = now
            self._add(now, "waits", job)
            return
        self._counts["at once"] += 1
        self._waits.append((job_class, 0.0))
        self._add(now, "starts", job, place.name)

    def _placed(self, dispatcher: Dispatcher, job: str, machine: str, now: float) -> None:
        """Another program has started a job, a new one or one that waited."""
        since = self._since.pop(job, None)
        if since is None:
            self._counts.update(("arrived", "at once"))
        self._waits.append((dispatcher.where(job)[1], 0.0 if since is None else now - since))
        self._add(now, "is placed", job, machine)

    def _left(self, machine: str, made: Left, now: float) -> None:
        """Its jobs start elsewhere, or wait anew."""
        self._add(now, "machine leaves", machine=machine)
        for job in made.jobs:
            self._since[job] = now

    def _started(self, dispatcher: Dispatcher, made: Any, now: float) -> None:
        """The waiting jobs that have started."""
        starts: Iterable[Placement] = (
            made.started if isinstance(made, Joined | Left) else made or ()
        )
        for place in starts:
            since = self._since.pop(place.job, None)
            if since is not None:
                self._waits.append((dispatcher.where(place.job)[1], now - since))
            self._add(now, "starts", place.job, place.name)

    def waits_for(self, job: str) -> float | None:
        """How long (s) a job has waited, as far as is known."""
        since = self._since.get(job)
        return None if since is None else time() - since

    def document(self) -> dict[str, Any]:
        """The last changes, the newest first, and the waits (s) of the last starts by class."""
        by_class: dict[str, list[float]] = {}
        for job_class, wait in self._waits:
            by_class.setdefault(job_class, []).append(wait)
        waits = [wait for _, wait in self._waits]
        return {
            "seconds": time() - self.began,
            "counts": {what: self._counts[what] for what in ("arrived", "at once", "done")},
            "waits": _waits(waits),
            "waits_by_class": {name: _waits(values) for name, values in by_class.items()},
            "changes": sorted(
                (*self._of_jobs, *self._others), key=lambda entry: -int(entry["number"])
            ),
        }


def _waits(waits: list[float]) -> dict[str, Any]:
    """Mean and longest wait of some starts."""
    longest = max(waits, default=0.0)
    return {"starts": len(waits), "mean": fmean(waits) if waits else 0.0, "longest": longest}
