"""Which rule for reduce slots is nearer to Table 2 of [LJR]: `python benchmarks/as_printed.py`.

Statement 15 is printed without the wait for a job's map tasks; EFSS, EFSS-L, TBS and TBS-L count
it, their `-as-printed` versions do not. Each cell is the mean relative error of 30 instances with
the two published settings, as in `slotwise reproduce ljr-table-2`. Prints the tables of
docs/errata/ljr-efss.md.
"""

from __future__ import annotations

import itertools
from collections import defaultdict

import numpy as np

from slotwise.experiments.reproduction.ljr.design import (
    BOUNDS,
    JOBS,
    NODES,
    PUBLISHED,
    RATIOS,
    SEEDS,
)
from slotwise.experiments.reproduction.printed import table
from slotwise.formulations.mapreduce.bounds import BOUNDS as LOWER_BOUNDS
from slotwise.heuristics.mapreduce import HEURISTICS
from slotwise.instances.mapreduce.generators.ljr import generate

METHODS = ("EFSS", "EFSS-L", "TBS", "TBS-L")
Cell = tuple[str, int, str, int]


def main() -> None:
    printed = {
        (row.method, row.jobs, row.slot_ratio, row.nodes): row.re_percent
        for row in table("ljr_table2").itertuples()
    }
    found = {cell: (errors[0], errors[1], printed[cell]) for cell, errors in measured().items()}
    print("| method | slot ratio | nearer: with the wait | nearer: as printed |", end="")
    print(" distance with the wait | distance as printed |")
    print("|---|---|---|---|---|---|")
    for method, ratio in itertools.product(METHODS, RATIOS.values()):
        rows = np.array([v for k, v in found.items() if (k[0], k[2]) == (method, ratio)])
        ours, theirs = abs(rows[:, 0] - rows[:, 2]), abs(rows[:, 1] - rows[:, 2])
        counts = f"{(ours < theirs).sum()} | {(theirs < ours).sum()}"
        print(f"| {method} | {ratio} | {counts} | {ours.mean():.2f} | {theirs.mean():.2f} |")
    print("\n| jobs | ratio |" + "".join(f" {nodes} nodes |" for nodes in NODES))
    print("|---|---|" + "---|" * len(NODES))
    for jobs, ratio in itertools.product(JOBS, RATIOS.values()):
        cells = [found["EFSS", jobs, ratio, nodes] for nodes in NODES]
        texts = (" / ".join(f"{value:.2f}" for value in cell) for cell in cells)
        print(f"| {jobs} | {ratio} | {' | '.join(texts)} |")


def measured() -> dict[Cell, list[float]]:
    """Mean relative error (%) of each cell, with the wait and as printed."""
    errors: dict[Cell, list[tuple[float, float]]] = defaultdict(list)
    bounds = [LOWER_BOUNDS.lookup(name).load() for name in BOUNDS]
    for jobs, (slots, ratio), nodes in itertools.product(JOBS, RATIOS.items(), NODES):
        for seed in SEEDS:
            instance = generate(jobs, nodes, map_slots=slots, seed=seed, **PUBLISHED)
            bound = max(compute(instance) for compute in bounds)
            for method in METHODS:
                both = (HEURISTICS.lookup(name).load() for name in (method, f"{method}-as-printed"))
                relative = tuple(100 * (rule(instance).makespan / bound - 1) for rule in both)
                errors[method, jobs, ratio, nodes].append(relative)  # type: ignore[arg-type]
    return {cell: np.mean(pairs, axis=0).tolist() for cell, pairs in errors.items()}


if __name__ == "__main__":
    main()
