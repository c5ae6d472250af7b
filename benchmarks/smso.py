"""SMSO with and without outages, beside Table I: `python benchmarks/smso.py [--seeds 10]`.

Prints Markdown tables for 500 jobs: makespans in thousands of s without outages and with gamma =
0.03, by how much outages lengthen them, and the certified gap; then what Algorithm 2 gives if it is
read literally, and times. The paper is silent on slots per node: 2 + 2 is our default, 13 + 13
comes near its makespans. Means over the seeds, with the least and the greatest in brackets; a seed
takes about a minute.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from statistics import mean
from time import perf_counter

from slotwise.formulations.bounds.closed_form import best_lower_bound
from slotwise.heuristics.list_scheduling.rules import efss
from slotwise.heuristics.smso.queue_ordering import ordered
from slotwise.heuristics.smso.smso import smso, smso_johnson
from slotwise.instances.generators.smso import generate, small
from slotwise.instances.mapreduce.instance import Instance
from slotwise.instances.mapreduce.schedule import Schedule
from slotwise.instances.mapreduce.usable_slots import usable_slots

NODES = (10, 20, 50, 100, 150)
SLOTS = (2, 13)
GAMMA = 0.03

TABLE_I = {
    10: ((599354, 589509, 588378, 584398, 602515, 610013, 595108, 602657, 603540, 604919),
         (630758, 701560, 622599, 614845, 627487, 610013, 627098, 662658, 603540, 641380)),
    20: ((290198, 292573, 295599, 292851, 296501, 302088, 296636, 284826, 291642, 298924),
         (305137, 312911, 302662, 306202, 312657, 302088, 303252, 304511, 291642, 305345)),
    50: ((118445, 116249, 119913, 114921, 118801, 118763, 117375, 117569, 120952, 121644),
         (121610, 121779, 127130, 116942, 123813, 125372, 124826, 124143, 123657, 123164)),
    100: ((60482, 59961, 60502, 58425, 60760, 58486, 60604, 59690, 60260, 62620),
          (66970, 63135, 62758, 60389, 61422, 61210, 61566, 66423, 62636, 64607)),
    150: ((41935, 40781, 41031, 42038, 41613, 41291, 41136, 40722, 42627, 42088),
          (41555, 43056, 42614, 41466, 42303, 43211, 43042, 42897, 44790, 42853)),
}  # fmt: skip
"""Makespans of ten instances by number of nodes, with gamma = 0 and 0.03."""


def efss_on_the_rest(instance: Instance) -> Schedule:
    usable = usable_slots(instance)
    return usable.restored(efss(usable.instance))


METHODS = {"SMSO": smso, "SMSO-Johnson": smso_johnson, "EFSS": efss_on_the_rest}


def main() -> None:
    parser = argparse.ArgumentParser(description="SMSO with and without outages.")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=500)
    parser.add_argument("--outages", choices=("nodes", "slots"), default="nodes")
    arguments = parser.parse_args()
    for method in METHODS.values():
        method(small(seed=0))

    shown = "makespan", f"gamma {GAMMA}", "longer by %", "gap %", f"gap {GAMMA} %"
    print(f"## Makespans in 1000 s, {arguments.jobs} jobs, lost {arguments.outages}\n")
    header("nodes", "slots per node", "method", *shown)
    literal: dict[int, list[str]] = {}
    seconds: dict[str, list[float]] = {}
    for nodes in NODES:
        row(nodes, "?", "Table I", *compared(*TABLE_I[nodes]), "", "")
        literal[nodes] = []
        for slots in SLOTS:
            seconds = defaultdict(list)
            runs = [
                both(arguments.jobs, nodes, slots, seed, arguments.outages, seconds)
                for seed in range(arguments.seeds)
            ]
            for name in METHODS:
                before, after = ([run[k][name] for run in runs] for k in (0, 1))
                gaps = [
                    spread([100 * (run[k][name] / run[k]["bound"] - 1) for run in runs])
                    for k in (0, 1)
                ]
                row(nodes, f"{slots} + {slots}", name, *compared(before, after), *gaps)
            literal[nodes].append(thousands([run[0]["literal"] for run in runs]))

    print("\n## All reduce tasks of a job on one slot (Algorithm 2 read literally), 1000 s\n")
    header("nodes", "Table I", *(f"{slots} + {slots}" for slots in SLOTS))
    for nodes in NODES:
        row(nodes, thousands(TABLE_I[nodes][0]), *literal[nodes])

    print(f"\n## Time on {NODES[-1]} nodes with {SLOTS[-1]} + {SLOTS[-1]} slots, s\n")
    header(*METHODS)
    row(*(f"{mean(seconds[name]):.2f} (at most {max(seconds[name]):.2f})" for name in METHODS))


def both(
    jobs: int, nodes: int, slots: int, seed: int, outages: str, seconds: dict[str, list[float]]
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
        makespans = {"bound": best_lower_bound(instance)[0]}
        for name, method in METHODS.items():
            begin = perf_counter()
            schedule = method(instance)
            seconds[name].append(perf_counter() - begin)
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
