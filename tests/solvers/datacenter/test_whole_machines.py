"""All bins that a better plan can use, and plans in whole machines where they are too many."""

import itertools

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from make import datacenter
from plain_datacenter import best_rate, fewest_machines, maximal_bins

from slotwise.core.clock import Clock
from slotwise.instances.datacenter.datacenter import Datacenter
from slotwise.instances.datacenter.generators.lotes import generate
from slotwise.solvers.datacenter import whole_machines
from slotwise.solvers.datacenter.column_generation import generate_columns
from slotwise.solvers.datacenter.integer_program import _agreed, solve_program
from slotwise.solvers.datacenter.knapsack import valuable_bins
from slotwise.solvers.datacenter.rounding import rate_of
from slotwise.solvers.datacenter.whole_machines import residual_columns, whole_plan


def small(seed: int, machines: int = 12) -> Datacenter:
    return generate(
        3, 2, 2, machines, seed=seed, request=(0.1, 0.25), speed=(0.5, 2.0), allowed=0.8
    )


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.floats(0, 1.1), st.booleans())
@example(81, 0.0, False)  # nothing fits one of the configurations
def test_valuable_bins_are_those_of_all_that_are_worth_it(
    seed: int, share: float, free: bool
) -> None:
    data = small(seed)
    rng = np.random.default_rng(seed)
    worth = data.request.sum(axis=1)[:, None] * rng.uniform(0.5, 1.5, data.mean_time.shape)
    worth[0] *= not free
    bins = [np.array(sorted(maximal_bins(data, j))) for j in range(2)]
    # The empty bin, the only one where no class fits, stands for none.
    bins = [rows[rows.any(axis=1)] for rows in bins]
    values = [rows @ np.where(data.fits[:, j], worth[:, j], 0.0) for j, rows in enumerate(bins)]
    least = np.array([share * value.max(initial=0.0) for value in values])
    wanted = [rows[value >= low] for rows, value, low in zip(bins, values, least, strict=True)]
    number = sum(len(rows) for rows in wanted)
    found = valuable_bins(data, worth, least, most=number)
    assert found is not None
    for rows, ours in zip(wanted, found, strict=True):
        assert {tuple(row) for row in ours if row.any()} == {tuple(row) for row in rows.tolist()}
    if number:
        assert valuable_bins(data, worth, least, most=number - 1) is None


def test_of_bins_that_differ_in_classes_without_arrivals_there_is_one() -> None:
    classes = {"a": (1, 1, 3), "b": (0, 1, 2), "c": (0, 1, 1)}
    data = datacenter("r", {"m": (1, 6)}, classes)
    found = valuable_bins(data, np.ones((3, 1)), np.zeros(1), most=1)
    assert found is not None
    assert found[0].tolist() == [[2, 0, 0]]


def test_fifty_classes_are_given_up() -> None:
    data = generate(seed=1)
    columns = generate_columns(data, gap=0.05)
    worth = columns.worth[:, None] * data.rate
    assert valuable_bins(data, worth, np.zeros(50), most=5000) is None


@pytest.mark.parametrize("seed", range(6))
def test_with_too_many_bins_the_bound_still_holds(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(whole_machines, "MOST_BINS", 3)
    monkeypatch.setattr(whole_machines, "FEW_BINS", 3)
    monkeypatch.setattr(whole_machines, "NEAREST_BINS", 5)
    data = small(seed, machines=9)
    columns = generate_columns(data)
    plan, best = whole_plan(data, columns, Clock(60)), best_rate(data, integer=True)
    rate = rate_of(data, plan.bins, plan.machines)
    assert rate <= best * (1 + 1e-6)
    assert rate >= 0.9 * best
    assert best * (1 - 1e-6) <= plan.bound <= columns.bound * (1 + 1e-9)
    target = 0.8 * best
    fewest = generate_columns(data, target_rate=target, start=columns.bins)
    smallest = whole_plan(data, fewest, Clock(60), target_rate=target)
    machines = sum(int(x.sum()) for x in smallest.machines)
    assert smallest.bound <= round(fewest_machines(data, target, integer=True)) <= machines


def test_what_is_left_over_is_priced_anew() -> None:
    for seed in range(5):
        data = small(seed, machines=7)
        columns = generate_columns(data)
        bins, machines = residual_columns(data, columns, Clock(60))
        for j, rows in enumerate(bins):
            assert (rows @ data.request_units <= data.capacity_units[j]).all()
            assert machines[j].sum() <= data.count[j] * (1 + 1e-9)
            assert rows[: len(columns.bins[j])].tolist() == columns.bins[j].tolist()
        assert rate_of(data, bins, machines) <= columns.bound * (1 + 1e-9)


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
def test_units_of_time_and_rare_classes_do_not_blur_the_program(scale: float) -> None:
    # Two machines hold 3 jobs each; of b, one job in a million, one has to run: 5 a, and b.
    classes = {"a": (1 - 1e-6, scale, 1), "b": (1e-6, scale, 1)}
    data = datacenter("r", {"m": (2, 3)}, classes)
    bins = [np.array([(3 - n, n) for n in range(4)])]
    outcome = solve_program(data, bins, 7 / scale, Clock(60))
    assert outcome.machines is not None
    best = 5 / (1 - 1e-6) / scale
    assert rate_of(data, bins, outcome.machines) == pytest.approx(best, rel=1e-9)
    assert outcome.bound == pytest.approx(best, rel=2e-6)


def test_the_best_of_two_machines_by_hand() -> None:
    # Machines of 5, a needs 2 and b 3, as many of each. One bin (1, 1) on both carries 4 an hour;
    # (2, 0) and (0, 1) carry 2.
    data = datacenter("r", {"m": (2, 5)}, {"a": (0.5, 1, 2), "b": (0.5, 1, 3)})
    every = [
        min(first[k] + second[k] for k in range(2)) / 0.5
        for first, second in itertools.product([(2, 0), (1, 1)], repeat=2)
    ]
    plan = whole_plan(data, generate_columns(data), Clock(60))
    assert rate_of(data, plan.bins, plan.machines) == max(every) == 4
    assert plan.bound == pytest.approx(4, rel=1e-9)


def test_a_program_about_which_the_solver_was_wrong() -> None:
    # With rates near the number of machines HiGHS 1.15.1 proves 295.437 here.
    data = generate(
        3, 1, 1, 43, seed=72, request=(0.04, 0.25), speed=(0.5, 2.0), allowed=0.7
    )  # fmt: skip
    plan = whole_plan(data, generate_columns(data), Clock(60))
    rate, best = rate_of(data, plan.bins, plan.machines), best_rate(data, integer=True)
    assert rate == pytest.approx(best, rel=2e-6)
    assert plan.bound == pytest.approx(best, rel=2e-6)


def test_bounds_count_if_two_agree() -> None:
    assert _agreed([10.0, 10.5], [9.0, 9.5], maximised=True) == 10.5
    assert _agreed([10.0], [9.0], maximised=True) is None
    assert _agreed([10.0, None], [9.0], maximised=True) is None
    assert _agreed([10.0, 11.0], [9.0, 10.5], maximised=True) is None
    assert _agreed([3.0, 4.0], [4.0, 4.0], maximised=False) == 3.0
    assert _agreed([3.0, np.inf], [3.0], maximised=False) is None
    assert _agreed([np.inf, np.inf], [], maximised=False) == np.inf
