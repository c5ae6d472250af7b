"""What is worked out of an instance is worked out once, and kept with it."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar

Thing = TypeVar("Thing")
Value = TypeVar("Value")


def once(function: Callable[[Thing], Value]) -> Callable[[Thing], Value]:
    """Keep what a function says of an object with the object, for the next call.

    The object must not change, nor may callers change what they get.
    """
    key = f"{function.__module__}.{function.__qualname__}"

    @wraps(function)
    def kept(thing: Thing) -> Value:
        known = vars(thing)
        if key not in known:
            known[key] = function(thing)
        value: Value = known[key]
        return value

    return kept
