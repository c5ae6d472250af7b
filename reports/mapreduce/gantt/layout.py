"""What a Gantt chart shows, before anything is drawn: rows, bars, colours, marks and texts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

import numpy as np

from ....core.arrays import BoolArray, FloatArray, IntArray
from ....core.parameters import described
from ....core.wording import percent, seconds
from ....instances.mapreduce.instance import Instance
from ....instances.mapreduce.schedule import Schedule, check_tasks
from ....instances.mapreduce.setups import encryption_times
from ...page import LIGHT
from .colours import job_colours

LowerBound = Annotated[float | None, described("Lower bound (s), marked by a dashed line.")]
BoundName = Annotated[str, described("What proved it.")]
Title = Annotated[str, described("Title, by default the instance's name.")]

NODE_GAP = 0.5
"""Space between two nodes, in rows."""
BAR_HEIGHT = 0.8
"""Height of a bar, in rows."""
MAP_TINT, REDUCE_TINT, LOST_TINT = (LIGHT[ground] for ground in ("map", "reduce", "lost"))
OPTIMAL = 1e-6
"""Relative gap up to which makespan and bound count as equal."""


@dataclass(frozen=True, eq=False)
class Rows:
    """The slots from top to bottom: node by node, map slots above reduce slots."""

    y: FloatArray
    """Centre of each row, downwards, row height 1."""
    node: IntArray
    """Number of its node in the cluster."""
    is_reduce: np.ndarray
    """Whether it is a reduce slot."""
    slot: IntArray
    """Number of the slot within node and phase."""
    lost: BoolArray
    """Whether an outage took it."""
    node_names: tuple[str, ...]

    @property
    def bottom(self) -> float:
        """Lower edge of the last row."""
        return float(self.y.max(initial=0.0)) + 0.5

    @cached_property
    def blocks(self) -> list[tuple[int, int]]:
        """First and last row of each node that has a slot."""
        first = np.flatnonzero(np.diff(self.node, prepend=-1))
        last = np.append(first[1:], len(self.node)) - 1
        return list(zip(first.tolist(), last.tolist(), strict=True)) if len(self.node) else []

    def bands(self) -> list[tuple[float, float, bool]]:
        """Top and bottom of each node's map rows and of its reduce rows; True for the latter."""
        bands = []
        for first, last in self.blocks:
            middle = first + int((~self.is_reduce[first : last + 1]).sum())
            for a, b, reduce in ((first, middle, False), (middle, last + 1, True)):
                if a < b:
                    bands.append((float(self.y[a]) - 0.5, float(self.y[b - 1]) + 0.5, reduce))
        return bands

    def lost_bands(self) -> list[tuple[float, float]]:
        """Top and bottom of each run of lost rows within a node."""
        bands = []
        for first, last in self.blocks:
            change = np.diff(self.lost[first : last + 1], prepend=False, append=False)
            for a, b in np.flatnonzero(change).reshape(-1, 2) + first:
                bands.append((float(self.y[a]) - 0.5, float(self.y[b - 1]) + 0.5))
        return bands

    def row_labels(self) -> list[str]:
        """A label for every row; a node's first row carries the node's name."""
        labels = []
        for first, last in self.blocks:
            reduce = self.is_reduce[first : last + 1]
            for k in range(first, last + 1):
                phase = "reduce" if self.is_reduce[k] else "map"
                alone = (reduce == self.is_reduce[k]).sum() == 1
                label = phase if alone else f"{phase} {self.slot[k]}"
                label += " (lost)" if self.lost[k] else ""
                labels.append(f"{self.node_label(k)}  {label}" if k == first else label)
        return labels

    def block_label(self, first: int, last: int) -> str:
        """The node's name, and whether all of its slots are lost or how many."""
        lost, slots = int(self.lost[first : last + 1].sum()), last + 1 - first
        part = "" if not lost else " (lost)" if lost == slots else f" ({lost} of {slots} lost)"
        return self.node_label(first) + part

    def node_label(self, row: int) -> str:
        return shortened(self.node_names[self.node[row]], 24)

    def ticks(
        self, points_per_row: float, points_per_label: float
    ) -> tuple[list[float], list[str]]:
        """Positions and labels that fit: every row, else the nodes, else nodes as room permits."""
        if points_per_row >= points_per_label:
            return self.y.tolist(), self.row_labels()
        places: list[float] = []
        labels: list[str] = []
        for first, last in self.blocks:
            place = float(self.y[first] + self.y[last]) / 2
            if not places or (place - places[-1]) * points_per_row >= points_per_label:
                places.append(place)
                labels.append(self.block_label(first, last))
        return places, labels


