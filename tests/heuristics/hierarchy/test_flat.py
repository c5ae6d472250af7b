"""MCH as printed, collapsed hierarchies and flat DRF."""

import json
from dataclasses import replace

import numpy as np
import pytest
from trees import FIGURE_4_SHARES, broken_guarantee, figure_4, idle_cpu, leaf, tree

from slotwise.core.errors import InputError
from slotwise.heuristics.hierarchy import ALLOCATORS, fair
from slotwise.heuristics.hierarchy.exact import exact
from slotwise.heuristics.hierarchy.flat import ch, mch
from slotwise.instances.hierarchy.checker import check_allocation
from slotwise.instances.hierarchy.generators.mch import generate
from slotwise.instances.hierarchy.hierarchy import Hierarchy
from slotwise.instances.hierarchy.nodes import Group, Leaf


def test_mch_figure_4():
    allocation = mch(figure_4())
    assert allocation.weight == pytest.approx([1, 1, 0.5, 0.5, 1, 1])
    assert allocation.share == pytest.approx(FIGURE_4_SHARES)


def test_mch_leaves_cpu_idle():
    # Weights 1, 1, 1/2: memory is full first, at x/3 + x + x/2 = 1.
    allocation = mch(idle_cpu())
    assert allocation.share == pytest.approx([6 / 11, 6 / 11, 3 / 11])
    assert 1 - allocation.used[0] == pytest.approx(2 / 11)
    assert any("its fair share is" in line for line in check_allocation(allocation).violations)


def test_mch_breaks_a_guarantee():
    # Weights 1, 2/3, 1, 1: memory is full first, at x/2 + x/3 + x + x = 1.
    allocation = mch(broken_guarantee())
    assert allocation.share[0] == pytest.approx(6 / 17)
    assert allocation.guarantee[0] == 0.5
    assert allocation.met.tolist() == [False, False, True, True]
    assert any("'a'" in line for line in check_allocation(allocation).violations)


@pytest.mark.parametrize("seed", range(30))
def test_mch_is_exact_with_full_type_leaves_only(seed):
    hierarchy = generate(
        1 + seed % 5, seed=seed, partial=0, resources=2 + seed % 2, weight=(0.2, 5)
    )
    assert mch(hierarchy).share == pytest.approx(exact(hierarchy).share)


def test_collapsed_hierarchies_short_change_a_group():
    # H-DRF's example: weights 1/2, 1/4, 1/4. CPU: 2x + x = 1, so eng has 1/3 of its half.
    hierarchy = tree(leaf("sci", 1, 1), Group("eng", [leaf("dev", 1, 0), leaf("prod", 0, 1)]))
    allocation = ch(hierarchy)
    assert allocation.share == pytest.approx([2 / 3, 1 / 3, 1 / 3])
    assert any("group 'eng'" in line for line in check_allocation(allocation).violations)
    assert exact(hierarchy).share == pytest.approx([0.5, 0.5, 0.5])


def test_collapsed_for_one_resource():
    # c-shares in the ratio 1:1; a needs 1 m per c, b needs 2, so m is full at x + 2x = 1.
    hierarchy = tree(leaf("a", 1, 1), leaf("b", 1, 2))
    assert (ch(hierarchy, "c").tasks).tolist() == pytest.approx([1 / 3, 1 / 3])
    assert ch(hierarchy, "m").share == pytest.approx([0.5, 0.5])
    with pytest.raises(InputError, match="unknown resource 'x': the hierarchy has c, m"):
        ch(hierarchy, "x")


def test_drf_of_the_nsdi_paper(traces):
    (case,) = _cases(traces, "drf_flat_allocation")
    users = [
        Leaf(
            user["name"],
            dict(zip(case["resources"], user["task_demand"], strict=True)),
            user["weight"],
        )
        for user in case["users"]
    ]
    capacity = dict(zip(case["resources"], case["capacity"], strict=True))
    flat = Hierarchy.from_tree(capacity, Group("root", users))
    for entry in ALLOCATORS:
        allocation = fair(flat, entry.name)
        found = dict(zip(flat.paths, allocation.tasks, strict=True))
        assert found == pytest.approx(case["expect_tasks"])
        assert dict(zip(flat.paths, allocation.share, strict=True)) == pytest.approx(
            case["expect_dominant_share"], abs=1e-6
        )


def test_weighted_max_min_of_one_resource(traces):
    for case in _cases(traces, "weighted_max_min_single_resource"):
        queues = []
        for k, queue in enumerate(case["queues"]):
            quota = {"guarantee": {"mb": queue["min"]}} if queue["min"] else {}
            if queue["max"] is not None:
                quota["limit"] = {"mb": queue["max"]}
            queues.append(Leaf(f"q{k}", {"mb": 1}, queue["weight"], **quota))
        root = Group("root", queues)
        flat = Hierarchy.from_tree({"mb": case["capacity"]}, root, surplus="total")
        assert exact(flat).tasks.tolist() == pytest.approx(case["expect"]), case["id"]


def test_active_queues(traces):
    # A queue is active if it has tasks; every resource gets the same fraction.
    groups = json.loads((traces / "fairshare" / "fairshare_cases.json").read_text())["groups"]
    (group,) = [g for g in groups if g["group"] == "hierarchical_fair_share_active_queues"]

    def built(node):
        if "children" in node:
            return Group(node["name"], [built(c) for c in node["children"]], node.get("weight", 1))
        return Leaf(node["name"], {"mb": 1024, "vcores": 1}, node.get("weight", 1))

    steady = Hierarchy.from_tree({"mb": 16384, "vcores": 16}, built(group["tree"]))
    found = dict(zip(steady.paths, steady.guarantee, strict=True))
    assert {path: found[path] for path in group["steady"]} == pytest.approx(group["steady"])
    for case in group["cases"]:
        tasks = np.where(np.isin(steady.paths, case["active"]), np.inf, 0.0)
        active = replace(steady, tasks=tasks)
        allocation = exact(active)
        for values in (active.guarantee, allocation.share):
            found = dict(zip(active.paths, values, strict=True))
            assert {path: found[path] for path in case["expect"]} == pytest.approx(
                case["expect"], abs=0.009
            )


def _cases(traces, name):
    groups = json.loads((traces / "fairshare" / "fairshare_cases.json").read_text())["groups"]
    return next(group["cases"] for group in groups if group["group"] == name)
