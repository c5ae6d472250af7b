"""Lists of candidates."""

from __future__ import annotations

from collections.abc import Sequence

from ..record import Candidate

MOST_SHOWN = 5
"""Candidates of a step that are shown; it says how many more there are."""


def shortened(
    candidates: Sequence[Candidate], keep: Sequence[int], most: int = MOST_SHOWN
) -> tuple[tuple[Candidate, ...], list[int], int]:
    """The first candidates, those that a sentence names among them.

    `keep`: numbers of those that must be there.
    Returns those that are shown, where those of `keep` are among them, and how many are left out.
    """
    others = [i for i in range(len(candidates)) if i not in keep]
    shown = sorted([*set(keep), *others[: max(0, most - len(set(keep)))]])
    places = [shown.index(i) for i in keep]
    return tuple(candidates[i] for i in shown), places, len(candidates) - len(shown)
