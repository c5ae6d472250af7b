"""A rehearsal: policies run the same drawn jobs, and the guidance says which to follow.

All run each of the seeds, from the steady state on, in threads: simulations release the GIL. What
counts is the mean of log(wait + `NEGLIGIBLE` mean durations): a factor counts the same whether
waits are long or short, until they are too short to matter. The default `bid-price` wins unless the
best is better by more than `CLEAR` standard errors of the paired differences.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from math import ceil, log, sqrt
from os import cpu_count
from statistics import fmean, stdev

import numpy as np

from ...core.calls import checked
from ...core.clock import Clock, check_time_limit
from ...core.errors import InputError
from ...core.wording import plural
from ...heuristics.datacenter import DEFAULT_LOAD, REHEARSAL_SEEDS, REHEARSAL_TIME, WARM_UP
from ...heuristics.datacenter.guided import with_parameters
from ...heuristics.datacenter.simulator import simulate
from ...heuristics.datacenter.worth.recipe import default_bonus, mean_duration
from ...heuristics.datacenter.worth.tables import check_prices
from ...instances.datacenter.guidance import Guidance
from ...instances.datacenter.rehearsal import Candidate, Rehearsal, Rehearsed
from ...instances.datacenter.steady_state import enough_jobs
from ...instances.datacenter.workload import Workload, poisson
from .guide import guide
from .prices import with_spread

RIVALS = ("lotes", "lotes-unrestricted", "best-fit", "bf-js", "first-fit")
BONUSES = (0.0, 0.3, 1.0)
"""The policies beside `bid-price`, and bonuses that it tries beside its own."""

NEGLIGIBLE = 1e-4
"""A wait of so many mean durations hardly counts."""

CLEAR = 2.0
"""Standard errors by which another candidate must be better than the default."""

LARGE, MOST_MACHINES = 1000, 600
"""Of a datacenter with more machines than the first, a part is rehearsed: so many of them."""

PART = 1.0
"""A run has that part of the jobs of a `simulate` that fills the datacenter first."""

STREAM = 28_657
"""Seeds of the jobs are drawn from this and the given one, so that no run elsewhere has them."""

RunCallback = Callable[[int, int, str], None]
Waits = dict[Candidate, list[float]]
"""Mean waits of each candidate in its runs, the default first."""


@checked
def rehearse(
    guidance: Guidance,
    *,
    load: float = DEFAULT_LOAD,
    noise: float | None = None,
    seeds: int = REHEARSAL_SEEDS,
    seed: int = 0,
    jobs: int | None = None,
    time_limit: float = REHEARSAL_TIME,
    on_progress: RunCallback | None = None,
) -> Guidance:
    """Find the dispatching policy that waits least under a plan, at the load and noise at hand.

    Variants of `bid-price`, both LoTES, best fit, BF-J/S and first fit run the same jobs. In doubt
    `bid-price` wins as it is. Of more than 1 000 machines about 600 are rehearsed, every
    configuration in proportion. Ctrl-C and the time limit keep what is known.

    Parameters
    ----------
    guidance
        A plan with prices.
    load
        Arrival rate in parts of the plan's bound, above 0 and below 1.
    noise
        Coefficient of variation of the jobs' demands within their class; by default the spread for
        which the prices were made.
    seeds
        Number of runs of each, at least 2.
    seed
        Seed of the jobs.
    jobs
        Jobs of a run; by default about 37 mean durations of arrivals, at least 300 000.
    time_limit
        Wall time (s); then what is known decides.
    on_progress
        Called before every run with the number of runs done, the number of all, and the
        candidate's name.

    Returns
    -------
    Guidance
        The same plan, with prices for that noise and `rehearsal`; without it if nothing is known.

    Raises
    ------
    InputError
        If an option is out of range, or the plan has no prices.
    """
    spread = check_prices(guidance).spread if noise is None else noise
    check_time_limit(time_limit)
    clock = Clock(time_limit)
    if not 0 < load < 1:
        raise InputError(f"load: need a part of the bound above 0 and below 1, got {load}")
    if seeds < 2:
        raise InputError(f"seeds: need at least 2, got {seeds}")
    plan = with_spread(guidance, spread)
    small, notes = plan, list(plan.notes)
    if plan.datacenter.machines > LARGE:
        part = plan.datacenter.part(MOST_MACHINES / plan.datacenter.machines)
        small = guide(part, spread=spread)
        all_machines = plural(plan.datacenter.machines, "machine")
        notes.append(f"rehearsal: on {part.machines} of {all_machines}, in proportion")
    data, rate = small.datacenter, load * small.arrival_rate_bound
    jobs = ceil(PART * enough_jobs(data, rate, small)) if jobs is None else jobs
    draw = partial(poisson, data, rate, jobs, noise=spread, full=True, plan=small)
    numbers = np.random.SeedSequence([STREAM, seed]).generate_state(seeds).tolist()
    bid_price = partial(Candidate, policy="bid-price")
    bonuses = dict.fromkeys((default_bonus(spread), *BONUSES))
    candidates = [bid_price(bonus=bonus) for bonus in bonuses]
    if not np.array_equal(check_prices(small).belongs, data.fits):
        candidates += [bid_price(bonus=bonus, bars=False) for bonus in bonuses]
    candidates += [Candidate(policy=name) for name in RIVALS]
    waits: Waits = {candidate: [] for candidate in candidates}
    why = _run(small, waits, (draw(seed=n) for n in numbers), seeds, clock, on_progress)
    done = sum(map(len, waits.values()))
    if not done:
        return unrehearsed(plan, why)
    if why:
        more = "a longer one may find a better policy"
        notes.append(f"rehearsal: {why} after {plural(done, 'run')}: {more}")
    negligible = NEGLIGIBLE * mean_duration(data.share.tolist(), data.mean_time.tolist())
    ran = {c: w for c, w in waits.items() if w}
    rows = [
        Rehearsed(
            **candidate.model_dump(),
            runs=len(own),
            mean_wait=fmean(own),
            standard_error=stdev(own) / sqrt(len(own)) if len(own) > 1 else None,
        )
        for candidate, own in ran.items()
    ]
    made = Rehearsal(
        winner=winner_of(waits, negligible),
        load=load,
        noise=spread,
        seed=seed,
        seeds=max(map(len, waits.values())),
        jobs=jobs,
        candidates=tuple(sorted(rows, key=lambda row: row.mean_wait)),
    )
    return replace(plan, notes=tuple(notes), rehearsal=made)


def unrehearsed(plan: Guidance, why: str) -> Guidance:
    """The plan with a note that no policy ran to the end, why, and what to do."""
    more = (
        f"rehearsal: {why} before any run was done: nothing was rehearsed, and `guided` has no "
        "policy to follow. Allow more time (--rehearsal-time), rehearse a part of the machines "
        "(--scale 0.1), or name a policy such as bid-price"
    )
    return replace(plan, notes=(*plan.notes, more))


def winner_of(waits: Mapping[Candidate, Sequence[float]], negligible: float) -> Candidate:
    """The best of the candidates, or the default, the first, unless that is clearly worse.

    `waits`: of the runs that all have done the means count. `negligible`: see `NEGLIGIBLE`.
    """
    runs = min(map(len, waits.values()))
    default = next(iter(waits))
    if runs < 2:
        return default
    logs = {c: [log(w + negligible) for w in waits[c][:runs]] for c in waits}
    best = min(logs, key=lambda c: fmean(logs[c]))
    gain = [own - other for own, other in zip(logs[default], logs[best], strict=True)]
    return best if fmean(gain) > CLEAR * stdev(gain) / sqrt(runs) else default


def _run(
    plan: Guidance,
    waits: Waits,
    workloads: Iterable[Workload],
    seeds: int,
    clock: Clock,
    on_progress: RunCallback | None,
) -> str:
    """Add the waits of all candidates on one seed after the other; why it ended early."""
    done = 0
    with ThreadPoolExecutor(cpu_count()) as pool:
        try:
            for workload in workloads:
                runs = {c: pool.submit(_wait, plan, c, workload, clock) for c in waits}
                for candidate, run in runs.items():
                    if on_progress is not None:
                        on_progress(done, seeds * len(waits), str(candidate))
                    wait = run.result()
                    if wait is None:
                        return "time limit"
                    waits[candidate].append(wait)
                    done += 1
        except KeyboardInterrupt:
            return "interrupted"
        finally:
            clock.stop.set()  # for the runs that nobody waits for any more
    return ""


def _wait(plan: Guidance, candidate: Candidate, jobs: Workload, clock: Clock) -> float | None:
    """The mean wait, None if time is up before it is known."""

    def watch(_done: int = 0, _all: int = 0) -> None:
        if clock.over:
            raise KeyboardInterrupt  # the way to end a run

    plan = with_parameters(plan, candidate)
    if candidate.bonus is None:
        plan = replace(plan, class_prices=None)  # their tables take time
    try:
        watch()
        seen = simulate(jobs, candidate.policy, guidance=plan, warm_up=WARM_UP, on_progress=watch)
    except KeyboardInterrupt:
        return None
    return None if seen.interrupted else seen.mean_wait
