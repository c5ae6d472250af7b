"""The HiGHS adapter: limits, starts, progress and what survives them."""

import os
import signal

import numpy as np
import pyomo.environ as pyo
import pytest

from slotwise.core.clock import Clock, StopReason
from slotwise.formulations.mapreduce.job_order import model as job_order
from slotwise.instances.mapreduce.generators.ljr import small
from slotwise.solvers.backends import highs
from slotwise.solvers.mapreduce.heuristic import heuristic


@pytest.fixture(scope="module")
def hard():
    """Too large to be proven in seconds."""
    return small(8, 4, seed=1, map_slots=2, reduce_slots=2, max_maps=8, max_reduces=6)


def started(instance):
    best = heuristic(instance, "EFSS")
    model = job_order.build(instance, horizon=best.makespan, lower_bound=best.lower_bound)
    job_order.start(model, best.schedule)
    return model, best


def test_time_limit_keeps_incumbent_and_bound_and_progress_only_improves(hard):
    model, best = started(hard)
    seen = []
    outcome = highs.solve(model, time_limit=2, threads=1, warm_start=True, on_progress=seen.append)
    assert outcome.stop is StopReason.TIME_LIMIT
    assert outcome.incumbent <= best.makespan * (1 + 1e-6)
    assert best.lower_bound * (1 - 1e-6) <= outcome.bound <= outcome.incumbent
    assert len(seen) >= 1
    bounds = [step.bound for step in seen if step.bound is not None]
    incumbents = [step.incumbent for step in seen if step.incumbent is not None]
    assert bounds == sorted(bounds)
    assert incumbents == sorted(incumbents, reverse=True)


def test_time_limit_of_nothing_still_knows_the_start(hard):
    model, best = started(hard)
    outcome = highs.solve(model, time_limit=0, threads=1, warm_start=True)
    assert outcome.stop is StopReason.TIME_LIMIT
    assert outcome.incumbent is None or outcome.incumbent <= best.makespan * (1 + 1e-6)


def test_control_c_keeps_the_best(hard):
    model, best = started(hard)
    pressed = []

    def press(step):
        if step.incumbent is not None and not pressed:
            pressed.append(step)
            os.kill(os.getpid(), signal.SIGINT)

    outcome = highs.solve(model, time_limit=60, threads=1, warm_start=True, on_progress=press)
    assert outcome.stop is StopReason.INTERRUPTED
    assert outcome.incumbent <= best.makespan * (1 + 1e-6)


def test_gap_limits_stop_early():
    instance = small(4, 3, seed=3)
    model, _ = started(instance)
    outcome = highs.solve(model, threads=1, warm_start=True, settings=highs.HighsSettings(0.5))
    assert outcome.stop is StopReason.GAP_CLOSED
    assert outcome.bound < outcome.incumbent


def test_the_start_is_taken(hard):
    """The widest gap ends the run with the first solution there is; nothing else bounds it."""
    best = heuristic(hard, "EFSS")
    model = job_order.build(hard)
    job_order.start(model, best.schedule)
    settings = highs.HighsSettings(1e6, presolve=False)
    outcome = highs.solve(model, threads=1, warm_start=True, settings=settings)
    assert 0.9 * best.makespan < outcome.incumbent <= best.makespan * (1 + 1e-6)


def test_infeasible_model_is_told_apart():
    model = pyo.ConcreteModel()
    model.x = pyo.Var(domain=pyo.Binary)
    model.objective = pyo.Objective(expr=model.x)
    model.no = pyo.Constraint(expr=model.x >= 2)
    outcome = highs.solve(model)
    assert outcome.stop is StopReason.INFEASIBLE
    assert outcome.incumbent is None


def test_a_run_that_contradicts_its_own_solution_counts_for_nothing(monkeypatch):
    model = pyo.ConcreteModel()
    model.x = pyo.Var(domain=pyo.Integers, bounds=(2, 9))
    model.cost = pyo.Objective(expr=3 * model.x + 1)
    assert (highs.solve(model).incumbent, model.x.value) == (pytest.approx(7), 2)
    monkeypatch.setattr(highs, "objective_value", lambda _: 10.0)
    outcome = highs.solve(model)
    assert outcome.stop is StopReason.GAVE_UP
    assert (outcome.incumbent, outcome.bound) == (None, None)


def test_a_linear_program_without_a_model():
    # x + y >= 2 and y <= 1/2: x is 3/2 at least, and as much less as the 2 is less.
    program = (
        np.array([1.0, 0.0]),
        np.array([np.inf, 0.5]),
        (np.array([2.0]), np.array([np.inf])),
        (np.array([0, 0]), np.array([1, 0]), np.ones(2)),
    )
    optimum = highs.solve_lp(highs.linear_program(*program), Clock(20.0))
    assert optimum.objective == pytest.approx(1.5)
    assert optimum.values == pytest.approx([1.5, 0.5])
    assert optimum.duals == pytest.approx([1.0])
    more = np.array([4.0]), np.array([3.0])
    impossible = highs.linear_program(*program[:2], more, program[3])
    assert highs.solve_lp(impossible, Clock(20.0)) is None
