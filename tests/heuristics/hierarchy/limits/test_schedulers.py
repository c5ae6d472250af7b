"""What schedulers give by their own rules: cases from their own tests, and where they differ."""

import json

import numpy as np
import pytest
from quota_trees import INF, eng_and_ads, group, leaf, quota_tree, random_quota_tree

from slotwise.core.errors import InputError
from slotwise.heuristics.hierarchy.limits.admission import admission
from slotwise.heuristics.hierarchy.limits.schedulers import on_scheduler
from slotwise.instances.hierarchy.building import hierarchy
from slotwise.instances.hierarchy.plain_tree import Group, Leaf, Quota, Sharing


@pytest.fixture
def cases(traces):
    every = json.loads((traces / "fairshare" / "limits_cases.json").read_text())["cases"]

    def of_kind(kind):
        found = [case for case in every if case["kind"] == kind]
        assert found
        return found

    return of_kind


def children_of(case):
    below = {}
    for node in case["nodes"]:
        below.setdefault(node.get("parent"), []).append(node)
    return below


def tree_of_shares(case):
    below, resource = children_of(case), case["resource"]

    def built(node):
        amounts = {
            what: {resource: node[name]}
            for what, name in (("guarantee", "min"), ("limit", "max"))
            if name in node
        }
        quota = Quota(**amounts, priority=node.get("priority", 0))
        weight = node.get("weight", 1)
        if node["name"] in below:
            inside = [built(child) for child in below[node["name"]]]
            return Group(node["name"], inside, weight, quota)
        return Leaf(node["name"], {resource: 1}, weight, node.get("demand", INF), quota)

    root = Group("root", [built(node) for node in below[None]])
    return hierarchy({resource: case["capacity"]}, root, sharing=Sharing(case["rule"]["form"]))


def test_public_cases_of_shares(cases):
    for case in cases("shares"):
        tree = tree_of_shares(case)
        given = on_scheduler(tree, case["scheduler"])
        by_name = {
            path.rsplit("/", 1)[-1]: given.amount[n, 0] for n, path in enumerate(tree.node_paths)
        }
        expected = case["expected"] if case["rule_reproduces"] else case["rule_gives"]
        for name, amount in expected.items():
            assert by_name[name] == pytest.approx(amount, abs=case["tolerance"]), case["id"]


def test_public_cases_of_room(cases):
    """Kueue's borrowing and lending limits: what a queue can get now, and at most."""
    for case in cases("room with borrowing and lending limits"):
        below, use = children_of(case), {}

        def quota_of(node, below=below):
            inside = below.get(node["name"], [])
            return node["nominal"] + sum(quota_of(child) for child in inside)

        def built(node, below=below, use=use, quota_of=quota_of):
            own = quota_of(node)
            kept = 0 if node["lend"] is None else max(0, own - node["lend"])
            limit = {} if node["borrow"] is None else {"cpu": own + node["borrow"]}
            quota = Quota({"cpu": own}, limit, {"cpu": kept})
            use[node["name"]] = node["usage"]
            if node.get("cohort"):
                bank = Leaf("own", {"cpu": 1}, 1, 0, Quota({"cpu": node["nominal"]}))
                inside = [built(child) for child in below.get(node["name"], [])]
                return Group(node["name"], [bank, *inside], 1, quota)
            return Leaf(node["name"], {"cpu": 1}, 1, INF, quota)

        queues = [node for node in below[None] if "usage" in node]
        tree = hierarchy({"cpu": case["capacity"]}, Group("root", [built(node) for node in queues]))
        paths = {path.rsplit("/", 1)[-1]: path for path in tree.node_paths}
        now = {paths[name]: {"cpu": amount} for name, amount in use.items()}
        (room,) = admission(tree, paths[case["who"]], {"cpu": 1}, now).room
        found = {"potential": room.potential, "available": room.available}
        known = {what: found[what] for what in case["expected"]}
        assert known == pytest.approx(case["expected"]), case["id"]


