"""Figures 6 to 8 of LoTES: what runs say of the claims, with waits made by hand."""

import json
from itertools import product
from typing import Any

import pandas as pd
import pytest

from slotwise.experiments.reproduction.experiment import Claim, Trace, Verdict
from slotwise.experiments.reproduction.lotes import figure_6, figure_7, figure_8, runs, stages
from slotwise.experiments.reproduction.printed import claims

INTERVALS, HOURS = 30, 30 * 24


def row(method: str, wait: float, first: float, tail: float, **condition: Any) -> dict[str, Any]:
    """A run with a mean wait (s), that of the first interval, and jobs that wait for ever (%)."""
    queue = [20_000.0, *[wait] * (8 * INTERVALS - 1)]
    return condition | {
        "method": method,
        "seed": 0,
        "time_unit": "s",
        "mean_wait": wait,
        "mean_wait_of_all": wait,
        "max_wait": 10 * wait,
        "p99_wait": 7 * 3600.0 if method == "tetris" else 17 * 3600.0,
        "interval": 3600.0 * HOURS / INTERVALS,
        "wait_over_time": json.dumps([first, *[wait] * (INTERVALS - 1)]),
        "queue_over_time": json.dumps(queue),
        "share_waiting_longer": json.dumps([tail / 100] * 37),
        "warnings": "",
    }


def drawn_frame(lotes: float, greedy: float, tetris: float) -> pd.DataFrame:
    """The same waits with and without a batch, with and without noise."""
    waits = {"lotes": lotes, "greedy": greedy, "tetris": tetris, "best-fit": 2.0}
    first = {"lotes": 40.0, "greedy": 20.0, "tetris": 30.0, "best-fit": 50.0}
    return pd.DataFrame(
        row(name, wait, first[name], 0.5, load=0.98, noise=noise, batch=batch,
            durations="exponential")
        for (name, wait), noise, batch in product(waits.items(), (0.0, 0.3), (0, 30_000))
    )  # fmt: skip


def trace_frame() -> pd.DataFrame:
    """What the paper tells of the month."""
    waits = {"lotes": 1e-4, "greedy": 17 * 60.0, "tetris": 1e-3, "best-fit": 2.0}
    frame = pd.DataFrame(
        row(name, wait, 5.0 if name == "greedy" else 9.0, 0.5, trace="jobs.csv")
        for name, wait in waits.items()
    )
    for name, seconds in {"tetris": 30.0}.items():
        values = json.loads(frame.loc[frame["method"] == name, "wait_over_time"].iloc[0])
        values[int(200 / (HOURS / INTERVALS))] = seconds
        frame.loc[frame["method"] == name, "wait_over_time"] = json.dumps(values)
    return frame


@pytest.fixture(autouse=True)
def no_plans(monkeypatch: pytest.MonkeyPatch) -> None:
    """The two stages take seconds, and have a test of their own."""
    monkeypatch.setattr(figure_6, "stage_claims", lambda: [])


def found(frame: pd.DataFrame) -> dict[str, Claim]:
    parts = (figure.compare(frame, "quick").claims for figure in (figure_6, figure_7, figure_8))
    return {claim.id: claim for part in parts for claim in part}


def test_drawn_jobs_confirm_an_order_of_magnitude() -> None:
    seen = found(drawn_frame(1.0, 100.0, 10.0))
    assert seen["lotes-08"].verdict is Verdict.HOLDS
    assert (seen["lotes-10"].verdict, seen["lotes-10"].ours) == (Verdict.HOLDS, pytest.approx(10))
    assert (seen["lotes-18"].verdict, seen["lotes-18"].ours) == (Verdict.HOLDS, pytest.approx(100))
    assert seen["lotes-12"].verdict is Verdict.HOLDS  # 20 s are less than 40 and 30
    assert seen["lotes-13"].verdict is Verdict.DOES_NOT  # they are 9 s apart
    for name in ("lotes-09", "lotes-11", "lotes-14", "lotes-15", "lotes-16"):
        assert seen[name].verdict is Verdict.NOT_TESTABLE, name
    assert seen["lotes-09"].ours == pytest.approx(99 / 60)
    assert seen["lotes-17"].verdict is Verdict.HOLDS  # 1, 10 and 100 jobs after a burst of 20 000


def test_drawn_jobs_refute_it() -> None:
    seen = found(drawn_frame(10.0, 5.0, 2.0))
    for name in ("lotes-08", "lotes-10", "lotes-18"):
        assert seen[name].verdict is Verdict.DOES_NOT, name


def test_the_month_that_the_paper_tells_of_holds_throughout() -> None:
    seen = found(trace_frame())
    held = ("lotes-08", "lotes-09", "lotes-10", "lotes-11", "lotes-12", "lotes-13", "lotes-14")
    for name in (*held, "lotes-15", "lotes-16", "lotes-18"):
        assert seen[name].verdict is Verdict.HOLDS, (name, seen[name])


def test_the_two_stages() -> None:
    seen = {claim.id: claim for claim in stages.stage_claims()}
    assert seen["lotes-03"].ours == 1815  # as docs/formulations/lotes.md counts them
    assert seen["lotes-03"].verdict is Verdict.DOES_NOT
    # c1 has all four classes; fewest and most of all choices of as many classes as printed.
    assert stages.algorithm_1_bins() == (1369, 3397)
    assert seen["lotes-02"].verdict is Verdict.HOLDS
    assert seen["lotes-05"].verdict is Verdict.DOES_NOT
    assert seen["lotes-05"].ours == pytest.approx(0.0146, abs=0.005)
    assert seen["lotes-06"].verdict is Verdict.NOT_TESTABLE
    assert seen["lotes-07"].verdict is Verdict.HOLDS
    every = seen.keys() | found(drawn_frame(1.0, 100.0, 10.0)).keys()
    assert every == {claim.id for claim in claims("LoTES")}


def test_quick_runs_are_among_the_full_ones() -> None:
    quick, full = ({run.id for run in runs.study(size).runs} for size in ("quick", "full"))
    assert quick < full
    assert (len(quick), len(full)) == (28, 384)


def test_runs_on_a_trace_are_known_by_its_content() -> None:
    trace = Trace("example:gpu-cluster-jobs", "example:gpu-cluster", compress=2.0)
    study = runs.on_trace(trace, "quick")
    assert [run.method.name for run in study.runs] == list(runs.POLICIES)
    (source,) = study.blocks[0].instances
    assert source.columns["trace"] == "example:gpu-cluster-jobs"
    assert source.workload["compress"] == 2.0
    assert len(source.identity["workload"]["trace"]) == 64
