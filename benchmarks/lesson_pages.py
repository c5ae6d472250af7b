"""Size of lesson pages, and how long they take in a browser to start and to answer a switch.

    python benchmarks/lesson_pages.py [--models job-order sequence …] [--rounds 1]

Needs the extra `teaching`, Playwright and Chromium, and an idle machine.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import slotwise

MODELS = ("allocation", "job-order", "sequence", "machine-assignment", "fair-share")


def measured(tab: Any, page: Path, rounds: int) -> tuple[float, list[float]]:
    """Seconds until the page is ready, and of each switch until its answer is shown.

    Each rule is switched off alone, then on again.
    """
    began = perf_counter()
    tab.goto(page.as_uri())
    tab.wait_for_selector("body[data-state=ready]", timeout=60_000)
    ready = perf_counter() - began
    labels = tab.evaluate(
        "[...new Set(Array.from(document.querySelectorAll('input[data-label]'),"
        " one => one.dataset.label))]"
    )
    times = []
    for label in [label for label in labels for _ in ("off", "on")] * rounds:
        before = tab.get_attribute("body", "data-answered")
        began = perf_counter()
        tab.evaluate(f"document.querySelector('input[data-label=\"{label}\"]').click()")
        tab.wait_for_selector(f'body:not([data-answered="{before}"])', timeout=60_000)
        times.append(perf_counter() - began)
    return ready, times


def main() -> None:
    """Print a row for every model."""
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", nargs="+", default=MODELS)
    parser.add_argument("--rounds", type=int, default=1)
    given = parser.parse_args()
    print("| lesson | MB | ready s | switches | median s | slowest s |\n|---|--:|--:|--:|--:|--:|")
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as started:
        chromium = started.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        for model in given.models:
            page = Path(folder) / f"{model}.html"
            slotwise.write_lesson(slotwise.make_lesson(model), page)
            tab = chromium.new_page(viewport={"width": 1280, "height": 900})
            ready, times = measured(tab, page, given.rounds)
            print(
                f"| {model} | {page.stat().st_size / 1e6:.2f} | {ready:.1f} | {len(times)} "
                f"| {median(times):.2f} | {max(times):.2f} |"
            )
            tab.close()
        chromium.close()


if __name__ == "__main__":
    main()
