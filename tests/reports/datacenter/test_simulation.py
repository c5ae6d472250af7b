"""Tables and plots of simulations, read cell by cell and line by line."""

from dataclasses import replace
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from make import datacenter
from matplotlib.figure import Figure
from printed import WIDE, shown, tables
from rich.console import Console
from typer.testing import CliRunner

from slotwise.commands.app import app
from slotwise.heuristics.datacenter import POLICIES
from slotwise.heuristics.datacenter.engine.state import BUCKETS, wait_of_bucket
from slotwise.heuristics.datacenter.result import Simulation
from slotwise.instances.datacenter.datacenter_file import write_datacenter
from slotwise.instances.datacenter.workload import Workload
from slotwise.reports.datacenter.simulation import (
    classes_table,
    length,
    simulation_view,
    time_unit,
    waits_table,
)
from slotwise.reports.datacenter.simulation_plots import draw_queue, draw_tail, draw_use, draw_waits
from slotwise.reports.plots import policy_styles
from slotwise.solvers.datacenter.guide import guide


def test_four_jobs_on_one_machine(tmp_path: Path) -> None:
    # Served one after another: waits 0, 30 and, in class `other`, 30; the last finds it empty.
    # The machine is busy for 150 s of the 300 s until the last arrival.
    classes = {"some": (0.75, 1, 1), "other": (0.25, 1, 1)}
    write_datacenter(datacenter("r", {"one": (1, 1)}, classes, "min"), tmp_path / "d.json")
    (tmp_path / "jobs.csv").write_text(
        "arrival,duration,class,r\n0,60,some,1\n30,60,some,1\n90,30,other,1\n300,60,some,1\n"
    )
    result = CliRunner().invoke(
        app,
        ["simulate", str(tmp_path / "d.json"), "--trace", str(tmp_path / "jobs.csv"),
         "--policy", "first-fit", "--warm-up", "0"],
        env=WIDE,
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("d: 1 machine\njobs.csv\n")
    assert "Waits are of 4 jobs after the warm-up." in result.stdout
    # Durations of 60, 60, 30 and 60 s.
    run = "The run: 4 jobs in 5 min, 5.71 mean durations of 52.5 s; the warm-up: 0 of them."
    assert run in result.stdout
    (policy,), (machines,), by_class = tables(result.stdout)
    assert policy["policy"] == machines["policy"] == "first-fit"
    assert (policy["mean, s"], policy["longest, s"], policy["waited, %"]) == ("15", "30", "50.0")
    assert float(policy["99 %, s"]) == pytest.approx(30, rel=0.002)
    assert float(machines["r in use, %"]) == pytest.approx(50, abs=1)
    assert machines["fragmented, %"] == "0.0"
    assert [(r["class"], r["jobs"], r["mean, s"], r["longest, s"]) for r in by_class] == [
        ("some", "3", "10", "30"),
        ("other", "1", "30", "30"),
    ]


@pytest.fixture
def simulation() -> Simulation:
    """Waits of 0, 0 and half an hour in one class, of 2 h in the other; half of cpu in use."""
    classes = {"some": (0.75, 1, 1), "other": (0.25, 1, 2)}
    data = replace(datacenter("cpu memory", {"one": (2, 4, 10)}, classes), name="cell")
    whole = (data.capacity_units * data.count[:, None]).sum(axis=0).astype(float)
    waits = np.zeros((2, BUCKETS), dtype=np.int64)
    for k, hours in enumerate((0.5, 2.0)):
        waits[k, np.searchsorted(wait_of_bucket(), hours)] = 1
    series = np.array(
        [  # time, waiting, running, fragmentation, started, their wait, cpu, memory
            [0.0, 9.0, 1.0, 0.9, 0.0, 0.0, 0.9 * whole[0], 0.8 * whole[1]],
            [1.0, 7.0, 2.0, 0.8, 2.0, 3.0, 0.8 * whole[0], 0.7 * whole[1]],
            [2.0, 5.0, 3.0, 0.1, 4.0, 1.0, 0.25 * whole[0], 0.2 * whole[1]],
            [3.0, 0.0, 4.0, 0.3, 5.0, 50.0, 0.75 * whole[0], 0.1 * whole[1]],
        ]
    )
    return Simulation(
        workload=Workload(data, 5, 3.0, "by hand", lambda: iter(())),
        policy="first-fit",
        jobs=np.array([3, 1]),
        at_once=np.array([2, 0]),
        wait_sum=np.array([0.5, 2.0]),
        wait_max=np.array([0.5, 2.0]),
        waits=waits,
        durations=np.array([3.0, 1.0]),
        series=series,
        events=3_000_000,
        seconds=2.0,
        all_jobs=5,
        mean_wait_of_all=0.5,
        interrupted=False,
        warm_up=0.5,
        measured_from=1.5,
        guidance=None,
        start=np.zeros(0),
        machine=np.zeros(0, dtype=np.int64),
    )


def test_policies(simulation: Simulation) -> None:
    other = replace(
        simulation, policy="tetris", wait_sum=np.array([0.0, 0.001]), at_once=np.array([3, 0]),
        wait_max=np.array([0.0, 0.001]), events=1_000_000, series=simulation.series / 2,
        measured_from=0.75,
    )  # fmt: skip
    text = shown(simulation_view([simulation, other], bound=0.1, whole=8))
    assert text.startswith("cell: 2 machines (0.25 of 8)\nby hand\n")
    assert "Waits are of 4 jobs after the warm-up." in text
    assert "No policy has a mean wait of all jobs below 360 s." in text
    waits, machines, _ = tables(text)
    assert list(waits[0]) == [
        "policy", "mean, s", "99 %, s", "longest, s", "waited, %", "Mev/s"
    ]  # fmt: skip
    # 2.5 h over four jobs; halves of 0.25 and 0.75 in use after the warm-up, 0.1 and 0.3 spread.
    assert list(waits[0].values()) == ["first-fit", "2250", "7200", "7200", "50.0", "1.50"]
    assert list(waits[1].values()) == ["tetris", "0.9", "3.6", "3.6", "25.0", "0.50"]
    assert list(machines[0]) == ["policy", "cpu in use, %", "fragmented, %"]
    assert list(machines[0].values()) == ["first-fit", "50.0", "20.0"]
    assert list(machines[1].values()) == ["tetris", "25.0", "10.0"]
    text = shown(simulation_view([simulation]))
    assert text.startswith("cell: 2 machines\n")
    assert "No policy" not in text
    heavy = replace(simulation.workload, rate=3.0)
    plan = replace(guide(simulation.datacenter), arrival_rate_bound=2.0)
    text = shown(simulation_view([replace(simulation, workload=heavy, guidance=plan)]))
    assert "; load 1.5" in text
    assert "steady" not in text
    (rows,) = tables(shown(waits_table([replace(simulation, events=4_321)])))
    assert rows[0]["Mev/s"] == "0.0022"


def test_the_length_of_the_run_in_mean_durations(simulation: Simulation) -> None:
    # 3 h and 1.5 h of warm-up; 4 h in all of 4 jobs measured.
    assert length(simulation) == (
        "The run: 5 jobs in 3 h, 3 mean durations of 60 min; the warm-up: 1.5 of them."
    )
    assert length(replace(simulation, jobs=np.zeros(2), durations=np.zeros(2))) == ""


def test_times_in_units_that_a_person_reads(simulation: Simulation) -> None:
    assert [time_unit(simulation, hours)[0] for hours in (1e-6, 0.01, 1, 2, 47, 48, 1e6)] == [
        "s", "s", "min", "h", "h", "d", "d"
    ]  # fmt: skip
    assert time_unit(simulation, 1)[1] == 60


def test_tables_fit_80_columns(simulation: Simulation) -> None:
    long = replace(simulation, policy="lotes-unrestricted", wait_sum=np.array([1e4, 1e4]))
    console = Console(width=80, record=True, file=StringIO())
    console.print(simulation_view([long], bound=0.1))
    text = console.export_text()
    assert "…" not in text
    assert [list(rows[0]) for rows in tables(text)] == [
        list(rows[0]) for rows in tables(shown(simulation_view([long])))
    ]


def test_classes(simulation: Simulation) -> None:
    text = shown(classes_table(simulation))
    assert "first-fit, by class" in text
    (rows,) = tables(text)
    assert list(rows[0]) == ["class", "jobs", "mean, s", "99 %, s", "longest, s"]
    # Half an hour over three jobs.
    assert list(rows[0].values()) == ["some", "3", "600", "1800", "1800"]
    assert list(rows[1].values()) == ["other", "1", "7200", "7200", "7200"]


def test_units_without_seconds_stay(simulation: Simulation) -> None:
    data = replace(simulation.datacenter, time_unit="tick")
    odd = replace(simulation, workload=replace(simulation.workload, datacenter=data))
    assert tables(shown(waits_table([odd])))[0][0]["mean, tick"] == "0.625"
    assert "in 3 tick, 3 mean durations of 1 tick" in length(odd)


def lines(draw, simulation: Simulation) -> tuple[list[tuple[list[float], list[float]]], str]:
    ax = Figure().add_subplot()
    draw([simulation], ax)
    found = [(list(line.get_xdata()), list(line.get_ydata())) for line in ax.get_lines()]
    return found, ax.get_ylabel()


def test_mean_waits_over_time(simulation: Simulation) -> None:
    # Nobody started before 0; 3 h over two jobs, 1 h over four; the end is not drawn.
    assert lines(draw_waits, simulation) == (
        [([0, 1, 2], [0, 5400, 900])],
        "mean wait of the jobs that start, s",
    )


def test_who_waits_how_long(simulation: Simulation) -> None:
    ((times, parts),), label = lines(draw_tail, simulation)
    assert times == pytest.approx([1800, 7200], rel=0.002)
    assert parts == [0.5, 0.25]
    assert label == "part of the jobs that wait longer"


def test_the_queue_over_time(simulation: Simulation) -> None:
    assert lines(draw_queue, simulation) == ([([0, 1, 2, 3], [9, 7, 5, 0])], "jobs waiting")


def test_use_over_time(simulation: Simulation) -> None:
    (use, spread), label = lines(draw_use, simulation)
    assert use[1] == pytest.approx([0.9, 0.8, 0.25, 0.75])
    assert spread[1] == [0.9, 0.8, 0.1, 0.3]
    assert label == "cpu in use; thin lines: fragmented"


def test_the_warm_up_is_grey_and_time_in_hours(simulation: Simulation) -> None:
    ax = Figure().add_subplot()
    draw_queue([simulation], ax)
    (grey,) = ax.patches
    assert (grey.get_x(), grey.get_width()) == (0, 1.5)
    assert (ax.get_xlim(), ax.get_xlabel()) == ((0, 3), "time, h")


def test_panels_say_that_nobody_waited(simulation: Simulation) -> None:
    series = simulation.series.copy()
    series[:, [1, 5]] = 0
    quiet = replace(simulation, series=series, waits=np.zeros_like(simulation.waits))
    for draw in (draw_waits, draw_tail, draw_queue):
        ax = Figure().add_subplot()
        draw([quiet, quiet], ax)
        assert "nobody waited" in ax.texts[0].get_text()
        assert not ax.get_lines()
        ax = Figure().add_subplot()
        draw([quiet, simulation], ax)
        assert not ax.texts
    ax = Figure().add_subplot()
    draw_use([quiet], ax)
    assert not ax.texts


def test_every_policy_has_a_colour_of_its_own(simulation: Simulation) -> None:
    names = [entry.name for entry in POLICIES]
    colours = [colour for colour, _ in policy_styles(names)]
    assert len(set(colours)) == len(names)
    assert policy_styles(["fgd", "of-a-plugin", "lotes"])[::2] == [
        policy_styles(names)[names.index(name)] for name in ("fgd", "lotes")
    ]
    ax = Figure().add_subplot()
    draw_queue([simulation] * 4, ax)  # one policy again and again
    assert len({(line.get_color(), line.get_linestyle()) for line in ax.get_lines()}) == 4
