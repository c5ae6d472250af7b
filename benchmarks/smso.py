"""SMSO's readings side by side, with and without outages: `python benchmarks/smso.py [--seeds 3]`.

Prints Markdown tables for 500 jobs: makespans in thousands of s without outages and with gamma =
0.03, by how much outages lengthen them, and the certified gap; then what Algorithm 2 gives if it is
read literally, and times. Means over the seeds, with the least and the greatest in brackets. Beside
the paper's Table I: `slotwise reproduce smso-table-1`.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from statistics import mean
from time import process_time

from slotwise.formulations.mapreduce.bounds.closed_form import best_lower_bound
from slotwise.heuristics.mapreduce.list_scheduling.rules import efss
from slotwise.heuristics.mapreduce.smso.queue_ordering import ordered
from slotwise.heuristics.mapreduce.smso.smso import smso, smso_johnson
from slotwise.instances.mapreduce.generators.smso import generate, small
from slotwise.instances.mapreduce.instance import Instance
from slotwise.instances.mapreduce.schedule import Schedule
from slotwise.instances.mapreduce.usable_slots import usable_slots

NODES = (10, 20, 50, 100, 150)
SLOTS = (15, 2)
GAMMA = 0.03


def efss_on_the_rest(instance: Instance) -> Schedule:
    usable = usable_slots(instance)
    return usable.restored(efss(usable.instance))


METHODS: dict[str, Callable[[Instance], Schedule]] = {
    "SMSO": smso,
    "SMSO, reduces=again": partial(smso, reduces="again"),
    "SMSO, data=ignored": partial(smso, data="ignored"),
    "SMSO, data=ignored, reduces=again": partial(smso, data="ignored", reduces="again"),
    "SMSO, load=tasks": partial(smso, load="tasks"),
    "SMSO, load=tasks, data=ignored": partial(smso, load="tasks", data="ignored"),
    "SMSO-Johnson": smso_johnson,
    "EFSS": efss_on_the_rest,
}


def main() -> None:
    parser = argparse.ArgumentParser(description="SMSO's readings, with and without outages.")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=500)
    parser.add_argument("--outages", choices=("nodes", "slots"), default="nodes")
    arguments = parser.parse_args()
    for method in METHODS.values():
        method(small(seed=0))

    shown = "makespan", f"gamma {GAMMA}", "longer by %", "gap %"
    print(f"## Makespans in 1000 s, {arguments.jobs} jobs, lost {arguments.outages}\n")
    header("nodes", "slots per node", "method", *shown)
    literal: dict[int, list[str]] = {}
    seconds: dict[tuple[int, str], list[float]] = defaultdict(list)
    for nodes in NODES:
        literal[nodes] = []
        for slots in SLOTS:
            runs = [
                both(arguments.jobs, nodes, slots, seed, arguments.outages, seconds)
                for seed in range(arguments.seeds)
            ]
            for name in METHODS:
                before, after = ([run[k][name] for run in runs] for k in (0, 1))
                gap = spread([100 * (run[0][name] / run[0]["bound"] - 1) for run in runs])
                row(nodes, f"{slots} + {slots}", name, *compared(before, after), gap)
            literal[nodes].append(thousands([run[0]["literal"] for run in runs]))

    print("\n## All reduce tasks of a job on one slot (Algorithm 2 read literally), 1000 s\n")
    header("nodes", *(f"{slots} + {slots}" for slots in SLOTS))
    for nodes in NODES:
        row(nodes, *literal[nodes])

    print(f"\n## CPU time on {NODES[-1]} nodes with {SLOTS[0]} + {SLOTS[0]} slots, s\n")
    header("method", "mean", "most")
    for name in METHODS:
        own = seconds[NODES[-1] * SLOTS[0], name]
        row(name, f"{mean(own):.2f}", f"{max(own):.2f}")


def both(
    jobs: int,
    nodes: int,
    slots: int,
    seed: int,
    outages: str,
    seconds: dict[tuple[int, str], list[float]],
) -> tuple[dict[str, float], dict[str, float]]:
    """Makespan by method, and the bound, without outages and with them."""
    hit = generate(
        jobs,
        nodes,
        seed=seed,
        gamma=GAMMA,
        outages=outages,  # type: ignore[arg-type]
        map_slots=slots,
        reduce_slots=slots,
    )
    whole = replace(hit, outages=None)
    found = []
    for instance in (whole, hit):
        makespans = {"bound": best_lower_bound(whole)[0]}
        for name, method in METHODS.items():
            begin = process_time()
            schedule = method(instance)
            seconds[nodes * slots, name].append(process_time() - begin)
            makespans[name] = schedule.makespan
            if instance is whole and name == "SMSO":
                shared = ordered(instance, schedule.map.slot, job_on_one_slot=True)
                makespans["literal"] = shared.makespan
        found.append(makespans)
    return found[0], found[1]


def compared(before: Sequence[float], after: Sequence[float]) -> list[str]:
    """Both makespans, and by how much the second is longer."""
    longer = [100 * (b / a - 1) for a, b in zip(before, after, strict=True)]
    return [thousands(before), thousands(after), spread(longer)]


def thousands(values: Sequence[float]) -> str:
    return f"{mean(values) / 1000:.1f}"


def spread(values: Sequence[float]) -> str:
    return f"{mean(values):.1f} ({min(values):.1f} to {max(values):.1f})"


def header(*cells: object) -> None:
    row(*cells)
    row(*("---" for _ in cells))


def row(*cells: object) -> None:
    print("| " + " | ".join(map(str, cells)) + " |", flush=True)


if __name__ == "__main__":
    main()
