"""Parameters of generators and importers: said once, for Python, the command line and the docs.

A parameter is a field of a dataclass, made with `parameter` or with the metadata of `described`,
or an argument of a plain function, annotated `Annotated[int, described("Number of jobs.")]` or just
`int`. `parameters_of` reads all of them alike.
"""

from __future__ import annotations

import inspect
import math
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields, is_dataclass
from functools import update_wrapper
from pathlib import Path
from typing import (
    Annotated,
    Any,
    Concatenate,
    Generic,
    Literal,
    ParamSpec,
    TypeVar,
    get_args,
    get_origin,
    get_type_hints,
)

from .advice import need_choice
from .errors import InputError

P = ParamSpec("P")
D = TypeVar("D")
T = TypeVar("T")
A = TypeVar("A")

_KEY = "slotwise"


@dataclass(frozen=True)
class Description:
    """What a parameter means and how the command line spells it.

    Parameters
    ----------
    help : str
        One sentence.
    unit : str
        The unit, where the sentence does not have it.
    option : str or None
        Name of the option; empty for the parameter's own name, None for no option at all.
    metavar : str
        What stands for the value in the help.
    least, most : float or None
        Least and greatest value; of generators and importers what the command line takes.
    parts : tuple of pairs
        Of a parameter that is itself a dataclass: its fields, and the options that they become.
    """

    help: str = ""
    unit: str = ""
    option: str | None = ""
    metavar: str = ""
    least: float | None = None
    most: float | None = None
    parts: tuple[tuple[str, Description], ...] = ()

    @property
    def text(self) -> str:
        """The sentence with the unit."""
        return f"{self.help.removesuffix('.')}, {self.unit}." if self.unit else self.help


@dataclass(frozen=True)
class Parameter:
    """A parameter of a generator or an importer.

    Parameters
    ----------
    name : str
        Its name in Python.
    type : type
        Its annotation, evaluated.
    default : object
        `dataclasses.MISSING` if it must be given.
    about : Description
        What it means.
    positional : bool
        Whether it can be given by its place.
    """

    name: str
    type: Any
    default: Any
    about: Description
    positional: bool

    @property
    def required(self) -> bool:
        """Whether it has no default."""
        return self.default is MISSING


def described(help: str = "", **more: Any) -> Mapping[str, Any]:
    """Metadata of a dataclass field, or a note in `Annotated`."""
    return {_KEY: Description(help, **more)}


def parameter(default: T, help: str = "", **more: Any) -> T:
    """A dataclass field with a default and a description.

    `default`: the default.
    """
    made: T = field(default=default, metadata=described(help, **more))
    return made


class WithParameters(Generic[P, T]):
    """A function of one dataclass of parameters that takes the parameters one by one too.

    `parameters` is the dataclass. Call the object with its fields, or with one of its objects.
    """

    def __init__(self, make: Callable[..., T], parameters: Any, paths: int) -> None:
        update_wrapper(self, make)
        self.parameters = parameters
        self._make = make
        own = list(inspect.signature(make).parameters.values())[:paths]
        given = inspect.signature(parameters).parameters.values()
        self._paths = [path.name for path in own]
        self.__signature__ = inspect.Signature([*own, *given])
        self.__doc__ = _with_section(make, parameters_of(self))

    def __reduce__(self) -> str:
        # Pickled by its name, as functions are.
        return self._make.__qualname__

    def __call__(self, *args: P.args, **given: P.kwargs) -> T:
        count = len(self._paths)
        options: dict[str, Any] = dict(given)
        paths, rest = list(args[:count]), args[count:]
        paths += [options.pop(name) for name in self._paths[len(paths) :] if name in options]
        if len(rest) == 1 and not options and isinstance(rest[0], self.parameters):
            return self._make(*paths, rest[0])
        return self._make(*paths, self.parameters(*rest, **options))


def generator(
    parameters: Callable[P, D],
) -> Callable[[Callable[[D], T]], WithParameters[P, T]]:
    """Mark a function of a dataclass of parameters as a generator."""
    return lambda make: WithParameters(make, parameters, 0)


def importer(
    parameters: Callable[P, D],
) -> Callable[[Callable[[str | Path, D], T]], WithParameters[Concatenate[str | Path, P], T]]:
    """Mark a function of a file and a dataclass of parameters as an importer."""
    return lambda make: WithParameters(make, parameters, 1)


def of_one(
    parameters: Callable[P, D],
) -> Callable[[Callable[[A, D], T]], WithParameters[Concatenate[A, P], T]]:
    """Mark a function of one thing, such as an instance, and a dataclass of parameters."""
    return lambda make: WithParameters(make, parameters, 1)


def parameters_of(function: Callable[..., Any]) -> tuple[Parameter, ...]:
    """The parameters of a generator or an importer, in order.

    `function`: a function made with `generator` or `importer`, a dataclass, or a plain function
    with annotations; arguments without annotation have the type of their default, or are text.
    Raises `InputError` an argument that has no name, `*args` or `**options`.
    """
    if is_dataclass(function):
        return _of_dataclass(function)
    if isinstance(function, WithParameters):
        return (
            *_of_function(function._make)[: len(function._paths)],
            *_of_dataclass(function.parameters),
        )
    return _of_function(function)


