"""The rules of docs/heuristics/dispatch.md on datacenters small enough to follow by hand."""

from dataclasses import replace

import pytest
from make import workload_of

from slotwise import Configuration, Datacenter, JobClass
from slotwise.core.errors import InputError
from slotwise.heuristics.datacenter.policy import weight_of_work
from slotwise.heuristics.datacenter.simulator import simulate
from slotwise.instances.datacenter.generators.lotes import google_2011
from slotwise.instances.datacenter.workload import poisson
from slotwise.solvers.datacenter.guide import guide


def one_resource(*capacities, requests=(0.5,)):
    """A machine of each capacity, a configuration each; jobs of every class take 1 on average."""
    return Datacenter.from_classes(
        "by hand",
        ["cpu"],
        [Configuration(f"c{j}", 1, {"cpu": c}) for j, c in enumerate(capacities)],
        [
            JobClass(f"k{k}", 1 / len(requests), 1.0, {"cpu": request})
            for k, request in enumerate(requests)
        ],
    )


def two_resources():
    return Datacenter.from_classes(
        "by hand",
        ["cpu", "memory"],
        [
            Configuration("wide", 1, {"cpu": 1.0, "memory": 0.5}),
            Configuration("deep", 1, {"cpu": 0.5, "memory": 1.0}),
        ],
        [JobClass("k", 1.0, 1.0, {"cpu": 0.25, "memory": 0.25})],
    )


def run(workload, policy, **options):
    seen = simulate(workload, policy, log=True, **options)
    return seen.machine.tolist(), seen.start.tolist()


def test_first_fit_takes_the_lowest_and_best_fit_the_fullest_machine():
    problem = one_resource(1.0, 0.5)
    jobs = workload_of(problem, (0, 0, 9, 0.4), (1, 0, 9, 0.3))
    assert run(jobs, "first-fit") == ([0, 0], [0, 1])
    # Nothing runs: machine 1 has less free. Then it has 0.1 left, and 0.3 fits machine 0 only.
    assert run(jobs, "best-fit") == ([1, 0], [0, 1])


def test_a_global_queue_skips_what_does_not_fit():
    problem = one_resource(1.0)
    jobs = workload_of(problem, (0, 0, 5, 0.6), (0, 0, 8, 0.4), (1, 0, 1, 0.9), (2, 0, 1, 0.5))
    # At 5, 0.6 are free: the job of 0.9 is skipped. At 8 all is free.
    for policy in ("first-fit", "best-fit", "tetris"):
        assert run(jobs, policy) == ([0, 0, 0, 0], [0, 0, 8, 5]), policy


def test_at_greedy_machines_the_first_of_the_queue_holds_up_the_others():
    problem = one_resource(1.0)
    jobs = workload_of(problem, (0, 0, 5, 0.6), (0, 0, 8, 0.4), (1, 0, 1, 0.9), (2, 0, 1, 0.5))
    # The job of 0.9 starts at 8 and leaves at 9; the other waits behind it.
    assert run(jobs, "greedy") == ([0, 0, 0, 0], [0, 0, 8, 9])


def test_greedy_never_queues_where_a_job_can_never_run():
    problem = one_resource(0.3, 1.0, requests=(0.2,))
    jobs = workload_of(problem, (0, 0, 4, 1.0), *((1 + i, 0, 1, 0.8) for i in range(6)))
    machines, _ = run(jobs, "greedy")
    assert set(machines) == {1}


def test_tetris_prefers_the_machine_that_matches_the_demand():
    problem = two_resources()
    # omega, machines empty: 0.4 * 1 + 0.1 * 0.5 = 0.45 on wide, 0.4 * 0.5 + 0.1 * 1 = 0.3 on deep.
    jobs = workload_of(problem, (0, 0, 9, 0.4, 0.1), (0, 0, 9, 0.1, 0.4))
    assert run(jobs, "tetris")[0] == [0, 1]


def test_tetris_with_no_weight_of_work_starts_the_largest_and_with_much_the_shortest():
    problem = one_resource(1.0)
    jobs = workload_of(problem, (0, 0, 3, 1.0), (1, 0, 9, 0.6), (2, 0, 1, 0.5))
    # omega 0.6 against 0.5: the longer job first; gamma 9 * 0.6 against 0.5 turns that round.
    assert run(jobs, "tetris", gamma=0.0)[1] == [0, 3, 12]
    assert run(jobs, "tetris", gamma=1.0)[1] == [0, 4, 3]


