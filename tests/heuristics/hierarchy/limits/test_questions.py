"""Why, what if, admission and comparison of hierarchies with guarantees and limits."""

from dataclasses import replace
from itertools import chain, combinations

import numpy as np
import pytest
from quota_trees import eng_and_ads, group, leaf, quota_tree, random_quota_tree

from slotwise.core.errors import InputError
from slotwise.heuristics.hierarchy.exact import exact
from slotwise.heuristics.hierarchy.explanation import why
from slotwise.heuristics.hierarchy.limits import comparison as comparing
from slotwise.heuristics.hierarchy.limits.admission import admission
from slotwise.heuristics.hierarchy.limits.comparison import compare_hierarchies
from slotwise.heuristics.hierarchy.limits.reclaim import TAKES_BACK
from slotwise.heuristics.hierarchy.limits.schedulers import SCHEDULERS
from slotwise.heuristics.hierarchy.limits.what_if import what_if
from slotwise.heuristics.hierarchy.limits.why_node import why_node
from slotwise.instances.hierarchy.hierarchy import Hierarchy


def test_why_a_leaf():
    # eng has 40: dev 30, test 10; without the limit eng would have 55.
    text = str(why_node(exact(eng_and_ads()), "eng/dev"))
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
    lines = str(why_node(exact(tree), "a")).splitlines()
    no = "Minimum +1 cpu: not possible: node 'a': guarantee 41 of cpu, more than its limit 40."
    assert no in lines
    assert "Maximum +1 cpu: +1 cpu; gives way: b -1 cpu." in lines


def test_why_a_group_and_who_has_all_its_tasks():
    allocation = exact(eng_and_ads())
    group_text = str(why_node(allocation, "eng"))
    assert "Guaranteed 25 cpu by guarantees" in group_text
    assert "Maximum +1 cpu: +1 cpu." in group_text
    assert "Limited by its tasks: all of them run." in str(why_node(allocation, "ads"))
    with pytest.raises(InputError, match="no node 'en'"):
        why_node(allocation, "en")


def test_who_can_take_back_what_is_borrowed():
    # x has 60: its guarantee of 20, and 40 of those that a (30, uses 10) and G (30, uses 10) lend.
    lenders = leaf("a", 1, 10, guarantee=30), group("G", leaf("b", 1, 10, guarantee=15),
                                                    leaf("c", 1, 0), guarantee=30)  # fmt: skip
    tree = quota_tree(80, leaf("x", guarantee=20), *lenders)
    allocation = exact(tree)
    answer = why(allocation, "x", on="kueue")
    assert answer.reclaims[0].owners == {"a": 20, "G": 15, "G/b": 5}
    text = str(answer).splitlines()
    assert (
        "Borrows 40 cpu above what it is guaranteed; who wants what is guaranteed to it can take "
        "it back: a up to 20, G up to 15 and G/b up to 5."
    ) in text
    assert any(line.startswith("kueue takes it back only if the queue") for line in text)
    assert why(allocation, "a").reclaims == ()
    with pytest.raises(InputError, match="unknown scheduler 'borg'"):
        why(allocation, "x", on="borg")


def test_every_scheduler_tells_whether_it_takes_back():
    assert TAKES_BACK.keys() == SCHEDULERS.keys()


def test_what_if():
    answer = what_if(eng_and_ads(), ["eng:limit.cpu=60", "ads:tasks=10"])
    after = {change.node: change.after for change in answer.changes}
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


def cohort():
    """Quotas 6 and 4 of 10, b lends at most 3, and a borrows at most 2."""
    return quota_tree(
        10, leaf("a", guarantee=6, limit=8), leaf("b", guarantee=4, reserve=1), leaf("c")
    )


@pytest.mark.parametrize(
    ("asked", "use", "answer", "named"),
    [
        ({"cpu": 6}, {}, "now", ()),
        ({"cpu": 2}, {"a": {"cpu": 6}}, "now, by borrowing", ("b",)),
        # c took what a is guaranteed; a takes 3 of it back.
        ({"cpu": 4}, {"a": {"cpu": 2}, "c": {"cpu": 6}}, "by reclaiming", ("c",)),
        ({"cpu": 2}, {"a": {"cpu": 6}, "b": {"cpu": 3}}, "later", ()),
        ({"cpu": 9}, {}, "never", ()),
    ],
)
def test_admission(asked, use, answer, named):
    found = admission(cohort(), "a", asked, use)
    assert found.answer == answer
    assert tuple(each.node for each in found.lenders + found.borrowers) == named
    assert bool(found.says_no) == (answer in ("by reclaiming", "later", "never"))


def test_the_limit_that_says_no_is_named():
    assert admission(cohort(), "a", {"cpu": 9}, {}).says_no == (
        "the limit of a, 8 cpu, of which 0 is taken",
    )


def leaf_shares(tree, busy):
    full = np.where(tree.tasks > 0, tree.tasks, np.inf)
    tasks = np.where([path in busy for path in tree.paths], full, 0.0)
    allocation = exact(replace(tree, tasks=tasks))
    return dict(zip(tree.paths, allocation.share.tolist(), strict=True))


