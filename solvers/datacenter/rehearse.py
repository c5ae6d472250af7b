"""A rehearsal: policies race on drawn jobs, and the guidance says which to follow.

All run the same jobs, on seeds of their own, from the steady state on, in threads: simulations
release the GIL. After each of the first rounds the better half stays; a round is a seed, or several
orders of the jobs of a trace. What counts is the mean of log(wait + `NEGLIGIBLE` mean durations): a
factor counts the same whether waits are long or short, until they are too short to matter. The
default `bid-price` always stays, and wins unless the best is better by more than `CLEAR` standard
errors of the paired differences.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from math import ceil, log, sqrt
from os import cpu_count
from statistics import fmean, stdev
from typing import TypedDict, Unpack

import numpy as np

from ...core.calls import checked
from ...core.clock import Clock, check_time_limit
from ...core.errors import InputError
from ...core.wording import plural
from ...heuristics.datacenter import DEFAULT_LOAD, REHEARSAL_SEEDS, REHEARSAL_TIME, WARM_UP
from ...heuristics.datacenter.guided import with_parameters
from ...heuristics.datacenter.policy import policy_kind
from ...heuristics.datacenter.simulator import simulate
from ...heuristics.datacenter.worth.recipe import default_bonus, mean_duration
from ...heuristics.datacenter.worth.tables import check_prices
from ...instances.datacenter.guidance import Guidance
from ...instances.datacenter.rehearsal import GUIDED, Candidate, Rehearsal, Rehearsed
from ...instances.datacenter.spread import spread_of
from ...instances.datacenter.steady_state import enough_jobs
from ...instances.datacenter.workload import Workload, poisson, redrawn
from .prices import with_spread

RIVALS = ("lotes", "lotes-unrestricted", "best-fit", "bf-js", "first-fit")
BONUSES = (0.0, 0.3, 1.0)
"""The policies that `bid-price` races against, and bonuses that it tries beside its own."""

NEGLIGIBLE = 1e-4
"""A wait of so many mean durations hardly counts."""

CLEAR = 2.0
"""Standard errors by which another candidate must be better than the default."""

FINALISTS = 3
"""So many stay to the end at least."""

PART = 1.0
"""A run has that part of the jobs of a `simulate` that fills the datacenter first."""

ORDER_JOBS, MOST_ORDERS = 60_000, 10
"""A round has so many jobs of a trace, in orders up to so many: one short run tells little."""

STREAM = 28_657
"""Seeds of the jobs are drawn from this and the given one, so that no run elsewhere has them."""

RunCallback = Callable[[int, int, str], None]


class RehearsalOptions(TypedDict, total=False):
    """Further keywords of `rehearse`, all optional.

    Attributes
    ----------
    jobs
        Jobs of a run; by default about 37 mean durations of arrivals, at least 300 000.
    redraw
        Jobs that race in another order instead of drawn ones, such as those of a trace. `load` and
        `jobs` do not count then; of few jobs a seed stands for several orders.
    policies
        Names of more policies to race.
    time_limit
        Wall time (s), 60 by default; then what is known decides.
    threads
        Runs side by side, by default as many as the machine has processors. The winner does not
        depend on it unless the time is up.
    on_progress
        Called before every run with the number of runs done, the number of all, and the
        candidate's name.
    """

    jobs: int | None
    redraw: Workload | None
    policies: Sequence[str]
    time_limit: float
    threads: int | None
    on_progress: RunCallback | None


@checked
def rehearse(
    guidance: Guidance,
    *,
    load: float = DEFAULT_LOAD,
    noise: float | None = None,
    seeds: int = REHEARSAL_SEEDS,
    seed: int = 0,
    **options: Unpack[RehearsalOptions],
) -> Guidance:
    """Find the dispatching policy that waits least under a plan, at the load and noise at hand.

    Variants of `bid-price`, both LoTES, best fit, BF-J/S and first fit race on the same jobs. In
    doubt `bid-price` wins as it is. Ctrl-C and the time limit keep what is known.

    Parameters
    ----------
    guidance
        A plan with prices.
    load
        Arrival rate in parts of the plan's bound, above 0 and below 1.
    noise
        Coefficient of variation of the jobs' demands within their class; by default that of
        `redraw`, else the spread for which the prices were made.
    seeds
        Number of runs of those that stay to the end, at least 2.
    seed
        Seed of the jobs.
    **options
        See `RehearsalOptions`.

    Returns
    -------
    Guidance
        The same plan, with prices for that noise and `rehearsal`; without it if nothing is known.

    Raises
    ------
    InputError
        If an option is out of range, a policy is unknown, or the plan has no prices.
    """
    spread, given = check_prices(guidance).spread, options.get("redraw")
    if noise is not None:
        spread = noise
    elif given is not None:
        spread = spread_of(given)
    limit, threads = options.get("time_limit", REHEARSAL_TIME), options.get("threads")
    check_time_limit(limit)
    clock = Clock(limit)
    if threads is not None and threads < 1:
        raise InputError(f"threads: need at least 1, got {threads}")
    if not 0 < load < 1:
        raise InputError(f"load: need a part of the bound above 0 and below 1, got {load}")
    if seeds < 2:
        raise InputError(f"seeds: need at least 2, got {seeds}")
    plan = with_spread(guidance, spread)
    check_prices(plan)
    racers = _candidates(plan, spread, options.get("policies", ()))
    draw, jobs = _drawing(plan, load, spread, options)
    together = 1 if given is None else min(ceil(ORDER_JOBS / jobs), MOST_ORDERS)
    numbers = np.random.SeedSequence([STREAM, seed]).generate_state(seeds * together)
    race = _Race(plan, racers, clock, options.get("on_progress"))
    try:
        race.run(numbers.reshape(seeds, together).tolist(), draw, threads)
        why = "" if race.finished else "time limit"
    except KeyboardInterrupt:
        why = "interrupted"
    if not race.waits[racers[0]]:
        return unrehearsed(plan, why)
    if why:
        done = plural(race.done, "run")
        more = f"rehearsal: {why} after {done}: a longer one may find a better policy"
        plan = replace(plan, notes=(*plan.notes, more))
    rows = tuple(race.rows())
    known = load if given is None else None
    made = Rehearsal(race.winner(), known, spread, seed, max(row.runs for row in rows), jobs, rows)
    return replace(plan, rehearsal=made)


def unrehearsed(plan: Guidance, why: str) -> Guidance:
    """The plan with a note that no policy ran to the end, why, and what to do."""
    more = (
        f"rehearsal: {why} before any run was done: nothing was rehearsed, and `guided` has no "
        "policy to follow. Allow more time (--rehearsal-time), rehearse a part of the machines "
        "(--scale 0.1), or name a policy such as bid-price"
    )
    return replace(plan, notes=(*plan.notes, more))


def _drawing(
    plan: Guidance, load: float, noise: float, options: RehearsalOptions
) -> tuple[Callable[[int], Workload], int]:
    """What makes the jobs of a run from its seed, and their number."""
    given = options.get("redraw")
    if given is not None:
        if given.datacenter != plan.datacenter:
            raise InputError("redraw: these jobs are for another datacenter than the plan")
        return partial(redrawn, given), given.jobs
    rate, asked = load * plan.arrival_rate_bound, options.get("jobs")
    jobs = ceil(PART * enough_jobs(plan.datacenter, rate, plan)) if asked is None else asked

    def draw(seed: int) -> Workload:
        return poisson(plan.datacenter, rate, jobs, seed=seed, noise=noise, full=True, plan=plan)

    return draw, jobs


def _candidates(plan: Guidance, spread: float, more: Sequence[str]) -> list[Candidate]:
    """All that race, the default first. Raises `InputError` for unknown policies."""
    own = default_bonus(spread)
    bonuses = dict.fromkeys((own, *BONUSES))
    made = [Candidate("bid-price", bonus) for bonus in bonuses]
    if not np.array_equal(check_prices(plan).belongs, plan.datacenter.fits):
        made += [Candidate("bid-price", bonus, bars=False) for bonus in bonuses]
    for name in dict.fromkeys((*RIVALS, *more)):
        if name == GUIDED:
            raise InputError(f"policies: {GUIDED!r} follows a rehearsal and cannot be in it")
        policy_kind(name)
        if name != "bid-price":
            made.append(Candidate(name))
    return made


@dataclass
class _Race:
    plan: Guidance
    racers: list[Candidate]
    """The default first."""
    clock: Clock
    on_progress: RunCallback | None
    done: int = 0
    finished: bool = False
    waits: dict[Candidate, list[float]] = field(default_factory=dict)
    """Mean waits of each in its runs."""
    known: int = 0
    finalists: list[Candidate] = field(default_factory=list)
    """`known`, `finalists`: runs of all whole rounds, and those that were in the last of these."""

    def __post_init__(self) -> None:
        self.waits = {racer: [] for racer in self.racers}
        data = self.plan.datacenter
        mean = mean_duration(data.share.tolist(), data.mean_time.tolist())
        self._negligible = NEGLIGIBLE * mean

    def run(
        self, rounds: Sequence[Sequence[int]], jobs: Callable[[int], Workload], threads: int | None
    ) -> None:
        """Race on the seeds of one round after the other, until time is up."""
        with ThreadPoolExecutor(threads or cpu_count()) as pool:
            try:
                self._run(jobs, rounds, pool)
            finally:
                self.clock.stop.set()  # for the runs that nobody waits for any more

    def _run(
        self,
        jobs: Callable[[int], Workload],
        rounds: Sequence[Sequence[int]],
        pool: ThreadPoolExecutor,
    ) -> None:
        staying = self.racers
        for left, seeds in zip(range(len(rounds), 0, -1), rounds, strict=True):
            runs = [
                (racer, pool.submit(self._wait, racer, workload))
                for workload in map(jobs, seeds)
                for racer in staying
            ]
            for at, (racer, run) in enumerate(runs):
                if self.on_progress is not None:
                    after = len(seeds) * sum(_field(len(staying), i) for i in range(1, left))
                    self.on_progress(self.done, self.done + len(runs) - at + after, str(racer))
                wait = run.result()
                if wait is None:
                    return
                self.waits[racer].append(wait)
                self.done += 1
            self.known, self.finalists = self.known + len(seeds), staying
            best = sorted(staying, key=self._score)[: _field(len(staying), 1)]
            if self.racers[0] not in best:
                best = [self.racers[0], *best[:-1]]
            staying = [racer for racer in staying if racer in best]
        self.finished = True

    def _wait(self, racer: Candidate, workload: Workload) -> float | None:
        """The mean wait, None if time is up before it is known."""

        def watch(_done: int = 0, _all: int = 0) -> None:
            if self.clock.over:
                raise KeyboardInterrupt  # the way to end a run

        plan = with_parameters(self.plan, racer)
        if racer.bonus is None:
            plan = replace(plan, class_prices=None)  # their tables take time
        try:
            watch()
            seen = simulate(
                workload, racer.policy, guidance=plan, warm_up=WARM_UP, on_progress=watch
            )
        except KeyboardInterrupt:
            return None
        return None if seen.interrupted else seen.mean_wait

    def _score(self, racer: Candidate) -> float:
        return fmean(self._logs(racer))

    def _logs(self, racer: Candidate) -> list[float]:
        return [log(wait + self._negligible) for wait in self.waits[racer][: self.known]]

    def winner(self) -> Candidate:
        """The best of the finalists, or the default unless that is clearly worse."""
        default = self.racers[0]
        if self.known < 2:
            return default
        best = min(self.finalists, key=self._score)
        pairs = zip(self._logs(default), self._logs(best), strict=True)
        gain = [own - other for own, other in pairs]
        if fmean(gain) <= CLEAR * stdev(gain) / sqrt(self.known):
            return default
        return best

    def rows(self) -> list[Rehearsed]:
        """All that ran, those that stayed longest first, of these the best first."""
        ran = [racer for racer in self.racers if self.waits[racer]]
        return [
            Rehearsed(
                racer,
                len(waits := self.waits[racer]),
                fmean(waits),
                stdev(waits) / sqrt(len(waits)) if len(waits) > 1 else None,
            )
            for racer in sorted(ran, key=lambda r: (-len(self.waits[r]), fmean(self.waits[r])))
        ]


def _field(racers: int, rounds: int) -> int:
    """How many are left after that many halvings."""
    for _ in range(rounds):
        racers = max(min(racers, FINALISTS), ceil(racers / 2))
    return racers
