"""The exact fluid allocation: worked examples, the independent checker, properties."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from trees import FIGURE_4_SHARES, broken_guarantee, figure_4, idle_cpu, leaf, tree

from slotwise.heuristics.hierarchy import fair
from slotwise.heuristics.hierarchy.exact import exact
from slotwise.instances.hierarchy.allocation import SATISFIED
from slotwise.instances.hierarchy.checker import check_allocation
from slotwise.instances.hierarchy.generators.mch import full_binary, generate
from slotwise.instances.hierarchy.nodes import Group


def test_what_fills_up_with_the_last_task_of_a_leaf_stops_nobody_else():
    # a runs all its tasks when m is full; B is charged 1 for them, and c is shared out still.
    full = tree(
        Group(
            "B",
            [leaf("a", 0, 1, tasks=8), Group("C", [leaf("b", 1, 0, weight=3), leaf("d", 1, 0)])],
        ),
        capacity=(8, 8),
    )
    assert exact(full).share == pytest.approx([1, 3 / 4, 1 / 4])
    assert check_allocation(exact(full)).valid


def test_figure_4():
    allocation = exact(figure_4())
    assert allocation.share == pytest.approx(FIGURE_4_SHARES)
    assert allocation.weight == pytest.approx([1, 1, 1 / 2, 1 / 2, 1, 1])
    assert [allocation.limited_by(i) for i in range(6)] == ["c", "m", "c", "c", "m", "c"]


def test_figure_4_after_n12_has_left():
    everyone = figure_4()
    tasks = everyone.tasks.copy()
    tasks[1] = 0
    share = exact(replace(everyone, tasks=tasks)).share
    assert share == pytest.approx([1 / 3, 0, 1 / 6, 1 / 6, 1, 1 / 3])


def test_first_counterexample():
    # Until the CPU is full: a has x, n2 charges 2 for its memory, so b and c have x/2 each.
    # CPU: x + x/2 = 1. Memory is then at 2/9 + 2/3, and b alone takes the last ninth.
    assert exact(idle_cpu()).share == pytest.approx([2 / 3, 4 / 9, 1 / 3])


def test_second_counterexample():
    allocation = exact(broken_guarantee())
    # n3 needs <0, 2>, normalised <0, 1>; n2 then <1, 1.5>: mu 1.5 and 2. CPU: x + x/1.5 = 1.
    # Memory at the end: .3 + .2 + what c and d share equally.
    assert allocation.share == pytest.approx([0.6, 0.4, 0.25, 0.25])
    assert allocation.met.all()


def test_a_sibling_takes_up_what_a_satisfied_leaf_leaves():
    # Fair max-min of one resource: B has half, of which c wants a tenth of the whole only.
    allocation = exact(
        tree(leaf("A", 1, 0), Group("B", [leaf("c", 1, 0, tasks=0.1), leaf("d", 1, 0)]))
    )
    assert allocation.share == pytest.approx([0.5, 0.1, 0.4])
    assert allocation.bottleneck.tolist() == [0, SATISFIED, 0]


def test_what_a_satisfied_group_leaves_is_shared_by_the_others():
    # A wants .3 in all, B and C are left with .35 each; c in B leaves .25 to d.
    allocation = exact(
        tree(
            leaf("A", 1, 0, tasks=0.3),
            Group("B", [leaf("c", 1, 0, tasks=0.1), leaf("d", 1, 0)]),
            leaf("C", 1, 0),
        )
    )
    assert allocation.share == pytest.approx([0.3, 0.1, 0.25, 0.35])


def test_a_limit_after_the_first_saturation():
    # CPU is full at a = b = 1/2; c and d then share the memory, but d has enough with .3.
    allocation = exact(
        tree(leaf("a", 1, 0), leaf("b", 1, 0), leaf("c", 0, 1), leaf("d", 0, 1, tasks=0.3))
    )
    assert allocation.share == pytest.approx([0.5, 0.5, 0.7, 0.3])


def test_everybody_is_satisfied():
    allocation = exact(tree(leaf("a", 1, 1, tasks=3), leaf("b", 0, 1, tasks=4), capacity=(10, 10)))
    assert allocation.tasks.tolist() == [3, 4]
    assert (allocation.bottleneck == SATISFIED).all()


def test_nobody_there():
    allocation = exact(
        tree(leaf("a", 1, 1, tasks=0), Group("empty"), Group("g", [leaf("b", 1, 1, tasks=0)]))
    )
    assert allocation.tasks.tolist() == [0, 0]
    assert allocation.guarantee.tolist() == [0, 0]
    assert allocation.met.all()


@pytest.mark.parametrize("seed", range(40))
def test_equal_demands_and_limits_reach_their_events_together(seed):
    hierarchy = generate(
        3, seed=seed, fanout=(2, 2), partial=0.5, demand=(4, 4),
        limited=0.6, capacity=60, tasks=(2, 3),
    )  # fmt: skip
    assert check_allocation(exact(hierarchy)).violations == []


hierarchies = st.builds(
    generate,
    st.integers(1, 6),
    seed=st.integers(0, 10**6),
    partial=st.floats(0, 1),
    resources=st.integers(1, 4),
    weight=st.sampled_from([(1, 1), (0.5, 2), (1e-9, 1e9)]),
    limited=st.sampled_from([0, 0.3, 1]),
    capacity=st.sampled_from([30, 1000]),
    tasks=st.sampled_from([(0, 5), (1, 1), (10, 1000)]),
)


@given(hierarchies)
@settings(max_examples=150, deadline=None)
def test_keeps_every_guarantee_and_fills_what_is_wanted(hierarchy):
    allocation = exact(hierarchy)
    assert allocation.met.all()
    assert (allocation.used <= 1 + 1e-9).all()
    assert (allocation.tasks <= hierarchy.tasks).all()
    for i, stop in enumerate(allocation.bottleneck):
        if stop == SATISFIED:
            assert allocation.tasks[i] == hierarchy.tasks[i]
        else:
            assert hierarchy.demand[i, stop] > 0
            assert allocation.used[stop] == pytest.approx(1)


@given(hierarchies.filter(lambda h: h.weight.max() / h.weight.min() < 100))
@settings(max_examples=60, deadline=None)
def test_passes_the_independent_checker(hierarchy):
    assert check_allocation(exact(hierarchy)).violations == []


@given(hierarchies, st.floats(0.01, 100))
@settings(max_examples=40, deadline=None)
def test_only_ratios_of_sibling_weights_matter(hierarchy, factor):
    group = hierarchy.parent[hierarchy.leaf[0]]
    weight = np.where(hierarchy.parent == group, hierarchy.weight * factor, hierarchy.weight)
    scaled = exact(replace(hierarchy, weight=weight))
    assert scaled.share == pytest.approx(exact(hierarchy).share, rel=1e-6, abs=1e-9)


def test_one_resource_is_shared_by_the_guarantees_while_all_are_busy():
    hierarchy = generate(4, seed=5, resources=1, weight=(0.1, 10))
    assert exact(hierarchy).share == pytest.approx(hierarchy.guarantee)


def test_depth_costs_nothing():
    rungs = Group("g", [leaf("a", 1, 1), leaf("b", 1, 1)])
    for _ in range(3000):
        rungs = Group("g", [rungs])
    assert exact(tree(rungs)).share == pytest.approx([0.5, 0.5])


def test_a_large_tree_against_its_guarantees():
    hierarchy = generate(6, seed=3, nodes=50_000, weight=(0.2, 5), limited=0.3, capacity=50_000)
    allocation = fair(hierarchy)
    assert hierarchy.nodes == 50_000
    assert allocation.met.all()
    assert allocation.used == pytest.approx([1, 1])


def test_full_binary_tree_of_equal_full_type_leaves():
    hierarchy = full_binary(5, seed=1, demand=(2, 2))
    assert exact(hierarchy).share == pytest.approx(np.full(32, 1 / 32))
