"""The independent checker: computes a schedule anew from the instance and lists every violation.

It trusts nothing that the schedule claims but slots and starts, and it calls nothing of the
package: setup times, processing times and precedence are computed here, from the fields of the data
classes alone.

Two times are equal if they differ by at most `RELATIVE_TOLERANCE` of the task's own start or end,
whichever is greater; two setup times if they differ by at most that part of the setup; two
makespans if by that part of the makespan. So nothing depends on the scale, and a long makespan
hides nothing of a short task at its beginning. What a task exceeds within the tolerance delays the
tasks after it, on its slot and in its job, so that many small overlaps count as the large one that
they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..verdict import Verdict

if TYPE_CHECKING:
    from ...core.arrays import BoolArray, FloatArray, IntArray
    from .instance import Instance
    from .schedule import PhaseSchedule, Schedule

RELATIVE_TOLERANCE = 1e-9
"""Far above the rounding of a sum over 100 000 tasks, far below what a certificate leaves open."""

READ_ROUNDING = 1e-11
"""Relative rounding error of read times. What a reduce task reads in its rack is the difference of
what lies in the rack and on the node; it is exact up to this part of what all of it would take at
the slowest rate."""

SMALLEST = float(np.finfo(float).tiny)
"""Numbers (s) below this have fewer digits than a tolerance could be a part of."""


def check(instance: Instance, schedule: Schedule) -> Verdict:
    """Check a schedule against its instance: every rule of the model, every claimed number.

    Numbers that overflow are violations.
    """
    violations: list[str] = []
    if schedule.instance != instance.name:
        violations.append(f"schedule is for instance {schedule.instance!r}, not {instance.name!r}")
    maps, reduces = _sides(instance, schedule)
    for side in (maps, reduces):
        rows, tasks = side.rows, len(side.time)
        shapes = {len(rows.slot), len(rows.start), len(rows.setup), len(rows.end)}
        if shapes != {tasks}:
            return Verdict(
                [*violations, f"{side.phase} phase: need {tasks} entries, got {sorted(shapes)}"]
            )
    unplaced = [line for side in (maps, reduces) for line in side.unplaced()]
    if unplaced:
        return Verdict(violations + unplaced, _claimed_end(schedule))

    violations += maps.lost() + reduces.lost() + _forbidden(instance, maps)
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        exact, at_once = np.zeros(len(maps.time)), np.zeros(len(instance.job_names))
        done = _Timing(maps, _map_setups(instance, maps), at_once, exact)
        phase_end = at_once.copy()
        np.maximum.at(phase_end, maps.job, done.until)
        setup, blur = _reduce_setups(instance, maps, reduces)
        last = _Timing(reduces, setup, phase_end, blur)
        makespan = max(done.makespan, last.makespan)
        slack = RELATIVE_TOLERANCE * makespan + float(blur.max(initial=0.0)) + SMALLEST
        agrees = np.isfinite(makespan) and abs(schedule.makespan - makespan) <= slack
    violations += done.violations + last.violations
    if not agrees:
        violations.append(
            f"makespan is {makespan:.12g}, the schedule says {schedule.makespan:.12g}"
        )
    return Verdict(violations, makespan)


class _Side:
    """One phase of the schedule beside the instance's data for it.

    `job`, `number` (within the job) and `time` (s, on a slot of factor 1) have one entry per task,
    `node` and `is_lost` one per slot, `factor` one per job and slot; None if there are none.
    """

    def __init__(
        self,
        phase: str,
        instance: Instance,
        rows: PhaseSchedule,
        offsets: IntArray,
        time: FloatArray,
        slots: IntArray,
        is_lost: BoolArray | None,
        factor: FloatArray | None,
    ) -> None:
        self.phase, self.rows, self.time = phase, rows, time
        self.is_lost, self.factor = is_lost, factor
        self.job_names, self.node_names = instance.job_names, instance.cluster.node_names
        self.job = np.repeat(np.arange(len(self.job_names)), np.diff(offsets))
        self.number = np.arange(len(time)) - offsets[self.job]
        self.node = np.repeat(np.arange(len(self.node_names)), slots)

    def name(self, task: int) -> str:
        return f"job {self.job_names[self.job[task]]!r} {self.phase} task {self.number[task]}"

    def unplaced(self) -> list[str]:
        """Tasks without a slot of the cluster or without a start."""
        slot, start = self.rows.slot, self.rows.start
        violations = [f"{self.name(t)} is not scheduled" for t in np.flatnonzero(slot < 0).tolist()]
        violations += [
            f"{self.name(t)} is on {self.phase} slot {slot[t]}, the cluster has {len(self.node)}"
            for t in np.flatnonzero(slot >= len(self.node)).tolist()
        ]
        violations += [
            f"{self.name(t)} has no finite start"
            for t in np.flatnonzero((slot >= 0) & ~np.isfinite(start)).tolist()
        ]
        return violations

    def lost(self) -> list[str]:
        """Tasks on lost slots."""
        if self.is_lost is None:
            return []
        slot = self.rows.slot
        return [
            f"{self.name(t)} is on {self.phase} slot {slot[t]}, which is lost"
            for t in np.flatnonzero(self.is_lost[slot]).tolist()
        ]

    def processing(self) -> FloatArray:
        """How long each task runs on its slot (s)."""
        if self.factor is None:
            return self.time
        times: FloatArray = self.time * self.factor[self.job, self.rows.slot]
        return times


def _sides(instance: Instance, schedule: Schedule) -> tuple[_Side, _Side]:
    cluster, outages, factors = instance.cluster, instance.outages, instance.speed_factors
    maps = _Side(
        "map",
        instance,
        schedule.map,
        instance.map_offsets,
        instance.map_processing,
        cluster.map_slots,
        None if outages is None else outages.map,
        None if factors is None else factors.map,
    )
    reduces = _Side(
        "reduce",
        instance,
        schedule.reduce,
        instance.reduce_offsets,
        instance.reduce_processing,
        cluster.reduce_slots,
        None if outages is None else outages.reduce,
        None if factors is None else factors.reduce,
    )
    return maps, reduces


def _forbidden(instance: Instance, maps: _Side) -> list[str]:
    """Map tasks on slots that their priority forbids."""
    if instance.security is None:
        return []
    slot = maps.rows.slot
    allowed = instance.security.priorities[np.arange(len(slot)), slot]
    return [
        f"{maps.name(t)} is on map slot {slot[t]}, its priority forbids that"
        for t in np.flatnonzero(~allowed).tolist()
    ]


def _map_setups(instance: Instance, maps: _Side) -> FloatArray:
    """Setup time of each map task (s): it reads its input from the cheapest of its replicas.

    Input without a replica is read at the remote rate; with security, encrypted.
    """
    cluster, secure = instance.cluster, instance.security
    offsets, holder = instance.replica_offsets, instance.replicas
    copies = np.diff(offsets)
    slot = np.repeat(maps.rows.slot, copies)
    node = np.repeat(maps.node[maps.rows.slot], copies)
    on_node = node == holder
    read = np.flatnonzero(copies)
    first = offsets[read]
    if secure is None:
        rates = cluster.rates
        rate = np.full(len(maps.time), rates.remote)
        rack = cluster.rack_of
        near = np.where(rack[node] == rack[holder], rates.rack, rates.remote)
        if read.size:
            best = np.maximum.reduceat(np.where(on_node, rates.node, near), first)
            rate[read] = np.maximum(rate[read], best)
        setups: FloatArray = instance.input_mb / rate
        return setups
    moved = 1 / secure.transfer_rate
    encrypted = moved + 1 / secure.encryption_rate
    per_mb = np.full(len(maps.time), encrypted)
    cost = np.where(secure.levels[holder, slot] == 1, moved, encrypted)
    if read.size:
        least = np.minimum.reduceat(np.where(on_node, 0.0, cost), first)
        per_mb[read] = np.minimum(per_mb[read], least)
    setups = instance.input_mb * per_mb
    return setups


def _reduce_setups(
    instance: Instance, maps: _Side, reduces: _Side
) -> tuple[FloatArray, FloatArray]:
    """Setup time of each reduce task (s), and its possible rounding error (s).

    A reduce task reads its part of the job's output from where the map tasks ran; with security all
    of it at one rate.
    """
    cluster, job = instance.cluster, reduces.job
    count = np.bincount(job, minlength=len(instance.job_names))
    part = (instance.output_ratio / np.maximum(count, 1))[maps.job] * instance.input_mb
    ran = maps.node[maps.rows.slot]
    runs = reduces.node[reduces.rows.slot]
    rack = cluster.rack_of
    output = np.zeros(len(count))
    np.add.at(output, maps.job, part)
    all_of_it = output[job]
    if instance.security is not None:
        return all_of_it / instance.security.transfer_rate, np.zeros(len(job))
    on_node = _sums(maps.job, ran, part, job, runs)
    in_rack = _sums(maps.job, rack[ran], part, job, rack[runs])
    rates = cluster.rates
    setups: FloatArray = (
        on_node / rates.node
        + np.maximum(in_rack - on_node, 0.0) / rates.rack
        + np.maximum(all_of_it - in_rack, 0.0) / rates.remote
    )
    blur: FloatArray = READ_ROUNDING * all_of_it / rates.remote
    return setups, blur


def _sums(
    job: IntArray, place: IntArray, amount: FloatArray, of_job: IntArray, at_place: IntArray
) -> FloatArray:
    """For each pair of a job and a place: how much of the job's amounts is there."""
    if not len(job):
        return np.zeros(len(of_job))
    places = 1 + max(int(place.max(initial=0)), int(at_place.max(initial=0)))
    keys, group = np.unique(job * places + place, return_inverse=True)
    wanted = of_job * places + at_place
    total = np.bincount(group, amount)
    at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    sums: FloatArray = np.where(keys[at] == wanted, total[at], 0.0)
    return sums


