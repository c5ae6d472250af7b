"""Why and what if of hierarchies with guarantees and limits."""

import pytest
from quota_trees import eng_and_ads, group, leaf, quota_tree

from slotwise.core.errors import InputError
from slotwise.heuristics.hierarchy.exact import exact
from slotwise.heuristics.hierarchy.questions import what_if, why


def test_why_a_leaf():
    # eng has 40: dev 30, test 10; without the limit eng would have 55.
    text = str(why(exact(eng_and_ads()), "eng/dev"))
    assert text.splitlines() == [
        "eng/dev: cpu 30 of 100 (30 %)",
        "Guaranteed 20 cpu by its own minimum; by weights alone 15 cpu (weight 3 of 4 in eng; "
        "eng 1 of 5 below root).",
        "Limited by the maximum of eng: 40 cpu, full.",
        "The cluster is not full: cpu 85 %.",
        "Hold what it needs: eng/test 10 cpu (guaranteed 5, so 5 can be taken back).",
        "Borrows 10 cpu above what it is guaranteed; nobody else's guarantee lies idle.",
        # 40 * 3.3/4.3 - 30 = .698
        "If its weight were 10 % more: +0.698 cpu; gives way: eng/test -0.698 cpu.",
        "Weight +1: +2 cpu; gives way: eng/test -2 cpu.",
        "Minimum +1 cpu: no change.",
        "Maximum of eng +1 cpu: +0.75 cpu; gains: eng/test +0.25 cpu.",
    ]


def test_why_where_a_minimum_has_no_room():
    tree = quota_tree(100, leaf("a", guarantee=40, limit=40), leaf("b"))
    lines = str(why(exact(tree), "a")).splitlines()
    no = "Minimum +1 cpu: not possible: node 'a': guarantee 41 of cpu, more than its limit 40."
    assert no in lines
    assert "Maximum +1 cpu: +1 cpu; gives way: b -1 cpu." in lines


def test_why_a_group_and_who_has_all_its_tasks():
    allocation = exact(eng_and_ads())
    group_text = str(why(allocation, "eng"))
    assert "Guaranteed 25 cpu by guarantees" in group_text
    assert "Maximum +1 cpu: +1 cpu." in group_text
    assert "Limited by its tasks: all of them run." in str(why(allocation, "ads"))
    with pytest.raises(InputError, match="no node 'en'"):
        why(allocation, "en")


def test_who_can_take_back_what_is_borrowed():
    # x has 60: its guarantee of 20, and 40 of those that a (30, uses 10) and G (30, uses 10) lend.
    lenders = leaf("a", 1, 10, guarantee=30), group("G", leaf("b", 1, 10, guarantee=15),
                                                    leaf("c", 1, 0), guarantee=30)  # fmt: skip
    tree = quota_tree(80, leaf("x", guarantee=20), *lenders)
    allocation = exact(tree)
    answer = why(allocation, "x")
    assert answer.borrows[0].owners == {"a": 20, "G": 15, "G/b": 5}
    text = str(answer).splitlines()
    assert (
        "Borrows 40 cpu above what it is guaranteed; who wants what is guaranteed to it can take "
        "it back: a up to 20, G up to 15 and G/b up to 5."
    ) in text
    assert why(allocation, "a").borrows == ()


def test_what_if():
    answer = what_if(eng_and_ads(), ["eng:limit.cpu=60", "ads:tasks=10"])
    after = {node: after for node, _, _, after in answer.changes}
    assert after == pytest.approx({"eng": 60, "eng/dev": 45, "eng/test": 15, "ads": 10})


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ("eng", "need NODE:FIELD=VALUE"),
        ("en:weight=1", "no node 'en'"),
        ("eng:color=1", "unknown field 'color'"),
        ("eng:limit=1", "which resource"),
        ("eng:limit.gpu=1", r"Choose from limit\.cpu"),
        ("eng:weight=-1", "need a number >= 0, got '-1'"),
        ("eng:weight=x", "need a number >= 0, got 'x'"),
        ("eng:priority=1.5", "need a whole number"),
        ("eng:tasks=1", "a group has no tasks"),
        ("eng/dev:guarantee.cpu=50", "eng: guarantees of dev 50"),
    ],
)
def test_what_if_refuses(said, message):
    with pytest.raises(InputError, match=message):
        what_if(eng_and_ads(), [said])
