"""Stages of a Spark log and the arcs between them, through stages that were skipped."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

import numpy as np

from ....core.arrays import IntArray
from ....core.wording import plural
from ..run import UNKNOWN, Outcome, Stage
from .events import EventLog


@dataclass(frozen=True)
class StageTimes:
    """First launch and last success of each stage that ran (ms), by its number."""

    first: dict[int, int]
    last: dict[int, int]


@dataclass
class Arcs:
    """Stages that come before each stage, by number, and how they were found."""

    parents: dict[int, tuple[int, ...]] = field(default_factory=dict)
    assumed: dict[int, tuple[int, ...]] = field(default_factory=dict)
    skipped: int = 0
    unknown: int = 0

    def notes(self) -> list[str]:
        """How they were found, in sentences."""
        told = []
        if self.skipped:
            told.append(
                f"{plural(self.skipped, 'arc')} through skipped stages, found by what they compute"
            )
        if self.unknown:
            told.append(
                f"{plural(self.unknown, 'parent')} of stages unknown: no arc, so bounds stay valid"
            )
        if self.assumed:
            told.append(
                f"parents of {plural(len(self.assumed), 'stage')} not logged: assumed are the "
                "stages of the job that had ended before"
            )
        return told


def stage_times(stage: IntArray, start: IntArray, end: IntArray, outcome: IntArray) -> StageTimes:
    """When stages began and ended; all arrays of shape (attempts,)."""
    numbers, place = np.unique(stage, return_inverse=True)
    first = np.full(len(numbers), np.iinfo(np.int64).max)
    last = np.full(len(numbers), UNKNOWN)
    np.minimum.at(first, place, start)
    done = outcome == Outcome.SUCCESS
    np.maximum.at(last, place[done], end[done])
    known = numbers.tolist()
    return StageTimes(
        dict(zip(known, first.tolist(), strict=True)), dict(zip(known, last.tolist(), strict=True))
    )


def arcs_between(log: EventLog, times: StageTimes, job_of: dict[int, int]) -> Arcs:
    """The arcs between the stages that ran.

    A stage whose output is still there is skipped, under a number of its own: what ran is the stage
    that computes the same RDDs. Spark numbers parents before their children.
    """
    arcs = Arcs()
    twins: dict[bytes, list[int]] = defaultdict(list)
    of_job: dict[int, list[int]] = defaultdict(list)
    for number in sorted(times.first):
        if number in log.stages and log.stages[number].rdds:
            twins[log.stages[number].rdds].append(number)
        of_job[job_of.get(number, UNKNOWN)].append(number)
    for number, first in times.first.items():
        seen = log.stages.get(number)
        if seen is None or seen.parents is None:
            if job_of.get(number, UNKNOWN) != UNKNOWN:
                before = tuple(
                    other
                    for other in of_job[job_of[number]]
                    if other < number and times.last[other] <= first
                )
                if before:
                    arcs.assumed[number] = before
            continue
        found = set()
        for parent in seen.parents:
            ran = parent if parent in times.first else _twin(log, twins, parent, number, times)
            if ran is None or ran >= number:
                arcs.unknown += 1
            else:
                arcs.skipped += ran != parent
                found.add(ran)
        arcs.parents[number] = tuple(sorted(found))
    return arcs


def _twin(
    log: EventLog, twins: dict[bytes, list[int]], parent: int, child: int, times: StageTimes
) -> int | None:
    """The stage that computed what a skipped one would have: the last to end before the child."""
    skipped = log.stages.get(parent)
    if skipped is None or not skipped.rdds:
        return None
    ran = [
        other
        for other in twins.get(skipped.rdds, ())
        if other < child and UNKNOWN < times.last[other] <= times.first[child]
    ]
    return max(ran, key=lambda other: times.last[other], default=None)


def stages_of(
    log: EventLog, arcs: Arcs, job_of: dict[int, int], counts: dict[int, int], origin: int
) -> tuple[Stage, ...]:
    """The stages that ran, by number; jobs are positions."""
    position = {number: k for k, number in enumerate(sorted(counts))}
    stages = []
    for number in position:
        seen = log.stages.get(number)
        name = seen.name if seen else ""
        submitted = seen.submitted if seen else None
        stages.append(
            Stage(
                f"{number} {name}".strip(),
                job_of.get(number, UNKNOWN),
                0,
                "stage",
                counts[number],
                tuple(position[other] for other in arcs.parents.get(number, ())),
                tuple(position[other] for other in arcs.assumed.get(number, ())),
                UNKNOWN if submitted is None else max(submitted - origin, 0),
            )
        )
    return tuple(stages)
