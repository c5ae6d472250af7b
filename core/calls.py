"""Public functions and parameters look at what they are given, by their annotations.

What is annotated with a number, a word, a path, a choice, a class, or a sequence or mapping of
these, is checked; anything else is the function's own to check. numpy's numbers are numbers, and
arrive as Python's.
"""

from __future__ import annotations

import inspect
import math
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from functools import reduce, wraps
from numbers import Integral, Real
from operator import is_, or_
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Concatenate, Literal, ParamSpec, TypeVar, Union, get_args, get_origin

from .advice import did_you_mean
from .errors import CallError
from .parameters import Description, documented, kind_and_meaning, signature_of
from .wording import listed

Called = TypeVar("Called", bound=Callable[..., Any])
P = ParamSpec("P")
D = TypeVar("D")
T = TypeVar("T")
A = TypeVar("A")

MOST_ELEMENTS = 10_000
"""Elements of longer sequences are not looked at."""

KINDS: dict[Any, tuple[Any, str]] = {
    bool: (bool, "True or False"),
    float: (Real, "a number"),
    int: (Integral, "a whole number"),
    Real: (Real, "a number"),
    str: (str, "a word"),
    NoneType: (NoneType, "None"),
    Path: ((str, os.PathLike), "a path"),
    Callable: (Callable, "a function"),
    Mapping: (Mapping, "a mapping"),
    type: (type, "a class"),
    Sequence: (Iterable, "a sequence"),
    Iterable: (Iterable, "a sequence"),
    tuple: ((list, tuple), "a sequence"),
}
"""What a value of a type may be, and what it is called."""


def checked(thing: Called) -> Called:
    """Check how a function is called; of a class, how it is called, but not what it is given."""
    target: Any = thing
    name, make = target.__name__, target.__init__

    @wraps(target)
    def call(*args: Any, **given: Any) -> Any:
        args, given = check_call(name, target, args, given)
        return target(*args, **given)

    @wraps(make)
    def __init__(self: Any, *args: Any, **given: Any) -> None:
        try:
            make(self, *args, **given)
        except TypeError:
            check_call(name, target, args, given)
            raise

    if isinstance(thing, type):
        target.__init__ = __init__
        return thing
    signature = inspect.signature(target)
    shown = [
        one.replace(annotation=_shown(one.annotation)) for one in signature.parameters.values()
    ]
    call.__dict__["__signature__"] = signature.replace(
        parameters=shown, return_annotation=_shown(signature.return_annotation)
    )
    return call  # type: ignore[return-value]


class _Unquoted(str):
    """An annotation that help shows without quotes."""

    __repr__ = str.__str__


def _shown(annotation: Any) -> Any:
    return _Unquoted(annotation) if isinstance(annotation, str) else annotation


def generator(parameters: Callable[P, D]) -> Callable[[Callable[[D], T]], Callable[P, T]]:
    """Let a function of a dataclass of parameters take them one by one, too; checked."""
    return lambda make: _one_by_one(make, parameters)


def taking(
    parameters: Callable[P, D],
) -> Callable[[Callable[[A, D], T]], Callable[Concatenate[A, P], T]]:
    """Let a function of a thing and a dataclass of parameters take them one by one, too."""
    return lambda make: _one_by_one(make, parameters)


def _one_by_one(make: Callable[..., T], parameters: Any) -> Callable[..., T]:
    *things, _ = signature_of(make).parameters

    @wraps(make)
    def call(*args: Any, **given: Any) -> T:
        args, given = check_call(make.__name__, call, args, given)
        if args and isinstance(args[-1], parameters):
            return make(*args, **given)
        taken = signature_of(call).bind(*args, **given).arguments
        return make(*[taken.pop(name) for name in things], parameters(**taken))

    call.__dict__["parameters"] = parameters
    return documented(call, {one.name: str(one.type) for one in fields(parameters)})


