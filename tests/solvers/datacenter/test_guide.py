"""Guidance from end to end: what the plan carries, how near the bound it is, what it says."""

import os
import signal
from threading import Timer

import numpy as np
import pytest
from make import datacenter
from plain_datacenter import best_rate, fewest_machines, maximal_bins

from slotwise.core.clock import Clock
from slotwise.core.errors import InputError
from slotwise.instances.datacenter.checker import check_guidance
from slotwise.instances.datacenter.datacenter import Datacenter
from slotwise.instances.datacenter.generators.lotes import generate, google_2011
from slotwise.solvers.datacenter.column_generation import Columns, generate_columns
from slotwise.solvers.datacenter.guide import NoRate, guide
from slotwise.solvers.datacenter.rounding import greedy_rounding, printed_rounding, rate_of
from slotwise.solvers.datacenter.whole_machines import WholePlan, whole_plan


def small(seed: int) -> Datacenter:
    return generate(3, 3, 2, 12, seed=seed, request=(0.1, 0.25), speed=(0.5, 2.0), allowed=0.8)


def test_tables_1_and_2() -> None:
    guidance = guide(google_2011(), time_limit=2)
    assert guidance.arrival_rate_bound == pytest.approx(4730689.90, abs=0.005)
    assert guidance.gap < 5e-5
    assert check_guidance(guidance).violations == []
    machines = np.bincount(guidance.bin_configuration, guidance.bin_machines, 10)
    assert machines.tolist() == google_2011().count.tolist()
    assert guidance.proportions.sum(axis=1) == pytest.approx(np.ones(4))


def test_prices_of_tables_1_and_2() -> None:
    prices = guide(google_2011()).prices
    assert prices is not None
    assert prices.resource.sum() == pytest.approx(1)
    assert prices.work.sum() == pytest.approx(1)
    assert (prices.resource >= 0).all()
    # Cores are short; memory only where it is least beside the cores: c6, c7 and c10.
    cores, memory = prices.resource.T
    assert cores.sum() > 0.99
    assert set(np.flatnonzero(memory > 1e-9)) == {5, 6, 9}


def test_as_printed_on_tables_1_and_2() -> None:
    guidance = guide(google_2011(), as_printed=True)
    assert guidance.arrival_rate_bound == pytest.approx(4730796.59, abs=0.005)
    # Which classes each configuration is restricted to depends on the vertex that the solver ends
    # in; the loss is a few percent at most.
    assert 0.9 < guidance.arrival_rate / guidance.arrival_rate_bound < 1
    assert check_guidance(guidance).violations == []


@pytest.mark.parametrize("seed", range(10))
def test_small_plans_are_optimal_in_whole_machines(seed: int) -> None:
    data = small(seed)
    guidance, best = guide(data, time_limit=60), best_rate(data, integer=True)
    assert guidance.arrival_rate == pytest.approx(best, rel=2e-6)
    assert best <= guidance.arrival_rate_bound * (1 + 1e-6)
    assert guidance.integer_bound == pytest.approx(best, rel=2e-6)
    assert guidance.loss == pytest.approx(0, abs=2e-6)
    bins = [maximal_bins(data, j) for j in range(3)]
    for j, jobs in zip(guidance.bin_configuration, guidance.bin_jobs.tolist(), strict=True):
        assert tuple(jobs) in bins[j]


@pytest.mark.parametrize("seed", range(10))
def test_a_target_rate_takes_the_fewest_machines(seed: int) -> None:
    data = small(seed)
    target = (0.5 if seed % 2 else 0.99) * best_rate(data, integer=True)
    guidance = guide(data, target_rate=target, time_limit=60)
    fewest = round(fewest_machines(data, target, integer=True))
    assert guidance.arrival_rate >= target * (1 - 1e-9)
    assert guidance.machines_needed == guidance.machines_bound == fewest
    assert guidance.bin_machines.sum() == data.machines


