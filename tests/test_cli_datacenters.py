"""Datacenters and hierarchies on the command line, from a file of the world to an answer."""

import json
from pathlib import Path

import pytest
from make import cli
from typer.testing import CliRunner

from slotwise.commands.app import app

YARN = """<allocations>
  <defaultQueueSchedulingPolicy>drf</defaultQueueSchedulingPolicy>
  <queue name="eng"><weight>3.0</weight>
    <queue name="dev"/><queue name="prod"><weight>2.0</weight></queue></queue>
  <queue name="sci"/>
</allocations>
"""


def run(*arguments: object, code: int = 0) -> str:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == code, result.output
    return result.stdout


def stopped(*arguments: object) -> str:
    end = cli(*arguments)
    assert end.code == 2
    return end.err


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "queues.xml").write_text(YARN)
    out = tmp_path / "tree.json"
    options = ("--capacity", "cpu=200,memory=400", "--demand", "cpu=1,memory=2")
    run("import", "yarn", tmp_path / "queues.xml", *options, "-o", out)
    return out


def test_queues_in_shares_out_and_back(tree: Path, tmp_path: Path) -> None:
    shares = json.loads(run("fair", tree, "--json"))["leaves"]
    assert {name: leaf["tasks"] for name, leaf in shares.items()} == pytest.approx(
        {"eng/dev": 50, "eng/prod": 100, "sci": 50}
    )
    for name in ("yarn", "yarn-capacity", "kueue"):
        exported, again = tmp_path / name, tmp_path / f"{name}.json"
        run("fair", tree, "--export", name, "-o", exported)
        options = ("--capacity", "cpu=200,memory=400", "--demand", "cpu=1,memory=2")
        run("import", name, exported, *options, "-o", again, "--quiet")
        leaves = json.loads(run("fair", again, "--json"))["leaves"].values()
        assert sorted(leaf["tasks"] for leaf in leaves) == pytest.approx([50, 50, 100])


def test_export_as_json(tree: Path) -> None:
    document = json.loads(run("fair", tree, "--export", "kueue", "--json"))
    assert document["export"] == "kueue"
    assert "kind: ClusterQueue" in document["text"]
    assert any("switch fair sharing on" in note for note in document["notes"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("fair", "TREE", "--export", "nope"), "unknown scheduler 'nope'"),
        (("fair", "TREE", "--flat"), "fair --flat is no longer there: the tree itself is written"),
        (("fair", "TREE", "--export", "yarn", "--why", "sci"), "leave out --why"),
        (("fair", "TREE", "--why", "ops"), "no node 'ops'"),
        (("import", "yarn", "QUEUES", "-o", "OUT"), "--capacity: the file does not tell it"),
        (("import", "yarn", "QUEUES", "--capacity", "cpu", "-o", "OUT"), "need name=amount"),
        (("import", "yarn", "QUEUES", "--capacity", "cpu=-1", "-o", "OUT"), "need name=amount >="),
        (("explain", "fair-share", "QUEUES"), "queues.xml"),
    ],
)
def test_bad_usage_is_one_line(tree: Path, arguments, message) -> None:
    places = {"TREE": tree, "QUEUES": tree.with_name("queues.xml"), "OUT": tree.with_name("out")}
    arguments = [places.get(argument, argument) for argument in arguments]
    error = stopped(*arguments)
    assert message in error
    assert error.count("\n") == 1
    assert not places["OUT"].exists()


def test_check_knows_every_kind(tree: Path, tmp_path: Path) -> None:
    shares, cluster, plan = (tmp_path / name for name in ("a.json", "dc.json", "g.json"))
    run("fair", tree, "-o", shares)
    assert json.loads(run("check", tree, shares, "--json"))["valid"]
    document = json.loads(shares.read_text())
    document["leaves"]["sci"]["tasks"] = 51
    shares.write_text(json.dumps(document))
    assert not json.loads(run("check", tree, shares, "--json", code=1))["valid"]
    run("generate", "lotes", "--google-2011", "--scale", "0.05", "--seed", "0", "-o", cluster)
    run("guide", cluster, "-o", plan)
    assert json.loads(run("check", cluster, plan, "--json"))["valid"]
    document = json.loads(plan.read_text())
    document["bins"][0]["machines"] += 1
    plan.write_text(json.dumps(document))
    assert not json.loads(run("check", cluster, plan, "--json", code=1))["valid"]


def test_generated_hierarchies(tmp_path: Path) -> None:
    out = tmp_path / "h.json"
    run("generate", "mch", "--binary", "--depth", "3", "--seed", "1", "-o", out)
    assert len(json.loads(run("fair", out, "--json"))["leaves"]) == 8
    run("generate", "mch", "--depth", "4", "--seed", "1", "--limited", "0.5", "-o", out)
    assert json.loads(run("fair", out, "--json"))["guarantees_met"]


def test_openb_to_guidance(traces: Path, tmp_path: Path) -> None:
    folder, out, jobs = traces / "openb", tmp_path / "openb.json", tmp_path / "jobs.csv"
    pods = folder / "openb_pod_list_default.csv.gz"
    run("import", "openb", folder / "openb_node_list_all_node.csv", pods, "--classes", "4",
        "--jobs", jobs, "-o", out)  # fmt: skip
    lines = jobs.read_text().splitlines()
    assert lines[0] == "arrival,duration,class,cpu,memory,gpu"
    assert len(lines) == 7256
    guidance = json.loads(run("guide", out, "--json"))
    assert guidance["arrival_rate"] <= guidance["arrival_rate_bound"] * (1 + 1e-9)
