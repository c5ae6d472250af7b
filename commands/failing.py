"""How a failing command ends: one line on stderr, one document with --json, an exit code."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import traceback
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import typer

from ..core.errors import CertificateError, InputError, NothingToShare, PluginError, one_line
from ..core.files.examples import is_example
from ..core.removed import removed
from .process.interrupts import INTERRUPTED
from .process.streams import put, put_aside, reader_has_gone
from .running import NO, running

BAD_INPUT = 2
PLUGIN = 3
"""Another package's method has failed: no fault of the input."""

_UsageError: type[Exception] = typer.BadParameter.__mro__[1]


def failed(error: BaseException, arguments: Sequence[str], root: Any) -> int:
    """Report what ended a command line and return the exit code; `root` has all commands."""
    if isinstance(error, KeyboardInterrupt | typer.Abort):
        return say("interrupted", INTERRUPTED, arguments)
    if isinstance(error, InputError):
        code = NO if isinstance(error, NothingToShare) else BAD_INPUT
        return say(str(error), code, arguments)
    if isinstance(error, PluginError):
        return say(str(error), PLUGIN, arguments)
    if isinstance(error, _UsageError):
        return _misused(error, arguments, root)
    if isinstance(error, MemoryError):
        return say(
            ": ".join([*_command_path(arguments, root)[1:], "not enough memory for this input"]),
            BAD_INPUT,
            arguments,
        )
    if isinstance(error, BrokenPipeError) and reader_has_gone():
        return 0  # of the help, which is all that is written without `put`
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename is not None else ""
        return say(f"{where}{error.strerror or error}", BAD_INPUT, arguments)
    if isinstance(error, CertificateError):
        shown = "" if error.result is None else "; what is shown stands without it"
        return say(
            f"a fault of slotwise, not of the input: {one_line(str(error), 200)}{shown}; "
            f"please report it, {_saved_problem(error)}",
            NO,
            arguments,
        )
    return say(
        f"internal error: {type(error).__name__}: {one_line(str(error), 200)}; "
        f"please report; {_saved(error)}",
        BAD_INPUT,
        arguments,
    )


def say(message: str, code: int, arguments: Sequence[str]) -> int:
    """Print the line for people and, with --json, the document for programs; return the code."""
    message = one_line(message, None)
    end = list(arguments).index("--") if "--" in arguments else len(arguments)
    if "--json" in arguments[:end] and not running().has_shown_document:
        with suppress(InputError):  # where stdout takes nothing, stderr may
            put(json.dumps({"error": message, "exit_code": code}) + "\n")
    put_aside(f"slotwise: {message}")
    return code


def _misused(error: Exception, arguments: Sequence[str], root: Any) -> int:
    """A wrong command line; one without a command shows help, which is what it asks for."""
    context: typer.Context | None = getattr(error, "ctx", None)
    if context is not None and type(error).__name__ == "NoArgsIsHelpError":
        put(context.get_help() + "\n")
        return 0
    possible = getattr(error, "possibilities", None)
    if possible:
        message = f"no such option {error.option_name}: did you mean {' or '.join(possible)}?"  # type: ignore[attr-defined]
    else:
        message = str(error.format_message()).removesuffix(".")  # type: ignore[attr-defined]
        message = message[:1].lower() + message[1:]
        # Typer has its values checked by pydantic, whose words are for programmers.
        message = message.replace("Input should be ", "need ").replace("Value error, ", "")
    path = _command_path(arguments, root)
    word = getattr(error, "option_name", "".join(arguments[len(path) - 1 :][:1]))
    gone = removed(" ".join([*path[1:], word]))
    if gone:
        return say(gone, BAD_INPUT, arguments)
    if len(path) == 1 and (os.path.isfile(arguments[0]) or is_example(arguments[0])):
        message += f": a command comes first, such as slotwise solve {arguments[0]}"
    message = ": ".join([*path[1:], one_line(message, 400)])
    return say(f"{message} (see {' '.join(path)} --help)", BAD_INPUT, arguments)


def _command_path(arguments: Sequence[str], root: Any) -> list[str]:
    """`slotwise import yarn`: the words of the command line that name the command."""
    path, command = ["slotwise"], root
    for word in arguments:
        command = getattr(command, "commands", {}).get(word)
        if command is None:
            break
        path.append(word)
    return path


def _saved_problem(error: CertificateError) -> str:
    """Path of a file with the instance on which a method failed."""
    try:
        handle, path = tempfile.mkstemp(prefix="slotwise-", suffix=".json")
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            json.dump(error.document(), stream)
    except OSError:
        return "with the instance, which could not be saved"
    return f"with the instance, saved in {path}"


def _saved(error: BaseException) -> str:
    """Path of a file with the traceback."""
    try:
        handle, path = tempfile.mkstemp(prefix="slotwise-", suffix=".txt")
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as stream:
            stream.write(f"{sys.argv!r}\n")
            traceback.print_exception(error, file=stream)
    except OSError:
        return "its traceback could not be saved"
    return f"traceback in {path}"
