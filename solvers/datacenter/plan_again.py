"""A plan made anew from what arrived lately, and whether it would have done better there.

Shares, sizes and durations of the classes are learnt with exponential forgetting: a job counts half
as much for every half-life since it arrived. Sizes and durations stay as they are until they differ
by more than `CLEAR` standard errors, so that exact requests stay exact.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from ...core.arrays import BoolArray, FloatArray, IntArray
from ...core.errors import InputError
from ...heuristics.datacenter import REHEARSAL_SEEDS
from ...heuristics.datacenter.live.dispatcher import POLICIES
from ...heuristics.datacenter.simulator import simulate
from ...heuristics.datacenter.worth.recipe import mean_duration
from ...instances.datacenter.datacenter import Datacenter
from ...instances.datacenter.drawing import fits_somewhere
from ...instances.datacenter.guidance import Guidance
from ...instances.datacenter.rehearsal import Candidate, Rehearsal
from ...instances.datacenter.spread import spread_of
from ...instances.datacenter.workload import BLOCK, Jobs, Workload
from .column_generation import NoRate
from .guide import guide
from .rehearse import rehearse

LEAST_ARRIVALS = 100
"""Fewer say too little."""

PRIOR = 20.0
"""The old plan counts as much as so many jobs."""

CLEAR = 2.0
LOADS = 0.5, 0.98
"""Loads between which a rehearsal is held."""

WORSE, HARDLY = 1.05, 1e-3
"""A plan is worse if jobs wait longer by this factor, and by so many mean durations."""

SHORTEST = 1e-9
"""Mean durations that a job takes at least: clocks may be set back."""

SECONDS_TO_PLAN = 10.0


@dataclass(frozen=True)
class Recent:
    """Jobs of a service, n of them, with K classes, M configurations and R resources; times in the
    datacenter's unit."""

    job_class: IntArray
    """Shape (n,)."""
    configuration: IntArray
    """Where it ran, -1 if it has not started, shape (n,)."""
    arrived: FloatArray
    started: FloatArray
    ended: FloatArray
    """`arrived`, `started`, `ended`: nan for what has not happened, shape (n,)."""
    demand: FloatArray
    """Shape (n, R)."""
    since: float
    now: float
    """`since`, `now`: all jobs that were there between these times are among them."""


@dataclass(frozen=True)
class PlannedAgain:
    """A new plan beside the one that is followed."""

    plan: Guidance
    is_worse: bool
    """Whether its jobs would have waited longer."""
    wait_before: float
    wait_after: float
    """`wait_before`, `wait_after`: mean waits of the recent arrivals under both plans."""
    arrivals: int
    """Their number."""


def plan_again(
    followed: Guidance, policy: str, recent: Recent, count: IntArray, half_life: float
) -> PlannedAgain:
    """Plan for what arrived lately, and replay it under both plans.

    `count`: machines of each configuration that are there now, shape (M,).
    Raises `InputError` if too little arrived, or no plan was found.
    """
    old = _followable(for_machines(followed, count))
    number = int((recent.arrived >= recent.since).sum())
    if number < LEAST_ARRIVALS:
        raise InputError(f"{number} arrivals since the last hours began: need {LEAST_ARRIVALS}")
    datacenter = learned(old.datacenter, recent, half_life)
    workload = workload_of(datacenter, recent)
    if not workload.jobs:
        raise InputError("none of the jobs that arrived fits a machine")
    spread = round(spread_of(workload), 2)
    new = guide(datacenter, spread=spread, time_limit=SECONDS_TO_PLAN)
    if isinstance(new, NoRate):
        raise InputError(f"no plan: {new}")
    if followed.rehearsal is not None:
        load = number / (recent.now - recent.since) / new.arrival_rate_bound
        new = _followable(
            rehearse(
                new,
                load=float(np.clip(load, *LOADS)),
                noise=spread,
                seeds=_seeds(followed.rehearsal),
                seed=followed.rehearsal.seed + 1,
            )
        )
        if new.rehearsal is None:  # time was over before any run: the winner stays
            new = replace(new, rehearsal=old.rehearsal)
    waits = [simulate(workload, policy, guidance=plan).mean_wait for plan in (old, new)]
    mean = mean_duration(datacenter.share.tolist(), datacenter.mean_time.tolist())
    is_worse = not waits[1] <= max(waits[0] * WORSE, waits[0] + HARDLY * mean)
    return PlannedAgain(new, is_worse, waits[0], waits[1], number)


