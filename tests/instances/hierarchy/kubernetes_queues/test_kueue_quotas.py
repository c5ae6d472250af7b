"""Quotas, borrowing and lending limits of Kueue's manifests, and files with several trees."""

import json
from pathlib import Path

import pytest
from lines import cli

from slotwise.core.errors import InputError
from slotwise.heuristics.hierarchy import allocate
from slotwise.instances.exporters import export
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
    tasks = allocate(tree).tasks * tree.demand[:, 0]
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
        + queue("z")
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
        + queue("z")
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


def test_a_cohort_may_have_other_members(tmp_path: Path) -> None:
    told = "a cohort may have members in files that were not given"
    assert told in read(queue("a", "nominalQuota: 4"), tmp_path)[1]
    assert told not in read(queue("a", "nominalQuota: 4", cohortName="''"), tmp_path)[1]


def test_local_queues_only_if_wanted(tmp_path: Path) -> None:
    text = queue("a", "nominalQuota: 4") + LOCAL % ("l1", 1) + LOCAL % ("l2", 3)
    assert read(text, tmp_path)[0].paths == ("a",)
    tree, notes = read(text, tmp_path, local_queues=True)
    assert shares(tree, "a/l1", "a/l2") == pytest.approx([1, 3])
    assert any("decayed usage" in note for note in notes)


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
        "3 trees that share nothing: all (3 leaves), two (2), alone (1): choose one with --tree, "
        "or give -o a folder" in end.err
    )
    assert not out.exists()
    files = (tmp_path / "in/1.yaml", tmp_path / "in/2.yml")
    end = cli("import", "kueue", *files, "--tree", "alone", "-o", out)
    assert end.code == 0, end
    assert "skipped: 1 ResourceFlavor" in end.err
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
