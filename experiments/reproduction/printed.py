"""What the papers print: their tables, and their claims one by one.

The files and how they were checked are in `printed/README.md`.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from io import StringIO
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

FOLDER = files(__package__) / "printed"

SIZE_OF_DESIGN = "size of design"
"""Kind of what is no claim on results, but the size of an experiment: ours is made as large."""


@dataclass(frozen=True)
class PrintedClaim:
    """A claim as the paper makes it."""

    id: str
    """Paper and number: `ljr-12`."""
    paper: str
    section: str
    item: str
    """`paper`, `section`, `item`: where it stands; the item is a figure, a table or the text."""
    kind: str
    """`number`, `ordering`, `statistic`, or `SIZE_OF_DESIGN`."""
    claim: str
    """In our words."""
    low: float | None
    high: float | None
    """`low`, `high`: what is printed, None for no limit on that side."""
    unit: str
    """Of the numbers."""


def table(name: str) -> pd.DataFrame:
    """A printed table.

    `name`: name of the file without ending: `ljr_table2`.
    """
    import pandas as pd

    return pd.read_csv(StringIO(_text(name)))


def claims(of: str = "") -> list[PrintedClaim]:
    """Claims in the order of the papers.

    `of`: a paper (`LJR`) or an item of one as it is printed (`Table 2`); empty for all.
    """
    return [claim for claim in _claims().values() if of in ("", claim.paper, claim.item)]


def printed(identifier: str) -> PrintedClaim:
    """The claim of a name. Raises `KeyError` if there is none."""
    return _claims()[identifier]


def is_size(identifier: str) -> bool:
    """Whether a name is that of the size of a design. No name of a printed claim is none."""
    return identifier in _claims() and _claims()[identifier].kind == SIZE_OF_DESIGN


@cache
def _claims() -> dict[str, PrintedClaim]:
    return {row["id"]: _claim(row) for row in csv.DictReader(StringIO(_text("claims")))}


def _text(name: str) -> str:
    return FOLDER.joinpath(f"{name}.csv").read_text("utf-8")


def _claim(row: dict[str, str]) -> PrintedClaim:
    words = {name: row[name] for name in ("id", "paper", "section", "item", "kind", "claim")}
    limits = {name: float(row[name]) if row[name] else None for name in ("low", "high")}
    return PrintedClaim(**words, **limits, unit=row["unit"])  # type: ignore[arg-type]
