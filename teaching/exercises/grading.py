"""Grading: hidden problems are asked until some fail, and those are made smaller."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from ...instances.advice import need_choice
from ...instances.errors import InputError
from ...instances.files.inputs import STANDARD, file_name, read_text
from .catalogue import exercise_named
from .exercise import (
    ENDED,
    TIME_OUT,
    Answer,
    Demands,
    Document,
    Exercise,
    Failure,
    Limits,
    Malformed,
)
from .grade import SAFETY, Finding, Grade
from .shrinking import MOST_TIME_OUTS, Shrunk, shrink
from .submission import Submission

MOST_FAILURES = 8
"""Failing problems that are made smaller. Several starts end at different ones."""

COSTLY = (TIME_OUT, ENDED)
"""Failures after which a process is started again: of these only the first is made smaller."""

FEW_TIME_OUTS = 2
"""Problems without an answer in time that end the search for more."""

QUICK = 0.5
"""Processor time (s) for an answer while problems are made smaller, once one took too long."""

NO_ANSWER = "not an answer of this exercise"

INSTANCES, SEED = 300, 1

OnProgress = Callable[[str], None]


def grade(
    file: str | Path,
    exercise: str,
    *,
    seed: int | str = SEED,
    instances: int = INSTANCES,
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
    source = read_text(file)
    name = "stdin" if str(file) == STANDARD else file_name(file)
    how = wanted(exercise, seed, instances, domain, demands, limits)
    return grade_source(source, name, how)


@dataclass(frozen=True)
class Wanted:
    """How files are to be graded.

    Parameters
    ----------
    exercise
        The exercise.
    seed, instances, domain
        The hidden problems.
    demands
        What is asked beyond being right.
    limits
        The limits.
    """

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

    Parameters
    ----------
    exercise
        Name of the exercise.
    seed, instances, domain
        The hidden problems.
    demands
        What is asked beyond being right.
    limits
        The limits.

    Returns
    -------
    Wanted
        All of it.

    Raises
    ------
    InputError
        If something does not fit the exercise.
    """
    one = exercise_named(exercise)
    names = list(one.domains)
    if domain is not None:
        need_choice(f"domain of exercise {exercise}", domain, names)
    if instances < 1:
        raise InputError(f"need at least one instance, got {instances}")
    demands, limits = demands or Demands(), limits or Limits()
    if demands.at_most is not None and one.name != "heuristic":
        raise InputError("--at-most is for the exercise heuristic")
    if demands.not_below is not None:
        if one.name != "bound":
            raise InputError("--not-below is for the exercise bound")
        from ...formulations import BOUNDS

        BOUNDS.lookup(demands.not_below)
    return Wanted(one, seed, instances, domain or names[0], demands, limits)


def grade_source(
    source: str, name: str, wanted: Wanted, on_progress: OnProgress = lambda _: None
) -> Grade:
    """As `grade`, for the text of a file.

    Parameters
    ----------
    source
        The text.
    name
        What it is called.
    wanted
        How to grade.
    on_progress
        Is told what is being done.

    Returns
    -------
    Grade
        The verdict; after Ctrl-C with what was found until then.
    """
    with Submission(source, name, wanted.exercise, wanted.limits) as submission:
        search = _Search(submission, wanted, on_progress)
        try:
            search.find()
            search.make_smaller()
        except KeyboardInterrupt:
            search.interrupted = True
        return search.grade(name)


@dataclass
class _Found:
    """A failing problem; `shrunk` once it was made smaller."""

    number: int
    document: Document
    failure: Failure
    shrunk: Shrunk | None = None


