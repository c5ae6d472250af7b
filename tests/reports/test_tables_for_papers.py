"""Tables as CSV, Parquet and LaTeX."""

import csv
import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from make import cli

import slotwise
from slotwise.instances.mapreduce.generators.ljr import small
from slotwise.instances.mapreduce.instance import SpeedFactors
from slotwise.reports.table_files import booktabs

OWN = "import slotwise\ndef mine(i):\n    return slotwise.heuristic(i, 'FIFO').schedule\n"
PICKY = """
def picky(i):
    if i.name == "late":
        raise slotwise.InputError("no")
    return mine(i)
"""
EARLY = """
from dataclasses import replace
def early(i):
    s = mine(i)
    return s if i.name == "late" else replace(s, map=replace(s.map, start=s.map.start - 1))
"""
BAD = "def bad(i):\n    raise ValueError('no')\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for seed in (1, 2):
        slotwise.write(small(2, 2, seed=seed, max_maps=2, max_reduces=2), tmp_path / f"{seed}.json")
    (tmp_path / "own.py").write_text(OWN + BAD)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_figures_align_and_text_is_escaped() -> None:
    text = booktabs(
        {"a_b": ["x&y", "50 %"], "n": [1, 20], "v": [0.5, 12.25], "p": [None, math.inf]}
    )
    assert text.splitlines() == [
        r"\begin{tabular}{lrrr}",
        r"\toprule",
        r"a\_b & n & v & p \\",
        r"\midrule",
        r"x\&y & 1 & 0.50 & -- \\",
        r"50 \% & 20 & 12.25 & $\infty$ \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]


@pytest.mark.parametrize(
    ("column", "cells"),
    [
        ([9.5, 130000.0], ["9.5", r"130000\phantom{.0}"]),
        ([9.5, 129999.999999], ["9.5", r"130000\phantom{.0}"]),
        ([1000.4, 1000.3], ["1000.4", "1000.3"]),  # four digits would do for one of them
        ([123456.78, 9.5], [r"123457\phantom{.0}", "9.5"]),
        ([0.1 + 0.2, 0.3], ["0.3", "0.3"]),  # but for rounding the same
        ([0.000196, -2.9494, 0], ["0.000196", r"$-$2.949\phantom{000}", r"0\phantom{.000000}"]),
        ([10.0, 20.0], ["10", "20"]),
    ],
)
def test_figures_that_differ_look_different(column: list[float], cells: list[str]) -> None:
    assert [
        line.removesuffix(r" \\") for line in booktabs({"v": column}).splitlines()[4:-2]
    ] == cells


def test_optima_of_the_collection(traces: Path, folder: Path) -> None:
    names = [traces / "regressions" / f"latex-{name}.json" for name in ("half", "big")]
    if not all(name.is_file() for name in names):
        pytest.skip(f"no {names[0]}")
    assert cli("gap", *names, "--heuristic", "FIFO", "--latex", "t.tex").code == 0
    rows = Path("t.tex").read_text().splitlines()[4:6]
    assert [row.split(" & ")[1] for row in rows] == ["9.5", r"130000\phantom{.0}"]


def test_a_table_floats_if_it_has_a_caption(folder: Path) -> None:
    text = slotwise.to_latex({"a": [1]}, folder / "t.tex", caption="Gaps", label="tab:gaps")
    assert (folder / "t.tex").read_text() == text
    assert text.startswith("\\begin{table}\n\\centering\n\\caption{Gaps}\n\\label{tab:gaps}\n")
    with pytest.raises(slotwise.InputError, match=r"ending in \.tex"):
        slotwise.to_latex({"a": [1]}, folder / "t.csv")


def test_gaps_of_an_own_heuristic_beside_ours_and_the_optimum(folder: Path) -> None:
    names = ("--heuristic", "own.py:mine", "--heuristic", "EFSS")
    end = cli("gap", "1.json", "2.json", *names, "-o", "gaps.csv", "--latex", "gaps.tex", "--json")
    assert end.code == 0, end.err
    documents = json.loads(end.out)["instances"]
    rows = list(csv.DictReader(Path("gaps.csv").read_text().splitlines()))
    assert [row["method"] for row in rows] == ["mine", "EFSS", "best"] * 2
    for row in rows:
        (known,) = [one for one in documents if one["instance"] == row["instance"]]
        assert float(row["optimum_s"]) == known["makespan"]
        assert float(row["bound_s"]) == known["lower_bound"]
        gap = float(row["makespan_s"]) / known["lower_bound"] - 1
        assert float(row["gap"]) == pytest.approx(gap, abs=1e-9)
        assert (row["status"] == "optimal") == (gap <= 1e-6)
    lines = Path("gaps.tex").read_text().splitlines()
    assert lines[2] == r"instance & optimum, s & mine & EFSS \\"
    assert len(lines) == 11  # begin, rule, head, rule, two rows, rule, mean, worst, rule, end
    assert lines[7].startswith(r"mean gap, \% & ")


def test_an_own_heuristic_that_fails_is_left_out_with_a_note(folder: Path) -> None:
    end = cli("gap", "1.json", "--heuristic", "own.py:bad", "--heuristic", "EFSS", "-o", "g.json")
    assert end.code == 0
    (known,) = json.loads(Path("g.json").read_text())["instances"]
    assert list(known["heuristics"]) == ["EFSS"]
    assert any("left out: heuristic 'bad'" in note and "own.py" in note for note in known["notes"])
    assert "no file 'none.py'" in cli("gap", "1.json", "--heuristic", "none.py:x").err
    assert "did you mean EFSS?" in cli("gap", "1.json", "--heuristic", "EFSSS").err


def test_heuristics_that_cannot_run_everywhere_are_missing_where_they_cannot(folder: Path) -> None:
    # FIFO takes A's two tasks first, then B's: 2, 3, its reduce task 4. The optimum runs B's map
    # task first: 1, its reduce task 2, beside A's, 3.
    cluster = slotwise.Cluster.uniform(1, racks=1, map_slots=1, reduce_slots=1)
    jobs = [slotwise.Job("A", maps=[1.0, 1.0]), slotwise.Job("B", maps=[1.0], reduces=[1.0])]
    two = slotwise.Instance.from_jobs("late", cluster, jobs)
    ones = SpeedFactors(np.ones((2, 1)), np.ones((2, 1)))
    slotwise.write(replace(two, speed_factors=ones), "late.json")
    Path("own.py").write_text(OWN + PICKY + EARLY)
    asked = [f"--heuristic=own.py:{name}" for name in ("mine", "picky", "early")]
    files = ("-o", "gaps.csv", "--latex", "gaps.tex", "--plot", "gaps.svg")
    end = cli("gap", "late.json", "1.json", *asked, "--heuristic=FIFO", *files)
    assert end.code == 0, end.err
    left_out = [line for line in end.err.splitlines() if line.startswith("note: left out: ")]
    assert len(left_out) == 2
    assert "picky: no" in left_out[0]
    assert "early made an invalid schedule: " in left_out[1]
    lines = Path("gaps.tex").read_text().splitlines()
    head, first, second = (lines[k].split(" & ") for k in (2, 4, 5))
    assert head[2:] == ["mine", "early", "FIFO", r"picky \\"]
    assert first == ["late", "3", "33.33", "33.33", "33.33", r"-- \\"]
    assert [cell for cell in second if "--" in cell] == second[3:4]
    rows = list(csv.DictReader(Path("gaps.csv").read_text().splitlines()))
    (mine,) = [row for row in rows if (row["instance"], row["method"]) == ("late", "mine")]
    assert (mine["makespan_s"], mine["assumptions_dropped"]) == ("4.0", "speed factors")
    assert {"gaps.svg"} <= {path.name for path in folder.iterdir()}


def test_parquet_is_the_same_table(folder: Path) -> None:
    pd = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    assert cli("gap", "1.json", "--heuristic", "EFSS", "-o", "gaps.parquet").code == 0
    found = pd.read_parquet("gaps.parquet")
    assert found["method"].tolist() == ["EFSS", "best"]


def test_exact_methods_say_what_each_came_to(folder: Path) -> None:
    result = slotwise.solve(slotwise.read("1.json"), methods="job-order", heuristics="FIFO")
    if result.outcomes:  # unless the bounds have settled it
        assert list(result.outcomes) == ["job-order"]
        (told,) = result.document()["methods"]
        assert told["lower_bound"] == result.outcomes["job-order"].lower_bound
