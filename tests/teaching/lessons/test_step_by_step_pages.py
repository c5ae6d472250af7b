"""Lesson pages with steps in a browser: column generation and the stages of fair shares."""

from pathlib import Path
from typing import Any

import lesson_solver
import pytest
from browser import PHONE, opened, sticks_out
from lesson_solver import press, ready, switch

import slotwise


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pages")


def walked(tab: Any) -> list[str]:
    """Titles of all steps, by the right arrow key from the first one on."""
    tab.wait_for_selector(".walk h3")
    tab.focus(".walk")
    titles = []
    for _ in range(int(tab.get_attribute("#panel", "data-steps"))):
        titles.append(tab.inner_text(".walk h3"))
        tab.keyboard.press("ArrowRight")
    return titles


def test_column_generation_step_by_step(chromium: Any, folder: Path) -> None:
    page = lesson_solver.page(slotwise.make_lesson("machine-assignment"), folder)
    with opened(chromium, page, width=PHONE, height=844, dark=True) as tab:
        ready(tab)
        assert "All rules hold" in tab.inner_text("#verdict")
        titles = walked(tab)
        assert len(titles) == 4 * 3 + 1
        assert titles[0] == "Round 1: the master over 6 bins"
        assert titles[-1] == "No bin pays: done"
        said = tab.inner_text(".walk .said")
        assert "in Python, ended at 42.92, too" in said
        assert "the best plan carries 40" in said
        assert not sticks_out(tab)
        for key in ("ArrowRight", "ArrowLeft"):  # at the end there is no further step
            tab.keyboard.press(key)
        assert tab.inner_text(".walk h3") == "Round 4: the pricing problem"
        press(tab, "text=← Previous")
        assert tab.inner_text(".walk .counter") == "step 11 of 13"
        assert tab.get_attribute(".walk .said", "aria-live") == "polite"
        wanted = {"7": "every class is served", "8": "in a bin", "9": "no more machines"}
        for label, broken in wanted.items():
            assert broken in switch(tab, label)
            tab.wait_for_selector('#panel[data-steps="1"]')
            assert tab.inner_text(".walk h3") == "The master has no optimum"
            assert "All rules hold" in switch(tab, label)
            tab.wait_for_selector('#panel[data-steps="13"]')


def test_one_stage_after_another(chromium: Any, folder: Path) -> None:
    page = lesson_solver.page(slotwise.make_lesson("fair-share"), folder)
    with opened(chromium, page, width=PHONE, height=844) as tab:
        ready(tab)
        assert [title.split(":")[0] for title in walked(tab)] == [
            "Stage 1", "Stage 2", "Stage 3", "Nobody rises any more",
        ]  # fmt: skip
        assert "gives the same shares" in tab.inner_text(".walk .said")
        assert not sticks_out(tab)
        wanted = {"F1": "guarantee", "F2": "guarantee", "F3": "guarantee", "F4": "capacity"}
        for label, broken in wanted.items():
            assert broken in switch(tab, label)
            assert (tab.locator(".part.broken").count() > 0) == (label == "F4")
            assert "All rules hold" in switch(tab, label)


def test_the_sequence_page_says_what_follows_from_what(chromium: Any, folder: Path) -> None:
    page = lesson_solver.page(slotwise.make_lesson("sequence"), folder)
    with opened(chromium, page) as tab:
        ready(tab)
        assert tab.locator("#picture svg").count() == 1
        assert "Breaks “promised makespan”" in switch(tab, "1")
        assert "All rules hold" in switch(tab, "1")
        assert "(6) follows from (7) and (10)" in switch(tab, "6")
