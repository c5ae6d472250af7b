"""Bins: Algorithm 1 as printed, with the reset, and the correct enumeration."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from make import datacenter
from plain_datacenter import maximal_bins

from slotwise.core.errors import InputError
from slotwise.formulations.datacenter.machine_assignment.bins import (
    algorithm_1,
    all_non_dominated,
    dominated,
    non_dominated,
)
from slotwise.instances.datacenter.datacenter import Datacenter
from slotwise.instances.datacenter.generators.lotes import generate, google_2011


def one_machine(capacity: float, *requests: float) -> Datacenter:
    classes = {f"k{k}": (1 / len(requests), 1, need) for k, need in enumerate(requests)}
    return datacenter("r", {"m": (1, capacity)}, classes)


def as_set(bins) -> set[tuple[int, ...]]:
    return {tuple(row) for row in bins.tolist()}


def test_figure_5() -> None:
    # Capacity 7, classes of 2 and 3: (3, 0) uses 6 and (2, 1) 7, (0, 2) uses 6; (1, 1) takes one
    # more of either.
    bins = non_dominated(one_machine(7, 2, 3), 0)
    assert sorted(bins.tolist()) == [[0, 2], [2, 1], [3, 0]]


def test_tables_1_and_2_have_1815_non_dominated_bins() -> None:
    bins = all_non_dominated(google_2011())
    assert [len(rows) for rows in bins] == [139, 74, 160, 812, 29, 22, 3, 160, 409, 7]


def test_algorithm_1_as_printed_keeps_what_it_passes_on_its_way() -> None:
    # Capacity 2, one class of 1: {2}, then {1} beside which another still fits.
    data = one_machine(2, 1)
    assert algorithm_1(data, 0).tolist() == [[2], [1]]
    assert dominated(data, 0, algorithm_1(data, 0)).tolist() == [1]
    assert algorithm_1(data, 0, reset=True).tolist() == [[2]]


def test_the_reset_is_not_enough_unless_the_last_class_is_the_smallest() -> None:
    # Capacity 3, A = 1 and B = 2 in that order: {B} is emitted, though {A, B} holds it.
    data = one_machine(3, 1, 2)
    made = as_set(algorithm_1(data, 0, reset=True))
    assert made == {(3, 0), (1, 1), (0, 1)}
    assert as_set(non_dominated(data, 0)) == {(3, 0), (1, 1)}
    assert as_set(algorithm_1(data, 0, [1, 0], reset=True)) == {(3, 0), (1, 1)}


def test_algorithm_1_on_tables_1_and_2() -> None:
    data = google_2011()
    right = all_non_dominated(data)
    for j, bins in enumerate(right):
        printed = algorithm_1(data, j)
        assert 1.5 * len(bins) < len(printed) < 16 * len(bins)
        assert as_set(bins) <= as_set(printed)
        assert len(dominated(data, j, printed)) > 0
        assert len(dominated(data, j, bins)) == 0
        # Class 1, the smallest in every resource, last: exact, each once.
        reset = algorithm_1(data, j, [3, 2, 1, 0], reset=True)
        assert len(reset) == len(bins)
        assert as_set(reset) == as_set(bins)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 4), st.integers(1, 3))
def test_enumeration_is_exact_and_algorithm_1_misses_none(
    seed: int, classes: int, resources: int
) -> None:
    data = generate(classes, 1, resources, 1, seed=seed, request=(0.1, 0.25))
    bins, wanted = non_dominated(data, 0), maximal_bins(data, 0)
    assert as_set(bins) == wanted
    assert len(wanted) == len(bins)
    for reset in (False, True):
        made = algorithm_1(data, 0, reset=reset)
        assert wanted <= as_set(made)
        assert (made @ data.request_units <= data.capacity_units[0]).all()


def test_classes_that_cannot_run_are_left_out() -> None:
    machines = {"m": (1, 4), "tiny": (1, 0.5)}
    data = datacenter("r", machines, {"a": (0.5, {"tiny": 1.0}, 1), "b": (0.5, 1, 2)})
    assert non_dominated(data, 0).tolist() == [[0, 2]]
    assert non_dominated(data, 0, [0]).tolist() == [[0, 0]]
    assert non_dominated(data, 1).tolist() == [[0, 0]]
    assert algorithm_1(data, 1).tolist() == []


def test_too_many_bins_are_an_error_and_not_a_wait() -> None:
    with pytest.raises(InputError, match="configuration 'c0': more than 1000 non-dominated bins"):
        all_non_dominated(generate(10, 1, 2, 1, seed=0, request=(0.02, 0.1)), most=1000)
    with pytest.raises(InputError, match="Algorithm 1: more than 1000 bins"):
        algorithm_1(generate(10, 1, 2, 1, seed=0, request=(0.02, 0.1)), 0, most=1000)
