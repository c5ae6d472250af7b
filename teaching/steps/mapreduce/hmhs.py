"""HMHS, R-HMHS, Min-Min, FIFO and FIFO-Pri ([HMHS], sections 3 and 4), one task after another."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ....instances.mapreduce.instance import Instance
from ..record import Steps
from ..telling import FactKeeper
from .board import Board
from .orders import by_pri, regrouped
from .placing import FINISH, FREE, SLOT, TASK, Offer, Phase, map_phase, reduce_phase


def hmhs(instance: Instance) -> Steps:
    """Record HMHS: Min-Min, each map slot by increasing Pri, Dynamic-Min-Min."""
    return _dispatched("HMHS", instance, 1)


def r_hmhs(instance: Instance) -> Steps:
    """Record R-HMHS: as HMHS, each map slot by decreasing Pri."""
    return _dispatched("R-HMHS", instance, -1)


def min_min(instance: Instance) -> Steps:
    """Record Min-Min: as HMHS, each map slot in the order in which it got its tasks."""
    return _dispatched("Min-Min", instance, 0)


def fifo(instance: Instance) -> Steps:
    """Record FIFO: the jobs as they come."""
    board = Board("FIFO", instance)
    return _served(board, range(instance.jobs))


def fifo_pri(instance: Instance) -> Steps:
    """Record FIFO-Pri: the jobs by increasing Pri."""
    board = Board("FIFO-Pri", instance)
    return _served(board, by_pri(board))


def _dispatched(method: str, instance: Instance, sign: int) -> Steps:
    """All steps; `sign` is that of Pri in the order on a map slot, 0 leaves the order as it is."""
    board = Board(method, instance)
    phase = map_phase(board)
    order = _dispatch(phase)
    maps = phase.placed
    if sign and phase.tasks:
        rank = {job: place for place, job in enumerate(by_pri(board, sign))}
        times = board.instance.phases.map.times(maps.slot).tolist()
        maps = regrouped(board, maps, order, times, "Pri", lambda t: (rank[phase.job_of[t]], t))
    phase = reduce_phase(board, maps)
    _dispatch(phase)
    return board.finished(maps, phase.placed)


def _dispatch(phase: Phase) -> list[int]:
    """Algorithm 1: of the jobs let in the task that ends first; the tasks in that order."""
    board, arrival = phase.board, phase.arrival
    names = board.instance.job_names
    left, order = list(range(phase.tasks)), list[int]()
    outside, inside = set(phase.job_of), set[int]()
    while left:
        keeper = FactKeeper()
        joined = sorted(i for i in outside if arrival[i] <= min(phase.free))
        if not joined and not inside:
            joined = [min(outside, key=lambda i: (arrival[i], i))]
            when = keeper.seconds("its maps end", arrival[joined[0]])
            keeper.say(
                "No job has ended its map tasks before a slot is free, so the next one is let in: "
                f"{names[joined[0]]}, whose maps end at {when}"
            )
        inside.update(joined)
        outside.difference_update(joined)
        ready = [t for t in left if phase.job_of[t] in inside]
        offers = _best_offers(phase, ready)
        best = min(offers, key=lambda o: (o.end, o.task))
        kept_out = [t for t in left if phase.job_of[t] in outside]
        if kept_out:
            other = min(_best_offers(phase, kept_out), key=lambda o: (o.end, o.task))
            if other.end < best.end:
                name = keeper.name("not let in", board.task_name("reduce", other.task))
                sooner = keeper.seconds("it would end sooner by", best.end - other.end)
                ends = keeper.seconds("its maps end only", arrival[phase.job_of[other.task]])
                keeper.say(
                    f"{name} could end {sooner} sooner, but is not let in: its maps end only at "
                    f"{ends}"
                )
        phase.place(
            offers,
            (FINISH, TASK, SLOT),
            phase.offers(best.task),
            keeper=keeper,
        )
        left.remove(best.task)
        order.append(best.task)
        if not any(phase.job_of[t] == phase.job_of[best.task] for t in left):
            inside.discard(phase.job_of[best.task])
    return order


def _best_offers(phase: Phase, tasks: Sequence[int]) -> list[Offer]:
    """The slot that would end each task first, of equal ones the lowest number."""
    arrival = np.asarray(phase.arrival)[[phase.job_of[t] for t in tasks]]
    end = np.maximum(phase.free, arrival[:, None]) + phase.setups[tasks] + phase.times[tasks]
    return [phase.offer(t, k) for t, k in zip(tasks, end.argmin(axis=1).tolist(), strict=True)]


def _served(board: Board, jobs: Sequence[int]) -> Steps:
    phase = map_phase(board)
    _serve(phase, jobs)
    maps = phase.placed
    phase = reduce_phase(board, maps)
    _serve(phase, jobs)
    return board.finished(maps, phase.placed)


def _serve(phase: Phase, jobs: Sequence[int]) -> None:
    """First come, first served: the slot that is free first takes the first task in order."""
    board, arrival = phase.board, phase.arrival
    names = board.instance.job_names
    left = [t for i in jobs for t in range(phase.tasks) if phase.job_of[t] == i]
    while left:
        wanted = [k for k in range(phase.slots) if phase.allowed[left, k].any()]
        k = min(wanted, key=lambda k: (phase.free[k], k))
        mine = [t for t in left if phase.allowed[t, k]]
        now = max(phase.free[k], min(arrival[phase.job_of[t]] for t in mine))
        t = next(t for t in mine if arrival[phase.job_of[t]] <= now)
        keeper = FactKeeper()
        slot, first = board.slot_name(phase.name, k), left[0]
        opening = f"{slot} takes {board.task_name(phase.name, t)}"
        if t == first:
            opening += ", the first task in order"
        elif phase.name == "map":
            passed = keeper.name("passed over", board.task_name("map", first))
            opening += f": {passed} is before it in order, but may not run there"
        else:
            job = phase.job_of[first]
            ends = keeper.seconds("maps of the first end", arrival[job])
            opening += f": {names[job]} is first in order, but its maps end only at {ends}"
        keeper.say(opening)
        offers = phase.offers(t)
        asked = [o for o in offers if o.slot in wanted]
        phase.place(asked, (FREE, SLOT), keeper=keeper)
        left.remove(t)
