"""Pri, the order of the jobs in [HMHS], section 3.1, in words."""

from __future__ import annotations

import math

import numpy as np

from ....core.arrays import FloatArray
from ....core.wording import number
from ....instances.mapreduce.instance import Instance
from ..record import Candidate, Fact, Step
from .board import Board, FactKeeper, few


def phase_times(instance: Instance) -> tuple[FloatArray, FloatArray]:
    """Map and reduce time of each job at its average speed factor ([HMHS], equation (1)), in s."""
    maps, reduces = np.zeros(instance.jobs), np.zeros(instance.jobs)
    for task in range(instance.map_tasks):
        maps[instance.map_job[task]] += instance.map_processing[task]
    for task in range(instance.reduce_tasks):
        reduces[instance.reduce_job[task]] += instance.reduce_processing[task]
    factors = instance.speed_factors
    if factors is None:
        return maps, reduces
    return (
        maps * (factors.map.sum(axis=1) / max(factors.map.shape[1], 1)),
        reduces * (factors.reduce.sum(axis=1) / max(factors.reduce.shape[1], 1)),
    )


def by_priority(instance: Instance, sign: int = 1) -> tuple[list[int], FloatArray]:
    """The jobs by `sign` times Pri, equal ones by number, and Pri of each ([HMHS], equation (4)).

    `sign`: 1 for increasing Pri, -1 for decreasing.
    """
    pri = np.zeros(instance.jobs)
    for job, (maps, reduces) in enumerate(zip(*phase_times(instance), strict=True)):
        over = 1 if maps > reduces else -1
        least = min(maps, reduces)
        pri[job] = over / least if least else over * math.inf
    return sorted(range(instance.jobs), key=lambda job: sign * pri[job]), pri


def priority_step(board: Board, sign: int = 1, slots: int | None = None) -> Step:
    """The step that orders the jobs by Pri.

    `sign`: 1 for increasing Pri, -1 for decreasing.
    `slots`: how many map slots get another order, None if nothing is placed yet.
    """
    instance = board.instance
    maps, reduces = phase_times(instance)
    jobs, pri = by_priority(instance, sign)
    candidates = [
        Candidate(
            None,
            instance.job_names[job],
            {
                "map time": float(maps[job]),
                "reduce time": float(reduces[job]),
                "Pri": _fact(float(pri[job])),
                "division": _division(float(maps[job]), float(reduces[job])),
            },
        )
        for job in jobs
    ]
    keeper = FactKeeper()
    text = [_sentence(board, jobs[0], "comes first", keeper)]
    rest = jobs[1:]
    if rest:
        # Whoever sorts by the map time alone would start with this one.
        shortest = min(jobs, key=lambda job: maps[job])
        loser = shortest if shortest != jobs[0] else rest[0]
        text.append(_sentence(board, loser, _place(jobs.index(loser), len(jobs), keeper), keeper))
        if pri[loser] == pri[jobs[0]]:
            text.append("Equal values keep the order of the jobs.")
    if sign < 0:
        text.insert(0, "The greatest Pri comes first, the reverse of Johnson's order.")
    if slots == 0:
        text.append("Every map slot has this order already.")
    if slots:
        text.append(
            f"{keeper.number('slots that change', slots)} map "
            f"{'slot changes its' if slots == 1 else 'slots change their'} order."
        )
    shown, _, left_out, place = few(candidates, 0, jobs.index(loser) if rest else None)
    return Step(
        kind="order",
        title="Jobs by Pri" if sign > 0 else "Jobs by decreasing Pri",
        rule="Pri" if sign > 0 else "Pri reversed",
        text=" ".join(text),
        candidates=shown,
        loser=place,
        left_out=left_out,
        facts=keeper.facts,
    )


def _sentence(board: Board, job: int, what: str, keeper: FactKeeper) -> str:
    maps, reduces = (float(times[job]) for times in phase_times(board.instance))
    name = board.instance.job_names[job]
    of_maps = keeper.seconds(f"map time of {name}", maps)
    of_reduces = keeper.seconds(f"reduce time of {name}", reduces)
    over, least = (1, reduces) if maps > reduces else (-1, maps)
    long = "more than" if maps > reduces else "no more than"
    if maps == reduces:
        long = "as much as"
    value = keeper.number(f"Pri of {name}", over / least if least else over * math.inf)
    return (
        f"{name} {what}: its maps take {of_maps}, {long} its reduces with {of_reduces}, so "
        f"Pri = {_division(maps, reduces)} = {value}."
    )


def _place(position: int, jobs: int, keeper: FactKeeper) -> str:
    if position == jobs - 1:
        return "comes last"
    if position == 1:
        return "comes second"
    return f"comes only as number {keeper.number('its place', position + 1)}"


def _division(maps: float, reduces: float) -> str:
    """What is divided by what."""
    return f"{'' if maps > reduces else '−'}1 / {number(min(maps, reduces))}"


def _fact(value: float) -> Fact:
    if math.isinf(value):
        return number(value)
    return value
