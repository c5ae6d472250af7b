"""Several resources with guarantees and limits: the sweep against the plain simulation."""

from contextlib import suppress

import numpy as np
import pytest
from quota_trees import group, leaf, quota_tree, random_quota_tree

from slotwise.core.errors import InputError
from slotwise.core.kernels.decorators import plain
from slotwise.heuristics.hierarchy.exact import exact
from slotwise.heuristics.hierarchy.limits import exact as decision
from slotwise.heuristics.hierarchy.limits.stages import beyond_sweeps
from slotwise.instances.hierarchy.replay import replay, tree_of

TWO = {"cpu": 10, "memory": 10}
CPU, MEMORY = {"cpu": 1}, {"memory": 1}


@pytest.mark.parametrize(
    ("resources", "guarantees", "surplus"),
    [(2, 0.4, "above"), (3, 0.2, "above"), (3, 0.0, "total")],
)
def test_sweep_and_simulation_agree(resources, guarantees, surplus):
    rng, compared = np.random.default_rng(resources), 0
    for _ in range(40):
        tree = random_quota_tree(rng, resources, nodes=16, guarantees=guarantees, surplus=surplus)
        assert not beyond_sweeps(tree, tree.quotas)
        with suppress(InputError), plain():
            allocation = exact(tree)
            filled = replay(tree_of(tree, tree.quotas))
            assert allocation.share == pytest.approx(filled.share, abs=1e-9)
            assert allocation.guarantee == pytest.approx(filled.guaranteed, abs=1e-9)
            compared += 1
    assert compared >= 15


def test_guarantees_within_guarantees():
    # inner guarantees a and b 2 each; of outer's other 2, inner and c get 1 each.
    inner = group("inner", leaf("a"), leaf("b"), guarantee={"cpu": 4, "memory": 0})
    outer = group("outer", inner, leaf("c"), guarantee={"cpu": 6, "memory": 0})
    # The 4 that are left go to outer and x alike, those of outer to inner and c alike.
    allocation = exact(quota_tree(TWO, outer, leaf("x")))
    assert allocation.guaranteed_tasks.tolist() == pytest.approx([2.5, 2.5, 1, 0])
    assert allocation.tasks.tolist() == pytest.approx([3, 3, 2, 2])


def test_two_limits_are_full_one_after_the_other():
    # At 1 each a stops: cpu of A is 2. b goes on to 3, where memory of A is full. B takes the rest.
    both = group(
        "A",
        leaf("a", demand=CPU),
        leaf("b", demand=MEMORY),
        leaf("c", demand={"cpu": 1, "memory": 1}),
        limit={"cpu": 2, "memory": 4},
    )
    allocation = exact(quota_tree(TWO, both, leaf("B", demand={"cpu": 1, "memory": 1})))
    assert allocation.tasks.tolist() == pytest.approx([1, 3, 1, 6])


def test_what_no_sweep_knows_tells_that_it_takes_long(monkeypatch):
    told = []
    monkeypatch.setattr(decision, "MANY", 2)
    monkeypatch.setattr(decision, "progress", told.append)
    children = leaf("a", demand=TWO, priority=1), leaf("b", 0, demand=TWO)
    assert exact(quota_tree(TWO, *children)).tasks.tolist() == [1, 0]
    assert told == ["priorities, weights of 0: 3 nodes event by event, which can take minutes"]
    # Siblings of one class are no classes.
    exact(quota_tree(TWO, leaf("a", demand=TWO, priority=1), leaf("b", demand=TWO, priority=1)))
    assert len(told) == 1
