"""Lesson pages in a browser: from disk, without network, by keyboard, on a dark phone."""

import json
import re
from pathlib import Path
from typing import Any

import lesson_solver
import pytest
from browser import PHONE, opened, sticks_out
from lesson_solver import answering, press, priced, ready, switch
from make import cli

import slotwise
from slotwise.teaching.lessons.highs_for_browsers import Highs
from slotwise.teaching.lessons.lesson_page import lesson_page

MOST_BYTES = 3_000_000


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return lesson_solver.page(slotwise.make_lesson("allocation"), tmp_path_factory.mktemp("page"))


def test_the_command_writes_the_page(page: Path, tmp_path: Path) -> None:
    assert cli("lesson", "allocation", "-o", tmp_path / "page.html").code == 0
    assert (tmp_path / "page.html").read_text() == page.read_text()


def test_page_is_one_file_of_moderate_size_with_its_licences(page: Path) -> None:
    text = page.read_text()
    assert len(text.encode()) < MOST_BYTES
    assert "Copyright (c) 2023 highs-js" in text
    assert "Copyright (c) 2026 HiGHS" in text
    assert "default-src 'none'" in text
    assert not re.search(r"""(src|href)=["'](?!#|data:,)""", text)


def test_all_switches_answer(chromium: Any, page: Path) -> None:
    with opened(chromium, page) as tab:
        ready(tab)
        assert tab.inner_text("#verdict") == "All rules hold: the optimum is 52.0639 jobs/h."
        wanted = {"2": "not served", "4": "more than there is", "A1": "fits no machine"}
        for label, first in wanted.items():
            assert first in switch(tab, label)
            assert tab.get_attribute("#verdict", "data-kind") == "bad"
            # What is not served runs nowhere, and so has no bar.
            assert (tab.locator(".part.broken").count() > 0) == (label != "2")
            assert "All rules hold" in switch(tab, label)
        assert tab.locator(".part.broken").count() == 0
        # Each alone, in a table; then all is as it was.
        with answering(tab):
            press(tab, "#each")
        cells = tab.locator("#table tbody tr").all_inner_texts()
        assert [" ".join(line.split()) for line in cells] == [
            "(2) ∞ not served",
            "(4) ∞ more than there is",
            "(A1) 63.745 fits no machine",
        ]
        assert "All rules hold" in tab.inner_text("#verdict")
        # Strong duality in words, and solves.
        priced(tab)
        prices = tab.inner_text("#prices")
        assert "They add up to 52.0639, the optimum itself" in prices
        press(tab, "#lp summary")
        tab.wait_for_selector("#lp-text:not(:empty)")
        text = tab.inner_text("#lp-text")
        assert text.startswith("maximize\n objective: lambda\nsubject to\n eq2_demand_1: ")


def test_the_keyboard_is_enough_on_a_dark_phone(chromium: Any, page: Path) -> None:
    with opened(chromium, page, width=PHONE, height=844, dark=True) as tab:
        ready(tab)
        assert not sticks_out(tab)
        for _ in range(20):
            tab.keyboard.press("Tab")
            if tab.evaluate("document.activeElement.dataset.label") == "A1":
                break
        with answering(tab):
            tab.keyboard.press("Space")
        said = "Without (A1) 63.745 jobs/h, not 52.0639 jobs/h: fits no machine"
        assert tab.inner_text("#verdict") == said
        assert tab.get_attribute("#verdict", "aria-live") == "polite"
        assert tab.get_attribute("input[data-label=A1]", "aria-checked") in (None, "false")
        box = tab.locator("#verdict").bounding_box()
        assert box["y"] + box["height"] == pytest.approx(844, abs=1)
        assert not sticks_out(tab)
        small = tab.evaluate(
            "[...document.querySelectorAll('button, .rule label, summary')].filter((one) => "
            "one.offsetHeight && one.offsetHeight < 44).map((one) => one.innerText)"
        )
        assert small == []


STALE = r"""async () => {
  // A market split problem, which takes minutes.
  const count = Array.from({ length: 30 }, (_, j) => j);
  const rows = [0, 1, 2, 3].map((i) => {
    const numbers = count.map((j) => (7919 * (i + 2) * (j + 3) ** 2 + 31 * i) % 99);
    const half = Math.floor(numbers.reduce((a, b) => a + b) / 2);
    return ` r${i}: ${numbers.map((n, j) => `+ ${n} x${j}`).join(" ")} + s${i} - t${i} = ${half}`;
  });
  const hard = [
    "minimize", " c: s0 + t0 + s1 + t1 + s2 + t2 + s3 + t3", "subject to", ...rows,
    "binaries", ` ${count.map((j) => `x${j}`).join(" ")}`, "end", "",
  ].join("\n");
  const older = lesson.solve(hard).then((found) => found.status, (why) => why.constructor.name);
  await new Promise((done) => setTimeout(done, 300));
  lesson.solver.newer();
  const told = await older;
  const newer = await lesson.solve("maximize\n c: x\nsubject to\n r: x <= 3\nend\n");
  return [told, newer.value, lesson.solver.ended];
}"""


def test_a_newer_change_ends_the_older_solve(chromium: Any, page: Path) -> None:
    with opened(chromium, page) as tab:
        ready(tab)
        priced(tab)
        assert tab.evaluate(STALE) == ["Stale", 3, 1]
        with answering(tab):
            tab.evaluate(
                """async () => {
                  lesson.page.toggle("2", false);
                  for (let k = 0; k < 99 && !lesson.solver.running; k++) await null;
                  lesson.page.toggle("2", true);
                }"""
            )
        assert "All rules hold" in tab.inner_text("#verdict")
        assert "Without (A1)" in switch(tab, "A1")


def test_a_page_that_disagrees_with_its_lesson_refuses_to_work(
    chromium: Any, tmp_path: Path
) -> None:
    document = slotwise.make_lesson("allocation").document()
    document["optimum"] = 52.1
    (tmp_path / "wrong.json").write_text(json.dumps(document))
    wrong = slotwise.read(tmp_path / "wrong.json")
    with opened(chromium, lesson_solver.page(wrong, tmp_path)) as tab:
        tab.wait_for_selector("body[data-state=refused]", timeout=60_000)
        assert "differs from the proven 52.1" in tab.inner_text("[role=alert]")
        assert tab.locator("input").count() == 0


def test_names_cannot_break_out_of_the_page(tmp_path: Path) -> None:
    document = slotwise.make_lesson("allocation").document()
    document["instance"]["name"] = "</script><script>alert(1)</script>"
    (tmp_path / "odd.json").write_text(json.dumps(document))
    text = lesson_page(slotwise.read(tmp_path / "odd.json"), Highs(b"", b"", "<licence>"))
    assert "<script>alert" not in text
    assert "&lt;licence&gt;" in text
