"""Public functions look at their arguments before anything runs, by their annotations."""

from __future__ import annotations

import ast
import inspect
import math
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, wraps
from numbers import Integral, Real
from pathlib import Path
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    ParamSpec,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    is_typeddict,
)

from ..advice import did_you_mean
from ..errors import CallError
from ..wording import listed
from .argument_types import called, how_to_read, with_article

MOST_ELEMENTS = 10_000
"""Elements of longer sequences are not looked at."""

P = ParamSpec("P")
T = TypeVar("T")

_WORDS: dict[object, str] = {
    bool: "True or False",
    float: "a number",
    int: "a whole number",
    str: "a word",
    NoneType: "None",
    Path: "a path",
    Callable: "a function",
    Mapping: "a mapping",
    type: "a class",
    Sequence: "a sequence",
    Iterable: "a sequence",
}


def checked(function: Callable[P, T]) -> Callable[P, T]:
    """Check how a function is called, and numbers, words, paths and classes by its annotations.

    What is annotated with anything else can be anything, and is the function's own to check.
    """
    return checked_as(function.__name__)(function)


def checked_but(*own: str) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """As `checked`, for a function that says itself what is wrong with some arguments."""
    return lambda function: checked_as(function.__name__, own)(function)


def checked_as(name: str, own: Sequence[str] = ()) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """As `checked`, for a function that is published by another name.

    `own`: arguments that it checks itself.
    """

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        run = cast(Callable[..., T], function)

        @wraps(function)
        def call(*args: P.args, **given: P.kwargs) -> T:
            check_call(name, function, args, given, own)
            return run(*args, **given)

        call.__name__ = name
        signature = inspect.signature(function)
        parameters = [
            one.replace(annotation=_bare(one.annotation)) for one in signature.parameters.values()
        ]
        call.__dict__["__signature__"] = signature.replace(
            parameters=parameters, return_annotation=_bare(signature.return_annotation)
        )
        return call

    return decorate


class _Bare(str):
    """An annotation that help shows without quotes."""

    __repr__ = str.__str__


def _bare(annotation: Any) -> Any:
    if not isinstance(annotation, str):
        return annotation
    tree = ast.parse(annotation.strip("\"'"), mode="eval").body
    if isinstance(tree, ast.Subscript) and ast.unparse(tree.value) == "Annotated":
        assert isinstance(tree.slice, ast.Tuple)
        tree = tree.slice.elts[0]
    return _Bare(ast.unparse(tree))


def checked_class(kind: type[T]) -> type[T]:
    """Say in words what is wrong with a call of a class; what it is given is not looked at."""
    make = kind.__init__

    @wraps(make)
    def __init__(self: T, *args: Any, **given: Any) -> None:
        try:
            make(self, *args, **given)
        except TypeError:
            check_call(kind.__name__, kind, args, given)
            raise

    type.__setattr__(kind, "__init__", __init__)
    return kind


def check_fields(what: str, thing: object) -> None:
    """Raise `CallError` unless the fields of a data class are what their annotations say.

    `what`: what the message begins with.
    """
    kind: Any = type(thing)
    for name, annotation in _kinds_of_fields(kind).items():
        _check(what, name, annotation, getattr(thing, name))


@cache
def _kinds_of_fields(kind: type) -> dict[str, Any]:
    spaces = _globals_of(kind)
    return {name: _evaluated(one, spaces) for name, one in kind.__annotations__.items()}


def check_call(
    verb: str,
    function: Callable[..., Any],
    args: tuple[Any, ...],
    given: Mapping[str, Any],
    own: Sequence[str] = (),
) -> None:
    """Raise `CallError` unless a function can be called like this; the message begins with `verb`.

    A function whose signature cannot be read takes everything. One of a data class of parameters
    takes such an object, too.
    `own`: arguments that are not looked at.
    """
    known, together = _parameters(function), getattr(function, "parameters", None)
    if known is None or (isinstance(together, type) and args and isinstance(args[-1], together)):
        return
    signature, kinds = known
    try:
        bound = signature.bind(*args, **given)
    except TypeError:
        raise CallError(f"{verb}: {_unbound(signature, args, given)}") from None
    for name, value in bound.arguments.items():
        kind = signature.parameters[name].kind
        if name in own:
            continue
        if kind is inspect.Parameter.VAR_POSITIONAL:
            for one in value:
                _check(verb, name, kinds.get(name), one)
        elif kind is inspect.Parameter.VAR_KEYWORD:
            for option, one in value.items():
                _check(verb, option, kinds.get(option), one)
        else:
            _check(verb, name, kinds.get(name), value)


