"""`slotwise/hierarchy-events/1`: when the jobs at the leaves of a hierarchy arrive and leave."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from ...core.errors import InputError
from ...core.files.json_files import Source, Strict, read_document, write_json
from .hierarchy import Hierarchy

FORMAT = "slotwise/hierarchy-events/1"


@dataclass(frozen=True)
class Event:
    """The arrival or departure of a leaf.

    Parameters
    ----------
    time
        Its time.
    leaf
        Number of the leaf.
    arrives
        True for an arrival, False for a departure.
    """

    time: float
    leaf: int
    arrives: bool


class _Event(Strict):
    time: float
    arrive: list[str] = []
    leave: list[str] = []


class EventsDocument(Strict):
    format: Literal["slotwise/hierarchy-events/1"]
    events: Annotated[list[_Event], Field(min_length=1)]


def events(hierarchy: Hierarchy, rows: Iterable[tuple[float, list[str], list[str]]]) -> list[Event]:
    """Make events from rows of paths, in the order of time.

    Leaves that only ever leave, or have no event, are present from the start.

    Raises `InputError` for an unknown leaf, and for one that arrives when it is present or leaves
    when it is not.
    """
    number = {path: i for i, path in enumerate(hierarchy.paths)}
    found: list[Event] = []
    there: dict[str, bool] = {}
    for time, arrive, leave in sorted(rows, key=lambda row: row[0]):
        for path, arrives in [*((p, False) for p in leave), *((p, True) for p in arrive)]:
            if path not in number:
                raise InputError(
                    f"events, time {time_text(time)}: no leaf {path!r} in the hierarchy"
                )
            if there.get(path, not arrives) == arrives:
                done = "arrives but is there" if arrives else "leaves but is not there"
                raise InputError(f"events, time {time_text(time)}: leaf {path!r} {done}")
            there[path] = arrives
            found.append(Event(time, number[path], arrives))
    return found


def time_text(time: float) -> str:
    """`790`, `0.5`: the time with all its digits, as a file has it."""
    return repr(float(time)).removesuffix(".0")


def read_events(path: Source, hierarchy: Hierarchy) -> list[Event]:
    """Raises `InputError` if something is wrong with the file."""
    document = read_document(path, EventsDocument, FORMAT)
    try:
        return events(hierarchy, ((row.time, row.arrive, row.leave) for row in document.events))
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def write_events(hierarchy: Hierarchy, rows: Iterable[Event], path: str | Path) -> None:
    at: dict[float, dict[str, Any]] = {}
    for event in rows:
        row = at.setdefault(event.time, {"time": event.time})
        row.setdefault("arrive" if event.arrives else "leave", []).append(
            hierarchy.paths[event.leaf]
        )
    write_json(path, {"format": FORMAT, "events": list(at.values())})
