"""SMSO and SMSO-Johnson ([SMSO], Algorithms 1 to 4 as intended), recorded.

Map tasks are matched with slots, the queues are ordered, reduce tasks follow. Then each heartbeat
tells which slots are lost: their tasks move, and the queues are ordered again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ....core.arrays import FloatArray
from ....core.errors import InputError
from ....core.wording import listed, plural
from ....heuristics.mapreduce.list_scheduling.orders import OMEGA
from ....heuristics.mapreduce.smso.outage_verifying import Move, moves_in_words
from ....heuristics.mapreduce.smso.reading import THETA, Data, Load, Reading, Reduces, Theta
from ....heuristics.mapreduce.smso.smso import idle_settings
from ....instances.mapreduce.eligibility import impossible
from ....instances.mapreduce.instance import Instance
from ....instances.mapreduce.schedule import PhaseSchedule
from ....instances.mapreduce.security import Outages
from ....instances.mapreduce.setups import map_setup_matrix
from ..record import Candidate, Step, Steps
from .board import Board, FactKeeper, blank, put
from .job_orders import johnson_step
from .slot_order import Ordering, in_order, order_step
from .smso_matchmaking import Matchmaking, match_candidates, matching_text, rule_of, threshold_step
from .smso_reduce_tasks import placed_reduces


def smso(
    instance: Instance,
    *,
    theta: Theta = THETA,
    load: Load = "seconds",
    data: Data = "near",
    reduces: Reduces = "stay",
) -> Steps:
    """Record SMSO."""
    return recorded(instance, Reading(theta, load, data, reduces))


def smso_johnson(
    instance: Instance,
    *,
    theta: Theta = THETA,
    load: Load = "seconds",
    data: Data = "near",
    reduces: Reduces = "stay",
) -> Steps:
    """Record SMSO-Johnson."""
    return recorded(instance, Reading(theta, load, data, reduces), by_johnson=True)


def recorded(
    instance: Instance,
    reading: Reading,
    heartbeats: Sequence[Outages] | None = None,
    *,
    by_johnson: bool = False,
) -> Steps:
    """Record SMSO with any heartbeats.

    `heartbeats`: the outages that each heartbeat reports; by default one with the instance's
    outages.
    `by_johnson`: whether each slot runs the jobs in Johnson's order instead of all tasks by LPT.
    Raises `InputError` if the outages leave a task without an eligible slot.
    """
    is_whole = heartbeats is None
    if heartbeats is None:
        heartbeats = [] if instance.outages is None else [instance.outages]
    board = Board("SMSO-Johnson" if by_johnson else "SMSO", instance)
    plan = _Plan(board, replace(board.instance, outages=None), reading, by_johnson)
    plan.match(range(instance.map_tasks), None)
    plan.order()
    plan.reduces = placed_reduces(board, plan.here, plan.maps, reading)
    for beat, outages in enumerate(heartbeats):
        plan.lose(outages, beat)
    notes = moves_in_words(instance, plan.here.outages, plan.moves)
    if is_whole:
        notes += idle_settings(instance, reading)
    return board.finished(plan.maps, plan.reduces, notes)


class _Plan:
    """The schedule so far.

    `here` is the instance with the outages known so far, `queues` are the tasks of each map slot in
    the order in which they run, `maps` and `reduces` the phases.
    """

    def __init__(
        self, board: Board, instance: Instance, reading: Reading, by_johnson: bool
    ) -> None:
        self.board, self.here, self.reading = board, instance, reading
        self.setups = map_setup_matrix(instance)
        self.maps = blank(instance.map_tasks)
        self.reduces = blank(instance.reduce_tasks)
        self.queues: list[list[int]] = [[] for _ in instance.cluster.map_slot_node]
        self.moves: list[Move] = []
        self.ordering = by_lpt(board)
        if by_johnson and instance.map_tasks:
            jobs, step = johnson_step(instance, OMEGA)
            board.add(step)
            self.ordering = _by_johnson(board, jobs)

    def match(self, tasks: Sequence[int], source: Sequence[int] | None) -> None:
        """Match tasks with slots; `source` says where those were that have to move."""
        board, near = self.board, self.reading.data == "near"
        matching = Matchmaking(self.here, self.reading, self.setups, tasks, self.queues)
        if near and len(tasks):
            board.add(threshold_step(matching, len(tasks)))
        free = [max((float(self.maps.end[t]) for t in queue), default=0.0) for queue in self.queues]
        for place, t in enumerate(tasks):
            view = matching.view(t, free)
            group, k = view.choice(near=near)
            setup = float(self.setups[t, k])
            end = free[k] + setup + float(self.here.map_processing[t])
            put(self.maps, t, k, (free[k], setup, end))
            keeper = FactKeeper()
            text, loser = matching_text(board, view, group, keeper)
            shown, chosen, left_out, loser = match_candidates(board, view, k, loser)
            name, slot = board.task_name("map", t), board.slot_name("map", k)
            step = Step(
                kind="place",
                title=f"{name} to {slot}",
                rule=rule_of(view, group),
                text=text,
                candidates=shown,
                chosen=chosen,
                loser=loser,
                left_out=left_out,
                facts=keeper.facts,
                rows=(board.row("map", t, self.maps),),
            )
            if source is not None:
                before = board.slot_name("map", source[place])
                step = replace(step, kind="move", title=f"{name} moves from {before} to {slot}")
            board.add(step, ("map", t))
            matching.put(t, k)
            free[k] = end
        self.queues = matching.queues

    def order(self) -> None:
        """Order the queue of each map slot, with a step for each slot that changes."""
        given = self.maps
        self.maps, after = in_order(self.queues, self.ordering, given, self.here.map_processing)
        for k, (before, queue) in enumerate(zip(self.queues, after, strict=True)):
            if before != queue:
                phases = given, self.maps
                self.board.add(order_step(self.board, k, (before, queue), phases, self.ordering))
        self.queues = after

    def lose(self, outages: Outages, beat: int) -> None:
        """A heartbeat: slots are lost, their tasks move, the reduce tasks follow again."""
        known = self.here.outages
        if known is not None:
            outages = Outages(known.map | outages.map, known.reduce | outages.reduce)
        self.here = replace(self.here, outages=outages)
        why = impossible(self.here)
        if why is not None:
            raise InputError(f"{self.here.name}: {why}")
        planned = self.reduces.slot.copy()
        moving = [t for t in range(len(self.maps.slot)) if outages.map[self.maps.slot[t]]]
        source = [int(self.maps.slot[t]) for t in moving]
        self.board.add(_heartbeat(self.board, self.here, self.maps, self.reduces))
        if moving:
            self.queues = [[t for t in queue if t not in moving] for queue in self.queues]
            self.match(moving, source)
            self.order()
        target = [int(self.maps.slot[t]) for t in moving]
        self.moves += [
            Move("map", t, a, b, beat) for t, a, b in zip(moving, source, target, strict=True)
        ]
        self.reduces = placed_reduces(self.board, self.here, self.maps, self.reading, planned)
        self.moves += [
            Move("reduce", w, int(a), int(b), beat)
            for w, (a, b) in enumerate(zip(planned, self.reduces.slot, strict=True))
            if a != b
        ]


def by_lpt(board: Board) -> Ordering:
    """The longest task first, whatever its job."""
    seconds: FloatArray = board.instance.map_processing

    def opening(tasks: Sequence[int], keeper: FactKeeper) -> str:
        first, last = tasks[0], tasks[-1]
        longest = keeper.seconds("longest", float(seconds[first]))
        text = f"The longest task runs first, {board.task_name('map', first)} with {longest}"
        if len(tasks) > 1:
            shortest = keeper.seconds("shortest", float(seconds[last]))
            text += f"; last comes {board.task_name('map', last)} with {shortest}"
        return f"{text}."

    return Ordering("LPT", lambda t: (-float(seconds[t]), t), opening)


def _by_johnson(board: Board, jobs: Sequence[int]) -> Ordering:
    instance, names = board.instance, board.instance.job_names
    rank = {job: place for place, job in enumerate(jobs)}

    def opening(tasks: Sequence[int], keeper: FactKeeper) -> str:
        there = list(dict.fromkeys(int(instance.map_job[t]) for t in tasks))
        order = listed([names[i] for i in there])
        return f"The jobs on it run in Johnson's order, {order}, the longest task of a job first."

    def key(t: int) -> object:
        return (rank[int(instance.map_job[t])], -float(instance.map_processing[t]), t)

    return Ordering("Johnson's order", key, opening)


def _heartbeat(
    board: Board, instance: Instance, maps: PhaseSchedule, reduces: PhaseSchedule
) -> Step:
    """The step that tells which slots do not answer; it takes away what moves or follows."""
    assert instance.outages is not None
    tasks = np.flatnonzero(instance.outages.map[maps.slot]).tolist()
    later = np.flatnonzero(instance.outages.reduce[reduces.slot]).tolist()
    names = [board.slot_name("map", int(k)) for k in np.flatnonzero(instance.outages.map)]
    names += [board.slot_name("reduce", int(k)) for k in np.flatnonzero(instance.outages.reduce)]
    keeper = FactKeeper()
    slots = keeper.number("slots lost", len(names))
    if not names:
        text = "Every node answers: nothing moves."
    else:
        numbers = [
            f"{keeper.number(f'{phase} tasks to move', len(some))} {phase}"
            for phase, some in (("map", tasks), ("reduce", later))
        ]
        text = (
            f"No answer from {slots} {'slot' if len(names) == 1 else 'slots'}: {listed(names, 8)}. "
            f"{' and '.join(numbers)} tasks have to move; all others stay. "
            "The reduce tasks follow again when the map tasks are placed."
        )
    rows = board.rows("map", tasks, maps) + board.rows("reduce", later, reduces)
    return Step(
        kind="move",
        title=f"Heartbeat: {plural(len(names), 'slot')} lost" if names else "Heartbeat: no outage",
        rule="outage verifying",
        text=text,
        candidates=tuple(
            Candidate(
                row.slot,
                f"{row.job} {row.phase} {row.task}",
                {"lost slot": board.lanes[row.slot]},
                (row.start, row.end),
            )
            for row in rows
        ),
        facts=keeper.facts,
        removes=board.drawn("map", tasks) + board.drawn("reduce", range(len(reduces.slot))),
    )
