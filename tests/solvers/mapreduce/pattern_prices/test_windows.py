"""Windows of map phases: flow shops that Johnson's rule solves, and never above the optimum."""

from dataclasses import replace
from threading import Event

import numpy as np
import pytest
from brute_force import optimum
from racing import all_heuristics, raced
from random_instances import tiny, with_speed_factors

from slotwise.core.clock import Clock
from slotwise.instances.mapreduce.cluster import Cluster
from slotwise.instances.mapreduce.instance import Instance, Job, MapTask
from slotwise.solvers.mapreduce.pattern_prices.method import WINDOWS_PROOF, pattern_prices_method
from slotwise.solvers.mapreduce.pattern_prices.patterns import heads_and_tails, kinds_of
from slotwise.solvers.mapreduce.pattern_prices.windows import Windows


def shop(*jobs: tuple[list[float], list[float]]) -> Instance:
    """Map and reduce tasks of each job (s), on one slot for each phase."""
    cluster = replace(
        Cluster.uniform(2, map_slots=1), map_slots=np.array([1, 0]), reduce_slots=np.array([0, 1])
    )
    made = [
        Job(f"j{j}", [MapTask(seconds, 0.0, []) for seconds in maps], reduces, 0.0)
        for j, (maps, reduces) in enumerate(jobs)
    ]
    return Instance.from_jobs("shop", cluster, made)


JOHNSON = shop(([1.0], [2.0]), ([4.0], [4.0]), ([3.0], [1.0]))
"""Johnson's order is that of the jobs. The slots are idle until 1 s, and again from 3 to 5 s; the
reduce tasks of 7 s end at 10 s. All map tasks and the shortest reduce task take 9 s, the shortest
map task and all reduce tasks 8 s: no phase alone proves more than 9 s."""


def windows(instance: Instance, jobs: list[int], cells: int = 1000) -> Windows:
    return Windows(kinds_of(instance), *heads_and_tails(instance), np.array(jobs), cells, Clock())


def test_three_jobs_of_a_flow_shop() -> None:
    three = windows(JOHNSON, [2, 0, 1])
    assert three.exclude(9.0)
    assert three.exclude(9.8)
    assert not three.exclude(10.0)


def test_jobs_left_out_leave_the_others_shorter() -> None:
    # The first two jobs alone end at 9 s.
    two = windows(JOHNSON, [1, 0])
    assert two.exclude(8.9)
    assert not two.exclude(9.0)


def test_what_a_short_horizon_excludes_does_not_exclude_a_longer_one() -> None:
    one = windows(shop(([12.0], [])), [0])
    assert one.exclude(6.0)
    assert one.exclude(11.99)
    assert not one.exclude(12.0)


def test_the_method_names_what_proved_the_bound() -> None:
    start = min(all_heuristics(JOHNSON), key=lambda one: one.makespan).schedule
    outcome = raced(pattern_prices_method, JOHNSON, start, told=10.0)
    assert outcome.lower_bound == pytest.approx(10.0, rel=1e-2)
    assert outcome.lower_bound <= 10.0
    assert outcome.proof == WINDOWS_PROOF


def test_never_above_the_optimum() -> None:
    above, tried = 0, 0
    for seed in range(60):
        instance = tiny(seed) if seed % 3 == 0 else with_speed_factors(tiny(seed), seed)
        best = optimum(instance)
        if not 0 < best < float("inf"):
            continue
        chosen = windows(instance, list(range(instance.jobs)), 100 + seed)
        # What was learned at short horizons is used at the longer ones.
        excluded = [chosen.exclude(best * part) for part in (0.6, 0.9, 0.99, 1.0, 1.1)]
        assert not any(excluded[3:]), seed
        above += excluded[2]
        tried += 1
    assert tried > 40
    assert above > 15


def test_a_stop_excludes_nothing() -> None:
    stop = Event()
    stop.set()
    stopped = Windows(
        kinds_of(JOHNSON), *heads_and_tails(JOHNSON), np.arange(3), 400, Clock(stop=stop)
    )
    assert not stopped.exclude(9.5)
