"""Exact shares under guarantees and limits: worked cases, independent references, properties."""

import json
from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest
from quota_trees import INF, eng_and_ads, group, leaf, quota_tree, random_quota_tree

from slotwise.core.errors import InputError
from slotwise.heuristics.hierarchy import fair
from slotwise.heuristics.hierarchy.exact import exact
from slotwise.instances.hierarchy.checker import check_allocation
from slotwise.instances.hierarchy.hierarchy import Hierarchy
from slotwise.instances.hierarchy.nodes import Group, Leaf

TWO = {"cpu": 1, "memory": 1}


def tasks(tree, **parameters):
    allocation = exact(tree, **parameters)
    assert check_allocation(allocation).valid, check_allocation(allocation).violations
    return dict(zip(tree.paths, allocation.tasks.tolist(), strict=True))


@pytest.mark.parametrize(
    ("surplus", "shares"),
    [
        # 6 are left above the guarantee, for weights 1 : 1 : 2.
        ("above", {"a": 7.5, "b": 1.5, "c": 3}),
        # In total a has more than 12/4 already; 6 are left for weights 1 : 2.
        ("total", {"a": 6, "b": 2, "c": 4}),
    ],
)
def test_what_weights_divide(surplus, shares):
    tree = quota_tree(12, leaf("a", guarantee=6), leaf("b"), leaf("c", 2), surplus=surplus)
    assert tasks(tree) == pytest.approx(shares)


def test_a_guarantee_is_a_promise_of_the_cluster():
    inner = group("A", leaf("c", guarantee=7), leaf("d"))
    assert tasks(quota_tree(10, leaf("x"), inner, surplus="total")) == pytest.approx(
        {"x": 3, "A/c": 7, "A/d": 0}
    )


def test_a_group_at_its_limit_leaves_the_rest_to_others():
    tree = quota_tree(10, group("A", leaf("a"), leaf("b"), limit=3), leaf("B"))
    assert tasks(tree) == pytest.approx({"A/a": 1.5, "A/b": 1.5, "B": 7})


def test_a_small_weight_beside_a_great_one_is_not_forgotten():
    # b stops at its limit; a, with 10^-18 of its weight, rises to what is left, not to its limit.
    tree = quota_tree(1, leaf("a", 1e-9, limit=5), leaf("b", 1e9, limit=1e-6))
    assert tasks(tree) == pytest.approx({"a": 1 - 1e-6, "b": 1e-6}, rel=1e-12)


def test_what_is_reserved_lies_idle():
    # Without the reserve b would have 9.
    children = leaf("a", tasks=1, reserve=4, guarantee=6), leaf("b", guarantee=2)
    assert tasks(quota_tree(10, *children)) == pytest.approx({"a": 1, "b": 6})


def test_weight_0_takes_what_others_leave():
    # a wants 3 of 10; of the other 7, c wants 2.
    tree = quota_tree(10, leaf("a", tasks=3), leaf("b", 0), leaf("c", 0, tasks=2))
    assert tasks(tree) == pytest.approx({"a": 3, "b": 5, "c": 2})


def test_higher_priorities_take_the_surplus_first():
    tree = quota_tree(
        6, leaf("a", 100, 6, guarantee=2, priority=1), leaf("b", 1, 6, guarantee=2, priority=2)
    )
    assert tasks(tree) == pytest.approx({"a": 2, "b": 4})


def two_resources(**quota):
    both = group("A", leaf("a", demand={"cpu": 1}), leaf("b", demand={"memory": 1}), **quota)
    return quota_tree(TWO, leaf("B", demand=TWO), both)


@pytest.mark.parametrize(
    ("quota", "shares"),
    [
        ({}, [0.5, 0.5, 0.5]),
        # Only a could use the cpu that its limit leaves idle.
        ({"limit": {"cpu": 0.2}}, [0.5, 0.2, 0.5]),
        ({"guarantee": {"cpu": 0.6, "memory": 0.6}}, [0.2, 0.8, 0.8]),
        # Guaranteed .6 and .2; .4 of cpu is left for B and A, .2 each; b takes .6 of memory.
        ({"guarantee": {"cpu": 0.6, "memory": 0.2}}, [0.2, 0.8, 0.8]),
    ],
)
def test_two_resources(quota, shares):
    tree = two_resources(**quota)
    assert list(tasks(tree).values()) == pytest.approx(shares)


def test_a_guarantee_of_one_resource_gives_nothing_to_who_needs_another():
    tree = quota_tree(
        {"cpu": 10, "memory": 10},
        leaf("a", demand={"cpu": 1, "memory": 1}, guarantee={"cpu": 8}),
        leaf("b", demand={"cpu": 1, "memory": 1}),
    )
    assert exact(tree).guaranteed_tasks.tolist() == [0, 0]
    assert tasks(tree) == pytest.approx({"a": 5, "b": 5})


