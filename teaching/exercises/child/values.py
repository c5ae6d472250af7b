"""What a submission may give as an answer, made plain."""

from __future__ import annotations

from typing import Any


class Unfit(Exception):
    """A value that is no part of an answer; the message says why."""


def plain(value: Any) -> Any:
    """Numbers and arrays of numpy, fractions, decimals and iterables as what JSON holds.

    `value`: a value that JSON does not hold.
    Returns one that it holds, perhaps with parts to be made plain.
    Raises `Unfit` if there is none.
    """
    if type(value).__name__ == "DataFrame":
        raise Unfit("a DataFrame is no list of rows: return frame.to_dict('records')")
    for method in ("tolist", "item"):
        if hasattr(value, method):
            return getattr(value, method)()
    if hasattr(value, "__float__"):
        return float(value)
    if hasattr(value, "__iter__"):
        return list(value)
    raise Unfit(f"a {type(value).__name__} is no part of an answer")
