"""Tables of bounds and comparisons, read cell by cell."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from printed import WIDE, shown, tables
from typer.testing import CliRunner

from slotwise.commands.app import app
from slotwise.formulations.mapreduce.bounds import BOUNDS
from slotwise.instances.mapreduce.cluster import Cluster
from slotwise.instances.mapreduce.history import Events, History
from slotwise.instances.mapreduce.instance import Instance, Job
from slotwise.instances.mapreduce.instance_file import write_instance
from slotwise.reports.mapreduce.gap_table import gap_latex
from slotwise.reports.mapreduce.plots import draw_gaps
from slotwise.reports.mapreduce.tables import comparison_table, summary_table
from slotwise.solvers.mapreduce.comparison import Comparison
from slotwise.solvers.mapreduce.result import Result, Status


@pytest.fixture
def counterexample(tmp_path: Path) -> Path:
    """Where Theorem 1 of LJR fails; its bounds are worked out in
    `tests/formulations/mapreduce/bounds/test_closed_form.py`."""
    instance = Instance.from_jobs(
        "counterexample",
        Cluster.uniform(1, map_slots=2, reduce_slots=2),
        [Job("J1", [1.0], [100.0, 100.0]), Job("J2", [50.0], [1.0])],
    )
    path = tmp_path / "counterexample.json"
    write_instance(instance, path)
    return path


def printed(*arguments: object) -> str:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], env=WIDE)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_bounds_are_shown_with_their_marks(counterexample: Path) -> None:
    text = printed("bounds", counterexample)
    assert "Lower bounds of counterexample" in text
    (rows,) = tables(text)
    assert [row["bound"] for row in rows] == [entry.name for entry in BOUNDS]
    assert [row["source"] for row in rows] == [entry.source for entry in BOUNDS]
    marks = {row["bound"]: (row["seconds"], row["valid"]) for row in rows}
    assert marks["LB1 as printed"] == ("126", "no")
    assert marks["LB1"] == marks["LB2"] == ("101.5", "yes")
    assert marks["pigeonhole"] == ("102", "best")
    assert marks["Johnson"] == ("101", "yes")
    assert [mark for _, mark in marks.values()].count("best") == 1


def test_gap_of_the_counterexample(counterexample: Path) -> None:
    (rows,) = tables(printed("gap", counterexample))
    cells = {row[""]: row for row in rows}
    assert cells["bound LB1 as printed (not valid)"]["makespan s"] == "126"
    assert cells["bound LB1"]["makespan s"] == "101.5"
    assert cells["best bound (pigeonhole)"]["makespan s"] == "102"
    (best,) = [row for name, row in cells.items() if name.startswith("optimum")]
    assert (best["makespan s"], best["gap"]) == ("102", "0 %")
    # EFSS takes the jobs by Johnson's rule, which finds the optimum here.
    assert (cells["EFSS"]["makespan s"], cells["EFSS"]["gap"]) == ("102", "0 %")


@pytest.fixture
def instance() -> Instance:
    cluster = Cluster.uniform(3, map_slots=1, reduce_slots=1)
    return Instance.from_jobs("toy", cluster, [Job("a", [1.0, 2.0], [3.0]), Job("b", [1.0], [])])


def result(instance: Instance, method: str, makespan: float | None, **more: object) -> Result:
    """A result with a weak bound of its own, which no gap in a table may be measured against."""
    values = {
        "status": Status.FEASIBLE,
        "lower_bound": 1.0,
        "bound_name": "LB1",
        "seconds": 0.25,
        "found_by": method,
    } | more
    return Result(instance=instance, method=method, makespan=makespan, **values)


def comparison(instance: Instance, **more: object) -> Comparison:
    """Makespans 120 and 103.5, best 102, all against a bound of 100."""
    best = {"lower_bound": 100.0, "bound_name": "pigeonhole", "seconds": 12.345, "makespan": 102.0}
    return Comparison(
        best=result(instance, "solve", found_by="improvement", **best | more),
        heuristics=[
            result(instance, "EFSS", 120.0),
            result(instance, "TBS", 103.5, seconds=1.5),
        ],
        bounds={"LB1 as printed": 126.0, "LB1": 99.5},
    )


def test_comparison_row_by_row(instance: Instance) -> None:
    text = shown(comparison_table(comparison(instance)))
    assert "toy: 2 jobs, 3 map and 1 reduce tasks, 3 nodes" in text
    (rows,) = tables(text)
    assert [list(row.values()) for row in rows] == [
        ["bound LB1 as printed (not valid)", "126", "", ""],
        ["bound LB1", "99.5", "", ""],
        ["EFSS", "120", "20 %", "0.250"],
        ["TBS", "103.5", "3.5 %", "1.500"],
        ["best found (improvement)", "102", "2 %", "12.35"],
        ["best bound (pigeonhole)", "100", "", ""],
    ]
    assert list(rows[0]) == ["", "makespan s", "gap", "time s"]


def test_only_what_is_proven_is_called_an_optimum(instance: Instance) -> None:
    proven = comparison(instance, status=Status.OPTIMAL, makespan=100.0)
    (rows,) = tables(shown(comparison_table(proven)))
    assert list(rows[4].values())[:3] == ["optimum (improvement)", "100", "0 %"]


def test_what_really_happened_is_not_compared(instance: Instance) -> None:
    maps, reduces = (
        Events(np.full(n, -1), np.full(n, np.nan), np.full(n, np.nan))
        for n in (instance.map_tasks, instance.reduce_tasks)
    )
    history = History(345.0, maps, reduces, ("tasks failed", "nodes were lost"))
    text = shown(comparison_table(comparison(replace(instance, history=history))))
    assert list(tables(text)[0][-1].values()) == ["as it ran *", "345", "", ""]
    assert "* not comparable with the model: tasks failed; nodes were lost" in text
    history = replace(history, not_comparable=())
    text = shown(comparison_table(comparison(replace(instance, history=history))))
    assert "* what the trace recorded" in text


def test_no_schedule_at_all(instance: Instance) -> None:
    nothing = comparison(
        instance, makespan=None, status=Status.INFEASIBLE, notes=("why", "and how")
    )
    text = shown(comparison_table(replace(nothing, heuristics=[])))
    assert list(tables(text)[0][-1].values()) == ["infeasible", "–", "", ""]
    assert "why; and how" in text
    assert "as it ran" not in text


def test_summary_has_mean_and_worst_gap(instance: Instance) -> None:
    first = comparison(instance, status=Status.OPTIMAL, makespan=100.0)
    second = comparison(instance, lower_bound=96.0)
    second = replace(second, heuristics=second.heuristics[:1])
    text = shown(summary_table([first, second, replace(first, heuristics=[])]))
    assert "3 instances, 2 solved to optimality" in " ".join(text.split())
    (rows,) = tables(text)
    # EFSS: 120 / 100 and 120 / 96; TBS only ran once.
    assert [list(row.values()) for row in rows] == [
        ["EFSS", "22.5 %", "25 %", "2"],
        ["TBS", "3.5 %", "3.5 %", "1"],
    ]
    assert list(rows[0]) == ["", "mean gap", "worst gap", "instances"]
    lines = gap_latex([first, second]).splitlines()
    assert lines[-5:-2] == [
        r"mean gap, \% &  & 22.50 & 3.50 \\",
        r"worst gap, \% &  & 25.00 & 3.50 \\",
        r"instances &  & 2 & 1 \\",
    ]
    assert [label.get_text() for label in draw_gaps([first, second]).texts] == [
        "mean 3.5 % of 1 instance", "mean 22.5 %",
    ]  # fmt: skip
    (rows,) = tables(shown(summary_table([first, first])))
    assert list(rows[0]) == ["", "mean gap", "worst gap"]


def test_a_gap_that_nobody_knows_is_not_0(instance: Instance) -> None:
    known, unknown = comparison(instance), comparison(instance, lower_bound=0.0)
    (rows,) = tables(shown(summary_table([known, unknown])))
    assert list(rows[0].values()) == ["EFSS", "20 %", "20 %", "1"]
    (rows,) = tables(shown(summary_table([unknown, unknown])))
    assert list(rows[0].values()) == ["EFSS", "–", "–", "0"]


def test_makespans_that_differ_look_different(instance: Instance) -> None:
    for makespan, said in [(9.5, "9.5"), (1000000.4, "1000000.4"), (1000001.3, "1000001.3")]:
        (rows,) = tables(shown(comparison_table(comparison(instance, makespan=makespan))))
        assert rows[4]["makespan s"] == said
    half, big = (comparison(instance, makespan=best) for best in (9.5, 129999.999999))
    cells = [line.split(" & ")[1] for line in gap_latex([half, big]).splitlines()[5:7]]
    assert cells == ["9.5", r"130000\phantom{.0}"]
