"""The reduce tasks of SMSO ([SMSO], Algorithm 2), recorded: each to the slot that is free first."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ....core.arrays import IntArray
from ....core.wording import listed
from ....heuristics.mapreduce.smso.reading import Reading
from ....instances.mapreduce.instance import Instance
from ....instances.mapreduce.schedule import PhaseSchedule
from ....instances.mapreduce.setups import reduce_setups
from ..record import Step
from .board import Board, FactKeeper, blank, map_ends, put
from .first_free import Turn, candidates, how_it_ends, whose_turn
from .job_orders import release_step


def placed_reduces(
    board: Board,
    instance: Instance,
    maps: PhaseSchedule,
    reading: Reading,
    planned: IntArray | None = None,
    *,
    job_on_one_slot: bool = False,
) -> PhaseSchedule:
    """Place the reduce tasks, jobs as their maps end, the longest task of a job first.

    `planned`: the slot of each task before the last heartbeat, None if there was none.
    `job_on_one_slot`: whether one slot takes all reduce tasks of a job, as the algorithm says
    literally.
    """
    cluster, job_of = instance.cluster, instance.reduce_job
    release = map_ends(instance, maps)
    usable = np.ones(len(cluster.reduce_slot_node), dtype=bool)
    if instance.outages is not None:
        usable = ~instance.outages.reduce
    setups = reduce_setups(instance, cluster.map_slot_node[maps.slot])[:, cluster.reduce_slot_node]
    seconds = instance.reduce_processing
    jobs, _, step = release_step(instance, maps.end.tolist())
    if step is not None:
        board.add(step)
    rank = {job: place for place, job in enumerate(jobs)}
    order = sorted(
        range(instance.reduce_tasks), key=lambda w: (rank[int(job_of[w])], -float(seconds[w]), w)
    )
    free = np.where(usable, 0.0, np.inf)
    placed = blank(instance.reduce_tasks)
    slot_of_job: dict[int, int] = {}
    staying: list[int] = []
    for w in order:
        job = int(job_of[w])
        first = min(np.flatnonzero(usable).tolist(), key=lambda k: (free[k], k))
        k = slot_of_job.setdefault(job, first) if job_on_one_slot else first
        stays = reading.reduces == "stay" and planned is not None and bool(usable[planned[w]])
        if stays and planned is not None:
            k = int(planned[w])
        start = max(float(free[k]), float(release[job]))
        end = start + float(setups[job, k]) + float(seconds[w])
        put(placed, w, k, (start, float(setups[job, k]), end))
        if stays:
            staying.append(w)
        else:
            _add_staying(board, staying, placed)
            staying = []
            times = setups[job], np.full(len(free), seconds[w])
            wanted = np.flatnonzero(usable).tolist()
            turn = Turn("reduce", k, w, float(release[job]), free.copy(), *times, usable, wanted)
            before = -1 if planned is None else int(planned[w])
            board.add(_step(board, turn, placed, before), ("reduce", w))
        free[k] = end
    _add_staying(board, staying, placed)
    return placed


def _step(board: Board, turn: Turn, placed: PhaseSchedule, before: int) -> Step:
    """The step of a task; `before` is its slot before the heartbeat, -1 if there was none."""
    w, k, phase = turn.task, turn.slot, turn.phase
    name, slot = board.task_name(phase, w), board.slot_name(phase, k)
    keeper = FactKeeper()
    is_free_first = turn.free[k] == turn.free[turn.wanted].min()
    text = [whose_turn(board, turn, keeper) if is_free_first else _bound(board, turn, keeper)]
    wait = turn.ready - float(turn.free[k])
    if wait > 0:
        ready = keeper.seconds("its job's maps have ended", turn.ready)
        by = f", {keeper.seconds('waits for', wait)}" if wait < turn.ready else ""
        text.append(f"{name} waits there for the last map task of its job{by}, until {ready}.")
    else:
        text.append(f"{name} comes next.")
    text.append(how_it_ends(board, turn, keeper, "SMSO"))
    shown, chosen, left_out, loser = candidates(board, turn)
    moves = before not in (-1, k)
    return Step(
        kind="move" if moves else "place",
        title=(
            f"{name} moves from {board.slot_name(phase, before)} to {slot}"
            if moves
            else f"{name} to {slot}"
        ),
        rule=turn.rule() if is_free_first else "one slot for a job",
        text=" ".join(text),
        candidates=shown,
        chosen=chosen,
        loser=loser,
        left_out=left_out,
        facts=keeper.facts,
        rows=(board.row(phase, w, placed),),
    )


def _bound(board: Board, turn: Turn, keeper: FactKeeper) -> str:
    """A slot is sought once for a job, so that its other tasks have no choice."""
    k, phase = turn.slot, turn.phase
    first = min(turn.wanted, key=lambda j: (turn.free[j], j))
    sooner = keeper.seconds("free sooner by", float(turn.free[k] - turn.free[first]))
    return (
        f"{keeper.name('listing', 'Algorithm 2')} looks for a slot once for a job, so this task, "
        f"too, goes to "
        f"{board.slot_name(phase, k)}; {board.slot_name(phase, first)} is free {sooner} sooner."
    )


def _add_staying(board: Board, tasks: Sequence[int], placed: PhaseSchedule) -> None:
    """One step for tasks that stay on their slots, one after another."""
    if not tasks:
        return
    keeper = FactKeeper()
    names = [board.task_name("reduce", w) for w in tasks]
    last = max(tasks, key=lambda w: (placed.end[w], w))
    end = keeper.seconds("last end", float(placed.end[last]))
    stay = "stays" if len(tasks) == 1 else "stay"
    where = "its slot" if len(tasks) == 1 else "their slots"
    board.add(
        Step(
            kind="place",
            title=f"{listed(names, 3)} {stay}",
            rule="tasks of slots that are left stay",
            text=(
                f"{listed(names)} {stay} on {where}, in turn after the map tasks of the job. "
                f"The last to end is {board.task_name('reduce', last)}, at {end}."
            ),
            facts=keeper.facts,
            rows=board.rows("reduce", tasks, placed),
            phase="reduce",
        )
    )
