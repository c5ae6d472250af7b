"""Who may ask a service: programs of this machine, or who has the token."""

from __future__ import annotations

from hmac import compare_digest
from ipaddress import ip_address
from pathlib import Path

from ...core.errors import InputError

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
