"""Gantt charts of schedules: a picture (PNG, SVG) or an interactive page (HTML)."""

from __future__ import annotations

from pathlib import Path

from ...instances.files.outputs import check_writable, need_ending, write_bytes
from ...instances.mapreduce.instance import Instance
from ...instances.mapreduce.schedule import Schedule
from ..endings import GANTT
from .figure import gantt_figure
from .page import page
from .static import draw_gantt, picture

__all__ = ["draw_gantt", "gantt_figure", "write_gantt"]


def write_gantt(
    path: str | Path,
    instance: Instance,
    schedule: Schedule,
    *,
    lower_bound: float | None = None,
    bound: str = "",
    title: str = "",
) -> None:
    """Write a Gantt chart whole or not at all; the suffix of the path decides its kind.

    Parameters
    ----------
    path
        `.html` is an interactive page that needs no network, `.png` and `.svg` are pictures.
    instance
        The instance.
    schedule
        A schedule of it.
    lower_bound
        Lower bound (s), marked by a dashed line.
    bound
        Name of the bound.
    title
        Title, by default the instance's name.

    Raises
    ------
    InputError
        For another suffix, a path that cannot be written, or a schedule that cannot belong to the
        instance.
    """
    kind = need_ending(path, GANTT, "a Gantt chart")[1:]
    check_writable(path)
    if kind == "html":
        content = page(instance, schedule, lower_bound=lower_bound, bound=bound, title=title)
    else:
        content = picture(
            kind, instance, schedule, lower_bound=lower_bound, bound=bound, title=title
        )
    write_bytes(path, content)
