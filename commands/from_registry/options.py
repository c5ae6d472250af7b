"""Options of the command line, made from the parameters of a generator or an importer."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, is_dataclass
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import typer

from ...core.errors import InputError
from ...core.files.quantities import is_quantity
from ...core.parameters import Parameter
from ..frame import keyword

_PLAIN = (bool, int, float, str)


@dataclass(frozen=True)
class _Kind:
    """How a parameter is given on the command line.

    `type` is what typer reads; `read` says what becomes of it: "value" as it is, "list" of repeated
    options, "amounts" by name, "number or word".
    """

    type: Any
    read: Literal["value", "list", "amounts", "number or word"] = "value"
    metavar: str = ""
    words: tuple[str, ...] = ()
    number: Callable[[str], float] = int
    quantities: bool = False
    """Whether amounts may have units, `400Gi`."""


def options_from(
    parameters: Iterable[Parameter], *, paths: bool = False
) -> list[inspect.Parameter]:
    """The parameters of a command, all by keyword: what typer needs to know of each.

    Those that no option can express keep their defaults. With `paths`, files that must be given by
    place are arguments instead of options. Raises `InputError` for a parameter without default that
    no option can express.
    """
    found = []
    for one in parameters:
        if one.about.parts:
            found += [_option(_part_name(part), part.type, part) for part in _parts(one)]
        elif (kind := _kind(one)) is not None:
            if paths and is_argument(one):
                metavar = one.about.metavar or one.name.upper()
                note = typer.Argument(metavar=metavar, help=one.about.text)
                found.append(keyword(one.name, Annotated[kind.type, note]))
            else:
                found.append(_option(one.name, kind.type, one, kind))
    return found


def values_from(parameters: Iterable[Parameter], given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a generator or an importer, by name, from the values of its options.

    Raises `InputError` for text that is no value of the parameter.
    """
    values: dict[str, Any] = {}
    for one in parameters:
        if one.about.parts:
            made = {part.name: given[_part_name(part)] for part in _parts(one)}
            values[one.name] = _dataclass_in(one.type)(**made)
            continue
        kind = _kind(one)
        if kind is None or one.name not in given:
            continue
        value = given[one.name]
        if (value is None and one.default is not None) or value == []:
            continue  # the default is the parameter's own
        if kind.read == "amounts" and value is not None:
            value = amounts(value, _option_name(one), quantities=kind.quantities)
        elif kind.read == "number or word" and value not in (None, *kind.words):
            value = _number(value, one.name, kind)
        values[one.name] = value
    return values


@contextmanager
def amounts_by_option(parameters: Iterable[Parameter]) -> Iterator[None]:
    """Errors on amounts by name call them as the command line does."""
    try:
        yield
    except InputError as error:
        for one in parameters:
            kind = _kind(one)
            if kind and kind.read == "amounts" and str(error).startswith(f"{one.name}: "):
                told = str(error).removeprefix(one.name)
                raise InputError(f"{_option_name(one)}{told}") from None
        raise


def is_argument(one: Parameter) -> bool:
    """Whether an importer's parameter is a file, or files, given by place."""
    return (
        one.required
        and one.positional
        and not one.about.option
        and _path_kind(_members(one.type)) is not None
    )


def amounts(text: str, option: str, *, quantities: bool = False) -> dict[str, float | str]:
    """`cpu=200,memory=400` by resource; quantities such as `400Gi` stay text, if they may be given.

    Raises `InputError` naming the option.
    """
    found: dict[str, float | str] = {}
    for entry in text.split(","):
        if not entry.strip():
            continue
        name, _, amount = (part.strip() for part in entry.partition("="))
        try:
            value = float(amount)
        except ValueError:
            if not (name and quantities and is_quantity(amount)):
                raise InputError(f"{option}: need name=amount, got {entry.strip()!r}") from None
            found[name] = amount
            continue
        if not name or not 0 <= value < float("inf"):
            raise InputError(f"{option}: need name=amount >= 0, got {entry.strip()!r}")
        found[name] = value
    return found