def test_what_comes_with_a_guarantee_leaves_reserves_of_others_alone():
    # a's 1.9 GB would take 5.7 of the 6 cpu, of which 1 is kept for b: 5 cpu, 5/3 tasks. The rest
    # of 10 GB is b's, which needs no cpu: 25/3 GB, 25/9 tasks.
    a = Leaf("a", {"memory": 1, "cpu": 3}, guarantee={"memory": 1.9})
    b = Leaf("b", {"memory": 3}, guarantee={"cpu": 1}, reserve={"cpu": 1})
    for surplus in ("above", "total"):
        tree = Hierarchy.from_tree(
            {"memory": 10, "cpu": 6}, Group("root", [a, b]), surplus=surplus, shares="memory"
        )
        allocation = exact(tree)
        assert allocation.tasks == pytest.approx([5 / 3, 25 / 9])
        assert check_allocation(allocation).valid


def test_one_named_resource_counts_and_all_are_limited():
    # By memory alone a and b have 5 each; the cpu is full when b runs 3: then a takes the rest.
    tree = quota_tree(
        {"cpu": 9, "memory": 10},
        leaf("a", demand={"memory": 1}),
        leaf("b", demand={"memory": 1, "cpu": 3}),
        shares="memory",
    )
    assert tasks(tree) == pytest.approx({"a": 7, "b": 3})
    with pytest.raises(InputError, match="leaf 'a': needs no cpu, the one resource that"):
        exact(replace(tree, quotas=replace(tree.quotas, shares="cpu")))


def test_each_resource_for_itself():
    # cpu 6 : 6 and memory 6 : 6; a runs 3 tasks of 2 memory, b 3 of 2 cpu.
    tree = quota_tree(
        {"cpu": 12, "memory": 12},
        leaf("a", demand={"cpu": 1, "memory": 2}),
        leaf("b", demand={"cpu": 2, "memory": 1}),
        shares="each",
    )
    assert tasks(tree) == pytest.approx({"a": 3, "b": 3})


def test_more_promised_than_there_is():
    tree = quota_tree(10, leaf("a", guarantee=9), leaf("b", guarantee=6))
    with pytest.raises(
        InputError, match=r"^guarantees of a 9 \+ b 6 = 15 cpu, the capacity is 10$"
    ):
        exact(tree)
    assert tasks(tree, scale_guarantees=True) == pytest.approx({"a": 6, "b": 4})
    kept = quota_tree(10, leaf("a", guarantee=9, reserve=9), leaf("b", guarantee=6, reserve=6))
    assert tasks(kept, scale_guarantees=True) == pytest.approx({"a": 6, "b": 4})
    assert fair(kept, scale_guarantees=True).nodes.taken[0] == pytest.approx([10])
    # What is not wanted need not fit.
    less = quota_tree(10, leaf("a", tasks=2, guarantee=9), leaf("b", guarantee=6))
    assert tasks(less) == pytest.approx({"a": 2, "b": 8})
    inner = group("eng", leaf("dev", guarantee=30), leaf("test", guarantee=20), limit=40)
    with pytest.raises(
        InputError, match=r"^eng: guarantees of dev 30 \+ test 20 = 50 cpu, limit 40$"
    ):
        exact(quota_tree(100, inner))


def test_methods_that_know_no_limits_refuse_them():
    with pytest.raises(InputError, match="'mch' knows no guarantees and limits"):
        fair(eng_and_ads(), "mch")
    assert fair(eng_and_ads(), ignore_limits=True).hierarchy.quotas is None


def random_trees(count, seed, resources, **options):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        tree = random_quota_tree(rng, resources, **options)
        try:
            yield tree, exact(tree)
        except InputError:
            continue


@pytest.mark.parametrize("surplus", ["above", "total"])
def test_several_resources_pass_the_checker(surplus):
    for tree, allocation in random_trees(60, 2, 2, surplus=surplus, classes=True):
        assert check_allocation(allocation).valid, (tree, check_allocation(allocation).violations)


def test_without_limits_as_by_weights():
    for tree, allocation in random_trees(80, 3, 3, limits=0, guarantees=0):
        by_weights = exact(replace(tree, quotas=None))
        assert allocation.share == pytest.approx(by_weights.share, abs=1e-9)


