"""Errors: what is wrong with an input, in one line naming the place, or with slotwise itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

LONGEST = 490
"""Characters of a message; with `slotwise: ` before it a line has at most 500."""

_TAIL = 120

NOT_ENOUGH_MEMORY = "not enough memory"
"""Why something is left out that asked for more memory than there is."""


class SlotwiseError(Exception):
    """Base class of all errors that slotwise raises on purpose."""


class InputError(SlotwiseError, ValueError):
    """Input that cannot be used; the message is one line that says what is wrong and where.

    Parameters
    ----------
    message
        What is wrong.
    longest
        Most characters that are kept; None for all, where the message says where results are.
    """

    def __init__(self, message: str, longest: int | None = LONGEST) -> None:
        super().__init__(one_line(message, longest))


class NothingToShare(InputError):
    """A file is right and has nothing to share; commands end with exit code 1."""


class CallError(InputError, TypeError):
    """A function was called with arguments that it does not take, or not of this type."""


class PluginError(SlotwiseError, RuntimeError):
    """What another package adds has failed; the message names method and package.

    Parameters
    ----------
    what
        The method, such as "heuristic 'x'".
    package
        The package that adds it.
    why
        What happened.
    """

    def __init__(self, what: str, package: str, why: str) -> None:
        super().__init__(one_line(f"{what} of package {package!r} failed: {why}"))
        self.package = package


class OutputError(InputError):
    """An output could not be written; `errno` is the system's number, if it has one."""

    def __init__(self, path: object, message: str, errno: int | None = None) -> None:
        super().__init__(message)
        self.path = str(path)
        self.errno = errno


class CertificateError(SlotwiseError, RuntimeError):
    """A method produced an invalid schedule or an impossible bound: a defect, never bad input.

    `document()` is the input that led to it, as a file of the package, for the analysis. `result`
    is the best result that stands all the same, or a comparison, None without one: its schedule
    passed the checker, and its bound contradicts no schedule.
    """

    result: Any = None

    def __init__(self, message: str, document: Callable[[], dict[str, Any]]) -> None:
        super().__init__(message)
        self.document = document


class InvalidSchedule(CertificateError):
    """A method produced an invalid schedule; `violation` is the first rule that it breaks."""

    def __init__(self, method: str, violation: str, document: Callable[[], dict[str, Any]]) -> None:
        super().__init__(f"{method} made an invalid schedule: {violation}", document)
        self.violation = violation


class BrokenInvariant(SlotwiseError):
    """A dispatching policy overfilled a machine, started a job twice, or lost one."""


def one_line(text: str, longest: int | None = LONGEST) -> str:
    """Text as one line of printable characters; the middle of longer text is left out."""
    if longest is not None and len(text) > 4 * longest:  # escaping never makes it shorter
        text = text[: 2 * longest] + text[-2 * longest :]
    line = printable(" ".join(text.split()))
    if longest is not None and len(line) > longest:
        line = line[: longest - _TAIL - 5] + " ... " + line[-_TAIL:]
    return line


def printable(text: str, keep: str = "") -> str:
    """Escape control characters, lone surrogates and other characters that do not print."""
    if text.isprintable():
        return text
    return "".join(
        c if c.isprintable() or c in keep else c.encode("unicode_escape").decode() for c in text
    )
