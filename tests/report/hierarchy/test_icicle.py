"""The tree of queues as a picture."""

from pathlib import Path

import pytest
from quota_trees import eng_and_ads

from slotwise import InputError
from slotwise.heuristics.hierarchy.exact import exact
from slotwise.report.hierarchy.icicle import boxes, icicle_page, write_icicle


def test_boxes_are_as_wide_as_what_is_used():
    allocation = exact(eng_and_ads())
    paths = allocation.hierarchy.node_paths
    places = {paths[box.node]: box for box in boxes(allocation, 0)}
    # eng 40 of 100 with dev 30 and test 10, ads 45; 15 are idle.
    assert {path: round(box.left, 9) for path, box in places.items()} == {
        "root": 0, "eng": 0, "eng/dev": 0, "eng/test": 0.3, "ads": 0.4,
    }  # fmt: skip
    assert places["eng/dev"].width == pytest.approx(0.3)
    assert places["eng/dev"].guaranteed == pytest.approx(20 / 30)
    assert [path for path, box in places.items() if box.full] == ["eng"]


def test_page_and_pictures(tmp_path: Path):
    allocation = exact(eng_and_ads())
    text = icicle_page(allocation)
    assert "eng/dev: 30 %" in text
    assert "limit:eng:cpu" in text
    assert "<script" not in text
    for name in ("tree.html", "tree.png", "tree.svg", "tree.pdf"):
        write_icicle(allocation, tmp_path / name)
        assert (tmp_path / name).stat().st_size > 1000
    with pytest.raises(InputError, match="needs a name ending in"):
        write_icicle(allocation, tmp_path / "tree.gif")
