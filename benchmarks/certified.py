"""The table of certified gaps: `slotwise solve` on every class of instances.

    python benchmarks/certified.py [--data FOLDER] [--only fb-hours grid …] [--sample] [--threads 2]
                                   [--rivals none|heuristics] [--results FILE.jsonl]

`--sample` is a quarter of an hour of it, to be run before and after a change. Real traces are
looked for by name anywhere below `--data`; classes without their files are left out, with a line
that says so. With `--results` every run is appended to a file of JSON lines and not repeated next
time; Ctrl-C prints the table of what is there. A run that fails counts as a gap without end, and is
kept as well: drop its line to try again. Ends with status 1 if a bound is above another's schedule.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from functools import partial
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from itertools import islice, product
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import slotwise
from slotwise.core.errors import InputError
from slotwise.heuristics.mapreduce import HEURISTICS
from slotwise.instances.mapreduce.generators import hmhs, ljr, smso, two_stage
from slotwise.instances.mapreduce.instance import Instance

OURS, HEURISTIC, FAILED = "slotwise solve", "best heuristic", "failed"
RIVALS = {"none": (OURS,), "heuristics": (OURS, HEURISTIC)}
SUMS = Path(__file__).parent / "middle_instances" / "SHA256SUMS"
FACEBOOK = "FB-2009_samples_24_times_1hr_[0-9].tsv.gz"
GRIDMIX = "gridmix_system/*.json.gz"
RUMEN = ("mumak/*.trace.json.gz", "rumen_tests/input-trace.json.gz", "sls/*.json.gz")
HOUR, TOLERANCE, MOST_BOUNDS = 3600.0, 1e-6, 3
COLUMNS = (
    "class", "limit", "proven", "mean gap", "worst gap", "aim", "bounds", "seconds", HEURISTIC,
)  # fmt: skip

MIDDLE: dict[str, list[tuple[tuple[int, ...], tuple[int, ...]]]] = {
    "10-19": [((3, 3, 2, 1, 4, 3), (0, 1, 2, 3, 4, 5, 6, 7, 8, 9))],
    "20-27": [((5, 3, 2, 1, 4, 3), (0, 1, 2, 5, 6, 7, 8, 9, 10, 11))],
    "28-38": [((6, 3, 2, 1, 5, 3), (0, 1, 2, 4, 5)), ((6, 3, 1, 1, 4, 3), (1, 2, 4, 6, 7))],
    "36-45": [((8, 4, 1, 1, 4, 3), (0, 1, 2, 4, 6, 7, 8, 10, 13, 15))],
    "46-60": [((8, 3, 2, 2, 6, 3), (4, 6, 7, 9, 10, 13, 15, 18, 26, 28))],
    "61-80": [((10, 4, 2, 2, 8, 4), (0, 1, 2, 5, 6, 7, 8, 10, 11, 12))],
}
"""By number of tasks: jobs, nodes, map and reduce slots, most maps and reduces, and the seeds."""

ALL = (None, None, None)
FRESH_SEEDS = range(100, 120)
"""Seeds of instances that the pinned set has no part in."""


@dataclass(frozen=True)
class Run:
    """One method on one instance; times in s, `peak_mb` of one in a process of its own."""

    set: str
    instance: str
    tasks: int
    method: str
    time_limit: float
    threads: int
    status: str
    makespan: float
    lower_bound: float | None
    gap: float | None
    seconds: float
    note: str = ""
    bound: str = ""
    peak_mb: float | None = None

    @property
    def key(self) -> tuple[object, ...]:
        return self.set, self.instance, self.method, self.time_limit, self.threads


@dataclass(frozen=True)
class Set:
    """Instances that share a line, their time limit (s), and what is to be reached: mean and worst
    gap in %, optima, memory in MB."""

    name: str
    limit: float
    instances: Callable[[], Iterator[Instance]]
    mean: float | None = None
    worst: float | None = None
    proven: int | None = None
    peak_mb: float | None = None
    sample: tuple[int | None, ...] | None = None
    """First, end and step of the instances that are part of `--sample`; None for none."""


class Absent(Exception):
    """The files of a class are not there."""


def found(data: Path | None, *patterns: str) -> list[Path]:
    """Files anywhere below the folder. Raises `Absent` if there are none of some pattern."""
    if data is None:
        raise Absent("there is no --data")
    files = []
    for pattern in patterns:
        files += (own := sorted(data.rglob(pattern)))
        if not own:
            raise Absent(f"no {pattern} below {data}")
    return files


def hours(files: list[Path]) -> Iterator[Instance]:
    """Every hour of a day on a tenth of the cluster; bytes are scaled by as much."""
    for file, hour in product(files, range(24)):
        window = (HOUR * hour, HOUR * (hour + 1))
        try:
            made = slotwise.read_swim(file, nodes=60, racks=4, trace_machines=600, window=window)
        except InputError:  # no job in this hour
            continue
        yield replace(made.made, name=f"{made.made.name}, hour {hour}")


def days(files: list[Path]) -> Iterator[Instance]:
    for file in files:
        yield slotwise.read_swim(file, nodes=600, racks=20, trace_machines=600).made


def histories(files: list[Path]) -> Iterator[Instance]:
    for file in files:
        yield slotwise.read_rumen(file).made


def seeded(generate: Callable[..., Instance], seeds: int, *size: Any, **more: Any) -> Any:
    """A stream of the instances of some seeds."""
    return lambda: (generate(*size, seed=seed, **more) for seed in range(seeds))


def grid(ratio: str, map_slots: int, seeds: int) -> Iterator[Instance]:
    """Table 2 of LJR."""
    for seed, jobs, nodes in product(range(seeds), (50, 100, 150, 200, 250), (10, 15, 20, 25, 30)):
        instance = ljr.generate(jobs, nodes, seed=seed, map_slots=map_slots)
        yield replace(instance, name=f"{ratio}-{jobs}-{nodes}-{seed}")


def small(size: tuple[int, ...], seed: int) -> Instance:
    jobs, nodes, map_slots, reduce_slots, max_maps, max_reduces = size
    return ljr.small(
        jobs, nodes, seed=seed, racks=2, replicas=2, map_slots=map_slots,
        reduce_slots=reduce_slots, max_maps=max_maps, max_reduces=max_reduces,
    )  # fmt: skip


def pinned(name: str) -> Iterator[Instance]:
    """Ten instances; ends the program if one is not what was published."""
    digests = {file: digest for digest, file in map(str.split, SUMS.read_text().splitlines())}
    seeds = [(size, seed) for size, seeds in MIDDLE[name] for seed in seeds]
    for number, (size, seed) in enumerate(seeds):
        instance = replace(small(size, seed), name=f"middle-{name}-{number}")
        with TemporaryDirectory() as folder:
            file = Path(folder, f"{instance.name}.json")
            slotwise.write(instance, file)
            if sha256(file.read_bytes()).hexdigest() != digests[file.name]:
                sys.exit(f"{instance.name}: its file differs from the one in {SUMS.name}")
        yield instance


def fresh() -> Iterator[Instance]:
    """28 to 38 tasks as in the pinned set, on other seeds."""
    for number, (size, _) in enumerate(MIDDLE["28-38"]):
        for seed in FRESH_SEEDS:
            instance = small(size, seed)
            if 28 <= instance.map_tasks + instance.reduce_tasks <= 38:
                yield replace(instance, name=f"{instance.name}-{number}")


def optima(whole: bool) -> Iterator[Instance]:
    """Three to five jobs on three and four nodes, as drawn and in whole seconds."""
    for jobs, nodes, seed in product((3, 4, 5), (3, 4), range(1, 7)):
        drawn = ljr.generate(jobs, nodes, seed=seed, maps_range=(1, 4), reduces_range=(1, 3))
        times = {name: getattr(drawn, name) for name in ("map_processing", "reduce_processing")}
        rounded = {name: values.round() for name, values in times.items()} if whole else {}
        yield replace(drawn, name=f"{drawn.name}-{jobs}-{nodes}-{seed}", **rounded)


def hmhs_sets(workload: str, rows: dict[int, tuple[float, float]]) -> list[Set]:
    return [
        Set(f"HMHS, {workload}, {jobs} jobs", limit,
            seeded(hmhs.generate, 3, jobs, workload=workload), aim,
            sample=ALL if jobs in (20, 100) else None)
        for jobs, (limit, aim) in rows.items()
    ]  # fmt: skip


CLASSES: dict[str, Callable[[Path | None], list[Set]]] = {
    "fb-hours": lambda data: [
        Set("FB-2009, hours, 60 nodes", 20, partial(hours, found(data, FACEBOOK)), 1, 3,
            sample=(0, 24, 6)),
    ],
    "fb-day": lambda data: [
        Set("FB-2009, day, 600 nodes", 60, partial(days, found(data, FACEBOOK)), 3, peak_mb=1000),
    ],
    "gridmix": lambda data: [
        Set("Gridmix traces", 20, partial(histories, found(data, GRIDMIX)), 0.4, 2,
            sample=ALL),
    ],
    "rumen": lambda data: [
        Set("Rumen's other traces", 20, partial(histories, found(data, *RUMEN)), 0.4, 2),
    ],
    "smso": lambda _: [
        Set("SMSO, 500 jobs, 50 nodes", 30,
            seeded(smso.generate, 2, 500, 50, map_slots=15, reduce_slots=15), 0.1),
    ],
    "hybrid": lambda _: hmhs_sets("hybrid", {20: (30, 3), 50: (60, 5), 100: (60, 4), 200: (60, 4)}),
    "single": lambda _: hmhs_sets(
        "single", {20: (30, 5), 50: (30, 3), 100: (30, 2), 200: (60, 1.5)}
    ),
    "grid": lambda _: [
        Set(f"LJR Table 2, {ratio}", 10, partial(grid, ratio, slots, seeds), aim,
            sample=(2, 25, 20) if ratio in ("R1", "R4") else None)
        for ratio, slots, seeds, aim in (
            ("R1", 2, 1, 0.005), ("R2", 4, 1, 0.017), ("R3", 6, 2, 0.051), ("R4", 8, 2, 0.9)
        )
    ],
    "optima": lambda _: [
        Set("3-5 jobs, as drawn", 20, partial(optima, False), proven=36),
        Set("3-5 jobs, whole seconds", 20, partial(optima, True), proven=36),
    ],
    "middle": lambda _: [
        Set(f"{name} tasks", 60, partial(pinned, name),
            sample=(0, 10, 5) if name in ("36-45", "46-60", "61-80") else None)
        for name in MIDDLE
    ],
    "fresh": lambda _: [Set("28-38 tasks, other seeds", 20, fresh)],
    "two-stage": lambda _: [
        Set(f"two-stage, 20 jobs, {m} + {m}", 10, seeded(two_stage.generate, 10, 20, m, m))
        for m in (2, 3, 4, 5)
    ],
}  # fmt: skip

TOTALS = {
    "grid": Set("grid, all", 0, fresh, 0.25),
    "optima": Set("optima, all", 0, fresh, proven=72),
    "middle": Set("middle, all", 0, fresh, proven=54),
    "two-stage": Set("two-stage, all", 0, fresh, 0.1, proven=34),
}
"""What all sets of a class are to reach together."""


def measure(a_set: Set, instance: Instance, method: str, threads: int) -> Run:
    """Raises `KeyboardInterrupt` if Ctrl-C ended it, which `solve` itself would not."""
    size = instance.map_tasks + instance.reduce_tasks
    begin = a_set.name, instance.name, size, method, a_set.limit, threads
    if method == HEURISTIC:
        began = perf_counter()
        results = [slotwise.heuristic(instance, name) for name in HEURISTICS.usual]
        best = min(results, key=lambda result: result.makespan or math.inf)
        values = best.status.value, best.makespan, best.lower_bound, best.gap
        return Run(*begin, *values, perf_counter() - began)
    if a_set.peak_mb is not None:
        return measured_apart(begin, instance)
    found = slotwise.solve(instance, time_limit=a_set.limit, threads=threads)
    if found.interrupted:
        raise KeyboardInterrupt
    told, note = found.document(), "; ".join(found.notes)
    values = (told[name] for name in ("status", "makespan", "lower_bound", "gap", "seconds"))
    return Run(*begin, *values, note, told["bound"])


APART = """
import resource, sys
from slotwise.commands.app import run
code = run(["solve", *sys.argv[1:]])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
sys.exit(code)
"""


def measured_apart(begin: tuple[Any, ...], instance: Instance) -> Run:
    """`slotwise solve` in a process of its own, with the most memory that it took (MB)."""
    limit, threads = begin[4:]
    with TemporaryDirectory() as folder:
        problem = Path(folder, "problem.json")
        slotwise.write(instance, problem)
        options = "--json", "--time-limit", f"{limit:g}", "--threads", f"{threads}"
        began = perf_counter()
        done = subprocess.run(
            [sys.executable, "-c", APART, str(problem), *options],
            stdout=subprocess.PIPE, text=True, check=True,
        )  # fmt: skip
        wall = perf_counter() - began
    document, _, peak = done.stdout.rstrip().rpartition("\n")
    told = json.loads(document)
    values = (told[name] for name in ("status", "makespan", "lower_bound", "gap", "seconds"))
    note = f"the whole command took {wall:.1f} s"
    return Run(*begin, *values, note, told["bound"], int(peak) / 1000)


def carried_out(
    sets: dict[str, list[Set]], methods: tuple[str, ...], threads: int, results: Path | None
) -> list[Run]:
    """The runs, one after another, each told on standard error; after Ctrl-C those until then."""
    done: dict[tuple[object, ...], Run] = {}
    if results and results.exists():
        lines = results.read_text().splitlines()
        done = {run.key: run for run in (Run(**json.loads(line)) for line in lines)}
    runs: list[Run] = []
    warm = [
        ljr.small(5, 3, seed=1), ljr.generate(20, 6, seed=0, map_slots=8),
        hmhs.generate(5, seed=0), hmhs.generate(5, seed=0, workload="hybrid"),
        smso.generate(10, 5, seed=0), two_stage.generate(6, 2, 2, seed=0),
    ]  # fmt: skip
    every = [a_set for of_class in sets.values() for a_set in of_class]
    try:
        for a_set in every:
            for instance, method in product(a_set.instances(), methods):
                key = a_set.name, instance.name, method, a_set.limit, threads
                if key not in done:
                    while warm:  # imports and compiled kernels are not what is measured
                        first = warm.pop()
                        slotwise.solve(first, time_limit=5.0, threads=threads)
                        measure(a_set, first, HEURISTIC, threads)
                    done[key] = run = attempted(a_set, instance, method, threads)
                    if results:
                        with results.open("a") as file:
                            file.write(json.dumps(asdict(run)) + "\n")
                    print(run, file=sys.stderr, flush=True)
                runs.append(done[key])
    except KeyboardInterrupt:
        print("interrupted: the tables show what is there", file=sys.stderr)
    return runs


def attempted(a_set: Set, instance: Instance, method: str, threads: int) -> Run:
    try:
        return measure(a_set, instance, method, threads)
    except Exception as failure:
        traceback.print_exc()
        begin = a_set.name, instance.name, 0, method, a_set.limit, threads
        return Run(*begin, FAILED, math.inf, 0.0, None, 0.0, repr(failure))


def line(a_set: Set, groups: list[list[Run]]) -> str:
    """One line of the table; its means are those of the groups' means."""
    ours = [[run for run in group if run.method == OURS] for group in groups]
    gaps = [[math.inf if run.gap is None else 100 * run.gap for run in own] for own in ours]
    runs = [run for own in ours for run in own]
    proven = sum(run.status == "optimal" for run in runs)
    average, worst = mean(map(mean, gaps)), max(map(max, gaps))
    peak = max((run.peak_mb or 0.0 for run in runs), default=0.0)
    aims = [
        (f"mean {a_set.mean:g} %", average > a_set.mean) if a_set.mean is not None else None,
        (f"worst {a_set.worst:g} %", worst > a_set.worst) if a_set.worst is not None else None,
        (f"{a_set.peak_mb:g} MB", peak > a_set.peak_mb) if a_set.peak_mb is not None else None,
        (f"{a_set.proven} proven", proven < a_set.proven) if a_set.proven is not None else None,
    ]
    told = [aim for aim in aims if aim is not None]
    missed = ": **missed**" if any(off for _, off in told) else ""
    ranked = Counter(run.bound for run in runs).most_common()
    stand = [f"{name} {count}" for name, count in ranked[:MOST_BOUNDS]]
    others = sum(count for _, count in ranked[MOST_BOUNDS:])
    low = {(run.set, run.instance): run.lower_bound for run in runs}
    rivals = []
    for group in groups:
        over = [
            run.makespan / bound - 1
            for run in group
            if run.method == HEURISTIC and (bound := low.get((run.set, run.instance)))
        ]
        rivals += [mean(over)] if over else []
    cells = [
        a_set.name,
        f"{a_set.limit:g} s" if a_set.limit else "",
        f"{proven} of {len(runs)}",
        percent(average),
        percent(worst),
        ", ".join(words for words, _ in told) + missed or "–",
        ", ".join([*stand, *([f"others {others}"] if others else [])]),
        f"{mean(run.seconds for run in runs):.1f}",
        percent(100 * mean(rivals)) if rivals else "–",
    ]
    return f"| {' | '.join(cells)} |"


