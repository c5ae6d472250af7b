"""Documents, read exactly. Every one may come from an enemy: what is not of its form is refused."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import math
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

Number = int | Fraction
Document = dict[str, Any]

MOST = 10**24
"""Greatest amount; one over it is the least of those that must be positive."""
MOST_BYTES, MOST_DIGITS = 10**9, 300


class Refused(Exception):
    """A file or a proof is not what it has to be."""


def refuse(why: str) -> NoReturn:
    raise Refused(why)


@contextmanager
def refusing() -> Iterator[None]:
    """Whatever a hostile document lets go wrong is a reason to refuse it."""
    try:
        yield
    except KeyError as why:
        raise Refused(f"there is no {ascii(why.args[0])[:80]}") from None
    except (LookupError, AttributeError, TypeError, ValueError, ArithmeticError) as why:
        raise Refused(f"not of its form: {ascii(str(why))[1:-1][:200]}") from None
    except (RecursionError, MemoryError):
        raise Refused("too large, or too deep") from None


def read(path: str | Path) -> tuple[Document, str]:
    """The object in a JSON file, which may be compressed, and the SHA-256 of its text."""
    with open(path, "rb") as file:
        data = file.read(MOST_BYTES + 1)
    if data[:2] == b"\x1f\x8b":
        data = gzip.GzipFile(fileobj=io.BytesIO(data)).read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        refuse("the file is too large")
    return parsed(data), hashlib.sha256(data).hexdigest()


def parsed(text: str | bytes) -> Document:
    """The object that a JSON text holds; no key may come twice."""

    def pairs(items: list[tuple[str, Any]]) -> Document:
        if len(dict(items)) < len(items):
            refuse("a key comes twice in one object")
        return dict(items)

    with refusing():
        document = json.loads(
            text,
            parse_float=exactly,
            parse_int=exactly,
            parse_constant=lambda name: refuse(f"{name} is no number"),
            object_pairs_hook=pairs,
        )
        return need(document, dict)  # type: ignore[no-any-return]


def exactly(text: str) -> Number:
    """A decimal number: an int if it is written as one, else a fraction."""
    digits, _, exponent = text.lower().partition("e")
    if len(digits) > MOST_DIGITS or len(exponent) > 4:
        refuse("a number has too many digits")
    if digits == text and "." not in text:
        return int(text)
    value = Decimal(text)
    if value.adjusted() >= MOST_DIGITS:
        refuse("a number is too large")
    return Fraction(value)


def need(value: Any, kind: type, count: int | None = None) -> Any:
    """The value, if it is of the kind: dict, list, str, or Fraction for any number."""
    kinds = (int, Fraction) if kind is Fraction else (kind,)
    if type(value) not in kinds or (count is not None and len(value) != count):
        words: dict[type, str] = {dict: "an object", list: "a list", str: "a text"}
        number = "" if count is None else f" of {count} entries"
        refuse(f"need {words.get(kind, 'a number')}{number}, not {ascii(value)[:80]}")
    return value


@cache
def _names(names: str) -> tuple[set[str], set[str]]:
    return {n for n in names.split() if n[-1] != "?"}, set(names.replace("?", "").split())


def fields(document: Any, names: str) -> Document:
    """The object, if it has these fields, perhaps without those with `?`, and no others."""
    must, known = _names(names)
    if not must <= need(document, dict).keys() <= known:
        refuse(f"need an object with {names}, not with {ascii(' '.join(document))[1:-1][:200]}")
    return document  # type: ignore[no-any-return]


def amount(value: Any, above: bool = False) -> Fraction:
    """A number that is at least 0, or above 0."""
    over, under = need(value, Fraction).numerator, value.denominator
    if not 0 <= over <= MOST * under or (above and over * MOST < under):
        refuse(f"need a number {'above' if above else 'of at least'} 0, and at most 1e24")
    return Fraction(value)


def whole(value: Any, size: int = 10**MOST_DIGITS) -> int:
    """A whole number from 0 to size - 1."""
    if type(value) is not int or not 0 <= value < size:
        refuse(f"need a whole number from 0 to {size - 1:.6g}, not {ascii(value)[:80]}")
    return value


def wholes(values: Any, count: int | None = None, size: int = 10**MOST_DIGITS) -> list[int]:
    """So many whole numbers from 0 to size - 1."""
    return [whole(value, size) for value in need(values, list, count)]


def distinct(values: Any, size: int) -> list[int]:
    """Whole numbers from 0 to size - 1, none twice."""
    numbers = wholes(values, size=size)
    if len(set(numbers)) < len(numbers):
        refuse("a number comes twice")
    return numbers


def rising(values: Any, least: int) -> list[int]:
    """Whole numbers that rise, from the least one on."""
    numbers = wholes(values)
    if any(b <= a for a, b in zip([least - 1, *numbers], numbers, strict=False)):
        refuse(f"need whole numbers that rise, from {least} on")
    return numbers


def parts(numbers: Iterable[Number]) -> tuple[Fraction, list[int]]:
    """The greatest part of which all the numbers are whole multiples, and these multiples.

    The part is 0 if all numbers are.
    """
    numbers = list(numbers)
    under = math.lcm(*{number.denominator for number in numbers})
    multiples = [number.numerator * (under // number.denominator) for number in numbers]
    part = math.gcd(*multiples)
    return Fraction(part, under), [number // (part or 1) for number in multiples]
