"""Tables as CSV, Parquet and LaTeX."""

import csv
import json
import math
from pathlib import Path

import pytest
from lines import cli

import slotwise
from slotwise.instances.mapreduce.generators.ljr import small
from slotwise.report.latex import booktabs

OWN = "import slotwise\ndef mine(i):\n    return slotwise.heuristic(i, 'FIFO').schedule\n"
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
