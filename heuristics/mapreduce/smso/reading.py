"""What [SMSO] leaves open, and how it is read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from ....core.advice import check_choice
from ....core.parameters import described

THETA = 1.2
"""Load threshold of the paper."""

Theta = Annotated[
    float,
    described("Load threshold over the mean load of a slot; nothing if data is ignored.", least=0),
]
Load = Annotated[
    Literal["seconds", "tasks"],
    described("Load of a slot: the processing times of its map tasks, or their number."),
]
Data = Annotated[
    Literal["near", "ignored"],
    described("Map tasks go near their data, or to the allowed slot with the least load."),
]
Reduces = Annotated[
    Literal["stay", "again"],
    described("Reduce tasks stay on the slots left after an outage, or are all placed again."),
]

LOADS: tuple[Load, ...] = ("seconds", "tasks")
DATA: tuple[Data, ...] = ("near", "ignored")
REDUCES: tuple[Reduces, ...] = ("stay", "again")


@dataclass(frozen=True)
class Reading:
    """How to read the paper where it leaves something open.

    Raises `InputError` for other values.
    """

    theta: float = THETA
    """Load threshold, over the mean load of a slot."""
    load: Load = "seconds"
    """What the load of a slot is: the processing times of its map tasks, or their number."""
    data: Data = "near"
    """Whether map tasks look for slots near their data, below the threshold, or for the allowed
    slot with the least load wherever the data is."""
    reduces: Reduces = "stay"
    """Whether reduce tasks stay on the slots that are left after an outage, or are all placed
    again."""

    def __post_init__(self) -> None:
        check_choice("load", self.load, LOADS)
        check_choice("data", self.data, DATA)
        check_choice("reduces", self.reduces, REDUCES)


USUAL = Reading()
"""The paper's text: loads in seconds, near the data, reduce tasks stay."""
