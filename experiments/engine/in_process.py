"""A study in the present process, without a folder: for trials and small studies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..study.study import Study
from .perform import perform
from .tables import frame_of

if TYPE_CHECKING:
    import pandas as pd


def run_here(study: Study) -> pd.DataFrame:
    """Carry out a study one run after another.

    Returns what `read_runs` gives of a folder: the results with their times.
    """
    records = {record.run: record for unit in study.units for record in perform(unit)}
    return frame_of(study, records)
