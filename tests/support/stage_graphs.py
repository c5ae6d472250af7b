"""Random graphs of stages, and their optima by brute force."""

from collections.abc import Callable, Iterator

import numpy as np

from slotwise.instances.history.stage_graph import (
    FAR,
    NO_POOL,
    Plan,
    Slots,
    StageGraph,
    Tasks,
    arcs_of,
    timed,
)


def graph_of(
    stages: list[tuple[int, int, int, list[int]]],
    arcs: list[tuple[int, int, int]],
    slots: list[tuple[int, int, int]],
    releases: list[int],
    weights: list[float] | None = None,
) -> StageGraph:
    """A graph from (job, pool, release, task times), (parent, child, lag), (pool, since, until)."""
    rows = [(s, t) for s, (*_, times) in enumerate(stages) for t in sorted(times, reverse=True)]
    stage, time = np.array(rows, dtype=np.int64).reshape(-1, 2).T.copy()
    columns = Slots(*np.array(slots, dtype=np.int64).reshape(-1, 3).T.copy())
    zeros = np.zeros_like(time)
    return StageGraph(
        name="drawn",
        pools=tuple(f"pool {p}" for p in range(1 + max(p for p, _, _ in slots))),
        job_names=tuple(f"j{k}" for k in range(len(releases))),
        job_release=np.array(releases, dtype=np.int64),
        job_weight=np.array(weights or [1.0] * len(releases)),
        stage_names=tuple(f"s{k}" for k in range(len(stages))),
        stage_job=np.array([s[0] for s in stages], dtype=np.int64),
        stage_pool=np.array([s[1] if s[3] else NO_POOL for s in stages], dtype=np.int64),
        stage_release=np.array([s[2] for s in stages], dtype=np.int64),
        tasks=Tasks(stage, time, zeros, zeros.copy(), zeros.copy()),
        arcs=arcs_of(arcs),
        slots=columns,
        capacity=columns,
    )


def drawn_graph(seed: int, *, windows: bool = False) -> StageGraph:
    """At most four tasks in two or three jobs of a few stages; ties, zeros, lags, releases."""
    random = np.random.default_rng(seed)
    jobs = int(random.integers(1, 4))
    releases = [int(r) for r in random.integers(0, 6, jobs)]
    pools = int(random.integers(1, 3))
    slots = [(p, 0, FAR) for p in range(pools) for _ in range(int(random.integers(1, 3)))]
    if windows:
        slots += [
            (p, int(random.integers(0, 6)), int(random.integers(6, 20))) for p in range(pools)
        ]
    stages: list[tuple[int, int, int, list[int]]] = []
    arcs, left = [], 4
    for job in range(jobs):
        own: list[int] = []
        for _ in range(int(random.integers(1, 4))):
            count = min(left, int(random.integers(0, 4)))
            left -= count
            times = [int(t) for t in random.integers(0, 8, count)]
            arcs += [
                (parent, len(stages), int(random.integers(0, 3)))
                for parent in own
                if random.random() < 0.6
            ]
            own.append(len(stages))
            stages.append((job, int(random.integers(pools)), releases[job], times))
    weights = [float(w) for w in random.integers(1, 4, jobs)]
    if not any(times for *_, times in stages):
        stages[0] = (*stages[0][:3], [3])
    return graph_of(stages, arcs, slots, releases, weights)


def best_by_brute_force(graph: StageGraph, value: Callable[[Plan], float]) -> float:
    """The least value of all schedules: every order of the tasks, each on every slot of its pool.

    For any value that never falls when a job ends later.
    """
    return min(value(plan) for plan in _active_plans(graph))


def _active_plans(graph: StageGraph) -> Iterator[Plan]:
    """Every plan that appends tasks, in some order, to slots, each as early as it can be there."""
    tasks = len(graph.tasks)
    offsets = graph.task_offsets
    begin, parent, lag = graph.parents
    start, slot = np.zeros(tasks, dtype=np.int64), np.zeros(tasks, dtype=np.int64)

    def stage_end(s: int, memo: dict[int, int]) -> int:
        if s not in memo:
            end = gate(s, memo)
            for k in range(offsets[s], offsets[s + 1]):
                end = max(end, int(start[k] + graph.tasks.time[k]))
            memo[s] = end
        return memo[s]

    def gate(s: int, memo: dict[int, int]) -> int:
        arcs = range(begin[s], begin[s + 1])
        return max(
            [
                int(graph.stage_release[s]),
                *(stage_end(int(parent[k]), memo) + int(lag[k]) for k in arcs),
            ]
        )

    def before(s: int) -> set[int]:
        found: set[int] = set()
        for k in range(begin[s], begin[s + 1]):
            found |= {int(parent[k])} | before(int(parent[k]))
        return found

    ancestors = [before(s) for s in range(graph.stages)]

    def place(left: tuple[int, ...], free: tuple[int, ...]) -> Iterator[Plan]:
        if not left:
            yield timed(graph, start.copy(), slot.copy())
            return
        tried = set()
        open_stages = {int(graph.tasks.stage[k]) for k in left}
        for k in left:
            s, time = int(graph.tasks.stage[k]), int(graph.tasks.time[k])
            if (s, time) in tried or ancestors[s] & open_stages:
                continue
            tried.add((s, time))
            earliest, alike = gate(s, {}), set()
            for m in range(len(free)):
                if graph.slots.pool[m] != graph.stage_pool[s]:
                    continue
                begin_at = max(free[m], earliest)
                if (free[m], int(graph.slots.until[m])) in alike:
                    continue
                alike.add((free[m], int(graph.slots.until[m])))
                if begin_at + time > graph.slots.until[m]:
                    continue
                start[k], slot[k] = begin_at, m
                yield from place(
                    tuple(x for x in left if x != k),
                    tuple(begin_at + time if x == m else f for x, f in enumerate(free)),
                )

    yield from place(tuple(range(tasks)), tuple(int(x) for x in graph.slots.since))
