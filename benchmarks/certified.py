"""The table of certified gaps: `slotwise solve` on every class of instances, and what others leave.

    python benchmarks/certified.py [--data FOLDER] [--only fb-hours grid …] [--sample]
                                   [--threads 2]
                                   [--rivals none|heuristics|all] [--results FILE.jsonl]

`--sample` is a quarter of an hour of it, to be run before and after a change. Real traces are
looked for by name anywhere below `--data`; classes without their files are left out, with a line
that says so. `--rivals heuristics` is the best of the papers' heuristics and `all` also CP-SAT,
with and without our bounds and start, where it can model the instance. With `--results` every run
is appended to a file of JSON lines and not repeated next time; Ctrl-C prints the table of what is
there. A run that fails counts as a gap without end, and is kept as well: drop its line to try
again. All classes with `heuristics` take about 75 minutes. Class `optima` is also run where
OR-Tools is not installed. Ends with status 1 if one method's bound is above another's schedule.
"""

from __future__ import annotations

import argparse
import math
import os
import traceback
from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from statistics import mean

from certified_classes import CLASSES, Absent, Aim, Set, sampled
from runs import (
    HEURISTIC,
    OURS,
    RIVALS,
    Method,
    Run,
    best_heuristic,
    carry_out,
    end,
    grouped,
    measure,
    measure_apart,
)

from slotwise.instances.mapreduce.generators.ljr import small
from slotwise.solvers.mapreduce import cp_sat

METHODS: dict[str, dict[str, Method]] = {
    "none": {OURS: RIVALS[OURS]},
    "heuristics": {OURS: RIVALS[OURS], HEURISTIC: best_heuristic},
    "all": {OURS: RIVALS[OURS], HEURISTIC: best_heuristic, **RIVALS},
}
CP_SAT = tuple(name for name in RIVALS if name.startswith("CP-SAT"))
FAILED = "failed"
"""The status of a run that raised an error; its gap is infinite."""

COLUMNS = (
    "class", "limit", "proven", "mean gap", "worst gap", "aim", "bounds", "seconds", HEURISTIC,
)  # fmt: skip
MOST_BOUNDS = 3
"""Names in the column of bounds; the rest are counted together."""


Todo = tuple[Hashable, Callable[[], Run]]


def todo(sets: dict[str, list[Set]], methods: dict[str, Method], threads: int) -> Iterator[Todo]:
    """Every method on every instance of the sets of each class."""
    warm: set[str] = set()

    def run(name: str, measured: Callable[[], Run], failed: Run) -> Run:
        if name not in warm:  # imports and compiled kernels are not what is measured
            for instance in (CLASSES[name].warm_up(), small(4, 3, seed=0)):
                for method in methods.values():
                    method(instance, 10.0, threads)
            warm.add(name)
        try:
            return measured()
        except Exception as failure:
            traceback.print_exc()
            return replace(failed, note=repr(failure))

    for name, of_class in sets.items():
        for a_set in of_class:
            for instance in a_set.instances():
                for title, method in methods.items():
                    if title in CP_SAT and not cp_sat.can_model(instance):
                        continue
                    key = (a_set.name, instance.name, title, a_set.limit, threads)
                    if a_set.own_process and title == OURS:
                        measured = partial(
                            measure_apart, a_set.name, instance, a_set.limit, threads
                        )
                    else:
                        measured = partial(
                            measure, a_set.name, instance, title, method, a_set.limit, threads
                        )
                    failed = Run(*key[:2], 0, *key[2:], FAILED, math.inf, 0.0, None, 0.0, "")
                    yield key, partial(run, name, measured, failed)


def table(sets: dict[str, list[Set]], runs: list[Run]) -> list[str]:
    """The lines of all sets that have runs; the last one of some classes sums them up."""
    by_set = {name: group for (name,), group in grouped(runs, "set").items()}
    lines = [row(*COLUMNS), row(*("---" for _ in COLUMNS))]
    for name, of_class in sets.items():
        groups = [by_set[a_set.name] for a_set in of_class if a_set.name in by_set]
        for a_set in of_class:
            if a_set.name in by_set:
                limit = f"{a_set.limit:g} s"
                lines.append(line(a_set.name, limit, [by_set[a_set.name]], a_set.aim))
        total = CLASSES[name].total
        if total is not None and groups:
            lines.append(line(f"{name}, all", "", groups, total))
    return lines


