"""What a simulation measures, keeps, and refuses."""

import heapq
import json
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest

from slotwise import Configuration, Datacenter, JobClass
from slotwise.core.errors import InputError
from slotwise.heuristics.datacenter import POLICIES
from slotwise.heuristics.datacenter.simulator import simulate
from slotwise.instances.datacenter.generators.lotes import google_2011
from slotwise.instances.datacenter.workload import BLOCK, Jobs, Workload, poisson
from slotwise.solvers.datacenter.guide import guide

PROBLEM = google_2011(0.02)
PLAN = guide(PROBLEM)


def one_machine(arrival, duration, demand, classes=("k",)):
    problem = Datacenter.from_classes(
        "one machine",
        ["cpu"],
        [Configuration("c", 1, {"cpu": 1.0})],
        [JobClass(name, 1 / len(classes), 1.0, {"cpu": 0.5}) for name in classes],
    )
    jobs = Jobs(
        np.array(arrival, dtype=float),
        np.arange(len(arrival), dtype=np.int64) % len(classes),
        np.array(duration, dtype=float),
        problem.in_units(np.array(demand, dtype=float)[:, None]),
    )
    return Workload(problem, len(arrival), 4.0, "by hand", lambda: iter([jobs]))


def test_waits_and_utilisation_by_hand():
    # Two jobs fill the machine from 0 to 2; the third waits 2 - 1, the fourth 4 - 3 behind it.
    workload = one_machine([0, 0, 1, 3], [2, 2, 2, 1], [0.5, 0.5, 1.0, 1.0], classes=("a", "b"))
    seen = simulate(workload, "first-fit", log=True)
    assert seen.start.tolist() == [0, 0, 2, 4]
    assert seen.wait_sum.tolist() == [1, 1]
    assert seen.mean_wait == 0.5
    assert seen.max_wait == 1
    assert seen.at_once.tolist() == [1, 1]
    assert seen.quantile(0.5) == 0
    assert seen.quantile(0.99) == 1
    assert seen.events == 4 + 3  # the last job need not leave
    # Noted every 4 / 240: full from 0 on, one waits from 1 to 2 and from 3 to 4.
    time, waiting = seen.series[:, 0], seen.series[:, 1]
    np.testing.assert_allclose(seen.utilisation, 1.0, atol=0.01)
    np.testing.assert_allclose(seen.series[1:, 6], seen.datacenter.capacity_units[0, 0])
    expected = ((time >= 1) & (time < 2)) | ((time >= 3) & (time < 4))
    # An event at a sampling time comes after the sample.
    differs = np.flatnonzero(waiting != expected)
    assert set(np.round(time[differs], 9)) <= {1.0, 2.0, 3.0}


def test_three_at_a_time_whatever_the_gaps_and_durations():
    """A machine for three jobs at a time; gaps and durations of 1e-3 to 1e6."""
    for seed in range(40):
        rng = np.random.default_rng(seed)
        arrival = np.cumsum(10 ** rng.uniform(-3, rng.uniform(-2, 6), 60))
        duration = 10 ** rng.uniform(-3, rng.uniform(-2, 6), 60)
        workload = one_machine(arrival, duration, np.full(60, 0.3))
        seen = simulate(replace(workload, horizon=float(arrival[-1])), "first-fit", log=True)
        ends = [0.0, 0.0, 0.0]
        for i in range(60):
            assert seen.start[i] == pytest.approx(max(arrival[i], ends[0]))
            heapq.heapreplace(ends, seen.start[i] + duration[i])


def test_the_warm_up_is_not_measured():
    workload = one_machine([0, 0, 1, 3], [2, 2, 2, 1], [0.5, 0.5, 1.0, 1.0])
    seen = simulate(workload, "first-fit", warm_up=0.5)
    assert (seen.measured, seen.all_jobs) == (2, 4)
    assert seen.mean_wait == 1
    assert seen.mean_wait_of_all == 0.5
    with pytest.raises(InputError, match="warm-up"):
        simulate(workload, "first-fit", warm_up=1.0)


def test_fragmentation_by_hand():
    # Two machines with 0.3 free each after jobs of 0.7: together they would hold 0.6 / 0.5 = 1.2
    # jobs, apart none.
    problem = Datacenter.from_classes(
        "two machines",
        ["cpu"],
        [Configuration("c", 2, {"cpu": 1.0})],
        [JobClass("k", 1.0, 1.0, {"cpu": 0.5})],
    )
    jobs = Jobs(
        np.zeros(2), np.zeros(2, dtype=np.int64), np.ones(2), problem.in_units(np.full((2, 1), 0.7))
    )
    later = Jobs(np.array([0.9]), *(column[:1] for column in jobs[1:]))
    workload = Workload(problem, 3, 0.9, "by hand", lambda: iter([jobs, later]))
    seen = simulate(workload, "first-fit")
    assert seen.series[0, 3] == pytest.approx(0, abs=1e-8)
    assert seen.series[1:, 3] == pytest.approx(1)


def figures(seen):
    document = seen.document()
    del document["seconds"], document["events_per_second"]
    return json.dumps(document), seen.series.tobytes(), seen.waits.tobytes(), seen.start.tobytes()


@pytest.mark.parametrize("policy", [entry.name for entry in POLICIES if entry.name != "guided"])
def test_the_same_seed_gives_the_same_bytes(policy):
    def run(seed):
        jobs = poisson(PROBLEM, 1.01 * PLAN.arrival_rate_bound, 5000, seed=seed, noise=0.3)
        return figures(simulate(jobs, policy, guidance=PLAN, seed=seed, log=True))

    assert run(1) == run(1)
    assert run(1) != run(2)


def test_blocks_change_nothing():
    """More jobs than a block holds; the first ones are those of a shorter run."""
    rate = 0.9 * PLAN.arrival_rate_bound
    long = poisson(PROBLEM, rate, BLOCK + 500, seed=5)
    whole = long.whole()
    at_once = Workload(PROBLEM, long.jobs, long.horizon, long.source, lambda: iter([whole]))
    for policy in ("lotes", "tetris"):
        one = simulate(long, policy, guidance=PLAN, log=True)
        other = simulate(at_once, policy, guidance=PLAN, log=True)
        assert one.start.tobytes() == other.start.tobytes()
        assert one.machine.tobytes() == other.machine.tobytes()


def test_memory_does_not_grow_with_the_number_of_jobs():
    def peak(jobs):
        workload = poisson(PROBLEM, 0.9 * PLAN.arrival_rate_bound, jobs, seed=0)
        tracemalloc.start()
        simulate(workload, "first-fit")
        size = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return size

    peak(10)
    assert peak(10 * BLOCK) < 1.05 * peak(4 * BLOCK)


def test_ctrl_c_keeps_what_was_seen():
    workload = poisson(PROBLEM, 0.9 * PLAN.arrival_rate_bound, 3 * BLOCK, seed=0)

    def interrupt(done, total):
        raise KeyboardInterrupt

    seen = simulate(workload, "lotes", guidance=PLAN, on_progress=interrupt)
    assert seen.interrupted
    assert BLOCK - 1000 < seen.all_jobs <= BLOCK
    assert not simulate(workload, "lotes", guidance=PLAN).interrupted
