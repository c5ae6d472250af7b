"""Steps that order jobs or tasks, before they are placed or on a slot that has them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from ....core.wording import listed, number
from ....heuristics.mapreduce.list_scheduling.orders import phase_durations
from ....instances.mapreduce.instance import Instance
from ....instances.mapreduce.schedule import PhaseSchedule
from ..record import Candidate, Fact, Step
from ..telling import FactKeeper, few
from .board import Board, blank, put

Key = Callable[[int], tuple[float, ...]]


def ordered(
    board: Board,
    rule: str,
    title: str,
    text: Sequence[str],
    candidates: Sequence[tuple[str, Mapping[str, Fact]]],
    *,
    loser: int | None = None,
    keeper: FactKeeper | None = None,
) -> None:
    """Add the step that orders jobs or tasks.

    `candidates`: name and values of each, in their order.
    `loser`: which of them one might expect first; the second if None.
    """
    if not candidates:
        return
    if len(candidates) > 1 and loser is None:
        loser = 1
    shown = few([Candidate(None, *one) for one in candidates], 0, loser) | {"chosen": None}
    board.add(
        Step(
            kind="order",
            title=title,
            rule=rule,
            text=" ".join(text),
            **shown,
            facts=keeper.facts if keeper else {},
        )
    )


def by_johnson(board: Board, omega: float, opening: str = "") -> list[int]:
    """The jobs by Johnson's rule ([LJR], section 4.1.1), with its step."""
    instance, keeper = board.instance, FactKeeper()
    names = instance.job_names
    maps, reduces = (durations.tolist() for durations in phase_durations(instance, omega))
    early = sorted(
        (i for i in range(len(maps)) if maps[i] <= reduces[i]), key=lambda i: (maps[i], i)
    )
    late = [i for i in range(len(maps)) if maps[i] > reduces[i]]
    late.sort(key=lambda i: (-reduces[i], i))
    jobs = early + late
    text = [opening] if opening else []
    weight = keeper.number("omega", omega)
    text.append(f"How long the phases of a job last is estimated with omega {weight}.")
    if early:
        text.append(
            "First come the jobs whose map phase is no longer than their reduce phase, the "
            f"shortest map phase first: {_named(names, early)}."
        )
    if late:
        after = "Then the others come" if early else "All map phases are longer: jobs come"
        text.append(f"{after} longest reduce phase first: {_named(names, late)}.")
    least = min(jobs, key=lambda i: (maps[i] + reduces[i], i), default=0)
    if jobs and least != jobs[0]:
        short = maps[least] <= reduces[least]
        phase, times = ("map", maps) if short else ("reduce", reduces)
        total = keeper.seconds("least", maps[least] + reduces[least])
        its = keeper.seconds("its phase", times[least])
        other = keeper.seconds("phase of the first", times[jobs[0]])
        why = f"its {phase} phase lasts {its}, that of {names[jobs[0]]} {other}"
        if not short and early:
            last = keeper.seconds("its map phase", maps[least])
            why = f"its map phase lasts {last}, longer than its reduce phase with {its}"
        text.append(f"{names[least]} has the least to do, {total}, but {why}.")
    ordered(
        board,
        "Johnson's rule",
        f"Jobs by Johnson's rule: {_named(names, jobs)}",
        text,
        [(names[i], {"map phase": maps[i], "reduce phase": reduces[i]}) for i in jobs],
        loser=jobs.index(least) if jobs and least != jobs[0] else None,
        keeper=keeper,
    )
    return jobs


def by_map_ends(board: Board, arrival: Sequence[float]) -> list[int]:
    """The jobs by the ends of their map phases (s), with the step of those with reduce tasks."""
    names = board.instance.job_names
    jobs = sorted(range(board.instance.jobs), key=lambda i: (arrival[i], i))
    there = [i for i in jobs if board.instance.reduces_of[i]]
    ordered(
        board,
        "end of the map phase",
        f"Reduce tasks by job: {_named(names, there)}",
        [
            "Reduce tasks are placed job by job. The job whose last map task ends first comes "
            f"first: {_named(names, there)}."
        ],
        [(names[i], {"last map ends": arrival[i]}) for i in there],
    )
    return jobs


def pri(instance: Instance) -> list[tuple[float, float, float]]:
    """Map and reduce time of each job at its mean speed factor (s), and its Pri.

    [HMHS], equations (1) and (4).
    """
    found = []
    factors = instance.speed_factors
    for job in range(instance.jobs):
        maps, reduces = (
            sum(processing[job_of == job].tolist())
            for processing, job_of in (
                (instance.map_processing, instance.map_job),
                (instance.reduce_processing, instance.reduce_job),
            )
        )
        if factors is not None:
            maps *= factors.map[job].sum() / max(factors.map.shape[1], 1)
            reduces *= factors.reduce[job].sum() / max(factors.reduce.shape[1], 1)
        over, least = (1 if maps > reduces else -1), min(maps, reduces)
        found.append((float(maps), float(reduces), over / least if least else over * math.inf))
    return found


