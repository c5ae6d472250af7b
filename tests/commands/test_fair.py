"""`slotwise fair`."""

import json
from functools import partial

import pytest
from make import cli, refused
from quota_trees import eng_and_ads
from trees import broken_guarantee, figure_4

import slotwise
from slotwise.heuristics.hierarchy import ALLOCATORS
from slotwise.instances.hierarchy.hierarchy_file import write_hierarchy

run = partial(cli, "fair")


@pytest.fixture
def tree(tmp_path):
    write_hierarchy(figure_4(), tmp_path / "tree.json")
    return str(tmp_path / "tree.json")


@pytest.mark.parametrize("method", [entry.name for entry in ALLOCATORS])
def test_every_method_as_json(tree, tmp_path, method):
    result = run(tree, "--method", method, "--json", "-o", tmp_path / "out.json")
    assert result.code == 0
    document = json.loads(result.out)
    assert (document["format"], document["method"]) == ("slotwise/allocation/1", method)
    assert list(document["leaves"])[:2] == ["n1/n11", "n1/n12"]
    assert json.loads((tmp_path / "out.json").read_text()) == document


def test_table(tree):
    result = run(tree)
    assert result.code == 0
    assert "n2/n23" in result.out
    assert "every guarantee is met" in result.out
    assert run(tree, "--quiet").out == ""


def test_a_broken_guarantee_shows(tmp_path):
    write_hierarchy(broken_guarantee(), tmp_path / "tree.json")
    result = run(tmp_path / "tree.json", "--method", "mch")
    assert result.code == 0
    assert "2 guarantees are NOT met" in result.out
    assert "mch breaks guarantees here" in result.err


def test_collapsed_for_a_resource(tree):
    document = json.loads(run(tree, "--method", "ch", "--resource", "m", "--json").out)
    assert document["method"] == "ch by m"


def test_why(tree):
    assert "Limited by the cluster: m is full." in run(tree, "--why", "n2/n23").out
    answer = json.loads(run(tree, "--why", "n2/n23", "--json").out)
    assert answer["can_give"] == [
        {"node": "n1/n12", "resource": "m", "amount": pytest.approx(100), "guaranteed": 0}
    ]


def test_events_and_plot(tree, tmp_path):
    path = tmp_path / "events.json"
    rows = [{"time": 0, "leave": ["n3/n31"]}, {"time": 9, "leave": ["n1/n12"]}]
    path.write_text(json.dumps({"format": "slotwise/hierarchy-events/1", "events": rows}))
    result = run(tree, "--events", path, "--plot", tmp_path / "plot.png")
    assert result.code == 0
    assert "from time" in result.out
    assert (tmp_path / "plot.png").read_bytes().startswith(b"\x89PNG")
    steps = json.loads(run(tree, "--events", path, "--json").out)["steps"]
    assert [step["leaves"]["n2/n23"]["dominant_share"] for step in steps] == [0.5, 0.5, 1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--method", "best"], "unknown method 'best': choose from exact, mch"),
        (["--resource", "m"], "--resource is for method ch, not exact"),
        (["--why", "nobody"], "tree.json: no node 'nobody'"),
        (["--why", "n1/n11", "--events", "x"], "--why explains one allocation"),
        (["-o", "/nowhere/x.json"], "folder '/nowhere' does not exist"),
    ],
)
def test_bad_usage(tree, arguments, message):
    assert message in refused("fair", tree, *arguments)


@pytest.fixture
def quotas(tmp_path):
    write_hierarchy(eng_and_ads(), tmp_path / "quotas.json")
    return str(tmp_path / "quotas.json")


def test_a_tree_with_quotas(quotas, tmp_path):
    result = run(quotas, "--json", "-o", tmp_path / "out.json")
    document = json.loads(result.out)
    assert document["format"] == "slotwise/allocation/2"
    assert document["nodes"]["eng"] == {
        "used": {"cpu": pytest.approx(40)},
        "guaranteed": {"cpu": pytest.approx(25)},
        "limit": {"cpu": 40},
        "dominant_share": pytest.approx(0.4),
        "limited_by": ["limit:eng:cpu"],
    }
    assert document["nodes"]["ads"]["limited_by"] == ["tasks"]
    text = run(quotas).out
    assert "guarantees stated for 2 nodes: all are kept; every limit holds" in text
    assert "  dev" in text
    assert "eng/dev" in run(quotas, "--leaves").out
    assert "dev" not in run(quotas, "--depth", "1").out


def test_python_reads_and_explains_it(quotas, tmp_path):
    tree = slotwise.read(quotas)
    allocation = slotwise.fair(tree)
    assert "Limited by the maximum of eng" in str(slotwise.why(allocation, "eng/dev"))
    slotwise.write(allocation, tmp_path / "shares.json")
    again = slotwise.read(tmp_path / "shares.json", instance=tree)
    assert again.tasks == pytest.approx(allocation.tasks)


def test_questions_about_quotas(quotas):
    assert "Limited by the maximum of eng" in run(quotas, "--why", "eng/dev").out
    assert "Maximum +1 cpu" in run(quotas, "--why", "eng").out
    answer = json.loads(run(quotas, "--what-if", "eng:limit.cpu=60", "--json").out)
    assert answer["changes"][0] == {
        "node": "eng",
        "resource": "cpu",
        "before": pytest.approx(40),
        "after": pytest.approx(55),
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--method", "mch"], "knows no guarantees and limits"),
        (["--why", "eng", "--what-if", "eng:weight=2"], "are two questions: ask one at a time"),
        (["--leaves", "--what-if", "eng:weight=2"], "--leaves is for the table of shares"),
        (["--depth", "1", "--why", "eng"], "--depth is for the table of shares: leave out --why"),
        (["--leaves", "--depth", "1"], "--depth is for groups: leave out --leaves"),
        (["--plot", "x.svg", "--what-if", "eng:weight=2"], "--plot draws one allocation"),
        (["--scale-guarantees", "--method", "drf"], "--scale-guarantees is for method exact"),
    ],
)
def test_questions_that_are_refused(quotas, arguments, message):
    assert message in refused("fair", quotas, *arguments)
