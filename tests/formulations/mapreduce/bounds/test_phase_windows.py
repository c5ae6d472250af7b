"""The bound from windows for the ends of map phases: hand-worked, and against brute force."""

import pytest
from brute_force import optimum
from known_optima import four_kinds
from random_instances import reading, with_security

from slotwise.core.errors import InputError
from slotwise.formulations.mapreduce.bounds.closed_form import lower_bounds
from slotwise.formulations.mapreduce.bounds.phase_windows import Orders, windows_of_map_phases
from slotwise.instances.mapreduce.cluster import Cluster, Rates
from slotwise.instances.mapreduce.instance import Instance, Job, MapTask
from slotwise.instances.mapreduce.usable_slots import usable_slots


def greatest_of_the_others(bounds):
    return max(s for name, s in bounds.items() if name not in NOT_BESIDE)


NAME = "windows of map phases"
NOT_BESIDE = "LB1 as printed", "orders of all jobs", NAME


def test_all_reduce_tasks_wait_in_the_order_of_the_map_phases():
    # First a: 2 + 5 + 8 s. First b: its reduce task waits for 5 s, those of a for 7 s, so the two
    # slots are busy until (5 + 7 + 17) / 2 s. Taken set by set, without waits, that says 14 s.
    cluster = Cluster.uniform(1, map_slots=1, reduce_slots=2)
    jobs = [Job("a", [2.0], [3.0, 6.0]), Job("b", [5.0], [8.0])]
    bounds = lower_bounds(Instance.from_jobs("two", cluster, jobs))
    assert bounds[NAME] == pytest.approx(14.5, rel=4e-4)
    assert greatest_of_the_others(bounds) == pytest.approx(14)


def test_reads_that_an_order_leaves_count_for_all_jobs():
    # Five map tasks of 10 s on four slots. If b is last, at 20 s, a has spread its output by then,
    # or b waits longer: a reads for 10 s, and the two reduce slots are busy until
    # (10 + 20 + 15 + 6 + 6) / 2 s. If a is last it gathers, and ends at 20 + 5 + 4 s.
    cluster = Cluster.uniform(2, map_slots=2, reduce_slots=1, racks=2, rates=Rates(100, 50, 25))
    a = Job("a", [MapTask(9, 100, ["n0", "n1"])] * 4, [5.0], output_ratio=1)
    instance = Instance.from_jobs("reads", cluster, [a, Job("b", [10.0], [6.0, 6.0])])
    bounds = lower_bounds(instance)
    assert bounds[NAME] == pytest.approx(28.5, rel=5e-3)
    assert greatest_of_the_others(bounds) == pytest.approx(26)
    assert optimum(instance) == pytest.approx(29)


@pytest.mark.parametrize("jobs", [[], [Job("a", [3.0])], [Job("a", [], [3.0])]])
def test_phases_without_tasks(jobs):
    cluster = Cluster.uniform(1, map_slots=1, reduce_slots=1)
    instance = Instance.from_jobs("some", cluster, jobs)
    assert windows_of_map_phases(instance) == (3.0 if jobs else 0.0)


@pytest.mark.filterwarnings("error")
def test_tasks_that_take_no_time():
    cluster = Cluster.uniform(1, map_slots=1, reduce_slots=1)
    jobs = [Job("a", [0.0], [0.0]), Job("b", [0.0], [0.0, 0.0])]
    assert windows_of_map_phases(Instance.from_jobs("none", cluster, jobs)) == 0


def test_no_horizon_from_the_optimum_on_is_excluded():
    excluded = raised = 0
    for seed in range(24):
        for instance, best, bounds in four_kinds(seed):
            assert bounds[NAME] <= best * (1 + 1e-9), instance.name
            raised += bounds[NAME] > greatest_of_the_others(bounds) * 1.001
            usable = usable_slots(instance).instance
            if not (best and usable.map_tasks and usable.reduce_tasks):
                continue
            for longer in (1e-9, 1e-3, 0.03, 0.3, 2):
                horizon = best * (1 + longer)
                assert not Orders(usable, best / 1024).exclude(horizon), (instance.name, longer)
            excluded += Orders(usable, best / 1024).exclude(0.999 * best)
    assert excluded > 40
    assert raised > 1


def test_what_was_looked_at_is_limited():
    instance = reading(3)
    orders = Orders(instance, 0.1)
    orders.left = 0


def test_security_is_refused():
    # What tasks read is not what the windows count: horizons above the optimum would be excluded.
    with pytest.raises(InputError, match="security"):
        Orders(with_security(reading(3), 3), 0.1)
