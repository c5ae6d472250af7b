"""The worth of room: tables against all sets of jobs, and the draws of their smoothed part."""

import itertools
from functools import cache
from statistics import fmean, stdev

import numpy as np
import pytest

from slotwise.heuristics.datacenter.worth.recipe import mean_duration, predictability, worth_recipe
from slotwise.heuristics.datacenter.worth.tables import filled, tables_of, worths_of_machines
from slotwise.instances.datacenter.datacenter import Configuration, Datacenter, JobClass
from slotwise.instances.datacenter.generators.lotes import google_2011
from slotwise.solvers.datacenter.guide import guide


def looked_up(tables, amounts, configuration=0):
    """Worth of several free vectors on machines of a configuration."""
    amounts = np.array(amounts, dtype=np.int64)
    found = np.zeros(len(amounts), dtype=np.int64)
    worths_of_machines(tables, amounts, np.full(len(amounts), configuration), found)
    return found.tolist()


def best_of_all_sets(free, request, worth):
    """The most that jobs are worth which fit, by trying them all."""

    @cache
    def best(free):
        most = 0
        for need, value in zip(request, worth, strict=True):
            left = tuple(f - n for f, n in zip(free, need, strict=True))
            if value > 0 and min(left) >= 0:
                most = max(most, value + best(left))
        return most

    return best(tuple(free))


def random_case(seed):
    """Capacity, requests and prices of at most 4 classes and 3 resources, 6 jobs to a machine."""
    rng = np.random.default_rng(seed)
    resources = int(rng.integers(1, 4))
    capacity = rng.integers(6, 25, resources)
    request = rng.integers(0, 13, (int(rng.integers(1, 5)), resources))
    request[:, int(rng.integers(resources))] = rng.integers(4, 13, len(request))
    value = np.round(rng.random(len(request)), 2) * (rng.random(len(request)) < 0.9)
    value[0] += 0.5
    return capacity.tolist(), request.tolist(), value.tolist()


@pytest.mark.parametrize("block", range(5))
def test_worth_is_that_of_the_best_set_of_jobs(block):
    for seed in range(100 * block, 100 * block + 100):
        capacity, request, value = random_case(seed)
        one_each = [[1.0]] * len(value)
        tables = filled(worth_recipe([capacity], request, one_each, value, draws=0))
        rng = np.random.default_rng(seed)
        free = rng.integers(0, np.array(capacity) + 1, (8, len(capacity)))
        free[0] = capacity
        worths = looked_up(tables, free)
        # Worths of jobs as the recipe rounds them.
        jobs = [round(v / max(value) * 2.0**40) for v in value]
        assert tables.unit == max(value) / 2.0**40
        for amounts, found in zip(free.tolist(), worths, strict=True):
            best = best_of_all_sets(amounts, request, jobs)
            assert found == best if len(capacity) < 3 else found >= best


def test_pairs_of_three_resources_are_more_than_the_worth_where_all_three_bind():
    # In any two resources the room is enough for two of the jobs, in all three for one.
    request = [[2, 2, 1], [2, 1, 2], [1, 2, 2]]
    tables = filled(worth_recipe([[3, 3, 3]], request, [[1.0]] * 3, [1.0] * 3, draws=0))
    assert looked_up(tables, [[3, 3, 3]]) == [2 * 2**40]
    assert best_of_all_sets((3, 3, 3), request, [2**40] * 3) == 2**40


@pytest.mark.parametrize(("draws", "spread"), [(0, 0.0), (24, 0.0), (24, 0.3)])
def test_more_room_is_worth_more_and_a_job_no_more_than_the_room_that_it_takes(draws, spread):
    for seed in range(20):
        capacity, request, value = random_case(seed)
        recipe = worth_recipe([capacity], request, [[1.0]] * len(value), value, spread, draws)
        tables = filled(recipe)
        rng = np.random.default_rng(seed)
        free = rng.integers(0, np.array(capacity) + 1, (40, len(capacity)))
        worths = looked_up(tables, free)
        for r in range(len(capacity)):
            more = free.copy()
            more[:, r] = np.minimum(more[:, r] + 1, capacity[r])
            assert all(np.array(looked_up(tables, more)) >= worths)
        for need, price in zip(request, value, strict=True):
            left = free - need
            inside = (left >= 0).all(axis=1)
            if draws == 0 and inside.any():
                gain = np.array(worths)[inside] - looked_up(tables, left[inside])
                assert (gain >= round(price / max(value) * 2.0**40)).all()


