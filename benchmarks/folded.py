"""Instances in the manner of folded Hadoop traces: few jobs, with long map tasks among short ones.

    python benchmarks/folded.py [--seeds 36]

Prints for each seed the greatest closed-form bound, which one it is, and how much lower (in %) the
greatest is without the windows of map phases, and without any orders of jobs.
"""

from __future__ import annotations

import argparse

import numpy as np

from slotwise.formulations.mapreduce.bounds.closed_form import best_of, lower_bounds
from slotwise.instances.mapreduce.cluster import Cluster, Rates
from slotwise.instances.mapreduce.instance import Instance, Job, MapTask

SEEDS = 36
WINDOWS, ORDERS = "windows of map phases", "orders of critical jobs"


def folded(seed: int) -> Instance:
    """4 to 8 nodes with 4 map slots and 2 reduce slots in a rack, 3 to 8 jobs."""
    rng = np.random.default_rng(seed)
    nodes = int(rng.integers(4, 9))
    cluster = Cluster.uniform(nodes, map_slots=4, reduce_slots=2, racks=1, rates=Rates(100, 50, 30))
    jobs = [_job(rng, number, nodes) for number in range(int(rng.integers(3, 9)))]
    return Instance.from_jobs(f"folded-{seed}", cluster, jobs)


def _job(rng: np.random.Generator, number: int, nodes: int) -> Job:
    """A job; the first three may be large. In half of them some map tasks are long."""
    size = int(rng.choice([100, 100, 30, 30, 10, 3] if number < 3 else [30, 10, 3, 3]))
    mean, some_long = rng.uniform(2, 8), rng.random() < 0.5
    maps = rng.normal(mean, 0.04 * mean, size).clip(0.5 * mean)
    if some_long:
        long = rng.random(size) < rng.uniform(0.1, 0.4)
        maps = np.where(long, maps * rng.uniform(4, 10), maps)
    megabytes = float(rng.choice([0, 20, 64, 64, 128]))
    map_tasks = []
    for seconds in maps.tolist():
        replicas = [f"n{k}" for k in rng.choice(nodes, 3, replace=False)]
        map_tasks.append(MapTask(round(seconds, 3), megabytes, replicas))
    count = int(rng.choice([1, 2, 5, 10, 20, 30] if size >= 30 else [1, 2, 3]))
    mean = rng.uniform(2, 30 if count <= 10 else 12)
    reduces = rng.normal(mean, rng.choice([0.02, 0.3]) * mean, count).clip(0.2 * mean)
    seconds = [round(each, 3) for each in reduces.tolist()]
    return Job(f"j{number}", map_tasks, seconds, output_ratio=float(rng.choice([0, 0.2, 1])))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seeds", type=int, default=SEEDS)
    lower = []
    for seed in range(parser.parse_args().seeds):
        bounds = lower_bounds(folded(seed))
        best, name = best_of(bounds)
        rests = [
            best_of({key: s for key, s in bounds.items() if key not in without})[0]
            for without in ((WINDOWS,), (WINDOWS, ORDERS))
        ]
        lower.append([100 * (1 - rest / best) for rest in rests])
        print(f"{seed:3} {best:10.3f} {name:24}", *(f"{each:6.2f}" for each in lower[-1]))
    means = np.mean(lower, axis=0) if lower else np.zeros(2)
    print("on average", *(f"{each:6.2f}" for each in means))


if __name__ == "__main__":
    main()
