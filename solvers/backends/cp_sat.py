"""The CP-SAT method: the job-order model for OR-Tools, solved in a process of its own.

Time is counted in ticks and every duration is a sum of terms rounded down. Round every time of an
optimal schedule (with one job order, docs/job-order.md) down as well: since ⌊a⌋ + ⌊b⌋ ≤ ⌊a + b⌋ it
fits the model, with a makespan of no more ticks than it had. So the model is a relaxation, and its
lower bound times the tick bounds the true optimum; schedules found are timed again exactly. The
tick is so short that all rounding together costs at most half of `OPTIMALITY_TOLERANCE`. Where
every possible duration is a whole multiple of some unit, that is the tick, and no duration is
rounded.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np

from ...formulations.coefficients import Coefficients
from ...instances.arrays import FloatArray, IntArray
from ...instances.errors import InputError
from ...instances.mapreduce.instance import Instance
from ...instances.mapreduce.schedule import Schedule, map_completions, timed
from ...instances.mapreduce.setups import read_seconds
from ..branch_and_bound.integer_times import common_unit
from ..clock import Clock, OutOfTime, attempt
from ..method import MethodOutcome, SolveRequest, not_applicable
from ..progress import Progress
from ..result import OPTIMALITY_TOLERANCE
from ..stop_reason import StopReason

PROOF = "job-order model (CP-SAT)"
PROGRAM = Path(__file__).with_name("cp_sat_process.py")
MOST_PAIRS = 500_000
"""Above this many pairs of tasks that may meet on a slot the model is not built."""

MOST_IMPROVEMENT = 16
"""A shortest makespan is expected to be no less than the incumbent's over this: the tick is chosen
so. If it is, the bound still holds, but may be too far off to be called optimal."""

Json = dict[str, Any]


def cp_sat_method(
    instance: Instance, request: SolveRequest, *, given_bounds: bool = True
) -> MethodOutcome:
    """CP-SAT on the job-order model, within the incumbent's makespan.

    Without `given_bounds` it is told nothing that other parts of the package found: no closed-form
    bound, no incumbent. Ctrl-C ends the search and keeps what it has. Raises `InputError` if
    OR-Tools is not installed.
    """
    if find_spec("ortools") is None:
        raise InputError("model 'cp-sat' needs OR-Tools: pip install ortools")
    if not can_model(instance):
        return not_applicable(f"model too large: {_pairs(instance)} pairs on slots", PROOF)
    clock = Clock(request.time_limit, request.stop)
    # Counted in ticks a makespan is short by what was rounded, `_tick` keeps it below this.
    least = max(request.lower_bound, request.incumbent.makespan / MOST_IMPROVEMENT)

    def prepared() -> tuple[float, float, Json]:
        data, unit = Coefficients(instance), common_unit(instance)
        rounding = 0.0 if unit else OPTIMALITY_TOLERANCE / 2 * least
        tick = unit or _tick(data, rounding)
        return tick, rounding, problem(data, request, tick, given_bounds, whole=unit > 0)

    try:
        tick, rounding, document = attempt(prepared, clock)
    except OutOfTime:
        return MethodOutcome(
            None, None, PROOF, clock.reason, f"{clock.reason} before the model was built"
        )
    spent = clock.elapsed
    document["time_limit"] = clock.left
    final, progress = _run(document, tick, rounding, spent, request)
    if final is None:
        bound = progress[-1].bound if progress else None
        return MethodOutcome(
            None, bound, PROOF, StopReason.GAVE_UP, "the CP-SAT process ended early", progress
        )
    return MethodOutcome(
        schedule=None if final["map"] is None else _schedule(instance, final),
        lower_bound=final["bound"] * tick,
        proof=PROOF,
        stop=StopReason.GAP_CLOSED if final["status"] == "optimal" else StopReason(final["status"]),
        progress=progress,
    )


def can_model(instance: Instance) -> bool:
    """Whether the model is small enough to be built."""
    return _pairs(instance) <= MOST_PAIRS


def _pairs(instance: Instance) -> int:
    cluster = instance.cluster
    pairs = instance.map_tasks**2 * cluster.map_slots.sum()
    return int(pairs + instance.reduce_tasks**2 * cluster.reduce_slots.sum())


def problem(
    data: Coefficients,
    request: SolveRequest,
    tick: float,
    given_bounds: bool = True,
    *,
    whole: bool = False,
) -> Json:
    """The document that the process reads.

    Times in ticks of `tick` s, rounded down: `map_ticks[t][k]`, setup and processing of map task t
    on slot k; `reduce_ticks[w][k]`, processing of reduce task w on slot k; `read_ticks[t][a][b]`,
    what a reduce task on node b reads of map task t that ran on node a; `head[i]`, `tail[i]`, what
    the phases of job i take at least; `lower_bound`, `horizon`, `absolute_gap`. If every possible
    duration is a `whole` number of ticks, so is every sum, and heads, tails and the lower bound are
    rounded up. `hint` or null: slots of the tasks by phase, position of the jobs.
    """
    instance = data.instance

    def ticks(seconds: FloatArray | float) -> Any:
        # Never above the true quotient, whatever its last bits. Whole multiples divide exactly.
        guard = 1.0 if whole else 1 - 1e-12
        return np.floor(np.asarray(seconds) / tick * guard).astype(np.int64).tolist()

    def at_least(seconds: FloatArray | float) -> Any:
        # What is a whole number of ticks and no less than this. The bound may be off by some bits.
        if not whole:
            return ticks(seconds)
        return np.ceil(np.asarray(seconds) / tick * (1 - 1e-9)).astype(np.int64).tolist()

    makespan = request.incumbent.makespan if given_bounds else data.serial_makespan
    map_equal = _equal(data.map_job, np.column_stack((data.map_work, data.share, data.map_allowed)))
    reduce_equal = _equal(data.reduce_job, data.reduce_time)
    nothing = np.zeros(instance.jobs)
    return {
        "workers": request.threads,
        "relative_gap": request.relative_gap,
        "absolute_gap": request.absolute_gap / tick,
        "jobs": instance.jobs,
        "comes_first": [pair for pair in data.pairs if data.comes_first(*pair)],
        "map": {
            "job": data.map_job,
            "slot_node": data.map_slot_node,
            "slots_with_twin": data.map_slots_with_twin,
            "equal": map_equal,
            "forbidden": np.argwhere(~data.map_allowed).tolist(),
        },
        "reduce": {
            "job": data.reduce_job,
            "slot_node": data.reduce_slot_node,
            "slots_with_twin": data.reduce_slots_with_twin,
            "equal": reduce_equal,
            "forbidden": [(w, k) for w in data.reduce_tasks for k in data.lost_reduce_slots],
        },
        "map_ticks": ticks(data.map_work),
        "reduce_ticks": ticks(data.reduce_time),
        "read_ticks": ticks(data.share[:, None, None] * read_seconds(instance)),
        "head": at_least(data.head if given_bounds else nothing),
        "tail": at_least(data.tail if given_bounds else nothing),
        "lower_bound": at_least(request.lower_bound if given_bounds else 0.0),
        "horizon": ticks(makespan) + 1,
        "hint": {
            "map": _first_of_equals(request.incumbent.map.slot, data.map_slot_kind, map_equal),
            "reduce": _first_of_equals(
                request.incumbent.reduce.slot, data.reduce_slot_kind, reduce_equal
            ),
            "position": data.positions(
                map_completions(instance, request.incumbent.map.end)
            ).tolist(),
        }
        if given_bounds
        else None,
    }


def _tick(data: Coefficients, rounding: float) -> float:
    """The tick (s) with which all rounding of a makespan stays below `rounding` s.

    A longest path rounds each task's processing, and each read, once at most.
    """
    roundings = len(data.map_tasks) + sum(1 + len(data.maps[i]) for i in data.reduce_job)
    return rounding / max(1, roundings) or 1.0


def _equal(job: list[int], rows: FloatArray) -> list[list[int]]:
    """Groups of two tasks or more of one job with the same row."""
    groups: dict[tuple[int, bytes], list[int]] = {}
    for t, row in enumerate(rows):
        groups.setdefault((job[t], row.tobytes()), []).append(t)
    return [tasks for tasks in groups.values() if len(tasks) > 1]


def _first_of_equals(slot: IntArray, slot_kind: list[int], equal: list[list[int]]) -> list[int]:
    """The lexicographically first assignment that differs by equal slots and equal tasks only.

    The one that the symmetry constraints leave.
    """
    slots: list[int] = slot.tolist()
    before: list[int] = []
    while slots != before:
        before = list(slots)
        unused = {n: iter([k for k, m in enumerate(slot_kind) if m == n]) for n in slot_kind}
        renamed: dict[int, int] = {}
        for k in slots:
            if k not in renamed:
                renamed[k] = next(unused[slot_kind[k]])
        slots = [renamed[k] for k in slots]
        for tasks in equal:
            for t, k in zip(tasks, sorted(slots[t] for t in tasks), strict=True):
                slots[t] = k
    return slots


def _run(
    document: Json, tick: float, rounding: float, spent: float, request: SolveRequest
) -> tuple[Json | None, list[Progress]]:
    """The process's last word, None if it died without one, and its progress in s."""
    progress: list[Progress] = []

    def follow(lines: Iterable[str]) -> Json | None:
        for text in lines:
            line: Json = json.loads(text)
            if "status" in line:
                return line
            incumbent, bound = line["incumbent"], line["bound"]
            step = Progress(
                seconds=line["seconds"] + spent,
                incumbent=None if incumbent is None else incumbent * tick + rounding,
                bound=None if bound is None else bound * tick,
            )
            progress.append(step)
            if request.on_progress is not None:
                request.on_progress(step)
        return None

    # A file and -P: neither the current folder nor the program's own can shadow a module. A session
    # of its own: Ctrl-C reaches this process only, and closing stdin ends the search gently.
    def listen(process: subprocess.Popen[str]) -> None:
        while process.poll() is None:
            if request.stop.wait(0.05):
                close(process)
                return

    def close(process: subprocess.Popen[str]) -> None:
        assert process.stdin is not None
        with suppress(BrokenPipeError):
            process.stdin.close()

    with subprocess.Popen(
        [sys.executable, "-P", str(PROGRAM)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(json.dumps(document) + "\n")
            process.stdin.flush()
            Thread(target=listen, args=(process,), daemon=True).start()
            return follow(process.stdout), progress
        except BrokenPipeError:
            return None, progress
        except KeyboardInterrupt:
            close(process)
            return follow(process.stdout), progress
        finally:
            process.kill()


def _schedule(instance: Instance, final: Json) -> Schedule:
    maps, reduces = final["map"], final["reduce"]
    return timed(
        instance,
        np.array(maps["slot"], dtype=np.int64),
        _ranks(maps),
        np.array(reduces["slot"], dtype=np.int64),
        _ranks(reduces),
    )


def _ranks(phase: Json) -> IntArray:
    """Tasks by start; of those that start together, the ones that take no time go first."""
    rank = np.empty(len(phase["start"]), dtype=np.int64)
    rank[np.lexsort((phase["end"], phase["start"]))] = np.arange(len(rank))
    return rank
