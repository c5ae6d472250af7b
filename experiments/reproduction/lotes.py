"""Figures 6 and 8 of [LoTES]: waits and queues of dispatching policies over time, drawn from Tables
1 and 2; and the claims on its first two stages, which are in `lotes_stages`.

Demands are exact or vary, with and without a batch at time 0 as in the paper's trace. Quick runs
are on a twentieth of the machines of Table 1, full ones on all. The more machines there are, the
more room is somewhere at the same load: waits of all policies get shorter, and not alike, so that
some verdicts need all machines.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np

from ...core.arrays import FloatArray
from ...instances.datacenter.generators.lotes import google_2011
from ...instances.datacenter.job_file import SECONDS
from ...reports.plots import policy_styles
from ..engine.kinds.waits import PER_PART
from ..study.instance_sources import called, drawn
from ..study.study import Block, InstanceSource, Study
from .claims import (
    Claim,
    Comparison,
    Experiment,
    Size,
    Verdict,
    not_testable,
    numbered,
    of_share,
    ordering,
    said,
    with_scale,
)
from .lotes_stages import ALL_MACHINES, ON_ALL, stage_claims
from .pictures import Line, Panel, Words, caption, curves_plot

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

NAMES = {"lotes": "LoTES", "greedy": "Greedy", "tetris": "Tetris", "best-fit": "best fit"}
POLICIES = tuple(NAMES)
PAPERS = POLICIES[:3]
"""All, and the paper's three; the last is the baseline that it lacks."""

TWENTIETH, JOBS = 0.05, 300_000
WHOLE, WHOLE_JOBS = 1.0, 2_000_000
"""All machines run 180 000 jobs at once: these jobs arrive within eleven mean durations."""

BATCH_PART = 10
"""Of so many jobs one more arrives at time 0."""

LOADS, NOISES = (0.95, 0.98, 1.0), (0.0, 0.3)
SEEDS = (0, 1, 2)
SHOWN_LOAD, SHOWN_WITH_BATCH = 0.98, 0.9
"""Loads of the pictures. At the second one the batch is done within the run."""

CONDITION = ["load", "noise", "batch", "scale"]
"""Columns that say under which condition a run is."""

DECIDED_BY_SCALE = ("lotes-08", "lotes-10", "lotes-12", "lotes-17", "lotes-18")
"""Claims on waits and queues: their verdicts on few machines are not those on all."""

AT_SCALE = "not testable at this scale: --full runs all machines"

LEAST = 1.0
"""Where all three wait less than this on average (s), there is nothing to compare."""

NO_WAIT = 1e-6
"""Waits (s) count as at least this in ratios, the resolution of a trace."""

AN_ORDER = (10**0.5, 10**1.5)
"""Ratios that are nearer to ten than to one or a hundred."""

OFTEN = 0.5

NEGLIGIBLE, SMALL, EARLY = 0.01, 0.1, 0.1
"""Parts of the burst: a queue below them is not seen, or small, in a picture that shows the burst;
and part of the time in which the burst at time 0 has its peak."""

MOST_MARKS, WIDTH = 60, 42
"""Points of a line with marks, and characters in a line above a panel."""

CEILING = 1e-3
"""Up to here (s) the scale of waits is linear, so that none at all has a place."""

Series = dict[tuple[Any, ...], dict[str, FloatArray]]
"""A series of each condition and policy."""

WARNINGS = ("the queue was still", "what is in use", "nobody waited", "warm-up", "load")
"""How warnings of simulations begin."""