def line(name: str, limit: str, groups: list[list[Run]], aim: Aim) -> str:
    """One line of the table; its means are those of the groups' means."""
    gaps = [[gap(run) for run in of(OURS, group)] for group in groups]
    runs = [run for group in groups for run in group]
    ours = of(OURS, runs)
    proven = sum(run.status == "optimal" for run in ours)
    average, worst = mean(map(mean, gaps)), max(map(max, gaps))
    peak = max((run.peak_mb or 0.0 for run in ours), default=0.0)
    cells = [
        name,
        limit,
        f"{proven} of {len(ours)}",
        percent(average),
        percent(worst),
        aim.judged(average, worst, proven, peak),
        bounds(ours),
        f"{mean(run.seconds for run in ours):.1f}",
        left_by_others(groups),
    ]
    return row(*cells)


def of(method: str, runs: list[Run]) -> list[Run]:
    return [run for run in runs if run.method == method]


def gap(run: Run) -> float:
    """In %; infinite without a positive bound."""
    return math.inf if run.gap is None else 100 * run.gap


def bounds(ours: list[Run]) -> str:
    """Which bounds stand, the most frequent first."""
    ranked = Counter(run.bound for run in ours).most_common()
    named = [f"{name} {count}" for name, count in ranked[:MOST_BOUNDS]]
    others = sum(count for _, count in ranked[MOST_BOUNDS:])
    return ", ".join([*named, *([f"others {others}"] if others else [])])


def left_by_others(groups: list[list[Run]]) -> str:
    """Mean gap of the best heuristic to our bounds; of CP-SAT to its own, and what it proves."""
    low = {(r.set, r.instance): r.lower_bound for group in groups for r in of(OURS, group)}
    means = []
    for group in groups:
        bounded = [run for run in of(HEURISTIC, group) if low[run.set, run.instance] > 0]
        if bounded:
            means.append(mean(run.makespan / low[run.set, run.instance] - 1 for run in bounded))
    cells = [percent(100 * mean(means))] if means else []
    for name in CP_SAT:
        rival = [run for group in groups for run in of(name, group)]
        if rival:
            proven = sum(run.status == "optimal" for run in rival)
            left = percent(mean(map(gap, rival)))
            cells.append(f"{name}: {proven} of {len(rival)}, {left}")
    return "; ".join(cells) or "–"


def percent(value: float) -> str:
    """Three digits after the point below 1 %, else two."""
    return f"{value:.3f} %" if value < 1 else f"{value:.2f} %"


def row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def remarks(runs: list[Run]) -> Iterator[str]:
    """Which runs failed, and what those took that have a process of their own, start included."""
    for run in runs:
        if run.status == FAILED:
            yield f"{run.set}, {run.instance}, {run.method}: failed, {run.note}."
        if run.peak_mb is not None:
            yield f"{run.set}: {run.note} and at most {run.peak_mb:.0f} MB."


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="real traces")
    parser.add_argument("--only", nargs="+", choices=CLASSES, default=list(CLASSES))
    parser.add_argument("--sample", action="store_true", help="a quarter of an hour of it")
    parser.add_argument("--rivals", choices=METHODS, default="heuristics")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--results", type=Path, help="JSON lines, read and appended to")
    options = parser.parse_args()

    sets: dict[str, list[Set]] = {}
    left_out = []
    for name in options.only:
        try:
            of_class = CLASSES[name].sets(options.data)
        except Absent as reason:
            left_out.append(f"{name}: left out, {reason}.")
        else:
            sets[name] = sampled(of_class) if options.sample else of_class
    chosen = todo(sets, METHODS[options.rivals], options.threads)
    runs = carry_out(chosen, Run, options.results)
    print("\n".join([*table(sets, runs), "", *remarks(runs), *left_out]))
    ortools = f"OR-Tools {version('ortools')}" if find_spec("ortools") else "no OR-Tools"
    print(
        f"{options.threads} threads of {os.cpu_count()} cores; HiGHS {version('highspy')},", ortools
    )
    end(runs)


if __name__ == "__main__":
    main()
