"""Slurm's accounts: limits, billing, what usage counts, and users, there and back."""

import json
from pathlib import Path

import pytest

from slotwise.core.errors import InputError
from slotwise.heuristics.hierarchy import allocate
from slotwise.instances.exporters import export
from slotwise.instances.hierarchy.hierarchy_file import read_hierarchy, write_hierarchy
from slotwise.instances.hierarchy.slurm.tres import billing
from slotwise.instances.importers import import_

CAPACITY = {"cpu": 100.0, "memory": 400.0}


def read(lines: str, tmp_path: Path, capacity=None, cluster: str = "c1", **options):
    path = tmp_path / "dump.cfg"
    path.write_text(f"Cluster - '{cluster}':Fairshare=1\nParent - 'root'\n{lines}")
    imported = import_("slurm", path, capacity=capacity or CAPACITY, **options)
    return imported.made, imported.notes


def quota(tree, path: str):
    return tree.quota_of(tree.node_at(path))


@pytest.mark.parametrize(
    ("option", "limit", "words"),
    [
        ("GrpTRES=cpu=50", {"cpu": 50}, None),
        ("GrpTRES='cpu=50,mem=2048,node=4'", {"cpu": 50, "memory": 2048, "nodes": 4}, None),
        ("GrpTRES=mem=2G", {"memory": 2048}, None),
        ("GrpTRES=mem=512K,cpu=-1", {"memory": 0.5}, None),
        ("GrpTRES=gres/gpu=8", {"gpu": 8}, None),
        ("GrpTRES=1=7,2=64", {"cpu": 7, "memory": 64}, None),
        ("GrpCPUs=9", {"cpu": 9}, None),
        ("GrpTRES=gres/gpu:a100=2,cpu=3", {"cpu": 3}, ("GrpTRES", "gres/gpu:a100=2")),
        ("GrpTRESMins=cpu=1000", {}, ("GrpTRESMins", "cpu=1000")),
        ("MaxTRES=cpu=4", {}, ("MaxTRES", "cpu=4")),
    ],
)
def test_grptres_is_a_limit(option: str, limit, words, tmp_path: Path) -> None:
    capacity = {"cpu": 100.0, "memory": 40000.0, "gpu": 16.0, "nodes": 10.0}
    tree, _ = read(
        f"Account - 'a':Fairshare=1:{option}\nAccount - 'b':Fairshare=1\n", tmp_path, capacity
    )
    assert quota(tree, "a").get("limit", {}) == limit
    assert [(one.limit, one.amount) for one in tree.dropped_limits] == ([words] if words else [])


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("cpu", "need amounts such as"),
        ("cpu=x", "got 'cpu=x'"),
        ("cpu=4G", "only memory has units"),
    ],
)
def test_amounts_that_are_none(option: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="line 3: Account 'a', GrpTRES") as error:
        read(f"Account - 'a':Fairshare=1:GrpTRES='{option}'\n", tmp_path)
    assert message in str(error.value)


def test_options_are_read_whatever_their_case(tmp_path: Path) -> None:
    lines = (
        "QOS - 'normal'\nAccount - 'root':Fairshare=1:QOS+=normal\n"
        "Account - 'a':FairShare=3:QOS+=normal,long\nAccount - 'b':grptres=cpu=5:fairshare=2:\n"
        "Account - 'c':GrpTRES=gres/gpu:A100=2:Fairshare=5\n"
        "Parent - 'a'\nUser - 'ann':Fairshare=Parent\n"
    )
    tree, _ = read(lines, tmp_path, {"cpu": 10.0, "gres/gpu:a100": 4.0})
    assert tree.paths == ("a", "b", "c")
    assert tree.weight.tolist() == [1, 3, 2, 5]
    assert quota(tree, "b") == {"limit": {"cpu": 5}}
    assert quota(tree, "c") == {"limit": {"gres/gpu:a100": 2}}
    assert tree.users == ("a/ann",)


def test_a_user_of_several_partitions_has_several_shares(tmp_path: Path) -> None:
    lines = (
        "Account - 'a':Fairshare=1\nParent - 'a'\nUser - 'ann':Fairshare=2\n"
        "User - 'ann':Partition='gpu':Fairshare=6\n"
    )
    tree, _ = read(lines, tmp_path)
    assert dict(zip(tree.paths, tree.guarantee, strict=True)) == pytest.approx(
        {"a/ann": 0.25, "a/ann@gpu": 0.75}
    )
    text = export(tree, "slurm").text
    assert "User - 'ann':Partition='gpu':DefaultAccount='a':Fairshare=6" in text
    with pytest.raises(InputError, match="line 6: user 'ann' is defined twice in 'a'"):
        read(lines.replace(":Partition='gpu'", ""), tmp_path)


