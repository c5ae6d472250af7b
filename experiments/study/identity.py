"""Names of runs: what a run is, as the first half of a SHA-256 in hexadecimal digits."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import cache
from importlib.metadata import version
from typing import Any

DIGITS = 32


def canonical(value: Any) -> str:
    """A value as JSON that is the same for equal values.

    Keys are sorted, there are no blanks, everything is ASCII, and numbers without a fraction are
    integers: 2 and 2.0 are one.

    Raises `ValueError` for numbers that are not finite.
    """
    return json.dumps(
        _plain(value), sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False
    )


@cache
def own_version() -> str:
    return version("slotwise")


def name_of(instance: str, method: str) -> str:
    """The name of a run, in which the version of slotwise has a part.

    `instance`, `method`: their identities as canonical texts; the same texts are in many runs.
    """
    text = f'{{"instance":{instance},"method":{method},"version":{canonical(own_version())}}}'
    return hashlib.sha256(text.encode()).hexdigest()[:DIGITS]


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value
