"""Reproductions: what is in a folder, what a command says, when it fails."""

import csv
import json

import pytest
import toy_experiment
from studies import run_here
from toy_experiment import InProcess

from slotwise.commands.app import run
from slotwise.experiments.engine import campaign
from slotwise.experiments.engine.campaign import Options, run_study
from slotwise.experiments.reproduction import claims as expected_module
from slotwise.experiments.reproduction import running
from slotwise.experiments.reproduction.claims import Verdict, expected
from slotwise.experiments.reproduction.outcome import comparison_csv
from slotwise.experiments.reproduction.running import planned, told
from slotwise.experiments.study.listing import spans


@pytest.fixture(autouse=True)
def toys(monkeypatch):
    toy_experiment.register(monkeypatch)


@pytest.fixture
def without_processes(monkeypatch):
    """Commands run their studies in this process."""
    inner = campaign.run_study

    def here(study, folder, options):
        return inner(study, folder, Options(**{**vars(options), "backend": InProcess}))

    for module in (campaign, running):
        monkeypatch.setattr(module, "run_study", here)


def made(names, folder, size="quick"):
    plan = planned(names, size)
    ended = run_study(plan.study, folder, Options(backend=InProcess))
    return ended, told(plan, folder)


RUNS = {"runs.sqlite", "manifest.json", "results.csv", "results.parquet", "times.csv",
        "times.parquet", "claims.md"}  # fmt: skip
SAID = {"comparison.csv", "anova.csv", "figure.png", "figure.svg"}


def test_a_table_has_everything_in_its_folder(tmp_path):
    ended, done = made(["toy-1"], tmp_path / "runs")
    assert {path.name for path in (tmp_path / "runs").iterdir()} == RUNS | SAID
    assert ended.state.fresh == 4
    assert [one.verdict for one in done.claims] == [Verdict.HOLDS, Verdict.DOES_NOT]
    first = {name: (tmp_path / "runs" / name).read_bytes() for name in SAID}
    again, _ = made(["toy-1"], tmp_path / "runs")
    assert again.state.fresh == 0
    made(["toy-1"], tmp_path / "other")
    for folder in ("runs", "other"):
        assert {name: (tmp_path / folder / name).read_bytes() for name in SAID} == first


def test_quick_runs_are_part_of_the_full_ones(tmp_path):
    made(["toy-1"], tmp_path)
    ended, _ = made(["toy-1"], tmp_path, "full")
    assert (ended.state.runs, ended.state.fresh) == (8, 4)


def test_several_share_a_store_and_each_sees_its_own_runs(tmp_path):
    ended, done = made(["toy-1", "toy-2"], tmp_path / "both")
    assert ended.state.runs == 8  # 4 instances with EFSS, which is in both, and FIFO
    for name in ("toy-1", "toy-2"):
        made([name], tmp_path / name)
        alone, beside = tmp_path / name, tmp_path / "both" / name
        files = {path.name for path in alone.iterdir()} - RUNS
        assert {path.name for path in beside.iterdir()} == files
        for file in files:
            assert (beside / file).read_bytes() == (alone / file).read_bytes()
    merged = (tmp_path / "both" / "comparison.csv").read_bytes()
    assert merged == comparison_csv([*done.claims, *done.cells])
    rows = list(csv.DictReader(merged.decode().splitlines()))
    assert [row["id"] for row in rows] == ["ljr-19", "ljr-03", "ljr-20", "lotes-08", "toy-1/2"]
    assert {path.name for path in (tmp_path / "both").iterdir()} >= RUNS


def test_an_experiment_gets_the_frame_that_run_here_makes(tmp_path, monkeypatch):
    seen = []
    compare = toy_experiment.EXPERIMENTS[1].compare
    object.__setattr__(
        toy_experiment.EXPERIMENTS[1],
        "compare",
        lambda frame, size: seen.append(frame) or compare(frame, size),
    )
    try:
        made(["toy-1", "toy-2"], tmp_path)
    finally:
        object.__setattr__(toy_experiment.EXPERIMENTS[1], "compare", compare)
    times = ["seconds", "cpu_seconds", "host", "pid", "build"]
    plain = run_here(toy_experiment.second_study("quick"))
    assert list(seen[0].columns) == list(plain.columns)
    assert seen[0].drop(columns=times).equals(plain.drop(columns=times))


