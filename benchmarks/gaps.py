"""The one table of certified gaps: `slotwise solve`, CP-SAT, and LJR's heuristics on every set.

    python benchmarks/gaps.py --results FOLDER [--instances 3] [--middle 60] [--threads 2]

The sets of `middle.py` (60 s per run), `two_stage.py` (20 jobs, 10 s) and `scale.py` (10 s), about
two hours in all. Every finished run is kept in FOLDER and not repeated next time, so that it can be
interrupted, and so that those programs print their tables from the same files. Ends with status 1
if one method's bound is above another's schedule.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from statistics import mean

import middle
import scale
import two_stage
from runs import RIVALS, Run, end, figures, grouped, side_by_side

from slotwise.formulations.bounds.closed_form import best_lower_bound
from slotwise.instances.mapreduce.instance import Instance
from slotwise.solvers.heuristic import all_heuristics

COLUMNS = ("set", "limit", *RIVALS, "best of LJR's heuristics")


def exact_lines(runs: list[Run], instances: list[Instance]) -> list[str]:
    """One line per set: how many are proven and the mean gap, the heuristic's to our bound."""
    bound = {run.instance: run.lower_bound for run in runs if run.method == "slotwise solve"}
    heuristic = {
        instance.name: best_heuristic(instance) / bound[instance.name] - 1
        for instance in instances
        if instance.name in bound
    }
    lines = []
    for (name,), of_set in grouped(runs, "set").items():
        cells = [", ".join(figures(group)[:2]) for group in grouped(of_set, "method").values()]
        gap = mean(heuristic[run.instance] for run in of_set)
        lines.append(row(name, f"{of_set[0].time_limit:g} s", *cells, f"{gap:.3%}"))
    return lines


def best_heuristic(instance: Instance) -> float:
    results = all_heuristics(instance, best_lower_bound(instance))
    return min(r.makespan for r in results if r.method in scale.HEURISTICS and r.makespan)


def scale_lines(runs: list[scale.Run]) -> list[str]:
    lines = []
    for ratio in scale.MAP_SLOTS:
        group = [run for run in runs if run.ratio == ratio]
        if group:
            ours = f"{len(group)} instances, {scale.over_cells(group):.3f}%"
            best = mean(min(map(run.gap, scale.HEURISTICS)) for run in group)
            limit = f"{group[0].time_limit:g} s"
            lines.append(row(f"LJR Table 2, {ratio}", limit, ours, "–", "–", f"{best:.3f}%"))
    return lines


def row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--results", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--instances", type=int, default=3, help="per cell of LJR's Table 2")
    parser.add_argument("--middle", type=float, default=60.0, help="s per run of that set")
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    options.results.mkdir(parents=True, exist_ok=True)

    sets = {
        "middle": [
            (name, options.middle, instance) for name, instance in middle.pinned(middle.CLASSES)
        ],
        "two-stage": [(name, 10.0, instance) for name, instance in two_stage.sets(20, seeds=10)],
    }
    print(row(*COLUMNS))
    print(row(*("---" for _ in COLUMNS)))
    exact: list[Run] = []
    for name, of_set in sets.items():
        runs = side_by_side(of_set, RIVALS, options.threads, options.results / f"{name}.jsonl")
        print("\n".join(exact_lines(runs, [instance for _, _, instance in of_set])), flush=True)
        exact += runs
    large = scale.runs_of(
        list(scale.MAP_SLOTS),
        options.instances,
        10.0,
        options.threads,
        options.results / "scale.jsonl",
    )
    print("\n".join(scale_lines(large)))
    end(exact)


if __name__ == "__main__":
    main()
