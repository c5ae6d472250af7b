"""HMHS, R-HMHS and Min-Min ([HMHS], section 3), recorded.

Every round compares all tasks that may be placed on all slots, as the paper's pseudocode does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ....core.arrays import FloatArray
from ....core.wording import listed
from ....instances.mapreduce.instance import Instance
from ....instances.mapreduce.processing import map_time_matrix, reduce_time_matrix
from ....instances.mapreduce.schedule import PhaseSchedule
from ....instances.mapreduce.setups import map_setup_matrix, reduce_setups
from ..record import Candidate, Step, Steps
from .board import Board, FactKeeper, Phase, blank, map_ends, put
from .priority import by_priority, priority_step
from .slot_order import Ordering, in_order, order_step, queues

SHOWN = 5
"""So many pairs of a task and its best slot are shown."""


def hmhs(instance: Instance) -> Steps:
    """Record HMHS: Min-Min, each map slot by increasing Pri, Dynamic-Min-Min."""
    return _recorded(instance, "HMHS", 1)


def r_hmhs(instance: Instance) -> Steps:
    """Record R-HMHS: as HMHS, each map slot by decreasing Pri."""
    return _recorded(instance, "R-HMHS", -1)


def min_min(instance: Instance) -> Steps:
    """Record Min-Min: as HMHS, each map slot in the order in which it got its tasks."""
    return _recorded(instance, "Min-Min", 0)


def _recorded(instance: Instance, method: str, sign: int) -> Steps:
    """All steps; `sign` is that of Pri in the order on a map slot, 0 leaves the order as it is."""
    board = Board(method, instance)
    instance = board.instance
    at_once = np.zeros(instance.jobs)
    setups, times = map_setup_matrix(instance), map_time_matrix(instance)
    maps, given = _dispatched(board, "map", at_once, setups, times)
    if sign and instance.map_tasks:
        maps = _sequenced(board, maps, given, sign)
    cluster = instance.cluster
    setups = reduce_setups(instance, cluster.map_slot_node[maps.slot])
    setups = setups[instance.reduce_job][:, cluster.reduce_slot_node]
    arrival = map_ends(instance, maps)
    reduces, _ = _dispatched(board, "reduce", arrival, setups, reduce_time_matrix(instance))
    return board.finished(maps, reduces)


@dataclass(frozen=True)
class _Round:
    """What Dynamic-Min-Min compares: all tasks of the jobs let in, on all slots.

    `start`, `setup`, `time` and `end` have a row per task of `tasks` and a column per slot; `free`
    says when each slot is, `arrival` when each job's maps have ended, `joined` which jobs were let
    in just now, `early` whether they are let in before a slot waits for them.
    """

    phase: Phase
    tasks: list[int]
    start: FloatArray
    setup: FloatArray
    time: FloatArray
    end: FloatArray
    free: FloatArray
    arrival: FloatArray
    joined: list[int]
    early: bool


def _dispatched(
    board: Board, phase: Phase, arrival: FloatArray, setups: FloatArray, times: FloatArray
) -> tuple[PhaseSchedule, list[int]]:
    """Algorithm 1, with a step per task; also the tasks in the order of their placement."""
    job_of = board.instance.map_job if phase == "map" else board.instance.reduce_job
    tasks, slots = times.shape
    placed, free, left, order = blank(tasks), np.zeros(slots), list(range(tasks)), list[int]()
    outside, inside = set(job_of.tolist()), set[int]()
    while left:
        joined = sorted(i for i in outside if arrival[i] <= free.min())
        early = not joined and not inside
        if early:
            joined = [min(outside, key=lambda i: (arrival[i], i))]
        inside.update(joined)
        outside.difference_update(joined)
        ready = [t for t in left if job_of[t] in inside]
        start = np.maximum(free, arrival[job_of[ready]][:, None])
        end = start + setups[ready] + times[ready]

        # The first of equal entries: the lowest task, then the lowest slot.
        row, k = divmod(int(end.argmin()), slots)
        t = ready[row]
        put(placed, t, k, (start[row, k], setups[t, k], end[row, k]))
        a_round = _Round(
            phase,
            ready,
            start,
            setups[ready],
            times[ready],
            end,
            free.copy(),
            arrival,
            joined,
            early,
        )
        outlook = _kept_out(board, a_round, outside, setups, times) if phase == "reduce" else None
        board.add(_place_step(board, a_round, placed, row, outlook), (phase, t))
        free[k] = end[row, k]
        left.remove(t)
        order.append(t)
        if not any(job_of[other] == job_of[t] for other in left):
            inside.discard(int(job_of[t]))
    return placed, order


@dataclass(frozen=True)
class _KeptOut:
    """The best that a task could do whose job is not let in yet."""

    task: int
    slot: int
    end: float
    arrival: float


def _kept_out(
    board: Board, a_round: _Round, outside: set[int], setups: FloatArray, times: FloatArray
) -> _KeptOut | None:
    """The task of a job that is not let in that would end before every other, if there is one."""
    job_of = board.instance.reduce_job
    tasks = [t for t in range(len(job_of)) if job_of[t] in outside]
    if not tasks:
        return None
    arrival = a_round.arrival[job_of[tasks]][:, None]
    end = np.maximum(a_round.free, arrival) + setups[tasks] + times[tasks]
    row, k = divmod(int(end.argmin()), end.shape[1])
    if end[row, k] >= a_round.end.min():
        return None
    return _KeptOut(tasks[row], k, float(end[row, k]), float(arrival[row, 0]))


def _place_step(
    board: Board, a_round: _Round, placed: PhaseSchedule, row: int, kept_out: _KeptOut | None
) -> Step:
    phase, slots = a_round.phase, a_round.end.argmin(axis=1)
    ends = a_round.end[np.arange(len(slots)), slots]
    ranked = np.argsort(ends, kind="stable").tolist()
    shown = ranked[:SHOWN]
    later = next((pair for pair in ranked if ends[pair] > ends[row]), None)
    if later is not None and later not in shown:
        shown[-1] = later
    candidates = tuple(_pair(board, a_round, pair, int(slots[pair])) for pair in shown)
    loser = 1 if later is None else shown.index(later)
    t, k = a_round.tasks[row], int(slots[row])
    keeper = FactKeeper()
    sentences = [
        *_let_in(board, a_round, keeper),
        _winner(board, a_round, row, k, keeper),
        *_runner_up(candidates, loser, keeper),
        *_other_slot(board, a_round, row, k, keeper),
    ]
    if kept_out is not None:
        name, slot = (
            board.task_name("reduce", kept_out.task),
            board.slot_name("reduce", kept_out.slot),
        )
        sooner = float(ends[row]) - kept_out.end
        sentences.append(
            f"{keeper.name('not let in', name)} could end "
            f"{keeper.seconds('it would end sooner by', sooner)} sooner, on "
            f"{keeper.name('its best slot', slot)}, but is not let in: its maps end only at "
            f"{keeper.seconds('its maps end', kept_out.arrival)}."
        )
    return Step(
        kind="place",
        title=f"{board.task_name(phase, t)} to {board.slot_name(phase, k)}",
        rule=_rule(a_round, row, ends),
        text=" ".join(sentences),
        candidates=candidates,
        chosen=0,
        loser=loser if len(candidates) > 1 else None,
        left_out=len(ranked) - len(candidates),
        facts=keeper.facts,
        rows=(board.row(phase, t, placed),),
    )


def _pair(board: Board, a_round: _Round, row: int, k: int) -> Candidate:
    phase, start, end = a_round.phase, float(a_round.start[row, k]), float(a_round.end[row, k])
    task = board.task_name(phase, a_round.tasks[row])
    facts = {
        "free": float(a_round.free[k]),
        "start": start,
        "setup": float(a_round.setup[row, k]),
        "processing": float(a_round.time[row, k]),
        "end": end,
    }
    label = f"{task} on {board.slot_name(phase, k)}"
    return Candidate(board.lane(phase, k), label, facts, (start, end))


def _rule(a_round: _Round, row: int, ends: FloatArray) -> str:
    """What decided, with the tie rule if one was needed."""
    if (ends == ends[row]).sum() > 1:
        return "earliest completion, of equal ones the lowest task"
    if (a_round.end[row] == ends[row]).sum() > 1:
        return "earliest completion, of equal ones the lowest slot"
    return "earliest completion"


def _let_in(board: Board, a_round: _Round, keeper: FactKeeper) -> list[str]:
    """Which jobs Dynamic-Min-Min chooses from, where that changes."""
    if a_round.phase == "map" or not a_round.joined:
        return []
    first = float(a_round.free.min())
    jobs = [board.instance.job_names[i] for i in a_round.joined]
    when = keeper.seconds("first slot free", first)
    if a_round.early:
        arrival = float(a_round.arrival[a_round.joined[0]])
        return [
            f"A reduce slot is free at {when}, when no job is ready, so the next one is let in: "
            f"{keeper.name('let in', jobs[0])}, whose maps end at "
            f"{keeper.seconds('its maps have ended', arrival)}."
        ]
    names = keeper.name("let in", listed(jobs))
    return [f"When the first reduce slot is free, at {when}, the maps of {names} have ended."]


def _winner(board: Board, a_round: _Round, row: int, k: int, keeper: FactKeeper) -> str:
    phase = a_round.phase
    candidate = _pair(board, a_round, row, k)
    setup, time = (_time(candidate, what) for what in ("setup", "processing"))
    work = f"run for {keeper.seconds('processing', time)}"
    parts = f"read for {keeper.seconds('setup', setup)} and {work}" if setup else work
    start, free = float(a_round.start[row, k]), float(a_round.free[k])
    since = "when its maps have ended" if start > free else "when the slot is free"
    name, slot = board.task_name(phase, a_round.tasks[row]), board.slot_name(phase, k)
    count = len(a_round.tasks)
    whole = f"{name} is the only task to choose from: it ends first on {slot}"
    if count > 1:
        tasks = keeper.number("tasks to choose from", count)
        whole = f"Of {tasks} tasks {name} can end first: on {slot}"
    return (
        f"{whole}, at {keeper.seconds('end', float(a_round.end[row, k]))}. There it would {parts} "
        f"from {keeper.seconds('start', start)}, {since}."
    )


def _time(candidate: Candidate, what: str) -> float:
    value = candidate.facts[what]
    assert isinstance(value, float)
    return value


def _runner_up(candidates: Sequence[Candidate], loser: int, keeper: FactKeeper) -> list[str]:
    """The pairs that would end at the same time, and the first that would end later."""
    if len(candidates) < 2:
        return []
    best, second = (_time(candidate, "end") for candidate in candidates[:2])
    text = []
    if second == best:
        name = keeper.name("same end", candidates[1].label)
        text = [f"{name} would end at the same time; the lower task number goes first."]
    if _time(candidates[loser], "end") > best:
        name = keeper.name("runner-up", candidates[loser].label)
        later = keeper.seconds("runner-up ends later by", _time(candidates[loser], "end") - best)
        text.append(f"Next comes {name}, {later} later.")
    return text


def _other_slot(board: Board, a_round: _Round, row: int, k: int, keeper: FactKeeper) -> list[str]:
    """Where else the task might go: a slot that is free before, or one that suits it better."""
    end, free, phase = a_round.end[row], a_round.free, a_round.phase
    others = [j for j in range(len(free)) if j != k]
    same = [j for j in others if end[j] == end[k]]
    if same:
        name = keeper.name("same end on", board.slot_name(phase, same[0]))
        return [f"On {name} it would end at the same time; the lower slot number takes it."]
    sooner = [j for j in others if free[j] < free[k]]
    length = a_round.setup[row] + a_round.time[row]
    better = [j for j in others if length[j] < length[k]]
    if sooner:
        j = min(sooner, key=lambda j: (free[j], j))
        what = f"is free {keeper.seconds('free earlier by', float(free[k] - free[j]))} earlier"
    elif better:
        j = min(better, key=lambda j: (end[j], j))
        shorter = float(length[k] - length[j])
        what = f"would take {keeper.seconds('shorter there by', shorter)} less for it"
    else:
        return []
    later = keeper.seconds("later there by", float(end[j] - end[k]))
    name = keeper.name("other slot", board.slot_name(phase, j))
    because = (
        "" if sooner else f", but is busy until {keeper.seconds('busy until', float(free[j]))}"
    )
    return [f"{name} {what}{because}; the task would end {later} later there."]


def _sequenced(board: Board, given: PhaseSchedule, order: list[int], sign: int) -> PhaseSchedule:
    """The tasks of each map slot in the order of Pri, with a step for each slot that changes."""
    instance, names = board.instance, board.instance.job_names
    jobs, pri = by_priority(instance, sign)
    rank = {job: place for place, job in enumerate(jobs)}

    def opening(tasks: Sequence[int], keeper: FactKeeper) -> str:
        there = list(dict.fromkeys(int(instance.map_job[t]) for t in tasks))
        if len(there) == 1:
            return f"All its tasks are of {names[there[0]]}: they run by number."
        shown = [
            f"{names[i]} ({keeper.number(f'Pri of {names[i]}', float(pri[i]))})" for i in there
        ]
        return f"The jobs on it now run by Pri: {listed(shown)}."

    by_pri = Ordering("Pri", lambda t: (rank[int(instance.map_job[t])], t), opening)
    slots = len(instance.cluster.map_slot_node)
    before = queues(slots, order, given)
    every = np.arange(instance.map_tasks)
    maps, after = in_order(before, by_pri, given, map_time_matrix(instance)[every, given.slot])
    changed = [k for k in range(slots) if before[k] != after[k]]
    board.add(priority_step(board, sign, len(changed)))
    for k in changed:
        board.add(order_step(board, k, (before[k], after[k]), (given, maps), by_pri))
    return maps
