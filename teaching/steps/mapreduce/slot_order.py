"""The tasks of a map slot get another order: bars and sentences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ....core.arrays import FloatArray
from ....instances.mapreduce.schedule import PhaseSchedule
from ..record import Candidate, Step
from .board import Board, FactKeeper, blank, put

Opening = Callable[[Sequence[int], FactKeeper], str]
"""Says what comes first on a slot and why, given its tasks in their new order."""


@dataclass(frozen=True)
class Ordering:
    """How the tasks of a slot are ordered."""

    rule: str
    """Name of the rule."""
    key: Callable[[int], object]
    """Tasks run by increasing key."""
    opening: Opening
    """The first sentence."""


def queues(slots: int, tasks: Sequence[int], phase: PhaseSchedule) -> list[list[int]]:
    """The tasks of each slot, in the order in which they are given."""
    tasks_of: list[list[int]] = [[] for _ in range(slots)]
    for task in tasks:
        tasks_of[int(phase.slot[task])].append(task)
    return tasks_of


def in_order(
    before: Sequence[Sequence[int]], ordering: Ordering, phase: PhaseSchedule, times: FloatArray
) -> tuple[PhaseSchedule, list[list[int]]]:
    """Run the tasks of each slot one after another.

    `times`: processing time of each task on its slot (s).
    Returns the phase, and the tasks of each slot in their order.
    """
    timed = blank(len(phase.slot))
    after = [sorted(tasks, key=ordering.key) for tasks in before]  # type: ignore[arg-type]
    for k, tasks in enumerate(after):
        free = 0.0
        for task in tasks:
            setup = float(phase.setup[task])
            end = free + setup + float(times[task])
            put(timed, task, k, (free, setup, end))
            free = end
    return timed, after


def order_step(
    board: Board,
    k: int,
    tasks: tuple[Sequence[int], Sequence[int]],
    phases: tuple[PhaseSchedule, PhaseSchedule],
    ordering: Ordering,
) -> Step:
    job_of, names = board.instance.map_job, board.instance.job_names
    keeper, after = FactKeeper(), tasks[1]
    jobs = list(dict.fromkeys(int(job_of[t]) for t in after))
    ends = {
        i: [max(float(phase.end[t]) for t in after if job_of[t] == i) for phase in phases]
        for i in jobs
    }
    text = [ordering.opening(after, keeper)]
    gain = {i: before - now for i, (before, now) in ends.items()}
    for i, word in (
        (max(jobs, key=gain.__getitem__), "sooner"),
        (min(jobs, key=gain.__getitem__), "later"),
    ):
        shift = gain[i] if word == "sooner" else -gain[i]
        if shift > 0:
            at = keeper.seconds(f"{names[i]} now ends here", ends[i][1])
            text.append(
                f"The last map task of {names[i]} here ends "
                f"{keeper.seconds(f'{names[i]} {word} by', shift)} {word}, at {at}."
            )
    if not any(gain.values()):
        text.append("No job's last map task on it ends at another time.")
    return Step(
        kind="order",
        title=f"Order on {board.slot_name('map', k)}",
        rule=ordering.rule,
        text=" ".join(text),
        candidates=tuple(
            Candidate(
                board.lane("map", k),
                label,
                {
                    "order": ", ".join(board.task_name("map", t) for t in queue),
                    **{f"{names[i]} ends": ends[i][which] for i in jobs},
                },
            )
            for which, (label, queue) in enumerate(
                zip(("as placed", f"by {ordering.rule}"), tasks, strict=True)
            )
        ),
        chosen=1,
        loser=0,
        facts=keeper.facts,
        rows=board.rows("map", after, phases[1]),
        removes=board.drawn("map", after),
        phase="map",
    )
