"""The CP-SAT road: the job-order model for OR-Tools, solved in a process of its own.

Time is counted in ticks and every duration is a sum of terms rounded down. Round every time of an
optimal schedule down as well: since ⌊a⌋ + ⌊b⌋ ≤ ⌊a + b⌋ the model holds it, with a makespan of at
most that of the schedule. So the model is a relaxation and whatever bounds it from below, times
the tick, bounds the true optimum; its schedules are timed again exactly. The tick is so short that
all rounding together costs less than half of what tells an optimum.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from ..formulations.coefficients import Coefficients
from ..instances.errors import InputError
from ..instances.mapreduce import FloatArray, Instance, IntArray
from ..instances.schedule import Schedule, map_completions, timed
from .progress import Progress
from .result import OPTIMALITY_TOLERANCE
from .road import Arrival, Task

PROOF = "job-order model (CP-SAT)"
PROGRAM = Path(__file__).with_name("cp_sat_process.py")
MOST_PAIRS = 500_000
"""Above this many pairs of tasks that may meet on a slot the model is not built."""

Json = dict[str, Any]


def cp_sat_road(instance: Instance, task: Task, *, given_bounds: bool = True) -> Arrival:
    """CP-SAT on the job-order model, with `task.threads` workers, within the incumbent's makespan.

    Without `given_bounds` it is told nothing that other parts of the package found: no closed-form
    bound, no incumbent. Ctrl-C ends the search and keeps what it has. Raises `InputError` if
    OR-Tools is not installed.
    """
    if find_spec("ortools") is None:
        raise InputError("model 'cp-sat' needs OR-Tools: pip install slotwise[cp]")
    slots = instance.cluster.map_slots.sum(), instance.cluster.reduce_slots.sum()
    pairs = instance.map_tasks**2 * slots[0] + instance.reduce_tasks**2 * slots[1]
    if pairs > MOST_PAIRS:
        return Arrival(None, None, PROOF, f"model too large: {pairs} pairs of tasks on slots")
    began = time.perf_counter()
    data = Coefficients(instance)
    tick = _tick(data, task.incumbent.makespan)
    request = problem(data, task, tick, given_bounds)
    spent = time.perf_counter() - began
    request["time_limit"] = max(0.0, task.time_limit - spent)
    final, progress = _run(request, tick, spent, task)
    if final is None:
        bound = progress[-1].bound if progress else None
        return Arrival(None, bound, PROOF, "the CP-SAT process ended early", progress)
    return Arrival(
        schedule=None if final["map"] is None else _schedule(instance, final),
        lower_bound=None if final["bound"] is None else final["bound"] * tick,
        proof=PROOF,
        stop={"optimal": "gap closed"}.get(final["status"], final["status"]),
        progress=progress,
    )


def problem(data: Coefficients, task: Task, tick: float, given_bounds: bool = True) -> Json:
    """The document that the process reads.

    Times in ticks of `tick` s, rounded down: `map_ticks[t][k]`, setup and processing of map task t
    on slot k; `reduce_ticks[w]`, processing; `read_ticks[t][a][b]`, what a reduce task on node b
    reads of map task t that ran on node a; `head[i]`, `tail[i]`, what the phases of job i take at
    least; `lower_bound`, `horizon`, `absolute_gap`. `hint` or null: slots of the tasks by phase,
    position of the jobs.
    """
    instance = data.instance
    cluster = instance.cluster

    def ticks(seconds: FloatArray | float) -> Any:
        # Never above the true quotient, whatever its last bits.
        return np.floor(np.asarray(seconds) / tick * (1 - 1e-12)).astype(np.int64).tolist()

    nodes = range(cluster.nodes)
    seconds_per_mb = np.array([[1 / cluster.rate_between(a, b) for b in nodes] for a in nodes])
    makespan = task.incumbent.makespan if given_bounds else data.serial_makespan
    map_equal = _equal(data.map_job, np.column_stack((data.map_work, data.share)))
    reduce_equal = _equal(data.reduce_job, data.reduce_processing[:, None])
    nothing = np.zeros(instance.jobs)
    return {
        "workers": task.threads,
        "relative_gap": task.relative_gap,
        "absolute_gap": task.absolute_gap / tick,
        "jobs": instance.jobs,
        "comes_first": [pair for pair in data.pairs if data.comes_first(*pair)],
        "map": {
            "job": data.map_job,
            "slot_node": data.map_slot_node,
            "slots_with_twin": data.map_slots_with_twin,
            "equal": map_equal,
        },
        "reduce": {
            "job": data.reduce_job,
            "slot_node": data.reduce_slot_node,
            "slots_with_twin": data.reduce_slots_with_twin,
            "equal": reduce_equal,
        },
        "map_ticks": ticks(data.map_work),
        "reduce_ticks": ticks(data.reduce_processing),
        "read_ticks": ticks(data.share[:, None, None] * seconds_per_mb),
        "head": ticks(data.head if given_bounds else nothing),
        "tail": ticks(data.tail if given_bounds else nothing),
        "lower_bound": ticks(task.lower_bound if given_bounds else 0.0),
        "horizon": ticks(makespan) + 1,
        "hint": {
            "map": _first_of_equals(task.incumbent.map.slot, data.map_slot_node, map_equal),
            "reduce": _first_of_equals(
                task.incumbent.reduce.slot, data.reduce_slot_node, reduce_equal
            ),
            "position": data.positions(
                map_completions(instance, task.incumbent.map.end)
            ).tolist(),
        }
        if given_bounds
        else None,
    }


def _tick(data: Coefficients, makespan: float) -> float:
    """The tick in s: a longest path rounds each task's processing, and each read, once at most."""
    roundings = len(data.map_tasks) + sum(1 + len(data.maps[i]) for i in data.reduce_job)
    return OPTIMALITY_TOLERANCE / 2 * makespan / max(1, roundings) or 1.0


