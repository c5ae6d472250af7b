"""A dispatcher whose every change is on the disk before it is answered."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ...core.errors import one_line
from ...heuristics.datacenter.live.answers import Placement
from ...heuristics.datacenter.live.dispatcher import Dispatcher
from ...heuristics.datacenter.live.plan import Plan
from .journal import Journal

STATE, PLAN, POLICY, ARRIVED, JOBS = "state", "plan", "policy", "arrived", "job/"
"""Keys: the state without jobs, the guidance document, the policy asked for, the number of
arrivals; each job by its number."""


class NotNow(Exception):
    """A change could not be kept, and was not made."""


class Service:
    """Answers as documents.

    A `ValueError` says what is wrong with a call; then nothing has changed. Other errors lead back
    to what the journal has, and to `NotNow`.
    """

    def __init__(self, journal: Journal, first: Dispatcher, policy: str) -> None:
        self.journal, self._policy = journal, policy
        if not journal.read(STATE):
            journal.put({**_frame(first), PLAN: first.plan.document, POLICY: policy})
        self._dispatcher: Dispatcher | None = None
        self.dispatcher.prepare()

    @property
    def dispatcher(self) -> Dispatcher:
        """The dispatcher, to ask; it is made of what the journal has if it is not there."""
        if self._dispatcher is None:
            kept, jobs = self.journal.read(""), dict[str | None, list[Any]]()
            for key, entry in kept.items():
                if key.startswith(JOBS):
                    jobs.setdefault(entry["machine"], []).append(entry)
            state = {**kept[STATE], "document": kept[PLAN], "arrived": kept[ARRIVED]}
            state["waiting"] = sorted(jobs.get(None, ()), key=lambda entry: entry["rank"])
            for machine in state["machines"]:
                default = f"{machine['configuration']}/{machine['number']}"
                machine["jobs"] = jobs.get(machine.get("name", default), [])
            self._dispatcher = Dispatcher.resume(state, policy=self._policy, reasons=True)
        return self._dispatcher

    def _change(self, verb: str, **given: Any) -> Any:
        dispatcher = self.dispatcher
        try:
            return getattr(dispatcher, verb)(**given)
        except ValueError:
            raise
        except Exception as error:
            raise self._lost(error) from error

    def _put(
        self, jobs: Iterable[str], more: Mapping[str, Any] | None = None, *, frame: bool = False
    ) -> None:
        """Keep jobs that arrived, started or wait again, and `more` by key; with `frame` machines
        and counters, too."""
        try:
            changes = _frame(self.dispatcher) if frame else {}
            for entry in map(self.dispatcher.entry, jobs):
                changes[f"{JOBS}{entry['number']:012d}"] = entry
            self.journal.put({**changes, **(more or {})})
        except Exception as error:
            raise self._lost(error) from error

    def _lost(self, error: Exception) -> NotNow:
        """What is in memory is ahead of the disk, or half made."""
        self._dispatcher = None
        return NotNow(one_line(f"not done: {type(error).__name__}: {error}", 200))

    def health(self) -> dict[str, Any]:
        """How many machines and waiting jobs there are."""
        machines, running, waiting = self.dispatcher.counts
        return {"ready": True, "machines": machines, "running": running, "waiting": waiting}

    def request(
        self,
        job_class: str | None,
        demand: dict[str, float] | None,
        labels: dict[str, str] | None = None,
        job: str = "request",
    ) -> dict[str, Any]:
        """Class and demand of a request: the class named, or the nearest; its request if none."""
        if job_class is None and labels is not None:
            job_class = self.dispatcher.named(labels)
        if demand is None:
            if job_class is None:
                raise ValueError("class, demand: need one of them")
            plan = self.dispatcher.plan
            if job_class not in plan.class_number:
                raise ValueError(f"unknown class {job_class!r}")
            need = plan.datacenter.request[plan.class_number[job_class]].tolist()
            demand = dict(zip(plan.datacenter.resources, need, strict=True))
        if job_class is None:
            job_class = self.dispatcher.classify(demand, job=job)
        return {"job_class": job_class, "demand": demand}

    def arrive(
        self,
        job: str,
        job_class: str | None,
        demand: dict[str, float] | None,
        labels: dict[str, str] | None = None,
    ) -> dict[str, Any]:
        asked = self.request(job_class, demand, labels, f"job {job!r}")
        made: Placement | None = self._change("arrive", job=job, **asked)
        self._put([job], {ARRIVED: self.dispatcher.entry(job)["number"] + 1})
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
        why = self.dispatcher.explain(job).text
        return {"id": job, "machine": machine, "class": job_class, "why": why}

    def depart(self, job: str) -> dict[str, Any]:
        number = self.dispatcher.entry(job)["number"]
        started = _started(self._change("depart", job=job))
        self._put([one["id"] for one in started], {f"{JOBS}{number:012d}": None})
        return {"id": job, "started": started}

    def score(
        self,
        job_class: str | None,
        demand: dict[str, float] | None,
        labels: dict[str, str] | None,
        machines: list[str] | None,
    ) -> dict[str, Any]:
        """What a start would cost on each machine."""
        asked = self.request(job_class, demand, labels)
        costs = self.dispatcher.score(asked["job_class"], asked["demand"], machines=machines)
        return {"class": asked["job_class"], "scores": costs}

    def join(
        self, name: str, configuration: str, capacity: dict[str, float] | None
    ) -> dict[str, Any]:
        given = {"configuration": configuration, "capacity": capacity, "name": name}
        return self._started_by(name, self._change("join", **given).started)

    def leave(self, name: str) -> dict[str, Any]:
        """A machine leaves; its jobs have to start again."""
        left = self._change("leave", machine=name)
        self._put([*left.jobs, *(one.job for one in left.started)], frame=True)
        return {"name": name, "jobs": left.jobs, "started": _started(left.started)}

    def drain(self, name: str) -> dict[str, Any]:
        """A machine starts no more jobs."""
        return self._started_by(name, self._change("drain", machine=name))

    def undrain(self, name: str) -> dict[str, Any]:
        """A machine starts jobs again."""
        return self._started_by(name, self._change("undrain", machine=name))

    def _started_by(self, name: str, placements: Iterable[Placement]) -> dict[str, Any]:
        """What starts as a machine has changed."""
        started = _started(placements)
        self._put([one["id"] for one in started], frame=True)
        return {"name": name, "started": started}

    def follow(self, plan: Plan) -> dict[str, Any]:
        """Another plan is followed, which has its tables."""
        started = _started(self._change("follow", guidance=plan))
        document = self.dispatcher.plan.document
        self._put([one["id"] for one in started], {PLAN: document}, frame=True)
        return {"started": started}


def _frame(dispatcher: Dispatcher) -> dict[str, Any]:
    """What is kept beside the jobs, by key."""
    state = dispatcher.state(jobs=False)
    return {STATE: state, ARRIVED: state["arrived"]}


def _started(placements: Iterable[Placement]) -> list[dict[str, str]]:
    return [{"id": one.job, "machine": one.name} for one in placements]
