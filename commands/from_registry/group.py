"""A group of commands that come from a registry, each built when it is asked for."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from ...instances.registry import Entry
from ..file_rules import ruled


def group_of(
    entries: Iterable[Entry], build: Callable[[Entry], Callable[..., None]]
) -> type[TyperGroup]:
    """The class of a group with a command for every entry.

    Parameters
    ----------
    entries : iterable of Entry
        The registry; it is read when a command of the group is asked for, not before.
    build : callable
        Makes the function of an entry's command, with typer's annotations.

    Returns
    -------
    type
        For `typer.Typer(cls=…)`.
    """

    class Group(TyperGroup):
        def __init__(self, **attributes: Any) -> None:
            super().__init__(**attributes)
            self.commands = _Commands(entries, build)  # type: ignore[assignment]

    return Group


def with_options(run: Callable[..., None], options: list[inspect.Parameter]) -> Callable[..., None]:
    """The function as one that has these parameters, which typer and the file rules look at."""

    def command(**given: Any) -> None:
        run(**given)

    command.__annotations__ = {option.name: option.annotation for option in options}
    command.__signature__ = inspect.Signature(options)  # type: ignore[attr-defined]
    return command


class _Commands(Mapping[str, Any]):
    """The commands of a group by name."""

    def __init__(
        self, entries: Iterable[Entry], build: Callable[[Entry], Callable[..., None]]
    ) -> None:
        self._entries = entries
        self._build = build

    def __iter__(self) -> Iterator[str]:
        return (entry.name for entry in self._entries)

    def __len__(self) -> int:
        return len(list(self._entries))

    def __getitem__(self, name: str) -> TyperCommand:
        for entry in self._entries:
            if entry.name == name:
                return _Unbuilt(entry, self._build)
        raise KeyError(name)


class _Unbuilt(TyperCommand):
    """A command of which only name and help are known; its options are made when it runs."""

    def __init__(self, entry: Entry, build: Callable[[Entry], Callable[..., None]]) -> None:
        super().__init__(entry.name, help=help_of(entry))
        self._entry = entry
        self._build_from = build

    def make_context(self, *arguments: Any, **extra: Any) -> Any:
        return self._built().make_context(*arguments, **extra)

    def _built(self) -> Any:
        app = typer.Typer(
            add_completion=False,
            rich_markup_mode=None,
            context_settings={"help_option_names": ["-h", "--help"]},
        )
        function = ruled(self._build_from(self._entry))
        app.command(self._entry.name, help=help_of(self._entry))(function)
        return typer.main.get_command(app)


def help_of(entry: Entry) -> str:
    """What the command of an entry does."""
    return f"{entry.source}: {entry.summary}."
