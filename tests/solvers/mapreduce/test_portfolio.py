"""Lanes of methods: turns, what is handed on, and when all end."""

from dataclasses import replace
from threading import Event

import numpy as np
import pytest

from slotwise.core.clock import StopReason
from slotwise.core.errors import InputError
from slotwise.core.registry import Entry
from slotwise.heuristics.mapreduce.list_scheduling.rules import eass, efss
from slotwise.instances.mapreduce.generators.ljr import small
from slotwise.solvers.mapreduce.method import MethodOutcome, SolveRequest
from slotwise.solvers.mapreduce.portfolio import Lane, Turn, portfolio

INSTANCE = small(3, 2, seed=4)
LONG, SHORT = eass(INSTANCE), efss(INSTANCE)


def turn(name, method, **limits):
    return Turn(Entry(name, method), **limits)


def run(*lanes, **options):
    return portfolio(INSTANCE, lanes, SolveRequest(LONG, 1.0, 60.0, 1, 1e-7, **options))


def test_a_turn_starts_from_what_all_lanes_have():
    seen = {}

    def first(_instance, request):
        return MethodOutcome(SHORT, 2.0, "first")

    def second(_instance, request):
        seen.update(schedule=request.incumbent, bound=request.lower_bound, limit=request.time_limit)
        return MethodOutcome(None, None)

    turns = turn("first", first), turn("second", second, share=1 / 3, seconds=5.0)
    together = run(Lane(turns, 1))
    assert (seen["schedule"], seen["bound"]) == (SHORT, 2.0)
    assert seen["limit"] == 5.0
    assert list(together.outcomes) == ["first", "second"]
    run(Lane((turns[0], turn("second", second, share=1 / 30)), 1))
    assert 1.9 < seen["limit"] <= 2.0


def test_a_method_in_two_lanes_has_one_outcome_of_two_seeds():
    seeds = []

    def search(_instance, request):
        seeds.append(request.seed)
        found = SHORT if request.seed else LONG
        return MethodOutcome(found, 2.0 + request.seed, f"seed {request.seed}")

    together = run(*(Lane((turn("search", search),), 1) for _ in range(2)))
    both = together.outcomes["search"]
    assert sorted(seeds) == [0, 1]
    assert (both.schedule, both.lower_bound, both.proof) == (SHORT, 3.0, "seed 1")


def test_a_method_without_memory_ends_alone_with_what_it_kept():
    def greedy(_instance, request):
        request.keep(MethodOutcome(SHORT, 2.0, "kept"))
        raise MemoryError

    def modest(_instance, request):
        assert (request.incumbent, request.lower_bound) == (SHORT, 2.0)
        return MethodOutcome(None, 3.0, "modest")

    outcomes = run(Lane((turn("greedy", greedy), turn("modest", modest)), 1)).outcomes
    greedy_end = outcomes["greedy"]
    assert (greedy_end.schedule, greedy_end.lower_bound, greedy_end.proof) == (SHORT, 2.0, "kept")
    assert (greedy_end.stop, greedy_end.why) == (StopReason.GAVE_UP, "not enough memory")
    assert outcomes["modest"].lower_bound == 3.0


@pytest.mark.parametrize("kept", [False, True])
@pytest.mark.parametrize("package", ["", "elsewhere"])
def test_other_methods_see_no_schedule_that_is_none(kept, package):
    slot = np.full_like(SHORT.map.slot, 10**9)
    wild = MethodOutcome(replace(SHORT, map=replace(SHORT.map, slot=slot), makespan=0.5), None)

    def method(_instance, request):
        if kept:
            request.keep(wild)
        return wild

    lane = Lane((Turn(Entry("wild", method, plugin=package)),), 1)
    if package:
        why = run(lane).outcomes["wild"].why
    else:
        with pytest.raises(InputError) as refused:
            run(lane)
        why = str(refused.value)
    assert "method 'wild'" in why
    assert "map task 0 is on map slot 1000000000, the cluster has" in why


@pytest.mark.parametrize("gaps", [{}, {"absolute_gap": 0.5}])
def test_what_is_kept_ends_all_lanes_once_the_gap_is_closed(gaps):
    bound = SHORT.makespan - sum(gaps.values())
    ended = Event()

    def bounds(_instance, request):
        request.keep(MethodOutcome(None, bound, "proof"))
        ended.wait(60)
        return MethodOutcome(None, bound, "proof")

    def searches(_instance, request):
        request.keep(MethodOutcome(SHORT, None))
        closed = request.stop.wait(60)
        ended.set()
        assert closed
        return MethodOutcome(SHORT, None, stop=request.clock().reason)

    never = turn("never", lambda *_: pytest.fail("the gap is closed"))
    lanes = Lane((turn("bounds", bounds), never), 1), Lane((turn("search", searches),), 1)
    together = run(*lanes, **gaps)
    assert set(together.outcomes) == {"bounds", "search"}
    assert together.outcomes["search"].stop is StopReason.GAP_CLOSED
    assert not together.interrupted


def test_a_proof_that_rounding_leaves_short_ends_the_search_beside_it():
    begun = Event()

    def exact(_instance, _request):
        begun.wait(60)
        return MethodOutcome(SHORT, SHORT.makespan * (1 - 5e-7), "proof")

    def searches(_instance, request):
        begun.set()
        assert request.stop.wait(60)
        return MethodOutcome(None, None, stop=request.clock().reason)

    together = run(Lane((turn("exact", exact),), 1), Lane((turn("search", searches),), 1))
    assert together.outcomes["search"].stop is StopReason.GAP_CLOSED
