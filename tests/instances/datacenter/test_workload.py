"""Jobs drawn from a datacenter's classes or replayed from a trace, and what they hold."""

import gzip
from dataclasses import replace

import numpy as np
import pytest
from make import datacenter, workload_of

from slotwise import simulate
from slotwise.core.errors import InputError
from slotwise.instances.datacenter.durations import Constant, Resampled
from slotwise.instances.datacenter.generators.lotes import google_2011
from slotwise.instances.datacenter.guidance import Guidance
from slotwise.instances.datacenter.work import spread_of
from slotwise.instances.datacenter.workload import BLOCK, poisson, replay
from slotwise.solvers.datacenter.guide import guide

PROBLEM = google_2011(0.02)


def small(time_unit="h"):
    classes = {"batch": (0.75, 1, 1), "train": (0.25, {"gpu": 2.0}, 2, 1)}
    return datacenter("cpu gpu", {"plain": (3, 4), "gpu": (1, 8, 2)}, classes, time_unit)


def test_rates_shares_durations_and_demands_are_those_asked_for():
    rate, jobs = 1000.0, 3 * BLOCK + 7
    workload = poisson(PROBLEM, rate, jobs, seed=1, noise=0.5)
    whole = workload.whole()
    assert len(whole.arrival) == jobs
    assert np.all(np.diff(whole.arrival) >= 0)
    # Four standard errors of a mean of exponential variables.
    assert whole.arrival[-1] == pytest.approx(jobs / rate, rel=4 / np.sqrt(jobs))
    counts = np.bincount(whole.job_class, minlength=4)
    assert counts / jobs == pytest.approx(PROBLEM.share / PROBLEM.share.sum(), abs=4e-3)
    k = int(counts.argmax())
    own = whole.job_class == k
    mean = PROBLEM.mean_time[k, 0]
    assert whole.duration[own].mean() == pytest.approx(mean, rel=5 / np.sqrt(own.sum()))
    ratio = whole.demand[own] / PROBLEM.request_units[k]
    assert ratio.mean() == pytest.approx(1.0, rel=0.01)
    assert ratio.std() == pytest.approx(0.5, rel=0.03)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"job_class": [0, 2, 1]}, "jobs, job_class, job 1: need at least 0, below 2, got 2"),
        ({"job_class": [0, -1, 1]}, "jobs, job_class, job 1: need at least 0, below 2, got -1"),
        ({"job_class": [0.0, 1.0, 1.0]}, "jobs, job_class: needs an array of whole numbers"),
        ({"job_class": [0, 1]}, r"jobs, job_class: needs an array of shape \(3,\)"),
        ({"duration": [1.0, np.nan, 1.0]}, "jobs, duration, job 1: need at least 0"),
        ({"arrival": [0.0, 1.0, np.inf]}, "jobs, arrival, job 2: need at least 0"),
        ({"demand": [[1, 0]] * 2}, r"jobs, demand: needs an array of shape \(3, 2\)"),
        ({"demand": [[1, 0], [1, -1], [1, 0]]}, "jobs, demand, job 1: need at least 0"),
    ],
)
@pytest.mark.parametrize("first", [False, True])
def test_jobs_of_ones_own_are_looked_at_before_the_simulator_reads_them(first, changes, message):
    drawn = poisson(small(), 1.0, 3, seed=1)
    right = drawn.whole()
    wrong = right._replace(**{name: np.array(value) for name, value in changes.items()})
    found = {"running": wrong} if first else {"blocks": lambda: iter([wrong])}
    with pytest.raises(InputError, match=message):
        simulate(replace(drawn, **found), "best-fit")


def test_without_noise_jobs_need_what_their_class_does():
    whole = poisson(PROBLEM, 10.0, 500, seed=0).whole()
    np.testing.assert_array_equal(whole.demand, PROBLEM.request_units[whole.job_class])


