"""Options of a command, made from the parameters of a function or a dataclass."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import is_dataclass, replace
from functools import partial
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import typer

from ..core.errors import InputError
from ..core.parameters import Parameter
from ..instances.hierarchy.schedulers.amounts import is_quantity
from .frame import keyword

PLAIN = (bool, int, float, str)
AMOUNTS = ((str, float), (str, float | str))
"""What a mapping of amounts by name is of."""


def options_from(parameters: Iterable[Parameter]) -> list[inspect.Parameter]:
    """The parameters of a command, for typer: files that must be given by place are arguments.

    What no option can express keeps its default. Raises `InputError` if it has none.
    """
    options = []
    for one in parameters:
        kind, more = _kind(one.type)
        if one.about.parts:
            options += [_option(part, part.type) for part in _parts(one)]
        elif kind is not None and one.about.option is not None:
            options.append(_option(one, kind, **more))
        elif one.required:
            raise InputError(f"{one.name}: {one.type} cannot be given on the command line")
    return options


def values_from(parameters: Iterable[Parameter], given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a function, by name, from the values of its options."""
    values: dict[str, Any] = {}
    for one in parameters:
        if one.about.parts:
            fields = zip(one.about.parts, _parts(one), strict=True)
            values[one.name] = replace(
                _usual(one), **{name: given[part.name] for (name, _), part in fields}
            )
        elif given.get(one.name) not in (None, []):  # else the default is the parameter's own
            values[one.name] = given[one.name]
    return values


def _option(one: Parameter, kind: Any, metavar: str = "", **more: Any) -> inspect.Parameter:
    about = one.about
    metavar, words = about.metavar or metavar, about.text or None
    if kind in (Path, list[Path]) and one.required and one.positional and not about.option:
        argument = typer.Argument(metavar=metavar or one.name.upper(), help=words)
        return keyword(one.name, Annotated[kind, argument])
    option = typer.Option(
        *([f"--{about.option}"] if about.option else []),
        help=words,
        metavar=metavar or None,
        min=about.least,
        max=about.most,
        **more,
    )
    if one.required:
        return keyword(one.name, Annotated[kind, option])
    if get_origin(kind) is list or not isinstance(one.default, (*PLAIN, tuple, Path)):
        return keyword(one.name, Annotated[kind | None, option], None)
    return keyword(one.name, Annotated[kind, option], one.default)


def _parts(one: Parameter) -> list[Parameter]:
    """The fields of a parameter that is a dataclass, each as a parameter of its own."""
    found = []
    for name, about in one.about.parts:
        value = getattr(_usual(one), name)
        spelled = str(about.option).replace("-", "_")
        found.append(Parameter(spelled, type(value), value, about, positional=False))
    return found


def _usual(one: Parameter) -> Any:
    """The value of a parameter that is a dataclass, if nothing is given."""
    made: Any = next(member for member in _members(one.type) if is_dataclass(member))
    return one.default if is_dataclass(one.default) else made()


def _kind(kind: Any) -> tuple[Any, dict[str, Any]]:
    """The type that typer reads, None where there is none, and what else typer must know."""
    members = [member for member in _members(kind) if member is not NoneType]
    if any(Path in _members(inner) for member in members for inner in get_args(member)[:1]):
        return list[Path], {}
    if Path in members:
        return Path, {}
    words = [
        word for member in members if get_origin(member) is Literal for word in get_args(member)
    ]
    numbers = [member for member in members if member in (int, float)]
    if words and len(numbers) == 1:
        return str, {"parser": partial(_number_or_word, numbers[0], words)}
    only, origin, inner = members[0], get_origin(members[0]), get_args(members[0])
    if len(members) > 1:
        return None, {}
    if only in PLAIN or words:
        return only, {}
    if origin is tuple and set(inner) <= set(PLAIN):
        return only, {"metavar": "LOW HIGH" if len(inner) == 2 else ""}
    if isinstance(origin, type) and issubclass(origin, Mapping) and inner in AMOUNTS:
        return str, {"parser": _amounts, "metavar": "NAME=AMOUNT,…"}
    if isinstance(origin, type) and issubclass(origin, Sequence) and inner[0] in PLAIN:
        return list[inner[0]], {}  # type: ignore[valid-type]
    return None, {}


def _members(kind: Any) -> tuple[Any, ...]:
    return get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)


def _number_or_word(number: Callable[[Any], float], words: Sequence[str], text: Any) -> Any:
    if text in words:
        return text
    try:
        return number(text)
    except ValueError:
        either = " or ".join(map(repr, words))
        raise typer.BadParameter(f"need a number or {either}, got {text!r}") from None


def _amounts(text: str) -> dict[str, float | str]:
    """`cpu=200,memory=400Gi` by name; an amount with a unit stays text."""
    found: dict[str, float | str] = {}
    for entry in filter(None, map(str.strip, text.split(","))):
        name, _, amount = map(str.strip, entry.partition("="))
        if not name or not is_quantity(amount):
            raise typer.BadParameter(f"need name=amount >= 0, got {entry!r}")
        try:
            found[name] = float(amount)
        except ValueError:
            found[name] = amount
    return found
