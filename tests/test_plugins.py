"""Methods of one's own: functions given to the verbs, and packages found by their entry points."""

import io
import json
import os
import subprocess
import sys
import tomllib
from dataclasses import replace
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest
from make import cli
from rich.console import Console
from rich.table import Table

import slotwise
from slotwise import Entry, InputError, Instance, Runner, Schedule, StopReason
from slotwise.core import registry as module
from slotwise.core.notices import warning
from slotwise.core.registry import Registry
from slotwise.heuristics.mapreduce.list_scheduling.rules import efss
from slotwise.instances.mapreduce.generators.ljr import small
from slotwise.reports.mapreduce.tables import bounds_table, comparison_table

PLUGIN = Path(__file__).parents[1] / "examples" / "plugin"


def my_rule(instance: Instance) -> Schedule:
    """What EFSS does."""
    return efss(instance)


def my_bound(instance: Instance) -> float:
    return 1.5


def broken(instance: Instance) -> Schedule:
    raise ZeroDivisionError("by nothing")


def instance_is_possible(instance: Instance) -> bool:
    return slotwise.heuristic(instance, "EFSS").schedule is not None


def no_schedule(instance: Instance) -> bool:
    return slotwise.heuristic(instance, "SMSO as printed").schedule is None


def shown(table: Table) -> str:
    console = Console(width=120, file=io.StringIO())
    console.print(table)
    return console.file.getvalue()


def found(monkeypatch: pytest.MonkeyPatch, group: str, **targets: str) -> None:
    """As if a package had these entry points."""
    points = [EntryPoint(name, target, group) for name, target in targets.items()]
    monkeypatch.setattr(module, "_entry_points", lambda of: points if of == group else [])


def test_a_heuristic_is_a_function() -> None:
    instance = small(seed=1)
    mine, theirs = slotwise.heuristic(instance, my_rule), slotwise.heuristic(instance, "EFSS")
    assert (mine.method, mine.makespan) == ("my_rule", theirs.makespan)
    comparison = slotwise.gap(instance, heuristics=[my_rule, "EASS"], time_limit=1)
    assert [result.method for result in comparison.heuristics] == ["my_rule", "EASS"]


def test_what_a_function_does_not_understand_is_dropped_and_told() -> None:
    result = slotwise.heuristic(slotwise.generate("hmhs-small", seed=1), my_rule)
    assert result.assumptions_dropped == ("speed factors",)
    entry = Entry("mine", my_rule, understands=frozenset({"speed factors"}))
    assert slotwise.heuristic(result.instance, entry).assumptions_dropped == ()


def test_a_bound_is_a_function() -> None:
    instance = small(3, 2, seed=1, max_maps=2, max_reduces=1)
    assert slotwise.bounds(instance, [lambda instance: 1.5, "LB2"])["<lambda>"] == 1.5
    known = slotwise.solve(instance, methods="branch-and-bound")
    assert known.status == "optimal"

    def nearly(instance: Instance) -> float:
        return known.makespan * (1 - 1e-9)

    result = slotwise.solve(instance, bounds=nearly, methods="improvement", time_limit=5)
    assert (result.status, result.bound_name) == ("optimal", "nearly")


def test_tables_show_bounds_of_ones_own_and_do_without_those_left_out() -> None:
    never = Entry("never", lambda instance: 1e9, valid=False)
    asked = slotwise.gap(small(seed=1), heuristics="EFSS", bounds=[never, my_bound], time_limit=1)
    text = shown(comparison_table(asked))
    assert "bound never (not valid)" in text
    assert "bound my_bound " in text
    table = bounds_table(small(seed=1), {"LB2": 3.0}, "LB2")
    assert list(table.columns[0].cells) == ["LB2"]


def test_a_bound_above_a_schedule_is_no_certificate() -> None:
    with pytest.raises(slotwise.CertificateError, match="'wrong'"):
        slotwise.heuristic(small(seed=1), "EFSS", lower_bound=1e9, bound_name="wrong")


def test_a_method_is_a_function_and_is_told_where_to_start() -> None:
    instance = small(seed=1)
    asked = []

    def mine(instance: Instance, runner: Runner) -> None:
        asked.append((runner.bound, runner.makespan, runner.schedule.makespan))
        runner.tell(bound=runner.makespan, proof="mine")

    result = slotwise.solve(instance, methods=mine)
    assert (result.status, result.bound_name) == ("optimal", "mine")
    assert asked[0][0] < asked[0][1] == asked[0][2] == result.makespan
    assert "mine: completed" in result.notes


