"""What is wrong with the starts of a dispatching rule, worked out from the jobs again."""

from __future__ import annotations

from typing import Any

from .child import events
from .exercise import Document, Failure, Question
from .hidden.rule_instances import fits

TOO_FULL = "a start that does not fit"
NEVER = "a job that never starts"
TWICE = "a job that starts twice"
FOREIGN = "a start of another run"


class FirstFit(events.AtWork):
    """A right answer: the lowest machine with room, one queue."""

    def begin(self) -> None:
        self.queue: list[events.Job] = []

    def arrive(self, job: events.Job) -> None:
        """Start it where there is room."""
        machine = next(self.with_room(job), None)
        if machine is None:
            self.queue.append(job)
        else:
            self.start(job, machine)

    def depart(self, _job: events.Job) -> None:
        """Try all that wait."""
        waiting, self.queue = self.queue, []
        for job in waiting:
            self.arrive(job)


def first_fit(document: Document) -> dict[str, Any]:
    return shown_starts(document, events.answer("FirstFit", FirstFit, document))


def judge_rule(question: Question, starts: list[dict[str, Any]]) -> Failure | None:
    """What is wrong with the starts of a rule."""
    document = question.document
    center, jobs = document["datacenter"], document["jobs"]
    requests = {row["name"]: row["request"] for row in center["classes"]}
    machines = [row for row in center["configurations"] for _ in range(row["count"])]
    shown = shown_starts(document, starts)
    until: dict[int, tuple[int, float]] = {}
    for start in starts:
        number, m, now = start["job"], start["machine"], start["time"]
        name = f"job {number}"
        if "foreign" in start:
            text = (
                f"{name} starts at {now:g} on machine {m}: that {start['foreign']} is not of this "
                f"run; does a list of the class keep it from an earlier one?"
            )
            return Failure(FOREIGN, text, shown)
        if number in until:
            text = f"{name} starts at {now:g} though it has started before"
            return Failure(TWICE, text, shown, broken=(name,))
        beside = [k for k, (at, end) in until.items() if at == m and end > now]
        free = dict(machines[m]["capacity"])
        for other in beside:
            for resource, amount in requests[jobs[other]["class"]].items():
                free[resource] -= amount
        request = requests[jobs[number]["class"]]
        if not fits(request, free):
            needs = ", ".join(f"{amount:g} {resource}" for resource, amount in request.items())
            has = ", ".join(f"{amount:g} {resource}" for resource, amount in free.items())
            text = (
                f"{name} needs {needs} and starts at {now:g} on machine {m}, which has {has} free"
            )
            return Failure(TOO_FULL, text, shown, broken=(name,))
        until[number] = m, now + jobs[number]["duration"]
    for number, job in enumerate(jobs):
        if number not in until:
            last = max([end for _, end in until.values()], default=job["arrival"])
            since = max(last, job["arrival"])
            text = f"job {number} never starts, though all machines are empty from {since:g} on"
            return Failure(NEVER, text, shown, broken=(f"job {number}",))
    return None


def shown_starts(document: Document, starts: list[dict[str, Any]]) -> dict[str, Any]:
    """The starts of this run as bars, with their ends."""
    jobs = document["jobs"]
    own = [start for start in starts if "foreign" not in start]
    rows = [{**start, "end": start["time"] + jobs[start["job"]]["duration"]} for start in own]
    return {"starts": rows}
