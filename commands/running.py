"""The command that runs: what of it goes to stdout, to stderr and into files."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from errno import EPIPE
from pathlib import Path
from typing import Any

from ..core.errors import OutputError, one_line, printable
from ..core.notices import listen
from .streams import put, put_aside

NO = 1
"""Exit code when the answer is no."""


@dataclass
class Running:
    """What the command line asked for, and what came of its outputs so far."""

    as_json: bool = False
    quiet: bool = False
    on_stdout: list[str] = field(default_factory=list)
    """The outputs that go to stdout, which then holds nothing else."""
    failures: list[BaseException] = field(default_factory=list)
    """Of outputs that could not be written; what was found is shown all the same."""
    has_shown_document: bool = False
    """Whether stdout has its one JSON document already."""

    @property
    def hidden(self) -> bool:
        """Whether people see nothing but errors."""
        return self.quiet or self.as_json

    def show(self, text: Any, document: Any = None) -> None:
        """Print the JSON document, or what is shown to people: text or what rich can print."""
        if self.as_json and document is not None:
            self.has_shown_document = True
        if self.on_stdout:
            return
        if self.as_json:
            if document is not None:
                put(json.dumps(document, allow_nan=False) + "\n")
        elif not self.quiet and isinstance(text, str):
            put(printable(text, keep="\n\t") + "\n")
        elif not self.quiet and text is not None:
            from .rendering import rendered  # rich takes a while

            put(rendered(text))

    def tell(self, notes: Iterable[str]) -> None:
        """Print notes to stderr, one line each, unless --quiet is given."""
        if not self.quiet:
            for note in notes:
                put_aside(f"note: {one_line(note, None)}")

    def save(self, path: Path, write: Callable[[Path], object]) -> None:
        """Write an output; an error is raised when the command ends, if somebody reads stdout."""
        try:
            write(path)
        except Exception as error:
            is_output = isinstance(error, OutputError) and error.path in self.on_stdout
            if not (is_output and getattr(error, "errno", None) == EPIPE):
                self.failures.append(error)


_running = Running()


def running() -> Running:
    """The command that runs."""
    return _running


def begin(**asked: Any) -> Running:
    """Note that a command begins; what the library has to say goes where its notes go."""
    global _running
    _running = Running(**asked)
    listen(lambda message: _running.tell([message]))
    return _running
