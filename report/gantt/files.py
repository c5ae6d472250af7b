"""Gantt charts of schedules: a picture (PNG, SVG) or an interactive page (HTML)."""

from __future__ import annotations

from pathlib import Path

from ...instances.files.outputs import check_writable, need_ending, write_bytes
from ...instances.mapreduce.instance import Instance
from ...instances.mapreduce.schedule import Schedule
from ..endings import GANTT
from .page import gantt_figure, page
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
    """Write a Gantt chart whole or not at all; the suffix of `path` decides what kind.

    `.html` is an interactive page that needs no network, `.png` and `.svg` are pictures.
    `lower_bound` (s) is marked by a dashed line, `bound` names it, `title` replaces the instance's
    name. Raises `InputError` for another suffix, a path that cannot be written, or a schedule that
    cannot be one of the instance.
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
