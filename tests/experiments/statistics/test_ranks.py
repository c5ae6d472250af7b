"""Tests between methods, worked out anew by hand or from printed tables."""

import math
from pathlib import Path

import numpy as np
import pytest
from make import cli

import slotwise
from slotwise.experiments.statistics.ranks import critical_difference

pd = pytest.importorskip("pandas")
pytest.importorskip("scikit_posthocs")


def frame(values: dict[str, list[float]]) -> "pd.DataFrame":
    rows = [
        {"instance": f"i{k}", "method": name, "gap": gap}
        for name, gaps in values.items()
        for k, gap in enumerate(gaps)
    ]
    return pd.DataFrame(rows)


def test_friedman_and_ranks_by_hand() -> None:
    # Ranks by row: (1, 2, 3), (1, 3, 2), (1.5, 1.5, 3), (1, 2, 3).
    found = slotwise.rank(
        frame({"a": [0.1, 0.1, 0.2, 0.0], "b": [0.2, 0.3, 0.2, 0.1], "c": [0.3, 0.2, 0.4, 0.5]})
    )
    assert found.methods == ("a", "b", "c")
    assert found.mean_rank.tolist() == [4.5 / 4, 8.5 / 4, 11 / 4]
    n, k = 4, 3
    plain = 12 / (n * k * (k + 1)) * (4.5**2 + 8.5**2 + 11**2) - 3 * n * (k + 1)
    ties = 1 - (2**3 - 2) / (n * (k**3 - k))
    assert found.friedman is not None
    assert found.friedman[0] == pytest.approx(plain / ties)
    assert found.friedman[1] == pytest.approx(math.exp(-plain / ties / 2))  # two degrees of freedom
    table = found.to_dataframe().set_index("method")
    assert table["best on"].to_dict() == {"a": 4, "b": 1, "c": 0}
    assert table.loc["b", "worst gap"] == 0.3


@pytest.mark.parametrize(("methods", "q"), [(2, 1.960), (3, 2.343), (5, 2.728), (10, 3.164)])
def test_critical_differences_are_those_of_demsar_s_table(methods: int, q: float) -> None:
    by_table = q * math.sqrt(methods * (methods + 1) / (6 * 14))
    assert critical_difference(methods, 14, 0.05) == pytest.approx(by_table, rel=5e-4)


def test_wilcoxon_with_holm_by_hand() -> None:
    # All signs agree on 5 instances: p = 2 / 2^5. Of c and b likewise; the least is taken 3 times.
    base = np.arange(1.0, 6.0)
    found = slotwise.rank(frame({"a": list(base), "b": list(base * 2), "c": list(base * 4)}))
    assert found.wilcoxon[0, 1] == pytest.approx(3 * 2 / 2**5)
    pairs = found.pairs()
    assert not pairs["differ, Wilcoxon"].any()
    same = slotwise.rank(frame({"a": list(base), "b": list(base), "c": list(base)}))
    assert same.wilcoxon.tolist() == np.ones((3, 3)).tolist()
    assert same.friedman == (0.0, 1.0)


def test_instances_without_a_value_are_left_out_and_best_is_no_method() -> None:
    table = frame({"a": [0.1, 0.1, math.nan], "b": [0.2, 0.3, 0.2]})
    table["kind"] = "heuristic"
    best = table.assign(method="best", kind="best")
    found = slotwise.rank(pd.concat([table, best]))
    assert (found.methods, found.instances, found.left_out) == (("a", "b"), 2, 1)
    assert found.friedman is None
    with pytest.raises(slotwise.InputError, match="at least two methods"):
        slotwise.rank(table, methods=["a"])
    with pytest.raises(slotwise.InputError, match="no method 'aa': did you mean a"):
        slotwise.rank(table, methods=["aa"])
    with pytest.raises(slotwise.InputError, match="has no column 'gpa'"):
        slotwise.rank(table, "gpa")


def test_two_settings_of_a_method_are_refused(tmp_path: Path) -> None:
    # As two instances more, they would give every test twice as many blocks as there are.
    table = frame({"m1": [10.0, 10.0], "m2": [5.0, 5.0]}).assign(seconds_limit=1)
    twice = pd.concat([table, table.assign(seconds_limit=9, gap=table["gap"] + 1)])
    words = (
        "two rows of method 'm1' on instance 'i0': leave one out, or write what tells them apart"
    )
    with pytest.raises(slotwise.InputError, match=words):
        slotwise.rank(twice)
    twice.to_csv(tmp_path / "results.csv")
    end = cli("rank", tmp_path / "results.csv")
    assert end.code == 2
    assert end.err.startswith(f"slotwise: {tmp_path / 'results.csv'}: {words}")
    assert end.err.count("\n") == 1
    apart = twice.assign(method=twice["method"] + " " + twice["seconds_limit"].astype(str))
    assert slotwise.rank(apart).instances == 2
    others = frame({"a": [1.0, 2.0], "b": [2.0, 1.0]})
    assert slotwise.rank(pd.concat([twice, others]), methods=["a", "b"]).instances == 2


def test_files_of_one_name_are_instances_of_their_own_in_what_gap_writes() -> None:
    # a ran on both, b failed on the first: only the second one, where b is the best, has both.
    gaps = [("a", 0.0), ("best", 0.0), ("a", 0.5), ("b", 0.1), ("best", 0.0)]
    table = pd.DataFrame(gaps, columns=["method", "gap"]).assign(instance="i", kind="heuristic")
    table.loc[table["method"] == "best", "kind"] = "best"
    found = slotwise.rank(pd.concat([table, table.assign(instance="k")]))
    assert (found.instances, found.left_out, found.methods) == (2, 2, ("b", "a"))
    assert found.values.tolist() == [[0.1, 0.5]] * 2
    in_order = table[2:].sort_values("method", ascending=False)  # best is before a
    assert slotwise.rank(pd.concat([in_order, in_order.assign(instance="k")])).instances == 2


def test_results_of_the_collection_with_two_settings(traces: Path) -> None:
    file = traces / "regressions" / "rank-two-settings.csv"
    if not file.is_file():
        pytest.skip(f"no {file}")
    assert "two rows of method 'm1' on instance 'a'" in cli("rank", file).err


def test_the_command_writes_table_and_diagram(tmp_path: Path) -> None:
    source, table, picture = tmp_path / "gaps.csv", tmp_path / "t.tex", tmp_path / "cd.svg"
    gaps = {"mine": [0.0, 0.01] * 8, "x<y": [0.2, 0.3] * 8, "z_1": [0.4, 0.5] * 8}
    frame(gaps).to_csv(source, index=False)
    end = cli("rank", source, "-o", table, "--plot", picture)
    assert end.code == 0, end.err
    assert "3 methods on 16 instances: they differ" in end.out
    lines = table.read_text().splitlines()
    assert lines[0] == r"\begin{tabular}{lrrrrrrr}"
    assert lines[4].startswith(r"mine & 1.00 & 0.50 & ")
    assert lines[5].startswith("x$<$y & ")
    assert lines[6].startswith(r"z\_1 & ")
    assert "$<$0.001" in lines[6]
    assert "mine" in picture.read_text() or "glyph" in picture.read_text().lower()
