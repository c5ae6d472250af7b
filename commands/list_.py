"""`slotwise list`."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from ..core.errors import InputError
from ..core.files.examples import PREFIX, Example, examples, find
from ..reports.documents.formats import FORMATS
from .console import Json, Output, Quiet, keep, show
from .file_rules import saving

KINDS = (
    "heuristics, bounds, methods, formulations, importers, exporters, policies, allocators, "
    "generators"
)
FILES = ("examples", "schemas")
"""What else is listed: each is a file."""


def list_(
    kind: Annotated[
        str, typer.Argument(metavar="KIND", help=f"One of {KINDS}, {', '.join(FILES)}.")
    ],
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help="This one only; of an example or schema its file."),
    ] = None,
    output: Output = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Examples are inputs that come with slotwise: example:NAME stands wherever a file is read.
    With NAME of an example or schema, -o writes its file, a copy to begin with.
    """
    if output is not None and (name is None or kind not in FILES):
        raise InputError("-o writes the file of one example or schema: which?")
    if kind == "examples":
        _examples(name, output, as_json=as_json, quiet=quiet)
    elif kind == "schemas":
        _schemas(name, output, as_json=as_json, quiet=quiet)
    else:
        _entries(kind, name, as_json=as_json, quiet=quiet)


def _examples(name: str | None, output: Output, *, as_json: bool, quiet: bool) -> None:
    from ..core.files.inputs import read_bytes
    from ..core.files.outputs import write_bytes

    if name is None:
        text = "\n".join(
            f"{PREFIX}{example.name} ({example.kind}): {example.about}\n    {example.command}"
            for example in examples()
        )
        document = {"examples": [_document(example) for example in examples()]}
        show(text, document=document, as_json=as_json, quiet=quiet)
        return
    path = PREFIX + name.removeprefix(PREFIX)
    example = find(path)
    content = read_bytes(path)
    text = content.decode()
    its_document = _document(example) | {"text": text}
    if output is not None:
        with saving():
            write_bytes(output, content)
        text = f"{output}: {example.about}"
    show(text.removesuffix("\n"), document=its_document, as_json=as_json, quiet=quiet)


def _document(example: Example) -> dict[str, str]:
    return {
        "name": example.name,
        "use": PREFIX + example.name,
        "kind": example.kind,
        "about": example.about,
        "command": example.command,
    }


def _schemas(name: str | None, output: Output, *, as_json: bool, quiet: bool) -> None:
    from ..reports.documents.formats import schema

    if name is None:
        names = [known.name for known in FORMATS]
        show("\n".join(names), document={"schemas": names}, as_json=as_json, quiet=quiet)
        return
    document = schema(name)
    keep(output, document)
    show(json.dumps(document, indent=1), document=document, as_json=as_json, quiet=quiet)


def _entries(kind: str, name: str | None, *, as_json: bool, quiet: bool) -> None:
    from ..core.advice import did_you_mean
    from ..reports.catalogue import KINDS as REGISTRIES
    from ..reports.catalogue import catalogue, registry, rows

    if kind not in REGISTRIES:
        every = (*REGISTRIES, *FILES)
        guess = did_you_mean(kind, every)
        raise InputError(f"unknown kind {kind!r}: {guess}choose from {', '.join(every)}")
    found = registry(kind)
    document = rows(found)
    if name is not None:
        document = [row for row in document if row["name"] == found.lookup(name).name]
    text = catalogue(kind, name)
    show(text, document={kind: document}, as_json=as_json, quiet=quiet)
