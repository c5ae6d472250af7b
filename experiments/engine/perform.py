"""Carry out a unit: make its instance once, then run its methods one after another."""

from __future__ import annotations

import os
import socket
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Protocol

from ...core.errors import SlotwiseError, one_line
from ..study.instance_sources import made
from ..study.study import MethodCall, Run, Unit
from .build import build_name
from .record import ERROR, Record


@dataclass
class Outcome:
    """What a method of one kind made of an instance."""

    status: str
    makespan: float | None = None
    lower_bound: float | None = None
    gap: float | None = None
    measures: dict[str, Any] = field(default_factory=dict)
    error: str = ""
    seconds: float | None = None
    cpu_seconds: float | None = None


class Prepared(Protocol):
    """An instance with what its runs share."""

    name: str
    bounds: dict[str, float]

    def run(self, method: MethodCall) -> Outcome:
        """Run one method."""


FAMILIES: dict[str, str] = {
    "mapreduce": "makespan",
    "datacenter": "waits",
    "hierarchy": "shares",
}
"""Module below `kinds` that runs methods on a thing of that kind; each has a class `Prepared`."""


def perform(
    unit: Unit, guard: Callable[[Run], AbstractContextManager[None]] = lambda _run: nullcontext()
) -> Iterator[Record]:
    """Carry out the runs of a unit, each within what `guard` makes of it.

    Yields one for each run, as it ends. An instance that cannot be made fails all of them.
    """
    try:
        prepared = prepare(unit)
    except Exception as failure:
        for run in unit.runs:
            yield _failed(run, "", failure)
        return
    for run in unit.runs:
        with guard(run):
            record = carry_out(run, prepared)
        yield record


def prepare(unit: Unit) -> Prepared:
    thing, family = made(unit.instance)
    module = import_module(f"..kinds.{FAMILIES[family]}", __name__)
    prepared: Prepared = module.Prepared(thing, unit)
    return prepared


def carry_out(run: Run, prepared: Prepared) -> Record:
    """Run one method on a prepared instance; a failure is recorded, not raised."""
    process, began, cpu = os.getpid(), time.perf_counter(), time.process_time()
    try:
        outcome = prepared.run(run.method)
    except (Exception, SystemExit) as failure:
        return _failed(run, prepared.name, failure)
    finally:
        if os.getpid() != process:  # a copy that the method forked: the runs are not its own
            os._exit(1)
    took = {"seconds": time.perf_counter() - began, "cpu_seconds": time.process_time() - cpu}
    known = {name: value for name, value in vars(outcome).items() if value is not None}
    return Record(**who(run, prepared.name), bounds=prepared.bounds, **(took | known))


def _failed(run: Run, instance: str, failure: BaseException) -> Record:
    ours = isinstance(failure, SlotwiseError)
    text = str(failure) if ours else f"{type(failure).__name__}: {failure}"
    trace = "".join(traceback.format_exception(failure))
    return Record(**who(run, instance), status=ERROR, error=one_line(text), traceback=trace)


def who(run: Run, instance: str) -> dict[str, Any]:
    """What a record says of its run, and of where it ended."""
    return {
        "run": run.id,
        "order": run.order,
        "instance": instance,
        "method": run.method.name,
        "parameters": dict(run.method.parameters),
        "host": socket.gethostname(),
        "pid": os.getpid(),
        "build": build_name(),
    }
