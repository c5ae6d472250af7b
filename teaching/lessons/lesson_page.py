"""Lesson pages: one file that opens from disk, with its solver in it."""

from __future__ import annotations

import base64
import gzip
import html
import json
from importlib.resources import files
from pathlib import Path
from typing import Any

from ...instances.files.outputs import need_ending, write_bytes
from ...report.documents.schemas import schema
from .families import family
from .highs_for_browsers import VERSION, Highs, highs_for_browsers
from .lesson import Lesson, make_lesson

ENDINGS = (".html", ".json")
"""A page, or the lesson's document alone, which needs no solver."""

SCRIPTS = (
    "text.js",
    "limits.js",
    "shape.js",
    "links.js",
    "keeping.js",
    "solver.js",
    "lp.js",
    "measures.js",
    "verdict.js",
    "view.js",
    "app.js",
)
"""Of every page; those of the model come before the last."""

POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval' blob:; worker-src blob:; "
    "style-src 'unsafe-inline'"
)
"""The page can reach nothing outside itself."""


def write_lesson(
    model: str, path: str | Path, instance: Any = None, *, highs: str | Path | None = None
) -> Lesson:
    """Write the lesson page of a formulation: rules to switch off, solved again in the browser.

    Parameters
    ----------
    model
        Name of a formulation that has lessons.
    path
        The page (`.html`), which needs no network and no other file; or the lesson's document
        (`.json`).
    instance
        A problem of the kind that the formulation is for; by default the one that is shipped for
        this, on which no rule can be dropped without harm.
    highs
        A folder with the npm package `highs`; by default it is installed with npm on first use.

    Returns
    -------
    Lesson
        What the page is made of.

    Raises
    ------
    InputError
        For an unknown model, a problem that is too large for a page, or if HiGHS for browsers
        cannot be had.
    OutputError
        If the file cannot be written.
    """
    need_ending(path, ENDINGS, "a lesson")
    lesson = make_lesson(model, instance)
    write_bytes(path, lesson_content(lesson, path, highs))
    return lesson


def lesson_content(lesson: Lesson, path: str | Path, highs: str | Path | None = None) -> bytes:
    """What a file of a lesson holds.

    Raises `InputError` for another ending, or if HiGHS for browsers cannot be had.
    """
    if need_ending(path, ENDINGS, "a lesson") == ".json":
        return (json.dumps(lesson.document(), allow_nan=False) + "\n").encode()
    return lesson_page(lesson, highs_for_browsers(highs)).encode()


def lesson_page(lesson: Lesson, highs: Highs) -> str:
    """The page of a lesson."""
    title = html.escape(f"Lesson: the {lesson.model} model")
    scripts = (*SCRIPTS[:-1], *family(lesson.model).scripts, SCRIPTS[-1])
    form = schema(str(lesson.instance["format"]))
    notices = html.escape(highs.licence)
    return "\n".join(
        [
            '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            f"<title>{title}</title><style>{_file('style.css')}</style></head>",
            f"<body data-state=starting><main id=page><h1>{title}</h1>",
            "<p id=starting role=status>Starting the solver … </p></main>",
            "<noscript><p>This page solves models by itself and needs JavaScript.</p></noscript>",
            f"<details class=notices><summary>HiGHS {VERSION} for browsers solves the models in "
            f"this page</summary><pre>{notices}</pre></details>",
            f'<script type="text/plain" id="highs-js">{_packed(highs.glue)}</script>',
            f'<script type="text/plain" id="highs-wasm">{_packed(highs.wasm)}</script>',
            f'<script type="application/json" id="lesson-data">{_json(lesson.document())}</script>',
            f'<script type="application/json" id="instance-schema">{_json(form)}</script>',
            *(f"<script>{_script(name)}</script>" for name in scripts),
            "</body></html>\n",
        ]
    )


def _file(name: str) -> str:
    return files(__package__).joinpath("page", name).read_text(encoding="utf-8")


def _script(name: str) -> str:
    text = _file(name)
    assert "</script" not in text, f"{name} would end its own element"
    return text


def _packed(content: bytes) -> str:
    return base64.b64encode(gzip.compress(content, compresslevel=9, mtime=0)).decode()


def _json(document: Any) -> str:
    """JSON that no name in it can break out of: `<` as an escape."""
    return json.dumps(document, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
