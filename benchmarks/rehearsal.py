"""Rehearsed policies against their rivals: how much less they wait, and where they lose.

python benchmarks/rehearsal.py random --datacenters 12 --results rehearsal.jsonl
python benchmarks/rehearsal.py openb openb_node_list_all_node.csv openb_pod_list_default.csv.gz
python benchmarks/rehearsal.py time openb_node_list_all_node.csv openb_pod_list_default.csv.gz

A random datacenter is rehearsed for each load and noise; then all run the same other jobs. What is
in the file of results is not run again.
"""

import argparse
import json
import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import fmean
from time import perf_counter, process_time

import numpy as np
from bid_price import random_datacenter

from slotwise.heuristics.datacenter.simulator import simulate
from slotwise.heuristics.datacenter.worth.recipe import mean_duration
from slotwise.instances.datacenter.datacenter import Datacenter
from slotwise.instances.datacenter.guidance import Guidance
from slotwise.instances.datacenter.importers.job_table import write_jobs
from slotwise.instances.datacenter.importers.openb import read_openb
from slotwise.instances.datacenter.job_file import SECONDS
from slotwise.instances.datacenter.workload import Jobs, Workload, poisson, replay
from slotwise.solvers.datacenter.guide import guide
from slotwise.solvers.datacenter.rehearse import RIVALS, rehearse

FIRST_DATACENTER = 12_000
"""Seed of the first random datacenter; none of these had a part in choosing anything."""

LOADS, NOISES, SEEDS = (0.90, 0.95, 0.97), (0.0, 0.3), (0, 1)
RULES = ("bid-price", *RIVALS)
NEGLIGIBLE, MATERIAL, CLEAR = 1e-6, 1e-3, 1.05
"""Mean durations that are added to waits in ratios; and what a loss must exceed to matter."""

QUIET = 10_000_000.0
"""Seconds of the openb trace in which only one pod in a hundred arrives."""

DAYS = 24
"""So many times openb's pods are replayed, each with another pod as the first."""


@dataclass(frozen=True)
class Measured:
    """One workload: mean waits by policy and the mean duration, in the datacenter's time unit.

    `seconds`: processor time of the rehearsal.
    """

    datacenter: int
    load: float
    noise: float
    seed: int
    jobs: int
    winner: str
    waits: dict[str, float]
    mean_duration: float
    seconds: float

    @property
    def best(self) -> float:
        """The wait of the best rival."""
        return min(self.waits[name] for name in RIVALS)


def mean_of(problem: Datacenter) -> float:
    return mean_duration(problem.share.tolist(), problem.mean_time.tolist())


def waits_of(workload: Workload, plan: Guidance, names: Sequence[str]) -> dict[str, float]:
    """Mean waits, and that of the rehearsal's winner as `guided`."""
    waits = {name: simulate(workload, name, guidance=plan, warm_up=0.2).mean_wait for name in names}
    assert plan.rehearsal is not None
    winner = plan.rehearsal.winner
    same = winner.policy in waits and winner.bonus is None
    waits["guided"] = (
        waits[winner.policy]
        if same
        else simulate(workload, "guided", guidance=plan, warm_up=0.2).mean_wait
    )
    return waits


def random(datacenters: int, jobs: int, results: Path) -> list[Measured]:
    """Every load and noise of each random datacenter, two workloads each."""
    done: list[Measured] = []
    if results.exists():
        done = [Measured(**json.loads(line)) for line in results.read_text().splitlines()]
    known = {(run.datacenter, run.load, run.noise) for run in done}
    for number in range(FIRST_DATACENTER, FIRST_DATACENTER + datacenters):
        todo = [(load, noise) for noise in NOISES for load in LOADS]
        todo = [pair for pair in todo if (number, *pair) not in known]
        plan = guide(random_datacenter(number), time_limit=5.0) if todo else None
        for load, noise in todo:
            assert plan is not None
            began = process_time()
            made = rehearse(plan, load=load, noise=noise, time_limit=math.inf)
            seconds = process_time() - began
            assert made.rehearsal is not None
            for seed in SEEDS:
                rate = load * made.arrival_rate_bound
                workload = poisson(
                    made.datacenter, rate, jobs, seed=seed, noise=noise, full=True, plan=made
                )
                run = Measured(
                    number, load, noise, seed, jobs, str(made.rehearsal.winner),
                    waits_of(workload, made, RULES), mean_of(made.datacenter), seconds,
                )  # fmt: skip
                done.append(run)
                with results.open("a") as file:
                    file.write(json.dumps(asdict(run)) + "\n")
    return done