def by_pri(board: Board, sign: int = 1) -> list[int]:
    """The jobs by `sign` times Pri, equal ones by number, with the step."""
    values, names, keeper = pri(board.instance), board.instance.job_names, FactKeeper()
    jobs = sorted(range(len(values)), key=lambda i: sign * values[i][2])

    def division(i: int) -> str:
        maps, reduces, _ = values[i]
        return f"{'' if maps > reduces else '−'}1 / {number(min(maps, reduces))}"

    def said(i: int, place: str) -> str:
        maps, reduces, value = values[i]
        than = (
            "as much as" if maps == reduces else "more than" if maps > reduces else "no more than"
        )
        of_maps, of_reduces = (
            keeper.seconds(f"map time of {names[i]}", maps),
            keeper.seconds(f"reduce time of {names[i]}", reduces),
        )
        result = keeper.number(f"Pri of {names[i]}", value)
        return (
            f"{names[i]} comes {place}: its maps take {of_maps}, {than} its reduces with "
            f"{of_reduces}, so Pri = {division(i)} = {result}."
        )

    text = [] if sign > 0 else ["The greatest Pri comes first, the reverse of Johnson's order."]
    loser = None
    if jobs:
        text.append(said(jobs[0], "first"))
    if len(jobs) > 1:
        # Whoever sorts by the map time alone would start with this one.
        shortest = min(jobs, key=lambda i: values[i][0])
        other = jobs[1] if shortest == jobs[0] else shortest
        loser = jobs.index(other)
        last = loser == len(jobs) - 1
        text.append(
            said(other, "last" if last else f"as number {keeper.number('place', loser + 1)}")
        )
    ordered(
        board,
        "Pri" if sign > 0 else "Pri reversed",
        "Jobs by Pri" if sign > 0 else "Jobs by decreasing Pri",
        text,
        [
            (
                names[i],
                {
                    "map time": values[i][0],
                    "reduce time": values[i][1],
                    "Pri": values[i][2] if math.isfinite(values[i][2]) else number(values[i][2]),
                    "division": division(i),
                },
            )
            for i in jobs
        ],
        loser=loser,
        keeper=keeper,
    )
    return jobs


def longest_first(board: Board, lengths: Sequence[float]) -> list[int]:
    """The map tasks of all jobs, longest first, with the step; lengths in s."""
    order = sorted(range(len(lengths)), key=lambda t: (-lengths[t], t))
    ordered(
        board,
        "LPT",
        "Map tasks of all jobs, longest first",
        ["Map tasks are placed longest first, whatever their job; reading counts as if local."],
        [(board.task_name("map", t), {"length": lengths[t]}) for t in order],
    )
    return order


def regrouped(
    board: Board,
    maps: PhaseSchedule,
    placed: Sequence[int],
    times: Sequence[float],
    rule: str,
    key: Key,
    makespan: Callable[[PhaseSchedule], float] | None = None,
) -> PhaseSchedule:
    """The tasks of each map slot by increasing key, with a step for each slot that changes.

    `placed`: the tasks in the order in which they run now.
    `times`: processing time of each task on its slot (s).
    `makespan`: of the whole schedule with given maps (s), told if given.
    """
    after = blank(len(maps.slot))
    queues: dict[int, list[int]] = {}
    for t in placed:
        queues.setdefault(int(maps.slot[t]), []).append(t)
    for k, queue in queues.items():
        free = 0.0
        for t in sorted(queue, key=key):
            end = free + float(maps.setup[t]) + times[t]
            put(after, t, k, (free, float(maps.setup[t]), end))
            free = end
    so_far = PhaseSchedule(maps.slot, maps.start.copy(), maps.setup, maps.end.copy())
    for k, queue in sorted(queues.items()):
        order = sorted(queue, key=key)
        if order == queue:
            continue
        before = makespan(so_far) if makespan else None
        so_far.start[order], so_far.end[order] = after.start[order], after.end[order]
        spans = None if makespan is None or before is None else (before, makespan(so_far))
        _add_regrouped(board, k, (queue, order), (maps, after), rule, spans)
    return after


def _add_regrouped(
    board: Board,
    k: int,
    queues: tuple[list[int], list[int]],
    phases: tuple[PhaseSchedule, PhaseSchedule],
    rule: str,
    makespans: tuple[float, float] | None,
) -> None:
    job_of, names, keeper = board.instance.map_job, board.instance.job_names, FactKeeper()
    said = [listed([board.task_name("map", t) for t in queue]) for queue in queues]
    slot = board.slot_name("map", k)
    text = [f"As placed {slot} runs {said[0]}; by {rule} {said[1]}."]
    ends = {
        i: [max(float(phase.end[t]) for t in queues[1] if job_of[t] == i) for phase in phases]
        for i in dict.fromkeys(job_of[queues[1]].tolist())
    }
    gain = {i: before - after for i, (before, after) in ends.items()}
    gains, pays = max(gain, key=gain.__getitem__), min(gain, key=gain.__getitem__)
    for i, word, by in ((gains, "sooner", gain[gains]), (pays, "later", -gain[pays])):
        if by > 0:
            at = keeper.seconds(f"{names[i]} ends here", ends[i][1])
            text.append(
                f"The last map task of {names[i]} here ends {keeper.seconds(word, by)} {word}, at "
                f"{at}."
            )
    if not any(gain.values()):
        text.append("No job's last map task on it ends at another time.")
    facts: list[dict[str, Fact]] = [{"order": one} for one in said]
    if makespans is not None:
        for one, value in zip(facts, makespans, strict=True):
            one["makespan"] = value
        before, after = makespans
        less = keeper.seconds("makespan changes by", abs(before - after))
        change = f"{less} {'less' if after < before else 'more'} than without"
        now = keeper.seconds("makespan", after)
        same = "as without"
        text.append(f"The makespan would be {now}, {change if after != before else same}.")
    labels = ("as placed", f"by {rule}")
    lane = board.lane("map", k)
    board.add(
        Step(
            kind="order",
            title=f"Order on {slot}",
            rule=rule,
            text=" ".join(text),
            candidates=tuple(Candidate(lane, *one) for one in zip(labels, facts, strict=True)),
            chosen=1,
            loser=0,
            facts=keeper.facts,
            rows=board.rows("map", queues[1], phases[1]),
            removes=board.drawn("map", queues[1]),
            phase="map",
        )
    )


def _named(names: Sequence[str], jobs: Sequence[int]) -> str:
    return listed([names[i] for i in jobs])
