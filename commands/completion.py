"""Completion of the command line by a shell: names of methods and examples, beside the options.

A shell asks by calling the program with a variable in its environment. What a parameter takes is
said where it is declared (typer's `autocompletion`); of files, examples are offered once begun.
"""

from __future__ import annotations

import os
from contextlib import redirect_stdout
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
    for_bash, begun = "COMP_WORDS" in os.environ, _join_examples()
    words = StringIO()
    try:
        with redirect_stdout(words):
            root.main(args=arguments, prog_name="slotwise")
    finally:
        for line in words.getvalue().splitlines():
            word = line.removeprefix(PREFIX) if begun else line
            print(word.replace(" ", r"\ ") if for_bash else word)


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
