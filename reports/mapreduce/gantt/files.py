"""Gantt charts of schedules: a picture (PNG, SVG, PDF) or an interactive page (HTML)."""

from __future__ import annotations

from pathlib import Path

from ....core.calls import checked
from ....core.files.outputs import check_ending, check_writable, write_bytes
from ....instances.mapreduce.instance import Instance
from ....instances.mapreduce.schedule import Schedule
from ...plots import GANTT
from .figure import gantt_figure
from .layout import chart
from .page import chart_page
from .static import draw_gantt, picture

__all__ = ["draw_gantt", "gantt_figure", "write_gantt"]


@checked
def write_gantt(
    instance: Instance,
    schedule: Schedule,
    path: str | Path,
    *,
    lower_bound: float | None = None,
    bound_name: str = "",
    title: str = "",
) -> None:
    """Write a Gantt chart whole or not at all; the suffix of the path decides its kind.

    Parameters
    ----------
    instance
        The instance.
    schedule
        A schedule of it.
    path
        `.html` is an interactive page that needs no network, the others are pictures.
    lower_bound
        Lower bound (s), marked by a dashed line.
    bound_name
        What proved it.
    title
        Title, by default the instance's name.

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
