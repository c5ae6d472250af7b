"""Tables as files: CSV, Parquet and LaTeX."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ..core.errors import InputError
from ..core.files.outputs import write_bytes
from .latex import booktabs
from .plots import TABLE

Table = Mapping[str, Sequence[Any]]


def is_table(path: Path | None) -> bool:
    """Whether a file is to be a table, by its ending. Raises `InputError` if it cannot be."""
    if path is None or path.suffix not in TABLE:
        return False
    if path.suffix == ".parquet":
        for name in ("pandas", "pyarrow"):
            if find_spec(name) is None:
                raise InputError(
                    f"{path}: Parquet needs {name}, which is not installed: "
                    "pip install 'slotwise[experiments]', or give a name ending in .csv"
                )
    return True


def write_table(columns: Table, path: Path, latex: str | None = None) -> None:
    """Write a table whole or not at all, as its ending says.

    `latex`: what is written to a `.tex`, by default all columns.
    """
    if path.suffix == ".tex":
        content = (latex or booktabs(columns)).encode()
    elif path.suffix == ".csv":
        stream = io.StringIO()
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(
            ["" if value is None else value for value in row]
            for row in zip(*columns.values(), strict=True)
        )
        content = stream.getvalue().encode()
    else:
        content = _parquet(columns)
    write_bytes(path, content)


def _parquet(columns: Table) -> bytes:
    import pandas as pd

    stream = io.BytesIO()
    pd.DataFrame(columns).to_parquet(stream, engine="pyarrow", index=False)
    return stream.getvalue()
