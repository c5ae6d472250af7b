"""`slotwise list`."""

from __future__ import annotations

import json
from typing import Annotated

import typer

import slotwise

from ..core.advice import did_you_mean
from ..core.errors import InputError
from ..core.files.examples import PREFIX, Example, examples, find
from ..core.files.inputs import read_bytes
from ..reports.catalogue import KINDS, catalogue, rows
from ..reports.documents.formats import FORMATS
from .frame import Answer

EVERY = (*KINDS, "examples", "schemas")


def _files(typed: str) -> list[tuple[str, str]]:
    found = [(example.name, example.about) for example in examples()]
    return found + [(known.name, known.thing) for known in FORMATS]


def list_(
    kind: Annotated[
        str,
        typer.Argument(
            metavar="KIND", help=f"One of {', '.join(EVERY)}.", autocompletion=lambda: list(EVERY)
        ),
    ],
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME",
            help="This one only; of an example or schema its file.",
            autocompletion=_files,
        ),
    ] = None,
) -> Answer:
    """Examples are inputs that come with slotwise: example:NAME stands wherever a file is read.
    With NAME of an example or schema, -o writes its file, a copy to begin with.
    """
    if kind == "examples":
        return _examples() if name is None else _example(PREFIX + name.removeprefix(PREFIX))
    if kind == "schemas":
        names = [known.name for known in FORMATS]
        if name is None:
            return Answer("\n".join(names), {"schemas": names})
        schema = slotwise.schema(name)
        return Answer(json.dumps(schema, indent=1), schema)
    if kind not in KINDS:
        guess = did_you_mean(kind, EVERY)
        raise InputError(f"unknown kind {kind!r}: {guess}choose from {', '.join(EVERY)}")
    registry = slotwise.registry(kind)
    asked = None if name is None else registry.lookup(name).name
    found = [row for row in rows(registry) if asked in (None, row["name"])]
    return Answer(catalogue(kind, found), {kind: found}, line=f"{len(found)} {kind}")


def _examples() -> Answer:
    lines = []
    for each in examples():
        lines += [f"{PREFIX}{each.name} ({each.kind}): {each.about}", f"    {each.command}"]
    return Answer("\n".join(lines), {"examples": list(map(_document, examples()))})


def _example(path: str) -> Answer:
    content, example = read_bytes(path), find(path)
    text = content.decode()
    document = _document(example) | {"text": text}
    return Answer(text.removesuffix("\n"), document, line=example.about, content=content)


def _document(example: Example) -> dict[str, str]:
    return {
        "name": example.name,
        "use": PREFIX + example.name,
        "kind": example.kind,
        "about": example.about,
        "command": example.command,
    }
