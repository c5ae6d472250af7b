"""Tables for papers: LaTeX with the rules of the package booktabs."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..core.files.outputs import check_ending, write_bytes

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
    "−": "$-$",
    "π": r"$\pi$",
}
_SPELLED = re.compile(r"<?\d[\d.]*")
DIGITS, MOST_DIGITS = 4, 9
"""Significant digits of figures, and at most where two of a column would look alike."""


def to_latex(
    thing: object, path: str | Path | None = None, *, caption: str = "", label: str = ""
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
    """The cells of a column: figures that differ look different, and stand at their points."""
    figures = [float(v) for v in values if _is_figure(v) and math.isfinite(v)]
    apart = len({float(f"{v:.{MOST_DIGITS}g}") for v in figures})
    digits = DIGITS
    while digits < MOST_DIGITS and len({float(_fixed(v, digits)) for v in figures}) < apart:
        digits += 1
    most = max((_decimals(_fixed(v, digits).rstrip("0")) for v in figures), default=0)
    return [_cell(value, digits, most) for value in values]


def _fixed(value: float, digits: int, most: int = 99) -> str:
    """A figure with so many significant digits, all of its whole part, `most` decimals at most."""
    behind = digits - 1 - math.floor(math.log10(abs(value))) if value else 0
    return f"{value:.{min(max(0, behind), most)}f}"


def _decimals(text: str) -> int:
    return len(text.partition(".")[2])


def _cell(value: Any, digits: int, most: int) -> str:
    """A value; a figure has room for `most` decimals."""
    if value is None or (_is_figure(value) and math.isnan(value)):
        return "--"
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if _is_figure(value):
        if math.isinf(value):
            return r"$\infty$" if value > 0 else r"$-\infty$"
        text = _fixed(float(value), digits, most)
        room = "0" * (most - _decimals(text))
        point = "" if "." in text else "."
        return text.replace("-", "$-$") + (rf"\phantom{{{point}{room}}}" if room else "")
    return escaped(str(value))


def _is_figure(value: Any) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)


def _is_figures(values: Sequence[Any]) -> bool:
    """Whether a column is to be aligned at the right: figures, and such as `<0.001`."""
    there = [value for value in values if value not in (None, "")]
    return bool(there) and all(
        _is_figure(v) or (isinstance(v, str) and _SPELLED.fullmatch(v) is not None) for v in there
    )


def _columns(thing: object) -> Mapping[str, Sequence[Any]]:
    if isinstance(thing, Mapping):
        return thing
    if type(thing).__module__.startswith("pandas."):
        frame: Any = thing
        return {str(name): frame[name].tolist() for name in frame.columns}
    printed = getattr(thing, "printed", None)
    if callable(printed):
        found: Mapping[str, Sequence[Any]] = printed()
        return found
    from .dataframes import columns_of  # loads solvers, which other tables do without

    return columns_of(thing)