def unit_by_unit(tree, units):
    """One resource in small units, each to the child with tasks left and the least level."""
    quotas, unit = tree.quotas, tree.capacity[0] / units
    children = [np.flatnonzero(tree.parent == n).tolist() for n in range(tree.nodes)]
    most = np.zeros(tree.nodes)
    most[tree.leaf] = tree.tasks * tree.demand[:, 0]
    low = quotas.guarantee[:, 0].copy()
    for n in range(tree.nodes - 1, -1, -1):
        if children[n]:
            most[n] = sum(most[c] for c in children[n])
            low[n] = max(low[n], sum(low[c] for c in children[n]))
        most[n] = min(most[n], quotas.limit[n, 0])
        low[n] = min(low[n], most[n])
    have = np.zeros(tree.nodes)

    def key(n):
        if have[n] < low[n] - unit / 2:
            return 0, have[n] / low[n]
        begin = 0.0 if quotas.surplus == "total" else low[n]
        return 1, (have[n] - begin) / tree.weight[n]

    for _ in range(units):
        n, way = 0, []
        while children[n]:
            open_ = [c for c in children[n] if have[c] < most[c] - unit / 2]
            if not open_:
                break
            n = min(open_, key=key)
            way.append(n)
        if children[n]:
            break
        have[way] += unit
    return have[tree.leaf] / tree.demand[:, 0]


def test_one_resource_unit_by_unit():
    for tree, allocation in random_trees(12, 4, 1, nodes=8):
        units = 1000
        given = unit_by_unit(tree, units)
        slack = 4 * tree.capacity[0] / units
        assert allocation.tasks * tree.demand[:, 0] == pytest.approx(
            given * tree.demand[:, 0], abs=slack * 2
        )


def test_properties():
    rng = np.random.default_rng(5)
    for tree, allocation in random_trees(40, 6, 2):
        quotas, tasks_now = tree.quotas, allocation.tasks
        # All amounts in other units.
        scaled = replace(
            tree,
            capacity=tree.capacity * 3,
            demand=tree.demand * 3,
            quotas=replace(
                quotas,
                guarantee=quotas.guarantee * 3,
                limit=quotas.limit * 3,
                reserve=quotas.reserve * 3,
            ),
        )
        assert exact(scaled).tasks == pytest.approx(tasks_now, abs=1e-9)
        # A leaf with more tasks never has less.
        i = int(rng.integers(tree.leaves))
        more = tree.tasks.copy()
        more[i] += 1
        with suppress(InputError):  # What it was promised, it wants now.
            assert exact(replace(tree, tasks=more)).tasks[i] >= tasks_now[i] - 1e-9


def test_the_checker_notices():
    allocation = exact(eng_and_ads())
    moved = replace(allocation, tasks=allocation.tasks + np.array([1.0, -1.0, 0.0]))
    assert "has less for its weight" in " ".join(check_allocation(moved).violations)
    over = replace(allocation, tasks=allocation.tasks + np.array([1.0, 0.0, 0.0]))
    assert "queue 'eng': 41 of cpu, more than its limit of 40" in check_allocation(over).violations
    idle = replace(allocation, tasks=allocation.tasks - np.array([0.0, 1.0, 0.0]))
    assert check_allocation(idle).violations


def tree_of_shares(case):
    below, resource = {}, case["resource"]
    for node in case["nodes"]:
        below.setdefault(node.get("parent"), []).append(node)

    def built(node):
        amounts = {
            what: {resource: node[name]}
            for what, name in (("guarantee", "min"), ("limit", "max"))
            if name in node
        }
        quota = {**amounts, "priority": node.get("priority", 0)}
        weight = node.get("weight", 1)
        if node["name"] in below:
            inside = [built(child) for child in below[node["name"]]]
            return Group(node["name"], inside, weight, **quota)
        return Leaf(node["name"], {resource: 1}, weight, node.get("demand", INF), **quota)

    root = Group("root", [built(node) for node in below[None]])
    surplus = case["rule"]["form"]
    return Hierarchy.from_tree({resource: case["capacity"]}, root, surplus=surplus)


def test_public_cases_of_shares(traces):
    """What tests of YARN, Kueue, Volcano and KAI expect, or what is exact where they differ."""
    every = json.loads((traces / "fairshare" / "limits_cases.json").read_text())["cases"]
    cases = [case for case in every if case["kind"] == "shares"]
    assert sum(case["exact_reproduces"] for case in cases) == 49
    for case in cases:
        tree = tree_of_shares(case)
        used = exact(tree, scale_guarantees=True).nodes.used[:, 0].tolist()
        by_name = dict(
            zip((path.rsplit("/", 1)[-1] for path in tree.node_paths), used, strict=True)
        )
        expected = case["expected"] if case["exact_reproduces"] else case["exact_gives"]
        for name, amount in expected.items():
            assert by_name[name] == pytest.approx(amount, abs=case["tolerance"]), case["id"]
