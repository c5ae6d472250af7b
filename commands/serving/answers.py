"""Documents as JSON."""

from __future__ import annotations

import json
from typing import Any

import orjson


def json_bytes(document: Any) -> bytes:
    """A document of finite numbers; names may hold what UTF-8 cannot: escapes hold anything."""
    try:
        return orjson.dumps(document)
    except TypeError:
        return json.dumps(document).encode()
