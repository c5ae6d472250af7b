"""Numbers and names in sentences, and that one result reads alike wherever it is shown."""

import math
from dataclasses import replace
from pathlib import Path

import pytest
import step_checks
from hypothesis import given
from hypothesis import strategies as st
from printed import WIDE
from typer.testing import CliRunner

import slotwise
from slotwise.commands.app import app
from slotwise.core.wording import (
    LEAST_SHARE,
    SPACE,
    listed,
    number,
    percent,
    plural,
    seconds,
    sentences,
)
from slotwise.instances.mapreduce.instance_file import write_instance
from slotwise.reports.mapreduce.gantt.layout import chart
from slotwise.solvers.mapreduce.comparison import Comparison
from slotwise.solvers.mapreduce.result import certified
from slotwise.teaching.steps.record import Candidate, Step, Steps


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"), (0.0, "0"), (12.0, "12"), (206.8, "206.8"), (206.834, "206.83"), (-1.5, "−1.5"),
        (0.03125, "0.0312"), (1 / 3, "0.333"), (9999.96, "10000"), (1234.56, "1234.6"),
        (36120.0, f"36{SPACE}120"), (1234567.8, f"1{SPACE}234{SPACE}568"), (1e-12, "1e-12"),
        (float("inf"), "∞"), (2 / 3 * 100, "66.667"),
    ],
)  # fmt: skip
def test_numbers(value: float, text: str) -> None:
    assert number(value) == text


def test_words() -> None:
    assert (seconds(1.25), seconds(math.nan)) == ("1.25 s", "–")
    counted = plural(1, "slot"), plural(0, "slot"), plural(3, "slot"), plural(2, "class")
    assert counted == ("1 slot", "0 slots", "3 slots", "2 classes")
    assert sentences("One", "", "Two?") == "One. Two?"


def test_lists() -> None:
    assert [listed("abc"[:n]) for n in range(4)] == ["", "a", "a and b", "a, b and c"]
    assert listed("abcde", 3) == "a, b, c and 2 more"
    assert listed("abcdefgh", None, "or") == "a, b, c, d, e, f, g or h"


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.0, "0 %"), (1.0, "100 %"), (0.00625, "0.625 %"), (0.0063, "0.63 %"), (1 / 3, "33.33 %"),
        (0.0321, "3.21 %"), (0.125, "12.5 %"), (12.5, "1250 %"), (0.0009996, "0.1 %"),
        (0.00001234, "0.00123 %"), (0.99996, "99.996 %"), (1e-7, "< 0.0001 %"), (1e-15, "0 %"),
        (-0.25, "−25 %"), (-1e-7, "0 %"), (-1e-15, "0 %"), (1e9, "1e+11 %"), (None, "–"),
        (math.inf, "–"), (math.nan, "–"),
    ],
)  # fmt: skip
def test_percent(share: float | None, text: str) -> None:
    assert percent(share) == text


@given(st.floats(-10, 10))
def test_only_0_is_shown_as_0_and_nothing_as_minus_0(share: float) -> None:
    text = percent(share)
    value = text.replace("−", "-").removesuffix(" %").removeprefix("< ")
    assert (float(value) == 0) == (share < 1e-12 and share > -LEAST_SHARE)
    assert float(value) != 0 or text == "0 %"
    assert (text == "100 %") == (abs(share - 1) <= LEAST_SHARE)


def test_one_result_has_one_gap_wherever_it_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    instance = slotwise.read("example:five-jobs")
    schedule = slotwise.heuristic(instance, "EFSS").schedule
    assert schedule is not None
    result = certified(instance, "exact", schedule, schedule.makespan / 1.00625, "made up")
    comparison = Comparison(result, [replace(result, method="EFSS")], {})
    write_instance(instance, file := tmp_path / "five.json")
    monkeypatch.setattr("slotwise.solvers.mapreduce.solve.Solving.result", lambda _: result)
    shown = [
        *(CliRunner().invoke(app, [verb, str(file)], env=WIDE).stdout for verb in ("solve", "gap")),
        str(result),
        result._repr_html_(),
        comparison._repr_html_(),
        chart(instance, schedule, result.lower_bound).summary,
        *(text.get_text() for text in comparison.plot().texts),
    ]
    assert [text for text in shown if "0.625 %" not in text] == []


def told(text: str, **facts: float) -> Steps:
    one = Step("place", "n0 map 0", "rule", text, (Candidate(0, "n0 map 0", {"end": 206.834}),))
    return Steps("EFSS", "i", ("n0 map 0",), (Step(**{**vars(one), "facts": facts}),), None)


def test_the_check_of_numbers_finds_what_is_not_in_the_step() -> None:
    step_checks.numbers_are_in_the_step(told("n0 map 0 ends at 206.83 s, 206.8 or 207.", later=1))
    step_checks.numbers_are_in_the_step(told("1 s later, a share of 25 %.", later=1, share=0.25))
    for text in ("at 206.84 s", "at 206.9 s", "2 s later", "26 %", "n1 map 3"):
        with pytest.raises(AssertionError, match="which is not in it"):
            step_checks.numbers_are_in_the_step(told(text, later=1, share=0.25))