def test_a_target_rate_by_hand() -> None:
    # A machine runs four jobs, each half an hour: 8 an hour. 20 an hour take 3 machines of 5.
    data = datacenter("r", {"m": (5, 4)}, {"k": (1, 0.5, 1)})
    guidance = guide(data, target_rate=20)
    assert (guidance.machines_needed, guidance.machines_bound) == (3, 3)
    assert guidance.bin_machines.tolist() == [3, 2]
    assert guidance.bin_jobs.tolist() == [[4], [0]]
    assert guide(data, target_rate=40).machines_needed == 5
    with pytest.raises(NoRate, match="no plan carries 41 jobs per h: at most 40 are") as no:
        guide(data, target_rate=41)
    assert no.value.bound == pytest.approx(40)


def test_a_target_that_only_fractions_of_machines_reach_is_refused() -> None:
    # One machine, either 2 a or 2 b; half of each would carry 2 an hour.
    classes = {"a": (0.5, 1, 2, 0.5), "b": (0.5, 1, 2, 0.5)}
    data = datacenter("x y", {"m": (1, 2, 1)}, classes)
    with pytest.raises(NoRate, match="no plan of whole machines carries 1 jobs per h, only 0; 1 "):
        guide(data, target_rate=1)


def test_ctrl_c_keeps_the_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(data: Datacenter, columns: Columns, clock: Clock, **options) -> WholePlan:
        Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
        assert clock.stop.wait(60)
        return whole_plan(data, columns, clock, **options)

    monkeypatch.setattr("slotwise.solvers.datacenter.guide.whole_plan", interrupted)
    guidance = guide(small(0))
    assert guidance.method == "column generation, rounding"
    assert guidance.notes == ("interrupted: a longer run may find a better plan",)
    assert check_guidance(guidance).violations == []


def test_shares_that_leave_some_arrivals_out_are_noted() -> None:
    data = datacenter("r", {"m": (1, 1)}, {"k": (0.25, 1, 1)})
    guidance = guide(data)
    # One job an hour of the class, which is a quarter of the arrivals.
    assert guidance.arrival_rate == pytest.approx(4)
    assert any("shares add up to 0.25" in note for note in guidance.notes)


def test_a_class_that_fits_nowhere() -> None:
    data = datacenter("r", {"m": (1, 1)}, {"large": (1, 1, 2)})
    with pytest.raises(NoRate, match="class 'large' fits no machine that it can run on"):
        guide(data)


@pytest.mark.parametrize("target", [0, -1, float("nan")])
def test_a_target_rate_is_positive(target: float) -> None:
    with pytest.raises(InputError, match=r"target.rate: needs? a (positive )?number, got"):
        guide(google_2011(), target_rate=target)


def test_the_printed_method_has_no_target_rate() -> None:
    with pytest.raises(InputError, match="target rate: the printed method has none"):
        guide(google_2011(), as_printed=True, target_rate=1)


def test_printed_rounding() -> None:
    # Fractions .5, .75, .75 add up to 2: both .75 go up, the .5 down; an integer with dust stays.
    bins = [np.array([[3, 0], [0, 2], [1, 1], [2, 1]])]
    rounded = printed_rounding(bins, [np.array([1.5, 2.75, 0.75, 4 - 1e-9])])[0]
    assert rounded.tolist() == [1, 3, 1, 4]
    # Equal fractions: the bin that is lexicographically first, here (0, 2).
    assert printed_rounding(bins, [np.array([0.5, 0.5, 0.0, 0.0])])[0].tolist() == [0, 1, 0, 0]
    third = np.array([1 / 3, 1 / 3, 1 / 3, 0])
    assert printed_rounding(bins, [third])[0].tolist() == [0, 1, 0, 0]


def test_greedy_rounding_loses_little_where_a_rare_class_undoes_the_printed_one() -> None:
    losses = []
    for data in (google_2011(), google_2011(1 / 20), generate(8, 5, 2, 300, seed=3)):
        columns = generate_columns(data)
        bins, fractional = columns.bins, columns.machines
        greedy = greedy_rounding(data, bins, fractional, columns.value)
        assert [int(x.sum()) for x in greedy] == data.count.tolist()
        printed = printed_rounding(bins, fractional)
        losses.append([1 - rate_of(data, bins, plan) / columns.value for plan in (greedy, printed)])
    assert max(greedy for greedy, _ in losses) < 0.02
    # 0.03 % of the arrivals are of one class: rounded down, it is not served at all.
    assert losses[2][1] == 1
