"""What the papers print, as data: complete, and its averages those of its cells."""

from pathlib import Path

import numpy as np
import pytest
from source_tree import files_below

from slotwise.experiments.reproduction.claims import FOLDER, claims, printed, table

ROWS = {
    "ljr_table2": 500,
    "ljr_table2_averages": 120,
    "ljr_table3": 30,
    "hmhs_table1": 6,
    "smso_table1": 100,
    "smso_table1_rpd": 50,
    "lotes_table1": 10,
    "lotes_table2": 4,
    "mch_figure4": 6,
}


def test_all_tables_are_there() -> None:
    assert {name: len(table(name)) for name in ROWS} == ROWS
    named = {f"{name}.csv" for name in (*ROWS, "claims")}
    assert {file.name for file in FOLDER.iterdir()} >= named
    sources = Path(__file__).parents[3]
    found = files_below(sources, "experiments/reproduction/printed/*.csv")
    assert not found or {file.name for file in found} == named


def test_the_averages_of_ljr_table_2_are_those_of_its_cells() -> None:
    # Printed to two digits, from results that were not rounded.
    place = ["slot_ratio", "nodes"]
    cells, averages = table("ljr_table2"), table("ljr_table2_averages")
    assert (cells.groupby(["method", *place]).jobs.nunique() == 5).all()
    ours = cells.groupby(["method", *place]).re_percent.mean().rename("ours").reset_index()
    over_all = cells.groupby(place).re_percent.mean().rename("ours").reset_index()
    over_all["method"] = "all"
    for part, count in ((ours, 100), (over_all, 20)):
        both = averages.merge(part, on=["method", *place])
        assert len(both) == count
        assert np.allclose(both.re_percent, both.ours, atol=0.01)


def test_table_3_of_ljr_is_made_of_table_2() -> None:
    cells, averages = table("ljr_table2"), table("ljr_table3")
    by_jobs = averages[averages.jobs != "average"].astype({"jobs": int})
    ours = cells.groupby(["jobs", "method"]).re_percent.mean().rename("ours").reset_index()
    both = by_jobs.merge(ours, on=["jobs", "method"])
    assert len(both) == 25
    assert np.allclose(both.re_percent, both.ours, atol=0.01)
    last = averages[averages.jobs == "average"].set_index("method")
    means = by_jobs.groupby("method")["re_percent"].mean()
    assert np.allclose(last["re_percent"].sort_index(), means.sort_index(), atol=0.01)


def test_the_rpd_of_smso_follow_from_the_makespans_but_one() -> None:
    pairs = table("smso_table1").pivot(
        index=["instance", "nodes"], columns="gamma", values="makespan"
    )
    low, high = pairs.min(axis=1), pairs.max(axis=1)
    ours = (100 * (high - low) / low).rename("ours").reset_index()
    both = table("smso_table1_rpd").merge(ours, on=["instance", "nodes"])
    away = both[(both.rpd_percent - both.ours).abs() > 0.0051]
    assert len(both) == 50
    # The misprint that printed/README.md tells of.
    assert [tuple(row) for row in away[["instance", "nodes"]].to_numpy()] == [(1, 150)]


def test_lotes_machines_and_shares_add_up() -> None:
    assert table("lotes_table1").machines.sum() == 12583
    assert table("lotes_table2").share_of_jobs.sum() == pytest.approx(1.0)


def test_claims_are_found_by_name_paper_and_item() -> None:
    assert len(claims()) == 79
    assert len({one.id for one in claims()}) == 79
    assert {one.paper for one in claims()} == {"LJR", "HMHS", "SMSO", "LoTES", "MCH"}
    assert len(claims("LJR")) == 31
    assert [one.id for one in claims("Table 3")] == ["ljr-19", "ljr-20", "ljr-36"]
    growth = printed("smso-08")
    assert (growth.low, growth.high, growth.unit) == (None, 20.0, "%")
    with pytest.raises(KeyError):
        printed("ljr-99")
