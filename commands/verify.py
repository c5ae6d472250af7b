"""`slotwise verify`."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Annotated

import typer

from .. import verifier
from ..core.errors import InputError
from ..core.files.outputs import write_bytes
from .frame import Answer
from .options import OutputFolder
from .running import NO


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
            help="Print the verifier to read it; with -o FOLDER keep it in FOLDER/verifier: "
            "python3 -I FOLDER/verifier INSTANCE RESULT CERTIFICATE needs nothing else.",
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
    files = sorted(Path(verifier.__file__).parent.glob("*.py"))
    texts = {f"verifier/{path.name}": path.read_bytes() for path in files}
    document = {name: text.decode() for name, text in texts.items()}
    if folder is None:
        return Answer("\n".join(f"# {name}\n\n{text}" for name, text in document.items()), document)
    for name, text in texts.items():
        if (folder / name).exists() and (folder / name).read_bytes() != text:
            raise InputError(f"{folder / name}: is there already, and is another file")
    (folder / "verifier").mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        write_bytes(folder / name, text)
    line = f"python3 -I {folder / 'verifier'} INSTANCE RESULT CERTIFICATE"
    return Answer(f"{folder / 'verifier'}: {line}", document)


def _verdict(paths: tuple[Path, Path, Path], limit: float) -> Answer:
    """What the verifier says of three files."""
    from ..core.background import OutOfTime, attempt
    from ..core.clock import Clock
    from ..core.files.json_files import JsonFile
    from ..verifier.documents import Refused, parsed
    from ..verifier.judge import confirmed, problem_of

    contents, documents = [], []
    for path in paths:
        try:
            contents.append(JsonFile.read(path).content)
            documents.append(parsed(contents[-1]))
            if len(documents) == 1:
                problem = problem_of(documents[0])
        except Refused as why:
            raise InputError(f"{path}: {why}") from None
    digest, lines = sha256(contents[0]).hexdigest(), list[str]()

    def judge() -> bool:
        try:
            return confirmed(problem, documents[1], documents[2], digest, say=lines.append)
        except Refused as why:
            lines.append(f"refused: {why}")
            return False

    try:
        holds = attempt(judge, Clock(limit))
    except OutOfTime:
        lines.append("stopped: the time is up")
        holds = False
    return Answer(
        "\n".join([*lines, "CONFIRMED" if holds else "NOT CONFIRMED"]),
        {"confirmed": holds, "findings": lines},
        code=0 if holds else NO,
    )
