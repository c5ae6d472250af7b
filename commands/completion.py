"""Completion of the command line by a shell: names of methods and examples, beside the options.

A shell asks by calling the program with a variable in its environment; nothing here runs otherwise.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from contextlib import redirect_stdout
from dataclasses import dataclass
from io import StringIO
from typing import Any

from ..core.files.examples import PREFIX, examples
from ..core.registry import Entry, Registry
from ..experiments.reproduction.registry import known_names
from ..formulations import FORMULATIONS
from ..heuristics.datacenter import POLICIES
from ..heuristics.hierarchy import ALLOCATORS
from ..heuristics.mapreduce import HEURISTICS
from ..instances.exporters import EXPORTERS
from ..reports.catalogue import KINDS
from ..reports.documents.formats import FORMATS
from ..solvers.mapreduce import METHODS
from ..teaching.steps import RECORDERS
from .file_rules import path_parameters
from .list_ import FILES


@dataclass(frozen=True)
class Word:
    """A word that a shell may offer, in the form that typer's own have."""

    value: str
    help: str
    type: str = "plain"


Offer = Callable[[], list[Word]]


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
    """Tell the parameters of a command, and of those below it that are typed, what to offer."""
    below = getattr(command, "commands", {})
    for name in typed.intersection(below):
        _teach(below[name], typed)
    inputs = {name for name, (_, mark) in _paths(command).items() if mark is None}
    for parameter in command.params:
        offer = OFFERS.get((command.name, parameter.name))
        if offer is not None:
            parameter.shell_complete = _completing(offer)
        elif parameter.name in inputs:
            parameter.shell_complete = _begun_examples


def _paths(command: Any) -> dict[str, Any]:
    is_group = hasattr(command, "commands") or command.callback is None
    return {} if is_group else path_parameters(command.callback)


def _completing(offer: Offer) -> Callable[[Any, str], list[Word]]:
    """The words that begin as typed."""

    def complete(context: Any, typed: str) -> list[Word]:
        return [word for word in offer() if word.value.startswith(typed)]

    return complete


def _begun_examples(context: Any, typed: str) -> list[Word]:
    """Examples once they are begun; a shell that is offered nothing offers files."""
    return [word for word in _examples() if typed and word.value.startswith(typed)]


def _names(entries: Iterable[Entry]) -> Offer:
    return lambda: [Word(entry.name, entry.summary) for entry in entries]


def _exercises() -> list[Word]:
    from ..teaching.exercises.catalogue import EXERCISES

    return [Word(exercise.name, exercise.write) for exercise in EXERCISES]


def _examples() -> list[Word]:
    return [Word(PREFIX + example.name, example.about) for example in examples()]


REGISTRIES: dict[tuple[str, str], Registry] = {
    ("heuristic", "name"): HEURISTICS,
    ("gap", "heuristic"): HEURISTICS,
    ("solve", "method"): METHODS,
    ("explain", "model"): FORMULATIONS,
    ("lesson", "model"): FORMULATIONS,
    ("simulate", "policy"): POLICIES,
    ("simulate", "against"): POLICIES,
    ("fair", "method"): ALLOCATORS,
    ("fair", "export"): EXPORTERS,
}
"""Where the names are from that a parameter takes, by the command and the parameter."""

OFFERS: dict[tuple[str, str], Offer] = {
    **{place: _names(registry) for place, registry in REGISTRIES.items()},
    ("steps", "method"): lambda: [Word(name, "step by step") for name in RECORDERS],
    ("reproduce", "names"): lambda: [Word(name, "") for name in known_names()],
    ("list", "kind"): lambda: [Word(kind, "") for kind in (*KINDS, *FILES)],
    ("list", "name"): lambda: [
        *(Word(example.name, example.about) for example in examples()),
        *(Word(known.name, known.thing) for known in FORMATS),
    ],
    ("grade", "exercise"): lambda: _exercises(),
    ("grade", "start"): lambda: _exercises(),
    ("report", "folder"): lambda: [],  # a folder, of which there are no examples
}
"""What commands offer, by their name and that of the parameter."""


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
