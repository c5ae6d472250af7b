"""Emitters of proofs: what they reach, how large it is, and that they end in time."""

import math
from dataclasses import replace
from fractions import Fraction

import pytest
from brute_force import optimum
from certified import claim, shop_of

import slotwise
from slotwise.core.clock import Clock
from slotwise.instances.mapreduce.generators.hmhs import small as hmhs
from slotwise.instances.mapreduce.generators.ljr import small as ljr
from slotwise.solvers import certificate
from slotwise.solvers.mapreduce.proofs.certify import certify_result
from slotwise.solvers.mapreduce.proofs.closed_forms import closed_forms
from slotwise.solvers.mapreduce.proofs.searches import searches
from slotwise.verifier.documents import Refused
from slotwise.verifier.judge import lower_bound


def test_what_slots_of_different_speed_need_is_proved_exactly():
    """Speed factors have so many digits that only whole numbers tell the optimum from the next."""
    instance = hmhs(2, 3, 3, seed=2)
    shop = shop_of(instance)
    units = Fraction(optimum(instance, shared_order=True)) / shop.unit
    above = math.ceil(units * (1 + Fraction(1, 10**12)))
    below = math.floor(units * (1 - Fraction(1, 10**12)))
    assert [lower_bound(shop, proof) for proof in searches(claim(shop, below))] != []
    assert list(searches(claim(shop, above))) == []


def test_no_time_gives_no_proof():
    shop = shop_of(ljr(3, 3, seed=1))
    assert list(searches(claim(shop, 10**5, seconds=0.0))) == []


def test_a_search_says_what_it_costs():
    """As many cases as it says are enough, and not one less."""
    shop = shop_of(ljr(2, 3, seed=3))
    for limit in (5000, 10_000):
        for proof in searches(claim(shop, limit)):
            assert lower_bound(shop, proof) == limit
            with pytest.raises(Refused):
                lower_bound(shop, {**proof, "cases": proof["cases"] - 1})


def test_a_kind_of_proof_without_memory_leaves_the_others():
    def greedy(_claim):
        raise MemoryError

    result = slotwise.heuristic(ljr(3, 2, seed=4), "EFSS")
    found = certify_result(result, Clock(20.0), routes=(greedy, closed_forms))
    assert found.proved_bound > 0
    assert found.proofs == certify_result(result, Clock(20.0), routes=(closed_forms,)).proofs


@pytest.mark.parametrize(
    ("bound_name", "package"),
    [
        ("sequence model (HiGHS)", "highspy"),
        ("relaxed problem (CP-SAT)", "ortools"),
        ("branch and bound", "slotwise"),
    ],
)
def test_what_is_not_proved_is_attested_by_the_solver_that_the_bound_names(
    bound_name, package, monkeypatch
):
    monkeypatch.setattr(certificate, "version", lambda name: f"version of {name}")
    result = replace(slotwise.heuristic(ljr(3, 2, seed=4), "EFSS"), bound_name=bound_name)
    (proof,) = certify_result(result, Clock(20.0), routes=()).proofs
    assert proof["by"] == [bound_name, f"{package} version of {package}"]
