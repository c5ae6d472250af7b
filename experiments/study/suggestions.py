"""What messages of a study's file suggest instead of a name that is not known."""

from __future__ import annotations

from collections.abc import Iterable

from ...core.advice import did_you_mean

MOST = 12
"""Most names that a message lists."""


def or_one_of(name: str, names: Iterable[str], few: int = MOST) -> str:
    """`: did you mean 'EFSS'?`, or `: choose from …` if no name is similar and there are few.

    Returns the hint, which may be empty.
    """
    names = list(names)
    guess = did_you_mean(name, names).removeprefix("did you mean ").removesuffix("? ")
    if guess:
        return f": did you mean {guess!r}?"
    return f": choose from {', '.join(names)}" if 0 < len(names) <= few else ""