def test_several_methods_run_side_by_side() -> None:
    def useless(instance: Instance, runner: Runner) -> str:
        runner.clock.stop.wait(60)
        return StopReason.INTERRUPTED

    instance = small(3, 2, seed=1, max_maps=2, max_reduces=1)
    result = slotwise.solve(instance, methods=["branch-and-bound", useless])
    assert result.status == "optimal"
    assert slotwise.solve(instance, methods="branch-and-bound").status == "optimal"


def test_a_method_gets_only_what_it_understands() -> None:
    def never(instance: Instance, runner: Runner) -> None:
        raise AssertionError

    result = slotwise.solve(slotwise.generate("hmhs-small", seed=1), methods=never)
    assert "never: not applicable: speed factors" in result.notes


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (lambda i: slotwise.heuristic(i, lambda instance: 3), "must return a Schedule, got 3"),
        (lambda i: slotwise.bounds(i, [lambda instance: "x"]), "a number of seconds, got 'x'"),
        (lambda i: slotwise.bounds(i, [lambda instance: -1.0]), "a number of seconds, got -1.0"),
        (lambda i: slotwise.solve(i, methods=lambda *_: 3), "must return why it ended"),
        (lambda i: slotwise.gap(i, heuristics=["EFS"]), "unknown heuristic 'EFS'"),
        (
            lambda i: slotwise.gap(i, heuristics=[my_rule, my_rule]),
            "same name: heuristic 'my_rule'",
        ),
        (lambda i: slotwise.heuristic(i, 3), "method: needs a word, a function or an Entry, got 3"),
        (lambda i: slotwise.heuristic(i, "SMSO", x=1), "no argument 'x': it takes"),
    ],
)
def test_what_is_no_method_is_told_in_one_line(wrong, says) -> None:
    with pytest.raises(InputError, match=says.replace("(", r"\(")):
        wrong(small(seed=1))


def test_parameters_of_a_heuristic(tmp_path: Path) -> None:
    path = tmp_path / "i.json"
    slotwise.write(slotwise.generate("smso-small", seed=2), path)
    ran = cli("heuristic", "SMSO", path, "--parameter", "theta=0.9", "--json")
    assert json.loads(ran.out)["makespan"] > 0
    ran = cli("heuristic", "SMSO", path, "--parameter", "theta")
    assert (ran.code, "need NAME=VALUE, got 'theta'" in ran.err) == (2, True)
    ran = cli("heuristic", "FIFO", path, "--parameter", "theta=1")
    assert (ran.code, "no argument 'theta': it takes none" in ran.err) == (2, True)
    ran = cli("heuristic", "SMSO", path, "--parameter", "load=tasks", "--parameter", "data=ignored")
    assert ran.code == 0


@pytest.mark.parametrize(
    ("name", "given", "says"),
    [
        ("EFSS", "omega=2", "omega: needs a number from 0 to 1, got 2"),
        ("TBS-L", "omega=-0.1", "omega: needs a number from 0 to 1, got -0.1"),
        ("EFSS", "omega=x", "omega: needs a number from 0 to 1, got the string 'x'"),
        ("EFSS", "omega=true", "omega: needs a number from 0 to 1, got True"),
        ("EASS", "omega=NaN", "omega: needs a number from 0 to 1, got nan"),
        ("SMSO", "theta=-1", "theta: needs a number of at least 0, got -1"),
        ("SMSO", "theta=1e999", "theta: needs a number of at least 0, got inf"),
        (
            "SMSO",
            "load=task",
            "load: did you mean tasks? needs 'seconds' or 'tasks', got the string 'task'",
        ),
        ("SMSO-Johnson", "data=3", "data: needs 'near' or 'ignored', got 3"),
        ("SMSO", "reduces=[]", "reduces: needs 'stay' or 'again', got a list"),
    ],
)
def test_values_of_parameters_are_checked(tmp_path: Path, name: str, given: str, says: str) -> None:
    path = tmp_path / "i.json"
    slotwise.write(slotwise.generate("smso-small", seed=2), path)
    ran = cli("heuristic", name, path, "--parameter", given)
    assert ran.code == 2
    assert ran.err.strip() == f"slotwise: heuristic {name!r}: {says}"


