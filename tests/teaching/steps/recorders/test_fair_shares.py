"""Steps of fair-share allocators: the same arrays as the allocators, and reasons that hold."""

import numpy as np
import pytest
import step_checks
from trees import FIGURE_4_SHARES, broken_guarantee, figure_4, idle_cpu, leaf, tree

from slotwise.core.errors import InputError
from slotwise.heuristics.hierarchy import fair
from slotwise.instances.hierarchy.hierarchy import Hierarchy
from slotwise.instances.hierarchy.nodes import Group
from slotwise.teaching.steps.hierarchy import record
from slotwise.teaching.steps.steps_file import contradictions

METHODS = {"exact": record.exact, "mch": record.mch, "ch": record.ch, "drf": record.drf}


def some_tree(rng) -> Hierarchy:
    """A random tree with partial-type leaves, empty groups, idle leaves and task limits."""
    resources, nodes = int(rng.integers(1, 4)), int(rng.integers(4, 16))
    parent, is_leaf = [-1], [False]
    for n in range(1, nodes):
        groups = [g for g in range(n) if not is_leaf[g]]
        parent.append(int(rng.choice(groups)))
        is_leaf.append(bool(rng.random() < 0.65) or n == nodes - 1)
    leaves = np.flatnonzero(is_leaf)
    demand = rng.choice([0.0, 0.0, 1.0, 2.0], (len(leaves), resources)) + rng.choice(
        [0.0, 0.3], (len(leaves), 1)
    ) * rng.random((len(leaves), resources))
    for row in demand:
        row[rng.integers(resources)] += 1.0
    limited = rng.random() < 0.5
    tasks = np.full(len(leaves), np.inf)
    if limited:
        some = rng.random(len(leaves)) < 0.6
        tasks[some] = rng.choice([0.0, 1.0, 3.0, 10.0, 60.0], int(some.sum()))
    return Hierarchy(
        resources=tuple("cmg"[:resources]),
        capacity=rng.choice([50.0, 100.0, 77.0], resources),
        names=tuple(f"n{n}" for n in range(nodes)),
        parent=np.array(parent),
        weight=rng.choice([1.0, 1.0, 2.0, 0.5, 1.7], nodes),
        leaf=leaves,
        demand=demand,
        tasks=tasks,
    )


@pytest.mark.parametrize("method", METHODS)
def test_the_allocation_is_that_of_the_allocator(method):
    instances = 150
    rises = limits = again = 0
    for seed in range(instances):
        hierarchy = some_tree(np.random.default_rng((seed, 3)))
        steps = METHODS[method](hierarchy)
        wanted = fair(hierarchy, method)
        for name in ("tasks", "weight", "bottleneck"):
            told, computed = getattr(steps.outcome, name), getattr(wanted, name)
            np.testing.assert_allclose(told, computed, rtol=1e-12, err_msg=f"{name}, seed {seed}")
        assert contradictions(steps) == []
        if seed % 20 == 0:
            step_checks.numbers_are_in_the_step(steps)
        last = dict.fromkeys(range(hierarchy.leaves), 0.0)
        for step in steps.steps:
            for row in step.rows:
                assert row.start == pytest.approx(last[row.slot], abs=1e-12)
                last[row.slot] = row.end
        # What is drawn ends where the allocation does.
        np.testing.assert_allclose(list(last.values()), wanted.share, rtol=1e-9, atol=1e-12)
        rises += sum(step.kind == "fill" for step in steps.steps)
        limits += sum(step.rule == "all tasks" for step in steps.steps)
        again += sum(step.kind == "order" for step in steps.steps) > 1
    assert rises > instances
    assert limits > instances / 4
    assert again > instances / 6


def fills(steps):
    return [step for step in steps.steps if step.kind == "fill"]


def test_the_figure_of_the_paper_ends_as_printed():
    steps = record.exact(figure_4())
    cpu, waits, memory = fills(steps)
    np.testing.assert_allclose(steps.outcome.share, FIGURE_4_SHARES)
    assert (cpu.rule, waits.rule, memory.rule) == ("full", "catches up", "full")
    # At first n12 would have its own weight 1 until memory is full at 2/3.
    assert cpu.candidates[0].label == "c is full"
    assert cpu.candidates[1].label == "m is full"
    assert cpu.candidates[1].facts["at level"] == pytest.approx(2 / 3)
    assert cpu.candidates[1].facts["later by"] == pytest.approx(1 / 3)
    # In the second stage n23 catches up with n12, which has 1/3 already.
    assert [row.slot for row in waits.rows] == [steps.lanes.index("n2/n23")]
    assert waits.rows[0].end == pytest.approx(1 / 3)
    assert "n1/n12 begins to rise" in waits.text


def test_mch_fills_another_resource_than_the_one_it_expects():
    first, fill = record.mch(idle_cpu()).steps
    assert "The root wants most of c, 1.5," in first.text
    assert "n2/b does not need c" in first.text
    assert fill.title.endswith("m is full")
    assert "c would have been full next, at level 0.667, 0.121 later" in fill.text
    assert fill.facts["c used"] == pytest.approx(9 / 11)


def test_a_broken_guarantee_and_the_exact_shares_stand_in_the_notes():
    notes = record.mch(broken_guarantee()).notes
    assert "guarantees not met: a and n2/b" in notes
    assert any("a 0.6," in note for note in notes)
    assert record.exact(broken_guarantee()).notes == record.exact(figure_4()).notes


def test_a_leaf_with_all_its_tasks_leaves_its_part_to_its_siblings():
    # docs/heuristics/fairness.md: A 0.5, c 0.1, d 0.4.
    limited = tree(
        leaf("A", 1, 0), Group("B", [leaf("c", 1, 0, tasks=10), leaf("d", 1, 0)]), capacity=(100, 1)
    )
    done, full = fills(record.exact(limited))
    assert done.rule == "all tasks"
    assert "B/c has all its tasks" in done.text
    assert "siblings first" in done.text
    assert {row.slot: row.end for row in full.rows} == pytest.approx({0: 0.5, 2: 0.4})
    assert full.facts["rate of B/d"] == pytest.approx(1.0)
    assert "siblings" not in fills(record.drf(limited))[0].text


def test_a_group_whose_leaves_have_all_their_tasks_is_at_its_limit():
    limited = tree(
        leaf("A", 1, 0),
        Group("B", [leaf("c", 1, 0, tasks=10), leaf("d", 1, 0, tasks=10)]),
        capacity=(100, 1),
    )
    done, _ = fills(record.exact(limited))
    assert "With that group B is at its limit." in done.text


def test_trees_that_nobody_could_follow_are_refused():
    many = tree(*[leaf(f"n{i}", 1, 1) for i in range(61)])
    with pytest.raises(InputError, match="a page follows at most 60 leaves, here are 61"):
        record.exact(many)
