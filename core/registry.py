"""Registries: the methods of one kind by name, ours and those of other packages.

Another package adds a method by an entry point in the group of its kind, for example

    [project.entry-points."slotwise.heuristics"]
    longest-job-first = "my_package.rules:longest_job_first"

The object behind it is the function itself or an `Entry` that says more about it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, partial
from html import escape
from itertools import chain
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

from .advice import did_you_mean
from .calls import check_call
from .errors import InputError, PluginError, SlotwiseError, one_line
from .notices import warning

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

Function = Callable[..., Any]


@dataclass(frozen=True)
class Entry:
    """One method of a registry.

    Parameters
    ----------
    name
        What the command line and results call it.
    target
        The function, or `module:function` below this package, imported when it is first needed.
    source
        Where the method is from: paper and algorithm, or the package that adds it.
    summary
        What it does, in one line.
    understands
        The optional parts of an instance that it takes into account.
    valid
        False for a printed method that is known to fail: a bound that is none, a heuristic that
        breaks the rules.
    usual
        False for a method that runs only where it is named.
    compiled
        Whether a method of `solve` calls compiled kernels.
    takes
        What it is for: "mapreduce", "datacenter" or "hierarchy".
    plugin
        The package that adds it, empty for our own.
    bound
        Parameters that it is called with, with their values.
    """

    name: str
    target: str | Function
    source: str = ""
    summary: str = ""
    understands: frozenset[str] = frozenset()
    valid: bool = True
    usual: bool = True
    compiled: bool = False
    takes: str = "mapreduce"
    plugin: str = ""
    bound: tuple[tuple[str, Any], ...] = ()

    def load(self) -> Function:
        """The function itself, with the bound parameters."""
        method: Any = self.target
        if isinstance(method, str):
            method = resolve_name(f"{__name__.partition('.')[0]}.{method}")
        return partial(method, **dict(self.bound)) if self.bound else method

    def call(self, kind: str, *arguments: Any, **parameters: Any) -> Any:
        """Call the method; messages call it by its kind, such as "heuristic", and its name."""
        with self.guarded(kind):
            method = self.load()
        arguments, parameters = check_call(f"{kind} {self.name!r}", method, arguments, parameters)
        with self.guarded(kind):
            return method(*arguments, **parameters)

    def misbehaved(self, kind: str, rule: str, got: object) -> SlotwiseError:
        """The error for a method that breaks a rule by what it returned."""
        what = f"{kind} {self.name!r}"
        if self.plugin:
            return PluginError(what, self.plugin, f"it {rule}, got {got!r}")
        return InputError(f"{what}: {rule}, got {got!r}")

    @contextmanager
    def guarded(self, kind: str) -> Iterator[None]:
        """Turn what goes wrong in another package's code into a `PluginError` that names it."""
        try:
            yield
        except (InputError, PluginError):
            raise
        except Exception as failure:
            if not self.plugin:
                raise
            why = f"{type(failure).__name__}: {failure}"
            raise PluginError(f"{kind} {self.name!r}", self.plugin, why) from failure


Choice = str | Function | Entry
"""A name, a function of one's own, or an entry."""

Choices = Choice | Sequence[Choice]


class Registry(Sequence[Entry]):
    """The methods of one kind, ours in a fixed order, then those of other packages by name.

    `kind`: what messages call one of them, such as "heuristic".
    `group`: the group of entry points in which other packages add theirs.
    """

    def __init__(self, kind: str, group: str, entries: Sequence[Entry]) -> None:
        self.kind, self.group, self.own = kind, group, tuple(entries)

    @cached_property
    def _all(self) -> tuple[Entry, ...]:
        found = {entry.name: entry for entry in self.own}
        for point in _entry_points(self.group):
            package = point.module.split(".")[0] if point.dist is None else point.dist.name
            left_out = f"{self.kind} {point.name!r} of package {package!r} is left out"
            if point.name in found:
                warning(f"{left_out}: the name is taken")
                continue
            try:
                entry = point.load()
                if not callable(entry) and not isinstance(entry, Entry):
                    raise TypeError(f"{point.value} is no function and no Entry")
                entry = self.resolve(entry)
                source = entry.source or package
                found[point.name] = replace(entry, name=point.name, source=source, plugin=package)
            except Exception as failure:
                warning(f"{left_out}: {one_line(f'{type(failure).__name__}: {failure}')}")
        return tuple(found.values())

    def __repr__(self) -> str:
        """A table: a line for each, with what it does."""
        wide = max((len(entry.name) for entry in self), default=0)
        return "\n".join(f"{entry.name:{wide}}  {entry.summary}".rstrip() for entry in self)

    def _repr_html_(self) -> str:
        rows = (
            f"<tr><td><code>{escape(entry.name)}</code></td>"
            f'<td style="text-align: left">{escape(entry.summary)}</td>'
            f'<td style="text-align: left">{escape(entry.plugin or entry.source)}</td></tr>'
            for entry in self
        )
        head = f"<tr><th>{escape(self.kind)}</th><th>what it does</th><th>source</th></tr>"
        return f"<table><thead>{head}</thead><tbody>{''.join(rows)}</tbody></table>"

    def __len__(self) -> int:
        return len(self._all)

    def __getitem__(self, index: Any) -> Any:
        return self._all[index]

    @property
    def names(self) -> list[str]:
        """The names of all."""
        return [entry.name for entry in self]

    @property
    def usual(self) -> list[Entry]:
        """Those that run where none is named."""
        return [entry for entry in self if entry.valid and entry.usual]

    def lookup(self, name: str) -> Entry:
        """The entry of a name. Raises `InputError`, which lists the names there are."""
        for entry in chain(self.own, self):  # ours first: then no plug-in is loaded
            if entry.name == name:
                return entry
        choices = f"{did_you_mean(name, self.names)}choose from {', '.join(self.names)}"
        raise InputError(f"unknown {self.kind} {name[:60]!r}: {choices}")

    def resolve(self, method: Choice) -> Entry:
        """The entry of a name, or of a function, which understands no part; or the entry itself.

        Raises `InputError` for an unknown name, and for what is no name, function or entry.
        """
        if isinstance(method, str):
            return self.lookup(method)
        if isinstance(method, Entry):
            return method
        if callable(method):
            return _entry_of(method)
        raise InputError(f"{self.kind}: need a name or a function, got {method!r}")

    def resolve_all(self, methods: Choices) -> list[Entry]:
        """The entries of one name, function or entry, or of several, no two of one name."""
        if isinstance(methods, str | Entry) or not isinstance(methods, Sequence):
            methods = [methods]
        entries = [self.resolve(method) for method in methods]
        names = [entry.name for entry in entries]
        for name in names:
            if names.count(name) > 1:
                raise InputError(f"two entries of the same name: {self.kind} {name!r}")
        return entries


def _entry_points(group: str) -> list[EntryPoint]:
    from importlib.metadata import entry_points

    return sorted(entry_points(group=group), key=lambda point: point.name)


def _entry_of(function: Function) -> Entry:
    lines = (function.__doc__ or "").strip().splitlines()
    name = str(getattr(function, "__name__", "")) or type(function).__name__
    return Entry(name, function, summary=lines[0].rstrip(".") if lines else "")
