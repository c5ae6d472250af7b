"""TBS and TBS-L of [LJR]: longest map task of all jobs first, then each slot regrouped by job."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ....core.wording import listed, seconds, sentences
from ....heuristics.mapreduce.list_scheduling.orders import OMEGA, Omega, map_lengths
from ....heuristics.mapreduce.list_scheduling.placement import FINISHING, LOCAL, with_reduces
from ....instances.mapreduce.instance import Instance
from ....instances.mapreduce.processing import map_times
from ....instances.mapreduce.schedule import PhaseSchedule
from ..record import Candidate, Fact, Row, Step, Steps
from .job_orders import johnson_step
from .list_scheduling import Placing, longest_first, tasks_of
from .slots import MOST_CANDIDATES, Slots, check_small


def tbs(instance: Instance, *, omega: Omega = OMEGA) -> Steps:
    """Steps of TBS ([LJR], Algorithm 3)."""
    return _task_based("TBS", instance, omega, FINISHING)


def tbs_local(instance: Instance, *, omega: Omega = OMEGA) -> Steps:
    """Steps of TBS-L ([LJR], section 4.4)."""
    return _task_based("TBS-L", instance, omega, LOCAL)


def _task_based(method: str, instance: Instance, omega: float, rule: int) -> Steps:
    check_small(method, instance)
    slots = Slots(instance, without_lost=True)
    instance = slots.instance
    lengths = map_lengths(instance).tolist()
    longest = longest_first(lengths, range(instance.map_tasks))
    jobs, by_johnson = johnson_step(instance, omega)
    by_job = [t for i in jobs for t in longest_first(lengths, tasks_of(instance.map_offsets, i))]

    placing = Placing(slots, _longest_step(slots, longest, lengths))
    maps = placing.maps(longest, rule)
    regrouping = _Regrouping(slots, maps, longest, by_job)
    text = f"Every slot now regroups its tasks by job. {by_johnson.text}"
    removes, rows = regrouping.unmoved()
    placing.steps.append(replace(by_johnson, text=text, removes=removes, rows=rows))
    placing.steps += regrouping.moves()
    return placing.finished(method, regrouping.phase, FINISHING)


def _longest_step(slots: Slots, order: Sequence[int], lengths: Sequence[float]) -> list[Step]:
    if not order:
        return []
    text = ["Map tasks are placed longest first, whatever their job; reading counts as if local"]
    if len(order) > 1:
        a, b = order[:2]
        text.append(
            f"{slots.task('map', a)} takes {seconds(lengths[a])}, {slots.task('map', b)} "
            + (
                "as long, and has the higher number"
                if lengths[a] == lengths[b]
                else f"comes next with {seconds(lengths[b])}"
            )
        )
    shown = order[: 8 * MOST_CANDIDATES]
    return [
        Step(
            kind="order",
            title="Map tasks of all jobs, longest first",
            rule="LPT",
            text=sentences(*text),
            candidates=tuple(
                Candidate(None, slots.task("map", t), {"length": lengths[t]}) for t in shown
            ),
            loser=1 if len(order) > 1 else None,
            left_out=len(order) - len(shown),
        )
    ]


class _Regrouping:
    """The map tasks on their slots, before and after they are regrouped by job.

    `slots`: names and lanes.
    `maps`: the map phase as it was placed.
    `placed`: the tasks in the order of their placement, which is that of their bars.
    `by_job`: the tasks in the order of the jobs.
    """

    def __init__(
        self, slots: Slots, maps: PhaseSchedule, placed: Sequence[int], by_job: Sequence[int]
    ) -> None:
        self.slots, self.instance, self.before = slots, slots.instance, maps
        self.bar = {task: k for k, task in enumerate(placed)}
        times = map_times(self.instance, maps.slot).tolist()
        free = [0.0] * len(self.instance.cluster.map_slot_node)
        start, end = maps.start.copy(), maps.end.copy()
        self.old: dict[int, list[int]] = {}
        self.new: dict[int, list[int]] = {}
        for task in placed:
            self.old.setdefault(int(maps.slot[task]), []).append(task)
        for task in by_job:
            k = int(maps.slot[task])
            self.new.setdefault(k, []).append(task)
            start[task] = free[k]
            free[k] = end[task] = free[k] + float(maps.setup[task]) + times[task]
        self.phase = PhaseSchedule(maps.slot, start, maps.setup, end)

    def unmoved(self) -> tuple[tuple[int, ...], tuple[Row, ...]]:
        """Bars of slots that keep their order but, by rounding, not the last digit of their times.

        These are drawn anew without a step of their own.
        """
        tasks = [
            task
            for slot, order in self.new.items()
            if order == self.old[slot]
            for task in order
            if (self.before.start[task], self.before.end[task])
            != (self.phase.start[task], self.phase.end[task])
        ]
        return self._drawn_again(tasks)

    def moves(self) -> list[Step]:
        """A step for each slot whose order changes."""
        start, end = self.before.start.copy(), self.before.end.copy()
        steps = []
        makespan = self._makespan(self.before)
        for slot in sorted(self.new):
            order = self.new[slot]
            if order == self.old[slot]:
                continue
            start[order], end[order] = self.phase.start[order], self.phase.end[order]
            so_far = PhaseSchedule(self.phase.slot, start.copy(), self.phase.setup, end.copy())
            after = self._makespan(so_far)
            steps.append(self._move(slot, makespan, after))
            makespan = after
        return steps

    def _makespan(self, maps: PhaseSchedule) -> float:
        """The makespan if the reduce tasks were placed now."""
        return with_reduces(self.instance, maps, FINISHING).makespan

    def _move(self, slot: int, before: float, after: float) -> Step:
        slots, lane = self.slots, self.slots.lane("map", slot)
        name, tasks = slots.lanes[lane], self.new[slot]
        old = listed([slots.task("map", t) for t in self.old[slot]])
        new = listed([slots.task("map", t) for t in tasks])
        facts: dict[str, Fact] = {}
        text = [f"Placed longest first, {name} runs {old}; by Johnson's order {new}"]
        text += self._gains(slot, facts)
        text.append(_compared(before, after, facts))
        removes, rows = self._drawn_again(tasks)
        return Step(
            kind="move",
            title=f"{name} regroups its tasks by job",
            rule="by job, in Johnson's order",
            text=sentences(*text),
            candidates=(
                Candidate(lane, "as placed", {"order": old, "makespan": before}),
                Candidate(lane, "by job", {"order": new, "makespan": after}),
            ),
            chosen=1,
            loser=0,
            facts=facts,
            removes=removes,
            rows=rows,
        )

    def _gains(self, slot: int, facts: dict[str, Fact]) -> list[str]:
        """Which job gains most on a slot, and which is delayed most."""
        last: dict[int, tuple[float, float]] = {}
        for task in self.new[slot]:
            job = self.slots.job("map", task)
            old, new = last.get(job, (0.0, 0.0))
            ends = float(self.before.end[task]), float(self.phase.end[task])
            last[job] = max(old, ends[0]), max(new, ends[1])
        lines = []
        names = self.instance.job_names
        gains = min(last, key=lambda i: (last[i][1] - last[i][0], i))
        pays = max(last, key=lambda i: (last[i][1] - last[i][0], -i))
        for job, what, verb in ((gains, "sooner", "gains"), (pays, "later", "is delayed")):
            by = last[job][1] - last[job][0]
            if (by < 0) == (what == "sooner") and by:
                facts[what], facts[f"{what} at"] = abs(by), last[job][1]
                lines.append(
                    f"{names[job]} {verb}: its last map task here ends at "
                    f"{seconds(last[job][1])}, {seconds(abs(by))} {what}"
                )
        return lines

    def _drawn_again(self, tasks: Sequence[int]) -> tuple[tuple[int, ...], tuple[Row, ...]]:
        """Bars taken away and drawn again."""
        phase = self.phase
        rows = tuple(
            self.slots.row(
                "map",
                task,
                int(phase.slot[task]),
                (float(phase.start[task]), float(phase.setup[task]), float(phase.end[task])),
            )
            for task in tasks
        )
        return tuple(self.bar[task] for task in tasks), rows


def _compared(before: float, after: float, facts: dict[str, Fact]) -> str:
    """The makespan with and without a slot's regrouping."""
    text = f"If the reduce tasks were placed now, the makespan would be {seconds(after)}"
    if after == before:
        return f"{text}, as it would be without"
    facts["difference"] = abs(after - before)
    if after < before:
        return f"{text}, {seconds(before - after)} less than without"
    return f"{text}, {seconds(after - before)} more than without: TBS regroups all the same"