@cache
def _parameters(
    function: Callable[..., Any],
) -> tuple[inspect.Signature, dict[str, Any]] | None:
    """The signature of a function, with the keywords of an unpacked `TypedDict`; the types."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return None
    plain = inspect.unwrap(function)
    spaces = getattr(plain, "__globals__", None) or _globals_of(function)
    parameters, kinds = [], {}
    for one in signature.parameters.values():
        kind = _evaluated(one.annotation, spaces)
        if one.kind is one.VAR_KEYWORD and (options := _options(kind)) is not None:
            for name, annotation in options.__annotations__.items():
                kinds[name] = _evaluated(annotation, _globals_of(options))
                parameters.append(one.replace(name=name, kind=one.KEYWORD_ONLY, default=None))
        elif one.kind is one.VAR_KEYWORD:
            parameters.append(one)
        else:
            kinds[one.name] = kind
            parameters.append(one)
    return signature.replace(parameters=parameters), kinds


def _globals_of(thing: Any) -> dict[str, Any]:
    module = sys.modules.get(getattr(thing, "__module__", None) or "")
    return {} if module is None else vars(module)


def _options(kind: Any) -> Any:
    """The `TypedDict` of `**options: Unpack[…]`, None without one."""
    (options, *_) = get_args(kind) or (None,)
    return options if is_typeddict(options) else None


def _evaluated(annotation: Any, spaces: dict[str, Any]) -> Any:
    """An annotation, None if it is anything, or has names that are there for type checkers only."""
    try:
        if not isinstance(annotation, str):
            annotation = getattr(annotation, "__forward_arg__", annotation)
        kind = eval(annotation, spaces) if isinstance(annotation, str) else annotation
    except Exception:
        return None
    if get_origin(kind) is Annotated:
        kind = get_args(kind)[0]
    return None if kind in (Any, object, inspect.Parameter.empty) else kind


def _unbound(signature: inspect.Signature, args: tuple[Any, ...], given: Mapping[str, Any]) -> str:
    """What is wrong with a call that does not fit the signature."""
    parameters, takes = signature.parameters.values(), f"it takes {_shown(signature)}"
    takes_any = any(one.kind is one.VAR_KEYWORD for one in parameters)
    names = [one.name for one in parameters if one.kind is not one.POSITIONAL_ONLY]
    places = [one for one in parameters if one.kind in (one.POSITIONAL_ONLY, _EITHER)]
    for name in given:
        if name not in names and not takes_any:
            return f"no argument {name!r}: {did_you_mean(name, names)}{takes}"
    if len(args) > len(places) and not any(one.kind is one.VAR_POSITIONAL for one in parameters):
        return (
            f"{len(args)} arguments by place, at most {len(places)}: it takes {_shown(signature)}"
        )
    for place, one in enumerate(places):
        if one.name in given and place < len(args):
            return f"{one.name} is given twice: {takes}"
    missing = [
        one.name
        for place, one in enumerate(parameters)
        if one.default is one.empty
        and one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)
        and one.name not in given
        and not (place < len(args) and one in places)
    ]
    return f"{listed(missing, None, 'and')} missing: {takes}"


_EITHER = inspect.Parameter.POSITIONAL_OR_KEYWORD


def _shown(signature: inspect.Signature) -> str:
    """`(instance, method, *, seed=0)`: names and defaults, without types."""
    bare = [one.replace(annotation=one.empty) for one in signature.parameters.values()]
    return str(inspect.Signature(bare)).replace("=None", "")


def _check(verb: str, name: str, kind: Any, value: Any) -> None:
    if kind is None or _fits(kind, value):
        return
    members = [one for one in _members(kind) if one is not NoneType]
    choices = [choice for one in members if get_origin(one) is Literal for choice in get_args(one)]
    guess = did_you_mean(value, map(str, choices)) if isinstance(value, str) else ""
    wanted = listed(list(dict.fromkeys(_words(one) for one in members)), None, "or")
    hints = [one.how_to_make for one in members if hasattr(one, "how_to_make")]
    hint = "".join(hints) or (how_to_read(value) if _in_files(members) else "")
    got = called(value)
    for member in members:
        if get_origin(member) in _CONTAINERS and _is_container(get_origin(member), value):
            odd = _odd_one(member, value)
            got += "" if odd is _NONE or odd is value else f" with {called(odd)}"
            break
    raise CallError(f"{verb}: {name}: {guess}needs {wanted}, got {got}{hint and ': '}{hint}")


_CONTAINERS = (Sequence, Iterable, Mapping, tuple)


def _members(kind: Any) -> tuple[Any, ...]:
    if get_origin(kind) is Annotated:
        return _members(get_args(kind)[0])
    if get_origin(kind) in (Union, UnionType):
        return tuple(one for member in get_args(kind) for one in _members(member))
    return (kind,)


def _in_files(members: list[Any]) -> bool:
    """Whether what is needed is one of our classes, which a file may hold."""
    ours = __name__.partition(".")[0]
    kinds = [one for one in members if isinstance(one, type)]
    return len(kinds) == len(members) and all(one.__module__.startswith(ours) for one in kinds)


def _words(kind: Any) -> str:
    if get_origin(kind) is Literal:
        return listed([repr(choice) for choice in get_args(kind)], None, "or")
    plain, inner = get_origin(kind) or kind, get_args(kind)
    if plain is tuple and inner and inner[-1] is not Ellipsis:
        return f"({', '.join(_words(one) for one in inner)})"
    if plain in (Sequence, Iterable, tuple) and inner:
        members = [_words(one) for one in _members(inner[0])]
        return f"a sequence, each {listed(members, None, 'or')}"
    if plain is Mapping and inner and inner[-1] is not Any:
        members = [_words(one) for one in _members(inner[-1])]
        return f"a mapping to {listed(members, None, 'or')}"
    if plain in _WORDS:
        return _WORDS[plain]
    return with_article(getattr(plain, "__name__", str(plain)))


def _fits(kind: Any, value: Any) -> bool:
    """Whether a value is of a type; types that cannot be looked at fit everything."""
    plain = get_origin(kind) or kind
    if plain in (Union, UnionType, Annotated):
        return any(_fits(member, value) for member in _members(kind))
    if plain is Literal:
        return any(value == choice and type(value) is type(choice) for choice in get_args(kind))
    if plain is type:
        return isinstance(value, type)
    if plain is float:
        return isinstance(value, Real) and not _is_bool(value) and not math.isnan(value)
    if plain is int:
        return isinstance(value, Integral) and not _is_bool(value)
    if plain is Path:
        return isinstance(value, str | os.PathLike)
    if not isinstance(plain, type) or plain.__name__ == "ndarray":
        return True
    if plain in (Sequence, Iterable, tuple):
        return _is_container(plain, value) and _odd_one(kind, value) is _NONE
    if plain is Mapping:
        return isinstance(value, Mapping) and _odd_one(kind, value) is _NONE
    try:
        return isinstance(value, plain)
    except TypeError:  # a protocol
        return True


def _is_container(plain: type, value: Any) -> bool:
    if plain is tuple:
        return isinstance(value, list | tuple)
    return isinstance(value, Iterable) and not isinstance(value, str | bytes)


_NONE = object()


def _odd_one(kind: Any, value: Any) -> Any:
    """What does not belong into a container, or the container itself for a wrong length."""
    kinds = get_args(kind)
    if isinstance(value, Mapping):
        return next((one for one in value.values() if not _fits(kinds[-1], one)), _NONE)
    if not kinds or not isinstance(value, list | tuple) or len(value) > MOST_ELEMENTS:
        return _NONE
    if get_origin(kind) is tuple and kinds[-1] is not Ellipsis:
        if len(value) != len(kinds):
            return value
    else:
        kinds = kinds[:1] * len(value)
    pairs = zip(kinds, value, strict=True)
    return next((one for one_kind, one in pairs if not _fits(one_kind, one)), _NONE)


def _is_bool(value: object) -> bool:
    return isinstance(value, bool) or type(value).__name__ == "bool_"
