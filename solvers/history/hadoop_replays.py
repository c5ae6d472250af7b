"""Replays of a Hadoop history without some of the causes, in the order of the run."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ...core.arrays import BoolArray, IntArray
from ...instances.history.hadoop_graph import HadoopModel
from .replay import EventGraph, Replay, replay
from .steps import FAILED, Cause

WAIT = ("initialisation", "from a job's submission to its setup or master, beyond a heartbeat")
IDLE = ("idle slots", "a slot was free and the task could start, beyond a heartbeat")
SETUP = ("setup", "setup attempts, or the start-up of the master, before the maps")
AFTER = ("after the last task", "cleanup attempts, and the job's end after its last attempt")
BEAT = ("heartbeats", "start-up and heartbeats: the rest of each task's wait for a free slot")


@dataclass(frozen=True, eq=False)
class HadoopReplays:
    """The event graph of a history, whether each attempt is a setup or a cleanup, the time (ms)
    from each job's last attempt to its end, and the heartbeat (ms)."""

    nodes: EventGraph
    setup: BoolArray
    cleanup: BoolArray
    tail: IntArray
    beat: int

    causes: ClassVar[tuple[Cause, ...]] = (FAILED, WAIT, IDLE, SETUP, AFTER, BEAT)

    def ends(self, gone: Collection[Cause] = ()) -> IntArray:
        """Ends of the jobs (ms) without these causes."""
        return self.replayed(gone).job_end + self.tails(gone)

    def with_time(self, time: IntArray) -> HadoopReplays:
        """The run with other times of the attempts (ms), none longer."""
        return replace(self, nodes=self.nodes.with_time(time))

    def replayed(self, gone: Collection[Cause] = ()) -> Replay:
        """The attempts without these causes."""
        nodes = self.nodes
        keep = nodes.counts | nodes.fixed if FAILED in gone else np.ones_like(nodes.fixed)
        if SETUP in gone:
            keep &= ~self.setup
        if AFTER in gone:
            keep &= ~self.cleanup
        return replay(replace(nodes, lag=self.lags(gone)), keep)

    def lags(self, gone: Collection[Cause]) -> IntArray:
        """The lags (ms) that are left."""
        short = np.minimum(self.nodes.lag, self.beat)
        long = np.where(np.where(self.setup, WAIT in gone, IDLE in gone), 0, self.nodes.lag - short)
        return np.asarray(long if BEAT in gone else long + short)

    def tails(self, gone: Collection[Cause]) -> IntArray:
        """The times (ms) that are left from each job's last attempt to its end."""
        if AFTER in gone:
            return np.zeros_like(self.tail)
        return np.minimum(self.tail, self.beat) if IDLE in gone else self.tail


def hadoop_replays(model: HadoopModel, nodes: EventGraph, beat: int) -> HadoopReplays:
    """The replays of a model with a heartbeat (ms)."""
    kind = np.array([stage.kind for stage in model.run.stages])[nodes.stage]
    counts = nodes.counts
    return HadoopReplays(nodes, kind == "setup", counts & (kind == "cleanup"), model.tail, beat)
