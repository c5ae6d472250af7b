"""Recorders of dispatching policies, and the jobs that a page follows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from .....instances.datacenter.datacenter import Datacenter
from .....instances.datacenter.guidance import Guidance
from .....instances.datacenter.workload import Workload
from .....instances.errors import InputError
from .....instances.needs import need
from .....solvers.guidance.jobs_asked import JobsAsked, plan_for
from ...record import Steps
from . import JOBS, LOAD
from .bid_price import BidPrice
from .cluster import Cluster
from .lotes import Lotes
from .play import Rule, check_size, play
from .queue_rules import BestFit, FirstFit, Tetris


def arrivals(
    datacenter: Datacenter,
    *,
    trace: Workload | str | Path | None = None,
    guidance: Guidance | str | Path | None = None,
    jobs: int | None = None,
    load: float | None = None,
    noise: float = 0.0,
    seed: int = 0,
) -> tuple[Workload, Guidance]:
    """The jobs that a page follows, and the plan.

    Parameters
    ----------
    datacenter
        The datacenter.
    trace
        The jobs, or a file of them as `simulate --trace` takes; None to draw them.
    guidance
        The plan, or its file; None to make one.
    jobs
        Number of jobs: None for `JOBS`, or for the whole trace.
    load
        Arrivals as a part of the highest rate, `LOAD` if they are drawn.
    noise
        Coefficient of variation of the drawn jobs' demands.
    seed
        Of the drawn jobs.

    Returns
    -------
    tuple[Workload, Guidance]
        The jobs and the plan.

    Raises
    ------
    InputError
        For more machines or jobs than can be followed, and what `JobsAsked` refuses.
    """
    need("steps", datacenter, Datacenter)
    for name, given, kind in (("trace", trace, Workload), ("guidance", guidance, Guidance)):
        if not (given is None or isinstance(given, str | Path | kind)):
            raise InputError(f"{name}: need the name of a file, got {given!r}")
    check_size(datacenter, jobs or 0)
    if isinstance(trace, Workload):
        workload, spread = trace, 0.0
    else:
        drawn = trace is None
        asked = JobsAsked(
            load=LOAD if load is None and drawn else load,
            trace=trace,
            jobs=JOBS if jobs is None and drawn else jobs,
            seed=seed,
            noise=noise,
        )
        asked.check()
        replayed = asked.replayed(datacenter)
        spread = asked.spread(replayed)
        if replayed is None:
            plan = _plan(datacenter, guidance, spread)
            return asked.drawn(datacenter, plan), plan
        workload = replayed
    check_size(datacenter, workload.jobs)
    return workload, _plan(datacenter, guidance, spread)


def _plan(
    datacenter: Datacenter, guidance: Guidance | str | Path | None, spread: float
) -> Guidance:
    if isinstance(guidance, Guidance):
        return guidance
    return plan_for(datacenter, guidance, spread)


def _with_plan(
    method: str,
    datacenter: Datacenter,
    rule: Callable[[Cluster, Guidance], Rule],
    **asked: Any,
) -> Steps:
    """Record a policy that follows a plan."""
    workload, plan = arrivals(datacenter, **asked)
    return play(workload, rule(Cluster(workload, plan), plan), method)


def _without_plan(
    method: str,
    datacenter: Datacenter,
    rule: Callable[[Cluster], Rule],
    **asked: Any,
) -> Steps:
    """Record a policy without a plan; only drawing jobs needs one."""
    need("steps", datacenter, Datacenter)
    trace = asked["trace"]
    if isinstance(trace, Workload):
        check_size(datacenter, trace.jobs)
        workload = trace
    else:
        workload, _ = arrivals(datacenter, **asked)
    return play(workload, rule(Cluster(workload, None)), method)


def lotes(
    datacenter: Datacenter,
    *,
    trace: Workload | str | Path | None = None,
    guidance: Guidance | str | Path | None = None,
    jobs: int | None = None,
    load: float | None = None,
    noise: float = 0.0,
    seed: int = 0,
) -> Steps:
    """Record LoTES's dispatcher ([LoTES], section 4.3).

    Parameters
    ----------
    datacenter
        The datacenter.
    trace, guidance, jobs, load, noise
        As for `arrivals`.
    seed
        Of the drawn jobs and of the policy's own draws.

    Returns
    -------
    Steps
        One step for every arrival, and for every job that starts after an exit. The outcome is a
        `Dispatched`.

    Raises
    ------
    InputError
        As `arrivals`, and for a plan of another datacenter.
    """
    return _with_plan(
        "lotes",
        datacenter,
        lambda cluster, plan: Lotes(cluster, plan, seed, restricted=True),
        trace=trace,
        guidance=guidance,
        jobs=jobs,
        load=load,
        noise=noise,
        seed=seed,
    )


def lotes_unrestricted(
    datacenter: Datacenter,
    *,
    trace: Workload | str | Path | None = None,
    guidance: Guidance | str | Path | None = None,
    jobs: int | None = None,
    load: float | None = None,
    noise: float = 0.0,
    seed: int = 0,
) -> Steps:
    """Record LoTES's dispatcher that on exits starts any class.

    Parameters
    ----------
    datacenter
        The datacenter.
    trace, guidance, jobs, load, noise
        As for `arrivals`.
    seed
        Of the drawn jobs and of the policy's own draws.

    Returns
    -------
    Steps
        One step for every arrival, and for every job that starts after an exit. The outcome is a
        `Dispatched`.

    Raises
    ------
    InputError
        As `arrivals`, and for a plan of another datacenter.
    """
    return _with_plan(
        "lotes-unrestricted",
        datacenter,
        lambda cluster, plan: Lotes(cluster, plan, seed, restricted=False),
        trace=trace,
        guidance=guidance,
        jobs=jobs,
        load=load,
        noise=noise,
        seed=seed,
    )


def bid_price(
    datacenter: Datacenter,
    *,
    trace: Workload | str | Path | None = None,
    guidance: Guidance | str | Path | None = None,
    jobs: int | None = None,
    load: float | None = None,
    noise: float = 0.0,
    seed: int = 0,
) -> Steps:
    """Record dispatching by prices (docs/heuristics/dispatch.md).

    Parameters
    ----------
    datacenter
        The datacenter.
    trace, guidance, jobs, load, noise
        As for `arrivals`.
    seed
        Of the drawn jobs and of the policy's own draws.

    Returns
    -------
    Steps
        One step for every arrival, and for every job that starts after an exit. The outcome is a
        `Dispatched`.

    Raises
    ------
    InputError
        As `arrivals`, and for a plan of another datacenter.
    """
    return _with_plan(
        "bid-price",
        datacenter,
        BidPrice,
        trace=trace,
        guidance=guidance,
        jobs=jobs,
        load=load,
        noise=noise,
        seed=seed,
    )


def first_fit(
    datacenter: Datacenter,
    *,
    trace: Workload | str | Path | None = None,
    guidance: Guidance | str | Path | None = None,
    jobs: int | None = None,
    load: float | None = None,
    noise: float = 0.0,
    seed: int = 0,
) -> Steps:
    """Record first fit.

    Parameters
    ----------
    datacenter
        The datacenter.
    trace, guidance, jobs, load, noise, seed
        As for `arrivals`.

    Returns
    -------
    Steps
        As `lotes`.

    Raises
    ------
    InputError
        As `arrivals`.
    """
    return _without_plan(
        "first-fit",
        datacenter,
        FirstFit,
        trace=trace,
        guidance=guidance,
        jobs=jobs,
        load=load,
        noise=noise,
        seed=seed,
    )


def best_fit(
    datacenter: Datacenter,
    *,
    trace: Workload | str | Path | None = None,
    guidance: Guidance | str | Path | None = None,
    jobs: int | None = None,
    load: float | None = None,
    noise: float = 0.0,
    seed: int = 0,
) -> Steps:
    """Record best fit.

    Parameters
    ----------
    datacenter
        The datacenter.
    trace, guidance, jobs, load, noise, seed
        As for `arrivals`.

    Returns
    -------
    Steps
        As `lotes`.

    Raises
    ------
    InputError
        As `arrivals`.
    """
    return _without_plan(
        "best-fit",
        datacenter,
        BestFit,
        trace=trace,
        guidance=guidance,
        jobs=jobs,
        load=load,
        noise=noise,
        seed=seed,
    )


def tetris(
    datacenter: Datacenter,
    *,
    trace: Workload | str | Path | None = None,
    guidance: Guidance | str | Path | None = None,
    jobs: int | None = None,
    load: float | None = None,
    noise: float = 0.0,
    seed: int = 0,
) -> Steps:
    """Record Tetris ([Tetris], as in [LoTES], section 5.2).

    Parameters
    ----------
    datacenter
        The datacenter.
    trace, guidance, jobs, load, noise, seed
        As for `arrivals`.

    Returns
    -------
    Steps
        As `lotes`.

    Raises
    ------
    InputError
        As `arrivals`.
    """
    return _without_plan(
        "tetris",
        datacenter,
        Tetris,
        trace=trace,
        guidance=guidance,
        jobs=jobs,
        load=load,
        noise=noise,
        seed=seed,
    )
