"""The shortest makespan of a tiny batch: all assignments and all orders of the jobs.

It shares nothing with the models, heuristics and checkers of the package: it reads the plain
document, works out setups from their definition, and tries every slot for every task under every
order of the jobs. One order for all slots suffices:
docs/formulations/job-order.md has the proof.
"""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np

from ....core.arrays import FloatArray, IntArray
from ....core.errors import InputError
from ....core.kernels.decorators import kernel

MOST_TASKS, MOST_SLOTS, MOST_JOBS = 8, 3, 6
"""Largest instances: tasks in all, slots of each phase, jobs."""

Slot = tuple[int, int]
"""Number of its node, and its number there."""


class _Tiny:
    """The numbers of an instance. Tasks are numbered maps first, job after job."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.jobs, nodes = document["jobs"], document["cluster"]["nodes"]
        self.maps = [(i, t) for i, job in enumerate(self.jobs) for t in range(_maps(job))]
        self.reduces = [
            (i, t) for i, job in enumerate(self.jobs) for t in range(len(job["reduce_tasks"]))
        ]
        self.node_names = [node["name"] for node in nodes]
        self.map_slots = _slots(nodes, "map_slots")
        self.reduce_slots = _slots(nodes, "reduce_slots")
        self._check_tiny()
        self.rate = _rates(document["cluster"])
        # How long each map task takes on each slot: its read, then its work.
        self.map_length = np.zeros((len(self.maps), len(self.map_slots)))
        # What a reduce task reads of each map task's output (MB).
        self.part = np.zeros(len(self.maps))
        for number, (i, t) in enumerate(self.maps):
            job, task = self.jobs[i], self.jobs[i]["map_tasks"][t]
            size = float(task.get("input_mb", 0.0))
            reduces = len(job["reduce_tasks"])
            self.part[number] = job.get("output_ratio", 0.0) * size / max(reduces, 1)
            holders = [self.node_names.index(name) for name in task.get("replicas", [])]
            for s, (node, _) in enumerate(self.map_slots):
                remote = document["cluster"]["rates"]["remote"]
                best = max([self.rate[node, holder] for holder in holders], default=remote)
                self.map_length[number, s] = size / best + task["processing"]
        self.reduce_time = np.array(
            [self.jobs[i]["reduce_tasks"][t]["processing"] for i, t in self.reduces], dtype=float
        )

    def _check_tiny(self) -> None:
        tasks = len(self.maps) + len(self.reduces)
        slots = max(len(self.map_slots), len(self.reduce_slots))
        if tasks > MOST_TASKS or slots > MOST_SLOTS or len(self.jobs) > MOST_JOBS:
            raise InputError(
                f"exact answers are for at most {MOST_TASKS} tasks of {MOST_JOBS} jobs on "
                f"{MOST_SLOTS} + {MOST_SLOTS} slots, got {tasks} of {len(self.jobs)} on "
                f"{len(self.map_slots)} + {len(self.reduce_slots)}"
            )
        for phase, tasks_of, slots_of in (
            ("map", self.maps, self.map_slots),
            ("reduce", self.reduces, self.reduce_slots),
        ):
            if tasks_of and not slots_of:
                raise InputError(f"there are {phase} tasks and no {phase} slot")

    def sequences(self) -> IntArray:
        """For every order of the jobs the tasks in that order, maps first."""
        orders = list(permutations(range(len(self.jobs))))
        tasks = [i for i, _ in self.maps], [i for i, _ in self.reduces]
        rows = []
        for order in orders:
            place = {job: p for p, job in enumerate(order)}
            maps = sorted(range(len(tasks[0])), key=lambda t: (place[tasks[0][t]], t))
            reduces = sorted(range(len(tasks[1])), key=lambda w: (place[tasks[1][w]], w))
            rows.append(maps + [len(maps) + w for w in reduces])
        return np.array(rows, dtype=np.int64).reshape(len(orders), -1)

    def rows(self, sequence: list[int], slot: list[int]) -> list[dict[str, Any]]:
        """The schedule in which tasks take their slots in this sequence, as early as they can."""
        free = [0.0] * len(self.map_slots), [0.0] * len(self.reduce_slots)
        ran: list[tuple[int, int, float]] = []
        rows: dict[int, dict[str, Any]] = {}
        for task in sequence:
            s, is_map = slot[task], task < len(self.maps)
            if is_map:
                i, t = self.maps[task]
                work = float(self.jobs[i]["map_tasks"][t]["processing"])
                start, setup = free[0][s], float(self.map_length[task, s]) - work
                node, number = self.map_slots[s]
            else:
                i, t = self.reduces[task - len(self.maps)]
                work = float(self.reduce_time[task - len(self.maps)])
                node, number = self.reduce_slots[s]
                own = [entry for entry in ran if self.maps[entry[0]][0] == i]
                start = max([free[1][s], *(end for _, _, end in own)])
                setup = sum(float(self.part[m] / self.rate[at, node]) for m, at, _ in own)
            end = start + setup + work
            free[not is_map][s] = end
            if is_map:
                ran.append((task, node, end))
            rows[task] = {
                "job": self.jobs[i]["name"],
                "phase": "map" if is_map else "reduce",
                "task": t,
                "node": self.node_names[node],
                "slot": number,
                "start": start,
                "setup": setup,
                "end": end,
            }
        return [rows[task] for task in sorted(rows)]


def optimum(document: dict[str, Any]) -> tuple[float, list[dict[str, Any]]]:
    """The shortest makespan (s) of a `slotwise/mapreduce/1` document, and a schedule that has it.

    `document`: the document, without speed factors, security and outages.
    Returns the makespan and rows of job, phase, task, node, slot, start, setup and end.
    Raises `InputError` if the instance is too large, or a phase with tasks has no slot.
    """
    tiny = _Tiny(document)
    sequences = tiny.sequences()
    tasks = sequences.shape[1]
    if not tasks:
        return 0.0, []
    placing = np.zeros(tasks + 1, dtype=np.int64)
    best = _search(
        tiny.map_length,
        np.array([i for i, _ in tiny.maps], dtype=np.int64),
        np.array([node for node, _ in tiny.map_slots], dtype=np.int64),
        tiny.reduce_time,
        np.array([i for i, _ in tiny.reduces], dtype=np.int64),
        np.array([node for node, _ in tiny.reduce_slots], dtype=np.int64),
        tiny.part,
        tiny.rate,
        sequences,
        placing,
        np.zeros((2, tasks + 1), dtype=np.int64),
        np.zeros((4, max(tasks, MOST_SLOTS))),
    )
    rows = tiny.rows(sequences[placing[-1]].tolist(), placing[:-1].tolist())
    return float(best), rows


@kernel
def _search(
    map_length: FloatArray,
    map_job: IntArray,
    map_node: IntArray,
    reduce_time: FloatArray,
    reduce_job: IntArray,
    reduce_node: IntArray,
    part: FloatArray,
    rate: FloatArray,
    sequences: IntArray,
    placing: IntArray,
    slot: IntArray,
    clock: FloatArray,
) -> float:
    """Depth first over the slots of the tasks, for every sequence.

    `placing` gets the slot of each task in the best schedule, and the number of its sequence. Row 0
    of `slot` (2, tasks + 1) is the slot at each depth, row 1 that of each task; rows of `clock` are
    when each map slot and each reduce slot is free, what was free before, and the tasks' ends.
    """
    maps, tasks = map_length.shape[0], sequences.shape[1]
    best = np.inf
    for o in range(sequences.shape[0]):
        for s in range(clock.shape[1]):
            clock[0, s] = 0.0
            clock[1, s] = 0.0
        depth = 0
        slot[0, 0] = -1
        while depth >= 0:
            task = sequences[o, depth]
            side = 0 if task < maps else 1
            if slot[0, depth] >= 0:
                clock[side, slot[0, depth]] = clock[2, depth]
            slot[0, depth] += 1
            s = slot[0, depth]
            if s == (map_node.shape[0] if side == 0 else reduce_node.shape[0]):
                depth -= 1
                continue
            end = clock[side, s]
            clock[2, depth] = end
            if side == 0:
                end += map_length[task, s]
            else:
                job, setup = reduce_job[task - maps], 0.0
                for t in range(maps):
                    if map_job[t] == job:
                        end = max(end, clock[3, t])
                        setup += part[t] / rate[map_node[slot[1, t]], reduce_node[s]]
                end += setup + reduce_time[task - maps]
            if end >= best:
                continue
            clock[side, s] = end
            clock[3, task] = end
            slot[1, task] = s
            depth += 1
            slot[0, depth] = -1
            if depth == tasks:
                best = 0.0
                for t in range(tasks):
                    best = max(best, clock[3, t])
                    placing[t] = slot[1, t]
                placing[tasks] = o
                depth -= 1
    return best


def _maps(job: dict[str, Any]) -> int:
    return len(job["map_tasks"])


def _slots(nodes: list[dict[str, Any]], phase: str) -> list[Slot]:
    return [(k, s) for k, node in enumerate(nodes) for s in range(node[phase])]


def _rates(cluster: dict[str, Any]) -> FloatArray:
    """MB/s between any two nodes."""
    rates, nodes = cluster["rates"], cluster["nodes"]
    between = [
        [
            rates["node"]
            if a is b
            else rates["rack"]
            if a["rack"] == b["rack"]
            else rates["remote"]
            for b in nodes
        ]
        for a in nodes
    ]
    return np.array(between, dtype=np.float64)
