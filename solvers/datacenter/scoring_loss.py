"""How long pods would wait by weights of kube-scheduler's scoring, and by the best policy known."""

from __future__ import annotations

from dataclasses import dataclass, replace
from statistics import fmean

import numpy as np

from ...core.clock import Clock
from ...heuristics.datacenter import REHEARSAL_TIME, WARM_UP
from ...heuristics.datacenter.policies.guided import with_parameters
from ...heuristics.datacenter.policies.most_allocated import MOST_ALLOCATED
from ...heuristics.datacenter.policy import AnyPolicy
from ...heuristics.datacenter.simulator import simulate
from ...instances.datacenter.guidance import Guidance
from ...instances.datacenter.workload import Workload, poisson

MOST_RUNS = 3
STREAM = 28_658
"""Seeds of the jobs are drawn from this and that of the rehearsal."""


@dataclass(frozen=True)
class ScoringLoss:
    """Mean waits on the same jobs, in the datacenter's time unit."""

    weights: float
    """By the weights."""
    winner: float
    """By the winner of the rehearsal."""
    runs: int
    """Over so many runs; 0 if none was done in time."""


def scoring_loss(guidance: Guidance, time_limit: float = REHEARSAL_TIME) -> ScoringLoss:
    """Run the weights and the winner of a plan's rehearsal on jobs as in the rehearsal."""
    rehearsal = guidance.rehearsal
    assert rehearsal is not None
    assert rehearsal.load is not None
    rate = rehearsal.load * guidance.arrival_rate_bound
    plan = with_parameters(guidance, rehearsal.winner)
    clock = Clock(time_limit)
    waits: list[tuple[float, float]] = []
    for seed in np.random.SeedSequence([STREAM, rehearsal.seed]).generate_state(MOST_RUNS).tolist():
        workload = poisson(
            guidance.datacenter,
            rate,
            rehearsal.jobs,
            seed=seed,
            noise=rehearsal.noise,
            full=True,
            plan=guidance,
        )
        pair = [
            _wait(workload, MOST_ALLOCATED, replace(plan, class_prices=None), clock),
            _wait(workload, rehearsal.winner.policy, plan, clock),
        ]
        if clock.left <= 0:
            break
        waits.append((pair[0], pair[1]))
    if not waits:
        return ScoringLoss(0.0, 0.0, 0)
    weights, winner = (fmean(column) for column in zip(*waits, strict=True))
    return ScoringLoss(weights, winner, len(waits))


def _wait(workload: Workload, policy: AnyPolicy, plan: Guidance, clock: Clock) -> float:
    """The mean wait, as far as it is known when time is up."""

    def watch(_done: int, _all: int) -> None:
        if clock.left <= 0:
            raise KeyboardInterrupt  # the way to end a run

    return simulate(workload, policy, guidance=plan, warm_up=WARM_UP, on_progress=watch).mean_wait
