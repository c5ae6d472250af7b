"""Jobs drawn from a datacenter's classes, and jobs replayed from a trace."""

import gzip

import numpy as np
import pytest

from slotwise import Configuration, JobClass, datacenter
from slotwise.instances.datacenter.workload import BLOCK, poisson, replay
from slotwise.instances.errors import InputError
from slotwise.instances.generators.lotes import google_2011

PROBLEM = google_2011(0.02)


def small(time_unit="h"):
    return datacenter(
        "small",
        ["cpu", "gpu"],
        [
            Configuration("plain", 3, {"cpu": 4.0, "gpu": 0.0}),
            Configuration("gpu", 1, {"cpu": 8.0, "gpu": 2.0}),
        ],
        [
            JobClass("batch", 0.75, 1.0, {"cpu": 1.0, "gpu": 0.0}),
            JobClass("train", 0.25, {"gpu": 2.0}, {"cpu": 2.0, "gpu": 1.0}),
        ],
        time_unit=time_unit,
    )


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


def test_without_noise_jobs_need_what_their_class_does():
    whole = poisson(PROBLEM, 10.0, 500, seed=0).whole()
    np.testing.assert_array_equal(whole.demand, PROBLEM.request_units[whole.job_class])


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


def test_a_trace_is_replayed_in_order_of_arrival_and_in_the_time_unit(tmp_path):
    path = tmp_path / "jobs.csv.gz"
    path.write_bytes(gzip.compress(TRACE.encode()))
    problem = small()
    workload = replay(path, problem, compress=2.0)
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
    assert replay(path, problem, jobs=2).jobs == 1  # of the first two, one fits
    np.testing.assert_allclose(replay(path, small("s")).whole().duration, [1800, 3600, 7200])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("arrival,duration,class,cpu\n", "line 1: no column 'gpu'"),
        ("arrival,duration,class,cpu,gpu\n", "no jobs"),
        ("", "line 1: no column 'arrival'"),
        ("arrival,duration,class,cpu,gpu\n1,2,other,1,0\n", "line 2: unknown class 'other'"),
        ("arrival,duration,class,cpu,gpu\n1,2,batch,1\n", "line 2: 4 fields, need 5"),
        ("arrival,duration,class,cpu,gpu\n1,x,batch,1,0\n", "line 2: need numbers"),
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
        assert replay(path, small()).jobs == 1
        return
    with pytest.raises(InputError, match=message):
        replay(path, small())


def test_a_trace_needs_a_known_time_unit_and_a_positive_compression(tmp_path):
    path = tmp_path / "jobs.csv"
    path.write_text(TRACE)
    with pytest.raises(InputError, match="fortnight"):
        replay(path, small("fortnight"))
    with pytest.raises(InputError, match="compress"):
        replay(path, small(), compress=0.0)
    with pytest.raises(InputError, match="No such file"):
        replay(tmp_path / "absent.csv", small())