def test_a_limit_holds_and_its_siblings_take_the_rest(tmp_path: Path) -> None:
    # Shares 3 and 1 of 100 cpu, but at most 60 for a.
    lines = "Account - 'a':Fairshare=3:GrpTRES=cpu=60\nAccount - 'b':Fairshare=1\n"
    tree, notes = read(lines, tmp_path, {"cpu": 100.0})
    assert allocate(tree).tasks * tree.demand[:, 0] == pytest.approx([60, 40])
    assert "binding while all are busy: a (cpu)" in notes


def test_the_limit_of_the_cluster_is_its_capacity(tmp_path: Path) -> None:
    path = tmp_path / "dump.cfg"
    path.write_text("Cluster - 'c1':GrpTRES=cpu=50\nParent - 'root'\nAccount - 'a':Fairshare=1\n")
    imported = import_("slurm", path, capacity=CAPACITY)
    assert dict(zip(imported.made.resources, imported.made.capacity, strict=True)) == {
        "cpu": 50, "memory": 400,
    }  # fmt: skip
    assert "GrpTRES of the cluster: the capacity of cpu is 50, not 100" in imported.notes


def test_shares_of_0_are_served_last(tmp_path: Path) -> None:
    lines = "Account - 'a':Fairshare=1\nAccount - 'b':Fairshare=0\n"
    tree, _ = read(lines, tmp_path, {"cpu": 10.0})
    assert tree.weight.tolist() == [1, 1, 0]
    assert allocate(tree).tasks * tree.demand[:, 0] == pytest.approx([10, 0])
    less, _ = read(lines, tmp_path, {"cpu": 10.0}, demand={"cpu": 1.0}, tasks={"a": 4.0})
    assert allocate(less).tasks == pytest.approx([4, 6])


def test_usage_counts_cpus_only(tmp_path: Path) -> None:
    lines = "Account - 'a':Fairshare=1\nAccount - 'b':Fairshare=1\n"
    demands = {"a": {"cpu": 1.0, "memory": 1.0}, "b": {"cpu": 1.0, "memory": 20.0}}
    tree, notes = read(lines, tmp_path, demands=demands)
    assert tree.quotas is not None
    assert tree.quotas.shares == "cpu"
    # n tasks each until 21 n = 400 memory.
    assert allocate(tree).tasks == pytest.approx([400 / 21, 400 / 21])
    assert any("counts CPUs only, and so do these shares" in note for note in notes)
    dominant, _ = read(lines, tmp_path, demands=demands, max_tres=True)
    assert dominant.quotas is None
    # x / 100 = 20 y / 400 and x + 20 y = 400.
    assert allocate(dominant).tasks == pytest.approx([80, 16])
    # Where the CPU is dominant everywhere nothing differs.
    demands["b"]["memory"] = 4.0
    same, notes = read(lines, tmp_path, demands=demands)
    assert same.quotas is None
    assert not any("CPUs only" in note for note in notes)
    # A task without CPU would be counted nothing at all.
    del demands["b"]["cpu"]
    other, notes = read(lines, tmp_path, demands=demands)
    assert other.quotas is None
    assert any("some tasks need no CPU" in note for note in notes)


def test_billing_is_one_resource(tmp_path: Path) -> None:
    lines = "Account - 'a':Fairshare=1:GrpTRES=cpu=10\nAccount - 'b':Fairshare=1\n"
    demands = {"a": {"cpu": 1.0, "memory": 8.0}, "b": {"cpu": 2.0, "memory": 4.0}}
    tree, notes = read(lines, tmp_path, demands=demands, billing={"cpu": 1, "mem": 0.25})
    # 100 + 400/4; tasks are billed 1 + 2 and 2 + 1.
    assert dict(zip(tree.resources, tree.capacity, strict=True)) == {"billing": 200}
    assert tree.demand.tolist() == [[3], [3]]
    assert quota(tree, "a") == {"limit": {"billing": 30}}
    assert allocate(tree).tasks == pytest.approx([10, 170 / 3])
    (told,) = [note for note in notes if note.startswith("billing alone is shared")]
    assert told.endswith("a (memory) and b (cpu)")
    usual, notes = read(lines, tmp_path, billing={"cpu": 1, "mem": 0.25})
    assert usual.demand.tolist() == [[0.2], [0.2]]
    # A thousandth of everything: 10 of 100 cpu are 20 of 200.
    assert quota(usual, "a")["limit"] == pytest.approx({"billing": 20})
    assert not any("billing alone" in note for note in notes)


