"""Queues of Volcano and KAI, read: amounts by hand, round trip, refusals."""

from pathlib import Path

import pytest
import yaml
from trees import figure_4

from slotwise import InputError
from slotwise.heuristics.hierarchy.limits.schedulers import on_scheduler
from slotwise.instances.exporters import export
from slotwise.instances.hierarchy.hierarchy import Hierarchy
from slotwise.instances.hierarchy.kubernetes_queues.kai import read_kai
from slotwise.instances.hierarchy.kubernetes_queues.volcano import read_volcano
from slotwise.instances.hierarchy.plain_tree import Group, Leaf, Quota, Sharing


def queue(name, **spec):
    return {"apiVersion": "v1", "kind": "Queue", "metadata": {"name": name}, "spec": spec}


def written(tmp_path: Path, *queues) -> Path:
    path = tmp_path / "queues.yaml"
    path.write_text(yaml.safe_dump_all(queues))
    return path


def given(tree, scheduler):
    nodes = on_scheduler(tree, scheduler).document()["nodes"]
    return {path: row["cpu"] for path, row in nodes.items()}


def test_proportion(tmp_path):
    path = written(
        tmp_path,
        queue("a", weight=1, capability={"cpu": "2"}),
        queue("b", weight=3),
        queue("c", weight=1, guarantee={"resource": {"cpu": "4000m"}}),
    )
    tree, notes = read_volcano(path, capacity={"cpu": 16})
    assert "read as the plugin proportion takes them" in notes[0]
    # 16 for 1 : 3 : 1, but a at most 2 and c at least 4: b has the other 10.
    assert given(tree, "volcano") == pytest.approx({"a": 2, "b": 10, "c": 4})
    assert tree.quotas.reserve[:, 0].tolist() == [0, 0, 0, 4]


def scheduler(plugins: str):
    text = "actions: enqueue\ntiers:\n- plugins:\n" + plugins
    return {
        "kind": "ConfigMap",
        "metadata": {"name": "v"},
        "data": {"volcano-scheduler.conf": text},
    }


@pytest.mark.parametrize(
    ("plugins", "plugin"),
    [
        ("  - name: priority\n  - name: capacity\n", "capacity"),
        ("  - name: drf\n    enableHierarchy: true\n", "drf"),
        ("  - name: drf\n  - name: proportion\n", "proportion"),
        ("  - name: gang\n", "proportion"),
    ],
)
def test_the_plugin_of_the_scheduler(plugins, plugin, tmp_path):
    _, notes = read_volcano(written(tmp_path, queue("a"), scheduler(plugins)), capacity={"cpu": 8})
    assert f"read as the plugin {plugin} takes them" in notes[0]
    assert ("ConfigMap" in notes[0]) == ("gang" not in plugins)


def test_what_the_capacity_does_not_have_stays_in_words(tmp_path):
    path = written(tmp_path, queue("a", capability={"cpu": "2", "nvidia.com/gpu": 4}))
    tree, _ = read_volcano(path, capacity={"cpu": 16})
    assert [str(one) for one in tree.dropped_limits] == ["a: capability of nvidia.com/gpu = 4"]
    amounts = {"cpu": {"quota": 1, "limit": -1}, "gpu": {"quota": 2, "limit": 3}}
    path = written(tmp_path, queue("a", resources=amounts))
    tree, _ = read_kai(path, capacity={"cpu": 16})
    assert [str(one) for one in tree.dropped_limits] == [
        "a: quota of gpu = 2", "a: limit of gpu = 3",
    ]  # fmt: skip


@pytest.mark.parametrize("priority", [1.5, "high", True])
def test_a_priority_is_a_whole_number(priority, tmp_path):
    for reader in (read_volcano, read_kai):
        with pytest.raises(InputError, match="'a', priority: need a whole number, got"):
            reader(written(tmp_path, queue("a", priority=priority)), capacity={"cpu": 8})


def test_capacity(tmp_path):
    path = written(
        tmp_path,
        queue("eng", deserved={"cpu": 8}),
        queue("dev", parent="eng", deserved={"cpu": 6}),
        queue("test", parent="eng", deserved={"cpu": 2}),
        queue("ads", deserved={"cpu": 4}),
        queue("idle"),
    )
    tree, notes = read_volcano(path, capacity={"cpu": 16}, tasks={"idle": 0})
    assert given(tree, "volcano") == pytest.approx(
        {"eng": 32 / 3, "eng/dev": 8, "eng/test": 8 / 3, "ads": 16 / 3, "idle": 0}
    )
    # What deserves nothing goes before those above what they deserve: it takes all 4 that are left.
    busy, _ = read_volcano(path, capacity={"cpu": 16})
    assert given(busy, "volcano") == pytest.approx(
        {"eng": 8, "eng/dev": 6, "eng/test": 2, "ads": 4, "idle": 4}
    )
    assert any("deserve nothing" in note for note in notes)


def test_our_own_export_is_read_back(tmp_path):
    tree = figure_4()
    path = tmp_path / "volcano.yaml"
    path.write_text(export(tree, "volcano").text)
    again, _ = read_volcano(path, capacity={"c": 200, "m": 200})
    assert again.depth == tree.depth
    assert again.guarantee.tolist() == pytest.approx(tree.guarantee.tolist())


