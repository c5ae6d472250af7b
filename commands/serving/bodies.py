"""Bodies of requests: bounded in length and time, and what is wrong is said in one line."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request

MOST_BYTES = 64 * 1024
"""Longest body of a request, but for those that say otherwise."""

MOST_SECONDS = 20.0
"""Within them a body has to arrive."""

LONGEST_NAME = 200


async def body_of(request: Request, most: int = MOST_BYTES) -> bytes:
    """The body. Raises `HTTPException` if it is too long or too slow."""
    length = request.headers.get("content-length", "0")
    content = bytearray()
    too_long = HTTPException(413, f"the body is longer than {most} bytes")
    if not length.isdecimal() or len(length) > 12 or int(length) > most:
        raise too_long
    with suppress(TimeoutError):
        async with asyncio.timeout(MOST_SECONDS):
            async for part in request.stream():
                content += part
                if len(content) > most:
                    raise too_long
            return bytes(content)
    raise HTTPException(408, f"the body took longer than {MOST_SECONDS:g} seconds")


def document_of(content: bytes) -> dict[str, Any]:
    """The object in a body."""
    document = json.loads(content)
    if not isinstance(document, dict):
        raise ValueError("need a JSON object")
    return document


async def fields_of(request: Request, *names: str) -> dict[str, Any]:
    """The object in the body, which has no other fields than these."""
    given = document_of(await body_of(request))
    for name in given:
        if name not in names:
            raise ValueError(f"unknown field {name!r}: need {', '.join(names)}")
    return given


def checked_name(field: str, value: Any) -> str:
    if not (isinstance(value, str) and 0 < len(value) <= LONGEST_NAME and value.isprintable()):
        raise ValueError(f"{field}: need text of 1 to {LONGEST_NAME} printable characters")
    return value


def checked_class(given: dict[str, Any]) -> str | None:
    """The field `class`, None if it is absent."""
    return None if given.get("class") is None else checked_name("class", given["class"])


def amounts_of(field: str, given: dict[str, Any]) -> dict[str, float] | None:
    """Amounts by resource, None if the field is absent."""
    value = given.get(field)
    if value is None:
        return None
    if not isinstance(value, dict):
        raise ValueError(f"{field}: need amounts by resource")
    for resource, amount in value.items():
        if isinstance(amount, bool) or not isinstance(amount, int | float):
            raise ValueError(f"{field}: {resource}: need a number")
    return value
