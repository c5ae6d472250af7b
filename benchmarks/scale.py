"""`solve` at the paper's scale: the 100 cells of LJR Table 2, mean gaps to the proven bound in %.

    python benchmarks/scale.py [--instances 3] [--cells R4 R3-50 R1-100-30 …]
                               [--time-limit 10] [--threads 2] [--results FILE.jsonl]

A cell is a slot ratio, a number of jobs and a number of nodes; a part of it chooses all cells that
begin so. Prints a Markdown table and the means that matter, those of the paper's heuristics beside
them. With `--results` every run is appended to a file of JSON lines and not repeated next time;
Ctrl-C prints the table of what is there.
"""

import argparse
import sys
from collections import defaultdict
from collections.abc import Hashable
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path
from statistics import mean
from time import perf_counter

from runs import carry_out, uninterrupted

from slotwise.formulations.mapreduce.bounds.closed_form import best_lower_bound
from slotwise.instances.mapreduce.generators.ljr import generate
from slotwise.solvers.mapreduce.heuristic import all_heuristics
from slotwise.solvers.mapreduce.solve import solve

MAP_SLOTS = {"R1": 2, "R2": 4, "R3": 6, "R4": 8}
JOBS = (50, 100, 150, 200, 250)
NODES = (10, 15, 20, 25, 30)
HEURISTICS = ("EASS", "EFSS", "EFSS-L", "TBS", "TBS-L")


@dataclass(frozen=True)
class Run:
    """One instance; times in s. `heuristics` has the makespan of each."""

    ratio: str
    jobs: int
    nodes: int
    seed: int
    time_limit: float
    threads: int
    makespan: float
    lower_bound: float
    bound: str
    found_by: str
    seconds: float
    note: str
    heuristics: dict[str, float]

    @property
    def cell(self) -> str:
        return f"{self.ratio}-{self.jobs}-{self.nodes}"

    @property
    def key(self) -> Hashable:
        return self.cell, self.seed, self.time_limit, self.threads

    def __str__(self) -> str:
        return (
            f"{self.cell} seed {self.seed}: {self.gap('EFSS-L'):.3f} -> {self.gap():.3f} % "
            f"by {self.found_by}, {self.seconds:.1f} s"
        )

    def gap(self, heuristic: str | None = None) -> float:
        """In %: of the schedule found, or of a heuristic's."""
        makespan = self.heuristics[heuristic] if heuristic else self.makespan
        return 100 * (makespan / self.lower_bound - 1)


TARGETS = {
    "all": (0.5, lambda run: True),
    "R1 to R3, n >= 100": (0.05, lambda run: run.ratio != "R4" and run.jobs >= 100),
    "R4": (1.5, lambda run: run.ratio == "R4"),
}
"""Mean gaps in % to reach, and which runs count."""


def measure(ratio: str, jobs: int, nodes: int, seed: int, time_limit: float, threads: int) -> Run:
    instance = generate(jobs, nodes, seed=seed, map_slots=MAP_SLOTS[ratio])
    began = perf_counter()
    heuristics = all_heuristics(instance, best_lower_bound(instance))
    left = max(0.0, time_limit - (perf_counter() - began))
    result = uninterrupted(solve(instance, time_limit=left, threads=threads, heuristics=heuristics))
    makespans = {h.method: h.makespan for h in heuristics if h.makespan is not None}
    assert result.makespan is not None
    return Run(
        ratio=ratio,
        jobs=jobs,
        nodes=nodes,
        seed=seed,
        time_limit=time_limit,
        threads=threads,
        makespan=result.makespan,
        lower_bound=result.lower_bound,
        bound=result.bound_name,
        found_by=result.found_by,
        seconds=round(perf_counter() - began, 3),
        note="; ".join(result.notes),
        heuristics={name: makespans[name] for name in HEURISTICS},
    )


def table(runs: list[Run]) -> str:
    lines = [
        "| ratio | jobs | " + " | ".join(f"m = {nodes}" for nodes in NODES) + " |",
        "|---|---|" + "---|" * len(NODES),
    ]
    for ratio, jobs in product(MAP_SLOTS, JOBS):
        cells = []
        for nodes in NODES:
            gaps = [run.gap() for run in runs if run.cell == f"{ratio}-{jobs}-{nodes}"]
            cells.append(f"{mean(gaps):.3f}" if gaps else "–")
        if set(cells) != {"–"}:
            lines.append(f"| {ratio} | {jobs} | {' | '.join(cells)} |")
    return "\n".join(lines)


def over_cells(runs: list[Run], heuristic: str | None = None) -> float:
    """Mean of the cells' mean gaps in %, as cells may have different numbers of instances."""
    cells = defaultdict(list)
    for run in runs:
        cells[run.cell].append(run.gap(heuristic))
    return mean(mean(gaps) for gaps in cells.values())


def summary(runs: list[Run]) -> str:
    lines = [
        f"| mean gap in % | instances | found | target | {' | '.join(HEURISTICS)} |",
        "|---|---|---|---|" + "---|" * len(HEURISTICS),
    ]
    for title, (target, counts) in TARGETS.items():
        chosen = [run for run in runs if counts(run)]
        if chosen:
            others = (f"{over_cells(chosen, name):.2f}" for name in HEURISTICS)
            lines.append(
                f"| {title} | {len(chosen)} | {over_cells(chosen):.3f} | {target} "
                f"| {' | '.join(others)} |"
            )
    return "\n".join(lines)


def runs_of(
    cells: list[str], instances: int, time_limit: float, threads: int, results: Path | None
) -> list[Run]:
    """Of the cells that begin with one of `cells`, one seed after another."""
    sizes = {f"{r}-{n}-{m}": (r, n, m) for r, n, m in product(MAP_SLOTS, JOBS, NODES)}
    chosen = [name for name in sizes if any(f"{name}-".startswith(f"{part}-") for part in cells)]
    if not chosen:
        sys.exit(f"no such cells: {' '.join(cells)}")
    # Imports and compiled kernels are not what is measured.
    solve(generate(20, 6, seed=0, map_slots=8), time_limit=10.0, threads=threads)
    todo = (
        (
            (name, seed, time_limit, threads),
            partial(measure, *sizes[name], seed, time_limit, threads),
        )
        for seed, name in product(range(instances), chosen)
    )
    return carry_out(todo, Run, results)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--instances", type=int, default=3, help="per cell")
    parser.add_argument("--cells", nargs="+", default=list(MAP_SLOTS))
    parser.add_argument("--time-limit", type=float, default=10.0)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--results", type=Path, help="JSON lines, read and appended to")
    options = parser.parse_args()

    runs = runs_of(
        options.cells, options.instances, options.time_limit, options.threads, options.results
    )
    print(f"{table(runs)}\n\n{summary(runs)}\n")
    print(f"{options.time_limit:g} s, {options.threads} threads.")


if __name__ == "__main__":
    main()
