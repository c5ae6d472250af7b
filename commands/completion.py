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

import typer

from ..experiments.reproduction.registry import known_names
from ..formulations import FORMULATIONS
from ..heuristics import HEURISTICS
from ..heuristics.dispatch import POLICIES
from ..heuristics.fairness import ALLOCATORS
from ..instances.examples import EXAMPLES, PREFIX
from ..instances.exporters import EXPORTERS
from ..instances.registry import Entry, Registry
from ..report.catalogue import KINDS
from ..report.documents.formats import FORMATS
from ..solvers import METHODS
from ..teaching.steps import RECORDERS
from .file_rules import path_parameters


@dataclass(frozen=True)
class Word:
    """A word that a shell may offer, in the form that typer's own have."""

    value: str
    help: str
    type: str = "plain"


Offer = Callable[[], list[Word]]


def answer(app: typer.Typer, arguments: list[str]) -> None:
    """Print the words that a shell may offer, and exit."""
    root = typer.main.get_command(app)
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
            parameter.shell_complete = _completing(_examples, PREFIX[0])


def _paths(command: Any) -> dict[str, Any]:
    is_group = hasattr(command, "commands") or command.callback is None
    return {} if is_group else path_parameters(command.callback)


def _completing(offer: Offer, begin: str = "") -> Callable[[Any, str], list[Word]]:
    """The words that begin as typed; none, for which shells offer files, before `begin` is."""

    def complete(context: Any, typed: str) -> list[Word]:
        if not typed.startswith(begin):
            return []
        return [word for word in offer() if word.value.startswith(typed)]

    return complete


def _names(entries: Iterable[Entry]) -> Offer:
    return lambda: [Word(entry.name, entry.summary) for entry in entries]


def _method(name: str) -> Word:
    return Word(name, "step by step")


def _examples() -> list[Word]:
    return [Word(PREFIX + example.name, example.about) for example in EXAMPLES]


REGISTRIES: dict[tuple[str, str], Registry] = {
    ("heuristic", "name"): HEURISTICS,
    ("solve", "method"): METHODS,
    ("explain", "model"): FORMULATIONS,
    ("simulate", "policy"): POLICIES,
    ("simulate", "against"): POLICIES,
    ("fair", "method"): ALLOCATORS,
    ("fair", "export"): EXPORTERS,
    ("guide", "export"): EXPORTERS,
}
"""Where the names are from that a parameter takes, by the command and the parameter."""

OFFERS: dict[tuple[str, str], Offer] = {
    **{place: _names(registry) for place, registry in REGISTRIES.items()},
    ("explain", "model"): lambda: [*_names(FORMULATIONS)(), *map(_method, RECORDERS)],
    ("examples", "name"): lambda: [Word(example.name, example.about) for example in EXAMPLES],
    ("reproduce", "names"): lambda: [Word(name, "") for name in known_names()],
    ("list", "kind"): lambda: [Word(kind, "") for kind in KINDS],
    ("schema", "name"): lambda: [Word(known.name, known.thing) for known in FORMATS],
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
