"""The engine of fair shares against plain NumPy, and worked cases of several resources."""

from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest
from quota_trees import group, leaf, quota_tree, random_quota_tree

from slotwise.core.errors import InputError
from slotwise.core.kernels.decorators import plain
from slotwise.heuristics.hierarchy import exact as exact_shares
from slotwise.heuristics.hierarchy.exact import exact
from slotwise.heuristics.hierarchy.shares import fair_shares, tree_of
from slotwise.instances.hierarchy.checker import check_allocation
from slotwise.instances.hierarchy.plain_shares import PlainTree
from slotwise.instances.hierarchy.promises import feasible

TWO = {"cpu": 10, "memory": 10}
TWO_EACH = {"cpu": 1, "memory": 1}
CPU, MEMORY = {"cpu": 1}, {"memory": 1}


@pytest.mark.parametrize("surplus", ["above", "total"])
@pytest.mark.parametrize("shares", ["dominant", "each", "r0"])
@pytest.mark.parametrize("resources", [1, 2, 3])
def test_the_engine_and_plain_numpy_agree(resources, shares, surplus):
    rng, compared = np.random.default_rng(resources), 0
    for k in range(40):
        tree = random_quota_tree(
            rng,
            resources,
            nodes=16,
            guarantees=[0.4, 0.2, 0.0][k % 3],
            reserves=[0.0, 0.3][k % 2],
            classes=k % 4 > 1,
            surplus=surplus,
            shares=shares,
        )
        if shares == "r0":
            tree = replace(tree, demand=np.maximum(tree.demand, [[1] + [0] * (resources - 1)]))
        with suppress(InputError), plain():
            quotas = feasible(tree)
            for only in range(resources) if shares == "each" else (-1,):
                made, size = tree_of(tree, quotas, only)
                alone = PlainTree(tree, quotas, only)
                assert size == pytest.approx(alone.size)
                for found, plainly in zip(fair_shares(made), alone.shares(), strict=True):
                    assert found == pytest.approx(plainly, abs=1e-9)
            compared += 1
    assert compared >= 15


def test_a_reserve_is_used_up_after_the_cluster_is_full():
    # b fills the cpu with the 6 that a does not keep; a still uses its 4, memory is not full.
    kept = {"guarantee": {"cpu": 4}, "reserve": {"cpu": 4}}
    tree = quota_tree(TWO, leaf("a", demand=TWO_EACH, **kept), leaf("b", 9, demand=CPU))
    allocation = exact(tree)
    assert allocation.tasks.tolist() == pytest.approx([4, 6])
    assert check_allocation(allocation).valid
    short = replace(allocation, tasks=np.array([3.0, 6.0]))
    assert "leaf 'a': could grow" in " ".join(check_allocation(short).violations)


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


def test_a_class_starts_when_all_above_it_stand_still():
    # a and b rise to 2 each, where a has its tasks and the limit of A stops b; then c and d, 1 : 3,
    # have the 6 of cpu that are left. Weight 0 comes last: nothing is left for e but memory.
    first = group(
        "A",
        leaf("a", tasks=2, demand=TWO_EACH),
        leaf("b", demand=TWO_EACH),
        limit={"cpu": 4},
        priority=2,
    )
    rest = (
        leaf("c", demand=TWO_EACH),
        leaf("d", 3, demand=TWO_EACH),
        leaf("e", 0, demand=CPU),
        leaf("f", 0, demand=MEMORY),
    )
    allocation = exact(quota_tree({"cpu": 10, "memory": 12}, first, *rest))
    assert allocation.tasks.tolist() == pytest.approx([2, 2, 1.5, 4.5, 0, 2])


def test_in_total_a_level_at_which_all_stand_is_free():
    # A is charged 8 of cpu for what a and c are guaranteed, so B comes to 8 alone. Then the level
    # of A's children passes from 0 to 4 free of charge, and both rise with B: of the 4 of cpu that
    # are left A and B get 2 each.
    a = leaf("a", demand=CPU, guarantee={"cpu": 4})
    c = leaf("c", demand=TWO_EACH, guarantee={"cpu": 4, "memory": 4})
    children = group("A", a, c), leaf("B", demand=CPU)
    allocation = exact(quota_tree({"cpu": 20, "memory": 20}, *children, surplus="total"))
    assert allocation.tasks.tolist() == pytest.approx([5, 5, 10])


def test_many_nodes_with_limits_are_told_to_take_long(monkeypatch):
    told = []
    monkeypatch.setattr(exact_shares, "MANY", 2)
    monkeypatch.setattr(exact_shares, "progress", told.append)
    children = leaf("a", tasks=2, demand=TWO_EACH, limit={"cpu": 4}), leaf("b", demand=TWO_EACH)
    assert exact(quota_tree(TWO, *children)).tasks.tolist() == pytest.approx([2, 8])
    assert told == ["limits: 3 nodes event by event, which can take minutes"]
