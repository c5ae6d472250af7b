"""Figure 7 of [LoTES]: how the response times are distributed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...engine.kinds.waits import distribution_waits
from ..experiment import Claim, Comparison, Experiment, Size
from ..verdicts import not_testable, within
from .figure_6 import NEEDS_TRACE
from .pictures import picture
from .runs import is_trace, on_trace, over_time, seconds_of, study, table_of_waits, warnings_of

if TYPE_CHECKING:
    import pandas as pd

HOUR = 3600.0
WAITS = {"lotes-15": "tetris", "lotes-16": "greedy"}
"""Claims on the wait that one job in a hundred exceeds (h), and whose it is."""


def compare(frame: pd.DataFrame, size: Size) -> Comparison:
    """Tails of the waits.

    Parameters
    ----------
    frame
        The results.
    size
        Size of the study.
    """
    longer = over_time(frame, "share_waiting_longer")
    upto = {
        condition: {name: 1 - share for name, share in lines.items()}
        for condition, lines in longer.items()
    }
    hour = next(i for i, wait in enumerate(distribution_waits()) if wait >= HOUR)
    over = 100 * max(lines["lotes"][hour] for lines in longer.values())
    claims: list[Claim] = []
    if is_trace(frame):
        claims.append(within("lotes-14", over))
    else:
        claims.append(not_testable("lotes-14", NEEDS_TRACE, over))
    for name, policy in WAITS.items():
        rows = frame[frame["method"] == policy]
        hours = float(rows["p99_wait"].max()) * seconds_of(frame) / HOUR
        claims.append(
            within(name, hours, slack=0.5)
            if is_trace(frame)
            else not_testable(name, NEEDS_TRACE, hours)
        )
    drawn = picture(7, frame, upto, "part of the jobs that wait no longer", 0.0)
    notes = ["Jobs of the warm-up do not count.", *warnings_of(frame)]
    return Comparison(
        claims, tables={"waits": table_of_waits(frame)}, figures={"figure": drawn}, notes=notes
    )


EXPERIMENT = Experiment(
    "lotes-figure-7",
    "LoTES",
    "distribution of response times of dispatching policies",
    study,
    compare,
    on_trace,
)