def _equal(job: list[int], rows: FloatArray) -> list[tuple[int, int]]:
    """Pairs of consecutive tasks of a job among those with the same row."""
    alike: dict[tuple[int, bytes], list[int]] = {}
    for t, row in enumerate(rows):
        alike.setdefault((job[t], row.tobytes()), []).append(t)
    return [pair for tasks in alike.values() for pair in pairwise(tasks)]


def _first_of_equals(
    slot: IntArray, slot_node: list[int], equal: list[tuple[int, int]]
) -> list[int]:
    """The same assignment up to equal slots and equal tasks, as the symmetry rows want it."""
    slots, before = slot.tolist(), None
    while slots != before:
        before = list(slots)
        for t, u in equal * len(equal):
            slots[t], slots[u] = min(slots[t], slots[u]), max(slots[t], slots[u])
        renamed: dict[int, int] = {}
        for k in slots:
            on_node = [n for n, node in enumerate(slot_node) if node == slot_node[k]]
            taken = sum(slot_node[other] == slot_node[k] for other in renamed)
            renamed.setdefault(k, on_node[taken] if k not in renamed else k)
        slots = [renamed[k] for k in slots]
    return slots


def _run(
    request: Json, tick: float, spent: float, task: Task
) -> tuple[Json | None, list[Progress]]:
    """The process's last word, None if it died without one, and its progress in s."""
    progress: list[Progress] = []

    def follow(lines: Any) -> Json | None:
        for text in lines:
            line: Json = json.loads(text)
            if "status" in line:
                return line
            incumbent, bound = line["incumbent"], line["bound"]
            step = Progress(
                seconds=line["seconds"] + spent,
                incumbent=None if incumbent is None else incumbent * tick,
                bound=None if bound is None else bound * tick,
            )
            progress.append(step)
            if task.on_progress is not None:
                task.on_progress(step)
        return None

    # A file and -P: neither the folder one is in nor the one the program is in can shadow a module.
    with subprocess.Popen(
        [sys.executable, "-P", str(PROGRAM)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        try:
            try:
                process.stdin.write(json.dumps(request) + "\n")
                process.stdin.flush()
                return follow(process.stdout), progress
            except KeyboardInterrupt:
                process.stdin.close()
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
