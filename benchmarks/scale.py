"""How far it goes: the simulator beside SimPy, shares of large trees, list heuristics and bounds.

python benchmarks/scale.py simulator | shares [--nodes 1000000] | heuristics [--data FOLDER]
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np

import slotwise
from slotwise.heuristics.mapreduce import HEURISTICS
from slotwise.instances.datacenter.datacenter import Configuration, Datacenter, JobClass
from slotwise.instances.datacenter.workload import Jobs, Workload, poisson
from slotwise.instances.hierarchy.hierarchy import Hierarchy


def simulator(machines: int = 1000, tasks: int = 20_000) -> None:
    """First fit on equal machines, four fifths of them busy: events a second."""
    problem = Datacenter.from_classes(
        "peers",
        ["cpu", "memory"],
        [Configuration("c", machines, {"cpu": 1.0, "memory": 1.0})],
        [JobClass("k", 1.0, 100.0, {"cpu": 0.25, "memory": 0.125})],
        time_unit="s",
    )
    whole: Jobs = poisson(problem, 0.8 * 4 * machines / 100, tasks, seed=0).whole()
    workload = Workload(problem, tasks, float(whole.arrival[-1]), "peers", lambda: iter([whole]))
    slotwise.simulate(workload, "first-fit")  # compiled
    began = perf_counter()
    mine = slotwise.simulate(workload, "first-fit")
    print(f"slotwise: {2 * tasks / (perf_counter() - began):.0f} events a second")
    began = perf_counter()
    mean = by_simpy(problem, whole)
    print(f"bare SimPy: {2 * tasks / (perf_counter() - began):.0f} events a second")
    if not np.isclose(mean, mine.mean_wait_of_all, atol=1e-9):
        raise SystemExit(f"they disagree: mean waits {mean} and {mine.mean_wait_of_all} s")


def by_simpy(problem: Datacenter, jobs: Jobs) -> float:
    """Mean wait: a process for each job, machines in an array."""
    import simpy

    free = np.repeat(problem.capacity_units, problem.count, axis=0)
    env = simpy.Environment()
    queue: list[int] = []
    waits = np.zeros(len(jobs.arrival))

    def start(i: int, m: int) -> None:
        free[m] -= jobs.demand[i]
        waits[i] = env.now - jobs.arrival[i]
        env.process(run(i, m))

    def run(i: int, m: int) -> Any:
        yield env.timeout(jobs.duration[i])
        free[m] += jobs.demand[i]
        for j in [j for j in queue if (jobs.demand[j] <= free[m]).all()]:
            if (jobs.demand[j] <= free[m]).all():
                queue.remove(j)
                start(j, m)

    def arrivals() -> Any:
        for i in range(len(jobs.arrival)):
            yield env.timeout(jobs.arrival[i] - env.now)
            room = (free >= jobs.demand[i]).all(axis=1)
            m = int(room.argmax())
            if room[m]:
                start(i, m)
            else:
                queue.append(i)

    env.process(arrivals())
    env.run()
    return float(waits.mean())


def shares(nodes: int) -> None:
    """`exact` on large trees of two resources, without and with task limits: processor seconds."""
    draw = np.random.default_rng(1)
    parents = {
        "10-ary": (np.arange(nodes) - 1) // 10,
        "random": np.r_[-1, (draw.random(nodes - 1) * np.arange(1, nodes)).astype(np.int64)],
        "deep": np.where(np.arange(nodes) % 2, np.arange(nodes) - 1, np.arange(nodes) - 2).clip(-1),
    }
    print("| tree | leaves | no task limits, s | half with task limits, s |\n|---|--:|--:|--:|")
    slotwise.fair(slotwise.generate("mch", 2, seed=0, limited=0.5))
    for name, parent in parents.items():
        leaf = np.setdiff1d(np.arange(1, nodes), parent)
        tree = Hierarchy(
            resources=("cpu", "memory"),
            capacity=np.full(2, len(leaf) / 2),
            names=tuple(map(str, range(nodes))),
            parent=parent,
            weight=draw.uniform(1, 4, nodes),
            leaf=leaf,
            demand=draw.uniform(0.1, 1, (len(leaf), 2)),
            tasks=np.full(len(leaf), np.inf),
        )
        some = draw.random(len(leaf)) < 0.5
        limited = replace(tree, tasks=np.where(some, draw.uniform(0, 4, len(leaf)), np.inf))
        cells = [f"{least(lambda each=each: slotwise.fair(each)):.2f}" for each in (tree, limited)]
        print(f"| {name} | {len(leaf)} | {' | '.join(cells)} |", flush=True)


def heuristics(data: Path | None) -> None:
    """List heuristics and closed-form bounds on Table 2's largest cell, and a day of FB-2009."""
    instances = [slotwise.generate("ljr", 250, 30, seed=0, map_slots=8)]
    files = sorted(data.rglob("FB-2009_samples_24_times_1hr_[0-9].tsv.gz")) if data else ()
    days = (slotwise.read_swim(file, nodes=600, racks=20, trace_machines=600) for file in files)
    instances += [day.made for day in days]
    print("| instance | tasks | what | s |\n|---|--:|---|--:|")
    for instance in instances:
        tasks = instance.map_tasks + instance.reduce_tasks
        for entry in HEURISTICS.usual:
            seconds = least(lambda e=entry, i=instance: slotwise.heuristic(i, e))
            print(f"| {instance.name} | {tasks} | {entry.name} | {seconds:.2f} |", flush=True)
        seconds = least(lambda i=instance: slotwise.bounds(replace(i)))
        print(f"| {instance.name} | {tasks} | all bounds | {seconds:.2f} |", flush=True)


def least(work: Any) -> float:
    """Processor seconds, the less of two runs."""
    taken = []
    for _ in range(2):
        began = process_time()
        work()
        taken.append(process_time() - began)
    return min(taken)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("part", choices=["simulator", "shares", "heuristics"])
    parser.add_argument("--nodes", type=int, default=1_000_000)
    parser.add_argument("--data", type=Path, help="real traces")
    asked = parser.parse_args()
    if asked.part == "simulator":
        simulator()
    elif asked.part == "shares":
        shares(asked.nodes)
    else:
        heuristics(asked.data)


if __name__ == "__main__":
    main()
