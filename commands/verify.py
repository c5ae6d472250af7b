"""`slotwise verify`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from .console import NO, Json, OutputFolder, Quiet, show
from .process.streams import put

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
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """It says what is proved, also where that is less than what is claimed; then the exit code
    is 1.
    """
    from ..core.errors import InputError

    if print_verifier:
        _print(output)
        return
    if instance is None or result is None or certificate is None:
        raise InputError("need INSTANCE, RESULT and CERTIFICATE, or --print-verifier")
    if output is not None:
        raise InputError("-o is for --print-verifier")
    findings = _findings((instance, result, certificate), limit)
    confirmed = findings["confirmed"]
    lines = [*findings["findings"], "CONFIRMED" if confirmed else "NOT CONFIRMED"]
    show("\n".join(lines), document=findings, as_json=as_json, quiet=quiet)
    if not confirmed:
        raise typer.Exit(NO)


def _print(folder: Path | None) -> None:
    from ..core.errors import InputError
    from ..core.files.outputs import write_bytes

    package = Path(__file__).parents[1]
    files = [package / PROGRAM, *sorted(package.glob("verify_*.py"))]
    texts = {path.name: path.read_bytes() for path in files}
    if folder is None:
        put(texts[PROGRAM].decode())
        return
    for name, text in texts.items():
        if (folder / name).exists() and (folder / name).read_bytes() != text:
            raise InputError(f"{folder / name}: is there already, and is another file")
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        write_bytes(folder / name, text)


def _findings(paths: tuple[Path, ...], limit: float) -> dict[str, Any]:
    """What the verifier says of three files."""
    from .. import verify as verifier
    from ..core.background import OutOfTime, attempt
    from ..core.clock import Clock
    from ..core.errors import InputError

    (problem, digest), (claim, _), (proofs, _) = (_document(path) for path in paths)
    lines: list[str] = []
    try:
        known = verifier.problem_of(problem)
    except verifier.Refused as why:
        raise InputError(f"{paths[0]}: {why}") from None

    def judge() -> bool:
        try:
            return verifier.confirmed(known, claim, proofs, digest, say=lines.append)
        except verifier.Refused as why:
            lines.append(f"refused: {why}")
            return False

    try:
        confirmed = attempt(judge, Clock(limit))
    except OutOfTime:
        lines.append("stopped: the time is up")
        confirmed = False
    return {"confirmed": confirmed, "findings": lines}


def _document(path: Path) -> tuple[dict[str, Any], str]:
    """The object in a JSON file as the verifier reads it, and the SHA-256 of its text.

    Raises `InputError`.
    """
    from hashlib import sha256

    from .. import verify as verifier
    from ..core.errors import InputError
    from ..core.files.json_files import JsonFile

    text = JsonFile.read(path).content
    try:
        return verifier.parsed(text), sha256(text).hexdigest()
    except verifier.Refused as why:
        raise InputError(f"{path}: {why}") from None