def test_the_example_of_the_documentation():
    # Capacity 10; a needs 5 and brings 5, b needs 3 and brings 3: V(10) = 2 a, V(9) = 3 b,
    # V(8) = a + b, V(7) = 2 b, V(5) = a, V(4) = b.
    machine = Configuration("m", 1, {"cores": 10})
    classes = [JobClass("a", 0.5, 1.0, {"cores": 5}), JobClass("b", 0.5, 1.0, {"cores": 3})]
    small = Datacenter.from_classes("small", ["cores"], [machine], classes)
    tables, _ = tables_of(small, np.array([5.0, 3.0]))
    amounts = [[10], [9], [8], [7], [5], [4], [3], [2]]
    free = small.in_units(np.array(amounts, dtype=float))
    found = [round(w * tables.unit, 6) for w in looked_up(tables, free)]
    assert found == [10, 9, 8, 6, 5, 3, 3, 0]


def test_configurations_share_tables_if_classes_are_worth_the_same_on_them():
    value = [1.0, 9.0]
    times = [[1.0, 1.0, 0.5, 1.0], [3.0, 3.0, 1.5, np.inf]]
    recipe = worth_recipe([[4], [9], [9], [9]], [[2], [3]], times, value)
    assert recipe.group == (0, 0, 1, 2)
    tables = filled(recipe)
    large, fast, barred = (looked_up(tables, [[9]], j)[0] for j in (1, 2, 3))
    assert looked_up(tables, [[4]], 0) == looked_up(tables, [[4]], 1)
    assert fast == pytest.approx(2 * large)
    assert barred < large


def test_tables_are_sums_of_a_weighted_exact_layer_and_one_for_each_draw():
    recipe = worth_recipe([[10, 10]], [[2, 3], [3, 1]], [[1.0], [2.0]], [1.0, 1.5], 0.1, draws=6)
    ((table,),) = recipe.tables
    # w = 3/4 (1 - 0.1 / 0.3) = 1/2: V counts as much as all draws together.
    assert [layer.weight for layer in table.layers] == [6] + [1] * 6
    exact = worth_recipe([[10, 10]], [[2, 3], [3, 1]], [[1.0], [2.0]], [1.0, 1.5], draws=0)
    assert exact.tables[0][0].layers[0].items == table.layers[0].items
    assert recipe.unit * 12 == exact.unit
    total = sum(layer.weight * knapsack(layer, table.size) for layer in table.layers)
    assert (filled(recipe).worth.reshape(table.size) == total).all()


def knapsack(layer, size):
    """The layer's table, cell by cell."""
    table = np.full(size, layer.base, dtype=np.int64)
    for a, b in itertools.product(*map(range, size)):
        for worth, down, right in layer.items:
            if a >= down and b >= right:
                table[a, b] = max(table[a, b], table[a - down, b - right] + worth)
    return table


def test_draws_multiply_requests_and_prices_by_factors_of_mean_one():
    # 400 draws of two classes that need 100 and 40 of 1000 cells.
    recipe = worth_recipe([[4000]], [[400], [160]], [[1.0], [1.0]], [1.0, 0.5], 1.0, draws=400)
    ((table,),) = recipe.tables
    for k, need in ((0, 400), (1, 160)):
        cells = [layer.items[k][1] * table.step[0] / need for layer in table.layers]
        worths = [layer.items[k][0] for layer in table.layers]
        assert fmean(cells) == pytest.approx(1.0, abs=0.04)
        assert stdev(cells) == pytest.approx(0.2, abs=0.04)
        # One resource: the price has the same factor as the request.
        ratio = np.array(worths) / cells
        assert ratio == pytest.approx(np.full(400, ratio.mean()), rel=0.01)
    assert recipe == worth_recipe([[4000]], [[400], [160]], [[1.0]] * 2, [1.0, 0.5], 1.0, 400)
    other = worth_recipe([[4000]], [[400], [160]], [[1.0]] * 2, [1.0, 0.5], 1.0, 400, seed=1)
    assert other != recipe