def study(size: Size) -> Study:
    """Every policy under every condition; in full on all machines, too: from the steady state on at
    high loads, and with a batch that comes when all is empty."""

    def of(scale: float, jobs: int, loads: Sequence[float], **case: Any) -> list[InstanceSource]:
        seeds = SEEDS if scale == WHOLE else SEEDS[:1]
        sweep = {"load": loads, "noise": NOISES}
        asked = {"jobs": jobs, "batch": 0, "start": "empty", **case}
        return drawn("google-2011", seeds, sweep=sweep, scale=scale, workload=asked)

    sources = of(TWENTIETH, JOBS, LOADS[:2])
    sources += of(TWENTIETH, JOBS, [SHOWN_WITH_BATCH], batch=JOBS // BATCH_PART)
    if size == "full":
        sources += of(WHOLE, WHOLE_JOBS, LOADS, start="full")
        sources += of(WHOLE, WHOLE_JOBS, [SHOWN_WITH_BATCH], batch=WHOLE_JOBS // BATCH_PART)
    return Study("lotes", [Block(sources, [called("policy", name) for name in POLICIES])])


def _figure_6(frame: pd.DataFrame, _size: Size) -> Comparison:
    """Mean waits of the policies beside each other."""
    own = on_most_machines(frame)
    waits = _comparable(own)
    of_runs = _claims_on_waits(own)
    every = _comparable(frame)
    others = every.drop(as_tables_say(every).index)
    notes = [
        "Response time is the wait before the start, as in the paper, and a job counts in the "
        "interval in which it starts. Jobs that a policy keeps waiting until the load ends are not "
        "in the figure: `by-arrival` counts jobs when they come.",
    ]
    if len(others):
        best = (others["lotes"] < others["greedy"]) & (others["lotes"] < others["tetris"])
        notes.append(
            "Claims on means are on runs without a batch at time 0. With one LoTES waits less than "
            "both others in "
            f"{int(best.sum())} of {len(others)} cases, Tetris over LoTES is "
            f"{_range(_ratio(others['tetris'], others['lotes']))}."
        )
    less = int((waits["best-fit"] < waits["lotes"]).sum())
    notes += [
        f"Best fit, a baseline that the paper lacks, waits less than LoTES in {less} of "
        f"{len(waits)} cases.",
        *_warnings(own),
    ]
    step = _interval_hours(own)
    started, arrived = _in_seconds(own, "wait_over_time"), _in_seconds(own, "wait_by_arrival")
    figures = {"figure": _picture(6, own, started, "mean wait of the jobs that start, s", step)}
    if arrived:
        axis = "mean wait of the jobs that arrive, s"
        figures["by-arrival"] = _picture(6, own, arrived, axis, step)
    claims = sorted([*stage_claims(), *_at_scale(of_runs, own)], key=lambda claim: claim.id)
    return Comparison(
        claims, tables={"waits": _table_of_waits(frame)}, figures=figures, notes=notes
    )


def _figure_8(frame: pd.DataFrame, _size: Size) -> Comparison:
    own = on_most_machines(frame)
    claims = _claims_on_queues(own)
    queues = over_time(own, "queue_over_time")
    drawn = _picture(8, own, queues, "jobs waiting", _interval_hours(own) / PER_PART)
    return Comparison(
        _at_scale(claims, own),
        tables={"waits": _table_of_waits(frame)},
        figures={"figure": drawn},
        notes=_warnings(own),
    )


def _claims_on_waits(frame: pd.DataFrame) -> list[Claim]:
    waits = as_tables_say(_comparable(frame))
    started, arrived = _in_seconds(frame, "wait_over_time"), _in_seconds(frame, "wait_by_arrival")
    lotes, greedy, tetris = (waits[name] for name in PAPERS)
    over_greedy, over_tetris = _ratio(greedy, lotes), _ratio(tetris, lotes)
    near = (over_tetris >= AN_ORDER[0]) & (over_tetris <= AN_ORDER[1])
    better = (lotes < greedy) & (lotes < tetris)
    where = "; ".join(told(key) for key in better[~better].index)
    far = (over_greedy >= 10) & (over_tetris >= AN_ORDER[0])
    apart: list[bool] = []  # Tetris less LoTES in the intervals of the runs without a batch
    for lines in (lines for key, lines in started.items() if not key[2]):
        length = min(len(lines["tetris"]), len(lines["lotes"]))
        apart += (np.abs(lines["tetris"][:length] - lines["lotes"][:length]) <= 1).tolist()
    return [
        ordering("lotes-08", better, note=f"not at: {where}" if where else ""),
        said("lotes-10", of_share(_share(near)), _mean(over_tetris), None,
             f"{int(near.sum())} of {len(near)} cases within half an order, {_range(over_tetris)}"),
        ordering("lotes-13", apart, holds=OFTEN, partly=OFTEN / 2),
        _first_period(started, arrived),
        said("lotes-18", of_share(_share(far)), _mean(over_greedy), None,
             f"{int(far.sum())} of {len(far)} cases; Greedy over LoTES {_range(over_greedy)}, "
             f"Tetris over LoTES {_range(over_tetris)}"),
    ]  # fmt: skip


def _first_period(started: Series, arrived: Series) -> Claim:
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


def _claims_on_queues(frame: pd.DataFrame) -> list[Claim]:
    """Four parts of the claim under each condition with a burst."""
    cases: list[bool] = []
    missed: list[str] = []
    for condition, lines in over_time(frame, "queue_over_time").items():
        burst = max(float(lines[name].max()) for name in PAPERS)
        if not condition[2] or burst == 0:
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
        return [not_testable("lotes-17", "no run has a burst that makes jobs wait")]
    return [ordering("lotes-17", cases, note="; ".join(missed))]


def on_most_machines(frame: pd.DataFrame) -> pd.DataFrame:
    """The runs that verdicts are on."""
    return frame[frame["scale"] == frame["scale"].max()]


def scale_of(frame: pd.DataFrame) -> str:
    """On how many machines these runs are, in words."""
    scale = float(frame["scale"].iloc[0])
    if scale == WHOLE:
        return ON_ALL
    return f"{int(google_2011(scale).count.sum()):,} of {ALL_MACHINES:,} machines"


def _at_scale(claims: Iterable[Claim], frame: pd.DataFrame) -> list[Claim]:
    """The claims with the scale of their runs; what the scale decides is open below the paper's."""
    words = scale_of(frame)
    scaled = []
    for claim in with_scale(claims, words):
        is_open = words != ON_ALL and claim.id in DECIDED_BY_SCALE
        note = "; ".join(filter(None, [AT_SCALE, f"here {claim.verdict.value}", claim.note]))
        scaled.append(replace(claim, verdict=Verdict.NOT_TESTABLE, note=note) if is_open else claim)
    return scaled


def mean_waits(frame: pd.DataFrame) -> pd.DataFrame:
    """Mean wait (s) by condition, a column a policy: means over the seeds.

    With a batch all jobs count, as in the paper; without one those after the warm-up.
    """
    return _by_policy(frame, _waits(frame)).mean()


def _comparable(frame: pd.DataFrame) -> pd.DataFrame:
    """Mean waits under the conditions in which some policy makes jobs wait."""
    waits = mean_waits(frame)
    return waits[waits[list(PAPERS)].max(axis=1) >= LEAST]


def as_tables_say(waits: pd.DataFrame) -> pd.DataFrame:
    """The rows without a batch at time 0, of which the tables know nothing."""
    return waits[waits.index.get_level_values("batch") == 0]


def _table_of_waits(frame: pd.DataFrame) -> pd.DataFrame:
    """Mean waits (s) with their standard errors over the seeds, and the longest waits."""
    waits = _by_policy(frame, _waits(frame))
    most = _by_policy(frame, frame["max_wait"] * _second(frame)).max()
    mean, error = waits.mean(), waits.sem()
    own = [name for name in POLICIES if name in mean]
    joined = mean[own].join(error[own].add_suffix(" se")).join(most[own].add_suffix(" longest"))
    return joined.reset_index()


def over_time(frame: pd.DataFrame, column: str) -> Series:
    """A series of each condition and policy, the mean over the seeds.

    `column`: a measure that is a list. Of different lengths the ends are left out.
    """
    by_condition: Series = {}
    for key, rows in frame.groupby([*CONDITION, "method"], dropna=False, sort=False):
        lists = [json.loads(text) for text in rows[column]]
        length = min(map(len, lists))
        series = np.array([values[:length] for values in lists], dtype=float).mean(axis=0)
        *condition, method = key
        by_condition.setdefault(tuple(condition), {})[str(method)] = series
    return by_condition


def _in_seconds(frame: pd.DataFrame, column: str) -> Series:
    """A series of waits (s), nothing if the runs do not have it."""
    if column not in frame or frame[column].isna().any():
        return {}
    second = float(_second(frame).iloc[0])
    return {
        condition: {name: values * second for name, values in lines.items()}
        for condition, lines in over_time(frame, column).items()
    }


def told(condition: tuple[Any, ...]) -> str:
    load, noise, batch, _ = condition
    demands = f"demands vary by {noise:g}" if noise else "exact demands"
    more = [f"{batch:.0f} jobs at time 0"] if batch else []
    return ", ".join([f"load {load:g}", demands, *more])


def _picture(figure: int, frame: pd.DataFrame, series: Series, y: str, step: float) -> Figure:
    """A panel for each condition, a line for each policy.

    `step`: time between two values of a series (h).
    """
    keys = [key for key in series if key[0] == (SHOWN_WITH_BATCH if key[2] else SHOWN_LOAD)]
    panels = []
    for key in keys:
        lines = {name: series[key][name] for name in POLICIES if name in series[key]}
        length = min(map(len, lines.values()))
        drawn = [
            Line(NAMES[name], values[:length].tolist(), look=look)
            for (name, values), look in zip(lines.items(), policy_styles(lines), strict=True)
        ]
        panels.append(Panel([step * i for i in range(length)], drawn, fill(told(key), WIDTH)))
    per_line = frame["seed"].nunique()
    words = Words(
        f"LoTES, Figure {figure}: dispatching policies on {scale_of(frame)}",
        "time, h",
        y,
        caption(
            len(panels) * len(POLICIES) * per_line,
            frame["seed"].tolist(),
            "Lines are means over the seeds",
        ),
    )
    drawn_figure = curves_plot(panels, words)
    for axis in drawn_figure.axes:
        for line in axis.get_lines():
            line.set_markersize(2.5)
            if np.size(line.get_xdata()) > MOST_MARKS:
                line.set_marker("")
        axis.set_yscale("symlog", linthresh=1.0 if y.startswith("jobs") else CEILING)
        axis.set_ylim(bottom=0)
    return drawn_figure


def _interval_hours(frame: pd.DataFrame) -> float:
    """Length of the intervals of the series (h); that of the runs differs by little."""
    return float((frame["interval"] * _second(frame)).mean()) / 3600


def _warnings(frame: pd.DataFrame) -> list[str]:
    """What the simulations warn of, and how often."""
    count: dict[str, int] = {}
    for text in frame["warnings"]:
        for warning in filter(None, str(text).split("; ")):
            short = warning.partition(" (")[0].partition(":")[0]
            if short.startswith(WARNINGS):
                about_load = short.startswith("load")
                short = "the load is above what can be carried" if about_load else short
                count[short] = count.get(short, 0) + 1
    return [f"{number} of {len(frame)} runs warn: {what}." for what, number in count.items()]


def _by_policy(frame: pd.DataFrame, values: pd.Series) -> Any:
    """Values of the seeds by condition, a column a policy."""
    seeds = frame.assign(value=values).pivot_table(
        "value", [*CONDITION, "seed"], "method", aggfunc="mean"
    )
    return seeds.groupby(level=CONDITION)


def _waits(frame: pd.DataFrame) -> pd.Series:
    own = frame["mean_wait_of_all"].where(frame["batch"] > 0, frame["mean_wait"])
    return own * _second(frame)


def _second(frame: pd.DataFrame) -> pd.Series:
    return frame["time_unit"].map(SECONDS).astype(float)


def _ratio(one: pd.Series, other: pd.Series) -> pd.Series:
    return one.clip(lower=NO_WAIT) / other.clip(lower=NO_WAIT)


def _mean(ratios: pd.Series) -> float | None:
    return float(np.exp(np.log(ratios).mean())) if len(ratios) else None


def _share(cases: pd.Series) -> float:
    return float(cases.mean()) if len(cases) else 0.0


def _range(values: pd.Series) -> str:
    return f"{values.min():.2g} to {values.max():.3g}" if len(values) else "none"


EXPERIMENTS = [
    Experiment("lotes-figure-6", "LoTES", "mean response time of dispatching policies over time",
               study, numbered("lotes", 8, 10, 12, 13, 18), _figure_6),
    Experiment("lotes-figure-8", "LoTES",
               "number of waiting jobs of dispatching policies over time",
               study, numbered("lotes", 17), _figure_8),
]  # fmt: skip
