"""What an exercise is made of: a rule for hidden problems, a judge, and how answers fail."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
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
    """How an answer to one problem is wrong.

    Parameters
    ----------
    kind
        The sort of mistake, in some words. A smaller problem must fail in the same way.
    text
        What is wrong, with its numbers.
    answer
        What the submission said, as far as it can be shown.
    right
        A right answer.
    broken
        Names of the tasks or jobs that the mistake is about.
    again
        What the submission said when it was asked once more, if that is another answer.
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


Judge = Callable[[Document, Ask, Demands], Failure | None]


@dataclass(frozen=True)
class Exercise:
    """An exercise.

    Parameters
    ----------
    name
        Its name.
    defines
        Names of which the file defines one.
    sort
        What those are, in a word.
    write
        What to write, for people.
    fails_if
        When an answer is wrong, for people.
    start
        Name of the example to begin with.
    domains
        The rules that hidden problems may keep, the default first, each with its meaning.
    child
        Module of the child process that calls the submission.
    first, draw
        The first problem, the same in every domain, and a random one of a domain.
    judge
        Says what is wrong with an answer.
    moves
        Smaller problems, what to try first in front; some are outside the domain.
    inside
        Whether a problem belongs to a domain.
    size
        What makes a problem small, compared from left to right.
    """

    name: str
    defines: tuple[str, ...]
    sort: str
    write: str
    fails_if: str
    start: str
    domains: Mapping[str, str]
    child: str
    first: Callable[[], Document]
    draw: Callable[[Random, str], Document]
    judge: Judge
    moves: Callable[[Document], Iterator[Document]]
    inside: Callable[[Document, str], bool]
    size: Callable[[Document], tuple[float, ...]]


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