def same_quotas(again, tree):
    assert again.depth == tree.depth
    assert again.weight.tolist() == pytest.approx(tree.weight.tolist())
    for what in ("guarantee", "limit", "reserve", "priority"):
        assert getattr(again.quotas, what) == pytest.approx(getattr(tree.quotas, what)), what
    assert (again.quotas.surplus, again.quotas.shares) == (tree.quotas.surplus, tree.quotas.shares)


@pytest.mark.parametrize(
    ("plugin", "queues"),
    [
        (
            "proportion",
            [
                queue("a", weight=1, capability={"cpu": "2"}),
                queue("b", weight=3),
                queue("c", weight=2, guarantee={"resource": {"cpu": "4000m"}}),
            ],
        ),
        (
            "capacity",
            [
                queue("eng", deserved={"cpu": 8}, capability={"cpu": 12}, priority=2),
                queue("dev", parent="eng", deserved={"cpu": 6}),
                queue("test", parent="eng", deserved={"cpu": 2}),
                queue("ads", deserved={"cpu": 4}, guarantee={"resource": {"cpu": 1}}),
                queue("idle", priority=1),
            ],
        ),
        (
            "capacity",
            [queue("a", deserved={"cpu": 8}), queue("b", deserved={"cpu": 2, "memory": "4k"})],
        ),
    ],
)
def test_guarantees_and_limits_survive_the_round_trip(plugin, queues, tmp_path):
    capacity = {"cpu": 16, "memory": 16000}
    tree, _ = read_volcano(written(tmp_path, *queues), capacity=capacity)
    text, notes = export(tree, "volcano")
    assert f"enable the plugin {plugin}" in notes[0]
    assert not any(note.startswith("not written") for note in notes)
    path = tmp_path / "again.yaml"
    path.write_text(text)
    again, _ = read_volcano(path, capacity=capacity)
    same_quotas(again, tree)


def test_a_flat_tree_is_for_drf_too(tmp_path):
    leaves = [Leaf("a", {"cpu": 1}, 1), Leaf("b", {"cpu": 1}, 3)]
    text, notes = export(Hierarchy.from_tree({"cpu": 8}, Group("root", leaves)), "volcano")
    assert "enable the plugin drf with enableHierarchy: true" in notes[0]
    documents = list(yaml.safe_load_all(text))
    assert [document["spec"]["weight"] for document in documents] == [1, 3]
    path = tmp_path / "again.yaml"
    path.write_text(text)
    again, _ = read_volcano(path, capacity={"cpu": 8})
    assert again.guarantee == pytest.approx([0.25, 0.75])


def test_what_volcano_cannot_say_is_named():
    def notes(*quotas, surplus="total"):
        leaves = [Leaf(f"q{k}", {"cpu": 1}, 1 + k, quota=quota) for k, quota in enumerate(quotas)]
        tree = Hierarchy.from_tree(
            {"cpu": 8}, Group("root", leaves), sharing=Sharing(surplus, "each")
        )
        return "\n".join(export(tree, "volcano").notes)

    limit, guarantee = Quota(limit={"cpu": 3.0}), Quota(guarantee={"cpu": 2.0})
    # 1 of 3 parts is 2.67 of 8, below the limit: the weight is in what is deserved.
    assert "not written" not in notes(limit, Quota(priority=1))
    assert "where nothing is guaranteed: q0 and q1" in notes(limit, Quota(priority=1))
    assert "the weight of q0 (1) and q1 (2)" in notes(guarantee, guarantee)
    assert "what lies above the guarantees" in notes(guarantee, guarantee, surplus="above")


def resources(**cpu):
    return {"resources": {"cpu": cpu}}


def test_kai(tmp_path):
    path = written(
        tmp_path,
        queue("team", **resources(quota=8000, limit=-1, overQuotaWeight=1)),
        queue("a", parentQueue="team", **resources(quota=2000, limit=-1, overQuotaWeight=1)),
        queue("b", parentQueue="team", **resources(quota=2000, limit=5000, overQuotaWeight=3)),
        queue("none", **resources(quota=1000)),
    )
    tree, _ = read_kai(path, capacity={"cpu": 10})
    # A limit that is not said is 0. Of 10, a and b have 2 each; of 6 more b's 1 : 3 is 4.5,
    # and its limit 3.
    assert given(tree, "kai") == pytest.approx({"team": 10, "team/a": 5, "team/b": 5, "none": 0})


@pytest.mark.parametrize(
    ("queues", "message"),
    [
        ([queue("a", parent="b", deserved={"cpu": 1})], "there is no queue 'b'"),
        ([queue("a"), queue("a")], "defined twice"),
        (
            [queue("a", parent="b"), queue("b", parent="a")],
            "its parents are a circle",
        ),
        ([queue("a", capability={"cpu": "much"})], "need a quantity"),
    ],
)
def test_volcano_refuses(tmp_path, queues, message):
    with pytest.raises(InputError, match=message):
        read_volcano(written(tmp_path, *queues), capacity={"cpu": 16})


@pytest.mark.parametrize(
    ("queues", "message"),
    [
        ([queue("a", parentQueue="b")], "there is no queue 'b'"),
        ([queue("a", parentQueue="b"), queue("b", parentQueue="a")], "a circle"),
        ([queue("a", **resources(quota=-2))], "need a number >= 0, or -1, got -2"),
        ([queue("a", **resources(quota="8"))], "need a number, got '8'"),
    ],
)
def test_kai_refuses(tmp_path, queues, message):
    with pytest.raises(InputError, match=message):
        read_kai(written(tmp_path, *queues), capacity={"cpu": 16})