def test_annotated_parameters_of_ones_own_are_checked() -> None:
    def rule(instance: slotwise.Instance, *, width: int = 1, label=None) -> slotwise.Schedule:
        del width, label
        return efss(instance)

    instance = small(seed=1)
    for good in ({"width": 3}, {"label": 3}, {"label": "x"}):
        assert slotwise.heuristic(instance, rule, **good).makespan > 0
    with pytest.raises(InputError, match="width: needs a whole number, got 2"):
        slotwise.heuristic(instance, rule, width=2.5)


def test_the_list_tells_the_parameters() -> None:
    told = cli("list", "heuristics").out
    for spelled in ("omega=0.7", "theta=1.2", "load=seconds"):
        assert spelled in told
    rows = json.loads(cli("list", "heuristics", "--json").out)["heuristics"]
    of = {row["name"]: row["parameters"] for row in rows}
    assert of["FIFO"] == []
    every = ["theta=1.2", "load=seconds or tasks", "data=near or ignored", "reduces=stay or again"]
    assert of["SMSO"] == every


def test_entry_points_come_after_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    name = f"{__name__}:my_rule"
    monkeypatch.setitem(sys.modules, __name__, sys.modules[my_rule.__module__])
    found(monkeypatch, "slotwise.things", **{"my-rule": name})
    things = Registry(
        "thing", "slotwise.things", (Entry("ours", "heuristics.mapreduce:HEURISTICS"),)
    )
    assert things.names == ["ours", "my-rule"]
    entry = things.lookup("my-rule")
    assert (entry.load(), entry.summary) == (my_rule, "What EFSS does")
    assert entry.plugin == entry.source == __name__.split(".")[0]


@pytest.mark.parametrize(
    ("name", "target", "why"),
    [
        ("a", "no_such_package:rule", "ModuleNotFoundError: No module named 'no_such_package'"),
        ("b", "math:pi", "math:pi is no function and no Entry"),
        ("ours", "math:sqrt", "the name is taken"),
    ],
)
def test_a_plugin_that_fails_is_named_and_left_out(monkeypatch, caplog, name, target, why) -> None:
    warning.cache_clear()
    monkeypatch.setattr("slotwise.core.notices._listeners", [])
    found(monkeypatch, "slotwise.things", **{name: target})
    things = Registry(
        "thing", "slotwise.things", (Entry("ours", "heuristics.mapreduce:HEURISTICS"),)
    )
    assert things.names == ["ours"]
    (record,) = caplog.records
    assert f"thing {name!r} of package" in record.getMessage()
    assert why in record.getMessage()


def test_a_plugin_that_fails_later_is_left_out_of_the_comparison(monkeypatch) -> None:
    comparison = slotwise.gap(
        small(seed=1),
        heuristics=["EFSS", Entry("broken", broken, plugin="some-package")],
        methods=Entry("too", broken, plugin="some-package"),
    )
    assert [result.method for result in comparison.heuristics] == ["EFSS"]
    notes = " ".join(comparison.best.notes)
    assert "left out: heuristic 'broken' of package 'some-package' failed: Zero" in notes
    assert "method 'too' of package 'some-package' failed: TypeError: broken" in notes


def test_a_plugin_that_fails_by_name_is_no_bad_input() -> None:
    def fails(problem: Any) -> Any:
        raise ZeroDivisionError("by nothing")

    instance, entry = small(seed=1), Entry("broken", fails, plugin="some-package")
    tree = slotwise.generate("mch", seed=1)
    calls = {
        "heuristic": lambda: slotwise.heuristic(instance, entry),
        "bound": lambda: slotwise.bounds(instance, entry),
        "allocator": lambda: slotwise.fair(tree, entry),
        "formulation": lambda: slotwise.build(instance, entry),
        "exporter": lambda: slotwise.export(tree, entry),
    }
    for kind, call in calls.items():
        with pytest.raises(slotwise.PluginError, match="ZeroDivisionError: by nothing") as raised:
            call()
        assert str(raised.value).startswith(f"{kind} 'broken' of package 'some-package' failed: ")
        assert not isinstance(raised.value, slotwise.InputError)
    never = Entry("never", lambda instance: "soon", plugin="some-package")
    with pytest.raises(slotwise.PluginError, match=r"bound 'never' .* must be a number of seconds"):
        slotwise.bounds(instance, never)


