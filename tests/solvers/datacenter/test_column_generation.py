"""Column generation and its knapsack against enumeration and PuLP."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from make import datacenter
from plain_datacenter import best_rate, feasible_bins, fewest_machines

from slotwise.formulations.datacenter.machine_assignment.bins import dominated
from slotwise.instances.datacenter.datacenter import Datacenter
from slotwise.instances.datacenter.generators.lotes import generate, google_2011
from slotwise.solvers.datacenter.column_generation import NoRate, generate_columns, largest_rate
from slotwise.solvers.datacenter.knapsack import best_bins, resource_prices

SIZES = st.tuples(st.integers(1, 4), st.integers(1, 3), st.integers(1, 3))


def small(seed: int, sizes: tuple[int, int, int]) -> Datacenter:
    classes, configurations, resources = sizes
    return generate(
        classes, configurations, resources, 12, seed=seed, request=(0.1, 0.25),
        speed=(0.5, 2.0), allowed=0.8,
    )  # fmt: skip


def some_worth(data: Datacenter, seed: int) -> np.ndarray:
    """Near the size of the jobs, where the choice is hard; some worth nothing."""
    rng = np.random.default_rng(seed)
    worth = data.request.sum(axis=1)[:, None] * rng.uniform(0.8, 1.2, data.mean_time.shape)
    return np.where(rng.random(worth.shape) < 0.15, 0.0, worth)


def values(data: Datacenter, j: int, worth: np.ndarray) -> np.ndarray:
    return np.array(feasible_bins(data, j)) @ np.where(data.fits[:, j], worth[:, j], 0.0)


@settings(max_examples=80, deadline=None)
@given(st.integers(0, 10**6), SIZES)
def test_the_best_bin_is_the_best_of_all(seed: int, sizes: tuple[int, int, int]) -> None:
    data = small(seed, sizes)
    worth = some_worth(data, seed)
    best, prices = best_bins(data, worth), resource_prices(data, worth)
    for j in range(len(data.configurations)):
        most = values(data, j, worth).max()
        # Nor is one worth more than what it may use.
        assert most <= (data.capacity[j] @ prices[j]) * (1 + 1e-8)
        assert best.value[j] == pytest.approx(most, rel=1e-9)
        assert most <= best.bound[j] <= most * (1 + 1e-8)
        assert best.bins[j] @ worth[:, j] == pytest.approx(most, rel=1e-9)
        assert (best.bins[j] @ data.request_units <= data.capacity_units[j]).all()
        assert not (best.bins[j] > 0)[~data.fits[:, j]].any()
        if most > 0:
            assert len(dominated(data, j, best.bins[j : j + 1])) == 0


@settings(max_examples=80, deadline=None)
@given(st.integers(0, 10**6), SIZES, st.integers(1, 8), st.floats(0, 0.3), st.floats(0, 1.2))
def test_a_search_cut_short_still_has_a_valid_bound(
    seed: int, sizes: tuple[int, int, int], nodes: int, tolerance: float, floor: float
) -> None:
    data = small(seed, sizes)
    worth = some_worth(data, seed)
    most = np.array([values(data, j, worth).max() for j in range(len(data.configurations))])
    best = best_bins(data, worth, floor=floor * most, tolerance=tolerance, most_nodes=nodes)
    assert (best.bound >= np.maximum(most, floor * most) * (1 - 1e-12)).all()
    for j, found in enumerate(best.bins):
        if found.any():
            assert found @ worth[:, j] == pytest.approx(best.value[j])
            assert best.value[j] > floor * most[j]
        else:
            assert best.value[j] == floor * most[j]


def test_capacity_7_with_jobs_of_2_and_3() -> None:
    # LoTES, Figure 5. Worth 2.1 and 3: (2, 1) at 7.2 beats (3, 0) at 6.3 and (0, 2) at 6.
    data = datacenter("cores", {"m": (1, 7)}, {"a": (0.5, 1, 2), "b": (0.5, 1, 3)})
    best = best_bins(data, np.array([[2.1], [3.0]]))
    assert best.bins.tolist() == [[2, 1]]
    assert best.value[0] == pytest.approx(7.2)
    # With fractions of jobs the capacity would be worth 7 * 2.1 / 2.
    assert resource_prices(data, np.array([[2.1], [3.0]]))[0, 0] == pytest.approx(1.05)


def test_tables_1_and_2() -> None:
    columns = generate_columns(google_2011(), gains=True)
    assert columns.value == pytest.approx(4730689.90, abs=0.005)
    assert columns.bound == pytest.approx(4730689.90, abs=0.005)
    assert columns.gap < 1e-9
    # A machine of 1 core is worth two of half a core, as cores are what is short.
    assert columns.machine_gain[3] == pytest.approx(2 * columns.machine_gain[0])


@pytest.mark.parametrize("seed", range(12))
def test_against_pulp_on_all_bins(seed: int) -> None:
    data = small(seed, (1 + seed % 4, 1 + seed % 3, 1 + seed % 2))
    columns = generate_columns(data)
    rate = best_rate(data)
    assert columns.value == pytest.approx(rate, rel=1e-7)
    assert rate * (1 - 1e-7) <= columns.bound <= rate * (1 + 1e-6)
    assert columns.bound <= largest_rate(data) * (1 + 1e-9)
    for share in (0.3, 0.8):
        fewest = generate_columns(data, target_rate=share * rate, start=columns.bins)
        machines = fewest_machines(data, share * rate)
        assert fewest.value == pytest.approx(machines, rel=1e-6)
        assert machines * (1 - 1e-6) <= fewest.bound <= machines * (1 + 1e-6)


@pytest.mark.parametrize("seed", range(6))
def test_the_gain_of_one_more_machine_is_what_solving_again_gives(seed: int) -> None:
    data = small(seed, (3, 3, 2))
    columns = generate_columns(data, gains=True)
    for j in range(3):
        more = data.count.copy()
        more[j] += 1
        gain = best_rate(data.with_count(more)) - columns.value
        # Over the generated bins it cannot be more, and by the prices it cannot be less.
        slack = 1e-6 * columns.value
        assert columns.machine_gain[j] <= gain + slack
        assert gain <= columns.machine_price[j] + slack


def test_fifty_by_fifty_by_three_is_closed_without_enumeration() -> None:
    columns = generate_columns(generate(50, 50, 3, seed=1))
    assert columns.gap <= 1e-6
    assert sum(map(len, columns.bins)) < 5000


def test_many_small_jobs_on_each_machine() -> None:
    columns = generate_columns(generate(20, 5, 3, seed=8, request=(0.01, 0.02)))
    assert columns.gap <= 1e-6


def test_a_time_limit_leaves_a_valid_bound() -> None:
    data = generate(50, 50, 3, seed=1)
    short = generate_columns(data, time_limit=0.0)
    assert short.value < 700849.918 < short.bound


def test_a_class_that_fits_nowhere_is_named() -> None:
    classes = {"fits": (0.5, 1, 1), "large": (0.5, 1, 2)}
    data = datacenter("r", {"m": (1, 1), "none": (0, 9)}, classes)
    with pytest.raises(NoRate, match="class 'large' fits no machine"):
        generate_columns(data)


def test_configurations_without_machines_or_jobs_do_no_harm() -> None:
    machines = {"m": (2, 4), "wanted": (0, 8), "tiny": (5, 0.5)}
    data = datacenter("r", machines, {"k": (0.5, 1, 1), "rest": (0, 1, 1)})
    columns = generate_columns(data, gains=True)
    # Eight jobs at once, one an hour each, and half of all arrivals are of the class.
    assert columns.value == pytest.approx(16)
    assert columns.machine_gain.tolist() == [pytest.approx(8), pytest.approx(16), 0]
    assert columns.bins[2].tolist() == [[0, 0]]
