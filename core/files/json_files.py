"""JSON in and out: read within the limits of an input, validated, written atomically."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from ..advice import format_hint, kind_hint
from ..errors import InputError
from ..removed import REMOVED, removed
from .inputs import decoded, read_bytes
from .outputs import write_bytes

MOST_CONTAINERS = 10_000_000
"""Most lists and objects of a JSON file."""
MOST_ITEMS = 60_000_000
"""Most values of a JSON file. Python takes 60 to 250 bytes for each; a hierarchy of a million nodes
has two million objects."""

Model = TypeVar("Model", bound=BaseModel)


STRICT = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


class Strict(BaseModel):
    """Base of all file models: strict types, and an unknown field is an error."""

    model_config = STRICT


@dataclass(frozen=True, eq=False)
class JsonFile:
    """A JSON object in memory, because a pipe can be read only once. Readers take it as a path."""

    path: str | Path
    content: bytes
    document: dict[str, Any]

    @classmethod
    def read(cls, path: Source) -> JsonFile:
        """The object in a file; what is in memory already is itself. Raises `InputError`."""
        if isinstance(path, JsonFile):
            return path
        content = read_bytes(path).removeprefix(b"\xef\xbb\xbf")
        check_parsable(content, path)
        text = decoded(content, path)
        try:
            # The hook does nothing, but without a step of Python's own signals would have to wait.
            document = json.loads(text, object_hook=lambda value: value)
        except (RecursionError, ValueError) as error:
            raise InputError(f"{path}: {json_problem(error)}{kind_hint(content)}") from None
        if not isinstance(document, dict):
            got = f"{shown(document)}{kind_hint(content)}"
            raise InputError(f"{path}: need a JSON object, got {got}")
        return cls(path, content, document)

    def format_of(self, *formats: str) -> str:
        """The format that it says it has. Raises `InputError` if it is none of these."""
        declared = self.document.get("format")
        if declared not in formats:
            if gone := removed(str(declared)):
                raise InputError(f"{self.path}: {gone}")
            wanted = " or ".join(map(repr, formats))
            got = "there is none" if declared is None else f"got {shown(declared)}"
            hint = format_hint(self.document)
            raise InputError(f"{self.path}: format: need {wanted}, {got}{hint}")
        return str(declared)

    def __str__(self) -> str:
        return str(self.path)


Source = str | Path | JsonFile


def check_parsable(content: bytes, path: Source) -> None:
    """Raise `InputError` for JSON that takes many times its length of memory when it is read."""
    containers, items = content.count(b"[") + content.count(b"{"), content.count(b",")
    if containers > MOST_CONTAINERS:
        raise InputError(f"{path}: more than {MOST_CONTAINERS:.3g} lists and objects")
    if items > MOST_ITEMS:
        raise InputError(f"{path}: more than {MOST_ITEMS:.3g} values")


def json_problem(error: RecursionError | ValueError) -> str:
    """What Python's JSON reader rejected, in words."""
    if isinstance(error, RecursionError):
        return "JSON is nested too deeply"
    if isinstance(error, json.JSONDecodeError):
        return f"not JSON: {error}"
    return f"a number has more than {sys.get_int_max_str_digits()} digits"


def in_words(place: Iterable[str | int]) -> str:
    return ", ".join(map(str, place))


def read_document(
    path: Source,
    model: type[Model],
    *formats: str,
    where: Callable[[dict[str, Any], Sequence[str | int]], str] = lambda _, place: in_words(place),
) -> Model:
    """Read a JSON file of one of these formats as a model; `where` tells a place in words.

    Raises `InputError`.
    """
    file = JsonFile.read(path)
    file.format_of(*formats)
    return validated(model, file.content, path, partial(where, file.document))


def validated(
    model: type[Model],
    content: bytes,
    path: Source,
    where: Callable[[Sequence[str | int]], str] = in_words,
) -> Model:
    """JSON as a model; `where` tells a place in words. Raises `InputError`."""
    try:
        return model.model_validate_json(content)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        more = f" (and {error.error_count() - 1} more)" if error.error_count() > 1 else ""
        place = where(first["loc"])
        raise InputError(
            f"{path}: {place}{': ' if place else ''}{_problem(dict(first))}{more}"
        ) from None


def _problem(error: dict[str, Any]) -> str:
    kind, value = str(error["type"]), error.get("input")
    if kind == "missing":
        return "is missing"
    if kind in ("extra_forbidden", "unexpected_keyword_argument"):
        field = f"field {', '.join(step for step in error['loc'] if isinstance(step, str))}"
        if field in REMOVED:
            return f"is no longer there: {REMOVED[field]}"
        return "is not a field of this format"
    if kind == "json_invalid":
        problem = str(error["ctx"]["error"])
        return "JSON is nested too deeply" if "recursion" in problem else f"not JSON: {problem}"
    message = str(error["msg"]).removeprefix("Input should be ").removeprefix("Value error, ")
    return f"need {message}, got {shown(value)}"


def shown(value: Any) -> str:
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "a list"
    text = json.dumps(value) if value is None or isinstance(value, bool) else repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def write_json(path: str | Path, document: dict[str, Any]) -> None:
    """Write a JSON document whole or not at all. Raises `OutputError`."""
    write_bytes(path, dump_json(document).encode())


def dump_json(document: dict[str, Any]) -> str:
    """JSON text, indented if it is short and compact if it is long."""
    compact = json.dumps(document, allow_nan=False)
    if len(compact) > 200_000:
        return compact + "\n"
    return json.dumps(document, allow_nan=False, indent=1) + "\n"