def print_random(runs: Sequence[Measured]) -> None:
    """For each load and noise: geometric mean of the wait over the best rival's, and the losses."""
    print("| load, demands | runs | guided: GM | worse by 5 % (material) | bid-price: GM | worse |")
    print("|---|---|---|---|---|---|")
    groups: dict[tuple[float, float], list[Measured]] = defaultdict(list)
    for run in runs:
        groups[run.noise, run.load].append(run)
    lost = []
    for (noise, load), group in sorted(groups.items()):
        cells = [f"{load:.2f} {'noisy' if noise else 'exact'}", str(len(group))]
        for name in ("guided", "bid-price"):
            ratios, clear, material = [], 0, 0
            for run in group:
                own, best, unit = run.waits[name], run.best, run.mean_duration
                ratios.append(math.log((own + NEGLIGIBLE * unit) / (best + NEGLIGIBLE * unit)))
                if own > CLEAR * best:
                    clear += 1
                    if own - best > MATERIAL * unit:
                        material += 1
                        if name == "guided":
                            where = f"{run.datacenter}/{run.seed} at {load} {noise:g}"
                            lost.append(f"{where}: {run.winner} {own:.4g}, best {best:.4g}")
            cells += [f"{math.exp(np.mean(ratios)):.2f}", f"{clear} ({material})"]
        print("| " + " | ".join(cells) + " |")
    print(*lost, sep="\n")
    seconds = [run.seconds for run in runs if run.seed == SEEDS[0]]
    print(
        f"rehearsals: median {np.median(seconds):.0f}, most {max(seconds):.0f} s of processor time"
    )


def openb(nodes: Path, pods: Path, scale: float, speeds: Sequence[float], folder: Path) -> None:
    """The openb pods on a part of the nodes, faster and faster; mean wait in s.

    Each time once as they came, and `DAYS` times with another pod as the first.
    """
    problem, table = imported(nodes, pods, scale, folder)
    plan = guide(problem, time_limit=10.0)
    names, second = (*RULES, "tetris"), SECONDS[problem.time_unit]
    print("| arrivals | winner | guided | " + " | ".join(names) + " | within 5 %: guided, best |")
    print("|---|---|---|" + "---|" * (len(names) + 1))
    for fast in speeds:
        workload = replay(problem, table, compress=fast)
        made = rehearse(plan, redraw=workload, policies=("tetris",), time_limit=math.inf)
        assert made.rehearsal is not None
        all_days = [waits_of(day, made, names) for day in days_of(workload)]
        for what, days in (("", all_days[:1]), (", days", all_days)):
            waits = {name: second * fmean(day[name] for day in days) for name in days[0]}
            best = min(names, key=lambda name: waits[name])
            near = [sum(d[n] <= CLEAR * min(d.values()) for d in days) for n in ("guided", best)]
            cells = [f"x {fast:g}{what}", str(made.rehearsal.winner)]
            cells += [f"{waits[name]:.4g}" for name in ("guided", *names)]
            cells += [f"{near[0]}, {near[1]} of {len(days)}"]
            print("| " + " | ".join(cells) + " |", flush=True)


def days_of(workload: Workload) -> Iterator[Workload]:
    """The trace, and the same jobs in the same order with another as the first; arrivals stay."""
    whole = workload.whole()
    for day in range(DAYS):
        by = -(workload.jobs * day // DAYS)
        turned = Jobs(whole.arrival, *(np.roll(column, by, axis=0) for column in whole[1:]))
        yield replace(workload, blocks=lambda jobs=turned: iter([jobs]))


def imported(nodes: Path, pods: Path, scale: float, folder: Path) -> tuple[Datacenter, Path]:
    """A part of openb's nodes, and the table of the pods from the time when most arrive."""
    made = read_openb(nodes, pods, window=(QUIET, np.inf))
    table = folder / "jobs.csv"
    assert made.jobs is not None
    assert made.job_class is not None
    write_jobs(table, made.made, made.jobs, made.job_class)
    count = [max(1, round(n * scale)) for n in made.made.count.tolist()]
    return made.made.with_count(np.array(count)), table


def timed(nodes: Path, pods: Path, folder: Path) -> None:
    """A rehearsal of about 633 of openb's nodes."""
    problem, _ = imported(nodes, pods, 633 / 1523, folder)
    plan = guide(problem, time_limit=10.0)
    for noise in NOISES:
        began, used = perf_counter(), process_time()
        made = rehearse(plan, noise=noise, time_limit=math.inf).rehearsal
        assert made is not None
        wall, cpu = perf_counter() - began, process_time() - used
        print(
            f"{problem.machines} machines, noise {noise:g}: {wall:.1f} s, {cpu:.1f} s of processor "
            f"time; {made.winner} of {len(made.rows)}, {made.jobs} jobs a run",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parts = parser.add_subparsers(dest="part", required=True)
    part = parts.add_parser("random")
    part.add_argument("--datacenters", type=int, default=12)
    part.add_argument("--jobs", type=int, default=300_000)
    part.add_argument("--results", type=Path, default=Path("rehearsal.jsonl"))
    for name in ("openb", "time"):
        part = parts.add_parser(name)
        part.add_argument("nodes", type=Path)
        part.add_argument("pods", type=Path)
        part.add_argument("--folder", type=Path, default=Path())
    parts.choices["openb"].add_argument("--scale", type=float, default=0.1)
    parts.choices["openb"].add_argument(
        "--speeds", type=float, nargs="+", default=[80, 120, 160, 240]
    )
    chosen = parser.parse_args()
    if chosen.part == "random":
        print_random(random(chosen.datacenters, chosen.jobs, chosen.results))
    elif chosen.part == "openb":
        openb(chosen.nodes, chosen.pods, chosen.scale, chosen.speeds, chosen.folder)
    else:
        timed(chosen.nodes, chosen.pods, chosen.folder)


if __name__ == "__main__":
    main()
