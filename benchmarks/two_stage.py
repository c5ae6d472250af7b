"""`slotwise solve` on two-stage hybrid flow shops, its special case with two tasks per job.

    python benchmarks/two_stage.py [--jobs 10 20 50] [--seeds 10] [--limit 10] [--threads 2]
                                   [--unequal] [--results FILE.jsonl]

The sets are `slotwise.instances.generators.two_stage.generate` with 2 to 5 machines, as many in
both stages, and with `--unequal` all pairs of different numbers, on the first two seeds each.
Prints a Markdown table: how many are proven within the limit, the mean and the largest gap. With
`--results` every run is appended to a file of JSON lines and not repeated next time.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from dataclasses import asdict, dataclass
from itertools import permutations
from pathlib import Path
from statistics import mean, median

from slotwise.instances.generators.two_stage import generate
from slotwise.solvers.exact import solve

MACHINES = (2, 3, 4, 5)
UNEQUAL_SEEDS = 2


@dataclass(frozen=True)
class Run:
    """`solve` on one instance; times in s."""

    instance: str
    jobs: int
    machines: str
    time_limit: float
    threads: int
    status: str
    makespan: float
    lower_bound: float
    gap: float
    bound: str
    found_by: str
    seconds: float


def measure(jobs: int, stages: tuple[int, int], seed: int, limit: float, threads: int) -> Run:
    """Raises `KeyboardInterrupt` if Ctrl-C ended the run, which `solve` itself would not."""
    instance = generate(jobs, *stages, seed=seed)
    result = solve(instance, time_limit=limit, threads=threads)
    if result.interrupted:
        raise KeyboardInterrupt
    assert result.makespan is not None
    assert result.gap is not None
    return Run(
        instance=instance.name,
        jobs=jobs,
        machines=f"{stages[0]} + {stages[1]}" if stages[0] == stages[1] else "unequal",
        time_limit=limit,
        threads=threads,
        status=result.status.value,
        makespan=result.makespan,
        lower_bound=result.lower_bound,
        gap=result.gap,
        bound=result.bound,
        found_by=result.found_by,
        seconds=round(result.seconds, 3),
    )


def table(runs: list[Run]) -> str:
    groups: dict[tuple[int, str], list[Run]] = defaultdict(list)
    for run in runs:
        groups[run.jobs, run.machines].append(run)
    for run in runs:
        groups[run.jobs, "all"].append(run)
    lines = [
        "| jobs | machines | proven | mean gap | largest gap | median time |",
        "|--:|---|--:|--:|--:|--:|",
    ]
    for (jobs, machines), group in sorted(groups.items(), key=lambda item: item[0][0]):
        proven = sum(run.status == "optimal" for run in group)
        gaps = [run.gap for run in group]
        lines.append(
            f"| {jobs} | {machines} | {proven} of {len(group)} | {mean(gaps):.2%} "
            f"| {max(gaps):.2%} | {median(run.seconds for run in group):.2f} s |"
        )
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--jobs", type=int, nargs="+", default=[10, 20, 50])
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--limit", type=float, default=10.0, help="s for each run")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--unequal", action="store_true", help="pairs of different numbers too")
    parser.add_argument("--results", type=Path, help="JSON lines, read and appended to")
    options = parser.parse_args()

    done = {}
    if options.results and options.results.exists():
        for line in options.results.read_text().splitlines():
            run = Run(**json.loads(line))
            done[run.instance, run.time_limit, run.threads] = run
    todo = [((m, m), seed) for m in MACHINES for seed in range(options.seeds)]
    if options.unequal:
        todo += [(p, seed) for p in permutations(MACHINES, 2) for seed in range(UNEQUAL_SEEDS)]
    runs: list[Run] = []
    try:
        # Imports and compiled kernels are not what is measured.
        solve(generate(3, seed=0), time_limit=5, threads=options.threads)
        for jobs in options.jobs:
            for stages, seed in todo:
                name = f"two-stage-{jobs}x{stages[0]}+{stages[1]}-seed{seed}"
                known = done.get((name, options.limit, options.threads))
                run = known or measure(jobs, stages, seed, options.limit, options.threads)
                runs.append(run)
                if known:
                    continue
                if options.results:
                    with options.results.open("a") as file:
                        file.write(json.dumps(asdict(run)) + "\n")
                print(
                    f"{run.instance}: {run.status}, {run.lower_bound:g} to {run.makespan:g} s "
                    f"({run.bound}; {run.found_by}), {run.seconds:.2f} s",
                    file=sys.stderr,
                )
    except KeyboardInterrupt:
        print("interrupted: the table shows what is there", file=sys.stderr)
    print(table(runs))
    print(f"\n{options.limit:g} s and {options.threads} threads each.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
