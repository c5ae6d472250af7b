"""The step page in a browser without network: keys, buttons, links, phone, and the saved slide."""

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import browser as browsers
import pytest

import slotwise
from slotwise import Cluster, Job, MapTask, Steps
from slotwise.teaching.steps.drawing import Picture
from slotwise.teaching.steps.html import page

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def steps() -> Steps:
    """A dozen tasks, which make 14 steps."""
    maps = [[30.0, 80.0, 20.0], [60.0, 60.0], [45.0, 90.0]]
    jobs = [
        Job(f"j{k}", [MapTask(p, 128.0 * (k + 1), [f"n{k}"]) for p in times], [70.0, 40.0][: k + 1])
        for k, times in enumerate(maps)
    ]
    cluster = Cluster.uniform(3, racks=2)
    return slotwise.steps(
        slotwise.Instance.from_jobs("a <dozen> & more", cluster, jobs), "EFSS", optimum=9
    )


@pytest.fixture(scope="module")
def path(steps: Steps, tmp_path_factory: pytest.TempPathFactory) -> Path:
    there = tmp_path_factory.mktemp("page") / "page.html"
    slotwise.write_step_page(steps, there)
    return there


def step(tab: Any) -> int:
    """The step that heading, slider and address agree on."""
    heading = tab.inner_text("#words h2")
    number = int(heading.split("/")[0])
    assert tab.input_value("#slider") == str(number)
    assert tab.evaluate("location.hash") == f"#{number}"
    return number


def test_a_dozen_tasks_make_a_small_page(steps: Steps, path: Path) -> None:
    assert len(steps.steps) == 14
    text = path.read_text()
    assert len(text.encode()) < 100_000
    assert not re.search(
        r"(?:src|href)=.(?!data:,)|https?://(?!www\.w3\.org/2000/svg)|[⏮⏪⏩⏭▶]", text
    )
    assert [mark.dashed for mark in steps.marks] == [True, False]


def test_keys_buttons_and_links(chromium: Any, path: Path, steps: Steps) -> None:
    with browsers.opened(chromium, f"{path.as_uri()}#9") as tab:
        press = tab.keyboard.press
        assert step(tab) == 9
        for key, wanted in (
            ("ArrowRight", 10), ("PageDown", 11), ("ArrowLeft", 10), ("PageUp", 9), ("End", 14),
            ("ArrowRight", 14), ("Home", 1), ("ArrowLeft", 1), ("Control+ArrowRight", 1),
            ("Shift+End", 1), ("x", 1),
        ):  # fmt: skip
            press(key)
            assert step(tab) == wanted, key
        assert tab.is_disabled("#back")
        tab.click("#next")
        tab.click("#next")
        assert step(tab) == 3
        tab.focus("#slider")
        press("ArrowRight")
        assert step(tab) == 4  # the slider's own step, and no second one
        press("PageDown")
        assert step(tab) < 4  # as every slider does
        tab.evaluate("location.hash = '#7'")
        tab.locator("#words h2", has_text=re.compile(r"\b7/")).wait_for()
        assert step(tab) == 7
        live = tab.locator("[aria-live]")
        assert " ".join(live.inner_text().split()) == " ".join(
            f"7/14 {steps.steps[6].title} {steps.steps[6].text}".split()
        )
        tab.click("#last")
        assert tab.locator("#picture .bar:visible").count() == 12
        assert tab.locator("article:visible").count() == 1


def test_the_saved_picture_is_the_slide(chromium: Any, path: Path, steps: Steps) -> None:
    with browsers.opened(chromium, f"{path.as_uri()}#6") as tab:
        with tab.expect_download() as saved:
            tab.keyboard.press("s")
        assert saved.value.suggested_filename == "06.svg"
        found = ElementTree.fromstring(Path(saved.value.path()).read_text())
    wanted = ElementTree.fromstring(Picture(steps).slide(6))
    assert found.get("viewBox") == wanted.get("viewBox")
    assert [
        group.get("transform") for group in found.iter(f"{SVG}g") if group.get("transform")
    ] == []
    for tag in ("rect", "text", "title", "path"):
        drawn = [
            [{k: v for k, v in x.attrib.items() if k != "class"} | {"text": x.text} for x in svg]
            for svg in (found.iter(f"{SVG}{tag}"), wanted.iter(f"{SVG}{tag}"))
        ]
        assert drawn[0] == drawn[1], tag


