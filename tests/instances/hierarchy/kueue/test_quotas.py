"""Quotas, borrowing and lending limits of Kueue's manifests, and files with several trees."""

import json
from pathlib import Path

import pytest
from make import cli

from slotwise.core.errors import InputError
from slotwise.heuristics.hierarchy import fair
from slotwise.heuristics.hierarchy.questions import what_if, why
from slotwise.instances.exporters import export
from slotwise.instances.hierarchy.checker import check_allocation
from slotwise.instances.hierarchy.hierarchy import Hierarchy
from slotwise.instances.hierarchy.kueue.writer import weights_from_one
from slotwise.instances.hierarchy.nodes import Group, Leaf
from slotwise.instances.importers import import_

GROUPS = """  resourceGroups:
  - coveredResources: [cpu]
    flavors:
    - name: default
      resources: [{name: cpu, %s}]
"""


def manifest(kind: str, name: str, quota: str = "", **spec: str) -> str:
    fields = "".join(f"  {key}: {value}\n" for key, value in spec.items())
    groups = GROUPS % quota if quota else ""
    return f"---\nkind: {kind}\nmetadata: {{name: {name}}}\nspec:\n{fields + groups or '  {}'}\n"


def queue(name: str, quota: str = "", **spec: str) -> str:
    return manifest("ClusterQueue", name, quota, **({"cohortName": "all"} | spec))


def read(text: str, tmp_path: Path, **options):
    path = tmp_path / "queues.yaml"
    path.write_text(text)
    imported = import_("kueue", path, **options)
    return imported.made, imported.notes


def shares(tree, *paths: str):
    tasks = fair(tree).tasks * tree.demand[:, 0]
    return [tasks[tree.leaf_at(path)] for path in paths]


THREE = (
    queue("a", "nominalQuota: 6, borrowingLimit: 2")
    + queue("b", "nominalQuota: 2, lendingLimit: 1", fairSharing="{weight: 2}")
    + queue("c", "nominalQuota: 4", fairSharing="{weight: 0}")
)


def test_quotas_become_guarantees_limits_and_reserves(tmp_path: Path) -> None:
    tree, _ = read(THREE, tmp_path)
    assert tree.capacity.tolist() == [12]
    assert tree.quota_of(tree.node_at("a")) == {"guarantee": {"cpu": 6}, "limit": {"cpu": 8}}
    assert tree.quota_of(tree.node_at("b")) == {"guarantee": {"cpu": 2}, "reserve": {"cpu": 1}}
    assert tree.weight[tree.node_at("c")] == 0
    assert tree.quotas.surplus == "above"
    assert tree.dropped_limits == ()
    assert shares(tree, "a", "b", "c") == pytest.approx([6, 2, 4])
    # c is idle: a borrows 2 at most, b the other 2.
    idle, _ = read(THREE, tmp_path, tasks={"c": 0})
    assert shares(idle, "a", "b") == pytest.approx([22 / 3, 14 / 3])
    # b is idle and keeps 1 for itself; a takes the other 1, c has weight 0.
    idle, _ = read(THREE, tmp_path, tasks={"b": 0})
    assert shares(idle, "a", "c") == pytest.approx([7, 4])


def test_a_cohort_counts_its_own_quota_and_its_queues(tmp_path: Path) -> None:
    text = (
        manifest("Cohort", "all", "nominalQuota: 10")
        + manifest("Cohort", "eng", "nominalQuota: 3, borrowingLimit: 2", parentName="all")
        + queue("x", "nominalQuota: 4", cohortName="eng")
        + queue("y", "nominalQuota: 1", cohortName="eng")
        + queue("z", "nominalQuota: 0")
    )
    tree, _ = read(text, tmp_path)
    assert tree.capacity.tolist() == [18]
    assert tree.quota_of(tree.node_at("eng")) == {"guarantee": {"cpu": 8}, "limit": {"cpu": 10}}
    # eng stops at 10: x and y have 4 and 1 and half of the other 5 each.
    assert shares(tree, "eng/x", "eng/y", "z") == pytest.approx([6.5, 3.5, 8])


def test_what_is_written_reads_as_the_same_tree(tmp_path: Path) -> None:
    text = (
        manifest("Cohort", "all", "nominalQuota: 10")
        + manifest("Cohort", "eng", "nominalQuota: 3, borrowingLimit: 2", parentName="all")
        + queue("x", "nominalQuota: 4, lendingLimit: 1", cohortName="eng")
        + queue("y", "nominalQuota: 1", cohortName="eng", fairSharing="{weight: 0}")
        + queue("z", "nominalQuota: 0")
    )
    tree, _ = read(text, tmp_path)
    again, _ = read(export(tree, "kueue").text, tmp_path)
    assert again.capacity.tolist() == tree.capacity.tolist()
    assert [again.quota_of(n) for n in range(1, 5)] == [tree.quota_of(n) for n in range(1, 5)]
    assert again.weight.tolist() == tree.weight.tolist()


