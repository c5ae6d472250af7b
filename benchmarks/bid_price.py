"""Dispatching by prices against its rivals: who waits least, and where it loses.

python benchmarks/bid_price.py tables --results tables.jsonl
python benchmarks/bid_price.py random --results random.jsonl
python benchmarks/bid_price.py others --results others.jsonl
python benchmarks/bid_price.py full --seeds 2 --results full.jsonl

Every policy has the same jobs. Runs are kept in the file of results and not repeated.
"""

import argparse
import json
import math
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
from dispatch import T_975

from slotwise.heuristics.datacenter.simulator import simulate
from slotwise.instances.datacenter.datacenter import Datacenter
from slotwise.instances.datacenter.generators.lotes import generate, google_2011
from slotwise.instances.datacenter.guidance import Guidance
from slotwise.instances.datacenter.guidance_file import read_guidance, write_guidance
from slotwise.instances.datacenter.job_file import SECONDS
from slotwise.instances.datacenter.workload import poisson
from slotwise.solvers.datacenter.guide import guide
from slotwise.solvers.datacenter.prices import with_spread

PLANS = Path(__file__).parent / "plans"
RULE = "bid-price"
RIVALS = (
    "best-fit",
    "bf-js",
    "fgd",
    "first-fit",
    "lotes",
    "lotes-unrestricted",
    "tetris",
    "greedy",
)
NOISE = 0.3
LEAST = 1e-3
"""Waits (s) below count as this much in ratios."""

FIRST_DATACENTER = 3000
"""Seed of the first random datacenter; none of these had a part in choosing the rule."""


MIXES = {
    "more large jobs": (0.15, 0.36, 0.45, 0.04),
    "half of the third class": (0.13, 0.36, 0.50, 0.01),
}
"""Shares of the classes of Tables 1 and 2, when they are no longer those of the plan."""


@dataclass(frozen=True)
class Setting:
    """One workload.

    `datacenter` is a scale of Tables 1 and 2, or the seed of a random one. With a `mix` the shares
    of the classes are others than those of the plan, and the load refers to theirs.
    """

    kind: str
    datacenter: float
    load: float
    noise: float
    seed: int
    jobs: int
    durations: str = "exponential"
    batch: int = 0
    full: bool = False
    mix: str = ""
    warm_up: float = 0.2

    @property
    def name(self) -> str:
        """What is special about the jobs."""
        parts = [f"{self.load} {'noisy' if self.noise else 'exact'}"]
        if self.durations != "exponential":
            parts.append(f"durations {self.durations}")
        if self.batch:
            parts.append(f"{self.batch} at time 0")
        if self.mix:
            parts.append(self.mix)
        return ", ".join(parts)


@dataclass(frozen=True)
class Run:
    """One policy on one workload; the mean wait in s, and what the simulation warns of."""

    setting: Setting
    policy: str
    mean_wait: float
    events_per_second: float
    warnings: str = ""


@cache
def planned(kind: str, number: float) -> Guidance:
    """A datacenter with its plan; those of Tables 1 and 2 are kept, for they take a time limit."""
    if kind == "random":
        return guide(random_datacenter(int(number)), time_limit=5.0)
    problem = google_2011(number)
    path = PLANS / f"{problem.name}.json"
    if not path.exists():
        PLANS.mkdir(exist_ok=True)
        write_guidance(guide(problem, time_limit=20.0), path)
    return read_guidance(path)


def random_datacenter(seed: int) -> Datacenter:
    """200 machines; 2 to 4 resources, 4 to 10 classes, 2 to 6 configurations, half with speeds."""
    draw = np.random.default_rng(seed)
    return generate(
        classes=int(draw.integers(4, 11)),
        configurations=int(draw.integers(2, 7)),
        resources=2 + seed % 3,
        machines=200,
        seed=seed,
        speed=(0.5, 2.0) if draw.integers(2) else (1.0, 1.0),
    )