def percent(value: float) -> str:
    """Three digits after the point below 1 %, else two."""
    return f"{value:.3f} %" if value < 1 else f"{value:.2f} %"


def contradictions(runs: list[Run]) -> Iterator[str]:
    """Instances on which one method's bound is above another's schedule, one line each."""
    by_instance: dict[tuple[str, str], list[Run]] = {}
    for run in runs:
        by_instance.setdefault((run.set, run.instance), []).append(run)
    for (name, instance), group in by_instance.items():
        low, high = max(run.lower_bound or 0.0 for run in group), min(r.makespan for r in group)
        if low > high * (1 + TOLERANCE):
            yield f"CONTRADICTION in {name}, {instance}: bound {low:.9g} s, makespan {high:.9g} s"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="real traces")
    parser.add_argument("--only", nargs="+", choices=CLASSES, default=list(CLASSES))
    parser.add_argument("--sample", action="store_true", help="a quarter of an hour of it")
    parser.add_argument("--rivals", choices=RIVALS, default="heuristics")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--results", type=Path, help="JSON lines, read and appended to")
    options = parser.parse_args()
    sets: dict[str, list[Set]] = {}
    remarks = []
    for name in options.only:
        try:
            sets[name] = CLASSES[name](options.data)
        except Absent as reason:
            remarks.append(f"{name}: left out, {reason}.")
    if options.sample:
        sets = {
            name: [
                replace(s, instances=lambda s=s: islice(s.instances(), *(s.sample or ())))
                for s in of_class if s.sample is not None
            ]
            for name, of_class in sets.items()
        }  # fmt: skip
    runs = carried_out(sets, RIVALS[options.rivals], options.threads, options.results)
    print("| " + " | ".join(COLUMNS) + " |\n" + "| --- " * len(COLUMNS) + "|")
    for name, of_class in sets.items():
        groups = {a_set: [run for run in runs if run.set == a_set.name] for a_set in of_class}
        groups = {a_set: own for a_set, own in groups.items() if own}
        print(*(line(a_set, [own]) for a_set, own in groups.items()), sep="\n")
        if name in TOTALS and groups:
            print(line(TOTALS[name], list(groups.values())))
    for run in runs:
        if run.status == FAILED:
            remarks.append(f"{run.set}, {run.instance}, {run.method}: failed, {run.note}.")
        if run.peak_mb is not None:
            remarks.append(f"{run.set}: {run.note} and at most {run.peak_mb:.0f} MB.")
    print("", *remarks, sep="\n")
    try:
        ortools = f"OR-Tools {version('ortools')}"
    except PackageNotFoundError:
        ortools = "no OR-Tools"
    print(
        f"{options.threads} threads of {os.cpu_count()} cores; HiGHS {version('highspy')},", ortools
    )
    wrong = list(contradictions(runs))
    print(*wrong, sep="\n", file=sys.stderr)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
