"""Runs that cannot both be right: a makespan below a bound that is proven for its instance."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace

from ...core.errors import one_line
from ...solvers.mapreduce.result import OPTIMALITY_TOLERANCE, Status
from ..study.study import Study
from .record import ERROR, Record


class Judge:
    """Compares each record with those of the same instance.

    `records`: those of its runs that have ended.
    """

    def __init__(self, study: Study, records: Iterable[Record]) -> None:
        self._instance = {run.id: id(unit.instance) for unit in study.units for run in unit.runs}
        self._sound: defaultdict[int, dict[str, Record]] = defaultdict(dict)
        for record in records:
            if not record.failed:
                self._sound[self._instance[record.run]][record.run] = record

    def judged(self, record: Record) -> list[Record]:
        """The record as it can be kept, after those before it that it contradicts.

        Nobody knows which of two is wrong, so that both have failed.
        """
        beside = self._sound[self._instance[record.run]]
        beside.pop(record.run, None)
        if record.failed:
            return [record]
        fault = _no_time(record) or _below(record, record)
        kept = []
        for other in list(beside.values()):
            if against := _below(record, other) or _below(other, record):
                kept.append(_failed(other, against))
                del beside[other.run]
                fault = fault or against
        if fault:
            return [*kept, _failed(record, fault)]
        beside[record.run] = record
        return [record]


def _no_time(record: Record) -> str:
    for name in ("makespan", "lower_bound"):
        value = getattr(record, name)
        if value is not None and not (isinstance(value, int | float) and value >= 0):
            return f"{_called(record)}: {name} {value} is no time"
    return ""


def _below(record: Record, other: Record) -> str:
    """What is wrong if the makespan of one is below the bound of the other."""
    if record.makespan is None:
        return ""
    bound = math.inf if other.status == Status.INFEASIBLE.value else other.lower_bound
    if bound is None or record.makespan * (1 + OPTIMALITY_TOLERANCE) >= bound:
        return ""
    return (
        f"{_called(record)}: makespan {record.makespan:.12g} is below the lower bound {bound:.12g} "
        f"of {'itself' if record is other else _called(other)}"
    )


def _called(record: Record) -> str:
    return f"run {record.run} ({record.method}, pid {record.pid} on {record.host}, {record.build})"


def _failed(record: Record, error: str) -> Record:
    """What it says of the instance is worth nothing."""
    return replace(
        record,
        status=ERROR,
        error=one_line(error),
        makespan=None,
        lower_bound=None,
        gap=None,
        bounds={},
    )
