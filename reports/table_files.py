"""Tables as files: LaTeX with the rules of the package booktabs, CSV, Parquet."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from ..core.errors import InputError
from ..core.files.outputs import check_ending, write_bytes
from .plots import TABLE

Table = Mapping[str, Sequence[Any]]

_ESCAPED = str.maketrans(
    {one: f"\\{one}" for one in "&%$#_{}"}
    | {
        "\\": r"\textbackslash{}",
        "<": "$<$",
        ">": "$>$",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "–": "--",
        "±": r"$\pm$",
        "×": r"$\times$",
        "·": r"$\cdot$",
        "…": r"\dots{}",
        "≤": r"$\le$",
        "≥": r"$\ge$",
        "−": "$-$",
        "π": r"$\pi$",
    }
)
_SPELLED = re.compile(r"<?\d[\d.]*")
DIGITS, MOST_DIGITS = 4, 9
"""Significant digits of figures, and at most where two of a column would look alike."""


def to_latex(
    thing: Any, path: str | Path | None = None, *, caption: str = "", label: str = ""
) -> str:
    r"""The table of an instance or a solution in LaTeX, for `\usepackage{booktabs}`.

    Each figure has the decimals that count in it, and stands at the point of the others.

    Parameters
    ----------
    thing
        Whatever has `to_dataframe()`, a pandas `DataFrame`, or columns by name.
    path
        A file ending in `.tex` to write it to, too.
    caption, label
        Those of a floating table, already LaTeX; without both it is a `tabular` only.

    Returns
    -------
    str
        The LaTeX.

    Raises
    ------
    InputError
        If there is no table of `thing`, or for another ending.
    OutputError
        If the file cannot be written.
    """
    if isinstance(thing, Mapping):
        columns: Table = thing
    elif type(thing).__module__.startswith("pandas."):
        columns = {str(name): values for name, values in thing.to_dict("list").items()}
    elif hasattr(thing, "printed"):
        columns = thing.printed()
    else:
        from .dataframes import columns_of  # loads solvers, which other tables do without

        columns = columns_of(thing)
    text = booktabs(columns, caption=caption, label=label)
    if path is not None:
        check_ending(path, (".tex",), "a LaTeX table")
        write_bytes(path, text.encode())
    return text


def booktabs(
    columns: Table,
    *,
    below: int = 0,
    sides: str = "",
    caption: str = "",
    label: str = "",
) -> str:
    """A table of columns that are as long as each other.

    `below`: how many of the last rows stand below a rule of their own.
    `sides`: `l` or `r` for each column, by default as its values ask for.
    """
    shown = {escaped(name): shown_column(values) for name, values in columns.items()}
    if not sides:
        for values in columns.values():  # figures, and such as `<0.001`, at the right
            there = [value for value in values if value not in (None, "")]
            figures = [_is_figure(v) or _SPELLED.fullmatch(str(v)) is not None for v in there]
            sides += "r" if there and all(figures) else "l"
    rows = [" & ".join(row) + r" \\" for row in zip(*shown.values(), strict=True)]
    middle = len(rows) - below
    lines = [
        rf"\begin{{tabular}}{{{sides}}}",
        r"\toprule",
        " & ".join(shown) + r" \\",
        r"\midrule",
        *rows[:middle],
        *([r"\midrule", *rows[middle:]] if below else []),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    if caption or label:
        head = [rf"\caption{{{caption}}}"] if caption else []
        head += [rf"\label{{{label}}}"] if label else []
        lines = [r"\begin{table}", r"\centering", *head, *lines, r"\end{table}"]
    return "\n".join(lines) + "\n"


def escaped(text: str) -> str:
    """Text as LaTeX prints it."""
    return text.translate(_ESCAPED)


def shown_column(values: Sequence[Any]) -> list[str]:
    """The cells of a column: figures that differ look different, and stand at their points."""
    figures = [float(v) for v in values if _is_figure(v) and math.isfinite(v)]
    apart = len({float(f"{v:.{MOST_DIGITS}g}") for v in figures})
    digits = DIGITS
    while digits < MOST_DIGITS and len({float(_fixed(v, digits)) for v in figures}) < apart:
        digits += 1
    most = max((_decimals(_fixed(v, digits).rstrip("0")) for v in figures), default=0)
    return [_cell(value, digits, most) for value in values]


def _is_figure(value: Any) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)


def _fixed(value: float, digits: int, most: int = 99) -> str:
    """A figure with so many significant digits, all of its whole part, `most` decimals at most."""
    behind = digits - 1 - math.floor(math.log10(abs(value))) if value else 0
    return f"{value:.{min(max(0, behind), most)}f}"


def _decimals(text: str) -> int:
    return len(text.partition(".")[2])


def _cell(value: Any, digits: int, most: int) -> str:
    """A value; a figure has room for `most` decimals."""
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if value is None or not _is_figure(value):
        return "--" if value is None else escaped(str(value))
    if not math.isfinite(value):
        return "--" if math.isnan(value) else r"$\infty$" if value > 0 else r"$-\infty$"
    text = _fixed(float(value), digits, most)
    room = ("" if "." in text else ".") + "0" * (most - _decimals(text))
    return text.replace("-", "$-$") + (rf"\phantom{{{room}}}" if room.strip(".") else "")


def is_table(path: Path | None) -> bool:
    """Whether a file is to be a table, by its ending. Raises `InputError` if it cannot be."""
    if path is None or path.suffix not in TABLE:
        return False
    for name in ("pandas", "pyarrow") if path.suffix == ".parquet" else ():
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
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(
            [columns, *zip(*columns.values(), strict=True)]
        )
        content = text.getvalue().encode()
    else:
        import pandas as pd

        stream = io.BytesIO()
        pd.DataFrame(columns).to_parquet(stream, engine="pyarrow", index=False)
        content = stream.getvalue()
    write_bytes(path, content)
