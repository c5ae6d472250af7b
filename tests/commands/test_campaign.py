"""`slotwise campaign`: what it prints, what it leaves, how it ends."""

import io
import json
import os
import sys
from pathlib import Path

import printed
import pytest
from make import cli

import slotwise
from slotwise.core.errors import InputError

STUDY = """
name = "small [one]"
seeds = 2
[[instances]]
generator = "two-stage"
jobs = 2
[[methods]]
heuristic = "EFSS"
sweep.omega = [0.3, 0.7]
[[methods]]
function = "rules.py:rule"
"""

RULE = """
import os
import slotwise

def rule(instance):
    if instance.name.endswith("seed1") and not os.path.exists("repaired"):
        raise ValueError("out of order")
    return slotwise.heuristic(instance, "FIFO").schedule
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the study, which is the present one."""
    (tmp_path / "small.toml").write_text(STUDY)
    (tmp_path / "rules.py").write_text(RULE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_it_runs_goes_on_tries_again_and_writes_tables_again(folder: Path) -> None:
    end = cli("campaign", "small.toml")
    assert end.code == 1, end.err  # a run failed
    assert "small [one]: 6 of 6 runs" in end.out
    assert "EFSS omega=0.3" in end.out
    (rows,) = printed.tables(end.out)
    assert ["(n = 1)" in row["mean gap"] for row in rows] == [False, False, True]
    left = {"campaign.toml", "runs.sqlite", "manifest.json"}
    tables = {f"{name}.{kind}" for name in ("results", "times") for kind in ("csv", "parquet")}
    assert {path.name for path in (folder / "small.runs").iterdir()} == left | tables
    assert (folder / "small.runs/campaign.toml").read_text() == STUDY
    frame = slotwise.read_runs("small.runs")
    assert frame["error"].tolist() == [*[""] * 5, "ValueError: out of order"]
    assert frame["omega"].tolist()[:2] == [0.3, 0.7]

    first = (folder / "small.runs/results.csv").read_bytes()
    (folder / "repaired").touch()
    assert cli("campaign", "small.toml", "-q") == (1, "", "")  # failed runs are kept
    end = cli("campaign", "small.toml", "--retry", "--json")
    assert end.code == 0, end.err
    document = json.loads(end.out)
    assert document["folder"] == "small.runs"
    assert document["ended"] == "finished"
    by_method = {row["method"]: row for row in document["methods"]}
    assert list(by_method) == ["EFSS omega=0.3", "EFSS omega=0.7", "rules.py:rule"]
    assert [row["runs"] for row in by_method.values()] == [2, 2, 2]
    assert [row["failed"] for row in by_method.values()] == [0, 0, 0]
    assert [row["with_gap"] for row in by_method.values()] == [2, 2, 2]
    frame = slotwise.read_runs("small.runs")
    own = frame[frame["method"] == "rules.py:rule"]
    told = by_method["rules.py:rule"]
    assert told["gap"] == pytest.approx(own["gap"].mean())
    assert told["best"] == (own["makespan"] == own["best_makespan"]).mean()
    assert told["over_best_bound"] == pytest.approx((own.makespan / own.best_bound - 1).mean())

    last = (folder / "small.runs/results.csv").read_bytes()
    assert last != first
    (folder / "small.runs/results.csv").unlink()
    assert "6 of 6 runs" in cli("campaign", "small.toml", "--table").out
    assert (folder / "small.runs/results.csv").read_bytes() == last


def test_the_list_says_every_run_and_runs_nothing(folder: Path) -> None:
    study = slotwise.read_study("small.toml")
    end = cli("campaign", "small.toml", "--list")
    assert end.code == 0
    lines = end.out.splitlines()
    assert [line.split("  ") for line in lines] == [
        [run.id, f"two-stage jobs=2 seed={seed}", method]
        for run, (seed, method) in zip(
            study.runs,
            [
                (seed, method)
                for seed in (0, 1)
                for method in ("EFSS omega=0.3", "EFSS omega=0.7", "rules.py:rule")
            ],
            strict=True,
        )
    ]
    document = json.loads(cli("campaign", "small.toml", "--list", "--json").out)
    assert [row["run"] for row in document["runs"]] == [run.id for run in study.runs]
    assert sorted(os.listdir(folder)) == ["rules.py", "small.toml"]


def test_a_study_from_stdin_starts_from_the_present_folder(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(STUDY.encode())))
    assert cli("campaign", "-", "--list").out == cli("campaign", "small.toml", "--list").out


def test_the_how_to_shows_the_study_that_comes_with_the_package() -> None:
    page = Path(__file__).parents[2] / "docs/how-to/campaigns.md"
    if not page.is_file():
        pytest.skip("the docs are beside the sources only")
    shown = page.read_text().split("<!-- examples/study.toml -->\n")[1].split("```")[1]
    assert shown.partition("\n")[2] == cli("list", "examples", "study.toml").out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["absent.toml"], "absent.toml: No such file or directory"),
        (
            ["wrong.toml"],
            "wrong.toml: [[methods]] 2: unknown heuristic 'EFFS': did you mean 'EFSS'?",
        ),
        (["small.toml", "--table"], "small.runs: has no runs.sqlite"),
        (["small.toml", "--workers", "9999"], "9999 workers x 1 threads are more than "),
        (["small.toml", "--workers", "1", "--dask", "tcp://x:1"], "workers is for this machine"),
        (["small.toml", "-o", "rules.py"], "rules.py: is no folder"),
        (["small.toml", "-o", "no/where"], "no/where: folder "),
    ],
)
def test_what_is_wrong_is_said_in_a_line_before_anything_is_made(
    folder: Path, arguments: list[str], said: str
) -> None:
    text = STUDY.replace('function = "rules.py:rule"', 'heuristic = "EFFS"')
    (folder / "wrong.toml").write_text(text)
    before = sorted(os.listdir(folder))
    end = cli("campaign", *arguments)
    assert end.code == 2
    assert end.out == ""
    assert end.err.startswith(f"slotwise: {said}")
    assert end.err.count("\n") == 1
    assert sorted(os.listdir(folder)) == before


def test_without_the_libraries_it_says_what_to_install(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import slotwise.experiments.engine.tables as tables

    monkeypatch.setattr(tables, "find_spec", lambda name: None)
    end = cli("campaign", "small.toml")
    assert end.code == 2
    assert "pip install 'slotwise[experiments]'" in end.err
    assert not (folder / "small.runs").exists()
    with pytest.raises(InputError, match="slotwise\\[experiments\\]"):
        slotwise.read_runs("small.runs")
