"""Mixes that change over time."""

import numpy as np
import pytest

from slotwise import Configuration, Datacenter, JobClass
from slotwise.core.errors import InputError
from slotwise.instances.datacenter.mixes import Mix, mix_of
from slotwise.instances.datacenter.workload import BLOCK, poisson


def problem(shares=(0.2, 0.3, 0.5)):
    return Datacenter.from_classes(
        "three classes",
        ["cpu"],
        [Configuration("c", 1, {"cpu": 1.0})],
        [JobClass(f"k{k}", share, 1.0, {"cpu": 0.5}) for k, share in enumerate(shares)],
    )


def test_the_others_share_the_rest_in_their_proportions():
    mix = mix_of("24:k2=0.6", problem())
    assert mix.time == 24
    assert mix.rate is None
    # 0.4 is left for shares of 0.2 and 0.3.
    np.testing.assert_allclose(mix.share, [0.16, 0.24, 0.6])
    np.testing.assert_allclose(mix_of("0:k0=0.5,k1=0,k2=0.5", problem()).share, [0.5, 0, 0.5])
    # Only half of the arrivals are of these classes, and that stays.
    half = mix_of("1:k2=0.6", problem((0.1, 0.15, 0.25)))
    np.testing.assert_allclose(half.share, [0.08, 0.12, 0.3])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("k1=0.5", "need TIME:CLASS=SHARE"),
        ("5:", "need TIME:CLASS=SHARE"),
        ("soon:k1=0.5", "need a number >= 0, got 'soon'"),
        ("-1:k1=0.5", "need a number >= 0, got '-1'"),
        ("5:k1=half", "need a number >= 0, got 'half'"),
        ("5:k1=-0.1", "need a number >= 0, got '-0.1'"),
        ("5:k1=nan", "need a number >= 0, got 'nan'"),
        ("5:k9=0.5", "unknown class 'k9'"),
        ("5:0.5", "unknown class ''"),
        ("5:k1=0.5,k1=0.2", "class 'k1' is named twice"),
        ("5:k1=0.5,k2=0.6", "shares add up to 1.1, need at most 1"),
        ("5:k0=0.1,k1=0.1,k2=0.1", "shares add up to 0.3, and no other class arrives"),
    ],
)
def test_nonsense_is_refused(text, message):
    with pytest.raises(InputError, match=message):
        mix_of(text, problem())


@pytest.mark.parametrize(
    ("mixes", "message"),
    [
        ([Mix(5.0, np.ones(3) / 3), Mix(5.0, np.ones(3) / 3)], "time above 5, the one before"),
        ([Mix(-1.0, np.ones(3) / 3)], "time of at least 0, got -1"),
        ([Mix(1.0, np.ones(2) / 2)], "need 3 shares"),
        ([Mix(1.0, np.zeros(3))], "need shares >= 0"),
        ([Mix(1.0, np.array([0.7, 0.7, -0.4]))], "need shares >= 0"),
        ([Mix(1.0, np.ones(3) / 3, rate=0.0)], "need a positive rate"),
    ],
)
def test_changes_out_of_order_or_range_are_refused(mixes, message):
    with pytest.raises(InputError, match=message):
        poisson(problem(), 1.0, 5, seed=0, mixes=mixes)


def test_shares_and_rates_are_those_of_the_time():
    rate, first, second = 100.0, 300.0, 700.0
    mixes = [Mix(first, np.array([0.5, 0.5, 0.0]), 50.0), Mix(second, np.array([0, 0, 1.0]))]
    whole = poisson(problem(), rate, 2 * BLOCK, seed=1, mixes=mixes).whole()
    assert (np.diff(whole.arrival) >= 0).all()
    for begin, end, expected, share in (
        (0.0, first, 100.0, [0.2, 0.3, 0.5]),
        (first, second, 50.0, [0.5, 0.5, 0.0]),
        (second, second + 1000.0, 50.0, [0.0, 0.0, 1.0]),
    ):
        inside = (whole.arrival >= begin) & (whole.arrival < end)
        jobs = expected * (end - begin)
        assert inside.sum() == pytest.approx(jobs, abs=5 * np.sqrt(jobs))
        counts = np.bincount(whole.job_class[inside], minlength=3)
        np.testing.assert_allclose(counts / jobs, share, atol=0.02)
    # Before the first change the jobs are those of a run without any.
    before = whole.arrival < first
    plain = poisson(problem(), rate, 2 * BLOCK, seed=1).whole()
    for one, other in zip(whole, plain, strict=True):
        np.testing.assert_array_equal(one[before], other[: before.sum()])


def test_a_mix_from_the_beginning_replaces_the_datacenter_s():
    whole = poisson(problem(), 9.0, 500, seed=0, mixes=["0:k1=1"]).whole()
    assert (whole.job_class == 1).all()


def test_the_horizon_knows_the_rates():
    workload = poisson(problem(), 100.0, 3000, seed=0, mixes=[Mix(10.0, problem().share, 10.0)])
    # 1000 jobs until 10, 2000 in the 200 time units after that.
    assert workload.horizon == pytest.approx(210.0)
    assert "another mix from 10 h on" in workload.source
    assert workload.notes == ()
    short = poisson(problem(), 100.0, 900, seed=0, mixes=["10:k1=0.5"])
    assert short.notes == ("the mix from 10 on is never reached: the last job arrives at about 9",)


def test_a_class_that_comes_later_must_fit_a_machine():
    classes = [JobClass("k", 1.0, 1.0, {"cpu": 0.5}), JobClass("large", 0.0, 1.0, {"cpu": 2.0})]
    small = Datacenter.from_classes(
        "small", ["cpu"], [Configuration("c", 1, {"cpu": 1.0})], classes
    )
    assert poisson(small, 1.0, 5, seed=0).jobs == 5
    with pytest.raises(InputError, match="'large': a job of it fits no machine"):
        poisson(small, 1.0, 5, seed=0, mixes=["3:large=0.1"])
