"""What a simulation warns of."""

from dataclasses import replace

import numpy as np
import pytest

from slotwise import Configuration, Datacenter, JobClass, guide, poisson, simulate
from slotwise.heuristics.datacenter.engine.columns import JOBS_WAITING
from slotwise.heuristics.datacenter.result import halves, warnings_of

PROBLEM = Datacenter.from_classes(
    "twenty machines",
    ["cpu"],
    [Configuration("c", 20, {"cpu": 4.0})],
    [JobClass("k", 1.0, 0.5, {"cpu": 1.0})],
)
PLAN = guide(PROBLEM)  # 80 jobs at once, 160 an hour


def seen(load, jobs, policy="first-fit", plan=PLAN, **options):
    workload = poisson(PROBLEM, load * plan.arrival_rate_bound, jobs, seed=0)
    return simulate(workload, policy, guidance=plan, **options)


def test_no_warning_in_the_steady_state():
    steady = seen(0.9, 20_000, warm_up=0.2)
    assert steady.mean_wait > 0
    assert steady.warnings == ()
    assert steady.load == pytest.approx(0.9)
    assert steady.mean_duration == pytest.approx(0.5, rel=0.03)


def test_a_short_warm_up_is_told_with_what_would_do():
    # 7 mean durations of 0.5 h at 144 jobs an hour are 504 jobs; measuring starts after 72, at
    # about 0.5 h: e^-1 of the load is not there yet.
    (warning,) = [text for text in seen(0.9, 360, warm_up=0.2).warnings if "warm-up" in text]
    words = warning.split()
    assert (words[:2], words[3:5]) == (["warm-up", "covers"], ["mean", "durations;"])
    assert float(words[2]) == pytest.approx(1, rel=0.3)
    assert float(words[5]) == pytest.approx(100 * np.exp(-float(words[2])), rel=0.05)
    assert " ".join(words[-6:-2]) == "use --start full or"
    assert words[-2:] in (["--jobs", "2500"], ["--jobs", "2600"])
    (warning,) = seen(0.9, 20_000, warm_up=0.0).warnings
    assert warning.endswith("of the load is not there yet: use --start full or --warm-up 0.2")


def test_a_datacenter_that_starts_full_lacks_nothing():
    rate = 0.9 * PLAN.arrival_rate_bound
    workload = poisson(PROBLEM, rate, 2000, seed=0, full=True)
    assert not any("warm-up" in text for text in simulate(workload, "first-fit").warnings)


def test_heavy_tails_never_fill_it():
    """Of durations with a c.v. of 30, 0.5 % of the load is there after millions of jobs only."""
    rate = 0.9 * PLAN.arrival_rate_bound
    workload = poisson(PROBLEM, rate, 5000, seed=0, durations="lognormal:30")
    (warning,) = (text for text in simulate(workload, "first-fit").warnings if "warm-up" in text)
    assert "use --start full" in warning


def test_traces_are_not_said_to_lack_load():
    jobs = poisson(PROBLEM, 100.0, 200, seed=0)
    replayed = replace(jobs, rate=None, missing=None)
    short = simulate(replayed, "first-fit", guidance=PLAN)
    assert short.load is None
    assert not any("warm-up" in text for text in short.warnings)


def test_overload_is_told():
    over = seen(1.1, 20_000, warm_up=0.2)
    load, queue = over.warnings
    assert load == (
        "load 1.1 is above what any dispatcher can carry: waits grow with the number of jobs"
    )
    assert queue.startswith("the queue was still growing when arrivals ended")
    half = len(over.series) * 6 // 10
    first, second = (float(text.split()[-1]) for text in queue.rstrip(")").split(", then"))
    assert second == pytest.approx(over.series[half:, JOBS_WAITING].mean(), rel=0.01)
    assert first < second / 2


def test_more_than_the_plan_carries_is_told():
    weak = replace(PLAN, arrival_rate=0.8 * PLAN.arrival_rate_bound)
    (warning,) = seen(0.9, 20_000, plan=weak, warm_up=0.2).warnings
    assert warning.startswith("load 0.9 is above what the plan carries, 0.8:")


def test_only_all_policies_without_a_wait_are_told():
    quiet, busy = seen(0.3, 5000, warm_up=0.2), seen(0.9, 5000, warm_up=0.2)
    (warning,) = quiet.warnings
    assert warning.startswith("nobody waited")
    assert warnings_of([quiet, quiet]) == (warning,)
    assert warnings_of([quiet, busy]) == ()


def test_use_that_rises_is_told():
    """Of a trace, whose warm-up is not known to be too short: ever more jobs, up to 120 an hour."""
    jobs = replace(poisson(PROBLEM, 60.0, 3000, seed=0), rate=None, missing=None)
    whole = jobs.whole()
    rising = whole._replace(arrival=np.sqrt(whole.arrival * jobs.horizon))
    seen = simulate(replace(jobs, blocks=lambda: iter([rising])), "first-fit", warm_up=0.2)
    (warning,) = (text for text in seen.warnings if "in use" in text)
    words = warning.rstrip(")").replace("%", "").split()
    assert words[-4:-1] == ["of", "cpu,", "then"]
    # 2.4 t an hour, for 0.5 h each, of 80: measured from the 600th job on, t = 22.4 to 50.
    assert float(words[-1]) == pytest.approx(100 * 2.4 * 43.1 * 0.5 / 80, rel=0.08)
    assert float(words[-5]) == pytest.approx(100 * 2.4 * 29.3 * 0.5 / 80, rel=0.08)


def test_halves_by_hand():
    # Batches of two: means 1, 3, 1, 3, 1 and 5, 7, 5, 7, 5; each half varies by 1.2.
    values = np.repeat([1, 3, 1, 3, 1, 5, 7, 5, 7, 5], 2).astype(float)
    found = halves(np.concatenate([[99.0], values]))
    assert found is not None
    assert (found.first, found.second) == pytest.approx((1.8, 5.8))
    assert found.error == pytest.approx((1.2 * 2 / 5) ** 0.5)
    assert found.differ
    assert not halves(np.tile([0.0, 9.0], 10)).differ
    assert halves(np.zeros(9)) is None
