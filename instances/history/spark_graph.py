"""A Spark application as a graph of stages, with one of three sets of arcs."""

from __future__ import annotations

from typing import Literal

import numpy as np

from ...core.arrays import IntArray
from .projection import Projection, contradicted, counted
from .run import UNKNOWN, Run
from .stage_graph import NO_POOL, Arcs, StageGraph, Tasks, arcs_of

Order = Literal["program", "without gaps", "data"]
"""Which arcs hold. `program`: stages after their parents, and each job after all jobs that had
ended before it was submitted, and the driver's time between. `without gaps`: the same without the
driver's time. `data`: stages after the parents that the log proves, and nothing else."""


def spark_graph(run: Run, order: Order = "program") -> Projection:
    """Project a run into a graph; the run is one of its plans.

    Time 0 is the first job's submission. With `data` the stages are the same, and jobs no nodes.
    """
    named = np.array([stage.job >= 0 for stage in run.stages], dtype=bool)
    of = counted(run, named)
    attempts = run.attempts
    shift = min(*(job.submitted for job in run.jobs), int(attempts.start[of.attempt].min()))
    start, end = attempts.start[of.attempt] - shift, attempts.end[of.attempt] - shift
    stage = attempts.stage[of.attempt]
    slots, capacity, slot = of.slots(run, shift)
    tasks = Tasks(
        stage,
        end - start,
        np.zeros_like(start),
        end - (of.held.until[of.attempt] - shift),
        of.attempt,
    )
    arcs, dropped = _data_arcs(run, tasks, start, end, proven=order == "data")
    release = np.zeros(len(run.stages), dtype=np.int64)
    pool = [s.pool for s in run.stages]
    names, owner = [s.name for s in run.stages], [s.job for s in run.stages]
    if order != "data":
        times = _JobTimes(run, shift, tasks, start, end)
        more, release = times.nodes(gaps=order == "program")
        arcs = arcs_of([*arcs.triples(), *more])
        for word in ("submission", "end"):
            names += [f"{word} of {job.name}" for job in run.jobs]
            owner += list(range(len(run.jobs)))
        pool += [NO_POOL] * (2 * len(run.jobs))
    jobs = len(run.jobs)
    graph = StageGraph(
        name=run.name,
        pools=run.pools,
        job_names=tuple(job.name for job in run.jobs),
        job_release=np.zeros(jobs, dtype=np.int64),
        job_weight=np.array([job.weight for job in run.jobs], dtype=float),
        stage_names=tuple(names),
        stage_job=np.array(owner, dtype=np.int64),
        stage_pool=np.array(pool, dtype=np.int64),
        stage_release=release,
        tasks=tasks,
        arcs=arcs,
        slots=slots,
        capacity=capacity,
    )
    return Projection(graph, start, slot, shift, dropped)


def driver_only(run: Run) -> int:
    """Time (ms) between the first submission and the last end in which no job is there."""
    times = sorted((job.submitted, _done(job.submitted, job.ended)) for job in run.jobs)
    alone, last = 0, times[0][1]
    for submitted, ended in times[1:]:
        alone += max(0, submitted - last)
        last = max(last, ended)
    return alone


def _done(submitted: int, ended: int) -> int:
    return submitted if ended == UNKNOWN else max(submitted, ended)


def _data_arcs(
    run: Run, tasks: Tasks, start: IntArray, end: IntArray, *, proven: bool
) -> tuple[Arcs, tuple[tuple[int, int], ...]]:
    """Arcs between stages, and those among them that the log contradicts, which are left out."""
    arcs = arcs_of(
        (parent, child, 0)
        for child, stage in enumerate(run.stages)
        for parent in stage.parents + (() if proven else stage.assumed_parents)
    )
    first = np.full(len(run.stages), np.iinfo(np.int64).max)
    last = np.full(len(run.stages), np.iinfo(np.int64).min)
    np.minimum.at(first, tasks.stage, start)
    np.maximum.at(last, tasks.stage, end)
    wrong = contradicted(arcs, first, last)
    dropped = tuple(zip(arcs.parent[wrong].tolist(), arcs.child[wrong].tolist(), strict=True))
    return Arcs(arcs.parent[~wrong], arcs.child[~wrong], arcs.lag[~wrong]), dropped


class _JobTimes:
    """When jobs were submitted and done (ms after the first submission), and what follows."""

    def __init__(self, run: Run, shift: int, tasks: Tasks, start: IntArray, end: IntArray) -> None:
        self.run = run
        job = np.array([stage.job for stage in run.stages], dtype=np.int64)[tasks.stage]
        self.submitted = np.array([j.submitted - shift for j in run.jobs], dtype=np.int64)
        np.minimum.at(self.submitted, job, start)
        self.last = self.submitted.copy()
        np.maximum.at(self.last, job, end)
        ended = np.array([_done(j.submitted, j.ended) - shift for j in run.jobs], dtype=np.int64)
        self.done = np.maximum(self.last, ended)

    def nodes(self, *, gaps: bool) -> tuple[list[tuple[int, int, int]], IntArray]:
        """Arcs of the jobs' submissions and ends as stages without tasks, and all releases (ms)."""
        stages, jobs = len(self.run.stages), len(self.run.jobs)
        release = np.zeros(stages + 2 * jobs, dtype=np.int64)
        arcs: list[tuple[int, int, int]] = []
        for s, stage in enumerate(self.run.stages):
            if stage.job >= 0:
                tail = int(self.done[stage.job] - self.last[stage.job]) if gaps else 0
                arcs.append((stages + stage.job, s, 0))
                arcs.append((s, stages + jobs + stage.job, tail))
        for j in range(jobs):
            tail = int(self.done[j] - self.last[j]) if gaps else 0
            arcs.append((stages + j, stages + jobs + j, tail))
            before = self._just_before(j)
            if len(before):
                gap = int(self.submitted[j] - self.done[before].max()) if gaps else 0
                arcs += [(stages + jobs + p, stages + j, gap) for p in before.tolist()]
            elif gaps:
                release[stages + j] = self.submitted[j]
        return arcs, release

    def _just_before(self, job: int) -> IntArray:
        """The jobs done before this one was submitted, but for those done before another of them.

        A job that is done the moment another is submitted comes before it only if it was submitted
        earlier, so that jobs of no length make no circle.
        """
        when = self.submitted[job]
        number = np.arange(len(self.done))
        before = (self.done <= when) & ((self.submitted < when) | (number < job))
        if not before.any():
            return np.array([], dtype=np.int64)
        last = self.submitted[before].max()
        return np.flatnonzero(before & ((self.done > last) | (self.submitted == last)))
