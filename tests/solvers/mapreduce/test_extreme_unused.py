"""What is extreme, and used by no good schedule, misleads no bound, model or method.

Every entry of their registries is called on instances with and without it.
"""

from dataclasses import replace
from importlib.util import find_spec

import campaign
import numpy as np
import pyomo.environ as pyo
import pytest
from brute_force import optimum
from far_rates import far
from random_instances import extreme

import slotwise
from slotwise.formulations import FORMULATIONS
from slotwise.formulations.mapreduce.bounds import BOUNDS
from slotwise.instances.mapreduce.cluster import Cluster, Rates
from slotwise.instances.mapreduce.instance import Instance, Job, MapTask, SpeedFactors
from slotwise.instances.mapreduce.usable_slots import usable_slots
from slotwise.solvers.backends import highs
from slotwise.solvers.mapreduce import METHODS

MODELS = [entry.name for entry in FORMULATIONS if entry.takes == "mapreduce"]

JOBS = [
    Job("a", [MapTask(3.0, 100.0, ["n0"]), MapTask(2.0, 100.0, ["n1"])], [4.0], 1.0),
    Job("b", [MapTask(2.0, 200.0, ["n1"])], [3.0], 1.0),
    Job("c", [MapTask(1.0, 100.0, ["n0"])], [], 1.0),
]
"""Nobody reads what c puts out."""

ONE_RACK = Cluster.uniform(2, map_slots=1, reduce_slots=1)
PLAIN = Instance.from_jobs("plain", ONE_RACK, JOBS)
# Neither input nor output is on the node where it is read.
APART = Instance.from_jobs(
    "apart",
    Cluster(
        ("m", "r", "n0", "n1"), ("rack",), np.zeros(4, dtype=np.int64), np.array([2, 0, 0, 0]),
        np.array([0, 2, 0, 0]),
    ),
    JOBS,
)  # fmt: skip
EQUAL = replace(
    PLAIN, output_ratio=np.zeros(3), speed_factors=SpeedFactors(np.ones((3, 2)), np.ones((3, 2)))
)


def of_rates(instance: Instance, *rates: float) -> Instance:
    return replace(instance, cluster=replace(instance.cluster, rates=Rates(*rates)))


def with_slow_slots(instance: Instance) -> Instance:
    """Two more slots, on which every task takes years."""
    slow = np.column_stack((np.ones((3, 2)), np.full(3, 1e9)))
    more = replace(ONE_RACK, map_slots=np.array([1, 2]), reduce_slots=np.array([1, 2]))
    return replace(instance, cluster=more, speed_factors=SpeedFactors(slow, slow))


UNUSED = {
    "slow remote rate": (PLAIN, of_rates(PLAIN, 100, 50, 1e-6)),
    "slow remote rate, speed factors": (EQUAL, of_rates(EQUAL, 100, 50, 1e-6)),
    "fast node rate": (APART, of_rates(APART, 1e12, 50, 30)),
    "job of no tasks": (PLAIN, Instance.from_jobs("empty", ONE_RACK, [*JOBS, Job("none")])),
    "slots that fit nothing": (EQUAL, with_slow_slots(EQUAL)),
    "output that nobody reads": (PLAIN, replace(PLAIN, output_ratio=np.array([1.0, 1.0, 1e7]))),
}
each_pair = pytest.mark.parametrize("pair", UNUSED.values(), ids=list(UNUSED))


@each_pair
def test_it_is_not_used(pair: tuple[Instance, Instance]) -> None:
    assert optimum(pair[1]) == pytest.approx(optimum(pair[0]), rel=1e-12)


@each_pair
@pytest.mark.parametrize("name", [entry.name for entry in BOUNDS if entry.valid])
def test_bounds(pair: tuple[Instance, Instance], name: str) -> None:
    for instance in pair:
        if instance.parts <= BOUNDS.lookup(name).understands:
            bound = slotwise.bounds(instance, [name])[name]
            assert bound <= optimum(pair[0]), instance.name


