"""What an exercise is made of: hidden problems, a judge, and how answers fail."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from random import Random
from typing import Any, Literal

Document = dict[str, Any]
"""A hidden problem as plain data."""

TIME_OUT = "no answer in time"
ENDED = "ended its process"
DIFFERENT = "two runs differ"
REMEMBERS = "it remembers earlier calls"


@dataclass(frozen=True)
class Answer:
    """What a submission said to one question."""

    how: Literal["value", "error", "time-out", "ended", "unfit"]
    """A value, an exception, no answer in time, the end of its process, or a value of a type that
    is no part of an answer."""
    value: Any = None
    error: str = ""
    """Name of the exception."""
    text: str = ""
    """In words what went wrong."""


Ask = Callable[[Document], Answer]
"""Puts a question to the submission."""


@dataclass(frozen=True)
class Failure:
    """How an answer to one problem is wrong: the sort of mistake, and its numbers in words.

    `answer`, `right` and `again` are what the submission said, a right answer, and what it said
    when it was asked once more, if that is another; `broken` names the tasks or jobs concerned.
    """

    kind: str
    text: str
    answer: Any = None
    right: Any = None
    broken: tuple[str, ...] = ()
    again: Any = None


class Malformed(Exception):
    """An answer that is none of this exercise; the message says what is missing."""


@dataclass(frozen=True)
class Demands:
    """What is asked of an answer beyond being right.

    Parameters
    ----------
    at_most
        A heuristic's makespan over that of EFSS.
    not_below
        Name of a bound that a bound must reach.
    """

    at_most: float | None = None
    not_below: str | None = None


@dataclass(frozen=True)
class Limits:
    """How long and with what a submission may work.

    Parameters
    ----------
    time
        Wall time (s) for the hidden instances, and as much again for making failing ones smaller.
    per_instance
        Processor time (s) for one answer; on the clock it may take three times as long.
    memory
        Address space (bytes).
    slotwise
        Whether it may import slotwise.
    """

    time: float = 60.0
    per_instance: float = 2.0
    memory: int = 2_000_000_000
    slotwise: bool = True


@dataclass(frozen=True)
class Problems:
    """Hidden problems: how they are drawn, and what makes one small.

    `domains` are the rules that they may keep, the default first, each with its meaning. `first` is
    the first problem, the same in every domain, `draw` makes a random one of a domain, and `inside`
    says whether a problem belongs to a domain. `counts` says what there is in a problem, compared
    from left to right; `repair` makes parts fit together again that a change has torn apart.
    """

    domains: Mapping[str, str]
    first: Callable[[], Document]
    draw: Callable[[Random, str], Document]
    inside: Callable[[Document, str], bool]
    counts: Callable[[Document], tuple[float, ...]]
    repair: Callable[[Document], None]


@dataclass(frozen=True)
class Question:
    """A problem, a right answer to it, and what is asked; a judge may put more questions."""

    document: Document
    right: Any
    demands: Demands
    ask: Ask


@dataclass(frozen=True)
class Exercise:
    """An exercise.

    The file defines one of the names in `defines`, which is a `sort`; module `child` of the child
    process calls it. `write` and `fails_if` say what to write and when an answer is wrong. `right`
    gives a right answer, `judge` says what is wrong with the value of an answer. `shown` is what is
    shown of a value if the same question can have two answers; None to ask once.
    """

    name: str
    defines: tuple[str, ...]
    write: str
    fails_if: str
    problems: Problems
    right: Callable[[Document], Any]
    judge: Callable[[Question, Any], Failure | None]
    shown: Callable[[Document, Any], Any] | None = None
    sort: str = "function"
    child: str = "functions"

    @property
    def start(self) -> str:
        """Name of the example to begin with."""
        return f"exercise-{self.name}"

    @property
    def domains(self) -> Mapping[str, str]:
        """The rules that hidden problems may keep, the default first, each with its meaning."""
        return self.problems.domains


def judged(exercise: Exercise, document: Document, ask: Ask, demands: Demands) -> Failure | None:
    """What is wrong with the answer to a problem. Raises `Malformed` for a value of no use."""
    right = exercise.right(document)
    question = Question(document, right, demands, ask)
    answer = ask(document)
    failure = failed_to_answer(answer) or exercise.judge(question, answer.value)
    if failure is None and exercise.shown is not None:
        again = ask(document)
        failure = failed_to_answer(again)
        if failure is None and again.value != answer.value:
            first, second = (exercise.shown(document, each.value) for each in (answer, again))
            text = "the same instance was asked twice and the answers differ"
            failure = Failure(DIFFERENT, text, first, again=second)
    return failure and replace(failure, right=right)


def failed_to_answer(answer: Answer) -> Failure | None:
    """What is wrong if there is no value to judge. Raises `Malformed` for a value of no use."""
    if answer.how == "unfit":
        raise Malformed(answer.text)
    if answer.how == "error":
        return Failure(f"raises {answer.error}", answer.text)
    if answer.how == "time-out":
        return Failure(TIME_OUT, answer.text)
    if answer.how == "ended":
        return Failure(ENDED, answer.text)
    return None
