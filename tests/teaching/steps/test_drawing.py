"""What a step picture shows: bars that come and go, several in a lane, boxes, marks, slides."""

from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest

import slotwise
from slotwise.teaching.steps.drawing import Picture
from slotwise.teaching.steps.html import page
from slotwise.teaching.steps.layout import layout
from slotwise.teaching.steps.record import Candidate, Mark, Row, Step, Steps

SVG = "{http://www.w3.org/2000/svg}"


def made(*steps: Step, lanes: tuple[str, ...] = ("a", "b"), unit: str = "s") -> Steps:
    return Steps("method", "instance", lanes, steps, None, unit=unit, marks=(Mark("bound", 8.0),))


def step(*rows: Row, removes: tuple[int, ...] = (), **more: object) -> Step:
    return Step("place", "title", "rule", "Some words.", rows=rows, removes=removes, **more)  # type: ignore[arg-type]


def bar(slot: int, start: float, end: float, label: str = "x") -> Row:
    return Row(slot, start, end, label, 0)


def shown(steps: Steps, number: int) -> list[str]:
    """Titles of the bars of a slide."""
    root = ElementTree.fromstring(Picture(steps).slide(number))
    groups = [g for g in root.iter(f"{SVG}g") if g.get("class") == "bar"]
    return [str(g.findtext(f"{SVG}title")).split(" on ")[0] for g in groups]


def test_bars_come_and_go() -> None:
    steps = made(
        step(bar(0, 0, 2, "p")),
        step(bar(0, 2, 4, "q")),
        step(bar(0, 0, 2, "q again"), bar(0, 2, 4, "p again"), removes=(0, 1)),
        step(bar(1, 0, 1, "r"), removes=(3,)),
    )
    assert [shown(steps, n) for n in (1, 2, 3, 4)] == [
        ["p"], ["p", "q"], ["q again", "p again"], ["q again", "r"]
    ]  # fmt: skip
    # What is taken away and drawn again shares a lane of one track with what it replaces.
    assert layout(steps).tracks == (1, 1)


def test_jobs_that_run_side_by_side_are_stacked() -> None:
    steps = made(step(bar(0, 0, 4)), step(bar(0, 1, 3)), step(bar(0, 3, 5)), step(bar(0, 2, 6)))
    plan = layout(steps)
    assert plan.tracks == (3, 1)
    assert [one.track for one in plan.bars] == [0, 1, 1, 2]
    places = [plan.y(0, one.track) for one in plan.bars]
    tops = sorted({top for top, _ in places})
    high = places[0][1]
    assert all(b - a >= high for a, b in pairwise(tops))
    assert tops[-1] + high <= plan.tops[1]
    # A lane of one bar keeps its height, also where rounding makes neighbours touch.
    touching = made(step(bar(0, 0, 0.1 + 0.2)), step(bar(0, 0.3, 1)))
    assert layout(touching).tracks == (1, 1)


def test_boxes_are_dashed_and_the_chosen_one_is_a_bar() -> None:
    candidates = tuple(Candidate(k % 2, f"c{k}", {}, (0.0, 1.0 + k)) for k in range(3))
    steps = made(step(bar(0, 0, 1), candidates=candidates, chosen=0, loser=1), step())
    root = ElementTree.fromstring(Picture(steps).slide(1))
    dashed = [r for r in root.iter(f"{SVG}rect") if r.get("stroke-dasharray")]
    assert [r.get("class") for r in dashed] == ["box", "loser"]
    after = ElementTree.fromstring(Picture(steps).slide(2))
    assert [r for r in after.iter(f"{SVG}rect") if r.get("stroke-dasharray")] == []


def test_the_axis_holds_marks_and_shares() -> None:
    plan = layout(made(step(bar(0, 0, 3))))
    assert plan.horizon == 8
    assert plan.x(8) == pytest.approx(942)
    assert plan.ticks == [0, 1, 2, 3, 4, 5, 6, 7, 8]
    # One candidate that is far off does not squeeze everything else.
    far = (Candidate(0, "far", {}, (0.0, 1e6)),)
    assert layout(made(step(bar(0, 0, 8), candidates=far))).horizon == 10
    share = Steps("m", "i", ("leaf",), (step(bar(0, 0, 0.25)),), None, unit="dominant share")
    assert layout(share).horizon == 0.25
    assert "dominant share" in Picture(share).slide(1)


def test_nothing_to_draw_is_drawn() -> None:
    empty = Steps("m", "i", (), (Step("order", "t", "r", "Nothing to do."),), None)
    ElementTree.fromstring(Picture(empty).slide(1))
    assert page(empty)


def test_slides_are_files_in_order(tmp_path: Path) -> None:
    steps = slotwise.steps(slotwise.read("example:five-jobs"), "EASS")
    files = slotwise.write_slides(steps, tmp_path / "slides")
    assert [f.name for f in files][:2] == ["01.svg", "02.svg"]
    assert sorted(f.name for f in (tmp_path / "slides").iterdir()) == [f.name for f in files]
    assert len(files) == len(steps.steps) == 31
    boxes = set()
    for number, file in enumerate(files, 1):
        root = ElementTree.parse(file).getroot()
        boxes.add(root.get("viewBox"))
        said = " ".join("".join(t.itertext()) for t in root.iter(f"{SVG}text"))
        assert f"{number}/31" in said
        assert steps.steps[number - 1].text.split()[0] in said
        assert len([g for g in root.iter(f"{SVG}g") if g.get("class") == "bar"]) == sum(
            len(one.rows) for one in steps.steps[:number]
        )
    assert len(boxes) == 1  # slides do not jump
    assert max(f.stat().st_size for f in files) < 13_000
    with pytest.raises(slotwise.InputError, match="does not exist"):
        slotwise.write_slides(steps, tmp_path / "none" / "slides")


def test_steps_come_back_from_their_file(tmp_path: Path) -> None:
    steps = slotwise.steps(slotwise.read("example:five-jobs"), "TBS")
    slotwise.write(steps, tmp_path / "steps.json")
    again = slotwise.read(tmp_path / "steps.json")
    assert again.document() == steps.document()
    assert Picture(again).page() == Picture(steps).page()


@pytest.mark.parametrize(
    ("wrong", "what"),
    [
        (step(bar(2, 0, 1)), "step 2: there is no lane 2"),
        (step(bar(0, 2, 1)), "step 2: a bar ends before it begins"),
        (step(removes=(1,)), "step 2, removes: there is no bar 1"),
        (step(bar(0, 0, 1), removes=(1,)), "step 2, removes: there is no bar 1"),
        (step(chosen=0), "step 2, chosen: there is no candidate 0"),
        (step(candidates=(Candidate(5, "c"),)), "step 2: there is no lane 5"),
    ],
)
def test_a_file_that_cannot_be_drawn_is_refused(wrong: Step, what: str, tmp_path: Path) -> None:
    slotwise.write(made(step(bar(0, 0, 1)), wrong), tmp_path / "steps.json")
    with pytest.raises(slotwise.InputError, match=what):
        slotwise.read(tmp_path / "steps.json")