def _option(name: str, kind: Any, one: Parameter, how: _Kind | None = None) -> inspect.Parameter:
    about = one.about
    declared = (f"--{about.option}",) if about.option else ()
    note = typer.Option(
        *declared,
        help=about.text or None,
        metavar=about.metavar or (how.metavar if how else "") or None,
        min=about.least,
        max=about.most,
    )
    if one.required:
        return keyword(name, Annotated[kind, note])
    default = one.default
    repeats = how is not None and how.read == "list"
    if how is not None and how.read == "number or word" and default is not None:
        default = str(default)
    if not isinstance(default, bool | int | float | str | tuple | Path) or repeats:
        default = None
    return keyword(name, Annotated[kind if default is not None else kind | None, note], default)


def _option_name(one: Parameter) -> str:
    return f"--{one.about.option or one.name.replace('_', '-')}"


def _kind(one: Parameter) -> _Kind | None:
    """How the command line gives a parameter; None if it does not."""
    if one.about.option is None:
        return None
    members = _members(one.type)
    words = tuple(
        word for kind in members if get_origin(kind) is Literal for word in get_args(kind)
    )
    rest = [kind for kind in members if get_origin(kind) is not Literal]
    kind = _path_kind(members)
    if words and not rest:
        kind = _Kind(str, metavar="|".join(words))
    elif words and rest in ([int], [float]):
        kind = _Kind(str, "number or word", words=words, number=rest[0])
    elif kind is None and len(rest) == 1:
        kind = _kind_of(rest[0])
    if kind is None and one.required:
        raise InputError(f"{one.name}: {one.type} cannot be given on the command line")
    return kind


def _kind_of(kind: Any) -> _Kind | None:
    if kind in _PLAIN:
        return _Kind(kind)
    origin, inner = get_origin(kind), get_args(kind)
    if origin is tuple and Ellipsis not in inner and set(inner) <= set(_PLAIN):
        return _Kind(kind, metavar="LOW HIGH" if len(inner) == 2 else "")
    if isinstance(origin, type) and issubclass(origin, Mapping):
        if inner in ((str, float), (str, float | str)):
            return _Kind(str, "amounts", "NAME=AMOUNT,…", quantities=inner[1] is not float)
        return None
    if isinstance(origin, type) and issubclass(origin, Sequence) and inner[0] in _PLAIN:
        return _Kind(list[inner[0]], "list")  # type: ignore[valid-type]
    return None


def _members(kind: Any) -> list[Any]:
    """The kinds of a union without None."""
    if get_origin(kind) in (Union, UnionType):
        return [member for member in get_args(kind) if member is not type(None)]
    return [kind]


def _path_kind(members: list[Any]) -> _Kind | None:
    """How files are given; None for what is no path and no sequence of paths."""
    if any(get_args(member) and Path in _members(get_args(member)[0]) for member in members):
        return _Kind(list[Path], "list")
    return _Kind(Path) if Path in members else None


def _dataclass_in(kind: Any) -> Any:
    return next(member for member in _members(kind) if is_dataclass(member))


def _parts(one: Parameter) -> list[Parameter]:
    """The fields of a parameter that is a dataclass, each as a parameter of its own."""
    usual = one.default if is_dataclass(one.default) else _dataclass_in(one.type)()
    return [
        Parameter(name, type(getattr(usual, name)), getattr(usual, name), about, positional=False)
        for name, about in one.about.parts
    ]


def _part_name(part: Parameter) -> str:
    return str(part.about.option).replace("-", "_")


def _number(text: str, name: str, kind: _Kind) -> float:
    try:
        return kind.number(text)
    except ValueError:
        either = " or ".join(map(repr, kind.words))
        raise InputError(f"{name}: need a number or {either}, got {text!r}") from None