def need_values(what: str, function: Callable[..., Any], values: Mapping[str, Any]) -> None:
    """Check the values of a function's parameters against its annotations.

    `function`: the function. What it does not annotate, or annotates with other types than numbers,
    words, choices and truth values, can be anything.
    Raises `InputError` if a value has another type, or is out of range.
    """
    try:
        annotated = getattr(function, "__annotations__", {})
        known = {one.name: one for one in parameters_of(function) if one.name in annotated}
    except (InputError, NameError, TypeError):  # annotations of others that cannot be read
        return
    for name, value in values.items():
        if name in known:
            _need_value(f"{what}: {name}", known[name], value)


def _need_value(what: str, one: Parameter, value: Any) -> None:
    kind, about = one.type, one.about
    if get_origin(kind) is Literal:
        need_choice(what, value, get_args(kind))
    elif kind in _WORDS and not _is(kind, value):
        raise InputError(f"{what}: need {_WORDS[kind]}{_range(about)}, got {value!r}")
    elif kind in (float, int):
        low = -math.inf if about.least is None else about.least
        high = math.inf if about.most is None else about.most
        if not low <= value <= high:
            raise InputError(f"{what}: need {_WORDS[kind]}{_range(about)}, got {value!r}")


_WORDS = {float: "a number", int: "a whole number", bool: "true or false", str: "a word"}


def _is(kind: type, value: Any) -> bool:
    if kind is float:
        numeric = isinstance(value, int | float) and not isinstance(value, bool)
        return numeric and abs(value) <= sys.float_info.max  # neither infinite nor NaN
    return isinstance(value, kind) and (kind is bool or not isinstance(value, bool))


def _range(about: Description) -> str:
    if about.least is None or about.most is None:
        return "" if about.least is None else f" of at least {about.least:g}"
    return f" from {about.least:g} to {about.most:g}"


def _of_dataclass(owner: Any) -> tuple[Parameter, ...]:
    hints = get_type_hints(owner)
    return tuple(
        Parameter(one.name, hints[one.name], _default(one), _about(one.metadata), not one.kw_only)
        for one in fields(owner)
        if one.init
    )


def _default(one: Field[Any]) -> Any:
    return one.default if one.default_factory is MISSING else one.default_factory()


def _about(metadata: Mapping[str, Any]) -> Description:
    about: Description = metadata.get(_KEY, Description())
    return about


def _of_function(function: Callable[..., Any]) -> tuple[Parameter, ...]:
    hints = get_type_hints(function, include_extras=True)
    found = []
    for one in inspect.signature(function).parameters.values():
        if one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD):
            name = getattr(function, "__name__", repr(function))
            raise InputError(f"{name}: {one}: an option needs a name and a default")
        default = MISSING if one.default is one.empty else one.default
        kind = hints.get(one.name, str if default in (MISSING, None) else type(default))
        about = Description()
        if get_origin(kind) is Annotated:
            kind, *notes = get_args(kind)
            for note in notes:
                if isinstance(note, str):
                    about = Description(note)
                elif isinstance(note, Mapping):
                    about = _about(note)
        positional = one.kind is not one.KEYWORD_ONLY
        found.append(Parameter(one.name, kind, default, about, positional))
    return tuple(found)


def documented(function: Callable[P, T]) -> Callable[P, T]:
    """Put the section "Parameters" into the docstring of a function, from its annotations.

    `function`: a plain function; it is changed and returned.
    """
    function.__doc__ = _with_section(function, parameters_of(function))
    return function


def _with_section(function: Callable[..., Any], parameters: tuple[Parameter, ...]) -> str:
    """The docstring of a function with the section "Parameters", in numpydoc form."""
    lines = ["Parameters", "----------"]
    for one in parameters:
        default = "" if one.required else f", default {one.default!r}"
        lines += [f"{one.name} : {_type_name(one.type)}{default}", f"    {one.about.text}"]
    docstring = inspect.getdoc(function) or ""
    prose, *rest = re.split(r"(?m)^(?=(?:Returns|Raises)\n-)", docstring, maxsplit=1)
    return "\n\n".join([prose.rstrip(), "\n".join(lines), *rest])


def _type_name(kind: Any) -> str:
    """A type as annotations have it, without modules."""
    name = kind.__name__ if isinstance(kind, type) and not get_args(kind) else str(kind)
    return re.sub(r"\b(?:\w+\.)+(?=\w)", "", name)


def spelled(one: Parameter) -> str:
    """A parameter with its default and other choices: `omega=0.7`, `load=seconds or tasks`."""
    if one.required:
        return one.name
    others = get_args(one.type) if get_origin(one.type) is Literal else ()
    values = [str(one.default), *(str(other) for other in others if other != one.default)]
    return f"{one.name}={' or '.join(values)}"


def call(function: str, parameters: Any) -> str:
    """The call that makes the same instance again, for the instance's source."""
    given = ((one.name, getattr(parameters, one.name)) for one in fields(parameters))
    return f"{function}({', '.join(f'{name}={value!r}' for name, value in given)})"
