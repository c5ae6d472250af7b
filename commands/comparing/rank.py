"""`slotwise rank`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...reports.plots import PLOT, TABLE
from ..console import Json, Quiet, show, tell
from ..file_rules import Written, saving

if TYPE_CHECKING:
    from rich.console import Group

    from ...experiments.statistics.ranks import Ranking

Output = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help=f"Write the methods as a table ({', '.join(TABLE)}), or everything as JSON.",
    ),
    Written(),
]
Diagram = Annotated[
    Path | None,
    typer.Option(
        "--plot",
        metavar="FILE",
        help=f"Draw the critical-difference diagram: {', '.join(PLOT)}.",
    ),
    Written(PLOT, "a plot"),
]


def rank(
    table: Annotated[
        Path,
        typer.Argument(
            metavar="TABLE",
            help="What gap -o has written (.csv, .parquet), or a campaign's folder.",
        ),
    ],
    value: Annotated[
        str, typer.Option(metavar="COLUMN", help="Compare by this column; less is better.")
    ] = "gap",
    method: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Compare only these; repeat.")
    ] = None,
    level: Annotated[
        float, typer.Option(metavar="P", min=0, max=1, help="Level of significance.")
    ] = 0.05,
    output: Output = None,
    plot: Diagram = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Friedman's test says whether any differ, Nemenyi's which mean ranks do, Wilcoxon's signed
    ranks with Holm's correction which pairs do.
    """
    from ...core.wording import plural
    from ...experiments.statistics.ranking import rank as ranked
    from ...reports.table_files import is_table, write_table

    is_written = is_table(output)
    found = ranked(table, value, methods=method, level=level)
    if found.left_out:
        lacking = plural(found.left_out, "instance")
        tell([f"{lacking} left out: not all methods have a {value} there"], quiet=quiet or as_json)
    if output is not None:
        with saving():
            if is_written:
                write_table(found.printed() if output.suffix == ".tex" else found.table(), output)
            else:
                from ...core.files.json_files import write_json

                write_json(output, found.document())
    if plot is not None:
        from ...reports.plots import write_figure

        figure: Any = found.plot().figure
        with saving():
            write_figure(figure, plot, dpi=130)
    show(_view(found), document=found.document(), as_json=as_json, quiet=quiet)


def _view(found: Ranking) -> Group:
    from rich.console import Group
    from rich.markup import escape
    from rich.table import Table
    from rich.text import Text

    from ...core.wording import percent
    from ...experiments.statistics.ranks import spelled_p

    columns = found.table()
    shown = Table(title=escape(str(found)), title_justify="left")
    shown.add_column("method")
    for name in ("rank", f"mean {found.value}", f"worst {found.value}", "best on"):
        shown.add_column(name, justify="right")
    for name in ("p Wilcoxon", "p Nemenyi"):
        shown.add_column(name, justify="right")
    for row in zip(*columns.values(), strict=True):
        method, mean_rank, mean, _, worst, best_on, wilcoxon, nemenyi = row
        spelled = [percent(v) if found.value == "gap" else f"{v:.6g}" for v in (mean, worst)]
        tests = ["" if p is None else spelled_p(p) for p in (wilcoxon, nemenyi)]
        shown.add_row(escape(method), f"{mean_rank:.2f}", *spelled, str(best_on), *tests)
    said = (
        f"p: against {found.methods[0]}; Wilcoxon's is Holm's, for all pairs. Mean ranks differ at "
        f"{100 * found.level:g} % by {found.critical_difference:.3g} or more (Nemenyi)."
    )
    return Group(shown, Text(said))
