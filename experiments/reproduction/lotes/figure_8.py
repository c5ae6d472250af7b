"""Figure 8 of [LoTES]: how many jobs wait over time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...engine.kinds.waits import PER_PART
from ..experiment import Claim, Comparison, Experiment, Size
from ..verdicts import not_testable, ordering
from .pictures import picture
from .runs import (
    PAPERS,
    interval_hours,
    over_time,
    study,
    table_of_waits,
    told,
    warnings_of,
)
from .scale import at_scale, elsewhere, judged

if TYPE_CHECKING:
    import pandas as pd

NEGLIGIBLE, SMALL = 0.01, 0.1
"""Parts of the burst: a queue below them is not seen, or small, in a picture that shows the burst.
"""

EARLY = 0.1
"""Part of the time in which the burst at time 0 has its peak."""


def compare(frame: pd.DataFrame, size: Size) -> Comparison:
    own = judged(frame)
    claims = _claims(own)
    queues = over_time(own, "queue_over_time")
    drawn = picture(8, own, queues, "jobs waiting", interval_hours(own) / PER_PART)
    return Comparison(
        at_scale(claims, own),
        tables={"waits": table_of_waits(frame)},
        figures={"figure": drawn},
        notes=[*elsewhere(frame, _claims, claims), *warnings_of(own)],
    )


def _claims(frame: pd.DataFrame) -> list[Claim]:
    return [_queues(over_time(frame, "queue_over_time"))]


def _queues(queues: dict[tuple[Any, ...], dict[str, Any]]) -> Claim:
    """Four parts of the claim under each condition with a burst."""
    cases: list[bool] = []
    missed: list[str] = []
    for condition, lines in queues.items():
        if not condition[2]:
            continue
        burst = max(float(lines[name].max()) for name in PAPERS)
        if burst == 0:
            continue
        length = min(len(lines[name]) for name in PAPERS)
        later = {name: lines[name][int(EARLY * length) : length] for name in PAPERS}
        others = np.maximum(later["lotes"], later["tetris"])
        parts = {
            "LoTES negligible": np.median(later["lotes"]) <= NEGLIGIBLE * burst,
            "Tetris small": later["tetris"].max() <= SMALL * burst,
            "Greedy longer": np.mean(later["greedy"] > others) > 0.5,
            "burst at time 0": all(
                int(lines[name][:length].argmax()) <= EARLY * length for name in PAPERS
            ),
        }
        cases += [bool(good) for good in parts.values()]
        failed = [name for name, good in parts.items() if not good]
        if failed:
            missed.append(f"{told(condition)}: not {', '.join(failed)}")
    if not cases:
        return not_testable("lotes-17", "no run has a burst that makes jobs wait")
    return ordering("lotes-17", cases, note="; ".join(missed))


EXPERIMENT = Experiment(
    "lotes-figure-8",
    "LoTES",
    "number of waiting jobs of dispatching policies over time",
    study,
    compare,
)