def test_without_a_schedule_of_those_asked_for_a_heuristic_of_ours_runs() -> None:
    instance = small(seed=1)
    for asked in ([], [Entry("broken", broken, plugin="some-package")]):
        comparison = slotwise.gap(instance, heuristics=asked, methods="improvement", time_limit=1)
        assert comparison.heuristics == []
        # What a second of compiling leaves of the improvement search is no matter.
        assert comparison.best.makespan <= slotwise.heuristic(instance, "FIFO-Pri").makespan
        assert "none of the heuristics asked for" in " ".join(comparison.best.notes)


def test_a_printed_heuristic_that_breaks_the_rules_is_never_the_best() -> None:
    for seed in range(50):
        instance = slotwise.generate("smso-small", seed=seed, gamma=0.3)
        if instance_is_possible(instance) and no_schedule(instance):
            break
    comparison = slotwise.gap(instance, heuristics=["EFSS", "SMSO as printed"], time_limit=1)
    assert [result.method for result in comparison.heuristics] == ["EFSS"]
    assert comparison.best.schedule is not None
    assert "SMSO as printed: no schedule, breaks the rules" in " ".join(comparison.best.notes)


@pytest.mark.parametrize("kind", ["heuristics", "bounds", "methods", "formulations", "policies",
                                  "allocators", "generators"])  # fmt: skip
def test_every_kind_is_listed(kind: str) -> None:
    ran = cli("list", kind, "--json")
    rows = json.loads(ran.out)[kind]
    assert [row["name"] for row in rows] == slotwise.registry(kind).names
    assert all(row["summary"] and row["source"] for row in rows)
    assert rows[0]["name"] in cli("list", kind).out


def test_an_unknown_kind() -> None:
    ran = cli("list", "heuristic")
    assert (ran.code, "unknown kind 'heuristic': did you mean heuristics" in ran.err) == (2, True)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of a process that finds the example of a plug-in as if installed."""
    site = tmp_path_factory.mktemp("site")
    project = tomllib.loads((PLUGIN / "pyproject.toml").read_text())["project"]
    info = site / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    )
    lines: list[str] = []
    for group, points in project["entry-points"].items():
        lines += [f"[{group}]", *(f"{name} = {target}" for name, target in points.items())]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n")
    return os.environ | {"PYTHONPATH": os.pathsep.join([str(site), str(PLUGIN)])}


def test_the_example_of_a_plugin_appears_everywhere(
    installed: dict[str, str], tmp_path: Path
) -> None:
    def run(*words: str) -> dict:
        ended = subprocess.run(
            [sys.executable, "-m", "slotwise", *words, "--json"],
            env=installed,
            capture_output=True,
            text=True,
            check=True,
        )
        return json.loads(ended.stdout)

    rows = run("list", "heuristics")["heuristics"]
    assert rows[-1]["name"] == "longest-job-first"
    assert rows[-1]["plugin"] == "slotwise-longest-first"
    assert run("heuristic", "longest-job-first", "example:five-jobs")["makespan"] > 1500
    assert run("bounds", "example:five-jobs")["bounds"]["longest-job"] > 0
    # The plug-in's bound does not understand speed factors, so it is left out.
    assert "longest-job" not in run("bounds", "example:unequal-machines")["bounds"]
    # No heuristic reaches a bound here.
    slotwise.write(small(6, 3, seed=2), tmp_path / "open.json")
    solved = run("solve", str(tmp_path / "open.json"), "--method", "swap-jobs", "--time-limit", "5")
    assert any(note.startswith("swap-jobs: ") for note in solved["notes"])


def test_the_example_of_a_plugin_passes_its_own_tests(installed: dict[str, str]) -> None:
    subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(PLUGIN / "tests")],
        env=installed,
        cwd=PLUGIN,
        check=True,
    )


def test_an_allocator_is_a_function() -> None:
    tree = slotwise.generate("mch", seed=1)

    def halved(hierarchy: slotwise.Hierarchy) -> slotwise.Allocation:
        """Half of what the exact allocation gives."""
        whole = slotwise.fair(hierarchy)
        return replace(whole, method="halved", tasks=whole.tasks / 2)

    assert (slotwise.fair(tree, halved).tasks == slotwise.fair(tree).tasks / 2).all()
    with pytest.raises(InputError, match="must return an Allocation, got None"):
        slotwise.fair(tree, lambda hierarchy: None)
