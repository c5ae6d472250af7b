"""Exact methods side by side: branch and bound, the job-order model, the printed program, CP-SAT.

Set D compares `slotwise solve` as it is with and without OR-Tools.

    python benchmarks/exact.py [--instances 20] [--threads 2] [--sets A B C6 …]
                               [--methods …] [--results FILE.jsonl]

Every method gets the same instance, wall time and number of threads, and starts from the same
heuristics and closed-form bounds; the last one gets neither. Prints a Markdown table. With
`--results` every run is appended to a file of JSON lines and not repeated next time; Ctrl-C prints
the table of what is there. Ends with status 1 if two methods contradict each other.
"""

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from importlib.metadata import version
from itertools import count, islice, product
from pathlib import Path
from statistics import mean
from unittest.mock import patch

import numpy as np
from runs import (
    OURS,
    SETTLED,
    Method,
    Run,
    as_shipped,
    cp_sat_alone,
    end,
    figures,
    grouped,
    side_by_side,
    with_model,
)

from slotwise.instances.mapreduce.cluster import Rates
from slotwise.instances.mapreduce.generators.ljr import small
from slotwise.instances.mapreduce.instance import Instance
from slotwise.solvers.mapreduce import choice
from slotwise.solvers.mapreduce.result import Result


@dataclass(frozen=True)
class Set:
    """Instances of one size, in an endless stream, and the wall time (s) for each."""

    title: str
    time_limit: float
    instances: Callable[[], Iterator[Instance]]


def of_jobs(jobs: int) -> Callable[[], Iterator[Instance]]:
    """Five tasks per job on average: 1 to 5 map tasks and 1 to 3 reduce tasks each."""
    return lambda: (small(jobs, 3, seed=seed, max_maps=5) for seed in count())


def of_tasks(tasks: int) -> Callable[[], Iterator[Instance]]:
    """In turn one, two and three jobs with exactly this many tasks, more map than reduce tasks."""

    def instances() -> Iterator[Instance]:
        for seed in count():
            jobs = 1 + seed % 3
            most = [max(2, round(share * tasks / jobs)) for share in (1.2, 0.8)]
            instance = small(jobs, 3, seed=seed, max_maps=most[0], max_reduces=most[1])
            if instance.map_tasks + instance.reduce_tasks == tasks:
                yield instance

    return instances


def of_two_sizes() -> Iterator[Instance]:
    """In turn 3, 4 and 5 jobs on 3 and 4 nodes; every second six in whole seconds."""
    for seed in count(9000):
        for jobs, nodes in product((3, 4, 5), (3, 4)):
            instance = small(jobs, nodes, seed=seed)
            yield in_whole_seconds(instance) if seed % 2 else instance


def in_whole_seconds(instance: Instance) -> Instance:
    """As the instance, but with short whole durations, many of them equal or 0."""
    return replace(
        instance,
        name=f"{instance.name}-whole",
        cluster=replace(instance.cluster, rates=Rates(100.0, 50.0, 25.0)),
        map_processing=np.maximum(0.0, instance.map_processing // 20 - 3),
        reduce_processing=np.maximum(0.0, instance.reduce_processing // 20 - 6),
        input_mb=np.round(instance.input_mb, -2),
        output_ratio=instance.reduces_of.astype(float),
    )


def without_ortools(instance: Instance, time_limit: float, threads: int) -> Result:
    """`slotwise solve` as if OR-Tools were not installed."""
    with patch.object(choice, "find_spec", return_value=None):
        return as_shipped(instance, time_limit, threads)


SETS = {
    "A": Set("4 jobs", 20.0, of_jobs(4)),
    "B": Set("5 jobs", 60.0, of_jobs(5)),
    "D": Set("3 to 5 jobs, 3 and 4 nodes", 20.0, of_two_sizes),
    **{f"C{n}": Set("1 to 3 jobs", 30.0, of_tasks(n)) for n in (6, 8, 10, 12, 14)},
}


METHODS: dict[str, Method] = {
    "branch and bound": with_model("branch-and-bound"),
    "job-order model, HiGHS": with_model("job-order"),
    "printed program, HiGHS": with_model("sequence"),
    "job-order model, CP-SAT": with_model("cp-sat"),
    "the same without our bounds and start": cp_sat_alone,
    OURS: as_shipped,
    f"{OURS} without OR-Tools": without_ortools,
}


def table(runs: list[Run]) -> str:
    lines = [
        "| set | tasks | limit | method | proven | mean gap | median time |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, of_set in SETS.items():
        for (_, method), group in grouped(
            [run for run in runs if run.set == name], "set", "method"
        ).items():
            proven, gap, _, seconds = figures(group)
            lines.append(
                f"| {name}: {of_set.title} | {mean(run.tasks for run in group):.1f} "
                f"| {of_set.time_limit:g} s | {method} | {proven} | {gap} | {seconds} |"
            )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--instances", type=int, default=20, help="per set")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--sets", nargs="+", choices=SETS, default=list(SETS))
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS))
    parser.add_argument("--results", type=Path, help="JSON lines, read and appended to")
    options = parser.parse_args()

    instances = (
        (name, SETS[name].time_limit, instance)
        for name in options.sets
        for instance in islice(SETS[name].instances(), options.instances)
    )
    methods = {name: METHODS[name] for name in options.methods}
    runs = side_by_side(instances, methods, options.threads, options.results)
    print(table(runs))
    settled = {(r.set, r.instance) for r in runs if r.note == SETTLED}
    instances = {(r.set, r.instance) for r in runs}
    print(
        f"\n{options.threads} threads; HiGHS {version('highspy')}, OR-Tools {version('ortools')}. "
        f"Of {len(instances)} instances, heuristics and closed-form bounds settle {len(settled)} "
        "before the first three methods begin."
    )
    end(runs)


if __name__ == "__main__":
    main()
