"""HMHS with one speed factor a machine, and times: `python benchmarks/hmhs.py [--seeds 5]`.

Prints Markdown tables: by how much HMHS's makespan is below FIFO's if the factors of a machine are
the same for all jobs, and the time of each heuristic with factors by job and machine. 100 map and
100 reduce machines; means over the seeds, with the least and the greatest in brackets. The paper's
figures: `slotwise reproduce hmhs`.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from statistics import mean
from time import process_time

from slotwise.heuristics.mapreduce.hmhs.fifo import fifo, fifo_pri
from slotwise.heuristics.mapreduce.hmhs.min_min import hmhs, min_min, r_hmhs
from slotwise.instances.mapreduce.generators.hmhs import generate, small

METHODS = {"HMHS": hmhs, "FIFO": fifo, "FIFO-Pri": fifo_pri, "R-HMHS": r_hmhs, "Min-Min": min_min}
JOBS = (20, 50, 100, 200)
WORKLOADS = ("single", "hybrid")


def main() -> None:
    parser = argparse.ArgumentParser(description="HMHS with other factors, and its times.")
    parser.add_argument("--seeds", type=int, default=5)
    seeds = range(parser.parse_args().seeds)
    for method in METHODS.values():
        method(small(seed=0))

    print("## One speed factor a machine instead of one a job and machine: below FIFO, %\n")
    header("workload", *(f"{jobs} jobs" for jobs in JOBS))
    for workload in WORKLOADS:
        row(workload, *(spread(gains(jobs, workload, seeds)) for jobs in JOBS))

    print("\n## CPU time of a heuristic, both workloads, ms\n")
    header("heuristic", *(f"{jobs} jobs" for jobs in JOBS))
    times = seconds(seeds)
    for name in METHODS:
        own = [times[n, name] for n in JOBS]
        row(name, *(f"{1e3 * mean(t):.0f} (at most {1e3 * max(t):.0f})" for t in own))


def gains(jobs: int, workload: str, seeds: range) -> list[float]:
    """By how much HMHS's makespan is below FIFO's (%), with factors of machines alone."""
    found = []
    for seed in seeds:
        instance = generate(jobs, seed=seed, workload=workload, factors_by_job=False)
        found.append(100 * (1 - hmhs(instance).makespan / fifo(instance).makespan))
    return found


def seconds(seeds: range) -> dict[tuple[int, str], list[float]]:
    """Times by number of jobs and heuristic."""
    found: dict[tuple[int, str], list[float]] = defaultdict(list)
    for workload in WORKLOADS:
        for jobs in JOBS:
            for seed in seeds:
                instance = generate(jobs, seed=seed, workload=workload)
                for name, method in METHODS.items():
                    begin = process_time()
                    method(instance)
                    found[jobs, name].append(process_time() - begin)
    return found


def spread(values: list[float]) -> str:
    return f"{mean(values):.1f} ({min(values):.1f} to {max(values):.1f})"


def header(*cells: str) -> None:
    row(*cells)
    row(*("---" for _ in cells))


def row(*cells: str) -> None:
    print("| " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
