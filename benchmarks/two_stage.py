"""Two-stage hybrid flow shops, the special case of two tasks per job, beside CP-SAT alone.

    python benchmarks/two_stage.py [--jobs 20 …] [--seeds 10] [--limit 10] [--threads 2]
                                   [--unequal] [--methods …] [--results FILE.jsonl]

The sets are those of `generate` in `slotwise.instances.mapreduce.generators.two_stage` with 2 to 5
machines, as many in both stages, and with `--unequal` all pairs of different numbers, on the first
two seeds each. Prints a Markdown table. With `--results` every run is appended to a file of JSON
lines and not repeated next time; Ctrl-C prints the table of what is there. Ends with status 1 if
one method's bound is above another's schedule."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from importlib.metadata import version
from itertools import permutations
from pathlib import Path

from runs import RIVALS, end, side_by_side, table

from slotwise.instances.mapreduce.generators.two_stage import generate
from slotwise.instances.mapreduce.instance import Instance

MACHINES = (2, 3, 4, 5)
UNEQUAL_SEEDS = 2


def sets(jobs: int, seeds: int, unequal: bool = False) -> Iterator[tuple[str, Instance]]:
    """Name of the set, instance."""
    for m in MACHINES:
        for seed in range(seeds):
            yield f"{jobs} jobs, {m} + {m}", generate(jobs, m, m, seed=seed)
    if unequal:
        for stages in permutations(MACHINES, 2):
            for seed in range(UNEQUAL_SEEDS):
                yield f"{jobs} jobs, unequal", generate(jobs, *stages, seed=seed)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--jobs", type=int, nargs="+", default=[20])
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--limit", type=float, default=10.0, help="s for each run")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--unequal", action="store_true", help="pairs of different numbers too")
    parser.add_argument("--methods", nargs="+", choices=RIVALS, default=list(RIVALS))
    parser.add_argument("--results", type=Path, help="JSON lines, read and appended to")
    options = parser.parse_args()

    instances = (
        (name, options.limit, instance)
        for jobs in options.jobs
        for name, instance in sets(jobs, options.seeds, options.unequal)
    )
    methods = {name: RIVALS[name] for name in options.methods}
    runs = side_by_side(instances, methods, options.threads, options.results)
    print(table(runs))
    print(
        f"\n{options.limit:g} s and {options.threads} threads each; OR-Tools {version('ortools')}."
    )
    end(runs)


if __name__ == "__main__":
    main()