def test_public_cases_of_sparks_order(cases):
    """With k slots the first k tasks of the order run."""
    for case in cases("order"):
        order = case["expected_order"]
        for k in range(1, len(order) + 1):
            pools = [
                Leaf(pool["name"], {"slots": 1}, pool["weight"], pool["tasks"],
                     Quota({"slots": pool["min"]}))
                for pool in case["pools"]
            ]  # fmt: skip
            tree = hierarchy({"slots": k}, Group("root", pools), sharing=Sharing("total"))
            given = on_scheduler(tree, "spark").document()["nodes"]
            running = {name: order[:k].count(name) for name in given}
            assert {name: row["slots"] for name, row in given.items()} == running, case["id"]


def test_what_a_scheduler_does_not_know_is_left_out_and_told():
    tree = quota_tree(10, leaf("a", guarantee=6, limit=7), leaf("b", priority=1))
    # Slurm has limits, but no guarantees and no priorities: 5 and 5.
    found, causes = amounts(tree, "slurm")
    assert found == pytest.approx({"a": 5, "b": 5})
    assert any(cause.startswith("it knows no guarantees: a has 10 points less") for cause in causes)
    # Spark has minimums: a has 6 of 10 slots, more than its half.
    assert amounts(tree, "spark")[0] == {"a": 6, "b": 4}
    assert any(cause.startswith("it knows no priorities of queues") for cause in amounts(
        quota_tree(10, leaf("a", 1), leaf("b", 1, priority=1)), "yarn")[1])  # fmt: skip


def test_slurm_counts_one_number_for_a_job():
    # A is charged for both of its leaves, so B has as much as a and b together.
    tree = quota_tree(
        {"cpu": 12, "memory": 12},
        group("A", leaf("a", demand={"cpu": 1}), leaf("b", demand={"memory": 1})),
        leaf("B", demand={"cpu": 1, "memory": 1}),
    )
    given = on_scheduler(tree, "slurm").document()["nodes"]
    assert given["B"]["cpu"] == pytest.approx(8)
    assert given["A/a"]["cpu"] == pytest.approx(4)


def amounts(tree, scheduler):
    given = on_scheduler(tree, scheduler)
    return {path: row["cpu"] for path, row in given.document()["nodes"].items()}, given.causes


def test_guarantees_of_children_do_not_count_in_their_group_on_yarn():
    # Of 10, x and A have 5 each; c in A has its 7 all the same.
    tree = quota_tree(10, leaf("x"), group("A", leaf("c", guarantee=7), leaf("d")), surplus="total")
    found, causes = amounts(tree, "yarn")
    assert found == pytest.approx({"x": 5, "A": 5, "A/c": 7, "A/d": 0})
    assert any("do not count in their group" in cause for cause in causes)


def test_weight_0_on_kai_and_yarn_and_elsewhere():
    tree = quota_tree(10, leaf("a", 1, 4), leaf("b", 0, guarantee=1))
    for scheduler, idle in (("kai", 1), ("yarn", 1), ("kueue", 6), ("volcano", 6)):
        assert amounts(tree, scheduler)[0] == pytest.approx({"a": 4, "b": idle}), scheduler


def test_the_file_may_say_otherwise_than_the_scheduler():
    tree = quota_tree(12, leaf("a", guarantee=6), leaf("b"), leaf("c", 2), surplus="total")
    found, causes = amounts(tree, "kueue")
    assert found == pytest.approx({"a": 7.5, "b": 1.5, "c": 3})
    assert any(cause.startswith("its weights divide what lies above") for cause in causes)


def test_more_promised_than_there_is_is_told():
    tree = quota_tree(10, leaf("a", guarantee=9), leaf("b", guarantee=6))
    found, causes = amounts(tree, "kai")
    assert found == pytest.approx({"a": 9, "b": 6})
    assert causes[0] == (
        "guarantees of a 9 + b 6 = 15 cpu, the capacity is 10: each has its own here, exact "
        "scales them"
    )


def test_two_resources_each_for_itself_and_dominant():
    # a needs cpu and memory 1 : 1, b cpu alone, in a group with c that needs memory alone.
    tree = quota_tree(
        {"cpu": 12, "memory": 12},
        leaf("a", demand={"cpu": 1, "memory": 1}),
        group("B", leaf("b", demand={"cpu": 1}), leaf("c", demand={"memory": 1})),
    )
    each = on_scheduler(tree, "volcano").document()["nodes"]
    assert each["a"] == pytest.approx({"cpu": 6, "memory": 6})
    # On Kueue the use of a group is summed: B is charged 6 for 6 of each.
    summed = on_scheduler(tree, "kueue").document()["nodes"]
    assert summed["B/c"] == pytest.approx({"cpu": 0, "memory": 6})


