"""`slotwise/lesson/1`: lessons as JSON."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from ...core.files.json_files import Source, Strict, read_document
from .family import Role
from .lesson import FORMAT, Lesson, Rule
from .rows import PlainModel, Terms


class _Statement(Strict):
    label: str
    words: str
    mathml: str
    forall: str
    components: list[str]
    role: Role | None
    symbols: list[int] = []


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
    statements: list[_Statement]
    sense: Literal["min", "max"]
    objective: Terms
    variables: dict[str, _Variable]
    rows: dict[str, list[tuple[Terms, float | None, float | None]]] = Field(
        description="coefficients, lower bound, upper bound of each row of each component"
    )
    witness: dict[str, float | None] | None
    facts: dict[str, Any] | None = None
    symbols: list[_Symbol] = []


def read_lesson(path: Source) -> Lesson:
    """Read a `slotwise/lesson/1` file (plain or gzip).

    Parameters
    ----------
    path
        Path of the file, `-` for stdin, or a file read before.

    Returns
    -------
    Lesson
        The lesson. Its rows and its optimum are not believed before a page has looked at them.

    Raises
    ------
    InputError
        If something is wrong; one line names file and field.
    """
    document = read_document(path, LessonDocument, FORMAT)
    return Lesson(
        model=document.model,
        source=document.source,
        summary=document.summary,
        instance=document.instance,
        horizon=document.horizon,
        optimum=document.optimum,
        unit=document.unit,
        rules=tuple(
            Rule(
                **each.model_dump(exclude={"components", "symbols"}),
                components=tuple(each.components),
                symbols=tuple(each.symbols),
            )
            for each in document.statements
        ),
        rows=PlainModel(
            {name: each.model_dump() for name, each in document.variables.items()},
            document.sense,
            document.objective,
            {name: list(rows) for name, rows in document.rows.items()},
        ),
        witness=document.witness,
        facts=document.facts,
        symbols=tuple(each.model_dump() for each in document.symbols),
    )
