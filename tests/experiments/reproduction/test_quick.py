"""Every table and figure at its small size: it runs, and its verdicts are those to expect."""

import csv

import pytest

from slotwise.commands.app import run
from slotwise.experiments.reproduction.claims import EXPECTED as FILE
from slotwise.experiments.reproduction.claims import Verdict, expected, printed
from slotwise.experiments.reproduction.running import NAMES as MODULES
from slotwise.experiments.reproduction.running import experiment, reproduce

FAST = ("mch-figure-4",)


@pytest.mark.parametrize(
    "name",
    [name if name in FAST else pytest.param(name, marks=pytest.mark.slow) for name in MODULES],
)
def test_it_says_what_is_to_be_expected(name, tmp_path):
    done = reproduce(name, tmp_path / "runs")
    assert done.failed == 0
    surprising = [one for one in done.claims if one.verdict not in expected(one.id, "quick")]
    assert surprising == []
    assert done.claims
    files = {path.name for path in (tmp_path / "runs").iterdir()}
    assert "comparison.csv" in files
    assert ("figure" in name) <= {"figure.png", "figure.svg"}.issubset(files)


@pytest.mark.parametrize("name", MODULES)
def test_quick_runs_are_among_the_full_ones(name):
    one = experiment(name)
    assert one.name == name
    small, large = named(one.study("quick")), named(one.study("full"))
    for sources, methods in small:
        for source in sources:
            beside = [those for others, those in large if source in others]
            assert methods <= set().union(*beside)


def named(study):
    """Instances and methods of each block, by what makes them others."""
    return [
        ({repr(one.identity) for one in block.instances}, {repr(m.identity) for m in block.methods})
        for block in study.blocks
    ]


def test_expected_verdicts_are_of_claims_that_there_are():
    with FILE.open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert len({(row["id"], row["size"]) for row in rows}) == len(rows)
    for row in rows:
        assert printed(row["id"])
        assert row["size"] in ("quick", "full")
        assert expected(row["id"], row["size"]) <= set(Verdict)


def test_the_command_offers_what_is_registered(capsys):
    assert run(["reproduce", "--list"]) == 0
    out = capsys.readouterr().out
    assert all(name in out for name in MODULES)
