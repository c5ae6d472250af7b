"""Short names, notebook views, data frames and plots of every kind of thing."""

import math
import re
import sys
from base64 import b64decode
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot

import slotwise
from slotwise import Group, Leaf
from slotwise.instances.hierarchy.events import events
from slotwise.reports import dataframes, plots

PAGE = Path(__file__).parents[2] / "docs/reference/python.md"
INSTANCE = slotwise.Instance.from_jobs(
    "two <jobs>",
    slotwise.Cluster.uniform(2, map_slots=1, reduce_slots=1),
    [
        slotwise.Job("a", [slotwise.MapTask(3.0, 50.0, ["n0", "n1"]), 4.0], [5.0]),
        slotwise.Job("b & c", maps=[2.0]),
    ],
)
DATACENTER = slotwise.Datacenter.from_classes(
    "rack",
    ["cpu"],
    [
        slotwise.Configuration("small", 2, {"cpu": 2.0}),
        slotwise.Configuration("big", 1, {"cpu": 5}),
    ],
    [
        slotwise.JobClass("web", 0.75, 0.5, {"cpu": 1.0}),
        slotwise.JobClass("batch", 0.25, {"big": 4.0}, {"cpu": 2.0}),
    ],
    time_unit="s",
)
TREE = slotwise.Hierarchy.from_tree(
    {"cpu": 12.0}, Group("root", [Leaf("a", {"cpu": 1.0}, 3.0), Leaf("b", {"cpu": 2.0}, tasks=1)])
)


@cache
def things() -> dict[str, Any]:
    result = slotwise.heuristic(INSTANCE, "EFSS")
    plan = slotwise.guide(DATACENTER)
    load = slotwise.poisson(DATACENTER, 0.5 * plan.arrival_rate, 200, seed=1)
    return {
        "Instance": INSTANCE,
        "Cluster": INSTANCE.cluster,
        "Schedule": result.schedule,
        "Result": result,
        "Comparison": slotwise.gap(INSTANCE, time_limit=20),
        "Datacenter": DATACENTER,
        "Guidance": plan,
        "Hierarchy": TREE,
        "Allocation": slotwise.fair(TREE),
        "Timeline": slotwise.follow(TREE, events(TREE, [(1.0, ["a"], []), (4.5, [], ["a"])])),
        "Simulation": slotwise.simulate(load, "first-fit"),
    }


KINDS = list(dataframes._TABLES)
DRAWN = list(plots.DRAWN_BY)


@pytest.fixture(autouse=True)
def _figures() -> Iterator[None]:
    yield
    pyplot.close("all")


