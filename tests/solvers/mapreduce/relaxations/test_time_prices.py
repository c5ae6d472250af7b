"""Prices of time: never above the optimum, exact certificates, above every closed form on shops."""

import tracemalloc
from dataclasses import replace
from itertools import count, islice

import campaign
import numpy as np
from brute_force import optimum
from racing import raced

import slotwise
from slotwise.instances.mapreduce.cluster import Cluster
from slotwise.instances.mapreduce.eligibility import impossible
from slotwise.instances.mapreduce.generators.ljr import small
from slotwise.instances.mapreduce.generators.two_stage import generate
from slotwise.instances.mapreduce.instance import Instance, Job, MapTask
from slotwise.instances.mapreduce.integer_time import common_unit
from slotwise.instances.mapreduce.usable_slots import usable_slots
from slotwise.solvers.mapreduce.heuristic import heuristic
from slotwise.solvers.mapreduce.relaxations.time_prices import (
    PROOF,
    fits,
    surplus,
    time_prices_method,
    timed_jobs,
)

JOBS = [Job("a", [MapTask(1.0)], [2.0]), Job("b", [MapTask(2.0)], [1.0])]
TWO = Instance.from_jobs("two", Cluster.uniform(1, map_slots=1, reduce_slots=1), JOBS)


def proved(instance, **options):
    """What prices prove, told no bound."""
    start = heuristic(instance, "EASS").schedule
    return raced(time_prices_method, instance, start, **options)


def drawn(first, number):
    """So many instances with every part and a common unit, each with unit and optimum (s)."""
    instances = (campaign.drawn(seed)[0] for seed in count(first))
    served = (usable_slots(one).instance for one in instances if impossible(one) is None)
    units = ((one, common_unit(one)) for one in served)
    whole = ((one, unit, optimum(one)) for one, unit in units if unit)
    return list(islice((one for one in whole if 0 < one[2] <= 100 * one[1]), number))


def test_both_jobs_need_the_first_second():
    """Each job alone takes 3 s on one slot of each kind. Within 3 s both need the first second of
    the map slot: if it has price 1, both pay 1, and the slot takes 1. From 4 s on they fit.
    """
    jobs = timed_jobs(TWO, 1.0)
    assert surplus(jobs, np.array([[1, 0, 0], [0, 0, 0]])) == 1
    assert surplus(jobs, np.array([[1, 0, 0, 0], [0, 0, 0, 0]])) == -1
    outcome = proved(TWO)
    assert (outcome.lower_bound, outcome.proof, outcome.schedule) == (4.0, PROOF, None)


def test_no_prices_exclude_a_schedule():
    rng = np.random.default_rng(1)
    for instance, unit, known in drawn(820_000, 60):
        jobs, shape = timed_jobs(instance, unit), (2, round(known / unit))
        for density in (0.05, 0.3, 1.0):
            prices = rng.integers(0, 1000, shape) * (rng.random(shape) < density)
            assert surplus(jobs, prices) <= 0, instance.name


def test_never_above_the_optimum():
    tight = 0
    for instance, _unit, known in drawn(830_000, 60):
        bound = proved(instance).lower_bound
        assert bound <= known, instance.name
        tight += bound == known
    assert tight > 20


def test_above_the_closed_forms_on_a_shop():
    """Five machines in each stage: a linear program over all starts allows 218 s and no less."""
    shop = generate(20, 5, 5, seed=1)
    told = []
    outcome = proved(shop, bound=214.0, on_progress=told.append)
    assert max(slotwise.bounds(shop).values()) == 214.0
    assert outcome.lower_bound == 218.0
    assert [step.bound for step in told] == [214.0, 215.0, 216.0, 217.0, 218.0]


def test_whole_durations():
    assert fits(TWO)
    assert fits(generate(20, 5, 5, seed=1))
    assert not fits(small(8, 4, seed=1))


def test_sizes_come_before_tables_of_them():
    """Times of 1 500 map tasks on 500 slots, and never on each pair of the 250 nodes beside."""
    cluster = Cluster.uniform(250, map_slots=2, reduce_slots=1)
    job = Job("a", [MapTask(5.0, 100.0, ["n0"])] * 1500, [1.0], output_ratio=1.0)
    instance = Instance.from_jobs("wide", cluster, [job])
    bound = slotwise.best_lower_bound(instance)[0]
    tracemalloc.start()
    try:
        proved(instance, bound=bound)
        many = replace(instance, cluster=Cluster.uniform(250, map_slots=20, reduce_slots=1))
        assert common_unit(many) == 0.0
        assert tracemalloc.get_traced_memory()[1] < 100e6
    finally:
        tracemalloc.stop()
