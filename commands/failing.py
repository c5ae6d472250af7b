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
from .interrupts import INTERRUPTED
from .running import NO, running
from .streams import put, put_aside, reader_has_gone

BAD_INPUT = 2
PLUGIN = 3
"""Another package's method has failed: no fault of the input."""

_UsageError: Any = typer.BadParameter.__mro__[1]


def failed(error: BaseException, arguments: Sequence[str], root: Any) -> int:
    """Report what ended a command line and return the exit code; `root` has all commands."""
    message, code = str(error), BAD_INPUT
    if isinstance(error, KeyboardInterrupt | typer.Abort):
        message, code = "interrupted", INTERRUPTED
    elif isinstance(error, InputError):
        code = NO if isinstance(error, NothingToShare) else BAD_INPUT
    elif isinstance(error, PluginError):
        code = PLUGIN
    elif isinstance(error, _UsageError):
        if type(error).__name__ == "NoArgsIsHelpError":  # help is what it asks for
            put(f"{error.ctx.get_help()}\n")
            return 0
        message = _misuse(error, arguments, _command_path(arguments, root))
    elif isinstance(error, MemoryError):
        message = ": ".join(
            [*_command_path(arguments, root)[1:], "not enough memory for this input"]
        )
    elif isinstance(error, BrokenPipeError) and reader_has_gone():
        return 0  # of the help, which is all that is written without `put`
    elif isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename is not None else ""
        message = f"{where}{error.strerror or error}"
    elif isinstance(error, CertificateError):
        shown = "" if error.result is None else "; what is shown stands without it"
        problem = _saved("saved", ".json", json.dumps(error.document()))
        code, message = (
            NO,
            (
                f"a fault of slotwise, not of the input: {one_line(message, 200)}{shown}; please "
                f"report it, with the instance, {problem or 'which could not be saved'}"
            ),
        )
    else:
        told = "".join([f"{sys.argv!r}\n", *traceback.format_exception(error)])
        message = (
            f"internal error: {type(error).__name__}: {one_line(message, 200)}; please report; "
            f"{_saved('traceback', '.txt', told) or 'its traceback could not be saved'}"
        )
    message = one_line(message, None)
    end = list(arguments).index("--") if "--" in arguments else len(arguments)
    if "--json" in arguments[:end] and not running().has_shown_document:
        with suppress(InputError):  # where stdout takes nothing, stderr may
            put(json.dumps({"error": message, "exit_code": code}) + "\n")
    put_aside(f"slotwise: {message}")
    return code


def _misuse(error: Any, arguments: Sequence[str], path: list[str]) -> str:
    """What is wrong with a command line, and where to look."""
    possible = getattr(error, "possibilities", None)
    if possible:
        message = f"no such option {error.option_name}: did you mean {' or '.join(possible)}?"
    else:
        message = error.format_message().removesuffix(".")
        message = message[:1].lower() + message[1:]
        # Typer has its values checked by pydantic, whose words are for programmers.
        message = message.replace("Input should be ", "need ").replace("Value error, ", "")
    word = getattr(error, "option_name", "".join(arguments[len(path) - 1 :][:1]))
    gone = removed(" ".join([*path[1:], word]))
    if gone:
        return gone
    if len(path) == 1 and (os.path.isfile(arguments[0]) or is_example(arguments[0])):
        message += f": a command comes first, such as slotwise solve {arguments[0]}"
    message = ": ".join([*path[1:], one_line(message, 400)])
    return f"{message} (see {' '.join(path)} --help)"


def _command_path(arguments: Sequence[str], root: Any) -> list[str]:
    """`slotwise import yarn`: the words of the command line that name the command."""
    path, command = ["slotwise"], root
    for word in arguments:
        if not hasattr(command, "get_command"):
            break
        command = command.get_command(None, word)
        if command is None:
            break
        path.append(word)
    return path


def _saved(what: str, ending: str, text: str) -> str:
    """Where a new temporary file holds the text, in words; empty if it cannot."""
    try:
        handle, path = tempfile.mkstemp(prefix="slotwise-", suffix=ending)
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as stream:
            stream.write(text)
    except OSError:
        return ""
    return f"{what} in {path}"
