"""Examples of the package: found by name everywhere, each read by the command it is for."""

import json
import shlex
from pathlib import Path

import pytest
from make import cli, every_command
from source_tree import files_below

import slotwise
from slotwise.core.errors import InputError
from slotwise.core.files.examples import PREFIX, examples
from slotwise.core.files.inputs import read_bytes
from slotwise.instances.csv_files import csv_rows

ROOT = Path(__file__).parents[3]
FOLDER = Path(slotwise.__file__).parent / "examples"
EXAMPLES = examples()
NAMES = [example.name for example in EXAMPLES]


@pytest.mark.skipif(not (ROOT / "examples").is_dir(), reason="the sources are not here")
def test_every_file_is_in_the_list_once() -> None:
    files = [path.name for path in files_below(ROOT, "examples/*")]
    assert sorted([*(example.file for example in EXAMPLES), "index.toml"]) == files
    assert len(set(NAMES)) == len(NAMES)


@pytest.mark.parametrize("example", EXAMPLES, ids=NAMES)
def test_its_command_reads_it(example, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = shlex.split(example.command)
    assert words[0] == "slotwise"
    assert PREFIX + example.name in words
    monkeypatch.chdir(tmp_path)
    end = cli(*words[1:])
    assert end.code == 0, end.err
    assert end.out.strip()
    for option in ("-o", "--jobs", "--gantt"):
        if option in words:
            assert (tmp_path / words[words.index(option) + 1]).stat().st_size > 0


def test_every_command_and_importer_has_an_example() -> None:
    tried = [example.command.removeprefix("slotwise ") for example in EXAMPLES]
    reading = {
        words
        for words, command in every_command().items()
        if any(mark is None for _, mark in command.paths.values())
    }
    assert {"gap", "check", "import kueue", "import openb"} <= reading
    missing = {words for words in reading if not any(t.startswith(f"{words} ") for t in tried)}
    # They take what gap, explain, simulate and the importers take, and what other commands leave.
    leave = {"solve", "lesson", "rank", "report", "verify", "serve"}
    assert missing == leave
    assert cli("solve", "example:five-jobs", "--quiet").code == 0


def test_files_made_from_other_examples_are_those(tmp_path: Path) -> None:
    made, jobs = tmp_path / "made.json", tmp_path / "jobs.csv"
    source = ("example:openb-nodes", "example:openb-pods", "--name", "gpu-cluster")
    assert cli("import", "openb", *source, "--classes", 4, "-o", made, "--jobs", jobs).code == 0
    datacenter = slotwise.read_datacenter("example:gpu-cluster")
    assert json.loads(made.read_text()) == json.loads(read_bytes("example:gpu-cluster"))
    assert jobs.read_bytes() == read_bytes("example:gpu-cluster-jobs")
    guidance = slotwise.read_guidance("example:gpu-cluster-guidance", datacenter)
    assert slotwise.check_guidance(guidance).valid


def test_python_reads_them_too() -> None:
    instance = slotwise.read("example:five-jobs")
    assert instance.name == "five-jobs"
    schedule = slotwise.read_schedule("example:five-jobs-schedule", instance)
    assert schedule is not None
    history = slotwise.read_rumen(Path("example:rumen-trace"), "example:rumen-topology").made
    assert history.name == "rumen-trace"
    assert next(csv_rows("example:openb-nodes"))[1][:2] == ["sn", "cpu_milli"]
    assert read_bytes("example:swim.tsv") == read_bytes("example:swim")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("example:five-job", "did you mean five-jobs? `slotwise list examples` lists them"),
        ("example:zzzzzz", "no such example: `slotwise list examples` lists them"),
        ("example:", "no such example: `slotwise list examples` lists them"),
        ("five-jobs", "did you mean example:five-jobs?"),
        ("examples/five-jobs.json", "did you mean example:five-jobs?"),
    ],
)
def test_a_wrong_name_is_told(name: str, said: str, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=f"^{name}: ") as error:
        slotwise.read(name)
    assert str(error.value).endswith(said)
    end = cli("solve", name)
    assert (end.code, end.out) == (2, "")
    assert end.err == f"slotwise: {error.value}\n"


def test_a_file_of_that_name_is_reached_by_its_folder(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("example:five-jobs").write_bytes(b"mine")
    assert read_bytes("./example:five-jobs") == b"mine"
    assert read_bytes("example:five-jobs") != b"mine"


def test_an_example_is_not_written(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    end = cli("heuristic", "EFSS", "example:five-jobs", "-o", "example:five-jobs")
    assert end.code == 2
    assert "choose another name" in end.err
    assert list(tmp_path.iterdir()) == []


def test_the_list() -> None:
    text = cli("list", "examples").out
    document = json.loads(cli("list", "examples", "--json").out)
    assert [example["name"] for example in document["examples"]] == NAMES
    for example in document["examples"]:
        assert set(example) == {"name", "use", "kind", "about", "command"}
        assert all(value in text for value in example.values())


def test_a_copy(tmp_path: Path) -> None:
    copy = tmp_path / "mine.json"
    assert cli("list", "examples", "five-jobs", "-o", copy).code == 0
    assert copy.read_bytes() == (FOLDER / "five-jobs.json").read_bytes()
    assert cli("list", "examples", "five-jobs").out.encode() == copy.read_bytes()
    assert (
        json.loads(cli("list", "examples", "five-jobs", "--json").out)["text"].encode()
        == copy.read_bytes()
    )
    end = cli("list", "examples", "five")
    assert end.code == 2
    assert "did you mean five-jobs?" in end.err
