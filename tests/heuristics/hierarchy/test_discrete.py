"""Whole tasks: H-DRF and naive hierarchical DRF."""

import json

import numpy as np
import pytest
from trees import FIGURE_4_SHARES, figure_4, leaf, tree

from slotwise.core.errors import InputError
from slotwise.heuristics.hierarchy import ALLOCATORS
from slotwise.heuristics.hierarchy import hdrf as module
from slotwise.heuristics.hierarchy.exact import exact
from slotwise.heuristics.hierarchy.hdrf import hdrf, naive
from slotwise.instances.hierarchy.checker import check_allocation
from slotwise.instances.hierarchy.generators.mch import generate
from slotwise.instances.hierarchy.hierarchy import Hierarchy
from slotwise.instances.hierarchy.nodes import Group, Leaf


def blocking():
    """H-DRF's example of blocked nodes, with 30 units of each resource."""
    return tree(
        leaf("n1", 1, 0, tasks=30),
        leaf("n2", 1, 0, tasks=30),
        Group("n3", [leaf("n31", 1, 0, tasks=30), leaf("n32", 0, 1, tasks=30)]),
        leaf("n4", 0, 1, tasks=30),
        capacity=(30, 30),
    )


def test_figure_4_to_three_digits():
    assert hdrf(figure_4(20_000)).share == pytest.approx(FIGURE_4_SHARES, abs=5e-4)


def test_figure_4_at_the_size_of_the_paper():
    # 200 CPUs in whole tasks: nobody is off by more than one task of 1/200.
    assert hdrf(figure_4()).share == pytest.approx(FIGURE_4_SHARES, abs=1 / 200)


def test_public_cases(traces):
    groups = json.loads((traces / "fairshare" / "fairshare_cases.json").read_text())["groups"]
    (cases,) = [g["cases"] for g in groups if g["group"] == "hdrf_allocation"]
    for case in cases:
        resources = case["resources"]

        def built(node, resources=resources):
            if "children" in node:
                inside = [built(child) for child in node["children"]]
                return Group(node["name"], inside, node.get("weight", 1))
            demand = dict(zip(resources, node["task_demand"], strict=True))
            return Leaf(node["name"], demand, node.get("weight", 1), node["tasks"])

        capacity = dict(zip(resources, case["capacity"], strict=True))
        hierarchy = Hierarchy.from_tree(capacity, built(case["tree"]))
        for update in ("path", "all"):
            allocation = hdrf(hierarchy, update=update)
            used = allocation.tasks[:, None] * hierarchy.demand
            found = dict(zip(hierarchy.paths, used.tolist(), strict=True))
            assert found == {path: pytest.approx(use) for path, use in case["expect"].items()}


def test_blocked_nodes_count_in_full():
    for update in ("path", "all"):
        assert hdrf(blocking(), update=update).tasks.tolist() == [10, 10, 10, 15, 15]


def test_without_setting_blocked_nodes_apart():
    # n3 counts as if n32 had no more than the stuck n31: it gets all memory that is left.
    for update in ("path", "all"):
        tasks = hdrf(blocking(), set_apart=False, update=update).tasks
        assert tasks.tolist() == [10, 10, 10, 20, 10]


def test_naive_starves_a_leaf_whose_sibling_holds_another_resource():
    # dev runs on all 40 CPUs, so eng has a dominant share of 1: for naive DRF it is always richer
    # than sci, and prod gets no memory. H-DRF counts eng by its poorest child.
    hierarchy = tree(
        leaf("sci", 0, 1),
        Group("eng", [leaf("dev", 1, 0), leaf("prod", 0, 1)]),
        capacity=(40, 10),
    )
    running = np.array([0, 40, 0])
    for update in ("path", "all"):
        assert naive(hierarchy, running=running, update=update).tasks.tolist() == [10, 40, 0]
        assert hdrf(hierarchy, running=running, update=update).tasks.tolist() == [5, 40, 5]
    assert naive(hierarchy).tasks.tolist() == hdrf(hierarchy).tasks.tolist() == [5, 40, 5]


def test_more_running_than_fits():
    with pytest.raises(InputError, match="more tasks running than there are, or than fit"):
        hdrf(tree(leaf("a", 1, 1), capacity=(2, 2)), running=np.array([3]))


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("method", [hdrf, naive])
def test_path_updates_change_nothing(seed, method):
    hierarchy = generate(
        1 + seed % 4, seed=seed, partial=0.4, resources=2 + seed % 2, capacity=60,
        limited=0.3, tasks=(0, 5), weight=(1, 1) if seed % 2 else (0.3, 3),
    )  # fmt: skip
    path, everything = method(hierarchy), method(hierarchy, update="all")
    assert path.tasks.tolist() == everything.tasks.tolist()
    assert (path.bottleneck == everything.bottleneck).all()
    assert path.tasks.sum() > 0
    assert not [v for v in check_allocation(path).violations if "guaranteed" not in v]


@pytest.mark.parametrize("seed", range(30))
def test_near_the_fluid_allocation_until_something_is_full(seed):
    # Full-type leaves are all stopped by the first full resource. A group can be a task of each of
    # its leaves behind or ahead, and so can the groups above it.
    hierarchy = generate(1 + seed % 3, seed=seed, partial=0, capacity=20_000, weight=(0.5, 2))
    fluid, whole = exact(hierarchy), hdrf(hierarchy)
    assert whole.share == pytest.approx(fluid.share, abs=0.02)


@pytest.mark.parametrize("seed", range(30))
def test_nobody_starves(seed):
    hierarchy = generate(3, seed=seed, partial=0.5, capacity=5000, limited=0.3, tasks=(1, 300))
    assert (hdrf(hierarchy).tasks > 0).all()


def test_a_task_that_never_fits():
    allocation = hdrf(tree(leaf("a", 2, 0), leaf("b", 1, 1), capacity=(1, 1)))
    assert allocation.tasks.tolist() == [0, 1]
    assert allocation.limited_by(0) == "c"


def test_too_many_tasks(monkeypatch):
    monkeypatch.setattr(module, "MOST_TASKS", 50)
    with pytest.raises(InputError, match="method hdrf: about 1e\\+02 tasks to place one by one"):
        hdrf(tree(leaf("a", 1, 1), capacity=(100, 100)))


def test_large_tasks_leave_guarantees_short():
    # The shares of many leaves are less than a task; each has one all the same.
    large, small = (
        hdrf(generate(3, seed=12, fanout=(1, 4), partial=0, weight=(0.2, 5), capacity=capacity))
        for capacity in (1e3, 1e5)
    )
    assert not large.met.all()
    assert small.met.all()
    assert not ALLOCATORS.lookup("hdrf").valid


def test_guarantees_in_whole_tasks():
    # Two leaves share 5 units in tasks of 2: one task each fits in the guarantee of 2.5.
    allocation = hdrf(tree(leaf("a", 2, 0), leaf("b", 2, 0), capacity=(5, 5)))
    assert allocation.tasks.tolist() == [1, 1]
    assert allocation.met.all()
    assert np.all(allocation.share < allocation.guarantee)
