"""Recorders of dispatching policies, and the jobs that a page follows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ....core.errors import InputError
from ....instances.datacenter.datacenter import Datacenter
from ....instances.datacenter.guidance import Guidance
from ....instances.datacenter.workload import Workload
from ....solvers.datacenter.jobs_asked import JobsAsked, plan_for
from ..record import Steps
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

    `trace`: the jobs, or a file of them as `simulate --trace` takes; None to draw them.
    `guidance`: the plan, or its file; None to make one.
    `jobs`: number of jobs: None for `JOBS`, or for the whole trace.
    `load`: arrivals as a part of the highest rate, `LOAD` if they are drawn.
    Raises `InputError` for more machines or jobs than can be followed, and what `JobsAsked`
    refuses.
    """
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


def _recorder(
    method: str, rule: Callable[[Cluster, Any, int], Rule], *, follows_plan: bool = True
) -> Callable[..., Steps]:
    """The recorder of a policy; its rule is made of machines, plan and the seed of its draws."""

    def record(
        datacenter: Datacenter,
        *,
        trace: Workload | str | Path | None = None,
        guidance: Guidance | str | Path | None = None,
        jobs: int | None = None,
        load: float | None = None,
        noise: float = 0.0,
        seed: int = 0,
    ) -> Steps:
        """One step for every arrival, and for every job that starts after an exit."""
        if isinstance(trace, Workload) and not follows_plan:
            check_size(datacenter, trace.jobs)
            workload, plan = trace, None  # only drawing jobs needs a plan
        else:
            workload, plan = arrivals(
                datacenter,
                trace=trace,
                guidance=guidance,
                jobs=jobs,
                load=load,
                noise=noise,
                seed=seed,
            )
        followed = plan if follows_plan else None
        return play(workload, rule(Cluster(workload, followed), followed, seed), method)

    return record


lotes = _recorder("lotes", lambda cluster, plan, seed: Lotes(cluster, plan, seed, restricted=True))
"""LoTES's dispatcher ([LoTES], section 4.3)."""

lotes_unrestricted = _recorder(
    "lotes-unrestricted",
    lambda cluster, plan, seed: Lotes(cluster, plan, seed, restricted=False),
)
"""LoTES's dispatcher that on exits starts any class."""

bid_price = _recorder("bid-price", lambda cluster, plan, _: BidPrice(cluster, plan))
"""Dispatching by prices (docs/heuristics/dispatch.md)."""

first_fit = _recorder("first-fit", lambda cluster, *_: FirstFit(cluster), follows_plan=False)
"""First fit."""

best_fit = _recorder("best-fit", lambda cluster, *_: BestFit(cluster), follows_plan=False)
"""Best fit."""

tetris = _recorder("tetris", lambda cluster, *_: Tetris(cluster), follows_plan=False)
"""Tetris ([Tetris], as in [LoTES], section 5.2)."""
