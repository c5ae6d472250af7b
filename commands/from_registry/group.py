"""A group of commands that come from a registry, each built when it is asked for."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import typer
from typer.core import TyperCommand

from ...core.errors import InputError, one_line
from ...core.registry import Entry, Registry
from ..file_rules import ruled
from ..help import Summaries


def group_of(registry: Registry, build: Callable[[Entry], Callable[..., None]]) -> type[Summaries]:
    """The class of a group (`typer.Typer(cls=…)`) with a command for every entry.

    `registry` is read when a command of the group is asked for, not before. `build` makes the
    function of an entry's command, with typer's annotations.
    """

    class Group(Summaries):
        def __init__(self, **attributes: Any) -> None:
            super().__init__(**attributes)
            self.commands = _Commands(registry, build)  # type: ignore[assignment]

        def list_commands(self, ctx: Any) -> list[str]:
            return list(self.commands)

        def format_commands(self, ctx: Any, formatter: Any) -> None:
            # Names and summaries are in the registry: nothing is loaded for them.
            named: dict[str, Any] = {}
            for entry in registry:
                named[entry.name] = TyperCommand(entry.name, help=help_of(entry))
            Summaries(commands=named).format_commands(ctx, formatter)

        def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:
            from ..completion import Word

            if incomplete.startswith("-"):
                return super().shell_complete(ctx, incomplete)
            words = [Word(entry.name, entry.summary) for entry in registry]
            return [word for word in words if word.value.startswith(incomplete)]

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

    def __init__(self, registry: Registry, build: Callable[[Entry], Callable[..., None]]) -> None:
        self._registry = registry
        self._build = build
        self._built: dict[str, Any] = {}

    def __iter__(self) -> Iterator[str]:
        return iter(self._registry.names)

    def __len__(self) -> int:
        return len(self._registry)

    def __getitem__(self, name: str) -> Any:
        if name not in self._built:
            try:
                entry = self._registry.lookup(name)
            except InputError:
                raise KeyError(name) from None
            self._built[name] = self._command(entry)
        return self._built[name]

    def _command(self, entry: Entry) -> Any:
        try:
            return _command(entry, self._build(entry))
        except Exception as failure:
            if not entry.plugin:
                raise
            why = one_line(f"{type(failure).__name__}: {failure}")
            who = f"{self._registry.kind} {entry.name!r} of package {entry.plugin!r}"
            raise InputError(f"{who} makes no command: {why}") from failure


def _command(entry: Entry, function: Callable[..., None]) -> Any:
    app = typer.Typer(
        add_completion=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.command(entry.name, help=help_of(entry))(ruled(function))
    return typer.main.get_command(app)


def help_of(entry: Entry) -> str:
    return f"{': '.join(part for part in (entry.source, entry.summary) if part)}."