class _Timing:
    """One phase timed with true setup times: its violations, its makespan, the end of each task.

    `phase_end` (s) is the end of each job's phase before this one, `blur` (s) the possible rounding
    error of each task's setup time. `until` counts what a task exceeds within the tolerance, on to
    the tasks behind it; a task that exceeds more is reported once and then accepted where it is.
    """

    def __init__(
        self, side: _Side, setup: FloatArray, phase_end: FloatArray, blur: FloatArray
    ) -> None:
        self.side = side
        release = phase_end[side.job]
        start, processing = side.rows.start, side.processing()
        end = start + setup + processing
        tolerance = RELATIVE_TOLERANCE * np.maximum(np.abs(start), np.abs(end)) + blur + SMALLEST
        self.makespan = float(end.max(initial=0.0))
        early = start < release - tolerance
        self.violations = [
            f"{side.name(t)} starts at {start[t]:.12g}, before {_release_words(release[t])}"
            for t in np.flatnonzero(early).tolist()
        ]
        self._compare("setup", side.rows.setup, setup, RELATIVE_TOLERANCE * setup + blur + SMALLEST)
        self._compare("end", side.rows.end, end, tolerance)
        released = np.where(early, start, np.maximum(start, release))
        self.until = self._one_after_another(end, released, setup, processing, tolerance)

    def _compare(
        self, what: str, claimed: FloatArray, true: FloatArray, tolerance: FloatArray
    ) -> None:
        right = np.isfinite(true) & (np.abs(claimed - true) <= tolerance)
        self.violations += [
            f"{self.side.name(t)}: {what} is {true[t]:.12g}, the schedule says {claimed[t]:.12g}"
            for t in np.flatnonzero(~right).tolist()
        ]

    def _one_after_another(
        self,
        end: FloatArray,
        released: FloatArray,
        setup: FloatArray,
        processing: FloatArray,
        tolerance: FloatArray,
    ) -> FloatArray:
        side, slot, start = self.side, self.side.rows.slot, self.side.rows.start
        order = np.lexsort((end, start, slot))
        columns = (slot, start, released, setup, processing, tolerance)
        until = [0.0] * len(start)
        held, free, holder = -1, 0.0, -1
        for task, on, claimed, begin, wait, work, slack in zip(
            order.tolist(), *(values[order].tolist() for values in columns), strict=True
        ):
            if on != held:
                held, free, holder = on, -np.inf, -1
            if claimed < free - slack:
                self.violations.append(
                    f"{side.name(task)} starts at {claimed:.12g} on a {side.phase} slot of node "
                    f"{side.node_names[side.node[on]]!r} that {side.name(holder)} holds until "
                    f"{free:.12g}"
                )
            elif begin < free:
                begin = free
            done = until[task] = begin + wait + work
            # The latest end so far, not the predecessor's: a long task may cover several.
            if done > free:
                free, holder = done, task
        return np.array(until)


def _release_words(release: float) -> str:
    return f"the end of its job's map phase ({release:.12g})" if release > 0 else "time 0"


def _claimed_end(schedule: Schedule) -> float:
    ends = np.concatenate((schedule.map.end, schedule.reduce.end))
    return float(np.max(ends[np.isfinite(ends)], initial=0.0))
