"""Jobs that arrive and leave."""

import json
from math import inf

import pytest
from trees import figure_4, leaf, tree

from slotwise.core.errors import InputError
from slotwise.heuristics.hierarchy.timeline import follow
from slotwise.instances.hierarchy.events import events, read_events, write_events


def figure_4_events(hierarchy):
    """In the manner of MCH, Figure 4b: all are there from 200 on, n12 leaves at 790."""
    return events(
        hierarchy,
        [
            (0, ["n1/n11", "n1/n12"], []),
            (100, ["n2/n21", "n2/n22", "n2/n23"], []),
            (200, ["n3/n31"], []),
            (790, [], ["n1/n12"]),
            (900, [], ["n3/n31", "n2/n22"]),
        ],
    )


@pytest.mark.parametrize("method", ["exact", "mch", "hdrf"])
def test_figure_4_over_time(method):
    hierarchy = figure_4(20_000, tasks=20_000)
    timeline = follow(hierarchy, figure_4_events(hierarchy), method)
    assert timeline.times == (0, 100, 200, 790, 900)
    expected = [
        [1, 1, 0, 0, 0, 0],
        [1 / 2, 1 / 2, 1 / 4, 1 / 4, 1 / 2, 0],
        [1 / 3, 1 / 2, 1 / 6, 1 / 6, 1 / 2, 1 / 3],
        [1 / 3, 0, 1 / 6, 1 / 6, 1, 1 / 3],
        [1 / 2, 0, 1 / 2, 0, 1, 0],
    ]
    for row, shares in zip(expected, timeline.shares, strict=True):
        assert shares == pytest.approx(row, abs=5e-4)


def test_a_leaf_without_arrival_is_there_at_first():
    hierarchy = tree(leaf("a", 1, 0), leaf("b", 1, 0))
    timeline = follow(hierarchy, events(hierarchy, [(10, [], ["b"]), (30, ["b"], [])]))
    assert timeline.times == (-inf, 10, 30)
    assert timeline.shares.tolist() == [[0.5, 0.5], [1, 0], [0.5, 0.5]]
    steps = timeline.document()["steps"]
    assert [step["time"] for step in steps] == [None, 10, 30]
    assert steps[1]["leaves"]["a"]["dominant_share"] == 1


def test_file_and_back(tmp_path):
    hierarchy = figure_4()
    rows = figure_4_events(hierarchy)
    write_events(hierarchy, rows, tmp_path / "events.json")
    assert read_events(tmp_path / "events.json", hierarchy) == rows


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"time": 5, "arrive": ["x"]}], "events, time 5: no leaf 'x' in the hierarchy"),
        (
            [{"time": 5, "leave": ["a"]}, {"time": 7, "leave": ["a"]}],
            "events, time 7: leaf 'a' leaves but is not there",
        ),
        (
            [{"time": 7, "arrive": ["a"]}, {"time": 5, "arrive": ["a"]}],
            "events, time 7: leaf 'a' arrives but is there",
        ),
        ([{"arrive": ["a"]}], "time: is missing"),
        ([], "events: need"),
    ],
)
def test_bad_files(tmp_path, rows, message):
    path = tmp_path / "events.json"
    path.write_text(json.dumps({"format": "slotwise/hierarchy-events/1", "events": rows}))
    with pytest.raises(InputError) as error:
        read_events(path, tree(leaf("a", 1, 0)))
    assert message in str(error.value)
