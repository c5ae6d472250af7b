"""Exact methods and bounds on machines of different speed (HMHS).

    python benchmarks/hmhs_exact.py [--seeds 3] [--threads 1] [--jobs 2 4 6 8 …] [--limit 60]
                                    [--large 20 50 100 200]

Prints Markdown tables. First the methods of `slotwise solve` on small instances, 3 + 3 machines and
up to 20 tasks per job and phase: how many are proven within the limit, the mean gap of the others,
the median time. Then 100 + 100 machines: time and makespan of each heuristic over the bound of the
linear programs, and of the schedule that they give. Ends with status 1 if two methods contradict
each other.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from importlib.util import find_spec
from statistics import mean, median
from time import perf_counter

from slotwise.formulations.mapreduce.bounds.closed_form import best_lower_bound
from slotwise.heuristics.mapreduce import HEURISTICS
from slotwise.instances.mapreduce.generators.hmhs import generate, small
from slotwise.solvers.mapreduce.heuristic import heuristic
from slotwise.solvers.mapreduce.result import OPTIMALITY_TOLERANCE, Result
from slotwise.solvers.mapreduce.solve import solve

METHODS = ("heterogeneous", "job-order", "cp-sat")
WORKLOADS = ("single", "hybrid")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--limit", type=float, default=60.0, help="s, for the small instances")
    parser.add_argument("--jobs", type=int, nargs="*", default=[2, 4, 6, 8, 10, 12])
    parser.add_argument("--large", type=int, nargs="*", default=[20, 50, 100, 200])
    options = parser.parse_args()
    methods = [method for method in METHODS if method != "cp-sat" or find_spec("ortools")]
    for method in methods:  # imports and compiled kernels are not what is measured
        solve(small(2, seed=0), methods=method, threads=options.threads)
    contradictions = 0
    row("jobs", "tasks", "method", "proven", "mean gap of the others", "median time")
    row(*["---"] * 6)
    for jobs in options.jobs:
        instances = [
            small(jobs, 3, 3, seed=seed, max_maps=20, max_reduces=20)
            for seed in range(options.seeds)
        ]
        tasks = mean(one.map_tasks + one.reduce_tasks for one in instances)
        results: dict[str, list[Result]] = defaultdict(list)
        for instance in instances:
            for method in methods:
                results[method].append(
                    solve(
                        instance, methods=method, time_limit=options.limit, threads=options.threads
                    )
                )
            contradictions += contradictory([results[method][-1] for method in methods])
        for method in methods:
            small_row(jobs, tasks, method, results[method])
    print()
    row("workload", "jobs", "method", "time", "over the bound, %", "least to greatest")
    row(*["---"] * 6)
    for workload in WORKLOADS:
        for jobs in options.large:
            large_rows(workload, jobs, options.seeds, options.threads)
    return 1 if contradictions else 0


def small_row(jobs: int, tasks: float, method: str, results: list[Result]) -> None:
    others = [100 * (result.gap or 0.0) for result in results if result.status != "optimal"]
    row(
        str(jobs),
        f"{tasks:.0f}",
        method,
        f"{len(results) - len(others)} of {len(results)}",
        f"{mean(others):.2f} %" if others else "",
        f"{median(result.seconds for result in results):.1f} s",
    )


def large_rows(workload: str, jobs: int, seeds: int, threads: int) -> None:
    seconds: dict[str, list[float]] = defaultdict(list)
    over: dict[str, list[float]] = defaultdict(list)
    for seed in range(seeds):
        instance = generate(jobs, seed=seed, workload=workload)  # type: ignore[arg-type]
        closed = best_lower_bound(instance)
        heuristics = [
            heuristic(instance, entry, lower_bound=closed[0], bound_name=closed[1])
            for entry in HEURISTICS.usual
        ]
        programs = solve(
            instance,
            methods="unrelated-machines",
            time_limit=120,
            threads=threads,
            heuristics=heuristics,
        )
        bound = programs.lower_bound
        for result in (*heuristics, programs):
            name = "linear programs" if result is programs else result.method
            seconds[name].append(result.seconds)
            over[name].append(100 * ((result.makespan or 0.0) / bound - 1))
        over["bound in closed form"].append(100 * (closed[0] / bound - 1))
    for name, values in over.items():
        time = f"{mean(seconds[name]):.3g} s" if name in seconds else ""
        spread = f"{min(values):.1f} to {max(values):.1f}"
        row(workload, str(jobs), name, time, f"{mean(values):.1f}", spread)


def contradictory(results: list[Result]) -> bool:
    """Whether one method's bound is above another's schedule; says so."""
    low = max(results, key=lambda result: result.lower_bound)
    high = min(results, key=lambda result: result.makespan or 0.0)
    wrong = low.lower_bound > (high.makespan or 0.0) * (1 + OPTIMALITY_TOLERANCE)
    if wrong:
        print(f"CONTRADICTION on {low.instance.name}: {low} against {high}", file=sys.stderr)
    return wrong


def row(*cells: str) -> None:
    print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    began = perf_counter()
    status = main()
    print(f"\n{perf_counter() - began:.0f} s in all", file=sys.stderr)
    sys.exit(status)
