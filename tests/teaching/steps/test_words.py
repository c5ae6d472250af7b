"""Numbers in sentences."""

import pytest
import step_checks

from slotwise.teaching.steps.record import Candidate, Step, Steps
from slotwise.teaching.steps.words import (
    SPACE,
    counted,
    listed,
    number,
    percent,
    seconds,
    sentences,
)


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
    assert seconds(1.25) == "1.25 s"
    assert percent(0.125) == "12.5 %"
    assert (counted(1, "slot"), counted(3, "slot")) == ("1 slot", "3 slots")
    assert listed(["a", "b", "c"], 2) == "a, b, …"
    assert sentences("One", "", "Two?") == "One. Two?"


def told(text: str, **facts: float) -> Steps:
    one = Step("place", "n0 map 0", "rule", text, (Candidate(0, "n0 map 0", {"end": 206.834}),))
    return Steps("EFSS", "i", ("n0 map 0",), (Step(**{**vars(one), "facts": facts}),), None)


def test_the_check_of_numbers_finds_what_is_not_in_the_step() -> None:
    step_checks.numbers_are_in_the_step(told("n0 map 0 ends at 206.83 s, 206.8 or 207.", later=1))
    step_checks.numbers_are_in_the_step(told("1 s later, a share of 25 %.", later=1, share=0.25))
    for text in ("at 206.84 s", "at 206.9 s", "2 s later", "26 %", "n1 map 3"):
        with pytest.raises(AssertionError, match="which is not in it"):
            step_checks.numbers_are_in_the_step(told(text, later=1, share=0.25))
