"""`rank`: from a table of results to the tests between its methods."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ...core.advice import did_you_mean
from ...core.arrays import FloatArray
from ...core.calls import checked
from ...core.errors import InputError, one_line
from ...core.files.inputs import read_bytes
from ...reports.dataframes import BEST, columns_of
from ...solvers.mapreduce.comparison import Comparison
from ..engine.tables import read_runs
from .ranks import LEVEL, Ranking, check_library, ranking_of
from .runs import Runs

if TYPE_CHECKING:
    import pandas as pd

VALUE, METHOD, INSTANCE, KIND = "gap", "method", "instance", "kind"
PARQUET = b"PAR1"
"""How a Parquet file begins."""


@checked
def rank(
    table: str | Path | pd.DataFrame | Sequence[Comparison],
    value: str = VALUE,
    *,
    methods: Sequence[str] | None = None,
    level: float = LEVEL,
) -> Ranking:
    """Test whether methods differ, on the same instances, each of which is a block.

    Friedman's test says whether any differ, Nemenyi's which mean ranks do, Wilcoxon's signed ranks
    with Holm's correction which pairs do. Instances on which a method has no value are left out.

    Parameters
    ----------
    table
        What `gap` has returned of several instances; or the table of `slotwise gap -o` (CSV or
        Parquet), the folder of a campaign, or a `DataFrame`: a row for each result, with columns
        `instance`, `method` and the value.
    value
        The column to compare by; less is better.
    methods
        Those to compare, by default all.
    level
        The level of significance.

    Returns
    -------
    Ranking
        Mean ranks, tests, a table and the critical-difference diagram.

    Raises
    ------
    InputError
        If the table cannot be read, has two rows of one method and instance, too few methods or
        instances, or the libraries of the extra `experiments` are missing.
    """
    check_library()
    frame = _frame(table)
    place = f"{table}: " if isinstance(table, str | Path) else ""
    for name in (INSTANCE, METHOD, value):
        if name not in frame.columns:
            known = [str(column) for column in frame.columns]
            guess = did_you_mean(name, known)
            raise InputError(f"{place}has no column {name!r}: {guess}its are {', '.join(known)}")
    names, values, left_out = _blocks(frame, value, methods, place)
    try:
        return ranking_of(names, values, level=level, value=value, left_out=left_out)
    except InputError as error:
        raise InputError(f"{place}{error}") from None


def _frame(table: str | Path | pd.DataFrame | Sequence[Comparison]) -> pd.DataFrame:
    import pandas as pd

    if isinstance(table, pd.DataFrame):
        return table
    if not isinstance(table, str | Path):
        if not table or not all(isinstance(one, Comparison) for one in table):
            raise InputError("rank: needs a table, or what gap has returned of several instances")
        return pd.concat([pd.DataFrame(columns_of(one)) for one in table], ignore_index=True)
    path = Path(table)
    if path.is_dir():
        runs = Runs(read_runs(path))
        return runs.frame.assign(method=runs.variant, instance=runs.problem, gap=runs.gap)
    content = read_bytes(path)
    read = pd.read_parquet if content.startswith(PARQUET) else pd.read_csv
    try:
        found: pd.DataFrame = read(BytesIO(content))
        return found
    except (OSError, ValueError) as failure:
        raise InputError(
            f"{path}: need a table (CSV or Parquet) or the folder of a campaign: "
            f"{one_line(str(failure))}"
        ) from None


def _blocks(
    frame: pd.DataFrame, value: str, methods: Sequence[str] | None, place: str
) -> tuple[list[str], FloatArray, int]:
    """Methods, a row of values for each instance, and how many instances lack one."""
    import pandas as pd

    is_best = frame[KIND] == BEST if KIND in frame.columns else pd.Series(False, frame.index)
    frame = pd.DataFrame(
        {
            METHOD: frame[METHOD].astype(str),
            INSTANCE: frame[INSTANCE].astype(str),
            "file": _files(frame[INSTANCE].astype(str), is_best),
            "value": pd.to_numeric(frame[value], errors="coerce"),
        }
    )[~is_best]
    names = list(dict.fromkeys(frame[METHOD]))
    if methods is not None:
        for name in methods:
            if name not in names:
                guess = did_you_mean(name, names)
                raise InputError(f"{place}no method {name!r}: {guess}its are {', '.join(names)}")
        names = list(dict.fromkeys(methods))
        frame = frame[frame[METHOD].isin(names)]
    twice = frame[frame.duplicated([METHOD, INSTANCE, "file"])]
    for method, instance in zip(twice[METHOD], twice[INSTANCE], strict=True):
        raise InputError(
            f"{place}two rows of method {method!r} on instance {instance!r}: leave one out, or "
            "write what tells them apart into the method's name; of a campaign name the folder"
        )
    wide = frame.pivot(index=[INSTANCE, "file"], columns=METHOD, values="value")[names]
    whole = wide[np.isfinite(wide).all(axis=1)]
    return names, whole.to_numpy(float), len(wide) - len(whole)


def _files(instance: pd.Series, is_best: pd.Series) -> pd.Series:
    """Which of several files of one name each row is about: in what `gap` writes, the row of the
    best ends those of a file."""
    ends = is_best.astype(int).groupby(instance)
    return ends.cumsum().clip(upper=ends.transform("sum") - 1)