def _seeds(last: Rehearsal) -> int:
    """Seeds of the next rehearsal; of one on redrawn jobs the number was for other runs."""
    return REHEARSAL_SEEDS if last.load is None else max(2, last.seeds)


def _followable(plan: Guidance) -> Guidance:
    """The plan with the best candidate that a dispatcher can follow as the winner."""
    rehearsal = plan.rehearsal
    if rehearsal is None or rehearsal.winner.policy in POLICIES:
        return plan
    known = (row.candidate for row in rehearsal.rows if row.candidate.policy in POLICIES)
    return replace(plan, rehearsal=replace(rehearsal, winner=next(known, Candidate("best-fit"))))


def learned(datacenter: Datacenter, recent: Recent, half_life: float) -> Datacenter:
    """The datacenter with the classes as they arrived lately."""
    classes = len(datacenter.classes)
    weight = 0.5 ** ((recent.now - recent.arrived) / half_life)
    arrivals = np.bincount(recent.job_class, weight, classes)
    total = datacenter.share.sum()
    share = arrivals + PRIOR * datacenter.share / total
    request, stretch = datacenter.request.copy(), np.ones(classes)
    started = recent.configuration >= 0
    has_ended = ~np.isnan(recent.ended)
    until = np.where(has_ended, recent.ended, recent.now)
    for k in range(classes):
        own = recent.job_class == k
        if own.any():
            request[k] = _sizes(datacenter.request[k], recent.demand[own], weight[own])
        ran = own & started
        usual = datacenter.mean_time[k, recent.configuration[ran]]
        parts = (until[ran] - recent.started[ran]) / usual
        stretch[k] = _stretch(parts, has_ended[ran], weight[ran])
    made = replace(
        datacenter,
        share=share * (total / share.sum()),
        request=request,
        mean_time=datacenter.mean_time * stretch[:, None],
    )
    # The mean of demands that fit different machines may fit none.
    fits = made.fits.any(axis=1, keepdims=True)
    return replace(made, request=np.where(fits, request, datacenter.request))


def _sizes(usual: FloatArray, demand: FloatArray, weight: FloatArray) -> FloatArray:
    """What a job of a class needs, shape (R,)."""
    mean = np.average(demand, axis=0, weights=weight)
    error = np.sqrt(np.average((demand - mean) ** 2, axis=0, weights=weight) / _number(weight))
    # A resource that a class begins or ceases to ask for would change where it can run.
    differs = (np.abs(mean - usual) > CLEAR * error + 1e-3 * usual) & (mean > 0) & (usual > 0)
    total = weight.sum()
    sizes: FloatArray = np.where(differs, (PRIOR * usual + total * mean) / (PRIOR + total), usual)
    return sizes


def _stretch(parts: FloatArray, has_ended: BoolArray, weight: FloatArray) -> float:
    """How many times as long as planned a class takes: time that jobs ran, over their ends.

    Jobs that still run count with the time so far: their ends are still to come.
    `parts`: the times in parts of the planned means.
    """
    ends = weight[has_ended]
    if len(ends) < 2:
        return 1.0
    longer = (PRIOR + float(weight @ parts)) / (PRIOR + float(ends.sum()))
    return longer if abs(longer - 1) > CLEAR * longer / np.sqrt(_number(ends)) else 1.0


def _number(weight: FloatArray) -> float:
    """How many jobs of equal weight would say as much."""
    return float(weight.sum() ** 2 / (weight**2).sum())