@dataclass(frozen=True, eq=False)
class Bars:
    """The scheduled tasks, sorted by row and start; times in s."""

    row: IntArray
    """Row of each task."""
    job: IntArray
    """Job of each task."""
    task: IntArray
    """Number within job and phase."""
    start: FloatArray
    """Start of the setup."""
    encryption: FloatArray
    """Duration of the first part of the setup, which encrypts."""
    setup: FloatArray
    """Setup time; what is not encryption moves the data."""
    end: FloatArray
    """End of the processing."""
    factor: FloatArray | None
    """The slot's speed factor for the job, None if the instance has none."""

    def parts(self) -> list[tuple[str, FloatArray, FloatArray]]:
        """Name, start and end of the parts of each bar; encryption only if there is any."""
        begin = np.minimum(self.start + self.setup, self.end)
        moved = np.minimum(self.start + self.encryption, begin)
        parts = [("setup", moved, begin), ("processing", begin, self.end)]
        return [("encryption", self.start, moved), *parts] if self.encryption.any() else parts

    def kinds(self) -> list[str]:
        """Names of the parts in the order of legends."""
        known = ["processing", "setup", "encryption"]
        return known if self.encryption.any() else known[:2]

    def __len__(self) -> int:
        return len(self.row)


@dataclass(frozen=True)
class Mark:
    """A vertical line."""

    time: float
    """Its time (s)."""
    label: str
    dashed: bool
    """Whether it is dashed."""


@dataclass(frozen=True, eq=False)
class Chart:
    """Everything that both kinds of picture need."""

    title: str
    summary: str
    """A line below it."""
    job_names: tuple[str, ...]
    colours: list[str]
    """One `#rrggbb` per job."""
    rows: Rows
    """The slots."""
    bars: Bars
    """The tasks."""
    marks: list[Mark]
    """Vertical lines."""

    @property
    def horizon(self) -> float:
        """Right end of the time axis (s) before margins; positive."""
        latest = max((mark.time for mark in self.marks), default=0.0)
        return max(latest, float(self.bars.end.max(initial=0.0))) or 1.0

    @cached_property
    def jobs_shown(self) -> list[int]:
        """Jobs with at least one bar."""
        return [int(job) for job in np.unique(self.bars.job)]

    def task_label(self, bar: int) -> str:
        return f"{shortened(self.job_names[self.bars.job[bar]], 16)}·{self.bars.task[bar]}"


def chart(
    instance: Instance,
    schedule: Schedule,
    lower_bound: float | None = None,
    bound: str = "",
    title: str = "",
) -> Chart:
    """Lay out a schedule.

    `lower_bound`: lower bound (s) to mark, or None.
    `title`: title, by default the instance's name.
    Raises `InputError` if the schedule cannot belong to the instance.
    """
    rows = _rows(instance)
    bars = _bars(instance, schedule, rows)
    known = None if lower_bound is None or not math.isfinite(lower_bound) else float(lower_bound)
    tasks = instance.map_tasks + instance.reduce_tasks
    return Chart(
        title=shortened(title or instance.name or "schedule", 80),
        summary=_summary(schedule.makespan, known, bound, tasks - len(bars)),
        job_names=instance.job_names,
        colours=job_colours(instance.jobs),
        rows=rows,
        bars=bars,
        marks=_marks(schedule.makespan, known, bound),
    )


