"""Figures 4 and 5 of MCH."""

from itertools import product

import pandas as pd
import pytest

from slotwise.experiments.engine.in_process import run_here
from slotwise.experiments.reproduction.experiment import Verdict
from slotwise.experiments.reproduction.mch import figure_4, figure_5
from slotwise.experiments.reproduction.printed import claims

NOT_TIMED = {"mch-01", "mch-02", "mch-03", "mch-04", "mch-05", "mch-06"}


@pytest.fixture(scope="module")
def figure_4_frame() -> pd.DataFrame:
    return run_here(figure_4.study("full"))


def test_figure_4_is_exact(figure_4_frame: pd.DataFrame) -> None:
    comparison = figure_4.compare(figure_4_frame, "full")
    assert {claim.id: claim.verdict for claim in comparison.claims} == dict.fromkeys(
        sorted(NOT_TIMED), Verdict.HOLDS
    )
    ours = [cell.ours for cell in comparison.cells]
    sixth = 1 / 6
    assert ours[:6] == pytest.approx([2 * sixth, 0.5, sixth, sixth, 0.5, 2 * sixth], abs=1e-12)
    assert ours[6:] == pytest.approx([1, 1, 0.5, 0.5, 1, 1], abs=1e-12)
    assert len(comparison.figures["figure"].axes) == 2


def test_figure_4_sees_a_wrong_share(figure_4_frame: pd.DataFrame) -> None:
    """One task of 200 is a rounding in print, three are not; another leaf must not move."""
    wrong = figure_4_frame.copy()
    before, after = "[0.335, 0.5, 0.18, 0.165, 0.5, 0.33]", "[0.4, 0, 0.18, 0.165, 1.0, 0.33]"
    wrong["shares_over_time"] = f"[{before}, {after}]"
    verdicts = {one.id: one.verdict for one in figure_4.compare(wrong, "full").claims}
    assert verdicts["mch-03"] is Verdict.PARTLY  # 5 of 6
    assert verdicts["mch-06"] is Verdict.PARTLY  # 3 of 4
    assert verdicts["mch-05"] is Verdict.HOLDS


def timed(factors: dict[str, float]) -> pd.DataFrame:
    """Times of all methods in seconds, by what they are of the seconds of MCH."""
    of_method = {name: key for key, name in figure_5.NAMES.items()}
    rows = [
        {
            "levels": levels,
            "capacity": capacity,
            "method": of_method[name][0],
            "update": of_method[name][1] if of_method[name][0] == "hdrf" else None,
            "resource": of_method[name][1] if of_method[name][0] == "ch" else None,
            "tasks": capacity / 8.0,
            "seconds": 1e-4 * factor * levels,
        }
        for levels, capacity, (name, factor) in product(
            figure_5.LEVELS, (320.0, 1280.0), factors.items()
        )
    ]
    return pd.DataFrame(rows)


@pytest.mark.parametrize(
    ("hdrf", "collapsed", "half", "no_faster"),
    [
        (2.0, 0.9, Verdict.HOLDS, Verdict.HOLDS),
        (8.0, 0.9, Verdict.DOES_NOT, Verdict.HOLDS),
        (2.0, 1.2, Verdict.HOLDS, Verdict.DOES_NOT),
    ],
)
def test_figure_5_compares_ratios(
    hdrf: float, collapsed: float, half: Verdict, no_faster: Verdict
) -> None:
    times = {"H-DRF": hdrf, "H-DRF, path only": 3.0, "MCH": 1.0, "C-CH": collapsed}
    comparison = figure_5.compare(timed(times | {"M-CH": collapsed}), "quick")
    found = {one.id: one for one in comparison.claims}
    assert found["mch-07"].verdict is Verdict.NOT_TESTABLE
    assert f"ratio {hdrf:.2g}" in found["mch-07"].note
    assert (found["mch-08"].verdict, found["mch-08"].ours) == (half, pytest.approx(1 / hdrf))
    assert found["mch-09"].verdict is no_faster
    assert found["mch-10"].verdict is Verdict.HOLDS  # times grow by 2.5, nodes by 10
    assert (comparison.tables["seconds"]["H-DRF / MCH"] - hdrf).abs().max() < 1e-9


def test_every_claim_has_its_verdict() -> None:
    of_figure_5 = {one.id for one in figure_5.compare(timed(dict.fromkeys(
        figure_5.NAMES.values(), 1.0)), "quick").claims}  # fmt: skip
    assert {one.id for one in claims("MCH")} == NOT_TIMED | of_figure_5


def test_quick_runs_are_among_the_full_ones() -> None:
    quick, full = ({run.id for run in figure_5.study(size).runs} for size in ("quick", "full"))  # type: ignore[arg-type]
    assert quick < full
    assert len(full) == 120
