"""Figures 1 and 2 of HMHS, on made-up makespans whose gains are plain."""

from itertools import product

import pandas as pd
import pytest

from slotwise.experiments.reproduction.experiment import Verdict
from slotwise.experiments.reproduction.hmhs import figure_1, figure_2, gains
from slotwise.experiments.reproduction.registry import experiment

METHODS = ("HMHS", "FIFO", "FIFO-Pri", "R-HMHS", "Min-Min")


def frame_of(factor: str, levels, makespans) -> pd.DataFrame:
    """`makespans(workload, level, seed)` gives one for each method."""
    rows = [
        {"workload": workload, factor: level, "seed": seed, "method": method, "makespan": value}
        for workload, level, seed in product(("single", "hybrid"), levels, range(3))
        for method, value in zip(METHODS, makespans(workload, level, seed), strict=True)
    ]
    return pd.DataFrame(rows)


def by_jobs(workload: str, jobs: int, seed: int) -> tuple[float, ...]:
    """HMHS is 50 below 125 to 160 of FIFO: 60 to 68.75 %, more with more jobs."""
    reverse = 62.5 if workload == "single" else 66.0
    return 50.0, 125.0 + jobs / 10 + 5 * seed, 120.0 + 5 * seed, reverse - seed % 2, 52.0


@pytest.fixture
def runs() -> pd.DataFrame:
    return frame_of("jobs", (20, 100, 200), by_jobs)


def test_gains_are_shares_of_the_rival_s_makespan(runs: pd.DataFrame) -> None:
    found = gains.gains_of(runs, "jobs")
    assert len(found) == 2 * 3 * 3 * 4
    own = found[(found["against"] == "FIFO") & (found["jobs"] == 200) & (found["seed"] == 2)]
    assert own["gain"].tolist() == pytest.approx([100 * (1 - 50 / 155)] * 2)
    means = gains.mean_gains(found, "jobs", "Min-Min")
    assert means.tolist() == pytest.approx([100 * (1 - 50 / 52)] * 6)
    assert means.index.get_level_values("workload")[0] == "single"


def test_claims_of_figure_1(runs: pd.DataFrame) -> None:
    said = {one.id: one for one in experiment("hmhs-figure-1").compare(runs, "quick").claims}
    assert list(said) == [f"hmhs-{number:02d}" for number in range(1, 9)]
    # FIFO-Pri: 58.3, 60 and 61.5 %, mean 60 in every cell; above 55 on the hybrid workload.
    verdicts = {name: one.verdict for name, one in said.items()}
    wrong = {"hmhs-05", "hmhs-08"}
    assert verdicts == {
        name: Verdict.DOES_NOT if name in wrong else Verdict.HOLDS for name in verdicts
    }
    assert "above it with 20, 100, 200 jobs" in said["hmhs-05"].note
    assert said["hmhs-02"].note.startswith("18 of 18 cases")
    single = (2 * (1 - 50 / 62.5) + (1 - 50 / 61.5)) / 3
    hybrid = (2 * (1 - 50 / 66) + (1 - 50 / 65)) / 3
    assert said["hmhs-08"].ours == pytest.approx(100 * (single - hybrid))
    assert "the reverse" in said["hmhs-08"].note


def test_one_better_rival_is_seen(runs: pd.DataFrame) -> None:
    worse = runs.copy()
    some = (worse["method"] == "R-HMHS") & (worse["jobs"] == 20) & (worse["seed"] == 0)
    worse.loc[some, "makespan"] = 49.0
    said = {one.id: one for one in figure_1.EXPERIMENT.compare(worse, "quick").claims}
    assert said["hmhs-02"].verdict is Verdict.PARTLY
    assert said["hmhs-02"].note.startswith("16 of 18 cases")


@pytest.mark.parametrize(
    ("last", "fewer", "close"),
    [(99.0, Verdict.HOLDS, Verdict.DOES_NOT), (55.0, Verdict.HOLDS, Verdict.HOLDS),
     (200.0, Verdict.PARTLY, Verdict.DOES_NOT)],
)  # fmt: skip
def test_claims_of_figure_2(last: float, fewer: Verdict, close: Verdict) -> None:
    """FIFO 150, 100 and `last` on clusters 1, 3 and 6, HMHS 50."""

    def makespans(workload: str, cluster: int, seed: int) -> tuple[float, ...]:
        fifo = {1: 150.0, 3: 100.0, 6: last}[cluster]
        return 50.0, fifo, 100.0 + seed, 70.0 + seed, 50.0 + seed

    frame = frame_of("cluster", (1, 3, 6), makespans)
    comparison = figure_2.EXPERIMENT.compare(frame, "quick")
    verdicts = {one.id: one.verdict for one in comparison.claims}
    assert verdicts == {"hmhs-09": close, "hmhs-10": fewer}
    (axis, _) = comparison.figures["figure"].axes
    assert [tick.get_text() for tick in axis.get_xticklabels()] == ["0%", "40%", "100%"]


@pytest.mark.parametrize("name", ["hmhs-figure-1", "hmhs-figure-2"])
def test_without_runs_nothing_is_said(name: str) -> None:
    claims = experiment(name).compare(pd.DataFrame(), "quick").claims
    assert {one.verdict for one in claims} == {Verdict.NOT_TESTABLE}