def test_requests_between_cells_are_rounded_up_as_often_as_they_are_between():
    # Prime requests have no common step: 7 of 4096 cells is 12.8 of 7500 units.
    recipe = worth_recipe([[10**8]], [[90_007], [1_000_003]], [[1.0]] * 2, [1.0, 9.0], draws=240)
    ((table,),) = recipe.tables
    plain = [layer for layer in table.layers if layer.items[0][0] == table.layers[0].items[0][0]]
    cells = [layer.items[0][1] for layer in plain for _ in range(layer.weight)]
    assert len(plain) == 240
    assert set(cells) == {3, 4}
    assert fmean(cells) == pytest.approx(90_007 / table.step[0], abs=0.1)


def test_jobs_smaller_than_a_cell_come_by_the_bundle():
    recipe = worth_recipe(
        [[10**9, 10**9]], [[7, 11], [10**6 + 3, 999_983]], [[1.0]] * 2, [1.0, 9e4]
    )
    ((table,),) = recipe.tables
    for layer in table.layers:
        for worth, down, right in layer.items:
            assert worth > 0
            assert down + right > 0
    largest = filled(recipe).worth.max() * recipe.unit
    # What fits if jobs could be cut: more than nine tenths of it, not more than a half above.
    assert 0.9 < largest / (10**9 / 11) < 1.5


def test_a_resource_that_no_class_of_a_pair_needs_does_not_matter():
    # Two classes, each with a resource of its own, the third nobody needs.
    recipe = worth_recipe([[9, 9, 9]], [[3, 0, 0], [0, 3, 0]], [[1.0]] * 2, [1.0, 1.0], draws=0)
    tables = filled(recipe)
    assert [table.resources for table in recipe.tables[0]] == [(0, 1)]
    assert looked_up(tables, [[9, 9, 0], [9, 2, 9], [2, 3, 0]]) == [6 * 2**40, 3 * 2**40, 2**40]


def test_without_a_common_pair_the_others_jobs_count_as_if_their_machine_were_empty():
    alone = [[3, 0, 0], [0, 3, 0], [0, 0, 3]]
    tables = filled(worth_recipe([[9, 9, 9]], alone, [[1.0]] * 3, [1.0] * 3, draws=0))
    assert looked_up(tables, [[9, 9, 9], [9, 0, 0]]) == [9 * 2**40, 3 * 2**40]


def test_sums_of_worths_fit_an_integer_however_many_jobs_a_machine_holds():
    recipe = worth_recipe([[10**15] * 2], [[1, 3], [10**14] * 2], [[1.0]] * 2, [1.0, 2.0])
    assert 0 < filled(recipe).worth.min() + filled(recipe).worth.max() < 2**62


@pytest.mark.parametrize(("spread", "part"), [(0.0, 1.0), (0.15, 0.5), (0.3, 0.0), (1.0, 0.0)])
def test_the_bins_count_less_the_less_can_be_predicted(spread, part):
    assert predictability(spread) == pytest.approx(part)
    recipe = worth_recipe([[9]], [[3], [2], [1]], [[1.0]] * 3, [4.0, 0.0, 2.0], spread)
    assert recipe.bonus == pytest.approx(0.3 * part * 3.0)


def test_mean_duration_is_that_on_the_first_configuration():
    assert mean_duration([0.25, 0.5], [[np.inf, 4.0], [1.0, 9.0]]) == pytest.approx(2.0)


def test_worth_of_the_machines_of_a_datacenter_adds_up_to_the_bound():
    google = google_2011(0.05)
    plan = guide(google)
    assert plan.prices is not None
    tables, _ = tables_of(google, plan.prices.work / google.share)
    every = np.arange(len(google.count))
    worths = np.zeros(len(every), dtype=np.int64)
    worths_of_machines(tables, google.capacity_units, every, worths)
    bound = float(google.count @ worths) * tables.unit
    assert bound == pytest.approx(plan.arrival_rate_bound, rel=1e-9)
