"""Gantt charts of schedules: pictures and pages in files, and in notebooks."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from ....core.calls import checked
from ....core.files.outputs import check_ending, check_writable, write_bytes
from ....core.parameters import described, documented
from ....instances.mapreduce.instance import Instance
from ....instances.mapreduce.schedule import Schedule
from ...page import in_notebook
from ...plots import GANTT
from .layout import BoundName, LowerBound, Title, chart
from .page import chart_page, height
from .static import draw_gantt, picture

__all__ = ["draw_gantt", "gantt_figure", "write_gantt"]


Target = Annotated[
    str | Path, described("`.html` is an interactive page without network, others are pictures.")
]
LEAST, MOST = 320, 520
"""Pixels of the rows in a notebook; more rows are zoomed into."""
AROUND = 240
"""Pixels of the title, the jobs and the buttons."""


@dataclass(frozen=True)
class GanttFigure:
    """The page of a Gantt chart, which a notebook shows as it is."""

    title: str
    html: str = field(repr=False)
    """The page."""
    height: int
    """Pixels that a notebook gives it."""

    def _repr_html_(self) -> str:
        return in_notebook(self.html, f"Gantt chart of {self.title}", self.height)

    def write_html(self, path: str | Path) -> None:
        """Write the page whole or not at all; `-` is stdout."""
        write_bytes(path, self.html.encode())


@checked
@documented
def gantt_figure(
    instance: Instance,
    schedule: Schedule,
    *,
    lower_bound: LowerBound = None,
    bound_name: BoundName = "",
    title: Title = "",
) -> GanttFigure:
    """Make a Gantt chart for a notebook, to zoom into and to hover over.

    Returns
    -------
    GanttFigure
        What the notebook shows; its method `write_html` writes the page.

    Raises
    ------
    InputError
        If the schedule cannot belong to the instance.
    """
    plan = chart(instance, schedule, lower_bound, bound_name, title)
    rows = min(max(height(plan), LEAST), MOST)
    return GanttFigure(plan.title, chart_page(plan), rows + AROUND)


@checked
@documented
def write_gantt(
    instance: Instance,
    schedule: Schedule,
    path: Target,
    *,
    lower_bound: LowerBound = None,
    bound_name: BoundName = "",
    title: Title = "",
) -> None:
    """Write a Gantt chart whole or not at all; the suffix of the path decides its kind.

    Raises
    ------
    InputError
        For another suffix, a path that cannot be written, or a schedule that cannot belong to the
        instance.
    """
    kind = check_ending(path, GANTT, "a Gantt chart")[1:]
    check_writable(path)
    plan = chart(instance, schedule, lower_bound, bound_name, title)
    write_bytes(path, chart_page(plan).encode() if kind == "html" else picture(plan, kind))