def test_every_kind_is_tried_here():
    assert set(things()) == set(KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_reprs_are_short(kind: str) -> None:
    text = repr(things()[kind])
    assert text.startswith(f"{kind}(")
    assert len(text) < 200
    assert "\n" not in text
    assert "array(" not in text


def test_reprs_of_what_is_no_table_are_short():
    assert repr(slotwise.explain("job-order")) == "Explanation('job-order')"
    sized = repr(slotwise.explain(INSTANCE, "job-order"))
    assert sized.startswith("Explanation('job-order' of 'two <jobs>': ")
    assert sized.endswith(" nonzeros)")
    load = repr(slotwise.poisson(DATACENTER, 2.0, 200, seed=1))
    assert load.startswith("Workload(200 jobs for 'rack' until 100 s: ")
    assert len(load) < 200


@pytest.mark.parametrize("kind", KINDS)
def test_notebooks_get_well_formed_html(kind: str) -> None:
    page = things()[kind]._repr_html_()
    tree = ElementTree.fromstring(page)
    said = "".join(tree.itertext())
    assert repr(things()[kind]) in said
    assert next(iter(things()[kind].to_dataframe())) in said


def picture(page: str) -> ElementTree.Element:
    (image,) = ElementTree.fromstring(page).iter("img")
    assert image.attrib["src"].startswith("data:image/svg+xml;base64,")
    return ElementTree.fromstring(b64decode(image.attrib["src"].partition(",")[2]))


def test_a_result_shows_its_certificate_and_a_chart():
    result = things()["Result"]
    page = result._repr_html_()
    rows = {row[0].text: row[1].text for row in ElementTree.fromstring(page)[1]}
    assert rows["instance"] == "two <jobs>"
    assert rows["makespan"] == "9 s"
    (bars,) = [part for part in picture(page).iter() if part.get("id") == "processing"]
    assert len([part for part in bars.iter() if part.tag.endswith("path")]) >= 4
    nothing = replace(result, schedule=None, makespan=None)._repr_html_()
    assert "<img" not in nothing


@pytest.mark.parametrize("kind", ["Comparison", "Allocation"])
def test_heuristics_and_shares_are_bars(kind: str) -> None:
    assert picture(things()[kind]._repr_html_()).tag.endswith("svg")


def test_instance_table():
    table = INSTANCE.to_dataframe()
    assert table["job"].tolist() == ["a", "a", "b & c", "a"]
    assert table["phase"].tolist() == ["map", "map", "map", "reduce"]
    assert table["task"].tolist() == [0, 1, 0, 0]
    assert table["processing_s"].tolist() == [3.0, 4.0, 2.0, 5.0]
    assert table["input_mb"].tolist()[:3] == [50.0, 0.0, 0.0]
    assert math.isnan(table["input_mb"].iloc[3])
    assert table["replicas"].tolist() == ["n0, n1", "", "", ""]


def test_schedule_and_result_tables_agree():
    result = things()["Result"]
    named, numbered = result.to_dataframe(), result.schedule.to_dataframe()
    assert named["end_s"].max() == result.makespan
    assert named["start_s"].tolist() == numbered["start_s"].tolist()
    assert (named["end_s"] - named["start_s"] - named["setup_s"]).tolist() == pytest.approx(
        INSTANCE.to_dataframe()["processing_s"].tolist()
    )
    nothing = replace(result, schedule=None, makespan=None).to_dataframe()
    assert (len(nothing), list(nothing.columns)) == (0, list(named.columns))


def test_datacenter_tables():
    table = DATACENTER.to_dataframe()
    pairs = list(zip(table["class"], table["configuration"], strict=True))
    assert pairs == [("web", "small"), ("web", "big"), ("batch", "big")]
    assert table["mean_time"].tolist() == [0.5, 0.5, 4.0]
    assert table["capacity_cpu"].tolist() == [2.0, 5.0, 5.0]
    plan = things()["Guidance"].to_dataframe()
    assert plan["machines"].sum() == 3
    assert {"jobs_web", "jobs_batch"} <= set(plan.columns)
    waits = things()["Simulation"].to_dataframe().set_index("class")
    assert waits["jobs"].sum() == 200


def test_hierarchy_tables():
    leaves = TREE.to_dataframe().set_index("leaf")
    assert leaves["guarantee"].to_dict() == {"a": 0.75, "b": 0.25}
    assert leaves["tasks"].to_dict() == {"a": math.inf, "b": 1.0}
    shares = things()["Allocation"].to_dataframe().set_index("leaf")
    assert shares["tasks"].to_dict() == pytest.approx({"a": 10.0, "b": 1.0})
    assert shares["limited_by"].to_dict() == {"a": "cpu", "b": "tasks"}
    steps = things()["Timeline"].to_dataframe()
    assert steps.groupby("leaf")["time"].apply(list)["a"] == [-math.inf, 1.0, 4.5]
    assert steps["tasks"].tolist() == pytest.approx([0.0, 1.0, 10.0, 1.0, 0.0, 1.0])


def test_comparison_table():
    comparison = things()["Comparison"]
    table = comparison.to_dataframe()
    assert isinstance(table, pd.DataFrame)
    assert table["method"].tolist() == [*(r.method for r in comparison.heuristics), "best"]
    gaps = table["makespan_s"] / comparison.best.lower_bound - 1
    assert table["gap"].tolist() == pytest.approx(gaps.tolist())


@pytest.mark.skipif(not PAGE.is_file(), reason="the docs are beside the sources only")
@pytest.mark.parametrize("kind", KINDS)
def test_the_docs_list_the_columns(kind: str) -> None:
    (line,) = [
        row for row in PAGE.read_text("utf-8").splitlines() if row.startswith(f"| `{kind}` |")
    ]
    listed = re.findall(r"`(\w+…?)`", line.split("|")[3])
    parts = {"Datacenter": ["cpu"], "Hierarchy": ["cpu"], "Guidance": ["web", "batch"]}
    wanted = []
    for name in listed:
        ends = parts[kind] if name.endswith("…") else [""]
        wanted += [name.removesuffix("…") + end for end in ends]
    assert list(things()[kind].to_dataframe().columns) == wanted


def test_without_pandas_one_line_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(slotwise.InputError, match=r"needs pandas, .*: pip install 'slotwise\[exp"):
        INSTANCE.to_dataframe()
    assert "<table>" in INSTANCE._repr_html_()


@pytest.mark.parametrize("kind", DRAWN)
def test_plots_go_where_they_are_told(kind: str) -> None:
    thing = things()[kind]
    ax = thing.plot()
    assert ax.has_data()
    assert ax.get_xlabel()
    figure, own = pyplot.subplots()
    assert thing.plot(ax=own) is own
    assert slotwise.plot(thing, own).figure is figure


def test_plots_show_the_numbers():
    shares = things()["Allocation"].plot()
    assert [bar.get_width() for bar in shares.patches] == pytest.approx([10 / 12, 2 / 12])
    work = INSTANCE.plot()
    assert [bar.get_width() for bar in work.patches] == [7.0, 2.0, 5.0, 0.0]
    jobs = things()["Guidance"].plot()
    total = sum(bar.get_width() * n for bar, n in zip(jobs.patches, [2, 1] * 2, strict=True))
    assert total == pytest.approx(things()["Guidance"].running.sum())
    web, batch = jobs.patches[:2], jobs.patches[2:]
    assert [bar.get_x() for bar in batch] == [bar.get_width() for bar in web]
    assert any(bar.get_x() > 0 for bar in batch)


def test_what_cannot_be_shown_is_told():
    with pytest.raises(slotwise.InputError, match=r"plot: needs one of Result, .*; got a Cluster"):
        slotwise.plot(INSTANCE.cluster)
    nothing = replace(things()["Result"], schedule=None, makespan=None)
    with pytest.raises(slotwise.InputError, match="has no schedule"):
        nothing.plot()
    with pytest.raises(slotwise.InputError, match="got the string 'x'"):
        slotwise.plot("x")


def test_large_things_stay_small_in_a_notebook():
    many = slotwise.Instance.from_jobs(
        "many",
        slotwise.Cluster.uniform(4, map_slots=2, reduce_slots=1),
        [slotwise.Job(f"j{k}", maps=[1.0] * 8) for k in range(250)],
    )
    shown = slotwise.timed(
        many, np.arange(2000) % 8, np.arange(2000), np.zeros(0, int), np.zeros(0, int)
    )
    result = replace(things()["Result"], instance=many, schedule=shown, makespan=shown.makespan)
    page = result._repr_html_()
    assert "<img" not in page
    assert "1988 more rows" in page
    assert len(page) < 10_000
