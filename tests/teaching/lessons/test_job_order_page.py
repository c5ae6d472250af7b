"""The lesson page of the job-order model in a browser."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import lesson_solver
import pytest
from browser import PHONE, browser, opened, sticks_out
from lesson_solver import answering, ready, switch

import slotwise
from slotwise.teaching.lessons.families import job_order


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with browser() as started:
        yield started


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    lesson = slotwise.make_lesson("job-order")
    assert lesson.optimum == pytest.approx(job_order.OPTIMUM)
    return lesson_solver.page(lesson, tmp_path_factory.mktemp("page"))


def test_each_core_rule_off_breaks_what_the_table_says_it_breaks(chromium: Any, page: Path) -> None:
    with opened(chromium, page) as tab:
        ready(tab)
        assert tab.locator(".lanes .bar").count() == 9
        for one in job_order.DROPPED:
            verdict = switch(tab, one.label)
            assert f"{one.says:g} s" in verdict
            assert one.breaks in tab.inner_text("#violations"), one.label
            relaxation = tab.inner_text("#numbers")
            assert f"{one.relaxation:.6g}" in relaxation, (one.label, relaxation)
            # What runs nowhere has no bar.
            nowhere = one.breaks == "each task once"
            assert (tab.locator(".bar.broken").count() > 0) is not nowhere, one.label
            if one.label == "J5":
                assert "No order: " in tab.inner_text("#sentences")
            assert "All rules hold" in switch(tab, one.label)
        assert tab.locator(".bar.broken").count() == 0


def test_on_a_phone_a_changed_instance_is_solved_and_drawn(chromium: Any, page: Path) -> None:
    with opened(chromium, page, width=PHONE, dark=True) as tab:
        ready(tab)
        assert tab.locator(".lanes text", has_text="n0.1 m").count() == 1
        assert tab.locator(".lanes text", has_text="n2.0 r").count() == 0
        tab.click("#edits-part summary")
        with answering(tab):
            tab.click("text=add a node like n1")
        assert tab.locator(".lanes text", has_text="n2.0 r").count() == 1
        assert "All rules hold: the optimum is 29 s" in tab.inner_text("#verdict")
        switch(tab, "J10")
        assert tab.get_attribute("#verdict", "data-kind") == "bad"
        assert not sticks_out(tab)
        tab.locator("#violations button").first.click()
        assert tab.locator(".bar.chosen").count() > 0
        assert not sticks_out(tab)
