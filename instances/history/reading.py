"""Any history of a cluster as a run: the format is told from the content."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ...core.advice import kind_hint
from ...core.calls.checked import checked
from ...core.errors import InputError
from ...core.files.examples import is_example
from ...core.files.inputs import STANDARD, raw_input
from ...core.files.log_lines import beginning
from ...core.files.temporaries import temporary_folder
from .run import Run

_SIGNS = (
    ("jhist", rb"Avro-(Json|Binary)\b"),
    ("spark", rb'[^\0]*?\{\s*"Event"\s*:\s*"'),
    ("history", rb'[^\0]*?"slotwise/history/\d'),
    ("rumen", rb'\[?\s*\{[^\0]*?"jobID"\s*:'),
)


@dataclass(frozen=True)
class HistoryOptions:
    """What a log does not tell; each part is only for the logs that it is about.

    Attributes
    ----------
    topology : str or Path, optional
        Rumen topology of racks and hosts; for Rumen traces and `.jhist`.
    map_slots, reduce_slots : int, optional
        Slots of every host, for Rumen traces of Hadoop 1.
    containers : int, optional
        Containers of every host, for YARN.
    """

    topology: str | Path | None = None
    map_slots: int | None = None
    reduce_slots: int | None = None
    containers: int | None = None


@checked
def read_run(path: str | Path, options: HistoryOptions | None = None) -> Run:
    """The run that a log tells of; its format is told from its content.

    Parameters
    ----------
    path : str or Path
        An event log of Spark, a `.jhist`, a Rumen trace or a file of `slotwise/history/1`. A folder
        is the log of one Spark application, or holds the `.jhist` files of one night.
    options : HistoryOptions, optional
        What the log does not tell.

    Returns
    -------
    Run
        Lines that could not be used are counted in `dropped`.

    Raises
    ------
    InputError
        For anything else, and for a log in which no task ended.
    """
    if str(path) != STANDARD and Path(path).is_fifo():
        return _read_pipe(path, options)
    return _READERS[kind_of(path)](path, options or HistoryOptions())


def _read_pipe(path: str | Path, options: HistoryOptions | None) -> Run:
    """The run of a log that comes through a pipe, whose beginning cannot be read twice."""
    with temporary_folder() as folder, raw_input(path) as pipe:
        kept = Path(folder, Path(path).name)
        with kept.open("wb") as file:
            shutil.copyfileobj(pipe, file)
        return read_run(kept, options)


def kind_of(path: str | Path) -> str:
    """`spark`, `jhist`, `rumen` or `history`. Raises `InputError` for anything else."""
    if str(path) != STANDARD and not is_example(path) and Path(path).is_dir():
        from .hadoop.jhist_run import jhist_files
        from .spark.log_files import is_log_folder

        if is_log_folder(Path(path)):
            return "spark"
        jhist_files(path)
        return "jhist"
    content = beginning(path).removeprefix(b"\xef\xbb\xbf").lstrip()
    for kind, sign in _SIGNS:
        if re.match(sign, content):
            return kind
    if re.match(r'\{\s*"name"\s*:\s*"<root>"', content.decode("utf-8", "replace")):
        raise InputError(
            f"{path}: this is a Rumen topology (a trace has jobs); give it with --topology"
        )
    raise InputError(
        f"{path}: no history: need an event log of Spark, a .jhist, a Rumen trace or "
        f"slotwise/history/1{kind_hint(content)}"
    )


def _spark(path: str | Path, _: HistoryOptions) -> Run:
    from .spark.reader import read_spark_log

    return read_spark_log(path)


def _jhist(path: str | Path, options: HistoryOptions) -> Run:
    from .hadoop.jhist_run import read_jhist

    return read_jhist(path, options.topology, containers=options.containers).made


def _rumen(path: str | Path, options: HistoryOptions) -> Run:
    from .hadoop.rumen import read_rumen_run

    return read_rumen_run(
        path,
        options.topology,
        map_slots=options.map_slots,
        reduce_slots=options.reduce_slots,
        containers=options.containers,
    ).made


def _history(path: str | Path, _: HistoryOptions) -> Run:
    from .run_file import read_run_file

    return read_run_file(path)


_READERS: dict[str, Callable[[str | Path, HistoryOptions], Run]] = {
    "spark": _spark,
    "jhist": _jhist,
    "rumen": _rumen,
    "history": _history,
}
