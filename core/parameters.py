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
from textwrap import wrap
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

from .advice import check_choice
from .errors import InputError

P = ParamSpec("P")
D = TypeVar("D")
T = TypeVar("T")
A = TypeVar("A")

_KEY = "slotwise"


@dataclass(frozen=True)
class Description:
    """What a parameter means and how the command line spells it."""

    help: str = ""
    """One sentence."""
    unit: str = ""
    """The unit, where the sentence does not have it."""
    option: str | None = ""
    """Name of the option; empty for the parameter's own name, None for no option at all."""
    metavar: str = ""
    """What stands for the value in the help."""
    least: float | None = None
    most: float | None = None
    """`least`, `most`: least and greatest value; of generators and importers what the command line
    takes."""
    parts: tuple[tuple[str, Description], ...] = ()
    """Of a parameter that is itself a dataclass: its fields, and the options that they become."""

    @property
    def text(self) -> str:
        """The sentence with the unit."""
        return f"{self.help.removesuffix('.')}, {self.unit}." if self.unit else self.help


@dataclass(frozen=True)
class Parameter:
    """A parameter of a generator or an importer."""

    name: str
    """Its name in Python."""
    type: Any
    """Its annotation, evaluated."""
    default: Any
    """`dataclasses.MISSING` if it must be given."""
    about: Description
    """What it means."""
    positional: bool
    """Whether it can be given by its place."""

    @property
    def required(self) -> bool:
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
        returns = inspect.signature(make).return_annotation
        self.__signature__ = inspect.Signature([*own, *given], return_annotation=returns)
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
        if len(rest) == 1 and not options and issubclass(self.parameters, type(rest[0])):
            # Options that these extend: the others keep their defaults.
            base: Any = rest[0]
            shared = {one.name: getattr(base, one.name) for one in fields(base)}
            return self._make(*paths, self.parameters(**shared))
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


def solver(
    parameters: Callable[P, D],
) -> Callable[[Callable[[A, D], T]], WithParameters[Concatenate[A, P], T]]:
    """Mark a function of a problem and a dataclass of parameters as a solver."""
    return lambda make: WithParameters(make, parameters, 1)


def parameters_of(function: Callable[..., Any]) -> tuple[Parameter, ...]:
    """The parameters of a generator or an importer, in order.

    `function`: a function made with `generator` or `importer`, a dataclass, or a plain function
    with annotations; arguments without annotation have the type of their default, or are text.
    Raises `InputError` an argument that has no name, `*args` or `**options`.
    """
    while not isinstance(function, WithParameters) and hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    if is_dataclass(function):
        return _of_dataclass(function)
    if isinstance(function, WithParameters):
        return (
            *_of_function(function._make)[: len(function._paths)],
            *_of_dataclass(function.parameters),
        )
    return _of_function(function)


def check_parameters(what: str, function: Callable[..., Any], given: Mapping[str, Any]) -> None:
    """Check names and values of the parameters of a method, whose first argument is its problem.

    Raises `InputError` if it does not take them, or not these values.
    """
    if not given:
        return
    _, *known = inspect.signature(function).parameters
    for name in given:
        if name not in known:
            takes = f"choose from {', '.join(known)}" if known else "it has none"
            raise InputError(f"{what}: unknown parameter {name!r}: {takes}")
    check_values(what, function, given)


def check_values(what: str, function: Callable[..., Any], values: Mapping[str, Any]) -> None:
    """Check the values of a function's parameters against its annotations.

    `function`: the function. What it does not annotate, or annotates with other types than numbers,
    words, choices and truth values, can be anything.
    Raises `InputError` if a value has another type, or is out of range.
    """
    try:
        annotated = getattr(function, "__annotations__", {})
        known = {each.name: each for each in parameters_of(function) if each.name in annotated}
    except (InputError, NameError, TypeError):  # annotations of others that cannot be read
        return
    for name, value in values.items():
        if name in known:
            _check_value(f"{what}: {name}", known[name], value)


