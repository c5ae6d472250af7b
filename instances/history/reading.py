"""Any history as a run."""

from __future__ import annotations

from pathlib import Path

from .hadoop.rumen import read_rumen_run
from .run import Run
from .spark.reader import read_spark_log


def read_history(path: str | Path) -> Run:
    """The run that a file or a folder of one application tells of."""
    name = str(path).lower()
    if name.endswith((".json", ".json.gz")):
        return read_rumen_run(path).made
    return read_spark_log(path)
