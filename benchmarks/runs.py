"""What the benchmarks of certified methods share: runs that are kept, and the methods compared."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from statistics import mean, median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any, Protocol, TypeVar

from slotwise import write
from slotwise.core.clock import Clock
from slotwise.core.registry import Entry
from slotwise.heuristics.mapreduce import HEURISTICS
from slotwise.instances.mapreduce.generators.ljr import small
from slotwise.instances.mapreduce.instance import Instance
from slotwise.instances.mapreduce.parts import ALL_PARTS
from slotwise.solvers.mapreduce.cp_sat import cp_sat_method
from slotwise.solvers.mapreduce.heuristic import heuristic
from slotwise.solvers.mapreduce.params import SolveParams
from slotwise.solvers.mapreduce.race import Lane, Race, Turn
from slotwise.solvers.mapreduce.result import OPTIMALITY_TOLERANCE, Result, certified
from slotwise.solvers.mapreduce.solve import Solving, solve

Method = Callable[[Instance, float, int], Result]
"""Takes an instance, a time limit (s) and a number of threads."""

SETTLED = "heuristics and bounds meet"
TOLD = ("status", "makespan", "lower_bound", "gap", "seconds", "bound")
"""What a run takes from a result's document."""


def as_shipped(instance: Instance, time_limit: float, threads: int) -> Result:
    return solve(instance, time_limit=time_limit, threads=threads)


def with_model(model: str) -> Method:
    return lambda instance, time_limit, threads: solve(
        instance, methods=model, time_limit=time_limit, threads=threads
    )


def cp_sat_alone(instance: Instance, time_limit: float, threads: int) -> Result:
    """CP-SAT without closed-form bounds, without a known schedule."""
    began = perf_counter()
    heuristics = [heuristic(instance, entry) for entry in HEURISTICS.usual]
    worst = max(heuristics, key=lambda result: result.makespan or 0.0)
    assert worst.schedule is not None
    race = Race(instance, Clock(time_limit))
    race.start(worst.schedule, worst.method)  # not its own, but its gap must be taken to some
    entry = Entry("cp-sat", partial(cp_sat_method, given_bounds=False), understands=ALL_PARTS)
    race.run([Lane((Turn(entry),), threads)])
    outcome = race.outcomes[entry.name]
    result = certified(
        instance,
        "CP-SAT alone",
        race.schedule or worst.schedule,
        race.bound,
        outcome.proof,
        perf_counter() - began,
    )
    return replace(result, notes=(f"cp-sat: {outcome.why}",))


def best_heuristic(instance: Instance, time_limit: float, threads: int) -> Result:
    """The best of the papers' heuristics that end within the limit."""
    clock = Clock(time_limit)
    params = SolveParams(methods=Entry("none", lambda instance, runner: None), threads=threads)
    best = Solving(instance, clock, params, share=1.0).result()
    return replace(best, seconds=clock.elapsed)


OURS, HEURISTIC = "slotwise solve", "best heuristic"
RIVALS: dict[str, Method] = {
    OURS: as_shipped,
    "CP-SAT": with_model("cp-sat"),
    "CP-SAT without our bounds and start": cp_sat_alone,
}


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
    bound: str = ""
    peak_mb: float | None = None

    @property
    def key(self) -> Hashable:
        return self.set, self.instance, self.method, self.time_limit, self.threads

    def __str__(self) -> str:
        return (
            f"{self.set} {self.instance} ({self.tasks} tasks) {self.method}: {self.status}, "
            f"{self.lower_bound:.6g} to {self.makespan:.6g} s, {self.seconds:.2f} s"
        )


def uninterrupted(result: Result) -> Result:
    """Raises `KeyboardInterrupt` if Ctrl-C ended the run, which `solve` itself would not."""
    if result.interrupted:
        raise KeyboardInterrupt
    return result


class Keyed(Protocol):
    """A dataclass that JSON can hold, told by `str`."""

    __dataclass_fields__: Any

    @property
    def key(self) -> Hashable: ...


R = TypeVar("R", bound=Keyed)