def test_the_weight_of_work_has_a_unit_of_time():
    problem = one_resource(1.0)
    assert problem.time_unit == "h"
    weights = [weight_of_work(unit, problem) for unit in ("scaled", "h", "min", "d")]
    assert weights == [None, 1, 60, 1 / 24]
    with pytest.raises(InputError, match="gamma: choose scaled or s or min or h or d"):
        weight_of_work("year", problem)
    with pytest.raises(InputError, match="gamma: the datacenter's time unit 'tick' is unknown"):
        weight_of_work("s", replace(problem, time_unit="tick"))


def test_bf_js_starts_the_largest_waiting_job_that_fits():
    problem = one_resource(1.0)
    jobs = workload_of(
        problem,
        (0, 0, 5, 0.6),
        (0, 0, 8, 0.4),
        (1, 0, 9, 0.3),
        (2, 0, 9, 0.9),
        (3, 0, 9, 0.5),
        (4, 0, 1, 0.5),
    )
    # At 5, 0.6 are free: the earlier of the two jobs of 0.5 starts, and 0.1 is left. At 8, 0.5 are
    # free: the other one starts and leaves at 9, when 0.3 fits. 0.9 starts when that leaves at 18.
    assert run(jobs, "bf-js")[1] == [0, 0, 9, 18, 5, 8]
    # First come: 0.3 at 5, 0.5 at 8, the last job when that leaves at 17.
    assert run(jobs, "best-fit")[1][2:5] == [5, 17, 8]


def test_bf_js_measures_jobs_by_all_resources():
    problem = two_resources()
    jobs = workload_of(
        problem, (0, 0, 5, 1.0, 0.5), (0, 0, 9, 0.5, 1.0), (1, 0, 9, 0.6, 0.1), (2, 0, 9, 0.5, 0.3)
    )
    # At 5 machine 0 has (1, 0.5) free and only one of the two fits: 0.8 in all goes before 0.7,
    # which machine 1 has too few cores for.
    assert run(jobs, "bf-js")[1][2:] == [14, 5]


def test_fgd_goes_where_least_is_lost_to_the_classes():
    # Classes of 0.4 and 0.3, half of the jobs each; machines of 0.8, 0.7 and 0.35.
    problem = one_resource(0.8, 0.7, 0.35, requests=(0.4, 0.3))
    # A job of 0.3 on 0.8: 0.5 are left, nothing is lost. On 0.7: 0.4 are left, nothing is lost. On
    # 0.35 the class of 0.4 could use nothing before, and neither can use the 0.05 left: lost were
    # 0.175 and are 0.05. It goes there. The next job has 0.8 and 0.7 to choose from, both lose
    # nothing, and 0.7 has less free. Then 0.8 is left against 0.4: 0.5 are left and nothing is
    # lost, against 0.1 left and lost to both.
    jobs = workload_of(problem, *((i, 1, 9, 0.3) for i in range(3)))
    assert run(jobs, "fgd")[0] == [2, 1, 0]
    # Best fit would fill 0.4 up.
    assert run(jobs, "best-fit")[0] == [2, 1, 1]


def test_fgd_counts_what_a_class_does_not_need_as_lost_to_it():
    problem = Datacenter.from_classes(
        "by hand",
        ["cpu", "gpu"],
        [Configuration("plain", 1, {"cpu": 1.0}), Configuration("gpu", 1, {"cpu": 1.0, "gpu": 1})],
        [
            JobClass("k", 0.5, 1.0, {"cpu": 0.25}),
            JobClass("g", 0.5, 1.0, {"cpu": 0.25, "gpu": 0.5}),
        ],
    )
    # g can use nothing on plain: a start of k with 0.25 lowers that by 0.5 * 0.25. On gpu it
    # changes nothing: to k all of the GPU is lost before and after, g has room before and after.
    # A start of g on gpu takes 0.5 of a GPU that k does not need, half of the time.
    jobs = workload_of(problem, (0, 0, 9, 0.25, 0), (1, 1, 9, 0.25, 0.5), (2, 0, 9, 0.25, 0))
    assert run(jobs, "fgd")[0] == [0, 1, 0]


