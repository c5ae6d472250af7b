"""JSON Schemas of all formats, made from the validators that read the files and shipped as files.

A schema says of a file what its validator says: fields, kinds and ranges. What holds between fields
(names that exist, rates in order, a leaf or a group) only the reader checks.

`python -m slotwise.reports.documents.schemas FOLDER` writes all of them anew.
"""

from __future__ import annotations

import json
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

from ...core.calls.checked import checked
from ...core.files.outputs import write_bytes
from .formats import FORMATS, FileFormat, file_format

DIALECT = "https://json-schema.org/draft/2020-12/schema"
FIELDS = "docs/reference/formats.md"


@checked
def schema(name: str) -> dict[str, Any]:
    """The JSON Schema of a format.

    Parameters
    ----------
    name : str
        For example `mapreduce` or `slotwise/mapreduce/1`.

    Returns
    -------
    dict
        A schema of draft 2020-12, as shipped with the package.

    Raises
    ------
    InputError
        For an unknown format; the message lists those there are.
    """
    package = __name__.split(".", 1)[0]
    file = files(package).joinpath("schemas", f"{file_format(name).name}.json")
    document: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return document


def schema_of(known: FileFormat) -> dict[str, Any]:
    """The schema as the validator of a format gives it."""
    made = known.load(known.validator).model_json_schema()
    body: dict[str, Any] = _plain(made)
    kind = known.thing.split(":")[1]
    return {
        "$schema": DIALECT,
        "$id": known.full_name,
        "title": known.full_name,
        "description": f"A slotwise {kind} as JSON; {FIELDS} says what the fields mean.",
        **body,
    }


def _plain(part: Any) -> Any:
    """Without titles and docstrings of classes, and without the underscores of private ones."""
    if isinstance(part, list):
        return [_plain(item) for item in part]
    if not isinstance(part, dict):
        return part.replace("#/$defs/_", "#/$defs/") if isinstance(part, str) else part
    named = {"$defs", "properties"}
    return {
        key: {name.removeprefix("_"): _plain(item) for name, item in value.items()}
        if key in named
        else _plain(value)
        for key, value in part.items()
        if key not in ("title", "description")
    }


def write_schemas(folder: str | Path) -> None:
    for known in FORMATS:
        text = json.dumps(schema_of(known), indent=1) + "\n"
        write_bytes(Path(folder) / f"{known.name}.json", text.encode())


if __name__ == "__main__":
    write_schemas(sys.argv[1])