def measure(setting: Setting, policies: Sequence[str]) -> list[Run]:
    """Run all policies on the jobs of one setting."""
    plan = with_spread(planned(setting.kind, setting.datacenter), setting.noise)
    problem, now = plan.datacenter, plan
    if setting.mix:
        problem = replace(problem, share=np.array(MIXES[setting.mix]))
        now = guide(problem, spread=setting.noise)
    workload = poisson(
        problem,
        setting.load * now.arrival_rate_bound,
        setting.jobs,
        seed=setting.seed,
        noise=setting.noise,
        durations=setting.durations,
        batch=setting.batch,
        full=setting.full,
        plan=now,
    )
    second = SECONDS[problem.time_unit]
    runs = []
    for name in policies:
        policy, _, renewed = name.partition(", ")
        run = simulate(
            workload,
            policy,
            guidance=now if renewed else plan,
            seed=setting.seed,
            warm_up=setting.warm_up,
        )
        wait, told = second * run.mean_wait, "; ".join(run.warnings)
        runs.append(Run(setting, name, wait, run.events_per_second, told))
    return runs


def carry_out(
    settings: Iterable[Setting], policies: Sequence[str], results: Path, processes: int
) -> list[Run]:
    """Measure what is not in the file of results yet; all runs of these settings."""
    done: dict[tuple[Setting, str], Run] = {}
    if results.exists():
        for line in results.read_text().splitlines():
            entry = json.loads(line)
            run = Run(**(entry | {"setting": Setting(**entry["setting"])}))
            done[run.setting, run.policy] = run
    todo = []
    settings = list(settings)
    for setting in settings:
        missing = tuple(name for name in policies if (setting, name) not in done)
        if missing:
            todo.append((setting, missing))
    for kind, number in dict.fromkeys((s.kind, s.datacenter) for s, _ in todo):
        if kind == "tables":
            planned(kind, number)
    with ProcessPoolExecutor(processes) as pool, results.open("a") as file:
        for runs in pool.map(measure, *zip(*todo, strict=True)) if todo else ():
            for run in runs:
                done[run.setting, run.policy] = run
                file.write(json.dumps(asdict(run)) + "\n")
            file.flush()
            print(runs[0].setting, f"{runs[0].mean_wait:.4g} s", file=sys.stderr, flush=True)
    return [done[setting, name] for setting in settings for name in policies]


def tables(seeds: int, jobs: int) -> Iterator[Setting]:
    """Tables 1 and 2 at a twentieth."""
    for load in (0.90, 0.95, 0.97, 0.98, 0.995):
        for noise in (0.0, NOISE):
            for seed in range(seeds):
                yield Setting("tables", 0.05, load, noise, seed, jobs)


def random(datacenters: int, jobs: int) -> Iterator[Setting]:
    """Random datacenters that are full at time 0, two seeds of jobs each."""
    for load in (0.90, 0.95, 0.97):
        for noise in (0.0, NOISE):
            for number in range(FIRST_DATACENTER, FIRST_DATACENTER + datacenters):
                for seed in (0, 1):
                    yield Setting("random", number, load, noise, seed, jobs, full=True)


def others(seeds: int, jobs: int) -> Iterator[Setting]:
    """Tables 1 and 2 at a twentieth: heavy tails, a batch at time 0, a mix that is not the plan's.

    With heavy tails the datacenter is full at time 0; of the batch every job is measured.
    """
    for noise in (0.0, NOISE):
        for seed in range(seeds):
            yield Setting("tables", 0.05, 0.97, noise, seed, jobs, "lognormal:5", full=True)
    for noise in (0.0, NOISE):
        for seed in range(seeds):
            yield Setting("tables", 0.05, 0.95, noise, seed, jobs, batch=15_000, warm_up=0.0)
    for mix in MIXES:
        for noise in (0.0, NOISE):
            for seed in range(seeds):
                yield Setting("tables", 0.05, 0.97, noise, seed, jobs, mix=mix)


def whole(seeds: int, jobs: int) -> Iterator[Setting]:
    """Tables 1 and 2 in full, 12 583 machines, that run as many jobs at time 0 as later."""
    for load in (0.95, 0.98, 0.995):
        for noise in (0.0, NOISE):
            for seed in range(seeds):
                yield Setting("tables", 1.0, load, noise, seed, jobs, full=True, warm_up=0.25)


