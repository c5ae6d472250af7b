"""Figure 7 of [LoTES]: how the response times are distributed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...engine.kinds.waits import distribution_waits
from ..experiment import Claim, Comparison, Experiment, Size
from ..verdicts import not_testable, within
from .figure_6 import NEEDS_TRACE
from .pictures import picture
from .runs import is_trace, on_trace, over_time, seconds_of, study, table_of_waits, warnings_of
from .scale import at_scale, judged

if TYPE_CHECKING:
    import pandas as pd

HOUR = 3600.0
WAITS = {"lotes-15": "tetris", "lotes-16": "greedy"}
"""Claims on the wait that one job in a hundred exceeds (h), and whose it is."""


def compare(frame: pd.DataFrame, size: Size) -> Comparison:
    """Tails of the waits."""
    own = judged(frame)
    longer = over_time(own, "share_waiting_longer")
    upto = {
        condition: {name: 1 - share for name, share in lines.items()}
        for condition, lines in longer.items()
    }
    hour = next(i for i, wait in enumerate(distribution_waits()) if wait >= HOUR)
    over = 100 * max(lines["lotes"][hour] for lines in longer.values())
    claims = [_limit("lotes-14", over, own)]
    for name, policy in WAITS.items():
        rows = own[own["method"] == policy]
        hours = float(rows["p99_wait"].max()) * seconds_of(own) / HOUR
        claims.append(_limit(name, hours, own, slack=0.5))
    drawn = picture(7, own, upto, "part of the jobs that wait no longer", 0.0)
    return Comparison(
        at_scale(claims, own),
        tables={"waits": table_of_waits(frame)},
        figures={"figure": drawn},
        notes=["Jobs of the warm-up do not count.", *warnings_of(own)],
    )


def _limit(name: str, ours: float, frame: pd.DataFrame, slack: float = 0.0) -> Claim:
    """A number of hours or a share, which only a trace can have."""
    if is_trace(frame):
        return within(name, ours, slack=slack)
    return not_testable(name, NEEDS_TRACE, ours)


EXPERIMENT = Experiment(
    "lotes-figure-7",
    "LoTES",
    "distribution of response times of dispatching policies",
    study,
    compare,
    on_trace,
)