def test_a_seed_means_the_same_jobs_as_ever():
    """The last of 65 636 jobs of seed 3, which depends on all before it in its block."""
    exact = poisson(PROBLEM, 1000.0, BLOCK + 100, seed=3).whole()
    noisy = poisson(PROBLEM, 1000.0, BLOCK + 100, seed=3, noise=0.3).whole()
    for whole in (exact, noisy):
        assert whole.arrival[-1] == pytest.approx(65.66663019955914, rel=1e-12)
        assert whole.job_class[-10:].tolist() == [2, 1, 2, 2, 1, 1, 0, 1, 1, 1]
        assert whole.duration[-1] == pytest.approx(0.07990318005096342, rel=1e-12)
    assert exact.demand[-1].tolist() == [2000000000000, 3000000000000]
    assert noisy.demand[-1] == pytest.approx([1146872208482, 2295958359925], rel=1e-12)


def test_other_durations_leave_arrivals_and_classes():
    plain = poisson(PROBLEM, 1000.0, 200, seed=3).whole()
    other = poisson(PROBLEM, 1000.0, 200, seed=3, durations=Constant()).whole()
    np.testing.assert_array_equal(other.arrival, plain.arrival)
    np.testing.assert_array_equal(other.job_class, plain.job_class)
    np.testing.assert_array_equal(other.duration, PROBLEM.mean_time[plain.job_class, 0])


def test_a_batch_comes_before_the_others_which_stay():
    plain = poisson(PROBLEM, 1000.0, 200, seed=3, noise=0.2).whole()
    workload = poisson(PROBLEM, 1000.0, 200, seed=3, noise=0.2, batch=BLOCK + 50)
    whole = workload.whole()
    assert workload.jobs == len(whole.arrival) == BLOCK + 250
    assert not whole.arrival[: BLOCK + 50].any()
    for one, other in zip(whole, plain, strict=True):
        np.testing.assert_array_equal(one[BLOCK + 50 :], other)
    assert (whole.demand[:50] != whole.demand[BLOCK : BLOCK + 50]).any()  # blocks of its own
    counts = np.bincount(whole.job_class[: BLOCK + 50], minlength=4) / (BLOCK + 50)
    np.testing.assert_allclose(counts, PROBLEM.share / PROBLEM.share.sum(), atol=0.01)


def test_a_batch_alone_lasts_as_long_as_its_work():
    """30 jobs of 1 h on 1 core or 2 h on 2 cores and a GPU: there are 20 cores and 2 GPUs."""
    workload = poisson(small(), 0.0, 0, seed=0, batch=30)
    assert workload.whole().arrival.tolist() == [0.0] * 30
    assert workload.horizon == pytest.approx(30 * 0.25 * 2.0 / 2)
    assert workload.source == "30 jobs at time 0, seed 0"


def test_jobs_found_running_are_as_many_as_arrive_in_their_mean_time():
    rate = 20_000.0
    workload = poisson(small(), rate, 1, seed=2, full=True, durations=Constant())
    running = workload.running
    assert workload.jobs == 1
    assert not running.arrival.any()
    mean = rate * np.array([0.75 * 1.0, 0.25 * 2.0])
    counts = np.bincount(running.job_class)
    assert (np.abs(counts - mean) < 4 * np.sqrt(mean)).all()
    for k, time in enumerate((1.0, 2.0)):
        left = running.duration[running.job_class == k]
        assert left.max() <= time
        assert left.mean() == pytest.approx(time / 2, rel=0.03)
    # The order says nothing: each half of the jobs has the same mix.
    half = len(running.arrival) // 2
    assert running.job_class[:half].mean() == pytest.approx(running.job_class.mean(), abs=0.02)


