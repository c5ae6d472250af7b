"""Arrays that users give: of the right kind and shape, since compiled code trusts them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.errors import InputError

_NUMBERS = {"f": ("iuf", "numbers"), "i": ("iu", "whole numbers"), "b": ("b", "True and False")}
"""What an array of each kind may be made of, and its name in messages."""


def array_of(what: str, values: Any, kind: type[Any], shape: tuple[int | None, ...]) -> Any:
    """Values as an array of a kind of numbers and a shape, in which None stands for any length.

    Lists and other sizes of numbers will do. Raises `InputError`; the message begins with `what`.
    """
    wanted = np.dtype(kind)
    may_be, words = _NUMBERS[wanted.kind]
    try:
        given = np.asarray(values)
    except ValueError:
        raise InputError(f"{what}: needs rows of one length") from None
    if given.dtype.kind not in may_be and (given.size or given.ndim != len(shape)):
        raise InputError(f"{what}: needs an array of {words}, got {given.dtype}")
    if given.ndim != len(shape) or any(
        need not in (None, got) for need, got in zip(shape, given.shape, strict=True)
    ):
        need = "one dimension" if shape == (None,) else f"shape {shape}"
        raise InputError(f"{what}: needs an array of {need}, got shape {given.shape}")
    array = given.astype(wanted, copy=False)
    if wanted.kind == "i" and given.size and np.any(array != given):
        raise InputError(f"{what}: needs whole numbers of {8 * wanted.itemsize} bits")
    return array


def check_arrays(
    thing: object, where: str, kind: type[Any], **shapes: tuple[int | None, ...]
) -> None:
    """Make fields of a frozen data class arrays of a kind of numbers and these shapes.

    Compiled code trusts them. Raises `InputError`; the message begins with `where` and the field.
    """
    for name, shape in shapes.items():
        values = getattr(thing, name)
        array = array_of(where + name, values, kind, shape)
        if array is not values:
            object.__setattr__(thing, name, array)
