"""The command line: `slotwise COMMAND …`.

Commands import what they need when they run, so that `slotwise --help` costs nothing.
"""

from __future__ import annotations

import os
import shlex
import sys
import warnings
from collections.abc import Callable
from functools import cache
from typing import Annotated, Any

import typer

from . import console
from .bounds import bounds
from .check import check
from .comparing.gap import gap
from .comparing.rank import rank
from .explain import explain
from .failing import failed
from .fair import fair
from .file_rules import apply_to
from .from_registry.generate import generate
from .from_registry.import_ import importing
from .from_registry.names import WithAllNames
from .guide import guide
from .help import Summaries
from .heuristic import heuristic
from .learning.grade import grade
from .learning.lesson import lesson
from .learning.steps import steps
from .list_ import list_
from .process import interrupts
from .process.streams import open_streams, put
from .serving.serve import serve
from .simulate import simulate
from .solve import solve
from .studies.campaign import campaign
from .studies.report import report
from .studies.reproduce import reproduce
from .verify import verify

__all__ = ["app", "run"]

COMPLETE = "_SLOTWISE_COMPLETE"
"""Variable by which a shell asks for words to complete a command line."""

app = typer.Typer(
    name="slotwise",
    cls=Summaries,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Exact models, valid bounds and published heuristics for scheduling batch work.\n\n"
    "Any input file may be -, which is stdin, or example:NAME (slotwise list examples names them), "
    "and any output file -, which is stdout.",
)
JOBS, MACHINES, QUEUES = "A batch of jobs", "A datacenter", "Queues that share a cluster"
FILES, MODELS, STUDIES = "Files", "Models, and learning", "Many runs"
PANELS: tuple[tuple[str, tuple[Callable[..., None], ...]], ...] = (
    (JOBS, (solve, heuristic, gap, bounds)),
    (MACHINES, (guide, simulate, serve)),
    (QUEUES, (fair,)),
    (FILES, (check, verify)),
    (MODELS, (explain, lesson, steps, grade)),
    (STUDIES, (campaign, report, rank, reproduce)),
)
"""The commands as the help shows them."""

for panel, verbs in PANELS:
    for command in verbs:
        app.command(cls=WithAllNames, rich_help_panel=panel)(command)
app.command("list", cls=WithAllNames, rich_help_panel=FILES)(list_)
app.add_typer(generate, name="generate", rich_help_panel=FILES)
app.add_typer(importing, name="import", rich_help_panel=FILES)
apply_to(app)


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        put(f"slotwise {version('slotwise')}\n")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Options that stand before the command."""


@cache
def tree() -> Any:
    """All commands as typer makes them, which takes longer than many a command."""
    return typer.main.get_command(app)


def run(arguments: list[str]) -> int:
    """Run a command line and return its exit code; an error is reported in one line."""
    open_streams()
    console.begin()
    if COMPLETE in os.environ:
        from .completion import answer

        answer(app, arguments)
    if not sys.warnoptions:
        warnings.simplefilter("ignore")  # those of libraries, which tell a user nothing
    command, line = tree(), shlex.join(["slotwise", *arguments])
    try:
        with command.make_context("slotwise", arguments, obj=line) as context:
            command.invoke(context)
    except typer.Exit as end:
        return end.exit_code
    except SystemExit:
        raise
    except BaseException as error:
        interrupts.answered()
        return failed(error, arguments, command)
    return 0
