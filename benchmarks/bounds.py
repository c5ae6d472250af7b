"""How tight and how fast the closed-form bounds are.

    python benchmarks/bounds.py

Tightness on tiny instances is against brute force; on workloads of the paper's size, where no
optimum is known, it is against the best of the paper's heuristics.
"""

import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from time import perf_counter

import numpy as np

from slotwise.formulations.mapreduce.bounds import BOUNDS
from slotwise.formulations.mapreduce.bounds.closed_form import lower_bounds
from slotwise.heuristics.mapreduce import HEURISTICS
from slotwise.instances.mapreduce.generators.ljr import generate
from slotwise.instances.mapreduce.instance import Instance

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))
from brute_force import optimum
from random_instances import tiny


def tightness(
    title: str, instances: Iterable[Instance], makespan: Callable[[Instance], float]
) -> None:
    """Print each bound's mean share of `makespan`, how often it reaches it and exceeds it."""
    rows = []
    for instance in instances:
        reference = makespan(instance)
        if reference > 0:
            bounds = lower_bounds(instance)
            rows.append([bounds[entry.name] / reference for entry in BOUNDS])
    shares = np.array(rows)
    best = shares[:, [entry.valid for entry in BOUNDS]].max(axis=1)
    print(f"\n{title}: {len(shares)} instances")
    print(f"{'bound':18}{'mean':>8}{'least':>8}{'equal':>8}{'above':>8}{'best':>8}")
    for entry, share in zip(BOUNDS, shares.T, strict=True):
        leads = np.mean(share >= best * (1 - 1e-12)) if entry.valid else np.nan
        print(f"{entry.name:18}{_line(share)}{leads:8.1%}")
    print(f"{'best valid':18}{_line(best)}")


def _line(share: np.ndarray) -> str:
    equal, above = np.mean(np.abs(share - 1) <= 1e-9), np.mean(share > 1 + 1e-9)
    return f"{share.mean():8.4f}{share.min():8.4f}{equal:8.1%}{above:8.1%}"


def best_heuristic(instance: Instance) -> float:
    return min(float(entry.load()(instance).makespan) for entry in HEURISTICS)


def speed() -> None:
    """Print the time of each bound on an instance of more than 150 000 tasks."""
    instance = generate(1000, 100, map_slots=8, seed=1)
    print(f"\n{instance}")
    for entry in BOUNDS:
        bound = entry.load()
        seconds = []
        for _ in range(5):
            begin = perf_counter()
            bound(instance)
            seconds.append(perf_counter() - begin)
        print(f"{entry.name:18}{min(seconds) * 1000:8.1f} ms")


def main() -> None:
    tightness("tiny, against the optimum", (tiny(seed) for seed in range(5000)), optimum)
    for jobs, nodes, map_slots in ((50, 10, 2), (50, 10, 8), (50, 30, 8), (250, 10, 8)):
        tightness(
            f"{jobs} jobs, {nodes} nodes, {map_slots} : 2, against the best heuristic",
            (generate(jobs, nodes, map_slots=map_slots, seed=seed) for seed in range(10)),
            best_heuristic,
        )
    speed()


if __name__ == "__main__":
    main()