def check_call(
    verb: str, function: Callable[..., Any], args: tuple[Any, ...], given: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments to call a function with, checked; messages begin with `verb`.

    A function whose signature cannot be read takes everything. One of a dataclass of parameters
    takes such an object, too. Raises `CallError`.
    """
    together = getattr(function, "parameters", None)
    if isinstance(together, type) and args and isinstance(args[-1], together):
        check_fields(verb, args[-1])
        return args, given
    try:
        signature = signature_of(function)
    except (TypeError, ValueError):
        return args, given
    known = signature.parameters
    bare = [one.replace(annotation=one.empty) for one in known.values()]
    takes = f"it takes {inspect.Signature(bare) if bare else 'none'}".replace("=None", "")
    if not any(one.kind is one.VAR_KEYWORD for one in known.values()):
        for name in given:
            if name not in known:
                guess = did_you_mean(name, known)
                raise CallError(f"{verb}: no argument {name!r}: {guess}{takes}")
    try:
        bound = signature.bind(*args, **given)
    except TypeError as error:
        raise CallError(f"{verb}: {error}: {takes}") from None
    named: dict[str, Any] = {}
    for name, value in bound.arguments.items():
        kind, place = known[name].annotation, known[name].kind
        if place is inspect.Parameter.VAR_POSITIONAL:
            bound.arguments[name] = tuple(_taken(f"{verb}: {name}", kind, one) for one in value)
        elif place is inspect.Parameter.VAR_KEYWORD:
            named |= {key: _taken(f"{verb}: {key}", kind, one) for key, one in value.items()}
        else:
            named[name] = bound.arguments[name] = _taken(f"{verb}: {name}", kind, value)
    return bound.args[: len(args)], {name: named[name] for name in given}


def check_fields(what: str, thing: Any) -> None:
    """Check the fields of a data class by their annotations; messages begin with `what`."""
    kind: Callable[..., Any] = type(thing)
    known = signature_of(kind).parameters
    for each in fields(thing):
        given = getattr(thing, each.name)
        value = _taken(f"{what}: {each.name}", known[each.name].annotation, given)
        if value is not given:
            object.__setattr__(thing, each.name, value)


def check_argument(what: str, thing: object, *kinds: type, hint: str = "") -> None:
    """Raise `CallError` unless a thing is one of these kinds.

    `hint`: how to come by one; by default how to read a file, if `thing` is its name.
    """
    kind: Any = reduce(or_, kinds)
    if not _fits(kind, thing):
        raise CallError(f"{what}: {_refused(kind, Description(), thing, hint)}")


def _taken(what: str, annotation: Any, value: Any) -> Any:
    """A value as Python has it; raises `CallError` unless it is what the annotation says."""
    value = _plain(value)
    kind, about = kind_and_meaning(annotation)
    fits = _fits(kind, value)
    if fits and about.least is not None and isinstance(value, int | float):
        fits = about.least <= value <= (sys.float_info.max if about.most is None else about.most)
    if not fits:
        raise CallError(f"{what}: {_refused(kind, about, value)}")
    return value


def _plain(value: Any) -> Any:
    """numpy's numbers as Python's, also within lists, tuples and dictionaries."""
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(value, numpy.generic):
        return value.item()
    if type(value) not in (list, tuple, dict) or len(value) > MOST_ELEMENTS:
        return value
    parts = list(value.values()) if type(value) is dict else value
    plain = [_plain(one) for one in parts]
    if all(map(is_, plain, parts)):
        return value  # itself: a caller may look at it later
    return dict(zip(value, plain, strict=True)) if type(value) is dict else type(value)(plain)


def _members(kind: Any) -> tuple[Any, ...]:
    kind, _ = kind_and_meaning(kind)
    if get_origin(kind) in (Union, UnionType):
        return tuple(one for member in get_args(kind) for one in _members(member))
    return (kind,)


def _fits(kind: Any, value: Any) -> bool:
    """Whether a value is of a type; types that cannot be looked at fit everything."""
    members = _members(kind)
    if len(members) > 1:
        return any(_fits(member, value) for member in members)
    (kind,) = members
    plain = get_origin(kind) or kind
    if plain is Literal:
        return any(type(value) is type(choice) and value == choice for choice in get_args(kind))
    if plain in (Any, _UNSAID) or getattr(plain, "__name__", "") == "ndarray":
        return True
    try:
        fits = isinstance(value, KINDS[plain][0] if plain in KINDS else plain)
    except TypeError:  # no class, or a protocol
        return True
    if plain in (int, float):
        return fits and not isinstance(value, bool) and not math.isnan(value)
    if plain in (Sequence, Iterable) and isinstance(value, str | bytes):
        return False
    return fits and (plain not in _CONTAINERS or _odd_one(kind, value) is _NONE)


_UNSAID = inspect.Parameter.empty
_CONTAINERS = (Sequence, Iterable, Mapping, tuple)
_NONE = object()


def _odd_one(kind: Any, value: Any) -> Any:
    """What does not belong into a container, or the container itself for a wrong length."""
    kinds = get_args(kind)
    if isinstance(value, Mapping):
        return next((one for one in value.values() if not _fits(kinds[-1], one)), _NONE)
    if not kinds or not isinstance(value, list | tuple) or len(value) > MOST_ELEMENTS:
        return _NONE
    if get_origin(kind) is not tuple or kinds[-1] is Ellipsis:
        kinds = kinds[:1] * len(value)
    if len(value) != len(kinds):
        return value
    pairs = zip(kinds, value, strict=True)
    return next((one for one_kind, one in pairs if not _fits(one_kind, one)), _NONE)


def _refused(kind: Any, about: Description, value: Any, hint: str = "") -> str:
    """`needs a number, got the string '20'`, and what to do."""
    members = [one for one in _members(kind) if one is not NoneType]
    choices = [choice for one in members if get_origin(one) is Literal for choice in get_args(one)]
    guess = did_you_mean(value, map(str, choices)) if isinstance(value, str) else ""
    wanted = listed(dict.fromkeys(_words(one) for one in members), None, "or")
    if about.least is not None:
        most = f"of at least {about.least:g}"
        wanted += f" {most if about.most is None else f'from {about.least:g} to {about.most:g}'}"
    got = called(value)
    for member in members:
        if get_origin(member) in _CONTAINERS and isinstance(value, KINDS[get_origin(member)][0]):
            odd = _odd_one(member, value)
            got += "" if odd is _NONE or odd is value else f" with {called(odd)}"
            break
    hint = hint or "".join(getattr(one, "how_to_make", "") for one in members)
    homes = [getattr(one, "__module__", "") for one in members if one is not str]
    in_files = all(home.partition(".")[0] == __name__.partition(".")[0] for home in homes)
    if not hint and in_files and isinstance(value, str | os.PathLike):
        hint = f"read it first with slotwise.read({os.fspath(value)!r})"
    return f"{guess}needs {wanted}, got {got}{hint and ': '}{hint}"


def _words(kind: Any) -> str:
    if get_origin(kind) is Literal:
        return listed([repr(choice) for choice in get_args(kind)], None, "or")
    plain, inner = get_origin(kind) or kind, get_args(kind)
    if plain is tuple and inner and inner[-1] is not Ellipsis:
        return f"({', '.join(_words(one) for one in inner)})"
    if plain in _CONTAINERS and inner and inner[-1] is not Any:
        one = inner[-1] if plain is Mapping else inner[0]
        each = listed([_words(member) for member in _members(one)], None, "or")
        return f"a mapping to {each}" if plain is Mapping else f"a sequence, each {each}"
    if plain in KINDS:
        return KINDS[plain][1]
    return with_article(getattr(plain, "__name__", str(plain)))


def called(thing: object) -> str:
    """`the string 'x.json'`, `a Datacenter`, `-1`: a value in a message."""
    if isinstance(thing, str):
        return f"the string {thing!r}"
    if isinstance(thing, os.PathLike):
        return f"the path {os.fspath(thing)!r}"
    if thing is None or isinstance(thing, bool | int | float):
        return repr(thing)
    return with_article(type(thing).__name__)


def with_article(name: str) -> str:
    """`an Instance`, `a Datacenter`."""
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"
