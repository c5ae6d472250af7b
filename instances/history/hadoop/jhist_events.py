"""Events of a `.jhist` file, Avro-Json or Avro-Binary, one by one as plain dictionaries."""

from __future__ import annotations

import io
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

try:
    from orjson import loads
except ImportError:  # it is only faster
    from json import loads  # type: ignore[assignment]

from ....core.errors import InputError
from ....core.files.csv_rows import other_kind
from ....core.files.log_lines import log_lines

NOT_JSON = "line that is not JSON"
NO_EVENT = "line without an event"
CUT = "last line, cut"
DAMAGED = "rest of a binary file that is damaged or cut"

Event = tuple[str, dict[str, Any]]
"""Its type, such as `MAP_ATTEMPT_STARTED`, and its fields."""


def jhist_events(path: str | Path, dropped: Counter[str]) -> Iterator[Event]:
    """The events of a file in its order; what cannot be read is counted by reason.

    Raises `InputError` if it is no `.jhist`, or binary and fastavro is not installed.
    """
    lines = log_lines(path, dropped)
    first = next(lines, b"").strip()
    if first == b"Avro-Json":
        yield from _text_events(lines, dropped)
    elif first == b"Avro-Binary":
        yield from _binary_events(next(lines, b""), io.BytesIO(b"".join(lines)), path, dropped)
    else:
        raise InputError(f"{path}: no .jhist of Hadoop{other_kind(path, 'jhist')}")


def _text_events(lines: Iterator[bytes], dropped: Counter[str]) -> Iterator[Event]:
    for line in lines:
        if not line.strip():
            continue
        try:
            record = loads(line)
        except (ValueError, RecursionError):
            dropped[NOT_JSON if line.endswith(b"\n") else CUT] += 1
            continue
        if isinstance(record, dict) and isinstance(record.get("event"), dict):
            fields = next(iter(record["event"].values()), None)
            if isinstance(record.get("type"), str) and isinstance(fields, dict):
                yield record["type"], {name: _plain(value) for name, value in fields.items()}
                continue
        elif isinstance(record, dict) and record.get("type") == "record":
            continue  # the schema
        dropped[NO_EVENT] += 1


def _plain(value: Any) -> Any:
    """The value of a union, which Avro writes as `{"string": value}`."""
    if isinstance(value, dict) and len(value) == 1:
        (kind, inner), *_ = value.items()
        if kind in ("string", "long", "int", "boolean"):
            return inner
    return value


def _binary_events(
    schema: bytes, stream: io.BytesIO, path: str | Path, dropped: Counter[str]
) -> Iterator[Event]:
    try:
        import fastavro
    except ImportError:
        raise InputError(
            f"{path}: Avro-Binary (Hadoop 3 default): pip install 'slotwise[audit]', or set "
            "mapreduce.jobhistory.jhist.format=json"
        ) from None
    try:
        parsed = fastavro.parse_schema(json.loads(schema))
    except Exception as error:  # fastavro has many
        raise InputError(f"{path}: line 2: no Avro schema ({error})") from None
    length = len(stream.getbuffer())
    while stream.tell() < length:
        try:
            record: Any = fastavro.schemaless_reader(stream, parsed, None)
            kind, fields = record["type"], dict(record["event"])
        except Exception:  # whatever the bytes make of it: nothing after them can be found
            dropped[DAMAGED] += 1
            return
        yield kind, fields
