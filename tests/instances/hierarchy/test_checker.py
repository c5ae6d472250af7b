"""The independent checker of allocations finds what is wrong, and nothing else."""

from dataclasses import replace

import numpy as np
import pytest
from trees import figure_4, leaf, tree

from slotwise.heuristics.hierarchy.exact import exact
from slotwise.instances.hierarchy.allocation import UNKNOWN, Allocation
from slotwise.instances.hierarchy.checker import check_allocation
from slotwise.instances.hierarchy.generators.mch import generate
from slotwise.instances.hierarchy.nodes import Group


def with_tasks(hierarchy, tasks, whole=False):
    leaves = hierarchy.leaves
    return Allocation(
        hierarchy, "by hand", np.array(tasks, dtype=float), np.ones(leaves),
        np.full(leaves, UNKNOWN), whole,
    )  # fmt: skip


def violations(hierarchy, tasks, whole=False):
    return check_allocation(with_tasks(hierarchy, tasks, whole)).violations


def test_figure_4_is_fair():
    assert violations(figure_4(), [200 / 3, 100, 100 / 3, 100 / 3, 100, 200 / 3]) == []


def test_too_much():
    found = violations(tree(leaf("a", 1, 0), leaf("b", 1, 0, tasks=1), capacity=(4, 4)), [3, 2])
    assert found == [
        "leaf 'b': runs 2 tasks of 1",
        "resource 'c': 5, more than the capacity of 4",
    ]


@pytest.mark.parametrize("tasks", [-1, float("nan"), float("inf")])
def test_numbers_that_are_none(tasks):
    assert len(violations(tree(leaf("a", 1, 0)), [tasks])) == 1


@pytest.mark.filterwarnings("error")
def test_more_than_numbers_can_hold():
    (found,) = violations(tree(leaf("a", 100, 0)), [1e307])
    assert found == "resource 'c': inf, more than the capacity of 1"


def test_a_guarantee_that_is_not_met():
    found = violations(tree(leaf("a", 1, 0), leaf("b", 1, 0)), [0.4, 0.6])
    assert found[0] == "leaf 'a': dominant share 0.4, guaranteed 0.5"
    assert found[1] == "leaf 'a': runs 0.4 tasks, its fair share is 0.5"


def test_room_that_is_left():
    (found,) = violations(tree(leaf("a", 1, 0), leaf("b", 0, 1)), [1, 0.9])
    assert found.startswith("leaf 'b': could grow")


def test_guarantees_met_but_the_rest_unfairly_shared():
    # c leaves a third: a and b should have half of it each.
    hierarchy = tree(leaf("a", 1, 0), leaf("b", 1, 0), leaf("c", 1, 0, tasks=0))
    assert violations(hierarchy, [0.5, 0.5, 0]) == []
    hierarchy = tree(leaf("a", 1, 0), leaf("b", 1, 0), leaf("c", 1, 0, tasks=0.1))
    assert violations(hierarchy, [0.4, 0.5, 0.1]) == [
        "leaf 'a': runs 0.4 tasks, its fair share is 0.45",
        "leaf 'b': runs 0.5 tasks, its fair share is 0.45",
    ]
    assert violations(hierarchy, [0.45, 0.45, 0.1]) == []


def test_a_group_that_is_short():
    hierarchy = tree(leaf("s", 1, 1), Group("e", [leaf("d", 1, 0), leaf("p", 0, 1)]))
    found = violations(hierarchy, [2 / 3, 1 / 3, 1 / 3])
    assert "group 'e': dominant share 0.333333, guaranteed 0.5" in found


def test_whole_tasks():
    hierarchy = tree(leaf("a", 2, 0), leaf("b", 2, 0), capacity=(5, 5))
    assert violations(hierarchy, [1, 1], whole=True) == []
    assert violations(hierarchy, [1, 0], whole=True) == [
        "leaf 'b': dominant share 0, guaranteed 0.5",
        "leaf 'a': there is room for another of its tasks",
        "leaf 'b': there is room for another of its tasks",
    ]


@pytest.mark.parametrize("seed", range(40))
def test_moving_share_from_the_smaller_to_the_larger_is_noticed(seed):
    hierarchy = generate(
        1 + seed % 4, seed=seed, partial=0.3, weight=(0.5, 2),
        limited=0.3, capacity=60, tasks=(1, 5),
    )  # fmt: skip
    fair = exact(hierarchy)
    assert check_allocation(fair).violations == []
    rng = np.random.default_rng(seed)
    hungry = np.flatnonzero(fair.bottleneck >= 0)
    loser = rng.choice(hungry)
    tasks = fair.tasks.copy()
    tasks[loser] *= 0.99
    assert check_allocation(replace(fair, tasks=tasks)).violations
