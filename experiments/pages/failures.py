"""Runs that failed, with what they said."""

from __future__ import annotations

from collections.abc import Mapping

from markupsafe import Markup

from ...core.wording import plural
from ..statistics.runs import Runs, shown
from .parts import count, cut, folded, paragraph, safe, section, table

MOST_ROWS = 200
"""Failed runs that are listed one by one."""
FIRST_LINES, LAST_LINES = 8, 6
"""Lines of a traceback: where it began, and what was wrong."""
LONGEST = 240
"""Characters of a line that are shown."""


def failures_part(runs: Runs, tracebacks: Mapping[str, str]) -> Markup:
    failed = runs.frame[runs.failed]
    if failed.empty:
        return section("failures", "Failed runs", [paragraph("None.")])
    method = runs.variant[failed.index]
    kinds = failed.groupby(
        [method, failed["status"], failed["error"].fillna("")], sort=False
    ).size()
    kinds = kinds.sort_values(ascending=False, kind="stable")
    rows = [
        [name, status, cut(error, LONGEST), count(int(number))]
        for (name, status, error), number in kinds.head(MOST_ROWS).items()
    ]
    parts = [table(["method", "status", "error", "runs"], rows, title="Failures by error", words=3)]
    listed = failed.head(MOST_ROWS)
    each: list[list[str]] = []
    for row, name in zip(listed.to_dict("records"), method[listed.index], strict=True):
        instance = ", ".join(f"{column}={shown(row[column])}" for column in runs.of_instance)
        each.append([
            f"{row['instance'] or '(not made)'} {f'({instance})' if instance else ''}".strip(),
            name, str(row["status"]),
            _error(str(row["error"] or ""), tracebacks.get(row["run"], "")),
        ])  # fmt: skip
    head = ["instance", "method", "status", "error"]
    said = plural(len(failed), "failed run")
    if len(failed) > len(listed):
        said = f"The first {len(listed)} of {said}"
    parts.append(
        folded(said, [table(head, each, title="Failed runs", words=4)], shut=len(failed) > 10)
    )
    return section("failures", "Failed runs", parts)


def _error(error: str, traceback: str) -> Markup:
    said = safe(cut(error, LONGEST))
    if not traceback.strip():
        return said
    lines = [cut(line, LONGEST) for line in traceback.rstrip().splitlines()]
    left_out = len(lines) - FIRST_LINES - LAST_LINES
    if left_out > 1:
        lines[FIRST_LINES:-LAST_LINES] = [f"    … {left_out} lines"]
    trace = Markup("<pre>{}</pre>").format(safe("\n".join(lines)))
    return said + folded("traceback", [trace])
