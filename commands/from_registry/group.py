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

        def list_commands(self, ctx: Any) -> list[str]:
            return list(self.commands)

        def format_commands(self, ctx: Any, formatter: Any) -> None:
            # Names and summaries are in the registry: nothing is loaded for them.
            named: dict[str, Any] = {}
            for entry in entries:
                named[entry.name] = TyperCommand(entry.name, help=help_of(entry))
            TyperGroup(commands=named).format_commands(ctx, formatter)

    return Group


def with_options(run: Callable[..., None], options: list[inspect.Parameter]) -> Callable[..., None]:
    """The function as one that has these parameters, which typer and the file rules look at."""

    def command(**given: Any) -> None:
        run(**given)

    command.__annotations__ = {option.name: option.annotation for option in options}
    command.__signature__ = inspect.Signature(options)  # type: ignore[attr-defined]
    return command


class _Commands(Mapping[str, Any]):
    """The commands of a group by name; each is built when it is looked up, and kept."""

    def __init__(
        self, entries: Iterable[Entry], build: Callable[[Entry], Callable[..., None]]
    ) -> None:
        self._entries = entries
        self._build = build
        self._built: dict[str, Any] = {}

    def __iter__(self) -> Iterator[str]:
        return (entry.name for entry in self._entries)

    def __len__(self) -> int:
        return len(list(self._entries))

    def __getitem__(self, name: str) -> Any:
        if name not in self._built:
            found = [entry for entry in self._entries if entry.name == name]
            if not found:
                raise KeyError(name)
            self._built[name] = _command(found[0], self._build(found[0]))
        return self._built[name]


def _command(entry: Entry, function: Callable[..., None]) -> Any:
    """The command of an entry, as typer makes it."""
    app = typer.Typer(
        add_completion=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.command(entry.name, help=help_of(entry))(ruled(function))
    return typer.main.get_command(app)


def help_of(entry: Entry) -> str:
    """What the command of an entry does."""
    return f"{entry.source}: {entry.summary}."
