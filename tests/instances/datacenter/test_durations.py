"""Laws of durations: means, what is left of a running job, and what is missing after a start."""

import numpy as np
import pytest
from make import datacenter

from slotwise.core.errors import InputError
from slotwise.instances.datacenter.durations import (
    Constant,
    Exponential,
    Lognormal,
    Resampled,
    durations_of,
)

MEANS = np.array([2.0, 5.0])
SEEN = (np.array([1.0, 1.0, 4.0]), np.array([2.0, 8.0]))
JOBS = 100_000
LAWS = [Exponential(), Lognormal(0.5), Lognormal(0.0), Constant(), Resampled(SEEN)]


def problem(time_unit="min"):
    return datacenter("cpu", {"c": (1, 1)}, dict.fromkeys("ab", (0.5, 1, 0.5)), time_unit)


def drawn(law, *, remaining=False):
    """Times of many jobs of each class."""
    job_class = np.repeat(np.arange(2), JOBS)
    draw = law.draw_remaining if remaining else law.draw
    return draw(np.random.default_rng(1), job_class, MEANS).reshape(2, JOBS)


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_means_are_those_stated(law):
    times = drawn(law)
    error = 5 * times.std(axis=1) / np.sqrt(JOBS) + 1e-12
    assert (np.abs(times.mean(axis=1) - law.mean(MEANS)) <= error).all()


def test_means_are_the_classes_mean_times_except_those_of_a_sample():
    for law in LAWS[:-1]:
        assert law.mean(MEANS).tolist() == [2.0, 5.0]
    assert LAWS[-1].mean(MEANS).tolist() == [2.0, 5.0]  # (1 + 1 + 4) / 3 and (2 + 8) / 2
    assert Resampled((np.array([3.0]), np.array([]))).mean(MEANS).tolist() == [3.0, 5.0]


def test_the_coefficient_of_variation_is_that_asked_for():
    times = drawn(Lognormal(0.5))
    np.testing.assert_allclose(times.std(axis=1) / times.mean(axis=1), 0.5, rtol=0.02)


def test_a_sample_is_drawn_within_the_class_as_it_is():
    times = drawn(Resampled(SEEN))
    assert set(times[0]) == {1.0, 4.0}
    assert set(times[1]) == {2.0, 8.0}
    assert (times[0] == 4.0).mean() == pytest.approx(1 / 3, abs=0.01)


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_what_is_left_of_a_running_job_follows_from_the_law(law):
    """P(left > t) = E (D - t)⁺ / E D, from the durations drawn; E left = E D² / 2 E D."""
    whole, left = drawn(law), drawn(law, remaining=True)
    for t in (0.15, 0.75, 3.0):
        times = t * whole.mean(axis=1, keepdims=True)
        expected = np.maximum(whole - times, 0).mean(axis=1) / whole.mean(axis=1)
        np.testing.assert_allclose((left > times).mean(axis=1), expected, atol=0.012)
        assert law.missing(t) == pytest.approx(expected.mean(), abs=0.012)
    means = (whole**2).mean(axis=1) / (2 * whole.mean(axis=1))
    np.testing.assert_allclose(left.mean(axis=1), means, rtol=0.03)
    assert law.missing(0.0) == pytest.approx(1.0)


def test_heavy_tails_are_long_in_coming():
    """With a coefficient of variation of 5 a twentieth is missing after 46 mean durations."""
    assert Lognormal(5.0).missing(46.0) == pytest.approx(0.05, abs=0.005)
    assert Exponential().missing(7.0) == pytest.approx(np.exp(-7))


def test_a_trace_gives_durations_by_class_in_the_time_unit(tmp_path):
    path = tmp_path / "jobs.csv"
    path.write_text("arrival,duration,class,cpu\n0,60,a,0.1\n5,240,b,0.1\n6,180,a,9\n")
    law = durations_of(f"trace:{path}", problem())
    assert [seen.tolist() for seen in law.durations] == [[1.0, 3.0], [4.0]]
    assert str(law) == "from jobs.csv"


def test_the_other_laws_by_name():
    assert durations_of("exponential", problem()) == Exponential()
    assert durations_of("constant", problem()) == Constant()
    assert durations_of("lognormal:2.5", problem()) == Lognormal(2.5)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("lognormal:-1", "coefficient of variation from 0 to 1e.24, got -1"),
        ("lognormal:nan", "coefficient of variation .* got nan"),
        ("lognormal:wide", "need a number, got 'wide'"),
        ("lognormal", "choose exponential or lognormal:CV or constant or trace:FILE"),
        ("exponental", "did you mean exponential"),
        ("constant:3", "choose exponential"),
        ("trace:", "choose exponential"),
        ("trace:absent.csv", "absent.csv"),
    ],
)
def test_other_laws_are_refused(text, message):
    with pytest.raises(InputError, match=message):
        durations_of(text, problem())


@pytest.mark.parametrize("row", ["1,2,a,0.1", "1,2,a,0.1\n1,0,b,0.1"])
def test_a_class_without_durations_is_named(tmp_path, row):
    path = tmp_path / "jobs.csv"
    path.write_text(f"arrival,duration,class,cpu\n{row}\n")
    with pytest.raises(InputError, match=r"jobs.csv: .* of class 'b', there are none"):
        durations_of(f"trace:{path}", problem())
    with pytest.raises(InputError, match="fortnight"):
        durations_of(f"trace:{path}", problem("fortnight"))