@pytest.mark.parametrize("dark", [False, True])
def test_a_phone_shows_the_whole_picture(chromium: Any, path: Path, dark: bool) -> None:
    with browsers.opened(chromium, path, browsers.PHONE, 844, dark=dark) as tab:
        assert not browsers.sticks_out(tab)
        for button in tab.locator("button").all():
            box = button.bounding_box()
            assert box["height"] >= 44
            assert box["width"] >= 44
            assert box["y"] + box["height"] <= 844
        tab.keyboard.press("End")
        tab.wait_for_timeout(100)
        assert not tab.is_visible("#picture")
        assert tab.locator(".narrow .bar:visible").count() == 12
        assert tab.locator(".narrow .mark text").count() == 2  # bound and optimum
        size = tab.evaluate("[window.frame.scrollWidth - window.frame.clientWidth, scrollY]")
        assert size == [0, 0]
        # Nothing stays behind the buttons at the end of the page.
        tab.evaluate("scrollTo(0, 1e6)")
        rest = tab.evaluate(
            """() => { const at = (x) => x.getBoundingClientRect();
              return at(document.querySelector('nav')).top
                - at([...document.querySelectorAll('main > :not([hidden])')].at(-1)).bottom; }"""
        )
        assert rest >= 0
        tab.evaluate("scrollTo(0, 0)")
        paper = tab.evaluate("getComputedStyle(document.querySelector('.narrow .paper')).fill")
        assert paper == ("rgb(20, 24, 29)" if dark else "rgb(255, 255, 255)")
        swipe = """([selector, from, to]) => { const target = document.querySelector(selector);
          for (const [kind, x] of [['touchstart', from], ['touchend', to]]) {
            const touch = new Touch({identifier: 1, target, clientX: x, clientY: 100});
            target.dispatchEvent(new TouchEvent(kind, {bubbles: true, changedTouches: [touch],
              touches: kind === 'touchstart' ? [touch] : []})); } }"""
        for selector, begun, ended, wanted in (
            ("#words", 100, 300, 13),
            ("#frame", 100, 300, 13),
            ("#words", 300, 100, 14),
            ("#words", 300, 280, 14),
        ):
            tab.evaluate(swipe, [selector, begun, ended])
            assert step(tab) == wanted, selector


def test_without_scripts_all_words_are_there(chromium: Any, path: Path) -> None:
    context = chromium.new_context(java_script_enabled=False)
    tab = context.new_page()
    tab.goto(path.as_uri())
    assert tab.locator("h2:visible").count() == 14
    assert tab.locator("#picture .bar:visible").count() == 12
    assert tab.locator("#frame .candidate:visible, button:visible").count() == 0
    context.close()


def test_a_tall_picture_ends_above_the_buttons(chromium: Any, tmp_path: Path) -> None:
    cluster = Cluster.uniform(20)
    jobs = [Job("j", [9.0 + k for k in range(45)], [5.0] * 21)]
    tall = slotwise.steps(slotwise.Instance.from_jobs("tall", cluster, jobs), "EASS")
    slotwise.write_step_page(tall, tmp_path / "tall.html")
    with browsers.opened(chromium, tmp_path / "tall.html", browsers.PHONE, 844) as tab:
        for number in (40, 45, 66):
            tab.evaluate(f"location.hash = '#{number}'")
            tab.locator("#words h2", has_text=re.compile(rf"\b{number}/")).wait_for()
            below = tab.evaluate(
                """() => { const at = (x) => document.querySelector(x).getBoundingClientRect();
                  return [at('nav').top - at('.narrow .new').bottom,
                    at('.narrow .new').top - at('#frame').top]; }"""
            )
            assert min(below) >= 0, number


def test_names_are_text_and_nothing_else(steps: Steps) -> None:
    assert "a &lt;dozen&gt; &amp; more" in page(steps)
    assert "<dozen>" not in page(steps)


def test_a_notebook_shows_the_page(steps: Steps) -> None:
    shown = steps._repr_html_()
    assert shown.startswith('<iframe srcdoc="&lt;!DOCTYPE html')
    assert repr(steps) == "Steps(EFSS on 'a <dozen> & more': 14 steps)"
