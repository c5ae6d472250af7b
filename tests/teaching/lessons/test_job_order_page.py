"""The lesson page of the job-order model in a browser."""

from pathlib import Path
from typing import Any

import lesson_solver
import pytest
from broken_models import DROPPED
from browser import PHONE, opened, sticks_out
from lesson_solver import answering, press, ready, switch

import slotwise
from slotwise.teaching.lessons.mapreduce.job_order import WITHOUT


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    lesson = slotwise.make_lesson("job-order")
    assert lesson.optimum == pytest.approx(26)
    return lesson_solver.page(lesson, tmp_path_factory.mktemp("page"))


def test_each_core_rule_off_breaks_what_the_table_says_it_breaks(chromium: Any, page: Path) -> None:
    with opened(chromium, page) as tab:
        ready(tab)
        assert tab.locator(".lanes .bar").count() == 7
        for label, (breaks, relaxation) in DROPPED.items():
            assert f"{WITHOUT[label]:g} s" in switch(tab, label)
            assert breaks in tab.inner_text("#violations"), label
            assert f"{relaxation:.6g}" in tab.inner_text("#numbers"), label
            # What runs nowhere has no bar.
            nowhere = breaks == "each task once"
            assert (tab.locator(".bar.broken").count() > 0) is not nowhere, label
            if label == "J5":
                assert "No order: " in tab.inner_text("#sentences")
            assert "All rules hold" in switch(tab, label)
        assert tab.locator(".bar.broken").count() == 0


def test_a_broken_rule_is_drawn_on_a_phone(chromium: Any, page: Path) -> None:
    with opened(chromium, page, width=PHONE, dark=True) as tab:
        ready(tab)
        assert tab.locator(".lanes text", has_text="n0.1 m").count() == 1
        switch(tab, "J10")
        assert tab.get_attribute("#verdict", "data-kind") == "bad"
        assert not sticks_out(tab)
        press(tab, "#violations button")
        assert tab.locator(".bar.chosen").count() > 0
        assert not sticks_out(tab)


def test_a_link_opens_with_its_switches_and_measures_are_shown(chromium: Any, page: Path) -> None:
    address = page.absolute().as_uri() + "#without=J11&big-m=0.5"
    with opened(chromium, address) as tab:
        ready(tab)
        assert "Without (J11) and with half the big-M" in tab.inner_text("#verdict")
        assert not tab.is_checked("input[data-label=J11]")
        tab.wait_for_selector("body[data-measured]", timeout=120_000)
        assert tab.locator("#big-m-table tbody tr").count() == 3
        both = tab.inner_text("#both")
        assert "sequence" in both
        assert "do not trust" not in both
        assert "node" in tab.locator(".speed .measure").first.inner_text()
        press(tab, "#copy-link")
        assert tab.input_value("#link") == address
        with answering(tab):
            press(tab, "#all-on")
        assert "All rules hold" in tab.inner_text("#verdict")


def test_symbols_are_explained_by_tap_and_by_keyboard(chromium: Any, page: Path) -> None:
    with opened(chromium, page, width=PHONE) as tab:
        ready(tab)
        meanings = tab.locator("li:has(input[data-label=J9]) .meanings")
        assert not meanings.is_visible()
        tab.locator("li:has(input[data-label=J9]) .symbols").click()
        assert "work of job j on map slot k if j precedes i" in meanings.inner_text()
        assert not sticks_out(tab)
        tab.keyboard.press("Escape")
        assert not meanings.is_visible()
        tab.focus("input[data-label=J9]")
        tab.keyboard.press("Tab")
        assert meanings.is_visible()
