"""Tables and the plot of dominant shares."""

from dataclasses import replace

import pytest
from matplotlib.figure import Figure
from printed import shown, tables
from quota_trees import group, quota_tree
from quota_trees import leaf as leaf_with_quota
from trees import broken_guarantee, figure_4, leaf, tree

from slotwise.core.errors import InputError
from slotwise.heuristics.hierarchy import fair
from slotwise.heuristics.hierarchy.timeline import follow
from slotwise.instances.hierarchy.events import events
from slotwise.instances.hierarchy.nodes import DroppedLimit
from slotwise.reports.hierarchy.fair_shares import (
    MOST_LINES,
    MOST_ROWS,
    allocation_table,
    timeline_table,
)
from slotwise.reports.hierarchy.limit_tables import node_table
from slotwise.reports.plots import plot, write_plot


def test_figure_4_row_by_row():
    # MCH, Figure 4a: both resources are used up; 200 of each.
    text = shown(allocation_table(fair(figure_4())))
    assert "Fair shares by exact" in text
    assert "used: c 100 %, m 100 %; every guarantee is met" in text
    (rows,) = tables(text)
    assert list(rows[0]) == ["leaf", "tasks", "dominant share", "guarantee", "met", "limited by"]
    assert [list(row.values()) for row in rows] == [
        ["n1/n11", "66.6667", "33.33 %", "16.67 %", "yes", "c"],
        ["n1/n12", "100", "50 %", "16.67 %", "yes", "m"],
        ["n2/n21", "33.3333", "16.67 %", "11.11 %", "yes", "c"],
        ["n2/n22", "33.3333", "16.67 %", "11.11 %", "yes", "c"],
        ["n2/n23", "100", "50 %", "11.11 %", "yes", "m"],
        ["n3/n31", "66.6667", "33.33 %", "33.33 %", "yes", "c"],
    ]


def test_tasks_that_all_run_are_what_limits():
    (rows,) = tables(shown(allocation_table(fair(tree(leaf("a", 0.1, 0, tasks=4))))))
    assert list(rows[0].values()) == ["a", "4", "40 %", "100 %", "yes", "tasks"]


def test_each_guarantee_that_is_not_met_is_marked():
    # MCH as printed gives a six seventeenths, and it is guaranteed a half.
    text = shown(allocation_table(fair(broken_guarantee(), "mch")))
    (rows,) = tables(text)
    first = rows[0]
    assert (first["leaf"], first["met"]) == ("a", "NO")
    assert (first["dominant share"], first["guarantee"]) == ("35.29 %", "50 %")
    assert sum(row["met"] == "NO" for row in rows) == 2
    assert "2 guarantees are NOT met" in text


def test_shares_over_time():
    hierarchy = figure_4()
    rows = [(10, [], ["n1/n12"]), (20, [], ["n1/n11"]), (30, [], ["n2/n23"])]
    text = shown(timeline_table(follow(hierarchy, events(hierarchy, rows))))
    assert "Dominant shares by exact" in text
    (rows,) = tables(text)
    assert list(rows[0]) == ["from time", "leaf", "dominant share"]
    # Without n12 all of m is for n23; without n11 the groups 2 and 3 share c by halves.
    assert [list(row.values()) for row in rows] == [
        ["before 10", "n1/n11", "33.33 %"],
        ["", "n1/n12", "50 %"],
        ["", "n2/n21", "16.67 %"],
        ["", "n2/n22", "16.67 %"],
        ["", "n2/n23", "50 %"],
        ["", "n3/n31", "33.33 %"],
        ["10", "n1/n12", "–"],
        ["", "n2/n23", "100 %"],
        ["20", "n1/n11", "–"],
        ["", "n2/n21", "25 %"],
        ["", "n2/n22", "25 %"],
        ["", "n3/n31", "50 %"],
        ["30", "n2/n23", "–"],
    ]


def test_a_timeline_of_many_leaves_is_whole_at_80_columns():
    many = tree(*(leaf(f"a-queue-of-a-long-name-{k}", 1, 0) for k in range(30)))
    steps = events(many, [(1234567.25, [], ["a-queue-of-a-long-name-3"])])
    text = shown(timeline_table(follow(many, steps)), width=80)
    assert "before 1234567.25" in text
    assert text.count("3.33 %") == text.count("3.45 %") + 1 == MOST_LINES
    assert "… and 18 more leaves" in text


