"""What [SMSO] leaves open, and how it is read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from ...instances.advice import need_choice
from ...instances.parameters import described

THETA = 1.2
"""Load threshold of the paper."""

Theta = Annotated[float, described("Load threshold over the mean load.", least=0)]
Load = Literal["seconds", "tasks"]
Data = Literal["near", "ignored"]
Reduces = Literal["stay", "again"]

LOADS: tuple[Load, ...] = ("seconds", "tasks")
DATA: tuple[Data, ...] = ("near", "ignored")
REDUCES: tuple[Reduces, ...] = ("stay", "again")


@dataclass(frozen=True)
class Reading:
    """How to read the paper where it leaves something open.

    Parameters
    ----------
    theta
        Load threshold, over the mean load of a slot.
    load
        What the load of a slot is: the processing times of its map tasks, or their number.
    data
        Whether map tasks look for slots near their data, below the threshold, or for the allowed
        slot with the least load wherever the data is.
    reduces
        Whether reduce tasks stay on the slots that are left after an outage, or are all placed
        again.

    Raises
    ------
    InputError
        For other values.
    """

    theta: float = THETA
    load: Load = "seconds"
    data: Data = "near"
    reduces: Reduces = "stay"

    def __post_init__(self) -> None:
        need_choice("load", self.load, LOADS)
        need_choice("data", self.data, DATA)
        need_choice("reduces", self.reduces, REDUCES)


USUAL = Reading()
"""The paper's text: loads in seconds, near the data, reduce tasks stay."""