def test_claims_in_words_have_the_losses_first(tmp_path):
    _, done = made(["toy-1", "toy-2"], tmp_path)
    text = (tmp_path / "claims.md").read_text()
    assert "8 runs, seeds 0, 1, none failed" in text
    assert "Python 3." in text
    assert text.index("**does not hold** | ljr-03") < text.index("| holds | ljr-19")
    assert text.index("### LJR") < text.index("### LoTES")
    assert "1.5: a better algorithm" in text
    assert "lotes-08" in text
    assert "too few machines" in text
    assert done.agreeing <= done.testable == 1


def test_the_command_prints_claims_and_fails_for_those_that_should_hold(
    tmp_path, monkeypatch, capsys, without_processes
):
    monkeypatch.setenv("COLUMNS", "70")
    table = {("ljr-03", "quick"): frozenset({Verdict.DOES_NOT})}
    monkeypatch.setattr(expected_module, "_expected", lambda: table)
    line = ["reproduce", "toy-1", "-o", str(tmp_path / "runs")]
    assert run(line) == 0
    out, err = capsys.readouterr()
    assert out.index("does not hold") < out.index("holds  ")
    assert "2 claims: 1 do not hold, 1 hold." in out
    assert "of 1 printed numbers agree" in out
    assert max(map(len, out.split("Everything")[0].splitlines()[1:])) <= 70
    assert "--full is the paper's own size, 8 runs" in err
    table["ljr-03", "quick"] = frozenset({Verdict.HOLDS, Verdict.PARTLY})
    assert run([*line, "-q"]) == 1
    assert run([*line, "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["should_hold_and_does_not"] == ["ljr-03"]
    assert [one["id"] for one in document["experiments"][0]["claims"]] == ["ljr-19", "ljr-03"]
    assert document["experiments"][0]["claims"][1]["verdict"] == "does not hold"


def test_the_command_lists_experiments_and_runs_without_running(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run(["reproduce", "--list"]) == 0
    assert "another | toy" in capsys.readouterr().out
    assert run(["reproduce", "toy-1", "--list", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["runs"]
    assert [row["run"] for row in rows] == [
        one.id for one in toy_experiment.first_study("quick").runs
    ]
    assert rows[0]["method"] == "EFSS"
    assert "nodes=2" in rows[0]["instance"]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["toy-3"], "unknown experiment 'toy-3': did you mean toy-"),
        ([], "name a table or figure"),
        (["toy-1", "--quick", "--full"], "--quick and --full exclude one another"),
    ],
)
def test_what_cannot_be_reproduced_is_told_in_a_line(words, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run(["reproduce", *words]) == 2
    out, err = capsys.readouterr()
    assert message in err
    assert (out, err.count("\n")) == ("", 1)
    assert list(tmp_path.iterdir()) == []


def test_failed_runs_are_left_out_and_make_it_fail(tmp_path, monkeypatch, without_processes):
    from slotwise.experiments.engine.kinds import makespan

    inner = makespan.Prepared.run

    def broken(self, method):
        if self.name.endswith("seed1"):
            raise ZeroDivisionError("on purpose")
        return inner(self, method)

    monkeypatch.setattr(makespan.Prepared, "run", broken)
    done = running.reproduce("toy-1", tmp_path)
    assert (done.failed, done.parts[0].failed) == (2, 2)
    assert done.claims[0].note == "2 of 2 cases"
    assert run(["reproduce", "toy-1", "-o", str(tmp_path), "-q"]) == 1
    monkeypatch.setattr(makespan.Prepared, "run", inner)
    assert running.reproduce("toy-1", tmp_path, retry=True).failed == 0


def test_nothing_is_expected_of_an_unknown_claim():
    assert expected("toy-99", "quick") == frozenset(Verdict)


def test_seeds_in_words():
    assert spans([0, 1, 2, 3, 7, 9, 10]) == "0 to 3, 7, 9, 10"