def test_table_of_many_leaves():
    many = tree(*(leaf(f"a{k}", 1, 0) for k in range(MOST_ROWS + 5)))
    text = shown(allocation_table(fair(many)))
    assert "… and 5 more leaves" in text
    assert f"a{MOST_ROWS - 1} " in text
    assert f"a{MOST_ROWS} " not in text


def test_limits_that_are_not_in_the_shares_are_in_the_verdict():
    limits = tuple(DroppedLimit("a[0]", "maxResources", f"[memory={k}]") for k in range(13))
    hierarchy = replace(tree(leaf("a[0]", 1, 0), leaf("b", 1, 0)), dropped_limits=limits)
    text = shown(allocation_table(fair(hierarchy)))
    assert "every guarantee by weight is met" in text
    assert "13 limits of the imported queues" in text
    assert "a[0]: maxResources = [memory=9]" in text
    assert "[memory=10]" not in text
    assert "… and 3 more" in text
    timeline = follow(hierarchy, events(hierarchy, [(10, [], ["b"])]))
    assert "13 limits of the imported queues" in shown(timeline_table(timeline))
    assert len(timeline.document()["dropped_limits"]) == 13


def test_no_leaf_with_tasks_is_no_guarantee_met():
    text = shown(allocation_table(fair(tree(leaf("a", 1, 0, tasks=0)))))
    assert "no leaf has tasks" in text
    assert "every guarantee" not in text


def test_lines_of_the_plot():
    hierarchy = figure_4()
    timeline = follow(hierarchy, events(hierarchy, [(10, [], ["n1/n12"]), (20, [], ["n2/n23"])]))
    ax = timeline.plot(Figure().add_subplot())
    lines = {line.get_label(): line for line in ax.get_lines()}
    assert list(lines) == list(hierarchy.paths)
    assert lines["n2/n23"].get_ydata()[:2].tolist() == pytest.approx([0.5, 1])
    assert str(lines["n2/n23"].get_ydata()[2]) == "nan"  # it has left
    assert ax.get_ylabel() == "dominant share"
    assert "–" in shown(timeline_table(timeline))


def test_rows_of_a_timeline_are_dated_as_the_file_dates_them():
    hierarchy = tree(leaf("a", 1, 0), leaf("b", 1, 0))
    times = [1234567.25, 1234567.5]
    rows = [(times[0], [], ["b"]), (times[1], ["b"], [])]
    text = shown(timeline_table(follow(hierarchy, events(hierarchy, rows))))
    (rows,) = tables(text)
    first = [row["from time"] for row in rows if row["from time"]]
    assert first == ["before 1234567.25", "1234567.25", "1234567.5"]
    arrivals = [(0.1, ["a"], []), (0.30000000000000004, ["b"], [])]
    text = shown(timeline_table(follow(hierarchy, events(hierarchy, arrivals))))
    assert "before" not in text
    assert "0.30000000000000004" in text


def test_the_plot_keeps_to_the_largest():
    many = tree(*(leaf(f"a{k}", 1, 0, weight=k + 1) for k in range(MOST_LINES + 3)))
    ax = follow(many, events(many, [(1, [], ["a0"])])).plot(Figure().add_subplot())
    assert [line.get_label() for line in ax.get_lines()] == list(many.paths[3:])
    assert ax.get_legend().get_title().get_text() == "3 smaller leaves not shown"


def test_endings(tmp_path):
    hierarchy = figure_4()
    timeline = follow(hierarchy, events(hierarchy, [(10, [], ["n1/n12"])]))
    write_plot(tmp_path / "x.svg", plot, timeline)
    assert "<svg" in (tmp_path / "x.svg").read_text()
    with pytest.raises(InputError, match="a plot needs a name ending in"):
        write_plot(tmp_path / "x.txt", plot, timeline)


def test_numbers_are_whole_at_80_columns():
    long = "a-queue-of-a-long-name-in-another"
    resources = dict.fromkeys(("cpu", "memory", "ephemeral-storage"), 10000000.0)
    first = leaf_with_quota(long, demand=resources, limit={"cpu": 1234567.0})
    children = first, leaf_with_quota("b")
    text = shown(node_table(fair(quota_tree(resources, group(long, *children)))), width=80)
    assert text.count("1.23457e+06") >= 2
    assert "…" not in text
