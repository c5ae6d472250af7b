"""Models with HiGHS: optima, two runs that contradict each other, limits."""

import pytest
from brute_force import optimum
from racing import all_heuristics, raced, runner_from
from typer.testing import CliRunner

import slotwise
from slotwise.commands.app import app
from slotwise.core.clock import StopReason
from slotwise.instances.mapreduce.generators.hmhs import small
from slotwise.solvers.backends import highs
from slotwise.solvers.mapreduce.integer_programs import (
    agreed,
    heterogeneous_method,
    job_order_method,
    sequence_method,
)
from slotwise.solvers.mapreduce.relaxations.linear_programs import unrelated_machines_method


def of_which_highs_is_wrong() -> slotwise.Instance:
    cluster = slotwise.Cluster.uniform(
        2, racks=2, rates=slotwise.Rates(100, 50, 25), map_slots=1, reduce_slots=1
    )
    maps = [slotwise.MapTask(19.0, 150.0, ["n1"]), slotwise.MapTask(15.0, 150.0, ["n0"])]
    jobs = [
        slotwise.Job("j0", maps, [18.0, 12.0], 1.0),
        slotwise.Job("j1", [slotwise.MapTask(5.0, 100.0, ["n0"])]),
        slotwise.Job("j2", [], [7.0]),
    ]
    return slotwise.Instance.from_jobs("wrong once", cluster, jobs)


@pytest.fixture(scope="module")
def instance():
    """Neither a heuristic nor the linear programs find its optimum."""
    return small(3, 2, 2, seed=4, max_maps=2, max_reduces=2)


def solved(method, instance, **options):
    return raced(method, instance, slotwise.heuristic(instance, "EASS").schedule, **options)


def wrong(alternative, monkeypatch, stop=StopReason.GAP_CLOSED, bound=1e6):
    """The first run or the second ends so, by default with the optimum cut off.

    It tells its bound on its way, too.
    """
    solve = highs.solve

    def spoiled(model, **options):
        settings = options.get("settings", highs.USUAL)
        if settings.alternative is alternative and "warm_start" in options:
            options["on_progress"](slotwise.Progress(0.0, None, bound))
            return highs.HighsOutcome(stop, None, bound)
        return solve(model, **options)

    monkeypatch.setattr(highs, "solve", spoiled)


def test_two_runs_that_agree_prove_the_optimum(instance):
    arrival, known = solved(heterogeneous_method, instance), optimum(instance)
    assert arrival.why == "gap closed"
    assert arrival.schedule.makespan == pytest.approx(known, rel=1e-6)
    assert known * (1 - 2e-7) <= arrival.lower_bound <= known * (1 + 1e-9)
    assert arrival.proof == "heterogeneous model (HiGHS)"


@pytest.mark.parametrize("alternative", [False, True], ids=["first", "second"])
@pytest.mark.parametrize("method", [job_order_method, sequence_method])
def test_one_wrong_run_of_a_plain_model_proves_nothing(method, alternative, monkeypatch):
    instance, steps = of_which_highs_is_wrong(), []
    known = optimum(instance)
    right = solved(method, instance, on_progress=steps.append)
    assert right.schedule.makespan == pytest.approx(known, rel=1e-6)
    assert right.lower_bound == pytest.approx(known, rel=1e-6)
    assert max(step.bound for step in steps) <= known * (1 + 1e-7)
    steps.clear()
    wrong(alternative, monkeypatch)
    arrival = solved(method, instance, on_progress=steps.append)
    assert arrival.schedule.makespan == pytest.approx(known, rel=1e-6)
    assert arrival.lower_bound is None
    assert arrival.why == "two runs of HiGHS contradict each other, so neither bound counts"
    assert all(step.bound <= known * (1 + 1e-7) for step in steps)


def test_the_lesser_bound_counts_unless_a_schedule_contradicts_one():
    assert agreed([10.0, 9.0], 10.0) == 9.0
    assert agreed([10.0], 10.0) is None
    assert agreed([10.0, None], 10.0) is None
    assert agreed([10.0, 9.0], 9.9) is None
    assert agreed([float("inf"), 9.0], 10.0) is None


def test_a_model_of_which_one_run_of_highs_is_wrong():
    """With presolve HiGHS 1.15.1 proves 45.25 s here."""
    instance = of_which_highs_is_wrong()
    assert optimum(instance) == 42.25
    for method in ("sequence", "job-order"):
        result = slotwise.solve(instance, methods=method, heuristics="EASS", time_limit=60)
        assert result.makespan == pytest.approx(42.25)
        assert result.lower_bound <= 42.25


def test_both_runs_begin_with_the_shortest_schedule_of_any_method(instance, monkeypatch):
    horizons = []

    def nothing(model, **options):
        horizons.append(model.makespan.ub)
        return highs.HighsOutcome(StopReason.TIME_LIMIT, None, None)

    first, better = (slotwise.heuristic(instance, name).schedule for name in ("EFSS", "EASS"))
    assert better.makespan < first.makespan
    runner = runner_from(instance, first)

    def shorter(model, **options):
        runner.tell(better)
        return nothing(model, **options)

    monkeypatch.setattr(highs, "solve", shorter)
    job_order_method(instance, runner)
    assert horizons[1] / horizons[0] == pytest.approx(better.makespan / first.makespan)


@pytest.mark.parametrize("alternative", [False, True], ids=["first", "second"])
@pytest.mark.parametrize(
    ("stop", "bound", "why"),
    [
        (StopReason.GAP_CLOSED, 1e6, "two runs of HiGHS contradict each other"),
        (StopReason.INFEASIBLE, None, "two runs of HiGHS contradict each other"),
        (StopReason.TIME_LIMIT, None, "the bound of one run of HiGHS alone does not count"),
    ],
)
def test_a_bound_that_nobody_confirmed_does_not_count(
    instance, alternative, stop, bound, why, monkeypatch
):
    linear, steps = solved(unrelated_machines_method, instance), []
    wrong(alternative, monkeypatch, stop, bound)
    arrival = solved(heterogeneous_method, instance, on_progress=steps.append)
    known = optimum(instance)
    assert arrival.schedule.makespan == pytest.approx(known, rel=1e-6)
    assert arrival.lower_bound == pytest.approx(linear.lower_bound)
    assert arrival.lower_bound < known * (1 - 1e-3)
    assert arrival.proof == linear.proof
    assert why in arrival.why
    assert all(step.bound <= arrival.lower_bound for step in steps)


def test_the_weaker_bound_of_two_counts(instance, monkeypatch):
    wrong(True, monkeypatch, StopReason.TIME_LIMIT, 0.0)
    arrival = solved(job_order_method, instance)
    assert (arrival.lower_bound, arrival.why) == (0.0, "time limit")


def test_what_the_user_sees(instance, tmp_path, monkeypatch):
    best = min(result.makespan for result in all_heuristics(instance))
    assert best > optimum(instance) * (1 + 1e-3)
    path = tmp_path / "problem.json"
    slotwise.write(instance, path)
    arguments = ["solve", str(path), "--model", "heterogeneous", "--threads", "1"]
    assert ": optimal, makespan" in CliRunner().invoke(app, arguments).stdout
    wrong(False, monkeypatch)
    run = CliRunner().invoke(app, arguments)
    assert run.exit_code == 0
    assert ": feasible, makespan" in run.stdout
    assert "note: heterogeneous: two runs of HiGHS contradict each other" in run.stderr
