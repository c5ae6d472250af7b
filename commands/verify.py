"""`slotwise verify`."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Annotated

import typer

from ..core.errors import InputError
from ..core.files.outputs import write_bytes
from .frame import Answer
from .options import OutputFolder
from .running import NO

PROGRAM = "verify.py"
"""The verifier; the files whose names begin with `verify_` have to lie beside it."""


def verify(
    instance: Annotated[
        Path | None,
        typer.Argument(metavar="INSTANCE", help="The problem: a mapreduce or datacenter."),
    ] = None,
    result: Annotated[
        Path | None,
        typer.Argument(metavar="RESULT", help="What is claimed: a result or guidance."),
    ] = None,
    certificate: Annotated[
        Path | None, typer.Argument(metavar="CERTIFICATE", help="A slotwise/certificate/1 file.")
    ] = None,
    limit: Annotated[
        float, typer.Option("--limit", metavar="S", min=0, help="Give up after so many seconds.")
    ] = 600.0,
    print_verifier: Annotated[
        bool,
        typer.Option(
            "--print-verifier",
            help="Print verify.py, or write it and the files that it needs with -o FOLDER: "
            "python3 -I verify.py INSTANCE RESULT CERTIFICATE needs nothing else.",
        ),
    ] = False,
    output: OutputFolder = None,
) -> Answer:
    """It says what is proved, also where that is less than what is claimed; then the exit code
    is 1.
    """
    if print_verifier:
        return _verifier(output)
    if instance is None or result is None or certificate is None:
        raise InputError("need INSTANCE, RESULT and CERTIFICATE, or --print-verifier")
    if output is not None:
        raise InputError("-o is for --print-verifier")
    return _verdict((instance, result, certificate), limit)


def _verifier(folder: Path | None) -> Answer:
    package = Path(__file__).parents[1]
    files = [package / PROGRAM, *sorted(package.glob("verify_*.py"))]
    texts = {path.name: path.read_bytes() for path in files}
    document = {name: text.decode() for name, text in texts.items()}
    if folder is None:
        return Answer(document[PROGRAM].removesuffix("\n"), document)
    for name, text in texts.items():
        if (folder / name).exists() and (folder / name).read_bytes() != text:
            raise InputError(f"{folder / name}: is there already, and is another file")
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        write_bytes(folder / name, text)
    return Answer(f"{folder}: {', '.join(texts)}", document)


def _verdict(paths: tuple[Path, Path, Path], limit: float) -> Answer:
    """What the verifier says of three files."""
    from .. import verify as verifier
    from ..core.background import OutOfTime, attempt
    from ..core.clock import Clock
    from ..core.files.json_files import JsonFile

    contents, documents = [], []
    for path in paths:
        contents.append(JsonFile.read(path).content)
        try:
            documents.append(verifier.parsed(contents[-1]))
        except verifier.Refused as why:
            raise InputError(f"{path}: {why}") from None
    try:
        known = verifier.problem_of(documents[0])
    except verifier.Refused as why:
        raise InputError(f"{paths[0]}: {why}") from None
    digest, lines = sha256(contents[0]).hexdigest(), list[str]()

    def judge() -> bool:
        try:
            return verifier.confirmed(known, documents[1], documents[2], digest, say=lines.append)
        except verifier.Refused as why:
            lines.append(f"refused: {why}")
            return False

    try:
        confirmed = attempt(judge, Clock(limit))
    except OutOfTime:
        lines.append("stopped: the time is up")
        confirmed = False
    return Answer(
        "\n".join([*lines, "CONFIRMED" if confirmed else "NOT CONFIRMED"]),
        {"confirmed": confirmed, "findings": lines},
        code=0 if confirmed else NO,
    )
