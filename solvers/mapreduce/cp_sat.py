"""The CP-SAT method: the job-order model for OR-Tools, solved in a process of its own.

The relaxed problem (docs/formulations/relaxed.md) comes first, for a second at most; its value is a
bound by itself, and the least makespan that the job-order model looks for. Where it relaxes nothing
it takes the place of that model.

Times are integers, and every duration is a sum of terms rounded down. Take an optimal schedule with
one job order (docs/formulations/job-order.md) and round all its times down as well. Since
⌊a⌋ + ⌊b⌋ ≤ ⌊a + b⌋, it fits the model, with a makespan of no more time units than it had. So the
model is a relaxation: its lower bound times the unit is a lower bound for the instance. Schedules
found are timed again exactly.

The unit is so short that all rounding together costs at most half of `OPTIMALITY_TOLERANCE`. If
every possible duration is a multiple of a common unit, that is used instead, and nothing is
rounded.
"""

from __future__ import annotations

import json
import math
import pickle
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from importlib.util import find_spec
from subprocess import Popen
from threading import Event
from typing import Any

import numpy as np

from ...core.background import LOOK, BackgroundWork
from ...core.clock import StopReason
from ...core.errors import InputError
from ...instances.mapreduce.instance import Instance
from ...instances.mapreduce.schedule import timed
from ..backends.child_processes import start
from .race import Runner
from .result import OPTIMALITY_TOLERANCE

PROCESS = f"{__package__}.cp_sat_process"
ENDED_EARLY = "the CP-SAT process ended early"
RELAXED_SECONDS, RELAXED_SHARE = 1.0, 0.1
"""Most time for the relaxed problem, in seconds and as a share of the limit."""

MOST_PAIRS = 500_000
"""With more pairs of tasks that may share a slot than this the model is not built."""

MOST_IMPROVEMENT = 16
"""The time unit assumes that the optimum is no less than the best makespan over this. If it is
less, the bound still holds, but may be too weak to prove optimality."""


def can_model(instance: Instance) -> bool:
    cluster = instance.cluster
    pairs = instance.map_tasks**2 * cluster.map_slots.sum()
    return bool(pairs + instance.reduce_tasks**2 * cluster.reduce_slots.sum() <= MOST_PAIRS)


def cp_sat_method(instance: Instance, runner: Runner) -> str:
    """Solve the job-order model with CP-SAT, within the best makespan.

    Raises `InputError` if OR-Tools is not installed.
    """
    if find_spec("ortools") is None:
        raise InputError("model 'cp-sat' needs OR-Tools: pip install ortools")
    if not can_model(instance):
        return f"{StopReason.NOT_APPLICABLE}: model too large: above {MOST_PAIRS} pairs on slots"
    clock, known = runner.clock, runner.schedule
    # The makespan in units is short by what was rounded; the time unit keeps that below this.
    least = max(runner.bound, known.makespan / MOST_IMPROVEMENT)
    given = {
        "instance": instance,
        "known": known,
        "bound": runner.bound,
        "rounding": OPTIMALITY_TOLERANCE / 2 * least,
        "relaxed_seconds": min(RELAXED_SECONDS, RELAXED_SHARE * clock.left),
        "until": time.monotonic() + clock.left,
        "threads": runner.threads,
        "relative_gap": runner.relative_gap,
        "absolute_gap": runner.absolute_gap,
    }
    why, shortest = ENDED_EARLY, math.inf
    for line in _lines(given, clock.stop):
        schedule = None
        if line["placed"] is not None:
            placed = (np.array(one, dtype=np.int64) for phase in line["placed"] for one in phase)
            schedule = timed(instance, *placed)
            shortest = min(shortest, schedule.makespan)
        runner.tell(schedule, line["bound"], line["proof"])
        why = line["status"] or why
    if why == ENDED_EARLY and clock.over:
        why = clock.reason
    if shortest < least and not clock.over:
        # As before, from a schedule so short that the time unit was too coarse to prove it optimal.
        return cp_sat_method(instance, runner)
    return why


def _lines(given: dict[str, Any], stop: Event) -> Iterator[dict[str, Any]]:
    """What the process says, until it ends, which a stop makes it do."""

    def listen(process: Popen[bytes]) -> None:
        while process.poll() is None:
            if stop.wait(LOOK):
                with suppress(BrokenPipeError):
                    process.stdin.close()  # type: ignore[union-attr]
                return

    with start(PROCESS) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            pickle.dump(given, process.stdin)
            process.stdin.flush()
            BackgroundWork(partial(listen, process))
            # What it was writing when it was ended is no line.
            yield from (json.loads(line) for line in process.stdout if line.endswith(b"\n"))
        except BrokenPipeError:
            return
        finally:
            process.kill()
