"""Pages in a real browser that has no network but this machine: complaints are errors."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome")

PHONE, DESK = 390, 1280
"""Widths in pixels."""


@contextmanager
def browser() -> Iterator[Any]:
    """A browser of Playwright's kind; the test is skipped if there is none."""
    playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright")
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        pytest.skip(f"no browser to open the page in: none of {', '.join(NAMES)} is installed")
    with playwright.sync_playwright() as started:
        arguments = [
            "--no-sandbox",
            "--disable-gpu",
            "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
        ]
        chromium = started.chromium.launch(executable_path=found, args=arguments)
        try:
            yield chromium
        finally:
            chromium.close()


@contextmanager
def opened(
    chromium: Any, page: Path | str, width: int = DESK, height: int = 900, dark: bool = False
) -> Iterator[Any]:
    """A page opened from disk. Complaints of the console and requests to a host fail the test."""
    address = page if isinstance(page, str) else page.absolute().as_uri()
    context = chromium.new_context(
        viewport={"width": width, "height": height}, color_scheme="dark" if dark else "light"
    )
    complaints: list[str] = []
    requests: list[str] = []
    tab = context.new_page()
    tab.on("console", lambda one: one.type in ("error", "warning") and complaints.append(one.text))
    tab.on("pageerror", lambda one: complaints.append(str(one)))
    tab.on("request", lambda one: one.url.startswith("http") and requests.append(one.url))
    try:
        tab.goto(address)
        yield tab
    finally:
        context.close()
    assert complaints == []
    assert requests == []


def sticks_out(tab: Any) -> bool:
    """Whether the page scrolls sideways."""
    wide = tab.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    return bool(wide[0] > wide[1])
