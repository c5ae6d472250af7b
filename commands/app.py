"""The command line: `slotwise COMMAND …`.

A command is a verb in a file of its own and a row of the table here; only the one that is asked for
is imported.
"""

from __future__ import annotations

import os
import shlex
import sys
import warnings
from functools import cache
from typing import Annotated, Any

import typer

from .failing import failed
from .frame import HELP, Row, Verbs
from .process import interrupts
from .process.streams import open_streams, put
from .running import begin

__all__ = ["app", "run"]

COMPLETE = "_SLOTWISE_COMPLETE"
"""Variable by which a shell asks for words to complete a command line."""

JOBS, MACHINES, QUEUES = "A batch of jobs", "A datacenter", "Queues that share a cluster"
FILES, MODELS, STUDIES = "Files", "Models, and learning", "Many runs"


TABLE = {
    "solve": Row(JOBS, "solve:solve", "Find a proven optimum, or the best schedule and bound."),
    "heuristic": Row(JOBS, "heuristic:heuristic", "Run one heuristic and check its schedule."),
    "gap": Row(JOBS, "gap:gap", "Every heuristic against the optimum or best bound."),
    "bounds": Row(JOBS, "bounds:bounds", "Closed-form lower bounds of the makespan."),
    "guide": Row(
        MACHINES,
        "guide:guide",
        "Which mix of jobs each machine should keep, what limits the datacenter, and what would "
        "help.",
    ),
    "simulate": Row(
        MACHINES,
        "simulate:simulate",
        "What a dispatching policy makes of a datacenter under load.",
    ),
    "serve": Row(
        MACHINES,
        "serving.serve:serve",
        "A service over HTTP that says where each arriving job starts.",
    ),
    "fair": Row(
        QUEUES, "fair:fair", "Fair shares of a hierarchy of queues, and every leaf's guarantee."
    ),
    "check": Row(FILES, "check:check", "Check independently, list every violation."),
    "verify": Row(
        FILES,
        "verify:verify",
        "Confirm a result by its certificate, in exact arithmetic and without any solver.",
    ),
    "list": Row(
        FILES,
        "list_:list_",
        "What there is of one kind, with its source; also what other packages add.",
    ),
    "generate": Row(
        FILES,
        "generate_import:Generate",
        "Make an instance, a datacenter or a hierarchy from a paper's distributions.",
    ),
    "import": Row(
        FILES,
        "generate_import:Import",
        "Read a cluster's job history, a datacenter's trace or a scheduler's queues.",
    ),
    "explain": Row(
        MODELS, "explain:explain", "A model in mathematics, or as a file for other solvers."
    ),
    "lesson": Row(
        MODELS,
        "lesson:lesson",
        "A page that takes a model apart: switch rules off, solve again, see what breaks.",
    ),
    "steps": Row(MODELS, "steps:steps", "What a method decides, step by step and with reasons."),
    "grade": Row(
        MODELS,
        "grade:grade",
        "Look for the smallest instance that breaks a student's file.",
    ),
    "campaign": Row(
        STUDIES,
        "campaign:campaign",
        "Run a study: methods on instances, every combination, on all cores or a cluster.",
    ),
    "report": Row(
        STUDIES,
        "report:report",
        "A campaign as one HTML page: gaps, performance profiles, times, failed runs.",
    ),
    "rank": Row(
        STUDIES,
        "rank:rank",
        "Whether methods differ significantly: tests with every instance as a block.",
    ),
    "reproduce": Row(
        STUDIES,
        "reproduce:reproduce",
        "Tables and figures of the papers: run again, and compared with print claim by claim.",
    ),
}
"""Heading, place and first sentence of every command."""


class Commands(Verbs):
    """All commands of slotwise."""

    def rows(self) -> dict[str, Row]:
        return TABLE


app = typer.Typer(
    name="slotwise",
    cls=Commands,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings=HELP,
    help="Exact models, valid bounds and published heuristics for scheduling batch work.\n\n"
    "Any input file may be -, which is stdin, or example:NAME (slotwise list examples names them), "
    "and any output file -, which is stdout.",
)


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
    """The group of all commands."""
    return typer.main.get_command(app)


def run(arguments: list[str]) -> int:
    """Run a command line and return its exit code; an error is reported in one line."""
    open_streams()
    begin()
    if COMPLETE in os.environ:
        from .completion import answer

        answer(tree(), arguments)
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
