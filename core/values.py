"""Values: data classes with arrays that compare equal by value, and what is kept with them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import wraps
from typing import Any, TypeVar

Thing = TypeVar("Thing")
Value = TypeVar("Value")


class ByValue:
    """Base of a data class with `eq=False`: equal if all fields but those of `compare=False` are.

    NaN equals NaN here, as in `numpy.testing`: two copies of one thing are equal.
    """

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if type(other) is not type(self):
            return NotImplemented
        return all(same(getattr(self, name), getattr(other, name)) for name in _names(self))

    def __hash__(self) -> int:
        # Words only: 1, 1.0 and an array of 1.0 are equal, NaN has a hash of its own each time.
        values = (getattr(self, name) for name in _names(self))
        return hash((type(self), *(value for value in values if isinstance(value, str))))


def same(one: Any, other: Any) -> bool:
    """Whether two values are equal, arrays and what holds arrays included."""
    if isinstance(one, str) or isinstance(other, str):
        return isinstance(one, str) and isinstance(other, str) and one == other
    if "ndarray" in (type(one).__name__, type(other).__name__):
        import numpy as np  # late: importers are listed without it

        one, other = np.asarray(one), np.asarray(other)
        with_nan = one.dtype.kind == other.dtype.kind == "f"
        return bool(np.array_equal(one, other, equal_nan=with_nan))
    if not isinstance(one, _HOLDERS) and not isinstance(other, _HOLDERS):
        return bool(one == other or (one != one and other != other))
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return type(one) is type(other) and len(one) == len(other) and all(map(same, one, other))
    return False


_HOLDERS = (Mapping, list, tuple)


def _names(thing: Any) -> list[str]:
    return [field.name for field in fields(thing) if field.compare]


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
