"""From file to printed result nothing about an instance is read, chosen or worked out twice."""

from collections import Counter

import pytest
from call_counts import counted_calls
from random_instances import tiny, with_outages
from typer.testing import CliRunner

from slotwise.commands.app import app
from slotwise.formulations.mapreduce.bounds import BOUNDS
from slotwise.formulations.mapreduce.bounds.closed_form import lower_bounds
from slotwise.formulations.mapreduce.bounds.lengths import phases
from slotwise.heuristics.mapreduce import HEURISTICS
from slotwise.heuristics.mapreduce.list_scheduling.orders import map_lengths, reduce_lengths
from slotwise.instances.mapreduce.checker import check
from slotwise.instances.mapreduce.eligibility import impossible
from slotwise.instances.mapreduce.generators.ljr import small
from slotwise.instances.mapreduce.instance_file import read_instance, write_instance
from slotwise.instances.mapreduce.setups import best_map_setups, best_reduce_setups
from slotwise.instances.mapreduce.usable_slots import usable_slots
from slotwise.solvers.mapreduce.choice import chosen_methods
from slotwise.solvers.mapreduce.result import Result

PREPARING = [
    read_instance,
    impossible,
    usable_slots,
    chosen_methods,
    lower_bounds,
    phases,
    best_map_setups,
    best_reduce_setups,
    map_lengths,
    reduce_lengths,
    Result.document,
]


def run(*arguments: object) -> None:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.output


INSTANCES = {"plain": lambda: small(3, 2, seed=1), "outages": lambda: with_outages(tiny(3), 3)}

ALWAYS = {"read_instance", "impossible"}
BOUNDED = ALWAYS | {"usable_slots", lower_bounds.__name__, "phases"}


@pytest.mark.parametrize(
    ("command", "kind", "expected", "most_checks"),
    [
        ("solve", "plain", BOUNDED | {"chosen_methods", "document"}, len(HEURISTICS.usual) + 2),
        ("gap", "outages", BOUNDED | {"chosen_methods"}, len(HEURISTICS.usual) + 2),
        ("bounds", "outages", BOUNDED, 0),
        ("heuristic", "outages", BOUNDED | {"document"}, 1),
        ("check", "outages", {"read_instance"}, 1),
    ],
)
def test_nothing_is_worked_out_twice(tmp_path, command, kind, expected, most_checks):
    """Schedules are checked once each: those of the heuristics, and a better one."""
    file, result = tmp_path / "instance.json", tmp_path / "result.json"
    write_instance(INSTANCES[kind](), file)
    arguments = {
        "solve": [file, "--time-limit", 20, "--threads", 1, "-o", result],
        "gap": [file, "--time-limit", 20, "--threads", 1],
        "bounds": [file],
        "heuristic": ["EFSS", file, "-o", result],
        "check": [file, result],
    }
    run(*("heuristic", "EFSS", file, "-o", result, "-q"))
    with counted_calls(*PREPARING, *(entry.load() for entry in BOUNDS), check) as calls:
        run(command, *arguments[command], "-q")
    checks = [key for key in calls if key[0] == "check"]
    assert sum(calls.pop(key) for key in checks) <= most_checks
    # Bounds come in three steps: the first, those of one job alone, all others.
    assert [
        key for key, count in calls.items() if count > 1 + 2 * (key[0] == lower_bounds.__name__)
    ] == []
    seen = Counter(name for name, _ in calls)
    assert expected <= seen.keys()
    assert (seen["read_instance"], seen["chosen_methods"]) == (1, "chosen_methods" in expected)
