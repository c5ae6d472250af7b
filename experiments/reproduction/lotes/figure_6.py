"""Figure 6 of [LoTES]: mean response time over time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..experiment import Claim, Comparison, Experiment, Size, Verdict
from ..verdicts import not_testable, of_share, ordering, said
from .pictures import picture
from .runs import (
    NAMES,
    PAPERS,
    as_tables_say,
    interval_hours,
    mean_waits,
    over_time,
    seconds_of,
    study,
    table_of_waits,
    told,
    warnings_of,
)
from .scale import at_scale, elsewhere, judged
from .stages import stage_claims

if TYPE_CHECKING:
    import pandas as pd

LEAST = 1.0
"""Where all three wait less than this on average (s), there is nothing to compare."""

NO_WAIT = 1e-6
"""Waits (s) count as at least this in ratios, the resolution of a trace."""

AN_ORDER = (10**0.5, 10**1.5)
"""Ratios that are nearer to ten than to one or a hundred."""

OFTEN = 0.5

ARRIVING = "wait_by_arrival"


def compare(frame: pd.DataFrame, size: Size) -> Comparison:
    """Mean waits of the policies beside each other."""
    own = judged(frame)
    waits = _comparable(own)
    series, by_arrival = (_in_seconds(own, name) for name in ("wait_over_time", ARRIVING))
    of_runs = _claims(own)
    notes = [
        "Response time is the wait before the start, as in the paper, and a job counts in the "
        "interval in which it starts. Jobs that a policy keeps waiting until the load ends are not "
        "in the figure: `by-arrival` counts jobs when they come.",
        *elsewhere(frame, _claims, of_runs),
        *_others(_comparable(frame)),
        _best_fit(waits),
        *warnings_of(own),
    ]
    step = interval_hours(own)
    figures = {"figure": picture(6, own, series, "mean wait of the jobs that start, s", step)}
    if by_arrival:
        axis = "mean wait of the jobs that arrive, s"
        figures["by-arrival"] = picture(6, own, by_arrival, axis, step)
    claims = [*stage_claims(), *at_scale(of_runs, own)]
    claims.sort(key=lambda claim: claim.id)
    return Comparison(claims, tables={"waits": table_of_waits(frame)}, figures=figures, notes=notes)


def _comparable(frame: pd.DataFrame) -> pd.DataFrame:
    """Mean waits under the conditions in which some policy makes jobs wait."""
    waits = mean_waits(frame)
    return waits[waits[list(PAPERS)].max(axis=1) >= LEAST]


def _claims(frame: pd.DataFrame) -> list[Claim]:
    waits = as_tables_say(_comparable(frame))
    series, by_arrival = (_in_seconds(frame, name) for name in ("wait_over_time", ARRIVING))
    first = _first_period(series, by_arrival)
    return [*_of_means(waits), _often_near(series), first, _sum(waits)]


def _in_seconds(frame: pd.DataFrame, column: str) -> dict[tuple[Any, ...], dict[str, Any]]:
    """A series of waits (s) by condition and policy, nothing if the runs do not have it."""
    if column not in frame or frame[column].isna().any():
        return {}
    return {
        condition: {name: values * seconds_of(frame) for name, values in lines.items()}
        for condition, lines in over_time(frame, column).items()
    }


def _first_period(
    started: dict[tuple[Any, ...], dict[str, Any]],
    arrived: dict[tuple[Any, ...], dict[str, Any]],
) -> Claim:
    """Greedy in the first period, if jobs count when they start and if they count when they come.

    The paper does the first. Greedy starts few of a burst early, and these have not waited long.
    """
    cases, notes = [], []
    for way, series in (("start", started), ("come", arrived)):
        burst = [lines for key, lines in series.items() if key[2] > 0]
        best = [waits["greedy"][0] < min(waits["lotes"][0], waits["tetris"][0]) for waits in burst]
        if best:
            means = ", ".join(f"{NAMES[name]} {burst[0][name][0]:.3g}" for name in PAPERS)
            notes.append(
                f"if jobs count when they {way}, in {sum(best)} of {len(best)}, such as {means} s"
            )
            cases.append(of_share(sum(best) / len(best)) is Verdict.HOLDS)
    if not cases:
        return not_testable("lotes-12", "no run with a burst")
    return said("lotes-12", of_share(sum(cases) / len(cases), holds=1), note="; ".join(notes))


def _of_means(waits: pd.DataFrame) -> list[Claim]:
    lotes, greedy, tetris = (waits[name] for name in PAPERS)
    ratio = _ratio(tetris, lotes)
    near = (ratio >= AN_ORDER[0]) & (ratio <= AN_ORDER[1])
    better = (lotes < greedy) & (lotes < tetris)
    where = "; ".join(told(key) for key in _keys(better[~better]))
    return [
        ordering("lotes-08", better, note=f"not at: {where}" if where else ""),
        said("lotes-10", of_share(_share(near)), _mean(ratio), None,
             f"{int(near.sum())} of {len(near)} cases within half an order, {_range(ratio)}"),
    ]  # fmt: skip


def _often_near(series: dict[tuple[Any, ...], dict[str, Any]]) -> Claim:
    """Tetris less LoTES in the intervals of the runs without a batch."""
    plain = [lines for key, lines in series.items() if not key[2]]
    apart = [d for lines in plain for d in _apart(lines["tetris"], lines["lotes"])]
    return ordering("lotes-13", [d <= 1 for d in apart], holds=OFTEN, partly=OFTEN / 2)


def _sum(waits: pd.DataFrame) -> Claim:
    """Orders of magnitude over Greedy, one over Tetris."""
    over_greedy = _ratio(waits["greedy"], waits["lotes"])
    over_tetris = _ratio(waits["tetris"], waits["lotes"])
    good = (over_greedy >= 10) & (over_tetris >= AN_ORDER[0])
    note = f"Greedy over LoTES {_range(over_greedy)}, Tetris over LoTES {_range(over_tetris)}"
    return said("lotes-18", of_share(_share(good)), _mean(over_greedy), None,
                f"{int(good.sum())} of {len(good)} cases; {note}")  # fmt: skip


def _others(waits: pd.DataFrame) -> list[str]:
    """What the claims on means do not tell."""
    others = waits.drop(as_tables_say(waits).index)
    if not len(others):
        return []
    less = int(((others["lotes"] < others["greedy"]) & (others["lotes"] < others["tetris"])).sum())
    return [
        "Claims on means are on durations as Table 2 has them, without a batch at time 0. With a "
        f"batch or heavy-tailed durations LoTES waits less than both others in {less} of "
        f"{len(others)} cases, Tetris over LoTES is "
        f"{_range(_ratio(others['tetris'], others['lotes']))}."
    ]


def _best_fit(waits: pd.DataFrame) -> str:
    """How the missing baseline does."""
    less = int((waits["best-fit"] < waits["lotes"]).sum())
    return (
        f"Best fit, a baseline that the paper lacks, waits less than LoTES in {less} of "
        f"{len(waits)} cases."
    )


def _ratio(one: pd.Series, other: pd.Series) -> pd.Series:
    return one.clip(lower=NO_WAIT) / other.clip(lower=NO_WAIT)


def _mean(ratios: pd.Series) -> float | None:
    return float(np.exp(np.log(ratios).mean())) if len(ratios) else None


def _share(cases: pd.Series) -> float:
    return float(cases.mean()) if len(cases) else 0.0


def _range(values: pd.Series) -> str:
    return f"{values.min():.2g} to {values.max():.3g}" if len(values) else "none"


def _apart(one: Any, other: Any) -> list[float]:
    length = min(len(one), len(other))
    return [abs(d) for d in (one[:length] - other[:length]).tolist()]


def _keys(rows: pd.Series) -> list[tuple[Any, ...]]:
    return [key if isinstance(key, tuple) else (key,) for key in rows.index]


EXPERIMENT = Experiment(
    "lotes-figure-6",
    "LoTES",
    "mean response time of dispatching policies over time",
    study,
    compare,
)
