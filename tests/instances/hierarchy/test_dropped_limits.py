"""Minimums, maximums and quotas in schedulers' files: named, kept, never forgotten."""

import json
from pathlib import Path

import networkx as nx
import pytest
from typer.testing import CliRunner

from slotwise.commands.app import app
from slotwise.core.errors import InputError
from slotwise.heuristics.hierarchy import fair
from slotwise.instances.hierarchy.allocation_file import read_allocation, write_allocation
from slotwise.instances.hierarchy.hierarchy import Hierarchy
from slotwise.instances.hierarchy.hierarchy_file import read_hierarchy, write_hierarchy
from slotwise.instances.hierarchy.schedulers.demands import DemandOptions
from slotwise.instances.hierarchy.schedulers.queue_tree import MOST_NOTES
from slotwise.instances.importers import IMPORTERS

DEMANDS = DemandOptions({"memory": 800_000.0, "cpu": 200.0})

FAIR = """<allocations>
  <queue name="root"><maxRunningApps>400</maxRunningApps>
    <queue name="etl"><weight>3.0</weight>
      <minResources>40000 mb, 10 vcores</minResources>
      <queue name="nightly"><maxAMShare>0.2</maxAMShare></queue>
      <queue name="hourly"><minResources>0 mb, 0 vcores</minResources><maxAMShare>-1.0</maxAMShare>
        <maxContainerAllocation>memory-mb=8192,
          vcores=4</maxContainerAllocation></queue></queue>
    <queue name="adhoc" type="parent">
      <queue name="lab"><maxRunningApps>7</maxRunningApps></queue></queue></queue>
  <user name="ann"><maxRunningApps>30</maxRunningApps></user>
  <userMaxAppsDefault>5</userMaxAppsDefault>
  <queueMaxAMShareDefault>0.5</queueMaxAMShareDefault>
  <queuePlacementPolicy><rule name="default" queue="adhoc.lab"/></queuePlacementPolicy>
</allocations>
"""
FAIR_LIMITS = {
    ("*", "userMaxAppsDefault", "5"),
    ("*", "queueMaxAMShareDefault", "0.5"),
    ("*", "maxRunningApps of user ann", "30"),
    ("root", "maxRunningApps", "400"),
    ("etl/nightly", "maxAMShare", "0.2"),
    ("etl/hourly", "maxContainerAllocation", "memory-mb=8192, vcores=4"),
    ("adhoc/lab", "maxRunningApps", "7"),
}

POOLS = """<allocations>
  <pool name="load"><minMaps>10</minMaps><minReduces>0</minReduces>
    <maxRunningJobs>50</maxRunningJobs></pool>
  <user name="bob"><maxRunningJobs>6</maxRunningJobs></user>
  <userMaxJobsDefault>3</userMaxJobsDefault>
</allocations>
"""
POOL_LIMITS = {
    ("*", "userMaxJobsDefault", "3"),
    ("*", "maxRunningJobs of user bob", "6"),
    ("load", "minMaps", "10"),
    ("load", "maxRunningJobs", "50"),
}

PROPERTY = "<property><name>yarn.scheduler.capacity.%s</name><value>%s</value></property>"
ROWS = "".join(
    PROPERTY % tuple(each.split("=", 1))
    for each in """maximum-applications=10000
node-locality-delay=40
root.queues=batch,web
root.capacity=100
root.batch.capacity=70
root.batch.maximum-capacity=90
root.batch.queues=day,night
root.batch.day.capacity=1w
root.batch.day.maximum-capacity=[memory=400000,vcores=80]
root.batch.day.user-limit-factor=2
root.batch.day.state=RUNNING
root.batch.night.capacity=2w
root.batch.night.state=STOPPED
root.web.capacity=30
root.web.maximum-capacity=100
root.web.minimum-user-limit-percent=25""".splitlines()
)
CAPACITY = f"<configuration>{ROWS}</configuration>"
CAPACITY_LIMITS = {
    ("*", "maximum-applications", "10000"),
    ("batch/day", "maximum-capacity", "[vcores=80]"),
    ("batch/day", "user-limit-factor", "2"),
    ("batch/night", "state", "STOPPED"),
    ("web", "minimum-user-limit-percent", "25"),
}

KUEUE = """
kind: ClusterQueue
metadata: {name: a}
spec:
  cohortName: all
  resourceGroups:
  - coveredResources: [cpu]
    flavors: [{name: spot, resources: [{name: cpu, nominalQuota: 100}]}]
---
kind: ClusterQueue
metadata: {name: b}
spec: {cohortName: all, stopPolicy: Hold}
"""

FILES = {
    "yarn": ("yarn", FAIR, FAIR_LIMITS),
    "pools": ("yarn", POOLS, POOL_LIMITS),
    "yarn-capacity": ("yarn-capacity", CAPACITY, CAPACITY_LIMITS),
    "kueue": ("kueue", KUEUE, {("b", "stopPolicy", "Hold")}),
}


