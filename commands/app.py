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

from . import interrupts
from .failing import failed
from .frame import HELP, Row, Verbs
from .running import begin
from .streams import open_streams, put

__all__ = ["app", "run"]

COMPLETE = "_SLOTWISE_COMPLETE"
"""Variable by which a shell asks for words to complete a command line."""

PANELS = {
    "A batch of jobs": {
        "solve": "Find a proven optimum, or the best schedule and bound.",
        "heuristic": "Run one heuristic and check its schedule.",
        "gap": "Every heuristic against the optimum or best bound.",
        "bounds": "Closed-form lower bounds of the makespan.",
    },
    "A datacenter": {
        "guide": "Which mix of jobs each machine should keep, what limits the datacenter, and what "
        "would help.",
        "simulate": "What a dispatching policy makes of a datacenter under load.",
        "serve": "A service over HTTP that says where each arriving job starts.",
    },
    "Queues that share a cluster": {
        "fair": "Fair shares of a hierarchy of queues, and every leaf's guarantee.",
    },
    "Files": {
        "check": "Check independently, list every violation.",
        "verify": "Confirm a result by its certificate, in exact arithmetic and without any "
        "solver.",
        "list": "What there is of one kind, with its source; also what other packages add.",
        "generate": "Make an instance, a datacenter or a hierarchy from a paper's distributions.",
        "import": "Read a cluster's job history, a datacenter's trace or a scheduler's queues.",
    },
    "Models, and learning": {
        "explain": "A model in mathematics, or as a file for other solvers.",
        "lesson": "A page that takes a model apart: switch rules off, solve again, see what "
        "breaks.",
        "steps": "What a method decides, step by step and with reasons.",
        "grade": "Look for the smallest instance that breaks a student's file.",
    },
    "Many runs": {
        "campaign": "Run a study: methods on instances, every combination, on all cores or a "
        "cluster.",
        "report": "A campaign as one HTML page: gaps, performance profiles, times, failed runs.",
        "rank": "Whether methods differ significantly: tests with every instance as a block.",
        "reproduce": "Tables and figures of the papers: run again, and compared with print claim "
        "by claim.",
    },
}
"""Headings, and under each its commands with their first sentences."""

ELSEWHERE = {
    "serve": "serving.serve:serve",
    "list": "list_:list_",
    "generate": "generate_import:Generate",
    "import": "generate_import:Import",
}
"""Commands that are not in a module, and called, as they are."""


class Commands(Verbs):
    """All commands of slotwise."""

    def table(self) -> dict[str, Row]:
        return {
            name: Row(panel, ELSEWHERE.get(name, f"{name}:{name}"), summary)
            for panel, rows in PANELS.items()
            for name, summary in rows.items()
        }


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
        interrupts.hold()
        return failed(error, arguments, command)
    return 0
