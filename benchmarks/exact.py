"""Exact methods side by side: branch and bound, the job-order model, the printed program, CP-SAT.

    python benchmarks/exact.py [--instances 20] [--threads 2] [--sets A B C6 …]
                               [--methods …] [--results FILE.jsonl]

Every method gets the same instance, wall time and number of threads, and starts from the same
heuristics and closed-form bounds; the last one gets neither. Prints a Markdown table. With
`--results` every run is appended to a file of JSON lines and not repeated next time; Ctrl-C prints
the table of what is there. Ends with status 1 if two methods contradict each other.
"""

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from importlib.metadata import version
from itertools import count, islice
from pathlib import Path
from statistics import mean, median
from time import perf_counter

from slotwise.formulations.bounds import best_lower_bound
from slotwise.instances.generators.ljr import small
from slotwise.instances.mapreduce import Instance
from slotwise.solvers.cp_sat import cp_sat_road
from slotwise.solvers.exact import solve
from slotwise.solvers.heuristic import all_heuristics
from slotwise.solvers.result import OPTIMALITY_TOLERANCE, Result, certified
from slotwise.solvers.road import Task


@dataclass(frozen=True)
class Set:
    """Instances of one size, in an endless stream, and the wall time (s) for each."""

    title: str
    time_limit: float
    instances: Callable[[], Iterator[Instance]]


@dataclass(frozen=True)
class Run:
    """One method on one instance; times in s."""

    set: str
    instance: str
    tasks: int
    method: str
    time_limit: float
    threads: int
    status: str
    makespan: float
    lower_bound: float
    gap: float | None
    seconds: float
    note: str


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


SETS = {
    "A": Set("4 jobs", 20.0, of_jobs(4)),
    "B": Set("5 jobs", 60.0, of_jobs(5)),
    **{f"C{n}": Set("1 to 3 jobs", 30.0, of_tasks(n)) for n in (6, 8, 10, 12, 14)},
}


def with_model(model: str) -> Callable[[Instance, float, int], Result]:
    return lambda instance, time_limit, threads: solve(
        instance, model=model, time_limit=time_limit, threads=threads
    )


def cp_sat_alone(instance: Instance, time_limit: float, threads: int) -> Result:
    """CP-SAT without closed-form bounds, without a known schedule."""
    began = perf_counter()
    heuristics = all_heuristics(instance, best_lower_bound(instance))
    worst = max(heuristics, key=lambda result: result.makespan or 0.0)
    assert worst.schedule is not None
    task = Task(
        incumbent=worst.schedule,
        lower_bound=0.0,
        time_limit=time_limit,
        threads=threads,
        relative_gap=OPTIMALITY_TOLERANCE / 10,
    )
    arrival = cp_sat_road(instance, task, given_bounds=False)
    return certified(
        instance,
        "CP-SAT alone",
        # Not its own, but its gap must be taken to some schedule.
        arrival.schedule or worst.schedule,
        arrival.lower_bound or 0.0,
        arrival.proof,
        perf_counter() - began,
        notes=(f"cp-sat: {arrival.stop}",),
    )


METHODS: dict[str, Callable[[Instance, float, int], Result]] = {
    "branch and bound": with_model("branch-and-bound"),
    "job-order model, HiGHS": with_model("job-order"),
    "printed program, HiGHS": with_model("sequence"),
    "job-order model, CP-SAT": with_model("cp-sat"),
    "the same without our bounds and start": cp_sat_alone,
}


def measure(name: str, instance: Instance, method: str, threads: int) -> Run:
    """Raises `KeyboardInterrupt` if Ctrl-C ended the run, which `solve` itself would not."""
    time_limit = SETS[name].time_limit
    result = METHODS[method](instance, time_limit, threads)
    if result.interrupted:
        raise KeyboardInterrupt
    assert result.makespan is not None
    return Run(
        set=name,
        instance=instance.name,
        tasks=instance.map_tasks + instance.reduce_tasks,
        method=method,
        time_limit=time_limit,
        threads=threads,
        status=result.status.value,
        makespan=result.makespan,
        lower_bound=result.lower_bound,
        gap=result.gap,
        seconds=round(result.seconds, 3),
        note="; ".join(result.notes) or "heuristics and bounds meet",
    )


