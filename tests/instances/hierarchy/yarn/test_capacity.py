"""Capacities and maximums of capacity-scheduler.xml as guarantees and limits, there and back."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slotwise.core.errors import InputError
from slotwise.heuristics.hierarchy import fair
from slotwise.instances.exporters import export
from slotwise.instances.hierarchy.hierarchy import Hierarchy
from slotwise.instances.hierarchy.nodes import Group, Leaf
from slotwise.instances.importers import import_

PREFIX = "yarn.scheduler.capacity."
DOMINANT = {
    "resource-calculator": "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator"
}
CAPACITY = {"cpu": 100.0, "memory": 1000.0}


def text_of(properties) -> str:
    rows = "".join(
        f"<property><name>{PREFIX}{name}</name><value>{value}</value></property>"
        for name, value in properties.items()
    )
    return f"<configuration>{rows}</configuration>"


def read(properties, folder: Path, capacity=None, *, dominant: bool = True, **options):
    path = folder / "capacity-scheduler.xml"
    path.write_text(text_of({**(DOMINANT if dominant else {}), **properties}))
    imported = import_("yarn-capacity", path, capacity=capacity or CAPACITY, **options)
    return imported.made, imported.notes


def queues(*stated, **more):
    """Properties of queues below the root, each a name, a capacity and perhaps a maximum."""
    found = {"root.queues": ",".join(name for name, *_ in stated)}
    for name, capacity, *most in stated:
        found[f"root.{name}.capacity"] = capacity
        if most:
            found[f"root.{name}.maximum-capacity"] = most[0]
    return found | more


def quota(tree, path: str):
    return tree.quota_of(tree.node_at(path))


def test_amounts_are_guarantees_and_limits(tmp_path: Path) -> None:
    properties = queues(
        ("a", "[memory=300,vcores=20]", "[memory=600,vcores=100]"),
        ("b", "[memory=700, vcores=60]"),
    ) | {
        "root.a.queues": "x,y",
        "root.a.x.capacity": "[memory=100,vcores=20]",
        "root.a.y.capacity": "[memory=200,vcores=0]",
    }
    tree, _ = read(properties, tmp_path)
    assert quota(tree, "a") == {"guarantee": {"cpu": 20, "memory": 300}, "limit": {"memory": 600}}
    assert quota(tree, "a/y") == {"guarantee": {"memory": 200}, "limit": {"memory": 600}}
    assert quota(tree, "b") == {"guarantee": {"cpu": 60, "memory": 700}}
    # The greater part of the cluster: 30 % and 70 % of memory, 20 % of cpu and of memory.
    weights = {path: tree.weight[tree.node_at(path)] for path in ("a", "b", "a/x", "a/y")}
    assert weights == pytest.approx({"a": 0.3, "b": 0.7, "a/x": 0.2, "a/y": 0.2})


def test_a_maximum_of_0_of_one_resource_is_one(tmp_path: Path) -> None:
    limits = {"[memory=400,vcores=0]": {"memory": 400, "cpu": 0}, "[memory=0,vcores=0]": {}}
    for most, limit in limits.items():
        tree, _ = read(queues(("a", "[memory=300]", most), ("b", "[memory=100]")), tmp_path)
        assert quota(tree, "a").get("limit", {}) == limit


@pytest.mark.parametrize(
    ("amount", "memory"), [("400", 400), ("1Gi", 1024), ("512Mi", 512), ("1G", 1e9 / 2**20)]
)
def test_units_of_amounts(amount: str, memory: float, tmp_path: Path) -> None:
    tree, _ = read(
        queues(("a", f"[memory={amount},vcores=8]")), tmp_path, {"memory": 9000.0, "vcores": 9.0}
    )
    assert quota(tree, "a")["guarantee"] == pytest.approx({"memory": memory, "vcores": 8})


def test_a_maximum_holds(tmp_path: Path) -> None:
    tree, _ = read(
        queues(("a", "[memory=300]", "[memory=400]"), ("b", "[memory=100]")),
        tmp_path,
        {"memory": 1000.0},
    )
    assert fair(tree).tasks * tree.demand[:, 0] == pytest.approx([400, 600])
    assert tree.dropped_limits == ()


def test_weights_count_all_configured_siblings(tmp_path: Path) -> None:
    # 1 of 4 parts is 25 %, also while c sleeps.
    tree, _ = read(
        queues(("a", "1w", "30"), ("b", "1w"), ("c", "2w")), tmp_path, {"memory": 1000.0},
        tasks={"c": 0.0},
    )  # fmt: skip
    assert quota(tree, "a") == {"guarantee": {"memory": 250}, "limit": {"memory": 300}}
    assert fair(tree).tasks * tree.demand[:, 0] == pytest.approx([300, 700, 0])


def test_users_hold_their_factor_each(tmp_path: Path) -> None:
    properties = queues(
        ("a", "20"), ("b", "30", "50"), ("c", "50"),
        **{"root.b.user-limit-factor": "3", "root.c.user-limit-factor": "-1"},
    )  # fmt: skip
    one = {"memory": 1000.0}
    tree, notes = read(properties, tmp_path, one)
    assert quota(tree, "a") == {"guarantee": {"memory": 200}}
    (told,) = [note for note in notes if "user-limit-factor is 1 unless set" in note]
    assert "in a (20 %) (--users N" in told
    # b: one user may hold 3 times 30 %, more than its maximum: no limit.
    assert tree.dropped_limits == ()
    for users, most in ((1, 200), (2, 400)):
        limited, notes = read(properties, tmp_path, one, users=users)
        assert quota(limited, "a") == {"guarantee": {"memory": 200}, "limit": {"memory": most}}
        assert quota(limited, "b")["limit"] == {"memory": 500}
        assert "limit" not in quota(limited, "c")
        assert not any("user-limit-factor" in note for note in notes)
    enough, _ = read(properties, tmp_path, one, users=5)
    assert "limit" not in quota(enough, "a")
    tight, _ = read({**properties, "user-limit-factor": "0.5"}, tmp_path, one, users=1)
    assert quota(tight, "a")["limit"] == {"memory": 100}


def test_a_factor_that_binds_one_user_stays_in_words(tmp_path: Path) -> None:
    properties = queues(("a", "50"), ("b", "50"), **{"root.a.user-limit-factor": "1.5"})
    tree, _ = read(properties, tmp_path)
    assert [str(one) for one in tree.dropped_limits] == ["a: user-limit-factor = 1.5"]


def test_the_default_calculator_counts_memory(tmp_path: Path) -> None:
    demands = {"a": {"cpu": 10.0, "memory": 10.0}, "b": {"cpu": 1.0, "memory": 10.0}}
    properties = queues(("a", "50", "80"), ("b", "50"))
    tree, _ = read(properties, tmp_path, dominant=False, demands=demands)
    assert tree.quotas is not None
    assert tree.quotas.shares == "memory"
    assert quota(tree, "a")["limit"] == {"memory": 800}
    # Equal memory: n tasks each until 11 n = 100 cpu.
    assert fair(tree).tasks == pytest.approx([100 / 11, 100 / 11])
    dominant, _ = read(properties, tmp_path, demands=demands)
    assert dominant.quotas is not None
    assert dominant.quotas.shares == "dominant"


@pytest.mark.parametrize(
    ("properties", "message"),
    [
        (queues(("a", "[memory=x]")), "need [memory=10240,vcores=12], got 'memory=x'"),
        (queues(("a", "[memory=50%]")), "(capacity vectors) are not read, got 'memory=50%'"),
        (queues(("a", "[memory=1w]")), "(capacity vectors) are not read, got 'memory=1w'"),
        (
            queues(("a", "[memory=300]", "[memory=200]")),
            "a: its maximum is 200 memory, less than its capacity of 300",
        ),
        (
            queues(("a", "[memory=300]"), ("b", "70")),
            "root: queues with percentages beside queues with amounts",
        ),
        (
            queues(("a", "0"), ("b", "0")),
            "root: the capacities of its queues sum to 0, not to 100: nobody in it would be served",
        ),
        (
            queues(("a", "100"), **{"root.a.user-limit-factor": "many"}),
            "root.a.user-limit-factor: need a number, got 'many'",
        ),
    ],
)
def test_each_rule_has_its_line(properties, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as error:
        read(properties, tmp_path)
    assert message in str(error.value)


def test_hadoop_1_is_told(tmp_path: Path) -> None:
    path = tmp_path / "capacity-scheduler.xml"
    path.write_text(
        "<configuration><property><name>mapred.capacity-scheduler.queue.default.capacity</name>"
        "<value>100</value></property></configuration>"
    )
    with pytest.raises(InputError, match="Hadoop 1 format: queues are in mapred"):
        import_("yarn-capacity", path, capacity=CAPACITY)


def test_labels_are_told(tmp_path: Path) -> None:
    properties = queues(("a", "100"), **{"root.a.accessible-node-labels.gpu.capacity": "100"})
    _, notes = read(properties, tmp_path)
    assert "only the partition without label is read, not gpu" in notes


ROUND = (
    queues(("a", "20", "60"), ("b", "30"), ("c", "50", "50")),
    queues(("a", "1w", "60"), ("b", "3w")),
    queues(("a", "0"), ("b", "40", "90"), ("c", "60")),
    queues(("a", "[memory=300,vcores=20]", "[memory=600]"), ("b", "[memory=500,vcores=9]")),
    queues(("a", "60", "80"), ("b", "40"))
    | {"root.a.queues": "x,y", "root.a.x.capacity": "25", "root.a.y.capacity": "75",
       "root.a.x.maximum-capacity": "50"},
)  # fmt: skip


@pytest.mark.parametrize("properties", ROUND)
@pytest.mark.parametrize("dominant", [True, False])
def test_what_is_written_reads_as_the_same_tree(properties, dominant: bool, tmp_path: Path) -> None:
    tree, _ = read(properties, tmp_path, dominant=dominant)
    text, notes = export(tree, "yarn-capacity")
    path = tmp_path / "again.xml"
    path.write_text(text)
    again = import_("yarn-capacity", path, capacity=CAPACITY).made
    assert not any(note.startswith("not written") for note in notes)
    assert again.node_paths == tree.node_paths
    assert again.dropped_limits == ()
    assert tree.quotas is not None
    assert again.quotas is not None
    assert again.quotas.guarantee == pytest.approx(tree.quotas.guarantee)
    assert again.quotas.limit == pytest.approx(tree.quotas.limit)
    assert again.quotas.shares == tree.quotas.shares
    assert fair(again).tasks == pytest.approx(fair(tree).tasks)
    assert any("scheduler.monitor.enable" in note for note in notes)
    assert any("preemption-to-balance-queue-after-satisfied" in note for note in notes)


def test_what_it_cannot_say_is_named() -> None:
    def tree(*quotas: dict[str, Any]) -> Hierarchy:
        leaves = [Leaf(f"q{k}", {"cpu": 1}, **quota) for k, quota in enumerate(quotas)]
        return Hierarchy.from_tree(CAPACITY, Group("root", leaves), surplus="total")

    for quota, told in (
        ({"limit": {"cpu": 60.0}}, "the limit of q0 (60 cpu)"),
        ({"limit": {"cpu": 30.0, "memory": 300.0}}, "the limit of q0 (30 cpu, 300 memory)"),
        ({"guarantee": {"cpu": 60.0}}, "no place for a guarantee: q0 (60 cpu)"),
        ({"priority": 2}, "no place for a priority: q0 (2)"),
    ):
        _, notes = export(tree(quota, {}), "yarn-capacity")
        assert any(note.startswith("not written") and told in note for note in notes), quota
    both = {"guarantee": {"cpu": 60.0, "memory": 100.0}}
    _, notes = export(tree(both, {"guarantee": {"cpu": 1.0, "memory": 1.0}}), "yarn-capacity")
    assert "not written, as capacities are the weights: the weight of q0 (1) and q1 (1)" in notes


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(1, 20)), min_size=1, max_size=5).filter(
        lambda rows: any(weight for weight, _ in rows)
    )
)
def test_no_share_is_above_a_maximum(tmp_path_factory, rows) -> None:
    together = sum(weight for weight, _ in rows)
    stated = [
        (f"q{k}", f"{part:.12g}", f"{max(5 * most, 1.01 * part):.12g}")
        for k, (part, most) in enumerate((100 * w / together, m) for w, m in rows)
    ]
    tree, _ = read(queues(*stated), tmp_path_factory.mktemp("queues"), {"memory": 1000.0})
    used = fair(tree).tasks * tree.demand[:, 0]
    most = [min(float(limit), 100) * 10 for _, _, limit in stated]
    assert (used <= np.array(most) * (1 + 1e-9)).all()
