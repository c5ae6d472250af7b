"""A part of a run: jobs of some time or queue, whole; all else stays where it was."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from ...core.errors import InputError
from ...core.wording import listed, number
from .run import Run


@dataclass(frozen=True)
class Window:
    """Jobs submitted from one time to another (s after the run's origin), of one queue."""

    since: float | None = None
    until: float | None = None
    queue: str | None = None

    @property
    def whole(self) -> bool:
        """Whether it takes every job."""
        return self.since is None and self.until is None and self.queue is None


def within(run: Run, window: Window) -> Run:
    """The run with the jobs of a window only. Raises `InputError` if there is none.

    Attempts of other jobs are of stages that no job names: schedules go around them, and bounds do
    not count them.
    """
    if window.whole:
        return run
    if run.framework == "spark":
        raise InputError(f"{run.name}: jobs of one application cannot be audited apart")
    kept = [k for k, job in enumerate(run.jobs) if _takes(window, job.submitted / 1000, job.queue)]
    if not kept:
        queues = sorted({job.queue for job in run.jobs if job.queue})
        hint = f"; queues: {listed(queues)}" if window.queue and queues else ""
        last = number(max(job.submitted for job in run.jobs) / 1000)
        raise InputError(f"{run.name}: no job was submitted then, the last at {last} s{hint}")
    position = {old: new for new, old in enumerate(kept)}
    return replace(
        run,
        jobs=tuple(run.jobs[k] for k in kept),
        stages=tuple(replace(s, job=position.get(s.job, -1)) for s in run.stages),
        notes=(
            *run.notes,
            f"{len(kept)} of {len(run.jobs)} jobs are judged; the others stay where they were.",
            *_cuts(run, window),
        ),
    )


def _cuts(run: Run, window: Window) -> Iterator[str]:
    """Where a window begins or ends while jobs run, and the nearest times at which none did."""
    busy, last = list(_busy(run)), max(job.submitted for job in run.jobs)
    for name, given in (("--from", window.since), ("--to", window.until)):
        time = None if given is None else given * 1000
        for begin, end in busy:
            if time is None or not begin < time < end:
                continue
            # Before the first job and after the last one there is nothing to judge apart.
            idle = [begin] * (begin > busy[0][0]) + [end] * (end <= last)
            where = f"{name}: jobs ran at {_seconds(time)} s, and plans go around what others do"
            offered = f"none ran at {listed(map(_seconds, idle))} s" if idle else "some always ran"
            yield f"{where}; {offered}"


def _busy(run: Run) -> Iterator[tuple[int, int]]:
    """The times (ms) from a job's submission to its end, those that overlap as one, in order."""
    ends = np.array([job.ended for job in run.jobs], dtype=np.int64)
    job = np.array([stage.job for stage in run.stages], dtype=np.int64)[run.attempts.stage]
    named = job >= 0
    np.maximum.at(ends, job[named], run.attempts.end[named])
    times = sorted(zip((job.submitted for job in run.jobs), ends.tolist(), strict=True))
    begin, last = times[0]
    for submitted, end in times[1:]:
        if submitted >= last:
            yield begin, last
            begin = submitted
        last = max(last, end)
    yield begin, last


def _seconds(time: float) -> str:
    """A time (ms) in seconds, exact: rounded it may cut a job after all."""
    return f"{time / 1000:.3f}".rstrip("0").rstrip(".")


def _takes(window: Window, submitted: float, queue: str) -> bool:
    return (
        (window.since is None or submitted >= window.since)
        and (window.until is None or submitted < window.until)
        and (window.queue is None or queue == window.queue)
    )
