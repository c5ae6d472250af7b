"""Parameters of functions, said once: for Python, the command line and the docs.

A parameter is a field of a dataclass, made with `parameter` or with the metadata of `described`,
or an argument of a plain function, annotated `Annotated[int, described("Number of jobs.")]` or just
`int`. `parameters_of` reads all of them alike.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from functools import lru_cache
from textwrap import wrap
from types import MappingProxyType
from typing import Annotated, Any, ParamSpec, TypeVar, get_args, get_origin, is_typeddict

from .errors import InputError

P = ParamSpec("P")
T = TypeVar("T")

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
    """`least`, `most`: least and greatest value of a number, which then is finite."""
    parts: tuple[tuple[str, Description], ...] = ()
    """Of a parameter that is itself a dataclass: its fields, and the options that they become."""

    @property
    def text(self) -> str:
        """The sentence with the unit."""
        return f"{self.help.removesuffix('.')}, {self.unit}." if self.unit else self.help


@dataclass(frozen=True)
class Parameter:
    """A parameter of a function or a dataclass."""

    name: str
    type: Any
    """Its annotation, evaluated."""
    default: Any
    """`dataclasses.MISSING` if it must be given."""
    about: Description
    positional: bool
    """Whether it can be given by its place."""

    @property
    def required(self) -> bool:
        return self.default is MISSING


def described(help: str = "", **more: Any) -> Mapping[str, Any]:
    """Metadata of a dataclass field, or a note in `Annotated`."""
    return {_KEY: Description(help, **more)}


def parameter(default: T, help: str = "", **more: Any) -> T:
    """A dataclass field with a default and a description."""
    made: T = field(default=default, metadata=described(help, **more))
    return made


def parameters_of(function: Callable[..., Any]) -> tuple[Parameter, ...]:
    """The parameters of a function or a dataclass, in order.

    Arguments without annotation have the type of their default, or are text. Raises `InputError`
    for an argument that has no name, `*args` or `**options`.
    """
    found = []
    for one in signature_of(function).parameters.values():
        if one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD):
            name = getattr(function, "__name__", repr(function))
            raise InputError(f"{name}: {one.name}: an option needs a name and a default")
        default = MISSING if one.default is one.empty else one.default
        kind, about = kind_and_meaning(one.annotation)
        if kind is one.empty:
            kind = str if default in (MISSING, None) else type(default)
        found.append(Parameter(one.name, kind, default, about, one.kind is not one.KEYWORD_ONLY))
    return tuple(found)


@lru_cache(1024)
def signature_of(function: Callable[..., Any]) -> inspect.Signature:
    """What a function or a class takes, with annotations evaluated and defaults of fields made.

    The keys of `**options: Unpack[…]` stand one by one. An annotation that is there for type
    checkers only is `Any`. Raises `TypeError` or `ValueError` if there is nothing to read.
    """
    together = getattr(function, "parameters", None)
    if isinstance(together, type) and is_dataclass(together):  # its fields stand for the last one
        *own, _ = signature_of(inspect.unwrap(function)).parameters.values()
        return inspect.Signature([*own, *signature_of(together).parameters.values()])
    plain = inspect.unwrap(function) if inspect.isfunction(function) else function
    its_fields = {one.name: one for one in fields(function)} if is_dataclass(function) else {}
    arguments = []
    for one in inspect.signature(plain).parameters.values():
        kind = _evaluated(one.annotation, function, one.name)
        options, *_ = get_args(kind) or (None,)
        if one.kind is one.VAR_KEYWORD and is_typeddict(options):
            arguments += [
                inspect.Parameter(
                    name, one.KEYWORD_ONLY, default=None, annotation=_evaluated(kind, options, name)
                )
                for name, kind in options.__annotations__.items()
            ]
            continue
        if one.name in its_fields:
            its = its_fields[one.name]
            kind = Annotated[kind, its.metadata]
            if its.default_factory is not MISSING:
                one = one.replace(default=its.default_factory())
        arguments.append(one.replace(annotation=kind))
    return inspect.Signature(arguments)


def _evaluated(annotation: Any, owner: Any, name: str) -> Any:
    """The annotation of what `owner` takes by this name."""
    text = getattr(annotation, "__forward_arg__", annotation)
    if not isinstance(text, str):
        return annotation
    if isinstance(owner, type):  # it may be inherited from another module
        owner = next((one for one in owner.__mro__ if name in inspect.get_annotations(one)), owner)
    plain = inspect.unwrap(getattr(owner, "func", owner))
    try:
        return eval(
            text, getattr(plain, "__globals__", None) or vars(sys.modules[plain.__module__])
        )
    except Exception:
        return Any


def kind_and_meaning(annotation: Any) -> tuple[Any, Description]:
    """The type of an annotation, and what its notes say."""
    if get_origin(annotation) is not Annotated:
        return annotation, Description()
    kind, *notes = get_args(annotation)
    for note in notes:
        if isinstance(note, str):
            return kind, Description(note)
        if isinstance(note, Mapping) and _KEY in note:
            return kind, note[_KEY]
    return kind, Description()


def documented(
    function: Callable[P, T], spelled: Mapping[str, str] = MappingProxyType({})
) -> Callable[P, T]:
    """Put the section "Parameters" into the docstring of a function, from its annotations.

    `spelled`: types in words, where the annotation is longer.
    """
    lines = ["Parameters", "----------"]
    for each in parameters_of(function):
        kind = each.type.__name__ if isinstance(each.type, type) else str(each.type)
        kind = spelled.get(each.name, re.sub(r"\b(?:\w+\.)+(?=\w)", "", kind))
        default = "" if each.required else f", default {each.default!r}"
        lines.append(f"{each.name} : {kind}{default}")
        lines += wrap(each.about.text, 96, initial_indent="    ", subsequent_indent="    ")
    docstring = inspect.getdoc(function) or ""
    prose, *rest = re.split(r"(?m)^(?=(?:Returns|Raises)\n-)", docstring, maxsplit=1)
    function.__doc__ = "\n\n".join([prose.rstrip(), "\n".join(lines), *rest])
    if hasattr(function, "__wrapped__"):  # which keeps what help does not show
        signature = signature_of(function)
        bare = [
            one.replace(annotation=kind_and_meaning(one.annotation)[0])
            for one in signature.parameters.values()
        ]
        function.__dict__["__signature__"] = signature.replace(parameters=bare)
    return function
