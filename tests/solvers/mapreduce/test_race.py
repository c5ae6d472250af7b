"""Methods side by side: turns, what each sees of the others, when all end, and what is left out."""

from dataclasses import replace
from threading import Event

import numpy as np
import pytest
from racing import lane, race_from

from slotwise.core.errors import InputError
from slotwise.core.registry import Entry
from slotwise.heuristics.mapreduce.list_scheduling.rules import eass, efss
from slotwise.instances.mapreduce.generators.ljr import small
from slotwise.solvers.mapreduce.race import Lane, Turn, in_own_unit
from slotwise.solvers.mapreduce.time_unit import suitable_unit

INSTANCE = small(3, 2, seed=4)
LONG, SHORT = eass(INSTANCE), efss(INSTANCE)


def run(*lanes, bound=1.0, **options):
    race = race_from(INSTANCE, LONG, bound, **options)
    race.run(lanes)
    return race


def turn(method, **limits):
    return Turn(Entry(method.__name__, method), **limits)


def test_a_turn_starts_from_what_all_lanes_have():
    seen = {}

    def first(_instance, runner):
        runner.tell(SHORT, 2.0, "first")

    def second(_instance, runner):
        seen.update(schedule=runner.schedule, bound=runner.bound, left=runner.clock.left)

    race = run(Lane((turn(first), turn(second, share=1 / 3, seconds=5.0)), 1))
    assert (seen["schedule"], seen["bound"]) == (SHORT, 2.0)
    assert 4 < seen["left"] <= 5.0
    assert list(race.outcomes) == ["first", "second"]
    run(Lane((turn(first), turn(second, share=1 / 30)), 1))
    assert 1 < seen["left"] <= 2.0


def test_a_method_in_two_lanes_has_one_outcome_of_two_seeds():
    seeds = []

    def search(_instance, runner):
        seeds.append(runner.seed)
        runner.tell(SHORT if runner.seed else LONG, 2.0 + runner.seed, f"seed {runner.seed}")

    both = run(lane(search), lane(search)).outcomes["search"]
    assert sorted(seeds) == [0, 1]
    assert (both.schedule, both.lower_bound, both.proof) == (SHORT, 3.0, "seed 1")


def test_a_method_without_memory_ends_alone_with_what_it_told():
    def greedy(_instance, runner):
        runner.tell(SHORT, 2.0, "told")
        raise MemoryError

    def modest(_instance, runner):
        assert (runner.schedule, runner.bound) == (SHORT, 2.0)
        runner.tell(bound=3.0, proof="modest")

    outcomes = run(lane(greedy, modest)).outcomes
    end = outcomes["greedy"]
    assert (end.schedule, end.lower_bound, end.proof) == (SHORT, 2.0, "told")
    assert (end.why, outcomes["modest"].why) == ("not enough memory", "completed")
    assert outcomes["modest"].lower_bound == 3.0


@pytest.mark.parametrize("package", ["", "elsewhere"])
def test_other_methods_see_no_schedule_that_is_none(package):
    slot = np.full_like(SHORT.map.slot, 10**9)

    def wild(_instance, runner):
        runner.tell(replace(SHORT, map=replace(SHORT.map, slot=slot), makespan=0.5))

    one = Lane((Turn(Entry("wild", wild, plugin=package)),), 1)
    if package:
        why = run(one).outcomes["wild"].why
    else:
        with pytest.raises(InputError) as refused:
            run(one)
        why = str(refused.value)
    assert "method 'wild'" in why
    assert "map task 0 is on map slot 1000000000, the cluster has" in why


def test_what_is_wrong_is_left_out_and_kept_as_a_fault():
    def shortened(_instance, runner):
        runner.tell(replace(SHORT, makespan=0.5))
        assert runner.schedule is LONG

    race = run(lane(shortened))
    assert "shortened made an invalid schedule" in str(race.fault)
    assert (race.schedule, race.outcomes["shortened"].schedule) == (LONG, None)

    def wishful(_instance, runner):
        runner.tell(bound=2.0, proof="right")
        runner.tell(bound=(SHORT.makespan + LONG.makespan) / 2, proof="wishful")
        assert runner.bound > 2.0
        runner.tell(SHORT)
        assert runner.bound == 2.0

    race = run(lane(wishful))
    assert "the bound 'wishful' of" in str(race.fault)
    assert f"is above a valid schedule of {SHORT.makespan:.9g} s by wishful" in str(race.fault)
    assert race.proofs == {"given": 1.0, "right": 2.0}


@pytest.mark.parametrize("gaps", [{}, {"absolute_gap": 0.5}])
def test_what_is_told_ends_all_lanes_once_the_gap_is_closed(gaps):
    bound = SHORT.makespan - sum(gaps.values())
    ended = Event()

    def bounds(_instance, runner):
        runner.tell(bound=bound, proof="proof")
        ended.wait(60)

    def searches(_instance, runner):
        runner.tell(SHORT)
        assert runner.clock.stop.wait(60)
        ended.set()
        return runner.clock.reason

    def never(*_):
        pytest.fail("the gap is closed")

    outcomes = run(lane(bounds, never), lane(searches), **gaps).outcomes
    assert set(outcomes) == {"bounds", "searches"}
    assert outcomes["searches"].why == "gap closed"


def test_a_proof_that_rounding_leaves_short_ends_the_search_beside_it():
    begun = Event()

    def exact(_instance, runner):
        begun.wait(60)
        runner.tell(SHORT, SHORT.makespan * (1 - 5e-7), "proof")

    def searches(_instance, runner):
        begun.set()
        assert runner.clock.stop.wait(60)
        return runner.clock.reason

    assert run(lane(exact), lane(searches)).outcomes["searches"].why == "gap closed"


def test_what_a_method_told_counts_when_it_does_not_answer():
    release = Event()

    def silent(_instance, runner):
        runner.tell(bound=1.5, proof="early")
        runner.tell(SHORT, 2.0, "later")
        release.wait(120)
        runner.tell(bound=3.0, proof="too late")

    def mute(_instance, runner):
        release.wait(120)
        runner.tell(bound=3.0, proof="too late")

    race = run(lane(silent), lane(mute), time_limit=0.2)
    release.set()
    told, nothing = race.outcomes["silent"], race.outcomes["mute"]
    assert (told.schedule, told.lower_bound, told.proof) == (SHORT, 2.0, "later")
    assert told.why == "time limit, left behind with what it had"
    assert (nothing.schedule, nothing.lower_bound) == (None, None)
    assert nothing.why == "time limit, left behind without an answer"


def test_methods_that_run_beside_each_other_see_what_each_tells():
    ready, seen = Event(), Event()

    def finder(_instance, runner):
        ready.wait(60)
        runner.tell(SHORT)
        runner.tell(bound=2.0, proof="proof")
        seen.wait(60)

    def watcher(instance, runner):
        _, runner = in_own_unit(instance, runner)
        start = runner.schedule
        ready.set()
        while runner.bound * runner.unit == 1.0 or runner.schedule.makespan == start.makespan:
            pass
        seen.set()
        unit = SHORT.makespan / runner.schedule.makespan
        runner.tell(bound=runner.bound, proof=f"unit {unit:g}")

    assert SHORT.makespan < LONG.makespan
    saw = run(lane(finder), lane(watcher)).outcomes["watcher"]
    unit = suitable_unit(LONG.makespan)
    assert unit != 1.0
    assert (saw.lower_bound, saw.proof) == (2.0, f"unit {unit:g}")
