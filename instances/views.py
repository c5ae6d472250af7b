"""How instances and solutions show themselves: as tables, in notebooks, as plots.

What tables and pictures look like is decided in layers above the classes that have these methods.
They name the function, which is imported when it is first used.
"""

from __future__ import annotations

from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


def view(target: str) -> Any:
    """The module, or in it the function, that is called `module:function` below this package."""
    return resolve_name(f"{__name__.partition('.')[0]}.{target}")


class Tabular:
    """Something with a table of its parts."""

    def to_dataframe(self) -> pd.DataFrame:
        """The parts as a table: tasks, leaves, bins and so on, one a row.

        Returns columns and units are listed in docs/reference/python.md.
        Raises `InputError` if pandas is not installed.
        """
        table: pd.DataFrame = view("reports.dataframes:to_dataframe")(self)
        return table

    def _repr_html_(self) -> str:
        shown: str = view("reports.notebook:html")(self)
        return shown


class Plottable:
    """Something that can be drawn."""

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw it with matplotlib.

        `ax`: where to; by default a new figure.
        """
        axes: Axes = view("reports.plots:plot")(self, ax)
        return axes
