"""`slotwise generate`: a command for each generator, with options from its parameters."""

import json
import pickle
import re
import subprocess
import sys
from dataclasses import FrozenInstanceError, fields
from pathlib import Path

import pytest

import slotwise
from slotwise.commands.app import run
from slotwise.core.errors import InputError
from slotwise.core.parameters import parameters_of
from slotwise.core.registry import Entry
from slotwise.instances.generators import GENERATORS
from slotwise.instances.mapreduce.generators import ljr
from slotwise.instances.mapreduce.instance_file import read_instance

FEW = {"hmhs": "--jobs 2", "ljr": "--jobs 2", "smso": "--jobs 2", "lotes": "--classes 3"}
"""What makes the large ones small."""


def shown(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """The help of a command, in one line."""
    assert run([*words, "--help"]) == 0
    return " ".join(capsys.readouterr().out.split())


def test_every_generator_is_a_command_and_no_command_is_another(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["generate", "--help"]) == 0
    listed = capsys.readouterr().out.split("Commands:\n")[1]
    assert re.findall(r"^  (\S+)", listed, re.MULTILINE) == [entry.name for entry in GENERATORS]


@pytest.mark.parametrize("entry", GENERATORS, ids=lambda entry: entry.name)
def test_options_and_help_come_from_the_parameters(
    entry: Entry, capsys: pytest.CaptureFixture[str]
) -> None:
    text = shown(capsys, "generate", entry.name)
    options = set(re.findall(r"--[a-z][a-z0-9-]*", text.split("Options:")[1]))
    for one in parameters_of(entry.load()):
        name = f"--{one.about.option or one.name.replace('_', '-')}"
        assert name in options
        assert one.about.text
        assert " ".join(one.about.text.split()) in text
        options.discard(name)
        options.discard(f"--no-{name[2:]}")
    # The rest: what every command has, and other generators within reach of this one.
    others = {"lotes": {"--google-2011", "--scale", "--at-least"}, "mch": {"--binary"}}
    assert options == {"--output", "--json", "--quiet", "--help"} | others.get(entry.name, set())


@pytest.mark.parametrize("entry", GENERATORS, ids=lambda entry: entry.name)
def test_the_command_makes_what_the_function_makes(
    entry: Entry, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = FEW.get(entry.name, "").split()
    given = {words[0].removeprefix("--"): int(words[1])} if words else {}
    if any(one.name == "seed" for one in parameters_of(entry.load())):
        words += ["--seed", "4"]
        given["seed"] = 4
    file = tmp_path / "made.json"
    assert run(["generate", entry.name, *words, "-o", str(file), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["file"] == str(file)
    made = entry.load()(**given)
    source = json.loads(file.read_text()).get("source", "")
    assert source == made.source


def test_a_generator_by_an_option_of_another(tmp_path: Path) -> None:
    one, other = tmp_path / "one.json", tmp_path / "other.json"
    assert run(["generate", "mch", "--binary", "--depth", "2", "--seed", "1", "-o", str(one)]) == 0
    words = ["--levels", "2", "--partial", "0.2", "--seed", "1", "-o", str(other)]
    assert run(["generate", "mch-binary", *words]) == 0
    assert one.read_bytes() == other.read_bytes()
    words = ["--google-2011", "--scale", "0.1", "--seed", "1", "-o", str(one)]
    assert run(["generate", "lotes", *words]) == 0
    assert run(["generate", "google-2011", "--scale", "0.1", "-o", str(other)]) == 0
    assert one.read_bytes() == other.read_bytes()


def test_help_loads_no_numpy() -> None:
    program = (
        "import sys; from slotwise.commands.app import run; run(['generate', '--help']);"
        "print('numpy' in sys.modules)"
    )
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert told.stdout.splitlines()[-1] == "False"


def test_racks_are_a_number_or_the_papers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = str(tmp_path / "made.json")
    words = ["generate", "ljr", "--jobs", "1", "--seed", "1", "-o", file]
    assert run([*words, "--racks", "as published"]) == 0
    assert run([*words, "--racks", "many"]) == 2
    assert "'--racks': need a number or 'as published', got 'many'" in capsys.readouterr().err
    assert run([*words, "--racks", "99"]) == 0  # no more than nodes
    assert len(read_instance(file).cluster.rack_names) == 10


def test_parameters_are_checked_when_they_are_made() -> None:
    with pytest.raises(InputError, match="slow_share: needs a number from 0 to 1, got 2"):
        ljr.LjrParameters(seed=0, slow_share=2)
    parameters = ljr.SmallLjrParameters(2, seed=0)
    with pytest.raises(FrozenInstanceError):
        parameters.jobs = 3  # type: ignore[misc]
    assert ljr.small(parameters).source == ljr.small(2, seed=0).source  # type: ignore[call-arg,arg-type]


def test_the_docstring_has_a_section_of_parameters() -> None:
    lines = (ljr.generate.__doc__ or "").splitlines()
    assert lines[lines.index("Parameters") + 1] == "----------"
    for one in fields(ljr.LjrParameters):
        assert any(line.startswith(f"{one.name} : ") for line in lines)
    assert "replicas : int, default 4" in lines
    assert lines[lines.index("replicas : int, default 4") + 1] == "    Replicas of each block."


def test_generate_takes_a_name_or_a_function() -> None:
    named = slotwise.generate("ljr-small", jobs=2, seed=3)
    assert slotwise.generate(ljr.small, 2, seed=3).source == named.source
    parameters = ljr.SmallLjrParameters(2, seed=3)
    assert slotwise.generate("ljr-small", parameters).source == named.source
    assert slotwise.generate(lambda jobs: jobs + 1, jobs=2) == 3
    with pytest.raises(InputError, match="unknown generator 'ljrs': did you mean ljr"):
        slotwise.generate("ljrs", seed=1)


def test_a_generator_goes_to_another_process() -> None:
    assert pickle.loads(pickle.dumps(ljr.small)) is ljr.small
    parameters = ljr.SmallLjrParameters(2, seed=0)
    assert pickle.loads(pickle.dumps(parameters)) == parameters
