"""The runs behind Figures 6 and 8 of [LoTES], drawn from Tables 1 and 2.

Demands are exact or vary, with and without a batch at time 0 as in the paper's trace. In full the
runs are on all machines of Table 1; on a twentieth of them there are more conditions, such as
durations with a heavy tail.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from ....core.arrays import FloatArray
from ....instances.datacenter.job_file import SECONDS
from ...study.instance_sources import called, drawn
from ...study.study import Block, InstanceSource, Study
from ..experiment import Size

if TYPE_CHECKING:
    import pandas as pd

PAPERS = ("lotes", "greedy", "tetris")
POLICIES = (*PAPERS, "best-fit")
"""The paper's three, and the baseline that it lacks."""

NAMES = {"lotes": "LoTES", "greedy": "Greedy", "tetris": "Tetris", "best-fit": "best fit"}

TWENTIETH, JOBS = 0.05, 300_000
WHOLE, WHOLE_JOBS = 1.0, 2_000_000
"""All machines run 180 000 jobs at once: these jobs arrive within eleven mean durations."""

BATCH_PART = 10
"""Of so many jobs one more arrives at time 0."""

LOADS, NOISES, SEEDS = (0.9, 0.95, 0.98, 1.0), (0.0, 0.3), (0, 1, 2)
QUICK_SEEDS = (0,)
SHOWN_LOAD, SHOWN_WITH_BATCH = 0.98, 0.9
"""Loads of the pictures. At the second one the batch is done within the run."""

HEAVY = "lognormal:3"

PLAIN: dict[str, Any] = {"batch": 0, "durations": "exponential", "start": "empty"}
WITH_BATCH = PLAIN | {"batch": JOBS // BATCH_PART}
HEAVY_TAILED = PLAIN | {"durations": HEAVY, "start": "full"}
HEAVY_WITH_BATCH = HEAVY_TAILED | {"batch": JOBS // BATCH_PART}

CONDITION = ["load", "noise", "batch", "durations", "scale"]
"""Columns that say under which condition a run is."""


def study(size: Size) -> Study:
    """Every policy under every condition."""
    quick = size == "quick"
    sources: list[InstanceSource] = []
    for case in (PLAIN, WITH_BATCH, HEAVY_TAILED, HEAVY_WITH_BATCH):
        heavy = case["durations"] == HEAVY
        if quick and case == HEAVY_TAILED:
            continue
        few = (SHOWN_WITH_BATCH,) if case["batch"] else LOADS[1:3]
        sources += drawn(
            "google-2011",
            QUICK_SEEDS if quick else SEEDS,
            sweep={
                "load": few if quick else LOADS,
                "noise": NOISES[:1] if quick and heavy else NOISES,
            },
            scale=TWENTIETH,
            workload={"jobs": JOBS, **case},
        )
    sources += [] if quick else _on_all_machines()
    return Study("lotes", [Block(sources, [called("policy", name) for name in POLICIES])])


def _on_all_machines() -> list[InstanceSource]:
    """From the steady state on at high loads, and with a batch that comes when all is empty."""
    batch = PLAIN | {"batch": WHOLE_JOBS // BATCH_PART}
    return [
        source
        for loads, case in ((LOADS[1:], PLAIN | {"start": "full"}), ((SHOWN_WITH_BATCH,), batch))
        for source in drawn(
            "google-2011",
            SEEDS,
            sweep={"load": loads, "noise": NOISES},
            scale=WHOLE,
            workload={"jobs": WHOLE_JOBS, **case},
        )
    ]


def mean_waits(frame: pd.DataFrame) -> pd.DataFrame:
    """Mean wait (s) by condition, a column a policy: means over the seeds.

    With a batch all jobs count, as in the paper; without one those after the warm-up.
    """
    return _by_policy(frame, _waits(frame)).groupby(level=CONDITION).mean()


def table_of_waits(frame: pd.DataFrame) -> pd.DataFrame:
    """Mean waits (s) with their standard errors over the seeds, and the longest waits."""
    waits = _by_policy(frame, _waits(frame)).groupby(level=CONDITION)
    longest = _by_policy(frame, frame["max_wait"] * _second(frame)).groupby(level=CONDITION)
    mean, error, most = waits.mean(), waits.sem(), longest.max()
    own = [name for name in POLICIES if name in mean]
    joined = mean[own].join(error[own].add_suffix(" se")).join(most[own].add_suffix(" longest"))
    return joined.reset_index()


def as_tables_say(waits: pd.DataFrame) -> pd.DataFrame:
    """The rows without a batch and without heavy tails."""
    level = waits.index.get_level_values
    return waits[(level("batch") == 0) & (level("durations") != HEAVY)]


def over_time(frame: pd.DataFrame, column: str) -> dict[tuple[Any, ...], dict[str, FloatArray]]:
    """A series of each condition and policy, the mean over the seeds.

    `column`: a measure that is a list. Of different lengths the ends are left out.
    """
    by_condition: dict[tuple[Any, ...], dict[str, FloatArray]] = {}
    for key, rows in frame.groupby([*CONDITION, "method"], dropna=False, sort=False):
        lists = [json.loads(text) for text in rows[column]]
        length = min(map(len, lists))
        series = np.array([values[:length] for values in lists], dtype=float).mean(axis=0)
        *condition, method = key
        by_condition.setdefault(tuple(condition), {})[str(method)] = series
    return by_condition


def interval_hours(frame: pd.DataFrame) -> float:
    """Length of the intervals of the series (h); that of the runs differs by little."""
    return float((frame["interval"] * _second(frame)).mean()) / 3600


def seconds_of(frame: pd.DataFrame) -> float:
    return float(_second(frame).iloc[0])


def told(condition: tuple[Any, ...]) -> str:
    load, noise, batch, durations, _ = condition
    demands = f"demands vary by {noise:g}" if noise else "exact demands"
    more = [f"{batch:.0f} jobs at time 0"] if batch else []
    more += ["heavy-tailed durations"] if durations == HEAVY else []
    return ", ".join([f"load {load:g}", demands, *more])


def warnings_of(frame: pd.DataFrame) -> list[str]:
    """What the simulations warn of, and how often."""
    count: dict[str, int] = {}
    for text in frame["warnings"]:
        for warning in filter(None, str(text).split("; ")):
            short = warning.partition(" (")[0].partition(":")[0]
            for begin in (
                "the queue was still",
                "what is in use",
                "nobody waited",
                "warm-up",
                "load",
            ):
                if short.startswith(begin):
                    short = short if begin != "load" else "the load is above what can be carried"
                    count[short] = count.get(short, 0) + 1
    return [f"{number} of {len(frame)} runs warn: {what}." for what, number in count.items()]


def _by_policy(frame: pd.DataFrame, values: pd.Series) -> pd.DataFrame:
    """Values by condition and seed, a column a policy."""
    return frame.assign(value=values).pivot_table(
        "value", [*CONDITION, "seed"], "method", aggfunc="mean"
    )


def _waits(frame: pd.DataFrame) -> pd.Series:
    own = frame["mean_wait_of_all"].where(frame["batch"] > 0, frame["mean_wait"])
    return own * _second(frame)


def _second(frame: pd.DataFrame) -> pd.Series:
    return frame["time_unit"].map(SECONDS).astype(float)