def test_flavors_are_added_up_or_one_is_read(tmp_path: Path) -> None:
    text = queue("a", "nominalQuota: 4").replace(
        "    - name: default", "    - name: spot\n      resources: [{name: cpu, nominalQuota: 3}]\n"
        "    - name: default",
    ) + queue("b", "nominalQuota: 1")  # fmt: skip
    tree, notes = read(text, tmp_path)
    assert tree.capacity.tolist() == [8]
    assert any("cannot use these flavors at all: b (spot)" in note for note in notes)
    tree, _ = read(text, tmp_path, flavor="spot")
    assert tree.capacity.tolist() == [3]
    with pytest.raises(InputError, match="no flavor 'gpu': there is default and spot"):
        read(text, tmp_path, flavor="gpu")


LOCAL = """---
kind: LocalQueue
metadata: {name: %s, namespace: team}
spec: {clusterQueue: a, fairSharing: {weight: %s}}
"""


def test_local_queues_share_where_their_usage_counts(tmp_path: Path) -> None:
    by_usage = queue("a", "nominalQuota: 4").replace(
        "spec:", "spec:\n  admissionScope: {admissionMode: UsageBasedAdmissionFairSharing}", 1
    )
    text = by_usage + LOCAL % ("l1", 1) + LOCAL % ("l2", 3)
    tree, notes = read(text, tmp_path)
    assert shares(tree, "a/l1", "a/l2") == pytest.approx([1, 3])
    assert any("decayed usage" in note for note in notes)
    without = queue("a", "nominalQuota: 4") + LOCAL % ("l1", 1)
    assert read(without, tmp_path)[0].paths == ("a",)


