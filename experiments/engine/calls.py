"""Campaigns from Python."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from ...core.calls import checked
from ...core.errors import InputError
from ...core.files.inputs import read_bytes
from ..study.study import Study
from ..study.study_file import read_study
from .backends.protocol import LostCluster
from .campaign import LOST, Options, run_study
from .export import read_runs
from .progress import shown

if TYPE_CHECKING:
    import pandas as pd

ENDING = ".runs"


@checked
def campaign(
    study: Study | str | Path,
    folder: str | Path | None = None,
    *,
    workers: int | None = None,
    dask: str | None = None,
    retry: bool = False,
    anyway: bool = False,
    quiet: bool = False,
) -> pd.DataFrame:
    """Run what a folder lacks of a study, on all cores or a cluster.

    Parameters
    ----------
    study
        A study, or the TOML file that it is in: docs/how-to/campaigns.md.
    folder
        Where runs and tables are kept; by default the name of the file or the study, with `.runs`.
    workers
        Processes side by side; by default as many as the cores allow.
    dask
        Address of a Dask scheduler, whose workers are used instead: they need the same slotwise
        and libraries, and functions of your own from an installed package.
    retry
        Run failed runs again.
    anyway
        Go on in a folder of another build of slotwise.
    quiet
        Show no progress.

    Returns
    -------
    pandas.DataFrame
        One row for each run, as `slotwise.read_runs` gives it.

    Raises
    ------
    InputError
        If the study or the folder cannot be used, or the disk is full. What has ended is kept.
    KeyboardInterrupt
        After Ctrl-C. What has ended is kept, and the next call goes on from there.
    LostCluster
        If the Dask scheduler is gone. What has ended is kept.
    """
    file = None
    if not isinstance(study, Study):
        path = Path(study)
        file, study = read_bytes(path), read_study(path)
        folder = path.with_suffix(ENDING) if folder is None else folder
    if folder is None:
        folder = re.sub(r"[^\w.-]+", "-", study.name).strip("-") + ENDING
    with shown(hidden=quiet) as progress:
        options = Options(workers, dask, retry, anyway, file, progress)
        ended = run_study(study, Path(folder), options)
    if ended.interrupted:
        raise KeyboardInterrupt
    if ended.reason:
        raise (LostCluster if ended.how == LOST else InputError)(ended.reason)
    return read_runs(folder)
