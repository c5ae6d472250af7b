"""First fit on the same jobs by slotwise, by a bare SimPy programme, and by CloudSimPy."""

import sys
from pathlib import Path
from time import perf_counter

import numpy as np

from slotwise.heuristics.datacenter.simulator import simulate
from slotwise.instances.datacenter.datacenter import Configuration, Datacenter, JobClass
from slotwise.instances.datacenter.workload import Jobs, Workload, poisson

CLOUDSIMPY_TASKS = (1000, 5000)
"""CloudSimPy looks at every job that it ever had each second: more would take hours."""


def workload_of(machines: int, tasks: int) -> Workload:
    """One class on equal machines, four fifths of them busy; CloudSimPy wants whole seconds."""
    problem = Datacenter.from_classes(
        "peers",
        ["cpu", "memory"],
        [Configuration("c", machines, {"cpu": 1.0, "memory": 1.0})],
        [JobClass("k", 1.0, 100.0, {"cpu": 0.25, "memory": 0.125})],
        time_unit="s",
    )
    drawn = poisson(problem, 0.8 * 4 * machines / 100, tasks, seed=0).whole()
    whole = Jobs(
        np.floor(drawn.arrival), drawn.job_class, np.ceil(drawn.duration), drawn.demand
    )  # fmt: skip
    return Workload(problem, tasks, float(whole.arrival[-1]), "peers", lambda: iter([whole]))


def by_simpy(workload: Workload) -> tuple[float, float]:
    """Seconds and mean wait: a process for each job, machines in an array."""
    import simpy

    whole = workload.whole()
    free = np.repeat(workload.datacenter.capacity_units, workload.datacenter.count, axis=0)
    env = simpy.Environment()
    queue: list[int] = []
    waits = np.zeros(workload.jobs)

    def start(i: int, m: int) -> None:
        free[m] -= whole.demand[i]
        waits[i] = env.now - whole.arrival[i]
        env.process(run(i, m))

    def run(i: int, m: int):  # type: ignore[no-untyped-def]
        yield env.timeout(whole.duration[i])
        free[m] += whole.demand[i]
        for j in [j for j in queue if (whole.demand[j] <= free[m]).all()]:
            if (whole.demand[j] <= free[m]).all():
                queue.remove(j)
                start(j, m)

    def arrivals():  # type: ignore[no-untyped-def]
        for i in range(workload.jobs):
            yield env.timeout(whole.arrival[i] - env.now)
            room = (free[:, 0] >= whole.demand[i, 0]) & (free[:, 1] >= whole.demand[i, 1])
            m = int(room.argmax())
            if room[m]:
                start(i, m)
            else:
                queue.append(i)

    env.process(arrivals())
    began = perf_counter()
    env.run()
    return perf_counter() - began, float(waits.mean())


def by_cloudsimpy(workload: Workload, folder: Path) -> float:
    """Seconds."""
    sys.path.insert(0, str(folder))
    from core.config import JobConfig, TaskConfig
    from core.machine import MachineConfig
    from playground.Non_DAG.algorithm.first_fit import FirstFitAlgorithm
    from playground.Non_DAG.utils.episode import Episode

    whole, problem = workload.whole(), workload.datacenter
    amounts = whole.demand * problem.unit
    machines = [MachineConfig(1.0, 1.0, 1.0) for _ in range(problem.machines)]
    jobs = [
        JobConfig(i, arrival, [TaskConfig(0, 1, cpu, memory, 0.0, duration)])
        for i, (arrival, duration, (cpu, memory)) in enumerate(
            zip(whole.arrival, whole.duration, amounts, strict=True)
        )
    ]
    episode = Episode(machines, jobs, FirstFitAlgorithm(), None)
    began = perf_counter()
    episode.run()
    return perf_counter() - began


def compare(machines: int, tasks: int, cloudsimpy: Path | None) -> None:
    """Print events per second of each; an arrival and a departure for every task."""
    print("| tasks | simulator | events/s |")
    print("|---|---|---|")
    workload = workload_of(machines, tasks)
    simulate(workload, "first-fit")  # compiled
    began = perf_counter()
    mine = simulate(workload, "first-fit")
    seconds = perf_counter() - began
    print(f"| {tasks} | slotwise | {2 * tasks / seconds:.0f} |")
    seconds, mean = by_simpy(workload)
    print(f"| {tasks} | bare SimPy | {2 * tasks / seconds:.0f} |", flush=True)
    if not np.isclose(mean, mine.mean_wait_of_all, atol=1e-9):
        raise SystemExit(f"they disagree: mean waits {mean} and {mine.mean_wait_of_all} s")
    if cloudsimpy is not None:
        for few in CLOUDSIMPY_TASKS:
            seconds = by_cloudsimpy(workload_of(machines, few), cloudsimpy)
            print(f"| {few} | CloudSimPy | {2 * few / seconds:.0f} |", flush=True)