def test_several_trees(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in/1.yaml").write_text(THREE + manifest("ResourceFlavor", "default"))
    (tmp_path / "in/2.yml").write_text(
        manifest("ClusterQueue", "alone", "nominalQuota: 5")
        + queue("x", "nominalQuota: 1", cohortName="two")
        + queue("y", "nominalQuota: 1", cohortName="two")
    )
    (tmp_path / "in/values.yaml").write_text("replicas: 1\n")
    out = tmp_path / "tree.json"
    end = cli("import", "kueue", tmp_path / "in", "-o", out)
    assert end.code == 2
    assert (
        f"{tmp_path / 'in'}: 3 trees (of so many leaves) that share nothing: all (3), two (2), "
        "alone (1): choose one with --tree, or give -o a folder" in end.err
    )
    assert not out.exists()
    files = (tmp_path / "in/1.yaml", tmp_path / "in/2.yml")
    end = cli("import", "kueue", *files, "--tree", "alone", "-o", out)
    assert end.code == 0, end
    assert "not read: 1 ResourceFlavor" in end.err
    document = json.loads(out.read_text())
    assert document["root"]["children"][0]["limit"] == {"cpu": 5}
    (tmp_path / "out").mkdir()
    end = cli("import", "kueue", *files, "-o", tmp_path / "out", "--json")
    assert end.code == 0, end
    assert len(json.loads(end.out)["trees"]) == 3
    assert {file.name for file in (tmp_path / "out").iterdir()} == {
        "all.json",
        "two.json",
        "alone.json",
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("kind: ClusterQueue\nmetadata:\n  name: {{ .Values.name }}\n", "render it first"),
        ("spec: {cohort: a}\n", "a fragment of a manifest"),
        (queue("a", "nominalQuota: -1"), "nominalQuota: need a quantity"),
    ],
)
def test_what_is_no_manifest_is_told_in_words(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        read(text, tmp_path)


def test_no_such_tree(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no tree 'b': there is all"):
        read(THREE, tmp_path, tree="b")


def covering(**queues: dict[str, int]) -> str:
    """A cohort with a quota of 6 gpu, and queues with a quota of what they cover."""
    text = GROUPED % ("Cohort", "all", "", group("f", {"gpu": 6}))
    for name, quotas in queues.items():
        text += GROUPED % ("ClusterQueue", name, "cohort: all, ", group("f", quotas))
    return text


GROUPED = "---\nkind: %s\nmetadata: {name: %s}\nspec: {%sresourceGroups: [%s]}\n"


def group(flavor: str, quotas: dict[str, int]) -> str:
    rows = ", ".join(f"{{name: {name}, nominalQuota: {a}}}" for name, a in quotas.items())
    return (
        f"{{coveredResources: [{', '.join(quotas)}], "
        f"flavors: [{{name: {flavor}, resources: [{rows}]}}]}}, "
    )


def test_a_queue_has_nothing_of_a_flavor_that_it_does_not_list(tmp_path: Path) -> None:
    # 50 of the flavor spot: a and b list it, c another one, and d none at all.
    text = GROUPED % ("Cohort", "all", "", group("spot", {"gpu": 50}))
    kept, spot = group("kept", {"gpu": 5}), group("spot", {"gpu": 0})
    for name, groups in (("a", kept + spot), ("b", kept + spot), ("c", kept)):
        text += GROUPED % ("ClusterQueue", name, "cohort: all, ", groups)
    text += queue("d")
    tree, notes = read(text, tmp_path, flavor="spot")
    assert shares(tree, "a", "b", "c", "d") == pytest.approx([25, 25, 0, 0])
    assert "may use nothing of what tasks take, so have no share: c and d" in notes
    # Not even alone, and not when its weight or its tasks are other ones.
    assert tree.quota_of(tree.node_at("c")) == {"limit": {"gpu": 0}}
    assert str(why(fair(tree), "c")).startswith(
        "c: gpu 0 of 50 (0 %)\nThe file guarantees it nothing; by weights alone nothing"
    )
    for said in ("c:weight=9", "c:tasks=9"):
        assert what_if(tree, [said]).changes == ()


@pytest.mark.parametrize(
    ("options", "gpu", "cpu"),
    [
        # c alone lists cpu: nobody else has any, and c has no gpu.
        ({"flavor": "f"}, [3, 3, 0], [0, 0, 10]),
        ({"demand": {"gpu": 1, "cpu": 1}}, [3, 3, 0], [0, 0, 10]),
        ({"demand": {"gpu": 1}}, [3, 3, 0], [0, 0, 0]),
        ({"capacity": {"gpu": 6}}, [3, 3, 0], None),
        ({"capacity": {"gpu": 6, "cpu": 30}}, [3, 3, 0], [0, 0, 30]),
    ],
)
def test_a_queue_has_nothing_of_a_resource_that_it_does_not_cover(
    options, gpu, cpu, tmp_path: Path
) -> None:
    text = covering(a={"gpu": 0}, b={"gpu": 0}, c={"cpu": 10})
    tree, _ = read(text, tmp_path, **options)
    allocation = fair(tree)
    assert check_allocation(allocation).valid
    again, _ = read(export(tree, "kueue").text, tmp_path, **(options | {"flavor": ""}))
    for made in (allocation, fair(again)):
        used = dict(zip(tree.resources, made.nodes.used[1:].T, strict=True))
        assert used["gpu"] == pytest.approx(gpu)
        assert cpu is None or used["cpu"] == pytest.approx(cpu)
    for path, lacks in (("a", "cpu"), ("c", "gpu")):
        if lacks in tree.resources:
            assert tree.quota_of(tree.node_at(path))["limit"][lacks] == 0


def test_a_queue_alone_has_nothing_of_a_resource_that_it_does_not_cover(tmp_path: Path) -> None:
    text = manifest("ClusterQueue", "a", "nominalQuota: 5")
    tree, _ = read(text, tmp_path, capacity={"cpu": 9, "gpu": 6})
    assert tree.quota_of(1) == {"guarantee": {"cpu": 5}, "limit": {"cpu": 5, "gpu": 0}}


def test_a_demand_of_what_the_queue_does_not_cover_is_refused(tmp_path: Path) -> None:
    text = covering(a={"gpu": 0}, c={"cpu": 10})
    with pytest.raises(InputError, match="'c', demand: the queue may not use gpu"):
        read(text, tmp_path, demands={"c": {"gpu": 1.0, "cpu": 1.0}})


def test_queues_of_the_collection(traces: Path, tmp_path: Path) -> None:
    folder = traces / "regressions"
    if not folder.is_dir():
        pytest.skip(f"no collection of regressions at {folder}")
    tree, _ = read((folder / "kueue-9406-flavors.yaml").read_text(), tmp_path, flavor="a10-spot")
    assert shares(tree, "team-a", "team-b", "team-c") == pytest.approx([25, 25, 0])
    text = (folder / "kueue-flavor-needs.yaml").read_text()
    for options in ({"flavor": "a10"}, {"capacity": {"gpu": 6}}):
        tree, _ = read(text, tmp_path, **options)
        assert shares(tree, "gpu-team", "cpu-team") == pytest.approx([6, 0])
    # 10 of 20 cpu are guaranteed to the cpu-team, the gpu-team has x of either: x/6 = (10 - x)/20.
    tree, _ = read(text, tmp_path, demand={"gpu": 1, "cpu": 1})
    assert shares(tree, "gpu-team", "cpu-team") == pytest.approx([30 / 13, 0])


def test_weights_of_each_group_are_scaled_to_at_least_one() -> None:
    # Kueue takes a weight near 0 for one that is served last.
    need = {"cpu": 1.0}
    group = Group("a", [Leaf("x", need, 0.5), Leaf("y", need, 0.25)], 0.1)
    nested = Hierarchy.from_tree({"cpu": 10.0}, Group("root", [group, Leaf("b", need, 0.3)]))
    scaled = dict(zip(nested.names, weights_from_one(nested).tolist(), strict=True))
    assert [scaled[name] for name in "abxy"] == pytest.approx([1, 3, 2, 1])
