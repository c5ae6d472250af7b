"""HMHS against its controls, beside the paper: `python benchmarks/hmhs.py [--seeds 5]`.

Prints Markdown tables: by how much of a rival's makespan HMHS's is shorter, by number of jobs (the
paper's Fig. 1) and by share of slow machines (Table 1, Fig. 2), and the time of each heuristic.
100 map and 100 reduce machines as in the paper, which prints ranges but no table; figures are
means over the seeds, with the least and the greatest in brackets.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterable
from statistics import mean
from time import perf_counter

from slotwise.heuristics.hmhs.fifo import fifo, fifo_pri
from slotwise.heuristics.hmhs.min_min import hmhs, min_min, r_hmhs
from slotwise.instances.generators.hmhs import SLOW_SHARES, generate, small
from slotwise.instances.mapreduce.instance import Instance

RIVALS = {"FIFO": fifo, "FIFO-Pri": fifo_pri, "R-HMHS": r_hmhs, "Min-Min": min_min}
METHODS = {"HMHS": hmhs, **RIVALS}
PRINTED = {
    ("single", "FIFO"): "51 to 77",
    ("hybrid", "FIFO"): "51 to 77",
    ("single", "FIFO-Pri"): "up to 72",
    ("hybrid", "FIFO-Pri"): "up to 55",
    ("single", "R-HMHS"): "10 to 30",
    ("hybrid", "R-HMHS"): "10 to 30",
}
"""Reductions in % that the text of section 4.2 gives; for R-HMHS over both workloads."""
JOBS = (20, 50, 100, 200)
WORKLOADS = ("single", "hybrid")


def main() -> None:
    parser = argparse.ArgumentParser(description="HMHS against its controls.")
    parser.add_argument("--seeds", type=int, default=5)
    seeds = range(parser.parse_args().seeds)
    for method in METHODS.values():
        method(small(seed=0))

    seconds: dict[tuple[int, str], list[float]] = defaultdict(list)
    print("## Reduction of the makespan by number of jobs, %\n")
    header("workload", "against", *(f"{jobs} jobs" for jobs in JOBS), "paper")
    for workload in WORKLOADS:
        columns = [
            reductions((generate(n, seed=s, workload=workload) for s in seeds), seconds)
            for n in JOBS
        ]
        for rival in RIVALS:
            figures = [spread(column[rival]) for column in columns]
            row(workload, rival, *figures, PRINTED.get((workload, rival), "not compared"))

    print("\n## One speed factor a machine instead of one a job and machine, %\n")
    header("workload", "against", *(f"{jobs} jobs" for jobs in JOBS))
    for workload in WORKLOADS:
        columns = [
            reductions(generate(n, seed=s, workload=workload, factors_by_job=False) for s in seeds)
            for n in JOBS
        ]
        row(workload, "FIFO", *(spread(column["FIFO"]) for column in columns))

    print("\n## Reduction of the makespan on the clusters of Table 1, 100 jobs, %\n")
    clusters = range(1, len(SLOW_SHARES) + 1)
    header("workload", "against", *(f"{c}: {SLOW_SHARES[c - 1]:.0%} slow" for c in clusters))
    for workload in WORKLOADS:
        columns = [
            reductions(generate(100, seed=s, workload=workload, cluster=c) for s in seeds)
            for c in clusters
        ]
        for rival in RIVALS:
            row(workload, rival, *(spread(column[rival]) for column in columns))

    print("\n## Time of a heuristic, both workloads, ms\n")
    header("heuristic", *(f"{jobs} jobs" for jobs in JOBS))
    for name in METHODS:
        times = [seconds[n, name] for n in JOBS]
        row(name, *(f"{1e3 * mean(t):.0f} (at most {1e3 * max(t):.0f})" for t in times))


def reductions(
    instances: Iterable[Instance], seconds: dict[tuple[int, str], list[float]] | None = None
) -> dict[str, list[float]]:
    """HMHS's reductions in % by rival; `seconds` collects the times by jobs and method."""
    found: dict[str, list[float]] = defaultdict(list)
    for instance in instances:
        makespans = {}
        for name, method in METHODS.items():
            begin = perf_counter()
            makespans[name] = method(instance).makespan
            if seconds is not None:
                seconds[instance.jobs, name].append(perf_counter() - begin)
        for rival in RIVALS:
            found[rival].append(100 * (1 - makespans["HMHS"] / makespans[rival]))
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