def _rows(instance: Instance) -> Rows:
    cluster = instance.cluster
    node = np.concatenate((cluster.map_slot_node, cluster.reduce_slot_node))
    is_reduce = np.repeat(
        [False, True], [len(cluster.map_slot_node), len(cluster.reduce_slot_node)]
    )
    slot = np.concatenate([phase.slot_number for phase in instance.phases])
    order = np.lexsort((slot, is_reduce, node))
    node = node[order]
    gaps = np.cumsum(np.diff(node, prepend=node[:1]) > 0) * NODE_GAP
    y = np.arange(len(node)) + gaps + 0.5
    lost = np.concatenate([phase.lost for phase in instance.phases])
    return Rows(y, node, is_reduce[order], slot[order], lost[order], cluster.node_names)


def _bars(instance: Instance, schedule: Schedule, rows: Rows) -> Bars:
    check_tasks(instance, schedule, all_placed=False)
    parts = []
    for phase, part in zip(instance.phases, (schedule.map, schedule.reduce), strict=True):
        row_of = np.flatnonzero(rows.is_reduce == (phase.name == "reduce"))
        kept = np.flatnonzero((part.slot >= 0) & np.isfinite(part.start) & np.isfinite(part.end))
        setup = np.nan_to_num(np.maximum(part.setup[kept], 0.0))
        encryption = np.zeros(phase.tasks)
        if phase.name == "map":
            encryption = encryption_times(instance, np.maximum(part.slot, 0))
        slot, job = part.slot[kept], phase.job[kept]
        encryption = np.minimum(encryption[kept], setup)
        times = (part.start[kept], encryption, setup, part.end[kept])
        parts.append((row_of[slot], job, phase.number[kept], *times, phase.factors[job, slot]))
    row, job, task, start, encryption, setup, end, factor = (
        np.concatenate(pair) for pair in zip(*parts, strict=True)
    )
    order = np.lexsort((end, start, row))
    return Bars(
        row[order], job[order], task[order], start[order], encryption[order], setup[order],
        end[order], None if instance.speed_factors is None else factor[order],
    )  # fmt: skip


def _optimal(makespan: float, lower_bound: float | None) -> bool:
    return lower_bound is not None and abs(makespan - lower_bound) <= OPTIMAL * abs(lower_bound)


def _marks(makespan: float, lower_bound: float | None, bound: str) -> list[Mark]:
    if _optimal(makespan, lower_bound):
        return [Mark(makespan, f"makespan = bound {seconds(makespan)} (optimal)", False)]
    marks = [Mark(makespan, f"makespan {seconds(makespan)}", False)]
    if lower_bound is not None:
        name = f"bound {shortened(bound, 30)}" if bound else "lower bound"
        marks.insert(0, Mark(lower_bound, f"{name} {seconds(lower_bound)}", True))
    return marks


def _summary(makespan: float, lower_bound: float | None, bound: str, missing: int) -> str:
    parts = [f"makespan {with_hours(makespan)}"]
    if lower_bound is not None:
        name = f" by {shortened(bound, 40)}" if bound else ""
        parts.append(f"lower bound {with_hours(lower_bound)}{name}")
        if _optimal(makespan, lower_bound):
            parts.append("gap 0 %, optimal")
        elif lower_bound > 0:
            parts.append(f"gap {percent((makespan - lower_bound) / lower_bound)}")
    if missing:
        parts.append(f"{missing} tasks not scheduled")
    return "  |  ".join(parts)


def with_hours(time: float) -> str:
    """Seconds, from ten minutes on also in hours and minutes: `36 120 s (10 h 2 min)`."""
    minutes = round(time / 60)
    if minutes < 10:
        return seconds(time)
    parts = [f"{minutes // 60} h"] * (minutes >= 60) + [f"{minutes % 60} min"] * (minutes % 60 > 0)
    return f"{seconds(time)} ({' '.join(parts)})"


def shortened(text: str, most: int) -> str:
    """Text on one line, without its middle if it is too long."""
    line = " ".join(text.split())
    if len(line) <= most:
        return line
    tail = (most - 1) // 2
    return f"{line[: most - 1 - tail]}…{line[len(line) - tail :]}"
