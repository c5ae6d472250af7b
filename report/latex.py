"""Tables for papers: LaTeX with the rules of the package booktabs."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..core.files.outputs import check_ending, write_bytes
from .views.dataframes import Columns, columns_of

_ESCAPED = {
    "\\": r"\textbackslash{}",
    **{one: f"\\{one}" for one in "&%$#_{}"},
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
}
_SPELLED = re.compile(r"<?\d[\d.]*")
DIGITS = 4
"""Significant digits of the largest figure of a column; all have as many decimals as it."""


def to_latex(
    thing: object, path: str | Path | None = None, *, caption: str = "", label: str = ""
) -> str:
    r"""The table of an instance or a solution in LaTeX, for `\usepackage{booktabs}`.

    Figures of a column have as many decimals each, so that they align at the point.

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
    text = booktabs(_columns(thing), caption=caption, label=label)
    if path is not None:
        check_ending(path, (".tex",), "a LaTeX table")
        write_bytes(path, text.encode())
    return text


def booktabs(
    columns: Mapping[str, Sequence[Any]],
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
    sides = sides or "".join("r" if _is_figures(values) else "l" for values in columns.values())
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
    return "".join(_ESCAPED.get(one, one) for one in text)


def shown_column(values: Sequence[Any]) -> list[str]:
    """The cells of a column."""
    figures = [float(v) for v in values if _is_figure(v) and math.isfinite(v)]
    decimals = 0
    if any(not isinstance(v, int | np.integer) for v in values if _is_figure(v)) and not all(
        v == int(v) for v in figures
    ):
        most = max(map(abs, figures))
        decimals = min(6, max(0, DIGITS - 1 - math.floor(math.log10(most)))) if most else 0
    return [_cell(value, decimals) for value in values]


def _cell(value: Any, decimals: int) -> str:
    if value is None or (_is_figure(value) and math.isnan(value)):
        return "--"
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if _is_figure(value):
        if math.isinf(value):
            return r"$\infty$" if value > 0 else r"$-\infty$"
        return f"{value:.{decimals}f}".replace("-", "$-$")
    return escaped(str(value))


def _is_figure(value: Any) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)


def _is_figures(values: Sequence[Any]) -> bool:
    """Whether a column is to be aligned at the right: figures, and such as `<0.001`."""
    there = [value for value in values if value not in (None, "")]
    return bool(there) and all(
        _is_figure(v) or (isinstance(v, str) and _SPELLED.fullmatch(v) is not None) for v in there
    )


def _columns(thing: object) -> Columns | Mapping[str, Sequence[Any]]:
    if isinstance(thing, Mapping):
        return thing
    if type(thing).__module__.startswith("pandas."):
        frame: Any = thing
        return {str(name): frame[name].tolist() for name in frame.columns}
    printed = getattr(thing, "printed", None)
    if callable(printed):
        found: Mapping[str, Sequence[Any]] = printed()
        return found
    return columns_of(thing)
