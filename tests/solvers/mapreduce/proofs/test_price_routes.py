"""What the product bounds, the verifier proves."""

import json
import math
from fractions import Fraction

import pytest
from certified import claim, shop_of
from racing import raced
from random_instances import reading, tiny, with_outages, with_speed_factors

from slotwise import bounds, generate, solve
from slotwise.heuristics.mapreduce.list_scheduling.rules import eass
from slotwise.instances.mapreduce.cluster import Cluster
from slotwise.instances.mapreduce.eligibility import impossible
from slotwise.instances.mapreduce.instance import Instance, Job
from slotwise.solvers.mapreduce.pattern_prices.method import pattern_prices_method
from slotwise.solvers.mapreduce.proofs.closed_forms import closed_forms, last_jobs
from slotwise.solvers.mapreduce.proofs.job_reads import reads_of_jobs
from slotwise.solvers.mapreduce.proofs.prices import pattern_prices, prices_of_time, windows
from slotwise.verifier.claims import ROUNDING
from slotwise.verifier.documents import Refused, parsed
from slotwise.verifier.judge import lower_bound

ROUTES = {
    "heads and tails": closed_forms,
    "pigeonhole": closed_forms,
    "Johnson": closed_forms,
    "orders of critical jobs": reads_of_jobs,
    "last jobs": last_jobs,
    "one job's reads": reads_of_jobs,
    "reads within a horizon": reads_of_jobs,
    "prices of time": prices_of_time,
    "relaxed problem (CP-SAT)": prices_of_time,
    "prices of whole-task patterns": pattern_prices,
}


def proved(instance, name, bound, *routes):
    """The share of a bound (s) that some routes prove, and their proofs."""
    shop = shop_of(instance)
    target = math.ceil(Fraction(bound) / shop.unit * (1 - ROUNDING))
    best, proofs = 0, []
    for route in routes or (ROUTES[name],):
        for proof in route(claim(shop, target, instance, name)):
            proofs.append(json.dumps(proof))
            try:
                best = max(best, lower_bound(shop, parsed(proofs[-1])))
            except Refused:
                continue
            if best >= target:
                return 1.0, proofs
    return best / target, proofs


@pytest.mark.parametrize(("jobs", "nodes", "map_slots"), [(5, 4, 2), (10, 5, 8), (20, 8, 6)])
def test_every_closed_form_of_a_workload(jobs, nodes, map_slots):
    instance = generate("ljr", jobs, nodes, map_slots=map_slots, seed=1)
    for name, bound in bounds(instance).items():
        if name in ROUTES:
            share, proofs = proved(instance, name, bound, closed_forms, ROUTES[name])
            assert share >= 1 - 1e-6, name
            assert max(map(len, proofs)) < 50_000


@pytest.mark.parametrize("first", range(0, 40, 10))
def test_closed_forms_of_odd_instances(first):
    for seed in range(first, first + 10):
        instance = reading(seed) if seed % 2 else tiny(seed)
        if seed % 5 == 1:
            instance = with_speed_factors(instance, seed)
        if seed % 7 == 2:
            instance = with_outages(instance, seed)
        if impossible(instance) is not None:
            continue
        values = {name: bound for name, bound in bounds(instance).items() if name in ROUTES}
        name = max(values, key=values.__getitem__)
        if values[name] > 0:
            routes = closed_forms, last_jobs, reads_of_jobs
            share, _ = proved(instance, name, values[name], *routes)
            assert share > 1 - 4e-3, seed


@pytest.mark.parametrize("seed", range(3))
def test_prices_of_time(seed):
    instance = generate("two-stage", 6, 2, 2, seed=seed)
    result = solve(instance, methods="time-prices", time_limit=2)
    assert (
        proved(instance, "prices of time", result.lower_bound, closed_forms, prices_of_time)[0] == 1
    )


def test_patterns():
    instance = generate("hmhs", 6, map_machines=10, reduce_machines=10, seed=1)
    result = solve(instance, methods="pattern-prices", time_limit=3)
    share, _ = proved(instance, result.bound_name, result.lower_bound, closed_forms, pattern_prices)
    assert share > 1 - 1e-6


def test_windows_of_a_flow_shop():
    # Johnson's order is that of the jobs and ends at 10 s; no phase alone proves more than 9 s.
    jobs = [Job("a", [1], [2]), Job("b", [4], [4]), Job("c", [3], [1])]
    cluster = Cluster.uniform(1, map_slots=1, reduce_slots=1)
    instance = Instance.from_jobs("shop", cluster, jobs)
    outcome = raced(pattern_prices_method, instance, eass(instance))
    assert outcome.lower_bound > 9.5
    share, proofs = proved(instance, outcome.proof, outcome.lower_bound, windows)
    assert share == 1
    assert max(map(len, proofs)) < 5_000
    assert proved(instance, outcome.proof, 10.5, windows)[0] < 1
    assert not proved(instance, "another bound", outcome.lower_bound, windows)[1]
