"""A dispatcher whose every change is in a journal before it is answered."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

from ...core.errors import one_line
from ...heuristics.datacenter.live.answers import Placement
from ...heuristics.datacenter.live.dispatcher import Dispatcher
from ...heuristics.datacenter.live.plan import Plan
from .journal import MOST_CHANGES, Journal

Watcher = Callable[[Dispatcher, str, dict[str, Any], Any], None]
"""Takes the dispatcher, the verb that was called with what, and what it answered."""


class NotNow(Exception):
    """A change could not be kept, and was not made."""


class Service:
    """Answers as documents.

    A `ValueError` says what is wrong with a call; then nothing has changed. Other errors lead back
    to what the journal has, and to `NotNow`.
    """

    def __init__(self, journal: Journal, first: Dispatcher) -> None:
        self._journal = journal
        self.watchers: list[Watcher] = []
        """Told of every change that was made and kept."""
        state, _ = journal.read()
        if state is None:
            journal.write(first.state(whole=True))
        self._load()
        self._dispatcher.prepare()
        if journal.changes:
            journal.write(self._dispatcher.state(whole=True))

    def _load(self) -> None:
        """Go back to what the journal has."""
        self._is_sure = False
        state, changes = self._journal.read()
        assert state is not None
        self._follow(Dispatcher.resume(state, reasons=True))
        for verb, given in changes:
            self._do(verb, given)
        self._is_sure = True

    @property
    def dispatcher(self) -> Dispatcher:
        """The dispatcher as the journal has it; to look at."""
        if not self._is_sure:
            self._load()
        return self._dispatcher

    def _follow(self, dispatcher: Dispatcher) -> None:
        self._dispatcher = dispatcher
        self._requests = _requests(dispatcher)

    def _do(self, verb: str, given: dict[str, Any]) -> Any:
        """Make a change of the dispatcher."""
        made = getattr(self._dispatcher, verb)(**given)
        if verb == "follow":
            self._requests = _requests(self._dispatcher)
        return made

    def _change(self, verb: str, given: dict[str, Any], plan: Plan | None = None) -> Any:
        """Make a change and keep it; `plan` is the prepared one of a guidance document."""
        _ = self.dispatcher
        try:
            with self._journal.change(verb, given):
                made = self._do(verb, given if plan is None else {"guidance": plan})
        except ValueError:
            raise
        except Exception as error:
            self._load()
            raise NotNow(one_line(f"not done: {type(error).__name__}: {error}", 200)) from error
        if self._journal.changes >= MOST_CHANGES:
            with suppress(sqlite3.Error):  # the changes are kept; the next one tries again
                self._journal.write(self._dispatcher.state(whole=True))
        for watcher in self.watchers:
            watcher(self._dispatcher, verb, given, made)
        return made

    def health(self) -> dict[str, Any]:
        """How many machines and waiting jobs there are."""
        dispatcher = self.dispatcher
        return {
            "ready": True,
            "machines": len(dispatcher.machines),
            "waiting": len(dispatcher.waiting),
        }

    def request(self, job_class: str | None, demand: dict[str, float] | None) -> dict[str, Any]:
        """Class and demand of a request: the class named, or the nearest; its request if none."""
        if demand is None:
            if job_class is None:
                raise ValueError("class, demand: need one of them")
            if job_class not in self._requests:
                raise ValueError(f"unknown class {job_class!r}")
            demand = self._requests[job_class]
        if job_class is None:
            job_class = self.dispatcher.classify(demand)
        return {"job_class": job_class, "demand": demand}

    def arrive(
        self, job: str, job_class: str | None, demand: dict[str, float] | None
    ) -> dict[str, Any]:
        """A job arrives."""
        asked = self.request(job_class, demand)
        made: Placement | None = self._change("arrive", {"job": job, **asked})
        machine = None if made is None else made.name
        return {"id": job, "machine": machine, "class": asked["job_class"]}

    def has(self, job: str) -> bool:
        """Whether a job runs or waits."""
        try:
            self.dispatcher.where(job)
        except ValueError:
            return False
        return True

    def job(self, job: str) -> dict[str, Any]:
        """Where a job runs, and why."""
        machine, job_class = self.dispatcher.where(job)
        why = self._dispatcher.explain(job).text
        return {"id": job, "machine": machine, "class": job_class, "why": why}

    def depart(self, job: str) -> dict[str, Any]:
        """A job is done, or is taken back."""
        return {"id": job, "started": _started(self._change("depart", {"job": job}))}

    def score(
        self,
        job_class: str | None,
        demand: dict[str, float] | None,
        machines: list[str] | None,
    ) -> dict[str, Any]:
        """What a start would cost on each machine."""
        asked = self.request(job_class, demand)
        costs = self.dispatcher.score(asked["job_class"], asked["demand"], machines=machines)
        return {"class": asked["job_class"], "scores": costs}

    def join(
        self, name: str, configuration: str, capacity: dict[str, float] | None
    ) -> dict[str, Any]:
        """A machine joins."""
        given = {"configuration": configuration, "capacity": capacity, "name": name}
        return {"name": name, "started": _started(self._change("join", given).started)}

    def leave(self, name: str) -> dict[str, Any]:
        """A machine leaves; its jobs have to start again."""
        left = self._change("leave", {"machine": name})
        return {"name": name, "jobs": left.jobs, "started": _started(left.started)}

    def drain(self, name: str) -> dict[str, Any]:
        """A machine starts no more jobs."""
        return {"name": name, "started": _started(self._change("drain", {"machine": name}))}

    def undrain(self, name: str) -> dict[str, Any]:
        """A machine starts jobs again."""
        return {"name": name, "started": _started(self._change("undrain", {"machine": name}))}

    def prepare(self, guidance: dict[str, Any]) -> Plan:
        """The plan of a document with its tables; in any thread."""
        return self.dispatcher.prepare(guidance)

    def follow(self, guidance: dict[str, Any], plan: Plan) -> dict[str, Any]:
        """Another plan is followed, which `prepare` has made of the document."""
        return {"started": _started(self._change("follow", {"guidance": guidance}, plan))}


def _started(placements: Iterable[Placement]) -> list[dict[str, str]]:
    return [{"id": one.job, "machine": one.name} for one in placements]


def _requests(dispatcher: Dispatcher) -> dict[str, dict[str, float]]:
    """What a job of each class needs by the plan."""
    classes = dispatcher.prepare().document["datacenter"]["classes"]
    return {entry["name"]: entry["request"] for entry in classes}