def workload_of(datacenter: Datacenter, recent: Recent) -> Workload:
    """The jobs of the last hours, beginning with those that ran then.

    A job that still runs ends after the mean duration from now on.
    """
    demand = datacenter.in_units(recent.demand)
    k = recent.job_class
    can_run = np.isfinite(datacenter.mean_time)
    first = datacenter.mean_time[k, can_run.argmax(axis=1)[k]]
    at = np.where(recent.configuration >= 0, recent.configuration, can_run.argmax(axis=1)[k])
    there = datacenter.mean_time[k, at]
    began = np.where(np.isnan(recent.started), recent.now, recent.started)
    ended = np.where(np.isnan(recent.ended), np.maximum(began, recent.now) + there, recent.ended)
    kept = fits_somewhere(datacenter, recent.job_class, demand) & (ended > recent.since)
    runs = kept & (began < recent.since)
    left = np.maximum(ended - np.maximum(began, recent.since), SHORTEST * there) * first / there

    def jobs(chosen: BoolArray) -> Jobs:
        arrival = np.maximum(recent.arrived[chosen] - recent.since, 0.0)
        order = np.argsort(arrival, kind="stable")
        columns = (arrival, k[chosen], left[chosen], demand[chosen])
        return Jobs._make(np.ascontiguousarray(column[order]) for column in columns)

    arriving = jobs(kept & ~runs)
    running = jobs(runs)._replace(arrival=np.zeros(int(runs.sum())))

    def blocks() -> Iterator[Jobs]:
        for start in range(0, len(arriving.arrival), BLOCK):
            yield Jobs._make(column[start : start + BLOCK] for column in arriving)

    length = float(arriving.arrival[-1]) if len(arriving.arrival) else 0.0
    return Workload(
        datacenter,
        len(arriving.arrival),
        length,
        "recent arrivals",
        blocks,
        running=running if len(running.arrival) else None,
    )


def for_machines(plan: Guidance, count: IntArray) -> Guidance:
    """The plan for other numbers of machines, as a dispatcher follows it.

    Those that are gone had the last bins, those that have joined have empty ones.
    """
    datacenter = plan.datacenter
    if (count == datacenter.count).all():
        return plan
    place, machines, jobs = [], [], []
    left = count.copy()
    rows = zip(plan.bin_configuration, plan.bin_machines, plan.bin_jobs, strict=True)
    for j, number, row in rows:
        taken = min(int(number), int(left[j]))
        left[j] -= taken
        place.append(j)
        machines.append(taken)
        jobs.append(row)
    for j in np.flatnonzero(left):
        place.append(j)
        machines.append(int(left[j]))
        jobs.append(np.zeros_like(plan.bin_jobs[0]))
    return replace(
        plan,
        datacenter=replace(datacenter, count=count),
        bin_configuration=np.array(place),
        bin_machines=np.array(machines),
        bin_jobs=np.array(jobs),
    )


def changes(old: Guidance, new: Guidance) -> list[str]:
    """What a plan says otherwise, in lines."""
    was, now = old.datacenter, new.datacenter
    unit = was.time_unit
    lines = []
    for k, name in enumerate(was.classes):
        parts = [_change("share", was.share[k], now.share[k])]
        for r, resource in enumerate(was.resources):
            parts.append(_change(resource, was.request[k, r], now.request[k, r]))
        can_run = np.isfinite(was.mean_time[k])
        times = was.mean_time[k, can_run][:1], now.mean_time[k, can_run][:1]
        parts += [_change(f"time ({unit})", *map(float, pair)) for pair in zip(*times, strict=True)]
        if any(parts):
            lines.append(f"{name}: {', '.join(filter(None, parts))}")
    for j, name in enumerate(was.configurations):
        if was.count[j] != now.count[j]:
            lines.append(f"{name}: machines {was.count[j]} -> {now.count[j]}")
    if old.rehearsal is not None and new.rehearsal is not None:
        winners = str(old.rehearsal.winner), str(new.rehearsal.winner)
        if winners[0] != winners[1]:
            lines.append(f"policy: {winners[0]} -> {winners[1]}")
    return lines


def _change(what: str, was: float, now: float) -> str:
    """Nothing if it would be shown as the same."""
    before, after = f"{was:.3g}", f"{now:.3g}"
    return "" if before == after else f"{what} {before} -> {after}"
