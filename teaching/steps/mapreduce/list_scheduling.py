"""EASS, EFSS, EFSS-L, TBS and TBS-L ([LJR], section 4), one task after another."""

from __future__ import annotations

from ....heuristics.mapreduce.list_scheduling.orders import OMEGA, Omega, map_lengths
from ....heuristics.mapreduce.list_scheduling.placement import FINISHING, with_reduces
from ....instances.mapreduce.instance import Instance
from ..record import Steps
from ..telling import FactKeeper
from .board import Board
from .orders import by_johnson, by_map_ends, longest_first, regrouped
from .placing import FINISH, FREE, READ, SETUP, SLOT, Criterion, Phase, map_phase, reduce_phase


def eass(instance: Instance, *, omega: Omega = OMEGA) -> Steps:
    """Steps of EASS ([LJR], Algorithm 1)."""
    return _recorded("EASS", instance, omega)


def efss(instance: Instance, *, omega: Omega = OMEGA) -> Steps:
    """Steps of EFSS ([LJR], section 4.2)."""
    return _recorded("EFSS", instance, omega)


def efss_local(instance: Instance, *, omega: Omega = OMEGA) -> Steps:
    """Steps of EFSS-L ([LJR], section 4.4)."""
    return _recorded("EFSS-L", instance, omega)


def tbs(instance: Instance, *, omega: Omega = OMEGA) -> Steps:
    """Steps of TBS ([LJR], Algorithm 3)."""
    return _recorded("TBS", instance, omega)


def tbs_local(instance: Instance, *, omega: Omega = OMEGA) -> Steps:
    """Steps of TBS-L ([LJR], section 4.4)."""
    return _recorded("TBS-L", instance, omega)


def _recorded(method: str, instance: Instance, omega: float) -> Steps:
    board = Board(method, instance)
    i, phase = board.instance, map_phase(board)
    lengths, job_of = map_lengths(i).tolist(), i.map_job.tolist()
    task_based = method.startswith("TBS")
    if task_based:
        order = longest_first(board, lengths)
        _place_maps(phase, order)
        jobs = by_johnson(board, omega, "Every slot now regroups its tasks by job.")
    else:
        jobs = by_johnson(board, omega)
    rank = {job: place for place, job in enumerate(jobs)}

    def by_job(t: int) -> tuple[float, ...]:
        return (rank[job_of[t]], -lengths[t], t)

    maps = phase.placed
    if task_based:
        times = i.phases.map.times(maps.slot).tolist()
        maps = regrouped(
            board,
            maps,
            order,
            times,
            "job, in Johnson's order",
            by_job,
            lambda maps: with_reduces(i, maps, FINISHING).makespan,
        )
    else:
        _place_maps(phase, sorted(range(i.map_tasks), key=by_job))
    phase = reduce_phase(board, maps)
    ready = by_map_ends(board, phase.arrival)
    rank = {job: place for place, job in enumerate(ready)}
    seconds = i.reduce_processing.tolist()
    for t in sorted(range(phase.tasks), key=lambda t: (rank[phase.job_of[t]], -seconds[t], t)):
        keeper = FactKeeper()
        phase.tell_needs(t, keeper)
        phase.place(phase.offers(t), _criteria(phase), keeper=keeper)
    return board.finished(maps, phase.placed)


def _place_maps(phase: Phase, order: list[int]) -> None:
    i, local = phase.board.instance, phase.board.method.endswith("-L")
    for t in order:
        offers, criteria, keeper = phase.offers(t), _criteria(phase), FactKeeper()
        asked = offers
        if local and i.input_mb[t] > 0:
            home = phase.holders(t)
            near = [o for o in offers if i.cluster.map_slot_node[o.slot] in home]
            if near:
                asked, criteria = near, (FREE, SLOT)
        phase.tell_needs(t, keeper)
        phase.place(asked, criteria, offers, unasked="does not hold its input", keeper=keeper)


def _criteria(phase: Phase) -> tuple[Criterion, ...]:
    if phase.board.method == "EASS":
        return (FREE, SLOT)
    end = READ if phase.board.instance.speed_factors is None else FINISH
    return (end, SETUP, FREE, SLOT)
