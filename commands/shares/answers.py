"""What `slotwise fair` answers about guarantees and limits beside the shares themselves."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import typer

from ..console import NO, about, show
from ..file_rules import saving

if TYPE_CHECKING:
    from ...instances.hierarchy.hierarchy import Hierarchy


class Destination(NamedTuple):
    """Where an answer goes."""

    output: Path | None
    as_json: bool
    quiet: bool

    def give(self, text: Any, document: Any) -> None:
        """Write the document if a file is wanted, and print."""
        from ...core.files.json_files import write_json

        if self.output is not None:
            with saving():
                write_json(self.output, document)
        show(text, document=document, as_json=self.as_json, quiet=self.quiet)


def answer_what_if(
    tree: Hierarchy, file: Path, said: Sequence[str], *, scale: bool, to: Destination
) -> None:
    """Shares with other values, beside those as they are."""
    from ...heuristics.hierarchy.limits.what_if import what_if
    from ...report.hierarchy.limit_tables import what_if_table

    with about(file):
        answer = what_if(tree, said, scale_guarantees=scale)
    to.give(what_if_table(answer), answer.document())


def answer_admission(
    tree: Hierarchy, file: Path, request: str, use: Path | None, to: Destination
) -> None:
    """Whether a request would start now; exit status 1 if not."""
    from ...heuristics.hierarchy.limits.admission import admission
    from ...instances.hierarchy.current_use import parsed_request, read_use

    path, amounts = parsed_request(request)
    current = {} if use is None else read_use(use, tree)
    with about(file):
        answer = admission(tree, path, amounts, current)
    to.give(str(answer), answer.document())
    if not answer.admitted:
        raise typer.Exit(NO)


def answer_comparison(
    files: tuple[Path, Path], leaf_map: Path | None, tolerance: float, to: Destination
) -> None:
    """Who loses from one hierarchy to another; exit status 1 beyond the tolerance, in points."""
    from ...core.files.csv_rows import csv_rows
    from ...heuristics.hierarchy.limits.comparison import compare_hierarchies
    from ...instances.hierarchy.hierarchy_file import read_hierarchy
    from ...report.hierarchy.limit_tables import comparison_table

    first, second = (read_hierarchy(file) for file in files)
    rows = [] if leaf_map is None else [row for _, row in csv_rows(leaf_map)]
    named = {row[0].strip(): row[-1].strip() for row in rows}
    comparison = compare_hierarchies(first, second, named)
    document = comparison.document() | {"tolerance": tolerance / 100}
    document["harmless"] = comparison.harmless(tolerance / 100)
    to.give(comparison_table(comparison, tolerance / 100), document)
    if not document["harmless"]:
        raise typer.Exit(NO)