@dataclass
class _Search:
    """The state of one grading."""

    submission: Submission
    wanted: Wanted
    on_progress: OnProgress
    asked: int = 0
    found: list[_Found] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    interrupted: bool = False
    _seconds: float = 0.0

    def find(self) -> None:
        """Ask hidden problems until enough have failed or the time is over."""
        wanted, exercise = self.wanted, self.wanted.exercise
        self._seconds = wanted.limits.per_instance
        until = time.monotonic() + wanted.limits.time
        time_outs = 0
        for number in range(1, wanted.instances + 1):
            if time.monotonic() > until:
                self.notes.append(
                    f"only {self.asked} of {wanted.instances} instances in {wanted.limits.time:g} s"
                )
                return
            self.on_progress(f"instance {number} of {wanted.instances}")
            if number == 1:
                document = exercise.first()
            else:
                rng = Random(f"{wanted.seed}:{wanted.domain}:{number}")
                document = {**exercise.draw(rng, wanted.domain)}
            failure = self._fails(document, must_be_formed=number == 1)
            self.asked = number
            if failure is not None:
                self.found.append(_Found(number, document, failure))
                time_outs += failure.kind == TIME_OUT
            if len(self.found) >= MOST_FAILURES or time_outs >= FEW_TIME_OUTS:
                return

    def make_smaller(self) -> None:
        """Make the failing problems smaller, each as far as one move after the other gets."""
        wanted, exercise = self.wanted, self.wanted.exercise
        until = time.monotonic() + wanted.limits.time
        slow = any(one.failure.kind == TIME_OUT for one in self.found)
        if slow:
            self._seconds = min(QUICK, wanted.limits.per_instance)
            self.notes.append(
                f"while instances are made smaller, an answer may take {self._seconds:g} s, and "
                f"{MOST_TIME_OUTS} may take longer"
            )
        done = set()
        for one in self.found:
            if one.failure.kind in COSTLY and one.failure.kind in done:
                continue
            self.on_progress(f"making instance {one.number} smaller")
            shrunk = shrink(one.document, one.failure, exercise, wanted.domain, self._fails, until)
            if shrunk.failure.kind == TIME_OUT:
                shrunk = self._confirmed(shrunk, one)
            one.shrunk = shrunk
            done.add(one.failure.kind)

    def grade(self, name: str) -> Grade:
        """The verdict so far."""
        findings: dict[str, Finding] = {}
        size = self.wanted.exercise.size
        for one in self.found:
            before = size(one.document)
            last = one.shrunk or Shrunk(one.document, one.failure, before, 0, False)
            kind = one.failure.kind
            if kind not in findings or last.size < findings[kind].size:
                findings[kind] = Finding(
                    one.number,
                    last.document,
                    last.failure,
                    before,
                    last.size,
                    last.trials,
                    last.minimal,
                )
        if self.interrupted:
            self.notes.append("interrupted: this is what was found until then")
        if self.submission.missing:
            self.notes.append(
                f"this system does not limit {', '.join(self.submission.missing)} of the file"
            )
        return Grade(
            name,
            self.wanted.exercise.name,
            self.wanted.domain,
            self.asked,
            len(self.found),
            tuple(sorted(findings.values(), key=lambda finding: finding.size)),
            (*self.notes, SAFETY),
            self.interrupted,
        )

    def _confirmed(self, shrunk: Shrunk, one: _Found) -> Shrunk:
        """The smaller problem if it has no answer in the whole time either, else the first one."""
        self._seconds, quick = self.wanted.limits.per_instance, self._seconds
        failure = self._fails(shrunk.document)
        self._seconds = quick
        if failure is not None and failure.kind == TIME_OUT:
            return Shrunk(shrunk.document, failure, shrunk.size, shrunk.trials, shrunk.minimal)
        size = self.wanted.exercise.size(one.document)
        return Shrunk(one.document, one.failure, size, shrunk.trials, False)

    def _fails(self, document: Document, must_be_formed: bool = False) -> Failure | None:
        try:
            return self.wanted.exercise.judge(document, self._ask, self.wanted.demands)
        except Malformed as problem:
            if must_be_formed:
                raise InputError(f"{self.submission.name}: {problem}") from None
            return Failure(NO_ANSWER, str(problem))

    def _ask(self, document: Document) -> Answer:
        return self.submission.ask(document, self._seconds)
