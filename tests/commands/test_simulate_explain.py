"""`slotwise simulate --explain`."""

import json

import pytest

from slotwise.commands import app
from slotwise.instances.datacenter.datacenter_file import write_datacenter
from slotwise.instances.datacenter.generators.lotes import generate


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("data") / "datacenter.json"
    write_datacenter(generate(2, 2, 2, 6, seed=1), path)
    return path


def test_the_reason_is_printed_below_the_tables_and_in_the_document(file, capsys):
    command = ["simulate", str(file), "--jobs", "50", "--explain", "2"]
    assert app.run(command) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert app.run([*command, "--json"]) == 0
    explained = json.loads(capsys.readouterr().out)["explained"]
    assert explained["arrival"] == 2
    assert shown.endswith(explained["text"])
    assert explained["text"].split()[2] == f"{explained['machine']}:"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--explain", "51"], "need an arrival from 1 to 50, got 51"),
        (["--explain", "5", "--policy", "tetris"], "policy 'tetris' is none of lotes"),
        (["--explain", "5", "--sample", "1"], "--explain and --sample exclude one another"),
        (["--explain", "5", "--start", "full"], "need a datacenter that is empty at time 0"),
    ],
)
def test_what_cannot_be_explained_is_refused_at_once(file, capsys, options, message):
    assert app.run(["simulate", str(file), "--jobs", "50", *options]) == 2
    assert message in capsys.readouterr().err
