"""A part of a run: jobs of some time or queue, whole; all else stays where it was."""

from __future__ import annotations

from dataclasses import dataclass, replace

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
        ),
    )


def _takes(window: Window, submitted: float, queue: str) -> bool:
    return (
        (window.since is None or submitted >= window.since)
        and (window.until is None or submitted < window.until)
        and (window.queue is None or queue == window.queue)
    )
