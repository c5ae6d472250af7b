"""Grading: hidden problems are asked until some fail, and those are made smaller."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any

from ...core.advice import check_choice
from ...core.calls import checked
from ...core.errors import InputError
from ...core.files.inputs import STANDARD, file_name, read_text
from ...core.notices import step
from .catalogue import exercise_named
from .exercise import (
    DIFFERENT,
    ENDED,
    REMEMBERS,
    TIME_OUT,
    Answer,
    Demands,
    Document,
    Exercise,
    Failure,
    Limits,
    Malformed,
    judged,
)
from .grade import SAFETY, Finding, Grade
from .shrinking import MOST_TIME_OUTS, shrink, size_of
from .submission import FIRST, Submission

MOST_FAILURES = 8
"""Failing problems that are made smaller. Several starts end at different ones."""

COSTLY = (TIME_OUT, ENDED)
"""Failures after which a process is started again: of these only the first is made smaller."""

FEW_TIME_OUTS = 2
"""Problems without an answer in time that end the search for more."""

QUICK = 0.5
"""Processor time (s) for an answer while problems are made smaller, once one took too long."""

NO_ANSWER = "not an answer of this exercise"


@checked
def grade(
    file: str | Path,
    exercise: str,
    *,
    seed: int | str = 1,
    instances: int = 300,
    domain: str | None = None,
    demands: Demands | None = None,
    limits: Limits | None = None,
) -> Grade:
    """Look for a small problem that breaks a file.

    The file runs in a process of its own with limits. They stop accidents, not attackers.

    Parameters
    ----------
    file : str or Path
        The file, `-` for stdin.
    exercise : str
        Name of the exercise.
    seed : int or str
        Draws the hidden problems.
    instances : int
        How many of them.
    domain : str, optional
        One of the exercise's domains, by default its first.
    demands : Demands, optional
        What is asked beyond being right.
    limits : Limits, optional
        How long and with what the file may work.

    Returns
    -------
    Grade
        The verdict. `Grade.findings` has the smallest problem for every sort of mistake.

    Raises
    ------
    InputError
        If the file cannot be loaded, or what it answers is none of this exercise.
    """
    return grade_file(file, wanted(exercise, seed, instances, domain, demands, limits))


@dataclass(frozen=True)
class Wanted:
    """How files are to be graded; `seed`, `instances` and `domain` say what the problems are."""

    exercise: Exercise
    seed: int | str
    instances: int
    domain: str
    demands: Demands
    limits: Limits


def wanted(
    exercise: str,
    seed: int | str,
    instances: int,
    domain: str | None,
    demands: Demands | None,
    limits: Limits | None,
) -> Wanted:
    """Check how a file is to be graded.

    Raises `InputError` if something does not fit the exercise.
    """
    its_exercise = exercise_named(exercise)
    names = list(its_exercise.domains)
    if domain is not None:
        check_choice(f"domain of exercise {exercise}", domain, names)
    if instances < 1:
        raise InputError(f"need at least one instance, got {instances}")
    demands, limits = demands or Demands(), limits or Limits()
    if demands.at_most is not None and exercise != "heuristic":
        raise InputError("--at-most is for the exercise heuristic")
    if demands.not_below is not None:
        if exercise != "bound":
            raise InputError("--not-below is for the exercise bound")
        from ...formulations.mapreduce.bounds import BOUNDS

        BOUNDS.lookup(demands.not_below)
    return Wanted(its_exercise, seed, instances, domain or names[0], demands, limits)


def grade_file(file: str | Path, wanted: Wanted) -> Grade:
    name = "stdin" if str(file) == STANDARD else file_name(file)
    return grade_source(read_text(file), name, wanted)


def grade_source(source: str, name: str, wanted: Wanted) -> Grade:
    """Grade the text of a file that is called `name`."""
    with Submission(source, name, wanted.exercise, wanted.limits) as submission:
        search = _Search(submission, wanted, submission.ask, wanted.limits.per_instance)
        interrupted = False
        try:
            search.find()
            search.make_smaller()
            search.ask_alone()
        except KeyboardInterrupt:
            interrupted = True
            search.notes.append("interrupted: this is what was found until then")
        if submission.missing:
            missing = ", ".join(submission.missing)
            search.notes.append(f"this system sets no limit to the file's {missing}")
        return Grade(
            name,
            wanted.exercise.name,
            wanted.domain,
            search.asked,
            len(search.found),
            tuple(search.least()),
            (*search.notes, SAFETY),
            interrupted,
        )


@dataclass
class _Search:
    """The state of one grading; `put` asks a question that may take so many seconds."""

    submission: Submission
    wanted: Wanted
    put: Callable[[Document, float], Answer]
    seconds: float
    asked: int = 0
    found: list[Finding] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def find(self) -> None:
        """Ask hidden problems until enough have failed or the time is over."""
        wanted, problems = self.wanted, self.wanted.exercise.problems
        until = time.monotonic() + wanted.limits.time
        time_outs = 0
        for number in range(1, wanted.instances + 1):
            if time.monotonic() > until:
                self.notes.append(
                    f"only {self.asked} of {wanted.instances} instances in {wanted.limits.time:g} s"
                )
                return
            step(f"{self.submission.name}: instance {number} of {wanted.instances}")
            rng = Random(f"{wanted.seed}:{wanted.domain}:{number}")
            document = problems.first() if number == 1 else problems.draw(rng, wanted.domain)
            failure = self._fails(document, must_be_formed=number == 1)
            self.asked = number
            if failure is not None:
                size = size_of(document, problems.counts)
                self.found.append(Finding(number, document, failure, size, size))
                time_outs += failure.kind == TIME_OUT
            if len(self.found) >= MOST_FAILURES or time_outs >= FEW_TIME_OUTS:
                return

    def make_smaller(self) -> None:
        """Make the failing problems smaller, each as far as one change after the other gets."""
        wanted = self.wanted
        until = time.monotonic() + wanted.limits.time
        if any(case.failure.kind == TIME_OUT for case in self.found):
            self.seconds = min(QUICK, wanted.limits.per_instance)
            self.notes.append(
                f"while instances are made smaller, an answer may take {self.seconds:g} s, and "
                f"{MOST_TIME_OUTS} may take longer"
            )
        done = set()
        for k, case in enumerate(self.found):
            if case.failure.kind in COSTLY and case.failure.kind in done:
                continue
            step(f"{self.submission.name}: making instance {case.found_at} smaller")
            small = shrink(case, wanted.exercise, wanted.domain, self._fails, until)
            if case.failure.kind == TIME_OUT:
                # Without an answer in the whole time either, else the first problem is shown.
                quick, self.seconds = self.seconds, wanted.limits.per_instance
                failure = self._fails(small.document)
                self.seconds = quick
                if failure is not None and failure.kind == TIME_OUT:
                    small = replace(small, failure=failure)
                else:
                    small = replace(case, trials=small.trials)
            self.found[k] = small
            done.add(case.failure.kind)

    def ask_alone(self) -> None:
        """Ask what is to be shown once more, each question in a process of its own."""
        self.put = self.submission.ask_alone
        asked: set[int] = set()
        while case := next((one for one in self.least() if one.found_at not in asked), None):
            asked.add(case.found_at)
            step(f"{self.submission.name}: asking instance {case.found_at} alone")
            wrong = case.failure
            # Time to import libraries would let pass what takes too long.
            grace = 0.0 if wrong.kind == TIME_OUT else FIRST
            self.seconds = self.wanted.limits.per_instance + grace
            failure = self._fails(case.document) or self._differs(case.document)
            if failure is None:
                text = (
                    f"your {self.wanted.exercise.sort} remembers earlier calls: asked this alone, "
                    f"in a fresh process, it is right; after other instances: {wrong.text}"
                )
                failure = replace(wrong, kind=REMEMBERS, text=text)
            self.found[self.found.index(case)] = replace(case, failure=failure)

    def least(self) -> list[Finding]:
        """For every sort of mistake the least problem, the least of all first."""
        least: dict[str, Finding] = {}
        for case in sorted(self.found, key=lambda case: case.size):
            least.setdefault(case.failure.kind, case)
        return list(least.values())

    def _differs(self, document: Document) -> Failure | None:
        """A mistake if two fresh processes answer differently."""
        first, second = (self._ask(document).value for _ in range(2))
        if first == second:
            return None
        text = "the same instance was asked in two fresh processes and the answers differ"
        return Failure(DIFFERENT, f"{text}: {_shown(first)} and {_shown(second)}")

    def _fails(self, document: Document, must_be_formed: bool = False) -> Failure | None:
        try:
            return judged(self.wanted.exercise, document, self._ask, self.wanted.demands)
        except Malformed as problem:
            if must_be_formed:
                raise InputError(f"{self.submission.name}: {problem}") from None
            return Failure(NO_ANSWER, str(problem))

    def _ask(self, document: Document) -> Answer:
        return self.put(document, self.seconds)


def _shown(value: Any) -> str:
    """An answer in a line: a number as such."""
    if isinstance(value, dict):
        value = value.get("makespan")
    return f"{value:.9g} s" if isinstance(value, (int, float)) else json.dumps(value)[:60]