@pytest.mark.parametrize("resources", [1, 2])
def test_worst_losses_are_those_of_all_sets(resources):
    rng = np.random.default_rng(7)
    compared = 0
    while compared < 4:
        first = random_quota_tree(rng, resources, nodes=8, guarantees=0.1)
        second = random_quota_tree(rng, resources, nodes=8, guarantees=0.1)
        common = sorted(set(first.paths) & set(second.paths))
        if len(common) < 2:
            continue
        try:
            found = {leaf.leaf: leaf for leaf in compare_hierarchies(first, second).leaves}
        except InputError:
            continue
        if sorted(found) != common:
            continue  # Some belong together by name alone.
        compared += 1
        loss = dict.fromkeys(common, 0.0)
        for busy in chain.from_iterable(combinations(common, k + 1) for k in range(len(common))):
            try:
                one, two = leaf_shares(first, busy), leaf_shares(second, busy)
            except InputError:
                break
            for path in busy:
                loss[path] = max(loss[path], one[path] - two[path])
        else:
            losses = {path: found[path].worst_loss for path in common}
            assert losses == pytest.approx(loss, abs=1e-9)


def two_of_one_shape(rng, leaves, groups):
    """Two trees of one shape with other weights: groups in groups, and leaves anywhere in them."""
    parent = [-1]
    for _ in range(groups):
        parent.append(int(rng.integers(0, len(parent))))
    inner = len(parent)
    parent += [*range(inner), *rng.integers(0, inner, leaves - inner).tolist()]
    tree = Hierarchy(
        resources=("cpu",),
        capacity=np.array([100.0]),
        names=tuple(f"n{n}" for n in range(len(parent))),
        parent=np.array(parent),
        weight=rng.integers(1, 5, len(parent)).astype(float),
        leaf=np.arange(inner, len(parent)),
        demand=np.ones((leaves, 1)),
        tasks=np.full(leaves, np.inf),
    )
    return tree, replace(tree, weight=rng.integers(1, 5, len(parent)).astype(float))


def test_worst_ratios_in_closed_form_are_those_of_all_sets(monkeypatch):
    rng = np.random.default_rng(8)
    for _ in range(3):
        pair = two_of_one_shape(rng, 9, 3)
        by_form = compare_hierarchies(*pair)
        with monkeypatch.context() as context:
            context.setattr(comparing, "weights_only", lambda *_: False)
            by_sets = compare_hierarchies(*pair)
        assert by_form.every_set
        assert by_sets.ratio_by == "every set"
        for one, two in zip(by_form.leaves, by_sets.leaves, strict=True):
            assert one.worst_ratio == pytest.approx(two.worst_ratio, abs=1e-9)
            shares = [leaf_shares(tree, one.ratio_with)[one.leaf] for tree in pair]
            assert shares[1] / shares[0] == pytest.approx(one.worst_ratio)


def test_worst_ratios_of_many_leaves(monkeypatch):
    monkeypatch.setattr(comparing, "MOST_SEARCHED", 0)
    pair = two_of_one_shape(np.random.default_rng(9), 60, 8)
    comparison = compare_hierarchies(*pair)
    assert comparison.ratio_by == "closed form"
    for each in comparison.leaves:
        assert 0 <= each.worst_loss <= each.loss_at_most <= 1 - each.worst_ratio + 1e-9


def test_a_flat_tree_with_the_same_percentages_is_not_the_same():
    nested = quota_tree(100, group("eng", leaf("dev", 3), leaf("test")), leaf("ads", 4))
    flat = quota_tree(100, leaf("dev", 15), leaf("test", 5), leaf("ads", 80))
    found = {each.leaf: each for each in compare_hierarchies(nested, flat).leaves}
    assert found["eng/dev"].all_busy == pytest.approx((0.15, 0.15))
    # Alone with ads, dev has 1/5 of the tree and 15/95 of the flat one.
    assert found["eng/dev"].worst_loss == pytest.approx(1 / 5 - 15 / 95)
    assert found["eng/dev"].worst_with == ("eng/dev", "ads")
    assert not compare_hierarchies(nested, flat).harmless(0.001)
    assert compare_hierarchies(nested, nested).harmless(0)


def test_a_lost_queue_is_told():
    smaller = quota_tree(100, leaf("ads", 4))
    comparison = compare_hierarchies(eng_and_ads(), smaller)
    assert comparison.only_first == ("eng/dev", "eng/test")
    assert not comparison.harmless(1)


def test_all_sets_of_leaves_that_need_several_resources():
    two = {"cpu": 10, "memory": 10}
    leaves = [leaf(f"l{i}", 1 + i % 3, demand={"cpu": 1 + i % 2, "memory": 1}) for i in range(13)]
    nested = quota_tree(two, group("A", *leaves[:6]), group("B", *leaves[6:]))
    comparison = compare_hierarchies(nested, quota_tree(two, *leaves))
    assert comparison.every_set
    for each in comparison.leaves[:3]:
        busy = {path.rsplit("/", 1)[-1] for path in each.worst_with}
        before = leaf_shares(nested, each.worst_with)[each.leaf]
        after = leaf_shares(quota_tree(two, *leaves), busy)[each.leaf.rsplit("/", 1)[-1]]
        assert before - after == pytest.approx(each.worst_loss)


def test_many_leaves_are_searched_and_bounded():
    rng = np.random.default_rng(3)
    weights = rng.integers(1, 9, 24)
    nested = quota_tree(
        100,
        *(
            group(f"g{k}", *(leaf(f"l{i}", int(weights[i])) for i in range(6 * k, 6 * k + 6)))
            for k in range(4)
        ),
    )
    flat = quota_tree(100, *(leaf(f"l{i}", int(weights[i])) for i in range(24)))
    comparison = compare_hierarchies(nested, flat)
    assert not comparison.every_set
    assert comparison.ratio_by == "search"
    for each in comparison.leaves:
        assert 0 <= each.worst_loss <= each.loss_at_most