def read(name: str, text: str, tmp_path: Path):
    path = tmp_path / "queues"
    path.write_text(text)
    return IMPORTERS.lookup(name).load()(path, capacity=DEMANDS.capacity)


@pytest.mark.parametrize("name", FILES)
def test_every_limit_is_named_and_kept_in_files(name: str, tmp_path: Path) -> None:
    importer, text, limits = FILES[name]
    found, notes = read(importer, text, tmp_path)
    assert {(d.queue, d.limit, d.amount) for d in found.dropped_limits} == limits
    assert len(found.dropped_limits) == len(limits)
    for queue, limit, amount in limits:
        assert f"not in the shares: {queue}: {limit} = {amount}" in notes
    write_hierarchy(found, tmp_path / "tree.json")
    again = read_hierarchy(tmp_path / "tree.json")
    assert again.dropped_limits == found.dropped_limits
    assert Hierarchy.from_graph(nx.DiGraph(found.graph())).dropped_limits == found.dropped_limits
    write_allocation(fair(again), tmp_path / "shares.json")
    kept = read_allocation(tmp_path / "shares.json", again)
    assert kept.tasks.tolist() == fair(again).tasks.tolist()


def run(*arguments: str):
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result
    return result


def test_the_verdict_says_so(tmp_path: Path) -> None:
    (tmp_path / "fair-scheduler.xml").write_text(FAIR)
    tree = str(tmp_path / "tree.json")
    file = str(tmp_path / "fair-scheduler.xml")
    result = run(
        "import", "yarn", file, "--capacity", "memory=800000,cpu=200", "-o", tree, "--json"
    )
    document = json.loads(result.stdout)
    assert document["dropped_limits"] == len(FAIR_LIMITS)
    assert "not in the shares: etl/nightly: maxAMShare = 0.2" in document["notes"]
    verdict = run("fair", tree).stdout
    assert "every guarantee is met" not in verdict
    assert "guarantees stated for 1 node: all are kept" in verdict
    assert "NOT in these shares: 7 limits of the imported queues" in verdict
    assert "etl/nightly: maxAMShare = 0.2" in verdict
    shares = json.loads(run("fair", tree, "--json").stdout)
    assert {"queue": "adhoc/lab", "limit": "maxRunningApps", "amount": "7"} in shares[
        "dropped_limits"
    ]
    why = json.loads(run("fair", tree, "--why", "adhoc/lab", "--json").stdout)
    assert {limit["queue"] for limit in why["dropped_limits"]} == {
        "*",
        "root",
        "adhoc/lab",
    }
    run("fair", tree, "-o", str(tmp_path / "shares.json"))
    checked = run("check", tree, str(tmp_path / "shares.json"))
    assert "valid" in checked.stdout
    assert "note: 7 limits of the imported queues not checked" in checked.stderr
    exported = run("fair", tree, "--export", "kueue")
    assert "note: not written: 7 limits of the imported queues" in exported.stderr


def test_thousands_are_counted_and_kept(tmp_path: Path) -> None:
    queues = "".join(
        f'<queue name="q{k}"><maxRunningApps>{k + 1}</maxRunningApps></queue>' for k in range(3000)
    )
    found, notes = read("yarn", f"<allocations>{queues}</allocations>", tmp_path)
    assert len(found.dropped_limits) == 3000
    assert sum(note.startswith("not in the shares: q") for note in notes) == MOST_NOTES
    assert any(f"{3000 - MOST_NOTES} more limits" in note for note in notes)


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        (
            [{"queue": "nobody", "limit": "x", "amount": "1"}],
            "'nobody: x = 1': there is no such queue",
        ),
        ([{"queue": "etl/hourly/x", "limit": "x", "amount": "1"}], "there is no such queue"),
        ([{"queue": "etl", "limit": "x"}], "dropped_limits, 0, amount: is missing"),
        ([{"queue": "etl", "limit": "x", "amount": 3}], "dropped_limits, 0, amount: need"),
        ([{"queue": "etl", "limit": "x", "amount": "3", "y": 1}], "y: is not a field"),
        ({}, "dropped_limits: need"),
    ],
)
def test_they_are_read_strictly(limits, message: str, tmp_path: Path) -> None:
    found, _ = read("yarn", FAIR, tmp_path)
    write_hierarchy(found, tmp_path / "tree.json")
    document = json.loads((tmp_path / "tree.json").read_text())
    document["dropped_limits"] = limits
    (tmp_path / "tree.json").write_text(json.dumps(document))
    with pytest.raises(InputError) as error:
        read_hierarchy(tmp_path / "tree.json")
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("yarn", "<allocations><userMaxAppsDefault>5</userMaxAppsDefault></allocations>"),
        ("yarn", '<allocations><queue name="root"><weight>1</weight></queue></allocations>'),
        ("yarn", '<allocations><queue name="a" type="parent"/></allocations>'),
        ("kueue", "kind: Cohort\nmetadata: {name: a}\nspec: {}\n"),
    ],
)
def test_a_file_without_queues_is_refused(name: str, text: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no queue in it|no queues: YARN makes root\.default"):
        read(name, text, tmp_path)
