"""Gantt charts of schedules: a picture (PNG, SVG) or an interactive page (HTML)."""

from __future__ import annotations

from pathlib import Path

from ..instances.errors import InputError
from ..instances.files import check_writable, write_bytes
from ..instances.mapreduce import Instance
from ..instances.schedule import Schedule
from .gantt_page import gantt_figure, page
from .gantt_static import draw_gantt, picture

__all__ = ["check_gantt_path", "draw_gantt", "gantt_figure", "write_gantt"]

SUFFIXES = (".html", ".png", ".svg")


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
    kind = check_gantt_path(path)
    if kind == "html":
        content = page(instance, schedule, lower_bound=lower_bound, bound=bound, title=title)
    else:
        content = picture(
            kind, instance, schedule, lower_bound=lower_bound, bound=bound, title=title
        )
    write_bytes(path, content)


def check_gantt_path(path: str | Path) -> str:
    """The kind of chart that `path` asks for: `html`, `png` or `svg`.

    Raises `InputError` now if the chart could not be written later.
    """
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        raise InputError(
            f"{path}: a Gantt chart needs a name ending in {', '.join(SUFFIXES[:-1])} "
            f"or {SUFFIXES[-1]}"
        )
    check_writable(path)
    return suffix[1:]
