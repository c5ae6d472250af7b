"""Recorders of dispatching policies, and the jobs that a page follows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from .....instances.datacenter.datacenter import Datacenter
from .....instances.datacenter.guidance import Guidance
from .....instances.datacenter.workload import Workload
from .....solvers.guidance.jobs_asked import JobsAsked, plan_for
from ...record import Steps
from .bid_price import BidPrice
from .cluster import Cluster
from .lotes import Lotes
from .play import check_size, play
from .queue_rules import BestFit, FirstFit, Tetris

JOBS, LOAD = 40, 1.5
"""What is drawn unless somebody asks for other jobs: few, and enough at a time for a queue."""


def arrivals(
    datacenter: Datacenter,
    asked: JobsAsked | None = None,
    guidance: Guidance | str | Path | None = None,
) -> tuple[Workload, Guidance]:
    """The jobs that a page follows, and the plan.

    Parameters
    ----------
    datacenter
        The datacenter.
    asked
        What jobs; without a load, rate or trace at `LOAD`, without a number `JOBS`.
    guidance
        The plan or its file, None to make one.

    Returns
    -------
    tuple[Workload, Guidance]
        The jobs and the plan.

    Raises
    ------
    InputError
        For more machines or jobs than can be followed, and what `JobsAsked` refuses.
    """
    asked = JobsAsked() if asked is None else asked
    asked.check("--")
    check_size(datacenter, asked.jobs or 0)
    if asked.trace is None and asked.jobs is None:
        asked = replace(asked, jobs=JOBS)
    if (asked.load, asked.rate, asked.trace) == (None, None, None):
        asked = replace(asked, load=LOAD)
    replayed = asked.replayed(datacenter)
    if isinstance(guidance, Guidance):
        plan = guidance
    else:
        plan = plan_for(datacenter, guidance, asked.spread(replayed))
    workload = asked.drawn(datacenter, plan) if replayed is None else replayed
    check_size(datacenter, workload.jobs)
    return workload, plan


def _given(
    datacenter: Datacenter,
    workload: Workload | None,
    guidance: Guidance | None,
    seed: int,
    *,
    needed: bool = True,
) -> tuple[Workload, Guidance | None]:
    """The jobs and, if it is needed, the plan, as far as nobody gave them."""
    if workload is None:
        workload, plan = arrivals(datacenter, JobsAsked(seed=seed), guidance)
        return workload, plan
    check_size(workload.datacenter, workload.jobs)
    return workload, plan_for(datacenter) if guidance is None and needed else guidance


def _lotes(
    datacenter: Datacenter,
    workload: Workload | None,
    guidance: Guidance | None,
    seed: int,
    *,
    restricted: bool,
) -> Steps:
    workload, plan = _given(datacenter, workload, guidance, seed)
    assert plan is not None
    rule = Lotes(Cluster(workload, plan), plan, seed, restricted=restricted)
    return play(workload, rule, "lotes" if restricted else "lotes-unrestricted")


def lotes(
    datacenter: Datacenter,
    *,
    workload: Workload | None = None,
    guidance: Guidance | None = None,
    seed: int = 0,
) -> Steps:
    """Record LoTES's dispatcher ([LoTES], section 4.3).

    Parameters
    ----------
    datacenter
        The datacenter.
    workload
        Its jobs, None to draw `JOBS` at `LOAD`.
    guidance
        The plan, None to make one.
    seed
        Of the policy's draws, and of the jobs if they are drawn.

    Returns
    -------
    Steps
        The outcome is a `Dispatched`.

    Raises
    ------
    InputError
        For a plan of another datacenter, and for what `arrivals` refuses.
    """
    return _lotes(datacenter, workload, guidance, seed, restricted=True)


def lotes_unrestricted(
    datacenter: Datacenter,
    *,
    workload: Workload | None = None,
    guidance: Guidance | None = None,
    seed: int = 0,
) -> Steps:
    """Record LoTES that on exits starts any class.

    Parameters
    ----------
    datacenter, workload, guidance, seed
        As for `lotes`.
    """
    return _lotes(datacenter, workload, guidance, seed, restricted=False)


def bid_price(
    datacenter: Datacenter,
    *,
    workload: Workload | None = None,
    guidance: Guidance | None = None,
    seed: int = 0,
) -> Steps:
    """Record dispatching by prices (docs/heuristics/dispatch.md).

    Parameters
    ----------
    datacenter, workload, guidance, seed
        As for `lotes`.
    """
    workload, plan = _given(datacenter, workload, guidance, seed)
    assert plan is not None
    return play(workload, BidPrice(Cluster(workload, plan), plan), "bid-price")


def first_fit(datacenter: Datacenter, *, workload: Workload | None = None, seed: int = 0) -> Steps:
    """Record first fit.

    Parameters
    ----------
    datacenter, workload, seed
        As for `lotes`.
    """
    workload, _ = _given(datacenter, workload, None, seed, needed=False)
    return play(workload, FirstFit(Cluster(workload, None)), "first-fit")


def best_fit(datacenter: Datacenter, *, workload: Workload | None = None, seed: int = 0) -> Steps:
    """Record best fit.

    Parameters
    ----------
    datacenter, workload, seed
        As for `lotes`.
    """
    workload, _ = _given(datacenter, workload, None, seed, needed=False)
    return play(workload, BestFit(Cluster(workload, None)), "best-fit")


def tetris(
    datacenter: Datacenter,
    *,
    workload: Workload | None = None,
    seed: int = 0,
    gamma: float | None = None,
) -> Steps:
    """Record Tetris.

    Parameters
    ----------
    datacenter, workload, seed
        As for `lotes`.
    gamma
        As in `simulate`.
    """
    workload, _ = _given(datacenter, workload, None, seed, needed=False)
    return play(workload, Tetris(Cluster(workload, None), gamma), "tetris")
