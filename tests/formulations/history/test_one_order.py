"""Where one order of the jobs is enough, and where it is not: the three counterexamples by hand and
by brute force, and the rows that hold on drawn instances."""

from itertools import permutations, product

import numpy as np
import pytest

Job = tuple[int, tuple[int, ...], tuple[int, ...], float]
"""Release, map times, reduce times, weight."""


def ends(jobs: list[Job], maps: tuple[int, ...], reduces: tuple[int, ...]) -> list[int]:
    """Ends of the jobs on one map and one reduce slot; the orders name a job for each task."""
    gate, time, left = [job[0] for job in jobs], 0, [list(job[1]) for job in jobs]
    for j in maps:
        time = max(time, jobs[j][0]) + left[j].pop(0)
        gate[j] = max(gate[j], time)
    done, time, left = gate.copy(), 0, [list(job[2]) for job in jobs]
    for j in reduces:
        time = max(time, gate[j]) + left[j].pop(0)
        done[j] = max(done[j], time)
    return done


def orders(jobs: list[Job], phase: int) -> set[tuple[int, ...]]:
    """All sequences of tasks on one slot, as jobs."""
    return set(permutations([j for j, job in enumerate(jobs) for _ in job[phase]]))


def by_job(jobs: list[Job], phase: int) -> set[tuple[int, ...]]:
    """Those in which the tasks of a job stand together."""
    return {
        tuple(j for j in order for _ in jobs[j][phase]) for order in permutations(range(len(jobs)))
    }


def best(
    jobs: list[Job], maps: set[tuple[int, ...]], reduces: set[tuple[int, ...]], mean: bool
) -> float:
    """The least makespan, or the least weighted sum of ends."""
    return min(
        sum(job[3] * c for job, c in zip(jobs, done, strict=True)) if mean else max(done)
        for m, r in product(maps, reduces)
        if (done := ends(jobs, m, r))
    )


def test_with_releases_the_maps_of_a_job_lie_apart() -> None:
    jobs: list[Job] = [(0, (1, 1), (), 1), (1, (1,), (1,), 1)]
    assert max(ends(jobs, (0, 1, 0), (1,))) == 3
    assert best(jobs, orders(jobs, 1), orders(jobs, 2), mean=False) == 3
    assert best(jobs, by_job(jobs, 1), orders(jobs, 2), mean=False) == 4


def test_two_map_slots_need_opposite_orders() -> None:
    # Slot 1: A 1, B 1, C 10; slot 2: A 10, B 1; B has a reduce of 10 and comes at 1.
    release, times = {"A": 0, "B": 1, "C": 0}, ({"A": 1, "B": 1, "C": 10}, {"A": 10, "B": 1})

    def makespan(first: tuple[str, ...], second: tuple[str, ...]) -> int:
        last, gate = 0, 0
        for order, slot in ((first, times[0]), (second, times[1])):
            time = 0
            for job in order:
                time = max(time, release[job]) + slot[job]
                gate = max(gate, time) if job == "B" else gate
            last = max(last, time)
        return max(last, gate + 10)

    pairs = product(permutations("ABC"), permutations("AB"))
    values = {(first, second): makespan(first, second) for first, second in pairs}
    common = [v for (a, b), v in values.items() if tuple(j for j in a if j != "C") == b]
    assert min(values.values()) == 12
    assert values[("A", "B", "C"), ("B", "A")] == 12
    assert min(common) == 13


def test_for_the_mean_the_reduces_of_a_job_lie_apart() -> None:
    jobs: list[Job] = [(0, (), (1, 1), 1), (0, (1,), (1,), 3)]
    cost = {
        order: sum(j[3] * c for j, c in zip(jobs, ends(jobs, (1,), order), strict=True))
        for order in orders(jobs, 2)
    }
    assert cost == {(0, 1, 0): 9, (0, 0, 1): 11, (1, 0, 0): 10}


def drawn(seed: int, *, releases: bool) -> list[Job]:
    random = np.random.default_rng(seed)

    def times() -> tuple[int, ...]:
        return tuple(int(t) for t in random.integers(1, 5, int(random.integers(0, 3))))

    return [
        (
            int(random.integers(0, 5)) if releases else 0,
            times(),
            times(),
            float(random.integers(1, 4)),
        )
        for _ in range(3)
    ]


@pytest.mark.parametrize(
    ("releases", "mean", "maps_in_order", "reduces_in_order"),
    [
        (False, False, True, True),
        (True, False, False, True),
        (False, True, True, False),
    ],
)
def test_one_order_is_enough_where_it_is_said(
    releases: bool, mean: bool, maps_in_order: bool, reduces_in_order: bool
) -> None:
    for seed in range(60):
        jobs = drawn(seed, releases=releases)
        maps = by_job(jobs, 1) if maps_in_order else orders(jobs, 1)
        reduces = by_job(jobs, 2) if reduces_in_order else orders(jobs, 2)
        free = best(jobs, orders(jobs, 1), orders(jobs, 2), mean)
        assert best(jobs, maps, reduces, mean) == free, seed
