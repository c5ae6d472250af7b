"""Lesson pages: one file that opens from disk, with its solver in it."""

from __future__ import annotations

import base64
import gzip
import html
import json
from pathlib import Path

from ...core.calls import checked
from ...core.files.outputs import check_ending, write_bytes
from ...reports.page import data_element, page, web_file
from .family import family
from .highs_for_browsers import VERSION, Highs, highs_for_browsers
from .lesson import Lesson

ENDINGS = (".html", ".json")
"""A page, or the lesson's document alone, which needs no solver."""

SCRIPTS = (
    "text.js",
    "links.js",
    "solver.js",
    "lp.js",
    "measures.js",
    "verdict.js",
    "view.js",
    "app.js",
)
"""Of every page; those of the model come before the last."""


@checked
def write_lesson(
    lesson: Lesson,
    path: str | Path,
    *,
    highs: str | Path | None = None,
) -> Lesson:
    """Write the page of a lesson: rules to switch off, solved again in the browser.

    Parameters
    ----------
    lesson
        The lesson, from `make_lesson`.
    path
        The page (`.html`), which needs no network and no other file; or the lesson's document
        (`.json`).
    highs
        A folder with the npm package `highs`; by default it is downloaded on first use.

    Returns
    -------
    Lesson
        The lesson.

    Raises
    ------
    InputError
        For another ending, or if HiGHS for browsers cannot be had.
    OutputError
        If the file cannot be written.
    """
    check_ending(path, ENDINGS, "a lesson")
    write_bytes(path, lesson_content(lesson, path, highs))
    return lesson


def lesson_content(lesson: Lesson, path: str | Path, highs: str | Path | None = None) -> bytes:
    """What a file of a lesson holds.

    Raises `InputError` for another ending, or if HiGHS for browsers cannot be had.
    """
    if check_ending(path, ENDINGS, "a lesson") == ".json":
        return (json.dumps(lesson.document(), allow_nan=False) + "\n").encode()
    return lesson_page(lesson, highs_for_browsers(highs)).encode()


def lesson_page(lesson: Lesson, highs: Highs) -> str:
    title = f"Lesson: the {lesson.model} model"
    scripts = (*SCRIPTS[:-1], *family(lesson.model).scripts, SCRIPTS[-1])
    parts = [
        f"<main id=page><h1>{html.escape(title)}</h1>",
        "<p id=starting role=status>Starting the solver … </p></main>",
        _proof_note(lesson),
        "<noscript><p>This page solves models by itself and needs JavaScript.</p></noscript>",
        f"<details class=notices><summary>HiGHS {VERSION} for browsers solves the models in "
        f"this page</summary><pre>{html.escape(highs.licence)}</pre></details>",
        f'<script type="text/plain" id="highs-js">{_packed(highs.glue)}</script>',
        f'<script type="text/plain" id="highs-wasm">{_packed(highs.wasm)}</script>',
        data_element("lesson-data", lesson.document()),
    ]
    return page(
        title,
        "\n".join(parts),
        styles=_file("style.css"),
        scripts=[_file(name) for name in scripts],
        wasm=True,
    )


def _proof_note(lesson: Lesson) -> str:
    """How a reader who believes no solver comes to a proof."""
    if lesson.instance["format"] != "slotwise/mapreduce/1":
        return ""
    return (
        "<p class=note>Do not believe the solver: <code>slotwise solve INSTANCE -o result.json "
        "--certificate proof.json</code>, then <code>slotwise verify INSTANCE result.json "
        "proof.json</code> checks the optimum without any solver.</p>"
    )


def _file(name: str) -> str:
    return web_file(__package__, f"page/{name}")


def _packed(content: bytes) -> str:
    return base64.b64encode(gzip.compress(content, compresslevel=9, mtime=0)).decode()
