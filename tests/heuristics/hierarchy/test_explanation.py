"""Why a leaf has the share it has."""

from dataclasses import replace

import numpy as np
import pytest
from quota_trees import leaf as quota_leaf
from quota_trees import quota_tree
from trees import broken_guarantee, figure_4, leaf, tree

from slotwise.core.errors import InputError
from slotwise.heuristics.hierarchy import fair
from slotwise.heuristics.hierarchy.questions import why
from slotwise.instances.hierarchy.allocation import SATISFIED, UNKNOWN
from slotwise.instances.hierarchy.generators.mch import generate
from slotwise.instances.hierarchy.nodes import DroppedLimit, Group


def test_a_leaf_of_figure_4():
    answer = why(fair(figure_4()), "n2/n21")
    assert answer.dominant_share == pytest.approx(1 / 6)
    assert answer.guarantee == pytest.approx(1 / 9)
    assert answer.steps == ("weight 1 of 3 in n2", "n2 1 of 3 below root")
    assert answer.limited_by == ("capacity:c",)
    # Those who use the CPU, the largest users first; n12 and n23 would lose nothing.
    assert [held.node for held in answer.can_give] == ["n1/n11", "n3/n31", "n2/n22"]
    assert answer.used["c"] + sum(held.amount for held in answer.can_give) == pytest.approx(200)
    text = str(answer)
    assert "Guaranteed 11.11 % of all by weights (weight 1 of 3 in n2; n2 1 of 3" in text
    assert "Limited by the cluster: c is full." in text


def test_a_broken_guarantee_is_said_aloud():
    answer = why(fair(broken_guarantee(), "mch"), "a")
    assert not answer.met
    assert "which it does NOT have" in str(answer)
    assert "capacity:m" in answer.limited_by
    assert answer.trials == ()  # They are of exact shares.


def test_all_tasks_run():
    answer = why(fair(tree(leaf("a", 1, 0, tasks=0.25), leaf("b", 1, 0))), "a")
    assert (answer.limited_by, answer.can_give) == (("tasks",), ())
    assert "all of them run" in str(answer)
    assert "Guaranteed 50 % of all" in str(answer)
    assert "more than its tasks need" in str(answer)


def test_whole_tasks_need_not_fill_a_guarantee():
    # Three tasks of 0.3 fill 0.9; each leaf is guaranteed 1/3.
    leaves = [leaf(name, 0.3, 0) for name in "abc"]
    answer = why(fair(tree(*leaves), "hdrf"), "a")
    assert answer.met
    assert "in which no further whole task fits" in str(answer)
    assert "Limited by the cluster: c has no room for another of its tasks" in str(answer)


def test_alone():
    assert "only more of it would help" in str(why(fair(tree(leaf("a", 1, 0))), "a"))


def test_an_allocation_from_elsewhere():
    allocation = replace(fair(documented()), bottleneck=np.full(3, UNKNOWN))
    assert set(why(allocation, "eng/dev").limited_by) == {"capacity:c", "capacity:m"}
    half = replace(allocation, tasks=allocation.tasks / 2)
    assert "The cluster is not full: c 50 %, m 50 %." in str(why(half, "eng/dev"))


def test_inactive():
    hierarchy = tree(Group("g", [leaf("a", 1, 0, tasks=0)]), leaf("b", 1, 0))
    assert "guaranteed nothing" in str(why(fair(hierarchy), "g/a"))


def test_unknown_node():
    with pytest.raises(InputError, match="no node 'n21': there is 'n2/n21'"):
        why(fair(figure_4()), "n21")


def test_ten_percent_more_than_no_weight_is_no_question():
    tree = quota_tree(10, quota_leaf("a", 0), quota_leaf("b"))
    said = [trial.said for trial in why(fair(tree), "a").trials]
    assert "Weight +1" in said
    assert not any("10 % more" in each for each in said)


def documented():
    """The tree of docs/heuristics/fairness.md."""
    return tree(
        Group("eng", [leaf("dev", 1, 2, tasks=2000), leaf("test", 1, 0, weight=0.5)], weight=2),
        leaf("ads", 0, 4),
        capacity=(200, 200),
    )


@pytest.mark.parametrize("method", ["exact", "mch", "hdrf"])
@pytest.mark.parametrize("seed", range(20))
def test_all_who_hold_what_is_full_are_named(seed, method):
    hierarchy = generate(
        1 + seed % 4, seed=seed, fanout=(1, 3), resources=2 + seed % 3, partial=0.4,
        weight=(0.2, 5),
    )  # fmt: skip
    allocation = fair(hierarchy, method)
    for i, path in enumerate(hierarchy.paths):
        if allocation.bottleneck[i] == SATISFIED:
            continue
        expected = set()
        for j, resource in enumerate(hierarchy.resources):
            part = allocation.tasks * hierarchy.demand[:, j] / hierarchy.capacity[j]
            need = hierarchy.demand[i, j] / hierarchy.capacity[j]
            if need > 0 and 1 - part.sum() < (need if allocation.whole else 0) + 1e-9:
                others = set(np.flatnonzero(part > 1e-9).tolist()) - {i}
                expected |= {(hierarchy.paths[k], resource) for k in others}
        found = why(allocation, path).can_give
        assert {(held.node, held.resource) for held in found} == expected


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
