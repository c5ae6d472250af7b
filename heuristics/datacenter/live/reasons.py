"""Why a job starts on a machine, or waits, in words."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ....core.arrays import IntArray
from ..policy_state import BEST_FIT, BID_PRICE
from ..worth.recipe import LOOKED_AT
from ..worth.tables import worth
from .answers import Reason
from .cluster import Cluster, Job, Machine

SHOWN = 3
"""Machines that come next, in a reason."""


def counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def reason_of(
    cluster: Cluster, job: Job, machine: Machine, text: str, room: int = 0,
    others: Iterable[int] = (),
) -> Reason:  # fmt: skip
    name = cluster.plan.datacenter.classes[job.job_class]
    names = tuple(cluster.machines[place].name for place in others)
    return Reason(f"{name} on {machine.name}: {text}", machine.name, room, names)


def of_arrival(cluster: Cluster, job: Job, draw: float, offers: IntArray) -> Reason:
    """Why a job that arrives starts on the first of the machines that it is offered, or waits."""
    if not len(offers):
        return of_waiting(cluster, job)
    offers = offers[:LOOKED_AT]
    chosen, others = cluster.machines[offers[0]], offers[1 : 1 + SHOWN].tolist()
    if cluster.rule == BID_PRICE:
        room, begin, end, notes = _bid_price(cluster, job, offers)
    elif cluster.rule == BEST_FIT:
        room, end = len(cluster.with_room(job.demand, cluster.plan.runs[job.job_class])), ""
        begin = (
            f"of the {counted(room, 'machine')} with room it has the least free, "
            f"{cluster.share[chosen.place]:.3g} of the largest machine (summed over the resources)"
        )
        notes = [f"with {cluster.share[place]:.3g}" for place in others]
    else:
        room, begin = _lotes(cluster, job, draw, chosen)
        end, notes = "", [f"with {cluster.score[place, job.job_class]}" for place in others]
    listed = [
        f"{cluster.machines[place].name} {note}" for place, note in zip(others, notes, strict=True)
    ]
    text = f"{begin}; next: {', '.join(listed)}{end}" if listed else f"{begin}{end}"
    return reason_of(cluster, job, chosen, text, room, others)


def _lotes(cluster: Cluster, job: Job, draw: float, chosen: Machine) -> tuple[int, str]:
    plan, k, sample = cluster.plan, job.job_class, cluster.options.sample
    drawn, name = cluster.drawn(job, draw), plan.datacenter.classes[k]
    is_there = drawn == chosen.configuration
    allowed = plan.runs[k] & (np.arange(len(plan.runs[k])) == drawn if is_there else True)
    room = len(cluster.with_room(job.demand, allowed))
    if drawn < 0:
        begin = f"no bin has {name}; "
    else:
        part = f"{100 * plan.guidance.proportions[k, drawn]:.3g} % of {name} go there"
        nothing = "" if is_there else "it has no room; "
        begin = f"{plan.datacenter.configurations[drawn]} was drawn ({part}); {nothing}"
    if sample is not None:
        where = f"of {sample} machines looked at, those with room:"
    elif is_there:
        where = f"of its {counted(room, 'machine')} with room"
    else:
        where = f"of the {counted(room, 'machine')} with room elsewhere"
    score, running = _score(cluster, job, chosen)
    return room, (
        f"{begin}{where} it has the highest score, {score}: {counted(score + running, 'job')} of "
        f"the class in its bin, {running} running"
    )


def _score(cluster: Cluster, job: Job, machine: Machine) -> tuple[int, int]:
    """Jobs of the job's class that the machine's bin has above those that run, and the latter."""
    k = job.job_class
    running = sum(other.job_class == k for other in machine.jobs.values())
    return int(cluster.score[machine.place, k]), running


def _bid_price(cluster: Cluster, job: Job, offers: IntArray) -> tuple[int, str, str, list[str]]:
    plan, k, chosen = cluster.plan, job.job_class, cluster.machines[offers[0]]
    assert plan.guidance.class_prices is not None
    tables, bonus = plan.worth
    brings = float(plan.guidance.class_prices.value[k])
    lacks = cluster.score[offers, k] > 0
    costs = (cluster.costs(job, offers) + np.where(lacks, bonus, 0.0)) * tables.unit
    where = cluster.bid_price_places(job)
    room = len(cluster.with_room(job.demand, where))

    def spoils(cost: float) -> str:
        part = cost - brings
        if part <= 0.0005 * brings:
            return "spoils nothing"
        return f"spoils {100 * part / brings:.2g} %" if brings > 0 else "spoils all of it"

    begin = f"takes room worth {costs[0]:.4g} of {brings:.4g} that it brings ({spoils(costs[0])})"
    name = plan.datacenter.classes[k]
    if bonus > 0 and lacks[0]:
        more = cluster.score[chosen.place, k]
        begin += f", and its bin has {more} more of {name} than it runs"
    end = f"; {counted(room, 'machine')} had room, {counted(len(offers), 'shape')} of them priced"
    elsewhere = []
    data = plan.datacenter
    for j in np.flatnonzero(data.fits[k] & ~where).tolist():
        if not len(cluster.with_room(job.demand, np.arange(len(where)) == j)):
            continue
        whole = data.capacity_units[j][None]
        taken = worth(tables, j, whole, 0) - worth(tables, j, whole - data.request_units[k], 0)
        cost = data.mean_time[k, j] * taken * tables.unit
        price = f"{cost / brings:.2g} times what" if brings else "more than"
        elsewhere.append(
            f"; not on {data.configurations[j]}: its room there costs {price} it brings"
        )
    if elsewhere:
        number = sum(map(len, cluster.queues))
        elsewhere.append(f", and {counted(number, 'job')} {'waits' if number == 1 else 'wait'}")
    return room, begin, end + "".join(elsewhere), [spoils(c) for c in costs[1 : 1 + SHOWN]]


def of_turn(cluster: Cluster, job: Job, machine: Machine) -> Reason:
    """Why a waiting job is the next that starts on a machine."""
    score, running = _score(cluster, job, machine)
    if cluster.rule == BEST_FIT:
        why = "is the first in line that fits"
    elif cluster.rule == BID_PRICE:
        why = "is the first in line that fits and belongs there"
        if score > 0:
            why = "is the first in line that fits and of whose class its bin has more than it runs"
    elif job.stray:
        why = "fits no machine of its plan, and is the first such job that fits here"
    else:
        why = (
            "is the first of its class, which has the highest score here of those that wait and "
            f"fit, {score}: {counted(score + running, 'job')} in the bin, {running} running"
        )
    text = f"it waited until {machine.name} had room, and {why}"
    return reason_of(cluster, job, machine, text, 1)


def of_waiting(cluster: Cluster, job: Job) -> Reason:
    data, runs = cluster.plan.datacenter, cluster.plan.runs[job.job_class]
    able = [machine for machine in cluster.machines if runs[machine.configuration]]
    room = cluster.with_room(job.demand, runs)
    draining = sum(machine.draining for machine in able)
    before = sum(other.rank < job.rank for queue in cluster.queues for other in queue)
    text = f"{data.classes[job.job_class]} waits: "
    if len(room):
        where = ", ".join(data.configurations[j] for j in np.unique(cluster.configuration[room]))
        why = "not for its class" if cluster.options.sample is None else "not looked at"
        text += f"{counted(len(room), 'machine')} with room, of {where}: {why}"
    else:
        text += f"none of {counted(len(able), 'machine')} that can run it has room"
    if draining:
        text += f"; {counted(draining, 'machine')} draining"
    if before:
        text += f"; {counted(before, 'job')} before it"
    return Reason(text, None, len(room))