def _check_value(what: str, known: Parameter, value: Any) -> None:
    kind, about = known.type, known.about
    if get_origin(kind) is Literal:
        check_choice(what, value, get_args(kind))
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
        Parameter(
            each.name, hints[each.name], _default(each), _about(each.metadata), not each.kw_only
        )
        for each in fields(owner)
        if each.init
    )


def _default(its: Field[Any]) -> Any:
    return its.default if its.default_factory is MISSING else its.default_factory()


def _about(metadata: Mapping[str, Any]) -> Description:
    about: Description = metadata.get(_KEY, Description())
    return about


def _of_function(function: Callable[..., Any]) -> tuple[Parameter, ...]:
    hints = get_type_hints(function, include_extras=True)
    parameters = []
    for argument in inspect.signature(function).parameters.values():
        if argument.kind in (argument.VAR_POSITIONAL, argument.VAR_KEYWORD):
            name = getattr(function, "__name__", repr(function))
            raise InputError(f"{name}: {argument}: an option needs a name and a default")
        default = MISSING if argument.default is argument.empty else argument.default
        kind = hints.get(argument.name, str if default in (MISSING, None) else type(default))
        about = Description()
        if get_origin(kind) is Annotated:
            kind, *notes = get_args(kind)
            for note in notes:
                if isinstance(note, str):
                    about = Description(note)
                elif isinstance(note, Mapping):
                    about = _about(note)
        positional = argument.kind is not argument.KEYWORD_ONLY
        parameters.append(Parameter(argument.name, kind, default, about, positional))
    return tuple(parameters)


def documented(function: Callable[P, T]) -> Callable[P, T]:
    """Put the section "Parameters" into the docstring of a function, from its annotations.

    `function`: a plain function; it is changed and returned.
    """
    function.__doc__ = _with_section(function, parameters_of(function))
    return function


def _with_section(function: Callable[..., Any], parameters: tuple[Parameter, ...]) -> str:
    """The docstring of a function with the section "Parameters", in numpydoc form."""
    lines = ["Parameters", "----------"]
    for each in parameters:
        default = "" if each.required else f", default {each.default!r}"
        lines += [f"{each.name} : {_type_name(each.type)}{default}"]
        lines += wrap(each.about.text, 96, initial_indent="    ", subsequent_indent="    ")
    docstring = inspect.getdoc(function) or ""
    prose, *rest = re.split(r"(?m)^(?=(?:Returns|Raises)\n-)", docstring, maxsplit=1)
    return "\n\n".join([prose.rstrip(), "\n".join(lines), *rest])


def _type_name(kind: Any) -> str:
    """A type as annotations have it, without modules."""
    name = kind.__name__ if isinstance(kind, type) and not get_args(kind) else str(kind)
    name = re.sub(r"\b(?:\w+\.)+(?=\w)", "", name)
    for spelled_out, alias in _ALIASES:
        name = name.replace(spelled_out, alias)
    return name


_ALIASES = (
    ("str | Callable[..., Any] | Entry", "Choice"),
    ("Choice | Sequence[Choice]", "Choices"),
)
"""Names of `core.registry` for types that are too long to read."""


def spelled(known: Parameter) -> str:
    """A parameter with its default and other choices: `omega=0.7`, `load=seconds or tasks`."""
    if known.required:
        return known.name
    others = get_args(known.type) if get_origin(known.type) is Literal else ()
    values = [str(known.default), *(str(other) for other in others if other != known.default)]
    return f"{known.name}={' or '.join(values)}"


def call(function: str, parameters: Any) -> str:
    """The call that makes the same instance again, for the instance's source."""
    given = ((each.name, getattr(parameters, each.name)) for each in fields(parameters))
    return f"{function}({', '.join(f'{name}={value!r}' for name, value in given)})"
