"""What came of grading, and how it is told."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ...core.wording import plural
from .exercise import REMEMBERS, Document, Failure

NO_PROOF = "none breaks it: no proof"
SAFETY = (
    "limits stop accidents, not attackers: grade strangers' files in a container or virtual machine"
)


@dataclass(frozen=True)
class Finding:
    """A sort of mistake and the least problem found that shows it.

    It comes from the hidden problem with the number `found_at`, from 1, whose size was `before`.
    `trials` smaller problems were tried; `minimal` says whether every smaller one that a single
    change gives was, and does not fail this way.
    """

    found_at: int
    document: Document
    failure: Failure
    before: tuple[float, ...]
    size: tuple[float, ...]
    trials: int = 0
    minimal: bool = False


@dataclass(frozen=True)
class Grade:
    """The verdict on a file.

    Parameters
    ----------
    file
        Its name.
    exercise
        Name of the exercise.
    domain
        The domain of the hidden problems.
    asked
        How many hidden problems it was given.
    failed
        How many of them it failed.
    findings
        Its sorts of mistakes, the least problem first; empty if nothing was found.
    notes
        What a reader should know.
    interrupted
        Whether Ctrl-C ended the search.
    """

    file: str
    exercise: str
    domain: str
    asked: int
    failed: int
    findings: tuple[Finding, ...]
    notes: tuple[str, ...] = ()
    interrupted: bool = False

    @property
    def broken(self) -> bool:
        """Whether some problem breaks the file."""
        return bool(self.findings)

    @property
    def verdict(self) -> str:
        """`broken` or `nothing found`."""
        return "broken" if self.broken else "nothing found"

    def document(self) -> dict[str, Any]:
        """The verdict as plain data."""
        document: dict[str, Any] = {
            "file": self.file,
            "exercise": self.exercise,
            "domain": self.domain,
            "verdict": self.verdict,
            "instances": self.asked,
            "failed": self.failed,
            "interrupted": self.interrupted,
            "notes": list(self.notes),
        }
        if not self.broken:
            return document
        document["kinds"] = [finding.failure.kind for finding in self.findings]
        document["findings"] = [
            {
                "kind": each.failure.kind,
                "text": each.failure.text,
                "found_at": each.found_at,
                "tasks": int(each.size[0]),
                "tasks_before": int(each.before[0]),
                "trials": each.trials,
                "minimal": each.minimal,
                "instance": each.document,
                "answer": _finite(each.failure.answer),
                "again": _finite(each.failure.again),
                "right": each.failure.right,
            }
            for each in self.findings
        ]
        return document

    def text(self) -> str:
        """The verdict in words."""
        return "\n".join(self._lines())

    def __repr__(self) -> str:
        kinds = ", ".join(finding.failure.kind for finding in self.findings)
        return f"Grade({self.file}, {self.exercise}: {self.summary}{kinds and f'; {kinds}'})"

    @property
    def summary(self) -> str:
        """The verdict in a few words."""
        what = plural(self.asked, "hidden instance")
        if not self.broken:
            return f"{what}, {NO_PROOF}"
        return f"broken by {self.failed} of {what}"

    def _lines(self) -> Iterator[str]:
        yield f"{self.file}, exercise {self.exercise}: {self.summary}"
        if not self.broken:
            return
        first, *others = self.findings
        yield f"{first.failure.kind}:"
        yield f"  {first.failure.text}"
        yield ""
        yield from problem_lines(first)
        yield from _answers(first)
        if others:
            yield ""
            yield "Other mistakes:"
            yield from (f"  {each.failure.kind}: {each.failure.text}" for each in others)


def _finite(value: Any) -> Any:
    """A value that JSON can hold: numbers that are none become texts."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, dict):
        return {name: _finite(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    return value


def problem_lines(finding: Finding) -> Iterator[str]:
    """The problem in words, a line for each node, job and machine."""
    yield f"{size_words(finding)}:"
    if "jobs" in finding.document and "datacenter" in finding.document:
        yield from _run_lines(finding.document)
    else:
        yield from _batch_lines(finding.document)


def size_words(finding: Finding) -> str:
    """How small the problem is, and in which sense no smaller one was found."""
    tasks, before = int(finding.size[0]), int(finding.before[0])
    noun = "job" if "datacenter" in finding.document else "task"
    origin = f"instance {finding.found_at} had {plural(before, noun)}"
    if finding.failure.kind == REMEMBERS:
        how = origin
    elif finding.minimal:
        how = f"no single change gives a smaller one that fails this way; {origin}"
    else:
        how = f"the search for a smaller one was cut short; {origin}"
    return f"An instance of {plural(tasks, noun)} ({how})"


def _batch_lines(document: Document) -> Iterator[str]:
    nodes, jobs = document["cluster"]["nodes"], document["jobs"]
    several = len({node["rack"] for node in nodes}) > 1
    for node in nodes:
        rack = f" in rack {node['rack']}" if several else ""
        slots = f"{plural(node['map_slots'], 'map slot')}, "
        yield f"  node {node['name']}{rack}: {slots}{plural(node['reduce_slots'], 'reduce slot')}"
    if any(task["input_mb"] for job in jobs for task in job["map_tasks"]):
        rates = document["cluster"]["rates"]
        yield (
            f"  reads: {rates['node']:g} MB/s on the node, {rates['rack']:g} within the rack, "
            f"{rates['remote']:g} from another rack"
        )
    for job in jobs:
        read = any(task["input_mb"] for task in job["map_tasks"]) and job["reduce_tasks"]
        ratio = f" (output ratio {job['output_ratio']:g})" if read else ""
        maps = [_map_words(task) for task in job["map_tasks"]]
        reduces = [f"reduce {task['processing']:.9g} s" for task in job["reduce_tasks"]]
        yield f"  job {job['name']}{ratio}: {', '.join(maps + reduces)}"


def _map_words(task: dict[str, Any]) -> str:
    words = f"map {task['processing']:.9g} s"
    if task["input_mb"]:
        words += f" reading {task['input_mb']:.9g} MB from {' or '.join(task['replicas'])}"
    return words


def _run_lines(document: Document) -> Iterator[str]:
    number = 0
    for row in document["datacenter"]["configurations"]:
        for _ in range(row["count"]):
            yield f"  machine {number}: {_amounts(row['capacity'])}"
            number += 1
    requests = {row["name"]: row["request"] for row in document["datacenter"]["classes"]}
    for k, job in enumerate(document["jobs"]):
        needs = _amounts(requests[job["class"]])
        yield (
            f"  job {k} of class {job['class']}: needs {needs}, arrives at {job['arrival']:g}, "
            f"runs for {job['duration']:g}"
        )


def _amounts(amounts: dict[str, float]) -> str:
    return ", ".join(f"{amount:g} {name}" for name, amount in amounts.items())


def _answers(finding: Finding) -> Iterator[str]:
    for title, answer in titled_answers(finding):
        lines = answer_lines(answer)
        if lines:
            yield f"{title}{lines[0]}"
            yield from (f"  {line}" for line in lines[1:])


def titled_answers(finding: Finding) -> list[tuple[str, Any]]:
    """What the file answered, and what is right, each with its title."""
    right = "A right answer" if "datacenter" in finding.document else "A shortest schedule"
    return [
        ("The answer", finding.failure.answer),
        ("The answer when asked again", finding.failure.again),
        (right, finding.failure.right),
    ]


def answer_lines(answer: Any) -> list[str]:
    """What follows the title, then a line for each row of an answer; nothing without an answer."""
    if isinstance(answer, (int, float)):
        return [f": {answer:.9g} s"]
    if not isinstance(answer, dict):
        return []
    if "starts" in answer:
        return [
            ":",
            *(
                f"job {row['job']} on machine {row['machine']} from {row['time']:g} "
                f"to {row['end']:g}"
                for row in answer["starts"]
            ),
        ]
    span = answer.get("makespan")
    known = isinstance(span, (int, float)) and any("end" in row for row in answer["tasks"])
    head = f", makespan {span:.9g} s:" if known else ":"
    return [head, *map(_row_words, answer["tasks"])]


def _row_words(row: dict[str, Any]) -> str:
    words = f"{row['job']} {row['phase']} {row['task']} on {row['node']} {row['phase']} slot "
    words += f"{row['slot']} from {row['start'] + 0.0:.9g}"  # without the sign of -0
    if "end" in row:
        words += f" to {row['end'] + 0.0:.9g}"
        words += f" (setup {row['setup']:.9g})" if row["setup"] > 0 else ""
    return words
