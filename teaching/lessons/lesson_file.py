"""`slotwise/lesson/1`: lessons as JSON."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from ...core.files.json_files import Source, Strict, read_document
from .lesson import FORMAT, Lesson, Rule
from .rows import PlainModel, Row, Terms


class _Symbol(Strict):
    mathml: str
    words: str


class _Variable(Strict):
    integer: bool
    lower: float | None
    upper: float | None


class LessonDocument(Strict):
    """The fields of a `slotwise/lesson/1` document."""

    format: Literal["slotwise/lesson/1"]
    model: str
    source: str
    summary: str
    instance: dict[str, Any]
    horizon: float | None
    optimum: float
    unit: str
    statements: tuple[Rule, ...]
    sense: Literal["min", "max"]
    objective: Terms
    variables: dict[str, _Variable]
    rows: dict[str, list[Row]] = Field(
        description="coefficients, lower bound, upper bound of each row of each component"
    )
    witness: dict[str, float | None] | None
    facts: dict[str, Any] | None = None
    symbols: list[_Symbol] = []


def read_lesson(path: Source) -> Lesson:
    """The lesson in a file. Rows and optimum are not believed before a page has looked at them.

    Raises `InputError`.
    """
    given = dict(read_document(path, LessonDocument, FORMAT))
    del given["format"]
    variables = {name: one.model_dump() for name, one in given.pop("variables").items()}
    built = PlainModel(variables, given.pop("sense"), given.pop("objective"), given.pop("rows"))
    symbols = tuple(each.model_dump() for each in given.pop("symbols"))
    return Lesson(rules=given.pop("statements"), rows=built, symbols=symbols, **given)
