"""Prices of whole-task patterns: never above the optimum, and by hand where whole tasks count."""

import numpy as np
import pytest
from brute_force import optimum
from racing import all_heuristics, raced
from random_instances import tiny, with_outages, with_security, with_speed_factors

import slotwise
from slotwise.core.clock import Clock
from slotwise.instances.mapreduce.cluster import Cluster
from slotwise.instances.mapreduce.instance import Instance, Job, MapTask
from slotwise.solvers.mapreduce.pattern_prices.method import PROOF, pattern_prices_method
from slotwise.solvers.mapreduce.pattern_prices.patterns import heads_and_tails, kinds_of
from slotwise.solvers.mapreduce.pattern_prices.prices import PhasePrices
from slotwise.solvers.mapreduce.result import MethodOutcome


def priced(instance: Instance, **options) -> MethodOutcome:
    best = min(all_heuristics(instance), key=lambda one: one.makespan)
    return raced(pattern_prices_method, instance, best.schedule, **options)


def job(name: str, maps: list[float], reduces: list[float]) -> Job:
    return Job(name, [MapTask(seconds, 0.0, []) for seconds in maps], reduces, 0.0)


def test_whole_tasks() -> None:
    # Three tasks of 3 s on two slots: one slot runs two. Split, they would end at 4.5 s.
    cluster = Cluster.uniform(2, map_slots=1)
    instance = Instance.from_jobs("whole", cluster, [job(name, [3.0], []) for name in "abc"])
    outcome = priced(instance)
    assert outcome.lower_bound == pytest.approx(6.0, rel=1e-3)
    assert outcome.lower_bound <= 6.0
    assert outcome.proof == PROOF
    assert outcome.schedule is None


def test_reduces_are_due_dates_of_maps() -> None:
    # One map slot: the later of two map phases ends at 5 s, and 5 s of its reduce task follow.
    cluster = Cluster.uniform(2, map_slots=1)
    cluster = Cluster(
        cluster.node_names, cluster.rack_names, cluster.rack_of, np.array([1, 0]), np.array([1, 1])
    )
    instance = Instance.from_jobs("due", cluster, [job("a", [2.0], [5.0]), job("b", [3.0], [5.0])])
    outcome = priced(instance)
    assert outcome.lower_bound == pytest.approx(10.0, rel=1e-3)
    assert outcome.lower_bound <= 10.0


def oddities(seed: int) -> Instance:
    instance = tiny(seed)
    if seed % 4:
        instance = with_speed_factors(instance, seed)
    if seed % 5 == 0:
        instance = with_security(instance, seed)
    return with_outages(instance, seed) if seed % 7 == 0 else instance


def test_wrong_prices_prove_nothing_false() -> None:
    rng = np.random.default_rng(1)
    tried = 0
    for seed in range(120):
        instance = oddities(seed)
        horizon = optimum(instance)
        if not 0 < horizon < float("inf"):
            continue
        heads, tails = heads_and_tails(instance)
        for kinds, wait in zip(kinds_of(instance), (tails, heads), strict=True):
            if not len(kinds.job):
                continue
            prices = PhasePrices(kinds, int(rng.integers(3, 200)), Clock())
            for _ in range(5):
                price = rng.exponential(size=len(kinds.job)) + 1e-9
                assert prices.excess(price, horizon - wait[kinds.job], horizon) >= 1, seed
                tried += 1
    assert tried > 300


def test_above_the_linear_program_where_tasks_are_long() -> None:
    instance = slotwise.generate("hmhs", jobs=8, map_machines=12, reduce_machines=12, seed=0)
    linear = slotwise.solve(instance, methods="unrelated-machines", time_limit=20)
    steps = []
    outcome = priced(instance, told=linear.makespan, on_progress=steps.append)
    assert linear.lower_bound * 1.005 < outcome.lower_bound <= linear.makespan
    bounds = [step.bound for step in steps]
    assert bounds == sorted(bounds)