@each_pair
@pytest.mark.parametrize("name", MODELS)
def test_models(pair: tuple[Instance, Instance], name: str) -> None:
    found = []
    for instance in pair:
        try:
            model = slotwise.build(instance, name)
        except slotwise.InputError:
            found.append(None)
            continue
        whole = any(
            not variable.is_continuous() for variable in model.component_data_objects(pyo.Var)
        )
        settings = highs.HighsSettings(presolve=False)
        outcome = highs.solve(model, threads=1, settings=settings).incumbent
        assert outcome is not None
        assert outcome <= optimum(pair[0]) * (1 + 1e-6)
        found.append(outcome if whole else None)
    assert found[0] is found[1] or found[1] == pytest.approx(optimum(pair[0]), rel=1e-6)


@each_pair
@pytest.mark.parametrize("name", [entry.name for entry in METHODS])
def test_methods(pair: tuple[Instance, Instance], name: str) -> None:
    if name == "cp-sat" and find_spec("ortools") is None:
        pytest.skip("OR-Tools is not installed")
    best, proven = optimum(pair[0]), []
    for instance in pair:
        limit = 0.05 if name == "improvement" else 60.0
        claims = campaign.method(instance, name, threads=1, time_limit=limit)
        assert [fault for claim in claims if (fault := claim.fault(best))] == []
        bounds = [claim.lower_bound for claim in claims if claim.lower_bound is not None]
        proven.append([bound > best * 0.999 for bound in bounds])
    # More slots weaken what is relaxed, not what is exact.
    assert name in campaign.BOUNDING or proven[0] == proven[1]


def test_instances_that_once_misled_a_method(traces) -> None:
    """No valid bound is above a schedule."""
    folder = traces / "regressions"
    if not folder.is_dir():
        pytest.skip(f"no collection of regressions at {folder}")
    for path in sorted(folder.glob("*.json")):
        try:
            instance = slotwise.read(path)
        except slotwise.InputError:
            continue
        if not isinstance(instance, Instance) or instance.map_tasks > 10_000:
            continue
        usable = usable_slots(instance).instance
        least = slotwise.heuristic(usable, "EASS").makespan
        for claim in campaign.closed_forms(usable):
            assert claim.lower_bound <= least * (1 + 1e-9), (path.name, claim.who)


@pytest.mark.parametrize("remote", [1e-6, 1e-12, 1e-20])
@pytest.mark.parametrize("method", ["job-order", "sequence"])
def test_a_remote_rate_that_no_good_schedule_uses(method: str, remote: float) -> None:
    result = slotwise.solve(far(remote), methods=method, time_limit=60)
    assert (result.status, result.makespan, result.lower_bound) == ("optimal", 11.0, 11.0)
    for opinion in slotwise.cross_check(result, time_limit=20):
        assert opinion.agrees is not False, opinion


@pytest.mark.parametrize("small", [1e-3, 1e-6, 1e-12])
@pytest.mark.parametrize("remote", [1e-9, 1e-12, 1e-15])
@pytest.mark.parametrize("method", ["job-order", "sequence"])
def test_so_small_a_read_that_all_rates_count(method: str, remote: float, small: float) -> None:
    """What HiGHS makes of such numbers may be no schedule; then it proves nothing."""
    result = slotwise.solve(far(remote, small), methods=method, time_limit=60)
    assert result.makespan is not None
    assert result.lower_bound <= 11 <= result.makespan
    assert result.status == "feasible" or result.makespan == pytest.approx(11)


@pytest.mark.skipif(find_spec("ortools") is None, reason="OR-Tools is not installed")
def test_cp_sat_proves_what_is_far_shorter_than_the_schedule_it_begins_with() -> None:
    """The first schedule reads for millions of seconds; a unit that suits it is too coarse."""
    instance = extreme(30741)
    first = slotwise.heuristic(instance, "FIFO-Pri")
    assert first.makespan > 1e6
    result = slotwise.solve(instance, methods="cp-sat", heuristics=[first], time_limit=60)
    assert result.status == "optimal"
    assert result.makespan == pytest.approx(optimum(instance))
