"""Cells of LJR Table 2 at n = 250: relative errors in %, printed beside ours.

    python benchmarks/table2.py [--seeds 5] [--block-scale 1.0] [--racks 3|published]

The error is taken against max(LB1, LB2) as the paper prints them.
"""

import argparse
from statistics import mean, stdev

from slotwise.formulations.bounds.closed_form import lb1_as_printed, lb2
from slotwise.heuristics import HEURISTICS
from slotwise.instances.generators.ljr import generate

JOBS = 250
NODES = (10, 20, 30)
PRINTED = {
    ("R1", "EASS"): (1.13, 2.35, 2.64),
    ("R1", "EFSS"): (0.45, 0.91, 1.02),
    ("R1", "EFSS-L"): (0.05, 1.40, 0.09),
    ("R2", "EASS"): (1.14, 1.56, 2.18),
    ("R2", "EFSS"): (0.43, 0.73, 0.90),
    ("R2", "EFSS-L"): (0.10, 1.47, 0.21),
    ("R3", "EASS"): (1.21, 1.67, 1.91),
    ("R3", "EFSS"): (0.44, 0.79, 0.93),
    ("R3", "EFSS-L"): (0.15, 1.56, 0.35),
    ("R4", "EASS"): (6.83, 7.20, 7.88),
    ("R4", "EFSS"): (6.79, 7.17, 8.17),
    ("R4", "EFSS-L"): (6.79, 7.17, 8.22),
}
"""By slot ratio and method, one number for each of `NODES`."""
MAP_SLOTS = {"R1": 2, "R2": 4, "R3": 6, "R4": 8}


def main() -> None:
    parser = argparse.ArgumentParser(description="Cells of LJR Table 2 at n = 250.")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--block-scale", type=float, default=1.0)
    parser.add_argument("--racks", default="3", choices=["3", "published"])
    options = parser.parse_args()
    racks = 3 if options.racks == "3" else "as published"

    methods = {name: HEURISTICS.lookup(name).load() for _, name in PRINTED}
    print(f"{'ratio':6}{'nodes':>6} {'method':8}{'printed':>8}{'ours':>8}{'std':>7}{'diff':>7}")
    differences: dict[str, list[float]] = {ratio: [] for ratio in MAP_SLOTS}
    for ratio, map_slots in MAP_SLOTS.items():
        for column, nodes in enumerate(NODES):
            errors: dict[str, list[float]] = {name: [] for name in methods}
            for seed in range(options.seeds):
                instance = generate(
                    JOBS,
                    nodes,
                    seed=seed,
                    racks=racks,
                    map_slots=map_slots,
                    block_scale=options.block_scale,
                )
                bound = max(lb1_as_printed(instance), lb2(instance))
                for name, method in methods.items():
                    errors[name].append(100 * (method(instance).makespan / bound - 1))
            for name in methods:
                printed, ours = PRINTED[ratio, name][column], mean(errors[name])
                spread = stdev(errors[name]) if options.seeds > 1 else 0.0
                differences[ratio].append(ours - printed)
                print(
                    f"{ratio:6}{nodes:6d} {name:8}{printed:8.2f}{ours:8.2f}{spread:7.2f}"
                    f"{ours - printed:+7.2f}"
                )
    for ratio, values in differences.items():
        print(f"{ratio}: mean absolute difference {mean(map(abs, values)):.3f} points")


if __name__ == "__main__":
    main()
