"""Whole seconds in the file are not whole seconds in the model: the unit, and CP-SAT's proof."""

from dataclasses import replace
from importlib.util import find_spec

import numpy as np
import pytest
from brute_force import optimum
from racing import raced

import slotwise
from slotwise import Cluster, Instance, Job, MapTask, Rates, SpeedFactors
from slotwise.instances.mapreduce.integer_time import common_unit
from slotwise.instances.mapreduce.security import Outages, Security
from slotwise.solvers.mapreduce.cp_sat import cp_sat_method

needs_ortools = pytest.mark.skipif(find_spec("ortools") is None, reason="OR-Tools is not installed")


def two_nodes(*jobs, **parts):
    """One slot of each kind on each of two nodes in one rack: 100 MB/s on a node, 50 within it."""
    cluster = replace(Cluster.uniform(2, map_slots=1, reduce_slots=1), rates=Rates(100, 50, 50))
    return replace(Instance.from_jobs("two", cluster, jobs), **parts)


def factors(maps, reduces):
    return SpeedFactors(np.array(maps, dtype=float), np.array(reduces, dtype=float))


def secure(priorities, **rates):
    """Each task's allowed slots; data on its own node is at level 0, elsewhere encrypted."""
    levels = np.array([[0, -1], [-1, 0]], dtype=np.int8)
    return Security(np.array(priorities, dtype=bool), levels, **rates)


@pytest.mark.parametrize(
    ("instance", "unit"),
    [
        (two_nodes(Job("a", [4, 6], [8])), 2),
        (two_nodes(Job("a", [4.5], [])), 0),
        # 2 x 1.5 s and 4 x 0.5 s are whole, and so is every other product.
        (two_nodes(Job("a", [4], [2]), speed_factors=factors([[0.5, 1.5]], [[1, 1.5]])), 1),
        (two_nodes(Job("a", [3], [2]), speed_factors=factors([[0.5, 1]], [[1, 1]])), 0),
        (two_nodes(Job("a", [2], [3]), speed_factors=factors([[1, 1]], [[1, 0.5]])), 0),
        # A factor of 0.1 on a slot that is lost.
        (
            two_nodes(
                Job("a", [3], [2]),
                speed_factors=factors([[1, 0.1]], [[1, 0.1]]),
                outages=Outages(np.array([False, True]), np.array([False, True])),
            ),
            1,
        ),
        # 300 MB at home 3 s, from the rack 6 s; all of it is read in 3 or 6 s.
        (two_nodes(Job("a", [MapTask(3, 300, ["n0"])], [9], output_ratio=1)), 3),
        (two_nodes(Job("a", [MapTask(3, 310, ["n0"])], [9], output_ratio=1)), 0),
        # Nobody reads what a job without reduce tasks leaves.
        (two_nodes(Job("a", [MapTask(3, 300, ["n0"])], [], output_ratio=0.1)), 3),
        # 300 MB elsewhere: 3 s to move and 300/70 s to encrypt, unless the priority forbids it.
        (
            two_nodes(
                Job("a", [MapTask(3, 300, ["n0"])]),
                security=secure([[1, 1]], transfer_rate=100, encryption_rate=70),
            ),
            0,
        ),
        (
            two_nodes(
                Job("a", [MapTask(3, 300, ["n0"])]),
                security=secure([[1, 0]], transfer_rate=100, encryption_rate=70),
            ),
            3,
        ),
        (two_nodes(), 0),
    ],
)
def test_unit_of_the_durations_that_can_occur(instance, unit):
    assert common_unit(instance) == unit


def proven(instance):
    """What CP-SAT proves of the instance, started from a schedule with much to improve."""
    start = slotwise.heuristic(instance, "EASS").schedule
    outcome = raced(cp_sat_method, instance, start)
    return replace(outcome, schedule=outcome.schedule or start)


@needs_ortools
@pytest.mark.parametrize(
    "instance",
    [
        two_nodes(
            Job("a", [3, 5, 7], [3]),
            Job("b", [5, 3], [5, 3]),
            speed_factors=factors([[0.5, 0.7], [0.9, 0.5]], [[0.5, 0.5], [0.7, 0.5]]),
        ),
        two_nodes(Job("a", [], [1, 1]), speed_factors=factors([[1, 1]], [[1, 0.1]])),
        # Moved and encrypted: 3 + 300/100 + 300/70 s.
        two_nodes(
            Job("a", [MapTask(3, 300, ["n0"])]),
            security=secure([[0, 1]], transfer_rate=100, encryption_rate=70),
        ),
        # The unit of 3 s is real here: the bound comes in whole units.
        two_nodes(Job("a", [MapTask(3, 300, ["n0"])] * 3, [9], output_ratio=1)),
        # Whole seconds too many to be counted one by one.
        two_nodes(Job("a", [3e12 + 1, 5e12], [7e12 + 3])),
    ],
    ids=["factors", "tenth", "security", "unit", "huge"],
)
def test_cp_sat_proves_the_optimum(instance):
    outcome, known = proven(instance), optimum(instance)
    assert outcome.lower_bound <= known * (1 + 1e-12)
    assert outcome.lower_bound == pytest.approx(known, rel=2e-6)
    assert outcome.schedule.makespan == pytest.approx(known, rel=1e-6)