def test_where_jobs_take_different_times_the_plan_says_where_they_run():
    machines = {"fast": (500, 1), "slow": (500, 1)}
    problem = datacenter("cpu", machines, {"k": (1, {"fast": 1.0, "slow": 4.0}, 0.5)})
    with pytest.raises(InputError, match="full start: mean times differ by configuration"):
        poisson(problem, 100.0, 1, seed=0, full=True)
    # 1000 jobs run on either; the fast machines serve four fifths of the arrivals.
    bins = Guidance(problem, 1250.0, 1250.0, np.arange(2), np.full(2, 500), np.full((2, 1), 2))
    running = poisson(problem, 1000.0, 1, seed=0, full=True, plan=bins).running
    mean = 1000.0 * (0.8 * 1.0 + 0.2 * 4.0)
    assert len(running.arrival) == pytest.approx(mean, abs=4 * np.sqrt(mean))
    with pytest.raises(InputError, match="the plan is for another datacenter"):
        poisson(problem, 1.0, 1, seed=0, full=True, plan=guide(small()))


def test_durations_of_a_trace_that_are_not_the_classes_change_the_load():
    law = Resampled((np.array([1.5]), np.array([3.0])))
    workload = poisson(small(), 1.0, 10, seed=0, durations=law)
    assert "1.5 times as long as the classes' mean times" in workload.notes[0]
    assert poisson(small(), 1.0, 10, seed=0, durations=Constant()).notes == ()


def test_the_source_says_what_is_unusual():
    source = poisson(
        small(), 2.0, 5, seed=7, noise=0.5, batch=3, full=True, durations="lognormal:2"
    ).source
    assert source.startswith("Poisson, 2 jobs per h, 3 jobs at time 0, ")
    assert source.endswith(
        " more running at time 0, seed 7, durations lognormal with a coefficient of variation of "
        "2, demands with a coefficient of variation of 0.5"
    )


def test_every_noisy_job_fits_some_machine_that_can_run_it():
    problem = small()
    whole = poisson(problem, 1.0, 5000, seed=0, noise=3.0).whole()
    fits = (whole.demand[:, None] <= problem.capacity_units).all(axis=2)
    fits &= np.isfinite(problem.mean_time[whole.job_class])
    assert fits.any(axis=1).all()


def test_more_jobs_begin_with_the_same_jobs():
    short = poisson(PROBLEM, 10.0, 100, seed=4, noise=0.2).whole()
    long = poisson(PROBLEM, 10.0, BLOCK + 100, seed=4, noise=0.2).whole()
    for one, other in zip(short, long, strict=True):
        np.testing.assert_array_equal(one, other[:100])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rate": 0.0}, "rate: need a positive number"),
        ({"jobs": 0}, "jobs: need at least 1"),
        ({"noise": -1.0}, "noise"),
        ({"seed": -1}, "seed"),
        ({"batch": -1}, "batch: need from 0 to 10000000 jobs"),
        ({"batch": 10**8}, "batch: need from 0 to 10000000 jobs"),
        ({"jobs": -1, "batch": 5}, "jobs: need at least 1"),
        ({"rate": 0.0, "batch": 5}, "rate: need a positive number"),
        ({"rate": 1e12, "full": True}, "full start: .* jobs would run at once"),
    ],
)
def test_senseless_parameters_are_refused(change, message):
    with pytest.raises(InputError, match=message):
        poisson(PROBLEM, **({"rate": 1.0, "jobs": 5, "seed": 0, "noise": 0.0} | change))


TRACE = """arrival,duration,class,cpu,gpu
7200,3600,batch,1,0
3600,1800,train,2,1.5
10800,7200,batch,5,0
3600,60,batch,9,0
"""


def test_a_class_that_never_comes_may_fit_no_machine():
    small = datacenter("cpu", {"c": (1, 1)}, {"k": (1, 1, 0.5), "large": (0, 1, 2)})
    assert set(poisson(small, 1.0, 50, seed=0).whole().job_class) == {0}


