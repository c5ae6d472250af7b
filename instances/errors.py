"""How slotwise says that its input is wrong, in one line naming the place, or that it is itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

LONGEST = 490
"""Characters of a message; with `slotwise: ` before it a line has at most 500."""

_TAIL = 120


class SlotwiseError(Exception):
    """Base class of all errors that slotwise raises on purpose."""


class InputError(SlotwiseError, ValueError):
    """Input that cannot be used; the message is one line that says what is wrong and where."""

    def __init__(self, message: str) -> None:
        super().__init__(one_line(message))


class OutputError(InputError):
    """An output that could not be written; `content` is what it would hold."""

    def __init__(
        self, path: object, content: bytes, message: str, *, errno: int | None = None
    ) -> None:
        super().__init__(message)
        self.path = str(path)
        self.content = content
        self.errno = errno


class CertificateError(SlotwiseError, RuntimeError):
    """A method produced an invalid schedule or an impossible bound: a defect, never bad input.

    `document()` is what it was given, as a file of the package has it, for whoever looks into it.
    """

    def __init__(self, message: str, document: Callable[[], dict[str, Any]]) -> None:
        super().__init__(message)
        self.document = document


class BrokenInvariant(SlotwiseError):
    """A dispatching policy overfilled a machine, started a job twice, or lost one."""


def one_line(text: str, longest: int | None = LONGEST) -> str:
    """`text` as one line of printable characters, without its middle if it is too long."""
    if longest is not None and len(text) > 4 * longest:  # escaping never makes it shorter
        text = text[: 2 * longest] + text[-2 * longest :]
    line = printable(" ".join(text.split()))
    if longest is not None and len(line) > longest:
        line = line[: longest - _TAIL - 5] + " ... " + line[-_TAIL:]
    return line


def printable(text: str, keep: str = "") -> str:
    """`text` with what does not print escaped: control characters, lone surrogates and the like."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in keep else _escaped(c) for c in text)


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode()
