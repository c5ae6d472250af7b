"""Prices of classes, and where each belongs."""

import numpy as np
import pytest
from make import datacenter
from plain_datacenter import feasible_bins

from slotwise.core.errors import InputError
from slotwise.instances.datacenter.datacenter import Datacenter
from slotwise.instances.datacenter.generators.lotes import generate, google_2011
from slotwise.solvers.datacenter.guide import guide
from slotwise.solvers.datacenter.prices import class_prices, with_spread


def test_prices_of_tables_1_and_2_are_those_of_the_design() -> None:
    guidance = guide(google_2011(0.05))
    prices = guidance.class_prices
    assert prices is not None
    assert prices.value == pytest.approx([0.4267, 0.5690, 1.9915, 4.2674], abs=5e-5)
    assert prices.value @ guidance.datacenter.share == pytest.approx(1)


def test_a_plan_made_as_printed_has_no_prices() -> None:
    guidance = guide(google_2011(0.05), as_printed=True)
    assert guidance.class_prices is None
    assert with_spread(guidance, 0.3) is guidance


def test_a_class_is_barred_where_it_costs_far_more_than_elsewhere() -> None:
    # A machine runs one job. y is as quick on both, x takes four times as long on a as on b. At
    # prices x: 1, y: 1 the best filling of a is y (rate 1), of b either (rate 1). A job of x costs
    # tau V = 4 on a and 1 on b: 3 more than on b, allowed are 0.2 * max(1, 1). y costs 1 on both.
    classes = {"x": (0.5, {"a": 4.0, "b": 1.0}, 1), "y": (0.5, 1, 1)}
    data = datacenter("cpu", {"a": (1, 1), "b": (1, 1)}, classes)
    ones = np.ones(2)
    assert class_prices(data, ones).belongs.tolist() == [[False, True], [True, True]]
    # (0.2 + 2 * 1.2) * max(1, 1.2) is more than 3, (0.2 + 2 * 1.1) * 1.1 is less.
    assert class_prices(data, ones, spread=1.2).belongs.all()
    assert not class_prices(data, ones, spread=1.1).belongs.all()


def plain_belongs(data: Datacenter, value: np.ndarray, spread: float) -> list[list[bool]]:
    """The rule over all bins: the best that leaves room for a job is one less of some bin."""
    classes, configurations = data.mean_time.shape
    room = np.full((classes, configurations), np.inf)
    for j in range(configurations):
        bins = np.array(feasible_bins(data, j), dtype=float)
        worth = bins @ (value * data.rate[:, j])
        for k in np.flatnonzero(data.fits[:, j]):
            # Bins to which a job of class k can be added fit what it leaves.
            with_one = worth[bins[:, k] > 0] - value[k] * data.rate[k, j]
            room[k, j] = (worth.max() - with_one.max()) * data.mean_time[k, j]
    least = room.min(axis=1, keepdims=True)
    brings = np.maximum(value[:, None], least)
    allowed = (0.2 + 2 * spread) * np.maximum(brings, spread * np.median(value[value > 0]))
    return (np.isfinite(room) & (room - least <= allowed + 1e-9)).tolist()


@pytest.mark.parametrize("seed", range(12))
def test_places_are_those_of_a_search_over_all_bins(seed: int) -> None:
    data = generate(3, 3, 2, 12, seed=seed, request=(0.1, 0.25), speed=(0.4, 2.0), allowed=0.8)
    guidance = guide(data, spread=0.1 * (seed % 3))
    prices = guidance.class_prices
    assert prices is not None
    assert prices.belongs.tolist() == plain_belongs(data, prices.value, prices.spread)


def test_another_spread_changes_the_places_alone() -> None:
    guidance = guide(generate(seed=3, speed=(0.5, 2.0)))
    wider = with_spread(guidance, 0.5)
    before, after = guidance.class_prices, wider.class_prices
    assert before is not None
    assert after is not None
    assert after.spread == 0.5
    assert (after.belongs >= before.belongs).all()
    assert (after.belongs != before.belongs).any()
    assert after.value is before.value
    assert wider.bin_jobs is guidance.bin_jobs


@pytest.mark.parametrize("spread", [-0.1, float("nan"), float("inf")])
def test_a_spread_that_is_none_is_refused(spread: float) -> None:
    with pytest.raises(InputError, match=r"spread: needs? a number"):
        guide(google_2011(0.05), spread=spread)
