"""Why a leaf has the share it has."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_why import plain_holders
from trees import broken_guarantee, figure_4, leaf, tree

from slotwise.core.errors import InputError
from slotwise.heuristics.hierarchy import fair
from slotwise.heuristics.hierarchy.explanation import why
from slotwise.instances.hierarchy.allocation import SATISFIED, UNKNOWN
from slotwise.instances.hierarchy.dropped_limits import DroppedLimit
from slotwise.instances.hierarchy.generators.mch import generate
from slotwise.instances.hierarchy.plain_tree import Group


def test_a_leaf_of_figure_4():
    answer = why(fair(figure_4()), "n2/n21")
    assert answer.dominant_share == pytest.approx(1 / 6)
    assert [(step.node, step.weight, step.siblings) for step in answer.steps] == [
        ("n2", 1, 3),
        ("n2/n21", 1, 3),
    ]
    assert answer.guarantee == pytest.approx(1 / 9)
    assert answer.steps[-1].guarantee == pytest.approx(1 / 9)
    assert answer.limited_by == "c"
    # Those who use the CPU, the largest users first; n12 and n23 would lose nothing.
    assert [rival.leaf for rival in answer.rivals] == ["n1/n11", "n3/n31", "n2/n22"]
    assert answer.used + sum(rival.used for rival in answer.rivals) == pytest.approx(1)
    text = str(answer)
    assert "n2: weight 1 of 3 among active siblings, so 33.33 % of all" in text
    assert "Limited by c, which is full; this leaf uses 16.67 % of it." in text


def test_a_broken_guarantee_is_said_aloud():
    answer = why(fair(broken_guarantee(), "mch"), "a")
    assert not answer.met
    assert "Guaranteed 50 %, which it does NOT have" in str(answer)
    assert answer.limited_by == "m"


def test_all_tasks_run():
    answer = why(fair(tree(leaf("a", 1, 0, tasks=0.25), leaf("b", 1, 0))), "a")
    assert (answer.limited_by, answer.task_limit, answer.rivals) == ("tasks", 0.25, ())
    assert "all of them run" in str(answer)
    assert "Guaranteed 50 %, more than all its tasks need:" in str(answer)


def test_whole_tasks_need_not_fill_a_guarantee():
    # Three tasks of 0.3 fill 0.9; each leaf is guaranteed 1/3.
    leaves = [leaf(name, 0.3, 0) for name in "abc"]
    answer = why(fair(tree(*leaves), "hdrf"), "a")
    assert answer.met
    assert "Guaranteed 33.33 %, in which no further whole task fits:" in str(answer)
    assert "Limited by c, which has no room for another of its tasks" in str(answer)


def test_alone():
    assert "only more capacity would help" in str(why(fair(tree(leaf("a", 1, 0))), "a"))


def test_an_allocation_from_elsewhere():
    allocation = replace(fair(documented()), bottleneck=np.full(3, UNKNOWN))
    assert [full.resource for full in why(allocation, "eng/dev").full_resources] == ["c", "m"]
    half = replace(allocation, tasks=allocation.tasks / 2)
    assert "Nothing that it needs is full." in str(why(half, "eng/dev"))


def test_inactive():
    hierarchy = tree(Group("g", [leaf("a", 1, 0, tasks=0)]), leaf("b", 1, 0))
    assert "guaranteed nothing" in str(why(fair(hierarchy), "g/a"))


def test_unknown_leaf():
    with pytest.raises(InputError, match="no leaf 'n21': there is 'n2/n21'"):
        why(fair(figure_4()), "n21")


def documented():
    """The tree of docs/heuristics/fairness.md."""
    return tree(
        Group("eng", [leaf("dev", 1, 2, tasks=2000), leaf("test", 1, 0, weight=0.5)], weight=2),
        leaf("ads", 0, 4),
        capacity=(200, 200),
    )


def test_holders_of_every_full_resource_are_named():
    # Memory stops dev at 2/3 of it; test then takes what is left of the CPU.
    answer = why(fair(documented()), "eng/dev")
    assert {rival.leaf: rival.used for rival in answer.rivals} == pytest.approx(
        {"eng/test": 2 / 3, "ads": 1 / 3}
    )
    assert [full.resource for full in answer.full_resources] == ["m", "c"]
    assert [holder.node for holder in answer.full_resources[1].leaves] == ["eng/test"]
    assert "  eng/test: 66.67 %; dominant share 66.67 %" in str(answer)
    # The group of a rival is named, the leaf's own groups are not.
    (full,) = why(fair(documented()), "ads").full_resources
    assert [(group.node, group.used) for group in full.groups] == [("eng", pytest.approx(2 / 3))]
    assert "group eng: 66.67 % in all" in str(why(fair(documented()), "ads"))


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 10**6), st.integers(1, 4), st.integers(2, 4), st.sampled_from(("exact", "mch"))
)
def test_random_trees_against_the_definition(seed, depth, resources, method):
    hierarchy = generate(
        depth, seed=seed, fanout=(1, 3), resources=resources, partial=0.4, weight=(0.2, 5)
    )
    _same_as_plain(fair(hierarchy, method))


@pytest.mark.parametrize("seed", range(5))
def test_whole_tasks_against_the_definition(seed):
    _same_as_plain(fair(generate(3, seed=seed, fanout=(1, 3), partial=0.4), "hdrf"))


def _same_as_plain(allocation):
    for i, path in enumerate(allocation.hierarchy.paths):
        if allocation.bottleneck[i] == SATISFIED:
            continue
        answer, plain = why(allocation, path), plain_holders(allocation, path)
        assert {full.resource for full in answer.full_resources} == set(plain)
        for full in answer.full_resources:
            for found, expected in (
                (full.leaves, plain[full.resource]["leaves"]),
                (full.groups, plain[full.resource]["groups"]),
            ):
                assert {h.node: h.used for h in found} == pytest.approx(expected)
        everybody = {leaf for held in plain.values() for leaf in held["leaves"]}
        assert {rival.leaf for rival in answer.rivals} == everybody


def test_limits_that_bear_on_the_leaf_are_named():
    limits = [
        DroppedLimit("eng", "maxResources", "9 mb"),
        DroppedLimit("ads", "minResources", "7 mb"),
        DroppedLimit("*", "queueMaxAppsDefault", "5"),
        DroppedLimit("eng/dev", "maxRunningApps", "3"),
    ]
    answer = why(fair(replace(documented(), dropped_limits=tuple(limits))), "eng/dev")
    assert answer.dropped_limits == (limits[0], limits[2], limits[3])
    assert "NOT in this share" in str(answer)
    assert "  eng/dev: maxRunningApps = 3" in str(answer)