def test_departures_come_before_arrivals_at_the_same_time():
    problem = one_resource(1.0)
    jobs = workload_of(problem, (0, 0, 2, 1.0), (2, 0, 2, 1.0))
    assert run(jobs, "first-fit") == ([0, 0], [0, 2])


def test_durations_follow_the_mean_times_of_the_configurations():
    problem = Datacenter.from_classes(
        "by hand",
        ["cpu"],
        [Configuration("slow", 1, {"cpu": 1.0}), Configuration("fast", 1, {"cpu": 1.0})],
        [JobClass("k", 1.0, {"slow": 2.0, "fast": 1.0}, {"cpu": 1.0})],
    )
    jobs = workload_of(problem, (0, 0, 4, 1.0), (0, 0, 4, 1.0), (1, 0, 4, 1.0))
    # 4 is on the first configuration: the second job takes 2, and the third follows it there.
    assert run(jobs, "first-fit") == ([0, 1, 1], [0, 0, 2])


def test_lotes_takes_the_machine_that_lacks_most_of_its_bin():
    # Bins of two jobs of 0.5. Machine 0 with score 2 takes the first; machine 1, now with the
    # higher score, the second; then both have score 1, and the lowest number decides.
    problem = Datacenter.from_classes(
        "by hand",
        ["cpu"],
        [Configuration("c", 2, {"cpu": 1.0})],
        [JobClass("k", 1.0, 1.0, {"cpu": 0.5})],
    )
    jobs = workload_of(problem, *((0.1 * i, 0, 9, 0.5) for i in range(5)))
    assert run(jobs, "lotes", guidance=guide(problem))[0][:4] == [0, 1, 0, 1]


def test_restricted_lotes_leaves_a_machine_to_the_classes_of_its_plan():
    # c0 is best for k0 alone and c1 for k1 alone: 0.5 + 0.5 fill one, 0.7 the other.
    problem = one_resource(1.0, 0.7, requests=(0.5, 0.7))
    plan = guide(problem)
    assert plan.running[1, 0] == 0
    assert plan.running[1, 1] == 1
    jobs = workload_of(
        problem, (0, 1, 9, 0.7), (0, 0, 2, 0.5), (0, 0, 2, 0.5), (1, 1, 1, 0.7), (1, 0, 1, 0.6)
    )
    restricted = run(jobs, "lotes", guidance=plan)
    unrestricted = run(jobs, "lotes-unrestricted", guidance=plan)
    # c0 is empty at 2. Restricted, it starts k0's job and leaves k1's to c1, free at 9.
    assert restricted[0][3:] == [1, 0]
    assert restricted[1][3:] == [9, 2]
    assert 0 in unrestricted[0][3:4]
    assert unrestricted[1][3] < 9


def test_a_job_too_large_for_its_planned_machines_is_still_started():
    # The plan has k1 on c1 only; a job of it that needs 0.9 fits c0 only.
    problem = one_resource(1.0, 0.7, requests=(0.5, 0.7))
    jobs = workload_of(problem, (0, 0, 2, 0.5), (1, 1, 1, 0.9))
    assert run(jobs, "lotes", guidance=guide(problem)) == ([0, 0], [0, 2])


def test_policies_that_need_a_plan_say_so():
    jobs = workload_of(one_resource(1.0), (0, 0, 1, 0.5))
    with pytest.raises(InputError, match="follows a plan"):
        simulate(jobs, "lotes")
    with pytest.raises(InputError, match="another datacenter"):
        simulate(jobs, "lotes", guidance=guide(one_resource(1.0, 1.0)))
    with pytest.raises(InputError, match="first-fit"):
        simulate(jobs, "worst-fit")


def test_near_saturation_lotes_waits_less_than_greedy_and_tetris():
    """LoTES, section 5.3, at a twentieth of the machines and 0.98 of the highest rate."""
    problem = google_2011(0.05)
    plan = guide(problem)
    jobs = poisson(problem, 0.98 * plan.arrival_rate_bound, 100_000, seed=0)
    wait = {
        name: simulate(jobs, name, guidance=plan, warm_up=0.2).mean_wait
        for name in ("lotes", "greedy", "tetris")
    }
    assert wait["lotes"] < wait["greedy"]
    assert wait["lotes"] < wait["tetris"]
