"""`slotwise import`: a command for each importer, with options from its parameters."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
import seed_files

import slotwise
from slotwise.commands.app import run
from slotwise.core.errors import InputError
from slotwise.core.parameters import parameters_of
from slotwise.core.registry import Entry
from slotwise.instances.generators import GENERATORS
from slotwise.instances.importers import IMPORTERS, Imported, import_
from slotwise.instances.mapreduce.importers.swim import SwimOptions, read_swim

CAPACITY = {"cpu": 200.0, "memory": 400.0}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("inputs")
    seed_files.make(made)
    return made


def test_every_importer_is_a_command_and_no_command_is_another(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["import", "--help"]) == 0
    listed = capsys.readouterr().out.split("Commands:\n")[1]
    assert re.findall(r"^  (\S+)", listed, re.MULTILINE) == [entry.name for entry in IMPORTERS]


@pytest.mark.parametrize("entry", IMPORTERS, ids=lambda entry: entry.name)
def test_options_and_help_come_from_the_parameters(
    entry: Entry, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["import", entry.name, "--help"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    for one in parameters_of(entry.load()):
        for about in [part for _, part in one.about.parts] or [one.about]:
            if about.option is not None:
                assert about.text
                assert about.text in text
    assert (" --jobs FILE " in text) == ("jobs" in entry.understands)


def test_rates_are_three_options(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "swim.json"
    table = folder / "swim.tsv"
    words = ["--nodes", "4", "--node-rate", "90", "--remote-rate", "20", "-o", str(file)]
    assert run(["import", "swim", str(table), *words]) == 0
    rates = slotwise.Rates(90, 50, 20)
    assert slotwise.read(file).cluster.rates == rates
    options = SwimOptions(nodes=4, rates=rates)
    for imported in (
        read_swim(table, options),  # type: ignore[call-arg,arg-type]
        read_swim(table=table, nodes=4, rates=rates),  # type: ignore[call-arg]
    ):
        assert imported.made.cluster.rates == rates


def test_import_gives_what_was_made_notes_and_jobs(folder: Path) -> None:
    instance = import_("swim", folder / "swim.tsv", nodes=4)
    imported = slotwise.read_swim(folder / "swim.tsv", nodes=4)
    known, notes = imported.made, imported.notes
    assert isinstance(instance.made, slotwise.Instance)
    assert (instance.made.source, instance.notes) == (known.source, tuple(notes))
    trace = import_("openb", folder / "nodes.csv", folder / "pods.csv", classes=2)
    assert isinstance(trace.made, slotwise.Datacenter)
    assert trace.jobs is not None
    assert trace.job_class is not None
    assert len(trace.job_class) == trace.jobs.jobs
    tree = import_("yarn", folder / "fair.xml", capacity=CAPACITY, demand={"cpu": 1.0})
    assert isinstance(tree.made, slotwise.Hierarchy)
    assert tree.made.paths == ("eng/dev", "eng/prod", "sci")
    with pytest.raises(InputError, match="capacity: the file does not tell it"):
        import_("yarn", folder / "fair.xml")


def test_demands_come_from_a_file_too(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "demands.json"
    file.write_text(json.dumps({"sci": {"demand": {"cpu": 4}, "tasks": 9}}))
    tree = import_("yarn", folder / "fair.xml", capacity=CAPACITY, demands=file).made
    assert isinstance(tree, slotwise.Hierarchy)
    leaf = tree.leaf_at("sci")
    assert (tree.demand_of(leaf), tree.tasks[leaf]) == ({"cpu": 4.0, "memory": 0.0}, 9)
    file.write_text(json.dumps({"sci": {"demand": {"cpu": "much"}}}))
    with pytest.raises(InputError, match="'sci', demand, cpu: need a number, got 'much'"):
        import_("yarn", folder / "fair.xml", capacity=CAPACITY, demands=file)


def test_classes_come_from_a_file_or_a_datacenter(folder: Path) -> None:
    gpu = folder / "gpu.json"
    one = import_("pai", folder / "pai.csv", classes=gpu).made
    other = import_("pai", folder / "pai.csv", classes=slotwise.read_datacenter(gpu)).made
    assert isinstance(one, slotwise.Datacenter)
    assert isinstance(other, slotwise.Datacenter)
    assert np.array_equal(one.mean_time, other.mean_time)


def test_an_importer_is_a_function() -> None:
    made = slotwise.generate("ljr-small", seed=1)
    assert import_(lambda path: made, "file").made is made
    assert import_(lambda path: (made, ["one"]), "file").notes == ("one",)
    assert import_(lambda path: Imported(made, ("two",)), "file").notes == ("two",)
    with pytest.raises(InputError, match="unknown importer 'rumem': did you mean rumen"):
        import_("rumem", "file")


@pytest.mark.parametrize("entry", [*IMPORTERS, *GENERATORS], ids=lambda entry: entry.name)
def test_docstrings_list_all_parameters(entry: Entry) -> None:
    lines = (entry.load().__doc__ or "").splitlines()
    assert lines.count("Parameters") == 1
    for one in parameters_of(entry.load()):
        place = next(k for k, line in enumerate(lines) if line.startswith(f"{one.name} : "))
        assert lines[place + 1] == f"    {one.about.text}"
