"""Steps are checked as the schedule that they end with."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

import slotwise
from slotwise.commands.app import run
from slotwise.teaching.steps.record import Steps

INSTANCE = slotwise.read("example:five-jobs")


@pytest.fixture(scope="module")
def steps() -> Steps:
    return slotwise.steps(INSTANCE, "TBS")


def test_recorded_steps_are_valid(steps: Steps) -> None:
    verdict = slotwise.check(INSTANCE, steps)
    assert verdict.violations == []
    assert verdict.makespan == pytest.approx(steps.makespan)


def test_false_steps_are_found_out(steps: Steps) -> None:
    last = steps.steps[-1]
    early = replace(last.rows[0], start=0.0, end=last.rows[0].end - last.rows[0].start)
    elsewhere = replace(last.rows[0], slot=0)
    for false, what in (
        (replace(steps, steps=steps.steps[:-1]), "is not scheduled"),
        (replace(steps, steps=(*steps.steps[:-1], replace(last, rows=(early,)))), "before"),
        (replace(steps, steps=(*steps.steps[:-1], replace(last, rows=(elsewhere,)))), "no node"),
        (replace(steps, steps=(*steps.steps, last)), "scheduled twice"),
        (replace(steps, makespan=1.0), "makespan"),
        (replace(steps, instance="other"), "those of 'other'"),
        (replace(steps, lanes=steps.lanes[:3]), "there is no lane"),
    ):
        found = slotwise.check(INSTANCE, false).violations
        assert any(what in line for line in found), (what, found)


def test_the_command_checks_them(
    steps: Steps, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "steps.json"
    slotwise.write(steps, path)
    assert run(["check", "example:five-jobs", str(path), "--json"]) == 0
    assert json.loads(capfd.readouterr().out)["valid"] is True
    slotwise.write(replace(steps, makespan=1.0), path)
    assert run(["check", "example:five-jobs", str(path)]) == 1
    assert "makespan" in capfd.readouterr().out


def test_steps_of_other_problems_cannot_be_checked() -> None:
    tree = slotwise.read("example:departments")
    with pytest.raises(slotwise.InputError, match="check of Steps: needs an Instance"):
        slotwise.check(tree, slotwise.steps(tree, "exact"))
