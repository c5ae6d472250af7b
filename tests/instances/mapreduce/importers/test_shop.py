"""`import shop`: hybrid flow shops of two stages."""

from pathlib import Path

import pytest

import slotwise
from slotwise.instances.mapreduce.generators.two_stage import generate

GOOD = "3\n2\n2 1\n3 8\n7 2\n4 6.5\n"


def written(folder: Path, text: str) -> Path:
    path = folder / "shop-7.txt"
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    "text", [GOOD, "3 2\n2\t1\t\n3  8\n\n7 2\n4 6.5", GOOD.replace("\n", "\r\n")]
)
def test_a_job_is_a_map_and_a_reduce_task(tmp_path: Path, text: str) -> None:
    read = slotwise.read_shop(written(tmp_path, text))
    instance, notes = read.made, read.notes
    assert (instance.name, notes) == ("shop-7", ())
    assert instance.map_processing.tolist() == [3.0, 7.0, 4.0]
    assert instance.reduce_processing.tolist() == [8.0, 2.0, 6.5]
    assert instance.cluster.map_slots.sum() == 2
    assert instance.cluster.reduce_slots.sum() == 1


def test_it_is_the_shop_that_the_generator_draws(tmp_path: Path) -> None:
    drawn = generate(jobs=4, map_machines=2, reduce_machines=2, seed=3)
    times = zip(drawn.map_processing, drawn.reduce_processing, strict=True)
    lines = "\n".join(f"{a:.0f} {b:.0f}" for a, b in times)
    read = slotwise.read_shop(written(tmp_path, f"4\n2\n2 2\n{lines}\n")).made
    assert slotwise.solve(read).makespan == slotwise.solve(drawn).makespan


def test_more_stages_are_refused_unless_two_are_chosen(tmp_path: Path) -> None:
    path = written(tmp_path, "2\n3\n2 1 3\n1 2 3\n4 5 6\n")
    with pytest.raises(slotwise.InputError) as error:
        slotwise.read_shop(path)
    assert str(error.value) == f"{path}: 3 stages: need a shop of two, or take two of them (stages)"
    cut = slotwise.read_shop(path, stages=(1, 3), jobs=1)
    instance, notes = cut.made, cut.notes
    assert instance.map_processing.tolist() == [1.0]
    assert instance.reduce_processing.tolist() == [3.0]
    assert instance.cluster.reduce_slots.sum() == 3
    assert notes == ("1 job left out", "1 stage left out")
    for stages in ((0, 1), (2, 1), (1, 4)):
        with pytest.raises(slotwise.InputError, match="stages: need two of 1 to 3, ascending"):
            slotwise.read_shop(path, stages=stages)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "need the number of jobs, that of stages"),
        ("3\n2\n", "need the number of jobs, that of stages"),
        (GOOD.replace("3\n2\n", "x\n2\n", 1), ":1: need the number of jobs, 1 to"),
        (GOOD.replace("3\n2\n", "3\n0\n", 1), ":2: need the number of stages, 1 to"),
        (GOOD.replace("2 1", "2"), ":3: need machines of each stage, 2, got 1"),
        (GOOD.replace("2 1", "2 0"), ":3: need the machines of a stage"),
        (GOOD.replace("7 2", "7 2 1"), ":5: need a time for each stage, 2, got 3"),
        (GOOD.replace("7 2", "7 -2"), ":5, stage 2: need a number >= 0"),
        (GOOD.replace("7 2\n", ""), "need a line for each of 3 jobs, got 2"),
        ("3\n1\n2\n3\n7\n4\n", "1 stage: need a shop of two"),
    ],
)
def test_bad_files_are_refused_by_line(tmp_path: Path, text: str, message: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(slotwise.InputError) as error:
        slotwise.read_shop(path)
    assert message in str(error.value)
    assert str(error.value).startswith(str(path))
