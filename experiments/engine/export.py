"""The tables of a folder as files, and a folder's tables as a data frame."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from ...core.calls import checked
from ...core.errors import InputError
from ...core.files.outputs import write_bytes
from ..study.study import Study
from .record import Record
from .store import NAME, Store
from .tables import results_frame, times_frame

if TYPE_CHECKING:
    import pandas as pd

RESULTS, TIMES = "results", "times"


def export(study: Study, records: Mapping[str, Record], folder: Path) -> None:
    """Write `results` and `times`, each as Parquet and as CSV, whole or not at all.

    The same study and records make the same bytes, whatever the order of the records.
    """
    frames = {RESULTS: results_frame(study, records), TIMES: times_frame(study, records)}
    for name, frame in frames.items():
        write_bytes(folder / f"{name}.parquet", _parquet(frame))
        write_bytes(folder / f"{name}.csv", frame.to_csv(index=False, lineterminator="\n").encode())


def exported_again(
    study: Study, folder: Path, on_note: Callable[[str], None]
) -> Mapping[str, Record]:
    """Write the tables of a folder again, and return its records. Raises `InputError`."""
    check_libraries()
    if not (folder / NAME).is_file():
        raise InputError(f"{folder}: has no {NAME}, which the tables are made of")
    with Store(folder) as store:
        if store.damage:
            on_note(store.damage)
        export(study, store.records, folder)
        return store.records


@checked
def read_runs(folder: str | Path) -> pd.DataFrame:
    """The results of a campaign, with their times.

    Parameters
    ----------
    folder
        The folder of the campaign.

    Returns
    -------
    pandas.DataFrame
        One row for each run that has ended, in the order of the study. The columns are those of
        `results.parquet`, then those of `times.parquet`.

    Raises
    ------
    InputError
        If the folder has no tables, or pandas is not installed.
    """
    check_libraries()
    import pandas as pd

    folder = Path(folder)
    paths = [folder / f"{name}.parquet" for name in (RESULTS, TIMES)]
    if not all(path.is_file() for path in paths):
        what = "is no folder" if not folder.is_dir() else "has no results of a campaign"
        raise InputError(f"{folder}: {what}")
    try:
        results, times = (pd.read_parquet(path) for path in paths)
    except (OSError, ValueError) as failure:
        raise InputError(f"{folder}: its tables cannot be read: {failure}") from None
    return results.merge(times, on="run")


def check_libraries() -> None:
    """Raise `InputError` if the libraries of campaigns are not installed."""
    for name in ("joblib", "pandas", "pyarrow", "scipy"):
        if find_spec(name) is None:
            raise InputError(
                f"campaigns need {name}, which is not installed: "
                "pip install 'slotwise[experiments]'"
            )


def _parquet(frame: pd.DataFrame) -> bytes:
    buffer = io.BytesIO()
    frame.to_parquet(
        buffer, engine="pyarrow", index=False, compression="zstd", row_group_size=1 << 20
    )
    return buffer.getvalue()
