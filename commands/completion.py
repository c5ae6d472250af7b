"""Completion of the command line by a shell: names of methods and examples, beside the options.

A shell asks by calling the program with a variable in its environment. What a parameter takes is
said where it is declared (typer's `autocompletion`); of files, examples are offered once begun.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from contextlib import redirect_stdout
from functools import cache
from io import StringIO
from typing import Any, NamedTuple

from ..core.files.examples import PREFIX, examples


class Word(NamedTuple):
    """A word that a shell may offer, in the form that typer's own have."""

    value: str
    help: str
    type: str = "plain"


def begun_examples(context: Any, typed: str) -> list[Word]:
    """Examples once they are begun; a shell that is offered nothing offers files."""
    words = [Word(PREFIX + example.name, example.about) for example in examples()]
    return [word for word in words if typed and word.value.startswith(typed)]


def answer(root: Any, arguments: list[str]) -> None:
    """Print the words that a shell may offer, and exit."""
    typed = f"{os.environ.get('COMP_WORDS', '')} {os.environ.get('_TYPER_COMPLETE_ARGS', '')}"
    _teach(root, set(typed.split()))
    for_bash, begun = "COMP_WORDS" in os.environ, _join_examples()
    words = StringIO()
    try:
        with redirect_stdout(words):
            root.main(args=arguments, prog_name="slotwise")
    finally:
        for line in words.getvalue().splitlines():
            word = line.removeprefix(PREFIX) if begun else line
            print(word.replace(" ", r"\ ") if for_bash else word)


def _teach(command: Any, typed: set[str]) -> None:
    below = getattr(command, "commands", {})
    for name in typed.intersection(below):
        _teach(below[name], typed)
    for parameter in command.params:
        offer = _offers().get((command.name, parameter.name))
        if offer is not None:
            parameter.shell_complete = _completing(offer)


def _completing(offer: Callable[[], list[Word]]) -> Callable[[Any, str], list[Word]]:
    return lambda context, typed: [word for word in offer() if word.value.startswith(typed)]


def _names(entries: Iterable[Any]) -> Callable[[], list[Word]]:
    return lambda: [Word(entry.name, entry.summary) for entry in entries]


def _exercises() -> list[Word]:
    from ..teaching.exercises.catalogue import EXERCISES

    return [Word(exercise.name, exercise.write) for exercise in EXERCISES]


@cache
def _offers() -> dict[tuple[str, str], Callable[[], list[Word]]]:
    """What commands offer whose declarations do not say it, by their name and the parameter's."""
    from ..experiments.reproduction.registry import known_names
    from ..formulations import FORMULATIONS
    from ..heuristics.datacenter import POLICIES
    from ..heuristics.hierarchy import ALLOCATORS
    from ..instances.exporters import EXPORTERS
    from ..teaching.steps import RECORDERS

    return {
        ("lesson", "model"): _names(FORMULATIONS),
        ("simulate", "policy"): _names(POLICIES),
        ("simulate", "against"): _names(POLICIES),
        ("fair", "method"): _names(ALLOCATORS),
        ("fair", "export"): _names(EXPORTERS),
        ("steps", "method"): lambda: [Word(name, "step by step") for name in RECORDERS],
        ("reproduce", "names"): lambda: [Word(name, "") for name in known_names()],
        ("grade", "exercise"): lambda: _exercises(),
        ("grade", "start"): lambda: _exercises(),
        ("report", "folder"): lambda: [],  # a folder, of which there are no examples
    }


def _join_examples() -> bool:
    """Make one word again of `example:NAME`, which bash takes apart at the colon.

    Tells whether the word to complete is one whose prefix bash has set apart.
    """
    words = os.environ.get("COMP_WORDS", "").split("\n")
    asked = int(os.environ.get("COMP_CWORD") or 0)
    joined: list[str] = []
    place = 0
    for k, word in enumerate(words):
        if (joined and joined[-1] + word == PREFIX) or joined[-1:] == [PREFIX]:
            joined[-1] += word
        else:
            joined.append(word)
        if k == asked:
            place = len(joined) - 1
    if len(joined) == len(words):
        return False
    os.environ |= {"COMP_WORDS": "\n".join(joined), "COMP_CWORD": str(place)}
    return joined[place].startswith(PREFIX)
