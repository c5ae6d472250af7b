"""Why a leaf has the share it has."""

import pytest
from trees import broken_guarantee, figure_4, leaf, tree

from slotwise.heuristics.fairness import allocate
from slotwise.heuristics.fairness.why import why
from slotwise.instances.errors import InputError
from slotwise.instances.hierarchy import Group


def test_a_leaf_of_figure_4():
    answer = why(allocate(figure_4()), "n2/n21")
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
    answer = why(allocate(broken_guarantee(), "mch"), "a")
    assert not answer.met
    assert "Guaranteed 50 %, which it does NOT have" in str(answer)
    assert answer.limited_by == "m"


def test_all_tasks_run():
    answer = why(allocate(tree(leaf("a", 1, 0, tasks=0.25), leaf("b", 1, 0))), "a")
    assert (answer.limited_by, answer.task_limit, answer.rivals) == ("tasks", 0.25, ())
    assert "all of them run" in str(answer)


def test_alone():
    assert "only more capacity would help" in str(why(allocate(tree(leaf("a", 1, 0))), "a"))


def test_inactive():
    hierarchy = tree(Group("g", [leaf("a", 1, 0, tasks=0)]), leaf("b", 1, 0))
    assert "guaranteed nothing" in str(why(allocate(hierarchy), "g/a"))


def test_unknown_leaf():
    with pytest.raises(InputError, match="no leaf 'n21': there is 'n2/n21'"):
        why(allocate(figure_4()), "n21")
