"""The fixed set of 60 middle instances, 10 to 80 tasks: `slotwise solve` beside CP-SAT alone.

    python benchmarks/middle.py [--classes 10-19 …] [--limit 60] [--threads 2] [--methods …]
                                [--results FILE.jsonl] [--write FOLDER]

The set is `CLASSES`: parameters and seeds of `slotwise.instances.generators.ljr.small`, pinned by
the SHA-256 of each instance file in `middle_instances/SHA256SUMS`; a drawn instance that differs
ends the program. `--write` puts the files into a folder and does nothing else. Prints a Markdown
table. With `--results` every run is appended to a file of JSON lines and not repeated next time;
Ctrl-C prints the table of what is there. Ends with status 1 if one method's bound is above
another's schedule.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from importlib.metadata import version
from itertools import count
from pathlib import Path
from statistics import mean, median

from exact import Run, contradictions, cp_sat_alone, grouped, with_model

from slotwise.instances.files import dump_json
from slotwise.instances.generators.ljr import small
from slotwise.instances.mapreduce import Instance
from slotwise.instances.mapreduce_file import instance_document
from slotwise.solvers.exact import solve
from slotwise.solvers.result import Result

SUMS = Path(__file__).parent / "middle_instances" / "SHA256SUMS"


@dataclass(frozen=True)
class Draw:
    """A size and the seeds: arguments of `small`, with 2 racks and 2 replicas throughout.

    The seeds are the first ones that give a number of tasks within the class.
    """

    jobs: int
    nodes: int
    map_slots: int
    reduce_slots: int
    max_maps: int
    max_reduces: int
    seeds: tuple[int, ...]

    def instances(self) -> Iterator[Instance]:
        size = {name: value for name, value in asdict(self).items() if name != "seeds"}
        for seed in self.seeds:
            yield small(seed=seed, **size)


CLASSES = {
    "10-19": (Draw(3, 3, 2, 1, 4, 3, (0, 1, 2, 3, 4, 5, 6, 7, 8, 9)),),
    "20-27": (Draw(5, 3, 2, 1, 4, 3, (0, 1, 2, 5, 6, 7, 8, 9, 10, 11)),),
    "28-38": (
        Draw(6, 3, 2, 1, 5, 3, (0, 1, 2, 4, 5)),
        Draw(6, 3, 1, 1, 4, 3, (1, 2, 4, 6, 7)),
    ),
    "36-45": (Draw(8, 4, 1, 1, 4, 3, (0, 1, 2, 4, 6, 7, 8, 10, 13, 15)),),
    "46-60": (Draw(8, 3, 2, 2, 6, 3, (4, 6, 7, 9, 10, 13, 15, 18, 26, 28)),),
    "61-80": (Draw(10, 4, 2, 2, 8, 4, (0, 1, 2, 5, 6, 7, 8, 10, 11, 12)),),
}
"""By number of tasks."""


def as_shipped(instance: Instance, time_limit: float, threads: int) -> Result:
    return solve(instance, time_limit=time_limit, threads=threads)


METHODS: dict[str, Callable[[Instance, float, int], Result]] = {
    "slotwise solve": as_shipped,
    "CP-SAT": with_model("cp-sat"),
    "CP-SAT without our bounds and start": cp_sat_alone,
}


def members(name: str) -> Iterator[Instance]:
    """The ten instances of a class, under names of their own."""
    number = count()
    for draw in CLASSES[name]:
        for instance in draw.instances():
            yield replace(instance, name=f"middle-{name}-{next(number)}")


def file_of(instance: Instance) -> bytes:
    return dump_json(instance_document(instance)).encode()


def need_pinned(instances: list[Instance]) -> None:
    """End the program if an instance is not the one that was published."""
    lines = SUMS.read_text().splitlines()
    pinned = {file: digest for digest, file in (line.split() for line in lines)}
    for instance in instances:
        if sha256(file_of(instance)).hexdigest() != pinned[f"{instance.name}.json"]:
            sys.exit(f"{instance.name}: its file differs from the one in {SUMS.name}")


def measure(name: str, instance: Instance, method: str, time_limit: float, threads: int) -> Run:
    """Raises `KeyboardInterrupt` if Ctrl-C ended the run, which `solve` itself would not."""
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


def table(runs: list[Run]) -> str:
    """One line per class and method; the last lines sum up the classes."""
    lines = [
        "| tasks | method | proven | mean gap | largest gap | median time |",
        "|---|---|--:|--:|--:|--:|",
    ]
    everything = [replace(run, set="all") for run in runs]
    for (name, method), group in grouped(runs + everything, "set", "method").items():
        proven = sum(run.status == "optimal" for run in group)
        # Without a positive bound there is no gap; one such instance voids the mean.
        gaps = [run.gap for run in group if run.gap is not None]
        known = len(gaps) == len(group)
        lines.append(
            f"| {name} | {method} | {proven} of {len(group)} "
            f"| {f'{mean(gaps):.3%}' if known else '–'} | {f'{max(gaps):.3%}' if known else '–'} "
            f"| {median(run.seconds for run in group):.2f} s |"
        )
    return "\n".join(lines)


def kept(results: Path | None) -> dict[tuple[object, ...], Run]:
    if results is None or not results.exists():
        return {}
    runs = [Run(**json.loads(line)) for line in results.read_text().splitlines()]
    return {(run.instance, run.method, run.time_limit, run.threads): run for run in runs}


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--classes", nargs="+", choices=CLASSES, default=list(CLASSES))
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS))
    parser.add_argument("--limit", type=float, default=60.0, help="s for each run")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--instances", type=int, default=10, help="per class")
    parser.add_argument("--results", type=Path, help="JSON lines, read and appended to")
    parser.add_argument("--write", type=Path, metavar="FOLDER", help="the instance files only")
    options = parser.parse_args()

    instances = {name: list(members(name))[: options.instances] for name in options.classes}
    need_pinned([instance for group in instances.values() for instance in group])
    if options.write:
        options.write.mkdir(parents=True, exist_ok=True)
        for group in instances.values():
            for instance in group:
                (options.write / f"{instance.name}.json").write_bytes(file_of(instance))
        return 0

    done = kept(options.results)
    runs: list[Run] = []
    try:
        for method in options.methods:  # imports and compiled kernels are not what is measured
            METHODS[method](small(1, 2, seed=0), 5.0, options.threads)
        for name, group in instances.items():
            for instance in group:
                for method in options.methods:
                    known = done.get((instance.name, method, options.limit, options.threads))
                    run = known or measure(name, instance, method, options.limit, options.threads)
                    runs.append(run)
                    if known:
                        continue
                    if options.results:
                        with options.results.open("a") as file:
                            file.write(json.dumps(asdict(run)) + "\n")
                    print(
                        f"{run.instance} ({run.tasks} tasks) {method}: {run.status}, "
                        f"{run.lower_bound:.6g} to {run.makespan:.6g} s, {run.seconds:.2f} s",
                        file=sys.stderr,
                    )
    except KeyboardInterrupt:
        print("interrupted: the table shows what is there", file=sys.stderr)
    print(table(runs))
    settled = {run.instance for run in runs if run.note == "heuristics and bounds meet"}
    print(
        f"\n{options.limit:g} s and {options.threads} threads each; OR-Tools {version('ortools')}. "
        f"Of {len({run.instance for run in runs})} instances, heuristics and closed-form bounds "
        f"settle {len(settled)} before the first two methods begin."
    )
    wrong = contradictions(runs)
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