def carry_out(
    todo: Iterable[tuple[Hashable, Callable[[], R]]], kind: type[R], results: Path | None
) -> list[R]:
    """The runs, one after another, each told on standard error.

    With `results` every run is appended to that file of JSON lines, and those already there are
    not repeated. After Ctrl-C, the runs until then.
    """
    done = {}
    if results and results.exists():
        for line in results.read_text().splitlines():
            run = kind(**json.loads(line))
            done[run.key] = run
    runs = []
    try:
        for key, measure in todo:
            run = done.get(key)
            if run is None:
                run = measure()
                if results:
                    with results.open("a") as file:
                        file.write(json.dumps(asdict(run)) + "\n")
                print(run, file=sys.stderr, flush=True)
            runs.append(run)
    except KeyboardInterrupt:
        print("interrupted: the tables show what is there", file=sys.stderr)
    return runs


def side_by_side(
    instances: Iterable[tuple[str, float, Instance]],
    methods: Mapping[str, Method],
    threads: int,
    results: Path | None,
) -> list[Run]:
    """Every method on every instance; each with the name of its set and its time limit (s)."""
    for method in methods.values():  # imports and compiled kernels are not what is measured
        method(small(1, 2, seed=0), 5.0, threads)
    todo = (
        (
            (set_name, instance.name, name, time_limit, threads),
            partial(measure, set_name, instance, name, method, time_limit, threads),
        )
        for set_name, time_limit, instance in instances
        for name, method in methods.items()
    )
    return carry_out(todo, Run, results)


def measure(
    set_name: str,
    instance: Instance,
    name: str,
    method: Method,
    time_limit: float,
    threads: int,
) -> Run:
    result = uninterrupted(method(instance, time_limit, threads))
    assert result.makespan is not None
    return Run(
        set=set_name,
        instance=instance.name,
        tasks=instance.map_tasks + instance.reduce_tasks,
        method=name,
        time_limit=time_limit,
        threads=threads,
        status=result.status.value,
        makespan=result.makespan,
        lower_bound=result.lower_bound,
        gap=result.gap,
        seconds=round(result.seconds, 3),
        note="; ".join(result.notes) or SETTLED,
        bound=result.bound_name,
    )


SOLVE_APART = """
import sys
from pathlib import Path
from slotwise.commands.app import run
code = run(["solve", *sys.argv[1:]])
status = Path("/proc/self/status").read_text().splitlines()
print(next(line for line in status if line.startswith("VmHWM")).split()[1])
sys.exit(code)
"""


def measure_apart(set_name: str, instance: Instance, time_limit: float, threads: int) -> Run:
    """`slotwise solve` in a process of its own, with the most memory that it took (MB)."""
    with TemporaryDirectory() as folder:
        problem = Path(folder, "problem.json")
        write(instance, problem)
        options = "--json", "--time-limit", f"{time_limit:g}", "--threads", f"{threads}"
        command = [sys.executable, "-c", SOLVE_APART, str(problem), *options]
        began = perf_counter()
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        wall = perf_counter() - began
    document, _, peak = done.stdout.rstrip().rpartition("\n")
    said = json.loads(document)
    return Run(
        set=set_name,
        instance=instance.name,
        tasks=instance.map_tasks + instance.reduce_tasks,
        method=OURS,
        time_limit=time_limit,
        threads=threads,
        note=f"the whole command took {wall:.1f} s",
        peak_mb=round(int(peak) / 1000, 1),
        **{name: said[name] for name in TOLD},
    )


def grouped(runs: list[Run], *fields: str) -> dict[tuple[str, ...], list[Run]]:
    groups = defaultdict(list)
    for run in runs:
        groups[tuple(getattr(run, field) for field in fields)].append(run)
    return groups


def figures(runs: list[Run]) -> tuple[str, str, str, str]:
    """Proven, mean gap, largest gap, median time."""
    proven = sum(run.status == "optimal" for run in runs)
    # Without a positive bound there is no gap; one such instance voids the mean.
    gaps = [run.gap for run in runs if run.gap is not None]
    known = len(gaps) == len(runs)
    return (
        f"{proven} of {len(runs)}",
        f"{mean(gaps):.3%}" if known else "–",
        f"{max(gaps):.3%}" if known else "–",
        f"{median(run.seconds for run in runs):.2f} s",
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


def end(runs: list[Run]) -> None:
    """Ends the program with status 1, and loudly, if methods contradict each other."""
    wrong = contradictions(runs)
    for line in wrong:
        print(line, file=sys.stderr)
    sys.exit(1 if wrong else 0)