def by_policy(runs: Iterable[Run]) -> dict[str, list[float]]:
    """Mean waits of every policy, in one order of settings."""
    found: dict[str, list[float]] = defaultdict(list)
    for run in runs:
        found[run.policy].append(run.mean_wait)
    return found


def grouped(runs: Iterable[Run]) -> dict[str, list[Run]]:
    """The runs by what their jobs are like."""
    groups: dict[str, list[Run]] = defaultdict(list)
    for run in runs:
        groups[run.setting.name].append(run)
    return groups


def print_tables(runs: Sequence[Run], policies: Sequence[str]) -> None:
    """Mean waits with a 95 % interval over seeds, and on how many the rule waits less."""
    print("| load, demands | " + " | ".join(policies) + " |")
    print("|---|" + "---|" * len(policies))
    for kind, group in grouped(runs).items():
        waits = by_policy(group)
        own = np.array(waits[RULE])
        cells = []
        for name in policies:
            values = np.array(waits[name])
            width = T_975[len(values)] * values.std(ddof=1) / math.sqrt(len(values))
            less = "" if name == RULE else f", {(own < values).sum()}/{len(values)}"
            cells.append(f"{values.mean():.3g} ± {width:.1g}{less}")
        print(f"| {kind} | " + " | ".join(cells) + " |")


def print_random(runs: Sequence[Run], policies: Sequence[str]) -> None:
    """Geometric means of (rival's wait / rule's wait), and where the rule loses to the best."""
    rivals = [name for name in policies if name != RULE]
    print(
        "| load, demands | runs | " + " | ".join(rivals) + " | best rival | worse than the best |"
    )
    print("|---|---|" + "---|" * (len(rivals) + 2))
    for kind, group in grouped(runs).items():
        waits = {name: np.array(values) for name, values in by_policy(group).items()}
        own = np.maximum(waits[RULE], LEAST)
        best = np.min([waits[name] for name in rivals], axis=0)
        cells = []
        for values in (*(waits[name] for name in rivals), best):
            other = np.maximum(values, LEAST)
            mean = math.exp(np.log(other / own).mean())
            cells.append(f"{mean:.2g} ({(own <= other).sum()})")
        settings = [run.setting for run in group if run.policy == RULE]
        lost = [
            f"{waits[RULE][i]:.3g} against {best[i]:.3g} "
            f"({settings[i].datacenter:g}/{settings[i].seed})"
            for i in np.flatnonzero(own > 1.05 * np.maximum(best, LEAST))
        ]
        row = [kind, str(len(own)), *cells, "; ".join(lost) or "never"]
        print("| " + " | ".join(row) + " |")
    warned = Counter(text.partition(" (")[0] for run in runs for text in run.warnings.split("; "))
    print("\nOf", len(runs), "runs warn:", dict(warned))


PARTS = {
    "tables": (tables, print_tables, 10, 300_000),
    "random": (random, print_random, 12, 40_000),
    "others": (others, print_tables, 3, 300_000),
    "full": (whole, print_tables, 2, 3_600_000),
}
"""Settings, table, and the default numbers of seeds (or datacenters) and jobs."""

RENEWED = [f"{name}, new plan" for name in (RULE, "lotes-unrestricted")]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parts = parser.add_subparsers(dest="part", required=True)
    for name, (_, _, number, jobs) in PARTS.items():
        part = parts.add_parser(name)
        part.add_argument("--results", type=Path, default=Path(f"bid-price-{name}.jsonl"))
        part.add_argument("--jobs", type=int, default=jobs)
        part.add_argument("--processes", type=int, default=2)
        part.add_argument("--policies", nargs="+", default=[RULE, *RIVALS])
        what = "--datacenters" if name == "random" else "--seeds"
        part.add_argument(what, dest="number", type=int, default=number)
    chosen = parser.parse_args()
    settings, show, _, _ = PARTS[chosen.part]
    policies = chosen.policies + (RENEWED if chosen.part == "others" else [])
    todo = settings(chosen.number, chosen.jobs)
    show(carry_out(todo, policies, chosen.results, chosen.processes), policies)


if __name__ == "__main__":
    main()
