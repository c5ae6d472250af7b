"""Figures 6 and 8 of LoTES: what runs say of the claims, with waits made by hand."""

import json

import pandas as pd
import pytest
from made_runs import FIRST, INTERVALS, lotes_drawn

from slotwise.experiments.reproduction import lotes
from slotwise.experiments.reproduction import lotes_stages as stages
from slotwise.experiments.reproduction.claims import Claim, Verdict, claims
from slotwise.experiments.reproduction.lotes import DECIDED_BY_SCALE


@pytest.fixture(autouse=True)
def no_plans(monkeypatch: pytest.MonkeyPatch) -> None:
    """The two stages take seconds, and have a test of their own."""
    monkeypatch.setattr(lotes, "stage_claims", lambda: [])


def found(frame: pd.DataFrame) -> dict[str, Claim]:
    parts = (figure.compare(frame, "quick").claims for figure in lotes.EXPERIMENTS)
    return {claim.id: claim for part in parts for claim in part}


def test_drawn_jobs_confirm_an_order_of_magnitude() -> None:
    seen = found(lotes_drawn(1.0, 100.0, 10.0))
    assert seen["lotes-08"].verdict is Verdict.HOLDS
    assert (seen["lotes-10"].verdict, seen["lotes-10"].ours) == (Verdict.HOLDS, pytest.approx(10))
    assert (seen["lotes-18"].verdict, seen["lotes-18"].ours) == (Verdict.HOLDS, pytest.approx(100))
    assert seen["lotes-12"].verdict is Verdict.HOLDS  # 20 s are less than 40 and 30
    assert seen["lotes-13"].verdict is Verdict.DOES_NOT  # they are 9 s apart
    assert seen["lotes-17"].verdict is Verdict.HOLDS  # 1, 10 and 100 jobs after a burst of 20 000


def test_few_machines_do_not_tell_what_the_scale_decides() -> None:
    seen = found(lotes_drawn(1.0, 100.0, 10.0, scale=0.05))
    for name in DECIDED_BY_SCALE:
        assert seen[name].verdict is Verdict.NOT_TESTABLE, name
        assert seen[name].note.startswith("not testable at this scale"), name
    assert "here holds" in seen["lotes-08"].note
    assert {claim.scale for claim in seen.values()} == {"633 of 12,583 machines"}


def test_verdicts_are_on_all_machines() -> None:
    few = lotes_drawn(10.0, 5.0, 2.0, scale=0.05)
    frame = pd.concat([few, lotes_drawn(1.0, 100.0, 10.0)], ignore_index=True)
    comparison = lotes.EXPERIMENTS[0].compare(frame, "full")
    seen = {claim.id: claim for claim in comparison.claims}
    assert seen["lotes-18"].verdict is Verdict.HOLDS
    assert seen["lotes-18"].scale == "all 12,583 machines"
    assert set(comparison.tables["waits"]["scale"]) == {0.05, 1.0}


def test_greedy_is_best_at_first_by_one_way_of_counting() -> None:
    """Its few early starts did not wait; of the jobs that come early all others wait less."""
    frame = lotes_drawn(1.0, 100.0, 10.0)
    come = FIRST | {"greedy": 60.0}
    frame["wait_by_arrival"] = [
        json.dumps([come[method], *[1.0] * (INTERVALS - 1)]) for method in frame["method"]
    ]
    claim = found(frame)["lotes-12"]
    assert claim.verdict is Verdict.PARTLY
    assert "when they come, in 0 of 2" in claim.note


def test_the_two_stages() -> None:
    seen = {claim.id: claim for claim in stages.stage_claims()}
    assert seen["lotes-03"].ours == 1815  # as docs/formulations/lotes.md counts them
    assert seen["lotes-03"].verdict is Verdict.DOES_NOT
    # c1 has all four classes; fewest and most of all choices of as many classes as printed.
    assert stages.algorithm_1_bins() == (1369, 3397)
    assert seen["lotes-02"].verdict is Verdict.HOLDS
    assert seen["lotes-05"].verdict is Verdict.DOES_NOT
    assert seen["lotes-05"].ours == pytest.approx(0.0146, abs=0.005)
    assert (seen["lotes-19"].verdict, seen["lotes-19"].note) == (
        Verdict.HOLDS,
        "3 of 3 cases; (0, 2), (2, 1), (3, 0)",
    )
    assert seen["lotes-07"].verdict is Verdict.HOLDS
    every = seen.keys() | found(lotes_drawn(1.0, 100.0, 10.0)).keys()
    assert every == {claim.id for claim in claims("LoTES")}


def test_quick_runs_are_among_the_full_ones() -> None:
    quick, full = ({run.id for run in lotes.study(size).runs} for size in ("quick", "full"))
    assert quick < full
    assert (len(quick), len(full)) == (24, 24 + 4 * 3 * 8)
