"""`slotwise list examples`."""

from __future__ import annotations

from typing import Annotated

import typer

from ..core.errors import InputError
from ..core.files.examples import EXAMPLES, PREFIX, Example, find
from .console import Json, Output, Quiet, show
from .file_rules import saving


def examples(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="Print the file of this one instead.")
    ] = None,
    output: Output = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Inputs that come with slotwise: example:NAME stands wherever a file is read.

    With NAME, -o writes a copy of its file, to begin with.
    """
    if name is not None:
        _print_file(name, output, as_json=as_json, quiet=quiet)
        return
    if output is not None:
        raise InputError("-o writes the file of one example: which?")
    text = "\n".join(
        f"{PREFIX}{example.name} ({example.kind}): {example.about}\n    {example.command}"
        for example in EXAMPLES
    )
    document = {"examples": [_document(example) for example in EXAMPLES]}
    show(text, document=document, as_json=as_json, quiet=quiet)


def _document(example: Example) -> dict[str, str]:
    return {
        "name": example.name,
        "use": PREFIX + example.name,
        "kind": example.kind,
        "about": example.about,
        "command": example.command,
    }


def _print_file(name: str, output: Output, *, as_json: bool, quiet: bool) -> None:
    from ..core.files.inputs import read_bytes
    from ..core.files.outputs import write_bytes

    path = PREFIX + name.removeprefix(PREFIX)
    example = find(path)
    content = read_bytes(path)
    text = content.decode()
    document = _document(example) | {"text": text}
    if output is not None:
        with saving():
            write_bytes(output, content)
        text = f"{output}: {example.about}"
    show(text.removesuffix("\n"), document=document, as_json=as_json, quiet=quiet)