def test_billing_limits_of_groups(tmp_path: Path) -> None:
    lines = (
        "Account - 'g':Fairshare=1:GrpTRES='cpu=10,billing=24'\nAccount - 'z':Fairshare=1\n"
        "Parent - 'g'\nAccount - 'x':Fairshare=1\nAccount - 'y':Fairshare=1\n"
    )
    alike, _ = read(lines, tmp_path, billing={"cpu": 1, "mem": 0.25})
    assert quota(alike, "g")["limit"] == pytest.approx({"billing": 20})
    differ, _ = read(
        lines, tmp_path, billing={"cpu": 1, "mem": 0.25}, demands={"g/x": {"cpu": 1.0}}
    )
    # How much billing 10 cpu are depends on whose they are.
    assert quota(differ, "g") == {"limit": {"billing": 24}}
    assert [str(one) for one in differ.dropped_limits] == ["g: GrpTRES = cpu=10"]


@pytest.mark.parametrize(
    ("weights", "capacity"),
    [
        ({"CPU": 1.0, "Mem": "0.25G"}, 100 + 0.25 * 400 / 1024),
        ({"cpu": 2.0}, 200),
        ({"mem": 0.5}, 200),
    ],
)
def test_billing_weights_as_in_slurm_conf(weights, capacity: float, tmp_path: Path) -> None:
    tree, _ = read("Account - 'a':Fairshare=1\n", tmp_path, billing=weights)
    assert tree.capacity == pytest.approx([capacity])


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ({"gres/gpu": 1.0}, "billing: unknown resource 'gres/gpu': capacity has cpu, memory"),
        ({"cpu": 0.0}, "billing: need a weight above 0"),
        ({"cpu": "2G"}, "billing, cpu: need a weight, got '2G'"),
    ],
)
def test_billing_weights_that_are_none(weights, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as error:
        read("Account - 'a':Fairshare=1\n", tmp_path, billing=weights)
    assert message in str(error.value)
    with pytest.raises(InputError, match="'a': its tasks are billed nothing"):
        read(
            "Account - 'a':Fairshare=1\n",
            tmp_path,
            billing={"cpu": 1.0},
            demands={"a": {"memory": 1.0}},
        )


def test_public_cases_of_billing(traces: Path) -> None:
    every = json.loads((traces / "fairshare" / "limits_cases.json").read_text())["cases"]
    found = [case for case in every if case["scheduler"] == "slurm"]
    assert found
    for case in found:
        weights = {name.replace("license_", "license/"): w for name, w in case["weights"].items()}
        job = {name.replace("license_", "license/"): a for name, a in case["job"].items()}
        # Slurm bills whole numbers.
        assert int(billing(job, weights, max_tres=case["max_tres"])) == case["expected"]


USERS = (
    "Account - 'dev':Fairshare=3\nAccount - 'sci':Fairshare=1\n"
    "Parent - 'dev'\nUser - 'ann':DefaultAccount='dev':Fairshare=2:GrpTRES=cpu=8\n"
    "User - 'bob':DefaultAccount='dev':Fairshare=1\n"
    "Parent - 'sci'\nUser - 'ann':DefaultAccount='dev':Fairshare=parent\n"
)


def test_cluster_and_users_survive_the_round_trip(tmp_path: Path) -> None:
    tree, _ = read(USERS, tmp_path, cluster="mira")
    assert tree.name == "mira"
    assert tree.users == ("dev/ann", "dev/bob", "sci/ann")
    write_hierarchy(tree, tmp_path / "tree.json")
    kept = read_hierarchy(tmp_path / "tree.json")
    assert kept == tree
    text, notes = export(kept, "slurm")
    assert text.startswith("Cluster - 'mira'")
    assert "User - 'ann':DefaultAccount='dev':Fairshare=2:GrpTRES='cpu=8'" in text
    assert "User - 'ann':DefaultAccount='sci':Fairshare=parent" in text
    assert not any("users are to be added" in note for note in notes)
    path = tmp_path / "again.cfg"
    path.write_text(text)
    again = import_("slurm", path, capacity=CAPACITY).made
    assert again.node_paths == tree.node_paths
    assert again.users == tree.users
    assert again.name == "mira"
    assert again.weight.tolist() == tree.weight.tolist()
    assert again.quotas == tree.quotas


def test_the_settings_that_slurm_needs(tmp_path: Path) -> None:
    tree, _ = read("Account - 'a':Fairshare=1:GrpTRES=cpu=7\n", tmp_path)
    told = "\n".join(export(tree, "slurm").notes)
    assert 'PriorityFlags=MAX_TRES and TRESBillingWeights="cpu=0.01,mem=0.0025"' in told
    assert "AccountingStorageEnforce=limits" in told
    billed, _ = read("Account - 'a':Fairshare=1\n", tmp_path, billing={"cpu": 1, "mem": 0.25})
    assert "MAX_TRES" not in "\n".join(export(billed, "slurm").notes)