def contradictions(runs: list[Run]) -> list[str]:
    """Instances on which one method's bound is above another's schedule, one line each."""
    found = []
    for (name, instance), group in grouped(runs, "set", "instance").items():
        low = max(group, key=lambda run: run.lower_bound)
        high = min(group, key=lambda run: run.makespan)
        if low.lower_bound > high.makespan * (1 + OPTIMALITY_TOLERANCE):
            found.append(
                f"CONTRADICTION in {name}, {instance}: {low.method} proves at least "
                f"{low.lower_bound:.9g} s, {high.method} has a schedule of {high.makespan:.9g} s"
            )
    return found


def grouped(runs: list[Run], *fields: str) -> dict[tuple[str, ...], list[Run]]:
    groups = defaultdict(list)
    for run in runs:
        groups[tuple(getattr(run, field) for field in fields)].append(run)
    return groups


def table(runs: list[Run]) -> str:
    lines = [
        "| set | tasks | limit | method | proven | mean gap | median time |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, of_set in SETS.items():
        for (_, method), group in grouped(
            [run for run in runs if run.set == name], "set", "method"
        ).items():
            proven = sum(run.status == "optimal" for run in group)
            # Without a positive bound there is no gap; one such instance voids the mean.
            gaps = [run.gap for run in group if run.gap is not None]
            gap = f"{mean(gaps):.3%}" if len(gaps) == len(group) else "–"
            lines.append(
                f"| {name}: {of_set.title} | {mean(run.tasks for run in group):.1f} "
                f"| {of_set.time_limit:g} s | {method} | {proven} of {len(group)} | {gap} "
                f"| {median(run.seconds for run in group):.2f} s |"
            )
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--instances", type=int, default=20, help="per set")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--sets", nargs="+", choices=SETS, default=list(SETS))
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS))
    parser.add_argument("--results", type=Path, help="JSON lines, read and appended to")
    options = parser.parse_args()

    done = {}
    if options.results and options.results.exists():
        for line in options.results.read_text().splitlines():
            run = Run(**json.loads(line))
            done[run.set, run.instance, run.method, run.time_limit, run.threads] = run
    runs: list[Run] = []
    try:
        for method in METHODS.values():  # imports and compiled kernels are not what is measured
            method(small(1, 2, seed=0), 5.0, options.threads)
        for name in options.sets:
            for instance in islice(SETS[name].instances(), options.instances):
                for method in options.methods:
                    limit = SETS[name].time_limit
                    known = done.get((name, instance.name, method, limit, options.threads))
                    run = known or measure(name, instance, method, options.threads)
                    runs.append(run)
                    if known:
                        continue
                    if options.results:
                        with options.results.open("a") as file:
                            file.write(json.dumps(asdict(run)) + "\n")
                    print(
                        f"{name} {run.instance} ({run.tasks} tasks) {method}: {run.status}, "
                        f"{run.lower_bound:.6g} to {run.makespan:.6g} s, {run.seconds:.2f} s",
                        file=sys.stderr,
                    )
    except KeyboardInterrupt:
        print("interrupted: the table shows what is there", file=sys.stderr)
    print(table(runs))
    settled = {(r.set, r.instance) for r in runs if r.note == "heuristics and bounds meet"}
    instances = {(r.set, r.instance) for r in runs}
    print(
        f"\n{options.threads} threads; HiGHS {version('highspy')}, OR-Tools {version('ortools')}. "
        f"Of {len(instances)} instances, heuristics and closed-form bounds settle {len(settled)} "
        "before the first three methods begin."
    )
    wrong = contradictions(runs)
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
