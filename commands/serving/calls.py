"""A call: a method and a path, and what answers it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

Answer = dict[str, Any] | Response
"""A document, which is sent as JSON, or anything else."""


@dataclass(frozen=True)
class Call:
    """What is done at a path; a `ValueError` of `answer` says what is wrong with a request."""

    method: str
    path: str
    """With `{name:path}` for a name, which may have slashes."""
    answer: Callable[[Request], Awaitable[Answer]]
    about: str
    """One line for the documentation."""
    body: str | None = None
    """Which body it takes: a name in `openapi.BODIES`."""
    is_open: bool = False
    """Whether everybody is answered, without a token and from any page."""
