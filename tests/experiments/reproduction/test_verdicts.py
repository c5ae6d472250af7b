"""Verdicts follow from numbers, and `comparison.csv` from verdicts."""

import csv
import io
from math import sqrt

import numpy as np
import pytest

from slotwise.experiments.reproduction import claims as verdicts
from slotwise.experiments.reproduction.claims import Mean, Verdict, printed
from slotwise.experiments.reproduction.outcome import COLUMNS, comparison_csv

HOLDS, PARTLY, NOT = Verdict.HOLDS, Verdict.PARTLY, Verdict.DOES_NOT


@pytest.mark.parametrize(
    ("true", "of", "verdict"),
    [(10, 10, HOLDS), (8, 10, HOLDS), (79, 100, PARTLY), (1, 2, PARTLY), (49, 100, NOT)],
)
def test_an_ordering_holds_in_a_share_of_the_cases(true: int, of: int, verdict: Verdict) -> None:
    row = verdicts.ordering("ljr-12", [True] * true + [False] * (of - true), note="not at 20 nodes")
    assert row.verdict is verdict
    assert row.ours == true / of
    assert row.note == f"{true} of {of} cases; not at 20 nodes"
    assert row.claim == printed("ljr-12").claim


def test_a_claim_of_always_needs_every_case() -> None:
    cases = np.array([1.0] * 99 + [3.0]) < 2
    assert verdicts.ordering("hmhs-02", cases, holds=1).verdict is PARTLY
    assert verdicts.ordering("hmhs-02", cases[:99], holds=1).verdict is HOLDS
    assert verdicts.ordering("hmhs-02", []).verdict is Verdict.NOT_TESTABLE


def test_a_mean_has_the_standard_error_of_its_sample() -> None:
    # Deviations -2 … 2: variance 10 / 4, of the mean 2.5 / 5.
    assert verdicts.mean_of([1, 2, 3, 4, 5]) == Mean(3.0, pytest.approx(sqrt(0.5)), 5)
    assert verdicts.mean_of([7]).standard_error == float("inf")


@pytest.mark.parametrize(
    ("away", "verdict"), [(2.0, HOLDS), (2.13, HOLDS), (2.14, PARTLY), (3.5, PARTLY), (3.7, NOT)]
)
def test_a_cell_may_differ_by_what_chance_explains(away: float, verdict: Verdict) -> None:
    # Of 16 results each: t with 15 degrees of freedom has 2.131 at 97.5 % and 3.54 at 99.85 %.
    ours = Mean(10.0, 1 / sqrt(2), 16)
    row = verdicts.near("a/b", "a cell", 10.0 - away, ours)
    assert row.verdict is verdict
    assert row.difference == pytest.approx(away)
    assert row.standard_error == pytest.approx(1 / sqrt(2))


def test_a_print_of_more_results_is_surer() -> None:
    # Ours: 4 results, standard error 1, so s = 2. Against 4: sqrt(2); against 30: sqrt(1 + 4 / 30).
    # t with 3 degrees of freedom has 3.182 at 97.5 %: margins 4.50 and 3.39.
    ours = Mean(0.0, 1.0, 4)
    assert verdicts.near("a", "a cell", 4.4, ours).verdict is HOLDS
    assert verdicts.near("a", "a cell", 4.4, ours, printed_runs=30).verdict is PARTLY
    assert verdicts.near("a", "a cell", 3.3, ours, printed_runs=30).verdict is HOLDS


def test_numbers_without_chance_agree_to_the_last_printed_digit() -> None:
    assert verdicts.near("a", "share", 0.165, 1 / 6, rounding=0.005).verdict is HOLDS
    assert verdicts.near("a", "share", 0.165, 0.18, rounding=0.005).verdict is NOT


def test_a_single_result_tells_nothing_beyond_its_place() -> None:
    assert verdicts.within("smso-08", verdicts.mean_of([25.0])).verdict is Verdict.NOT_TESTABLE
    assert verdicts.within("smso-08", verdicts.mean_of([15.0])).verdict is HOLDS
    assert verdicts.within("smso-08", verdicts.mean_of([15.0])).standard_error is None


def test_limits_may_be_open_on_one_side() -> None:
    # smso-08: under 20 %. lotes-03: a million bins at least.
    assert verdicts.within("smso-08", 11.2).difference == 0
    assert verdicts.within("smso-08", 21.5).difference == 1.5
    assert verdicts.within("lotes-03", 1815.0).verdict is NOT
    assert verdicts.within("lotes-03", 1815.0).difference == 1815 - 1e6
    few = verdicts.inside("hmhs-01", [50, 60, 70, 78])
    assert (few.verdict, few.ours) == (PARTLY, 64.5)
    assert few.note == "2 of 4 within the limits, from 50 to 78"
    assert verdicts.inside("hmhs-01", [50, 60, 70, 78], slack=1).verdict is HOLDS


def test_an_effect_is_there_if_it_is_significant() -> None:
    assert verdicts.significant("ljr-04", 1e-9).verdict is HOLDS
    assert verdicts.significant("ljr-04", 0.2).verdict is NOT


def test_the_file_has_the_promised_columns_and_always_the_same_bytes() -> None:
    rows = [
        verdicts.within("ljr-03", 1.2),
        verdicts.ordering("ljr-12", [True, False, True], note="line\nbreak, comma"),
        verdicts.not_testable("lotes-08", "too few machines"),
        verdicts.near("ljr-table-2/EASS/50/R1/10", "RE, %", 1.3, Mean(1 / 3, 0.125, 30)),
    ]
    content = comparison_csv(rows)
    assert content == comparison_csv([*rows, rows[0]])
    read = list(csv.DictReader(io.StringIO(content.decode())))
    assert list(read[0]) == list(COLUMNS)
    assert COLUMNS[:8] == ("id", "claim", "printed_low", "printed_high", "ours", "difference",
                           "standard_error", "verdict")  # fmt: skip
    assert [row["verdict"] for row in read] == [
        "does not hold", "partly", "not testable", "does not hold",
    ]  # fmt: skip
    assert read[0]["printed_low"] == read[0]["printed_high"] == "0.7"
    assert read[0]["difference"] == "0.5"
    assert read[1]["note"] == "2 of 3 cases; line\nbreak, comma"
    assert read[2]["ours"] == read[2]["difference"] == ""
    assert read[3]["ours"] == "0.33333333"
