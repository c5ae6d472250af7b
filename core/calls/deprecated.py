"""Old spellings of the Python interface, which work for one more version."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import wraps
from typing import Any, ParamSpec, TypeVar, cast

P = ParamSpec("P")
T = TypeVar("T")

LAST = "0.1"
"""The last version that takes them."""

Arguments = tuple[Any, ...]


def deprecated(old: str, new: str, depth: int = 2) -> None:
    """Warn of an old spelling.

    `depth`: how many calls up the user's own line is.
    """
    warnings.warn(
        f"{old} is now {new}; slotwise {LAST} is the last version that takes the old spelling",
        DeprecationWarning,
        stacklevel=depth + 1,
    )


def takes_old(
    new: str,
    *,
    order: Callable[[Arguments], Arguments | None] | None = None,
    names: Mapping[str, str] | None = None,
    keyword: tuple[int, str] | None = None,
) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Let a function take its arguments in an old order, or by old names, with a warning.

    `new`: the call as it is now.
    `order`: the arguments by place in the new order, None if they are in that order already.
    `names`: old names of keywords, with the new ones.
    `keyword`: a place that was an argument's, and the keyword that it has become.
    """
    renamed = names or {}

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        verb, run = function.__name__, cast(Callable[..., T], function)

        @wraps(function)
        def call(*args: P.args, **given: P.kwargs) -> T:
            options: dict[str, Any] = dict(given)
            places = order(args) if order is not None else None
            if places is not None:
                deprecated(f"{verb}(…) in the old order", new)
            for old in renamed.keys() & options.keys():
                deprecated(f"{verb}({old}=…)", f"{verb}({renamed[old]}=…)")
                options.setdefault(renamed[old], options.pop(old))
            ordered: Arguments = args if places is None else places
            if keyword is not None and len(ordered) == keyword[0] + 1:
                deprecated(f"{verb} with {keyword[1]} by place", new)
                *rest, options[keyword[1]] = ordered
                ordered = tuple(rest)
            return run(*ordered, **options)

        return call

    return decorate


class OncePair:
    """What a reader gave as the first of a pair, with a list of complaints, and gives alone now."""

    def __iter__(self) -> Iterator[Any]:
        kind = type(self).__name__.lower()
        deprecated(f"{kind}, violations = read_{kind}(…)", f"{kind} = read_{kind}(…)")
        return iter((self, []))


def takes_mapping(function: Callable[P, T]) -> Callable[P, T]:
    """Let a function take `parameters={…}` for what are keywords of its own now."""
    run = cast(Callable[..., T], function)

    @wraps(function)
    def call(*args: P.args, **given: P.kwargs) -> T:
        options: dict[str, Any] = dict(given)
        if "parameters" in options:
            verb, mapping = function.__name__, options.pop("parameters")
            deprecated(f"{verb}(…, parameters={{…}})", f"{verb}(…, NAME=VALUE)", 3)
            options |= mapping or {}
        return run(*args, **options)

    return call


def method_first(args: Arguments) -> Arguments | None:
    """Whether what names a method comes before the problem: then the two change places."""
    if len(args) > 1 and names_method(args[0]) and not names_method(args[1]):
        return (args[1], args[0], *args[2:])
    return None


def names_method(thing: object) -> bool:
    """Whether a thing is a name, a function or an entry of a registry."""
    return isinstance(thing, str) or callable(thing) or type(thing).__name__ == "Entry"