def test_a_trace_is_replayed_in_order_of_arrival_and_in_the_time_unit(tmp_path):
    path = tmp_path / "jobs.csv.gz"
    path.write_bytes(gzip.compress(TRACE.encode()))
    problem = small()
    workload = replay(problem, path, compress=2.0)
    whole = workload.whole()
    # Hours from the first arrival on, halved; the job of 9 cores fits no machine.
    assert workload.notes == ("left out: 1 jobs that fit no machine",)
    assert workload.jobs == 3
    np.testing.assert_allclose(whole.arrival, [0.0, 0.5, 1.0])
    np.testing.assert_allclose(whole.duration, [0.5, 1.0, 2.0])
    assert whole.job_class.tolist() == [1, 0, 0]
    np.testing.assert_array_equal(
        whole.demand, problem.in_units(np.array([[2, 1.5], [1, 0], [5, 0]]))
    )
    assert replay(problem, path, jobs=2).jobs == 1  # of the first two, one fits
    np.testing.assert_allclose(replay(small("s"), path).whole().duration, [1800, 3600, 7200])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("arrival,duration,class,cpu\n", "column 'gpu' is missing"),
        ("arrival,duration,class,cpu,gpu\n", "no jobs"),
        ("", "column 'arrival' is missing"),
        ("arrival,duration,class,cpu,gpu\n1,2,other,1,0\n", "line 2: unknown class 'other'"),
        ("arrival,duration,class,cpu,gpu\n1,2,batch,1\n", "line 2: 4 fields, need 5"),
        (
            "arrival,duration,class,cpu,gpu\n1,x,batch,1,0\n",
            "line 2, duration: need a number",
        ),
        ("arrival,duration,class,cpu,gpu\n1,-2,batch,1,0\n", "line 2, duration"),
        ("arrival,duration,class,cpu,gpu\n1,nan,batch,1,0\n", "line 2, duration"),
        ("arrival,duration,class,cpu,gpu\n1,2,batch,1,1\n1,2,batch,5,2.5\n", None),
        ("arrival,duration,class,cpu,gpu\n1,2,batch,5,2.5\n", "no job fits"),
    ],
)
def test_bad_traces_are_refused_with_line_and_column(tmp_path, text, message):
    path = tmp_path / "jobs.csv"
    path.write_text(text)
    if message is None:
        assert replay(small(), path).jobs == 1
        return
    with pytest.raises(InputError, match=message):
        replay(small(), path)


def test_a_trace_needs_a_known_time_unit_and_a_positive_compression(tmp_path):
    path = tmp_path / "jobs.csv"
    path.write_text(TRACE)
    with pytest.raises(InputError, match="fortnight"):
        replay(small("fortnight"), path)
    with pytest.raises(InputError, match="compress"):
        replay(small(), path, compress=0.0)
    with pytest.raises(InputError, match="No such file"):
        replay(small(), tmp_path / "absent.csv")


def test_spread_by_hand():
    """Class a: 1 and 3 cores, a c.v. of 1/2. Class b: 2 and 2 cores, 0; 1 and 4 GPUs, 3/5."""
    classes = {"a": (0.8, 1, 1), "b": (0.2, 1, 2, 1)}
    problem = datacenter("cpu gpu", {"c": (1, 100, 100)}, classes)
    demands = [[1, 0], [2, 1], [3, 0], [2, 4], [1, 9], [3, 9]]
    jobs = ((i, i in (1, 3), 1, *demand) for i, demand in enumerate(demands))
    workload = workload_of(problem, *jobs)
    whole = workload.whole()
    parts = [type(whole)._make(column[i : i + 2] for column in whole) for i in (0, 2, 4)]
    # Class a has four jobs and requests no GPU; class b has two.
    expected = np.sqrt((4 * 0.5**2 + 2 * 0.0 + 2 * 0.6**2) / (4 + 2 + 2))
    assert spread_of(replace(workload, blocks=lambda: iter(parts))) == pytest.approx(expected)
    for noise in (0.0, 0.3):
        drawn = poisson(problem, 1.0, 100_000, seed=1, noise=noise)
        assert spread_of(drawn) == pytest.approx(noise, rel=0.01)
