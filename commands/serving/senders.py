"""Who may ask a service: programs of this machine, or who has the token; and how often."""

from __future__ import annotations

from functools import lru_cache
from hmac import compare_digest
from ipaddress import ip_address
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from ...core.errors import InputError

if TYPE_CHECKING:
    from starlette.requests import Request

LEAST_TOKEN = 16
"""Characters of the shortest token."""


def read_token(path: Path) -> str:
    """The token in a file. Raises `InputError`."""
    from ...core.files.inputs import read_bytes

    token = read_bytes(path).decode(errors="replace").strip()
    if len(token) < LEAST_TOKEN or not token.isascii() or not token.isprintable() or " " in token:
        raise InputError(
            f"{path}: need a token of at least {LEAST_TOKEN} letters, digits and signs, such as "
            "python3 -c 'import secrets; print(secrets.token_urlsafe())' makes"
        )
    return token


def has_token(header: str, token: str) -> bool:
    """Whether a header `Authorization` has the token."""
    return compare_digest(header.encode(), f"Bearer {token}".encode())


@lru_cache(maxsize=64)
def is_loopback(host: str) -> bool:
    """Whether an address is one of this machine that no other machine reaches."""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def is_local(host: str | None) -> bool:
    """Whether a header `Host` names this machine, as those of pages of other sites do not."""
    name = (host or "").removesuffix("]")
    if not name.startswith("["):
        name = name.partition(":")[0]
    elif "]" in name:
        name = name.partition("]")[0]
    return is_loopback(name.removeprefix("["))


class Guard:
    """Refuses who may not ask, or asks too often.

    `token`: what they have to send; None: programs of this machine are answered.
    `rate`: requests a second that one address may make, with as many more at once.
    `certified`: whether whoever connects has shown a certificate; then no token is needed.
    """

    MOST_ADDRESSES = 10_000
    """So many are remembered."""

    def __init__(
        self, token: str | None = None, rate: float = 2000.0, *, certified: bool = False
    ) -> None:
        self.token, self._rate, self._certified = token, rate, certified
        self._left: dict[str, tuple[float, float]] = {}

    def check(self, request: Request, *, is_open: bool) -> None:
        """Raise `HTTPException` for a request that is refused."""
        from starlette.exceptions import HTTPException

        address = "" if request.client is None else request.client.host
        now = monotonic()
        left, since = self._left.get(address, (self._rate, now))
        left = min(self._rate, left + (now - since) * self._rate)
        if len(self._left) >= self.MOST_ADDRESSES:
            self._left.clear()
        self._left[address] = max(left - 1, 0.0), now
        if left < 1:
            raise HTTPException(429, f"more than {self._rate:g} requests a second")
        if is_open:
            return
        headers = request.headers
        if self.token is not None:
            if not has_token(headers.get("authorization", ""), self.token):
                raise HTTPException(401, "need the header Authorization: Bearer TOKEN")
        elif "origin" in headers or not (self._certified or is_local(headers.get("host"))):
            raise HTTPException(403, "without a token only programs of this machine are answered")