def test_kueue_counts_what_a_cohort_could_have():
    # C could have half the cpu and all memory, so a unit of cpu in it counts twice: y has 2 units
    # of memory for each unit of x, which is half a unit of memory. z has as much as C, that is 2.5.
    tree = quota_tree(
        {"cpu": 12, "memory": 12},
        group(
            "C", leaf("x", demand={"cpu": 2, "memory": 1}), leaf("y", demand={"memory": 1}),
            limit={"cpu": 6},
        ),
        leaf("z", demand={"memory": 1}),
    )  # fmt: skip
    given = on_scheduler(tree, "kueue").document()["nodes"]
    assert {path: row["memory"] for path, row in given.items()} == pytest.approx(
        {"C": 6, "C/x": 1.2, "C/y": 4.8, "z": 6}
    )


def test_what_is_kept_on_kueue_lies_idle_with_several_resources():
    # a keeps 6 of cpu and uses 2 of it: b has the other 6.
    kept = {"cpu": 6}
    tree = quota_tree(
        {"cpu": 12, "memory": 12},
        leaf("a", 1, 2, guarantee=kept, reserve=kept),
        leaf("b", demand={"cpu": 1, "memory": 0.5}),
    )
    given = on_scheduler(tree, "kueue").document()["nodes"]
    assert given["a"] == pytest.approx({"cpu": 2, "memory": 0})
    assert given["b"] == pytest.approx({"cpu": 6, "memory": 3})


def in_steps(tree, step):
    """Two resources, flat, without guarantees: each step to the least dominant share for weight."""
    need, share = tree.demand / tree.capacity, np.zeros(tree.leaves)
    open_ = tree.tasks > 0
    dominant = need.max(axis=1)
    while open_.any():
        i = np.where(open_, share * dominant / tree.weight[tree.leaf], np.inf).argmin()
        share[i] += step / dominant[i]
        if (share @ need > 1).any() or share[i] > tree.tasks[i]:
            share[i] -= step / dominant[i]
            open_[i] = False
    return share * dominant


def test_flat_queues_of_kueue_in_small_steps():
    rng, compared = np.random.default_rng(3), 0
    while compared < 8:
        tree = random_quota_tree(rng, 2, nodes=7, limits=0, guarantees=0)
        if (tree.parent[1:] == 0).all():
            compared += 1
            tasks = on_scheduler(tree, "kueue").amount[tree.leaf] / np.maximum(tree.demand, 1e-9)
            share = tasks.max(axis=1) * (tree.demand / tree.capacity).max(axis=1)
            assert share == pytest.approx(in_steps(tree, 1 / 500), abs=0.01)


def test_a_task_on_volcano_needs_its_share_of_all_resources():
    # Deserved 6 of each. a runs 3 tasks of ⟨2, 1⟩, b 3 of ⟨1, 2⟩: 3 of cpu and of memory lie idle.
    tree = quota_tree(
        {"cpu": 12, "memory": 12},
        leaf("a", demand={"cpu": 2, "memory": 1}),
        leaf("b", demand={"cpu": 1, "memory": 2}),
    )
    given = on_scheduler(tree, "volcano")
    assert given.document()["nodes"]["a"] == pytest.approx({"cpu": 6, "memory": 3})
    assert "cpu apart from the others: 25 % of it lies idle that exact gives" in given.causes
    # YARN's entitlements are amounts of each resource.
    assert on_scheduler(tree, "yarn").document()["nodes"]["a"] == {"cpu": 6, "memory": 6}


def test_memory_alone():
    tree = quota_tree(
        {"cpu": 10, "memory": 10},
        leaf("a", demand={"cpu": 3, "memory": 1}),
        leaf("b", demand={"cpu": 1, "memory": 1}),
        shares="memory",
    )
    given = on_scheduler(tree, "yarn")
    assert given.amount[1:, 1].tolist() == pytest.approx([5, 5])
    assert "memory alone is counted" in given.causes
    assert "cpu is not looked at: 20 would be used of 10" in given.causes


def test_unknown_scheduler():
    with pytest.raises(InputError, match="unknown scheduler 'kueu': did you mean kueue"):
        on_scheduler(eng_and_ads(), "kueu")
