"""The further experiment of [LJR], section 5.2.2 (v): nodes in multiples of the replicas."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...statistics.means import honest_differences
from .. import verdicts
from ..experiment import Claim, Comparison, Experiment, Size
from . import orderings
from .analysis import analysed, means_figure, nothing
from .cells import wide
from .design import RESPONSE, missing_note, node_sizes, with_errors

if TYPE_CHECKING:
    import pandas as pd

CLAIMS = ("ljr-28", "ljr-29", "ljr-30", "ljr-31")


def _compare(frame: pd.DataFrame, size: Size) -> Comparison:
    """What the runs say of the policy where it is said to fail."""
    runs = with_errors(frame)
    notes = missing_note(frame, node_sizes(size))
    if runs.empty:
        return nothing(*CLAIMS)
    analysis = analysed(runs)
    notes += analysis.notes
    hsd = honest_differences(runs, RESPONSE, ["ratio", "nodes", "method"], analysis.plain)
    cells = wide(runs)
    claims = [
        verdicts.inside("ljr-28", sorted(runs["nodes"].unique())),
        verdicts.ordering("ljr-29", orderings.efss_best(cells), note=_by_ratio(cells)),
        verdicts.ordering("ljr-30", orderings.policy_worse(cells)),
        _worst_case(cells),
    ]
    title = "LJR, node sizes: error where nodes are a multiple of the replicas (print: Table 2)"
    figure = means_figure(runs, hsd, "nodes", title)
    tables = {**analysis.tables, "hsd": hsd, "errors": cells.reset_index()}
    return Comparison(claims, tables=tables, figures={"figure": figure}, notes=notes)


def _by_ratio(cells: pd.DataFrame) -> str:
    if cells.empty:
        return ""
    best = cells.idxmin(axis=1) == "EFSS"
    counts = best.groupby(level="ratio").agg(["sum", "size"])
    return ", ".join(f"{ratio} {own['sum']} of {own['size']}" for ratio, own in counts.iterrows())


def _worst_case(cells: pd.DataFrame) -> Claim:
    """The claim says that there is such a case."""
    cases = orderings.policy_worse_than_eass(cells)
    if not cases:
        return verdicts.not_testable("ljr-31", "no cell with all methods")
    note = f"in {sum(cases)} of {len(cases)} cells EASS is better than both"
    return verdicts.said("ljr-31", verdicts.of_share(float(any(cases))), None, None, note)


EXPERIMENT = Experiment(
    "ljr-node-sizes",
    "LJR",
    "mean errors on clusters whose nodes are a multiple of the replicas",
    node_sizes,
    _compare,
)
