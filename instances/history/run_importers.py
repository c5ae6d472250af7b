"""What all importers of runs have in common: options, and what they give."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

from ...core.calls.checked import checked
from ...core.parameters import described, importer
from ..importers import Imported
from .run import Run

P = ParamSpec("P")
D = TypeVar("D")

_SECTIONS = """

Returns
-------
Imported
    `made`: the run with all attempts; `notes` on what was assumed and left out.

Raises
------
InputError
    Names what cannot be used; also if no task ended, or of Hadoop none succeeded."""


@dataclass(frozen=True)
class RunOptions:
    """How a history becomes a run."""

    name: str | None = field(default=None, metadata=described("Name of the run."), kw_only=True)


@dataclass(frozen=True)
class HadoopOptions(RunOptions):
    """How a history of Hadoop becomes a run."""

    topology: str | Path | None = field(
        default=None, metadata=described("Rumen topology of racks and hosts.", metavar="FILE")
    )
    containers: int | None = field(
        default=None,
        metadata=described("Containers per host on YARN; default: the most seen at once.", least=1),
        kw_only=True,
    )


def run_importer(
    options: Callable[P, D],
) -> Callable[
    [Callable[[str | Path, D], Imported[Run]]], Callable[Concatenate[str | Path, P], Imported[Run]]
]:
    """Mark a function of a log and of options as an importer of runs, which looks at its arguments.

    What it returns and raises is put into its docstring.
    """

    def mark(
        read: Callable[[str | Path, D], Imported[Run]],
    ) -> Callable[Concatenate[str | Path, P], Imported[Run]]:
        read.__doc__ = f"{inspect.getdoc(read)}{_SECTIONS}"
        return checked(importer(options)(read))

    return mark
