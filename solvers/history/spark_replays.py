"""Replays of a Spark application without some of the causes, in the order of the run."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np

from ...core.arrays import IntArray
from ...instances.history.stage_graph import StageGraph
from .replay import EventGraph, Replay, replay
from .steps import FAILED, Cause

IDLE = ("idle slots", "a slot was free and the task could start, and did not")
DRIVER = ("driver", "time between jobs in which the program asked for nothing")
DELAY = ("scheduler delay", "what tasks took beyond reading, running and writing")
LATE = ("executors late", "all executors from the first moment to the last")


@dataclass(frozen=True, eq=False)
class SparkReplays:
    """The event graph of an application, and the graphs without each part of the platform."""

    nodes: EventGraph
    platform: dict[Cause, StageGraph]

    @property
    def causes(self) -> tuple[Cause, ...]:
        """What can be taken away."""
        return (FAILED, IDLE, *self.platform)

    def with_time(self, time: IntArray) -> SparkReplays:
        """The run with other times of the attempts (ms), none longer."""
        return replace(self, nodes=self.nodes.with_time(time))

    def replayed(self, gone: Collection[Cause] = ()) -> Replay:
        """The attempts without these causes."""
        nodes = self.nodes
        keep = nodes.counts | nodes.fixed if FAILED in gone else None
        if DRIVER in gone:
            nodes = replace(nodes, graph=self.platform[DRIVER])
        if DELAY in gone:
            tasks = self.platform[DELAY].tasks
            time = np.where(
                nodes.counts, np.minimum(nodes.time, tasks.time[nodes.task]), nodes.time
            )
            nodes = nodes.with_time(time)
        if LATE in gone:
            nodes = replace(nodes, since=np.minimum(nodes.since, 0))
        return replay(nodes, keep, lags=IDLE not in gone)

    def ends(self, gone: Collection[Cause] = ()) -> IntArray:
        """Ends of the jobs (ms) without these causes."""
        return self.replayed(gone).job_end
