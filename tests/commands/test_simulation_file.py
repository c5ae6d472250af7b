"""`slotwise simulate FILE.toml`: a simulation in a file."""

import json
from pathlib import Path

import pytest
from make import cli

TEXT = """
datacenter = "{datacenter}"
policy = "first-fit"
against = ["best-fit"]
load = 0.9
jobs = 600
warm-up = 0.5
reference = true
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    cli("list", "examples", "four-machines", "-o", tmp_path / "four.json")
    (tmp_path / "mine.toml").write_text(TEXT.format(datacenter="four.json"))
    return tmp_path


def figures(*words: object) -> dict[str, object]:
    end = cli("simulate", *words, "--json")
    assert end.code == 0, end.err
    document = json.loads(end.out)
    for one in (document, *document.get("against", ())):
        for name in [name for name in one if "second" in name]:
            del one[name]
    return document


def test_it_says_what_its_options_say_and_the_command_line_wins(folder: Path) -> None:
    options = ("--policy", "first-fit", "--against", "best-fit", "--load", "0.9")
    options += ("--warm-up", "0.5", "--reference")
    assert figures(folder / "mine.toml") == figures(folder / "four.json", *options, "--jobs", 600)
    assert figures(folder / "mine.toml", "--jobs", 500, "--seed", 2) == figures(
        folder / "four.json", *options, "--jobs", 500, "--seed", 2
    )


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("laod = 1", "unknown key 'laod': did you mean load?"),
        ("load = true", "load: need a number, got True"),
        ("jobs = 1.5", "jobs: need an integer, got 1.5"),
        ("policy = 3", "policy: need a text, got 3"),
        ("seed = -1", "seed: "),
        ("load =", "not TOML: "),
        ('plot = "a.txt"', "a.txt: a plot needs a name ending in"),
        ("[load]", "load: need a number, got a table"),
    ],
)
def test_what_is_wrong_is_named(folder: Path, line: str, message: str) -> None:
    file = folder / "bad.toml"
    file.write_text(f'datacenter = "four.json"\n{line}\n')
    end = cli("simulate", file)
    assert (end.code, end.out, end.err.count("\n")) == (2, "", 1)
    assert message in end.err
    assert str(folder) in end.err


def test_a_datacenter_is_needed(folder: Path) -> None:
    (folder / "bad.toml").write_text("jobs = 3\n")
    assert "datacenter: is missing" in cli("simulate", folder / "bad.toml").err
