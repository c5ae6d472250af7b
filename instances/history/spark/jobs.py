"""Jobs of a Spark log, and which of them each stage belongs to."""

from __future__ import annotations

from ..run import UNKNOWN, Job
from .events import EventLog, JobSeen
from .stages import StageTimes

NO_TIMES = "job without any time"


def jobs_of(log: EventLog, times: StageTimes) -> tuple[list[Job], dict[int, int]]:
    """Jobs by number, with times of the log, and the position of each stage's job.

    A stage that several jobs name belongs to the first. Old logs tell no times of jobs: then those
    of their stages count.
    """
    job_of: dict[int, int] = {}
    jobs: list[Job] = []
    for number, seen in sorted(log.jobs.items()):
        own = [stage for stage in seen.stages if stage in log.stages or stage in times.first]
        begins = [log.stages[stage].submitted for stage in own if stage in log.stages]
        begins += [times.first.get(stage) for stage in own]
        submitted = seen.submitted or min((t for t in begins if t is not None), default=None)
        if submitted is None:
            log.dropped[NO_TIMES] += 1
            continue
        for stage in own:
            job_of.setdefault(stage, len(jobs))
        jobs.append(
            Job(
                str(number),
                0,
                submitted,
                ended=_ended(seen, [times.last.get(stage, UNKNOWN) for stage in own]),
                user=log.application.get("user", ""),
                queue=seen.queue,
                group=seen.group,
                succeeded=seen.succeeded,
            )
        )
    return jobs, job_of


def _ended(seen: JobSeen, ends: list[int]) -> int:
    if seen.ended is not None:
        return seen.ended
    return max(ends, default=UNKNOWN) if seen.succeeded is not None else UNKNOWN
