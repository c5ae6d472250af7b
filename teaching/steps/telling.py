"""What recorders share: numbers of sentences are kept as facts, and few candidates are shown."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ...core.wording import number, sentences
from .record import Candidate, Fact


class FactKeeper:
    """What a step says, and the numbers that its sentences name, kept as its facts.

    Sentences get their numbers from here only, so that each of them stands in the step's data.
    """

    def __init__(self) -> None:
        self.facts: dict[str, Fact] = {}
        self.said: list[str] = []

    @property
    def text(self) -> str:
        return sentences(*self.said)

    def say(self, sentence: str) -> None:
        """Say a sentence, given without its full stop."""
        self.said.append(sentence)

    def seconds(self, name: str, value: float) -> str:
        """Keep a time (s), and write it."""
        return f"{self.number(name, value)} s"

    def number(self, name: str, value: float) -> str:
        """Keep a number, and write it."""
        self.facts[name] = value if math.isfinite(value) else number(value)
        return number(value)

    def name(self, what: str, value: str) -> str:
        """Keep a name, and give it back."""
        self.facts[what] = value
        return value


def few(
    candidates: Sequence[Candidate],
    chosen: int | None = None,
    loser: int | None = None,
    most: int = 12,
) -> dict[str, Any]:
    """Fields of a step: as many candidates as are shown, the first ones, the chosen, the loser."""
    needed = {place for place in (chosen, loser) if place is not None}
    places = sorted({*range(min(len(candidates), most - len(needed))), *needed})
    return {
        "candidates": tuple(candidates[place] for place in places),
        "chosen": None if chosen is None else places.index(chosen),
        "loser": None if loser is None else places.index(loser),
        "left_out": len(candidates) - len(places),
    }
