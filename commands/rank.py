"""`slotwise rank`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

import slotwise

from ..core.wording import percent, plural
from .frame import Answer
from .options import PlotFile, TableFile


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
    output: TableFile = None,
    plot: PlotFile = None,
) -> Answer:
    """Friedman's test says whether any differ, Nemenyi's which mean ranks do, Wilcoxon's signed
    ranks with Holm's correction which pairs do. --plot draws the critical-difference diagram.
    """
    from rich.console import Group
    from rich.markup import escape
    from rich.table import Table
    from rich.text import Text

    from ..core.files.json_files import write_json
    from ..experiments.statistics.ranks import spelled_p
    from ..reports.plots import write_figure
    from ..reports.table_files import is_table, write_table

    as_table = is_table(output)
    found = slotwise.rank(table, value, methods=method, level=level)
    notes = []
    if found.left_out:
        lacking = plural(found.left_out, "instance")
        notes.append(f"{lacking} left out: not all methods have a {value} there")

    def write(path: Path) -> None:
        if as_table:
            write_table(found.printed() if path.suffix == ".tex" else found.table(), path)
        else:
            write_json(path, found.document())

    def draw(path: Path) -> None:
        figure: Any = found.plot().figure
        write_figure(figure, path)

    shown = Table(title=escape(str(found)), title_justify="left")
    shown.add_column("method")
    for name in ("rank", f"mean {value}", f"worst {value}", "best on", "p Wilcoxon", "p Nemenyi"):
        shown.add_column(name, justify="right")
    for row in zip(*found.table().values(), strict=True):
        name, mean_rank, mean, _, worst, best_on, wilcoxon, nemenyi = row
        values = [percent(v) if value == "gap" else f"{v:.6g}" for v in (mean, worst)]
        tests = ["" if p is None else spelled_p(p) for p in (wilcoxon, nemenyi)]
        shown.add_row(escape(name), f"{mean_rank:.2f}", *values, str(best_on), *tests)
    said = (
        f"p: against {found.methods[0]}; Wilcoxon's is Holm's, for all pairs. Mean ranks differ at "
        f"{100 * found.level:g} % by {found.critical_difference:.3g} or more (Nemenyi)."
    )
    return Answer(
        Group(shown, Text(said)),
        found.document(),
        notes=notes,
        line=str(found),
        content=write,
        drawings={plot: draw},
    )
