"""What the commands that find schedules make of a result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar, cast

import slotwise

from ..core.errors import CertificateError
from .frame import Answer, Writer
from .running import NO

Found = TypeVar("Found")


def standing(find: Callable[..., Found], *arguments: Any, **options: Any) -> Found:
    """What `find` finds, or what stands of it beside a fault of ours."""
    try:
        return find(*arguments, **options)
    except CertificateError as error:
        if error.result is None:
            raise
        return cast(Found, error.result)


def answer_of(result: slotwise.Result, gantt: Path | None, notes: Sequence[str] = ()) -> Answer:
    """The answer of a command that looks for one schedule."""
    return Answer(
        str(result),
        result.document(),
        code=NO if result.schedule is None else 0,
        notes=notes,
        drawings=drawings_of(result, gantt),
        error=result.fault,
    )


def drawings_of(result: slotwise.Result, gantt: Path | None) -> dict[Path | None, Writer]:
    """The Gantt chart of a result, if it has a schedule."""
    if result.schedule is None:
        return {}

    def draw(path: Path) -> None:
        from ..reports.mapreduce.gantt.files import write_gantt

        assert result.schedule is not None
        write_gantt(
            result.instance,
            result.schedule,
            path,
            lower_bound=result.lower_bound,
            bound_name=result.bound_name,
            title=f"{result.instance.name}: {result.found_by}",
        )

    return {gantt: draw}
