"""Completion as shells ask for it, and its installation."""

from collections import namedtuple
from pathlib import Path

import pytest

from slotwise.commands.app import run
from slotwise.core.files.examples import examples
from slotwise.formulations import FORMULATIONS
from slotwise.heuristics.datacenter import POLICIES
from slotwise.heuristics.hierarchy import ALLOCATORS
from slotwise.heuristics.mapreduce import HEURISTICS
from slotwise.solvers.mapreduce import METHODS
from slotwise.teaching.steps import RECORDERS

Named = namedtuple("Named", "name")
NAMES = [example.name for example in examples()]


@pytest.fixture
def offered(monkeypatch, capsys):
    """What bash is offered for the last of some words, which it separates as it does."""

    def ask(*words):
        monkeypatch.setenv("_SLOTWISE_COMPLETE", "complete_bash")
        monkeypatch.setenv("COMP_WORDS", "\n".join(["slotwise", *words]))
        monkeypatch.setenv("COMP_CWORD", str(len(words)))
        with pytest.raises(SystemExit) as end:
            run([])
        assert end.value.code in (0, None)
        return [line for line in capsys.readouterr().out.splitlines() if line]

    return ask


def test_commands_and_options_are_offered(offered):
    assert set(offered("g")) == {"gap", "generate", "grade", "guide"}
    assert "--cross-check" in offered("solve", "--c")
    assert "yarn-capacity" in offered("import", "yarn")


@pytest.mark.parametrize(
    ("words", "entries"),
    [
        (["heuristic"], HEURISTICS),
        (["solve", "--method"], METHODS),
        (["explain"], FORMULATIONS),
        (["lesson"], FORMULATIONS),
        (["steps"], [*map(Named, RECORDERS)]),
        (["simulate", "--policy"], POLICIES),
        (["simulate", "--against"], POLICIES),
        (["fair", "--method"], ALLOCATORS),
    ],
)
def test_names_are_offered(offered, words, entries):
    names = [entry.name.replace(" ", r"\ ") for entry in entries]
    assert offered(*words, "") == names
    begin = names[-1][:2]
    assert offered(*words, begin) == [name for name in names if name.startswith(begin)]


def test_kinds_and_formats_are_offered(offered):
    assert offered("list", "al") == ["allocators"]
    assert "ljr" in offered("reproduce", "lj")
    assert offered("list", "schemas", "hier") == ["hierarchy", "hierarchy-events"]
    assert offered("grade", "--start", "b") == ["bound", "build"]


def test_examples_are_offered_where_a_file_is_read(offered):
    assert offered("list", "examples", "go") == [name for name in NAMES if name.startswith("go")]
    for words in (["gap"], ["fair", "--events"], ["import", "kueue"], ["check", "mine.json"]):
        assert offered(*words, "exam") == [f"example:{name}" for name in NAMES], words
        assert offered(*words, "") == []  # the shell offers files
    assert offered("solve", "example:five-jobs", "-o", "exam") != ["example:five-jobs"]
    assert offered("report", "exam") == []  # a folder


def test_bash_takes_examples_apart_at_the_colon(offered):
    assert offered("gap", "example", ":") == NAMES
    five = ["five-jobs", "five-jobs-schedule"]
    assert offered("gap", "example", ":", "fi") == five
    assert offered("check", "example", ":", "five-jobs", "example", ":", "fi") == five
    assert "--gantt" in offered("solve", "example", ":", "five-jobs", "--g")


def test_zsh_and_fish_get_help_as_well(monkeypatch, capsys):
    monkeypatch.setenv("_TYPER_COMPLETE_ARGS", "slotwise heuristic TBS")
    monkeypatch.setenv("_TYPER_COMPLETE_FISH_ACTION", "get-args")
    for shell in ("zsh", "fish"):
        monkeypatch.setenv("_SLOTWISE_COMPLETE", f"complete_{shell}")
        with pytest.raises(SystemExit):
            run([])
        said = capsys.readouterr().out
        assert "TBS-L" in said
        assert HEURISTICS.lookup("TBS-L").summary.split(",")[0] in said
        assert "EFSS" not in said.replace(HEURISTICS.lookup("TBS-L").summary, "")


def test_it_can_be_installed(tmp_path: Path, monkeypatch, capsys):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr("shellingham.detect_shell", lambda: ("bash", "bash"))
    with pytest.raises(SystemExit):
        run(["--install-completion", "bash"])
    said = capsys.readouterr().out
    script = tmp_path / ".bash_completions" / "slotwise.sh"
    assert str(script) in said
    with pytest.raises(SystemExit):
        run(["--show-completion", "bash"])
    assert capsys.readouterr().out.strip() == script.read_text().strip()
    assert "complete -o default -F _slotwise_completion slotwise" in script.read_text()
    assert str(script) in (tmp_path / ".bashrc").read_text()
