"""Audits of histories that clusters logged."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

from ....core.clock import Clock
from ....core.files.inputs import file_name
from ....instances.history.reading import HistoryOptions, read_run
from ....instances.history.window import Window, within
from ....report.history.document import audit_document
from ....solvers.history.audit import AuditOptions
from ....solvers.history.auditing import audit_run
from ...study.study import MethodCall, Unit
from ..perform import Outcome

DOCUMENT = "audit"
"""The measure that is the audit as a document."""


SMALL = "example:spark-log"
"""A history whose audit compiles all that audits need."""


class Prepared:
    """A history, which each run reads anew: reading is part of its time, compiling is not."""

    def __init__(self, path: str, _unit: Unit) -> None:
        self.path = path
        self.name = file_name(self.path)
        self.bounds: dict[str, float] = {}
        _compile()

    def run(self, method: MethodCall) -> Outcome:
        """Audit the history within the method's time limit."""
        assert method.time_limit is not None
        clock = Clock(method.time_limit)
        asked: dict[str, Any] = dict(method.parameters)
        run = within(
            read_run(self.path, HistoryOptions(**asked["reading"])), Window(**asked["window"])
        )
        made = audit_run(run, clock, AuditOptions(**asked["judging"]))
        document = audit_document(replace(made, overheads=asked["overheads"]))
        return Outcome("done", measures={DOCUMENT: document})


@cache
def _compile() -> None:
    audit_run(read_run(SMALL), Clock(0))
