"""`slotwise fair`."""

import json

import pytest
import typer
from trees import broken_guarantee, figure_4
from typer.testing import CliRunner

from slotwise.commands.fair import fair
from slotwise.heuristics.fairness import ALLOCATORS
from slotwise.instances.errors import InputError
from slotwise.instances.hierarchy.hierarchy_file import write_hierarchy

app = typer.Typer()
app.command()(fair)


@pytest.fixture
def tree(tmp_path):
    write_hierarchy(figure_4(), tmp_path / "tree.json")
    return str(tmp_path / "tree.json")


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.mark.parametrize("method", [entry.name for entry in ALLOCATORS])
def test_every_method_as_json(tree, tmp_path, method):
    result = run(tree, "--method", method, "--json", "-o", tmp_path / "out.json")
    assert result.exit_code == 0
    document = json.loads(result.stdout)
    assert (document["format"], document["method"]) == ("slotwise/allocation/1", method)
    assert list(document["leaves"])[:2] == ["n1/n11", "n1/n12"]
    assert json.loads((tmp_path / "out.json").read_text()) == document


def test_table(tree):
    result = run(tree)
    assert result.exit_code == 0
    assert "n2/n23" in result.stdout
    assert "every guarantee is met" in result.stdout
    assert run(tree, "--quiet").stdout == ""


def test_a_broken_guarantee_shows(tmp_path):
    write_hierarchy(broken_guarantee(), tmp_path / "tree.json")
    result = run(tmp_path / "tree.json", "--method", "mch")
    assert result.exit_code == 0
    assert "2 guarantees are NOT met" in result.stdout
    assert "mch breaks guarantees here" in result.stderr


def test_collapsed_for_a_resource(tree):
    document = json.loads(run(tree, "--method", "ch", "--resource", "m", "--json").stdout)
    assert document["method"] == "ch by m"


def test_why(tree):
    assert "Limited by m" in run(tree, "--why", "n2/n23").stdout
    answer = json.loads(run(tree, "--why", "n2/n23", "--json").stdout)
    assert answer["rivals"] == [
        {"leaf": "n1/n12", "dominant_share": 0.5, "guarantee": pytest.approx(1 / 6), "used": 0.5}
    ]


def test_events_and_plot(tree, tmp_path):
    path = tmp_path / "events.json"
    rows = [{"time": 0, "leave": ["n3/n31"]}, {"time": 9, "leave": ["n1/n12"]}]
    path.write_text(json.dumps({"format": "slotwise/hierarchy-events/1", "events": rows}))
    result = run(tree, "--events", path, "--plot", tmp_path / "plot.png")
    assert result.exit_code == 0
    assert "from time" in result.stdout
    assert (tmp_path / "plot.png").read_bytes().startswith(b"\x89PNG")
    steps = json.loads(run(tree, "--events", path, "--json").stdout)["steps"]
    assert [step["leaves"]["n2/n23"]["dominant_share"] for step in steps] == [0.5, 0.5, 1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--method", "best"], "unknown method 'best': choose from exact, mch"),
        (["--resource", "m"], "--resource is for method ch, not exact"),
        (["--why", "nobody"], "tree.json: no leaf 'nobody'"),
        (["--why", "n1/n11", "--events", "x"], "--why explains one allocation"),
        (["-o", "/nowhere/x.json"], "folder '/nowhere' does not exist"),
    ],
)
def test_bad_usage(tree, arguments, message):
    error = run(tree, *arguments).exception
    assert isinstance(error, InputError)
    assert message in str(error)
