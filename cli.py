"""The command line: `slotwise COMMAND …`.

Commands import what they need when they run, so that `slotwise --help` costs nothing.
"""

from __future__ import annotations

import sys
from typing import Annotated, NoReturn

import typer

from .commands.bounds import bounds
from .commands.check import check
from .commands.explain import explain
from .commands.fair import fair
from .commands.gap import gap
from .commands.generate import generate
from .commands.generating import generating
from .commands.guide import guide
from .commands.heuristic import heuristic
from .commands.importing import importing
from .commands.importing_datacenters import datacenters
from .commands.importing_queues import queues
from .commands.simulate import simulate
from .commands.solve import solve
from .instances.errors import InputError

BAD_INPUT = 2
INTERRUPTED = 130

app = typer.Typer(
    name="slotwise",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Exact models, valid bounds and published heuristics for scheduling batch work.",
)
for command in (solve, heuristic, gap, bounds, check, guide, simulate, fair, explain):
    app.command()(command)
app.add_typer(generate, name="generate")
generate.add_typer(generating)
app.add_typer(importing, name="import")
for kind in (datacenters, queues):
    importing.add_typer(kind)


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"slotwise {version('slotwise')}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Options that stand before the command."""


def main() -> NoReturn:
    """Run the command line; exit with 0, 1 (the answer is no) or 2 (bad input or usage)."""
    try:
        app()
    except InputError as error:
        _stop(str(error), BAD_INPUT)
    except KeyboardInterrupt:
        _stop("interrupted", INTERRUPTED)
    except BrokenPipeError:
        sys.stderr.close()  # the reader has gone; there is nobody to tell
        sys.exit(0)
    sys.exit(0)


def _stop(message: str, code: int) -> NoReturn:
    typer.echo(f"slotwise: {message}", err=True)
    sys.exit(code)
