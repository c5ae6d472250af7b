"""How instances and solutions show themselves: as tables, in notebooks, as plots.

What tables and pictures look like is decided in the report layer, which stands above the classes
that have these methods. They do not import it: the top package, which knows all layers, hands a
loader down when it is imported (`shown_by`), and the loader imports a view when it is first used.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

Loader = Callable[[str], Callable[..., Any]]

_loaders: list[Loader] = []


def shown_by(loader: Loader) -> None:
    """Say who finds the functions that are asked for by name: `html`, `plot` and so on."""
    _loaders[:] = [loader]


def view(name: str) -> Callable[..., Any]:
    """The function of that name."""
    return _loaders[0](name)


class Tabular:
    """Something with a table of its parts."""

    def to_dataframe(self) -> pd.DataFrame:
        """The parts as a table: tasks, leaves, bins and so on, one a row.

        Returns columns and units are listed in docs/reference/python.md.
        Raises `InputError` if pandas is not installed.
        """
        table: pd.DataFrame = view("to_dataframe")(self)
        return table

    def _repr_html_(self) -> str:
        shown: str = view("html")(self)
        return shown


class Plottable:
    """Something that can be drawn."""

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw it with matplotlib.

        `ax`: where to; by default a new figure.
        """
        axes: Axes = view("plot")(self, ax)
        return axes
