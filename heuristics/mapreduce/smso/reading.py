"""What [SMSO] leaves open, and how it is read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from ....core.calls import check_fields
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


@dataclass(frozen=True)
class Reading:
    """How to read the paper where it leaves something open.

    Raises `InputError` for other values.
    """

    theta: Theta = THETA
    load: Load = "seconds"
    data: Data = "near"
    reduces: Reduces = "stay"

    def __post_init__(self) -> None:
        check_fields("reading", self)


USUAL = Reading()
"""The paper's text: loads in seconds, near the data, reduce tasks stay."""
