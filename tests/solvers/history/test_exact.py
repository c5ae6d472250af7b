"""CP-SAT on small graphs, beside brute force."""

from dataclasses import replace
from importlib.util import find_spec

import numpy as np
import pytest
from stage_graphs import best_by_brute_force, drawn_graph, graph_of

from slotwise.core.clock import Clock
from slotwise.core.kernels.decorators import plain
from slotwise.formulations.history.makespan_bounds import Bound
from slotwise.heuristics.history.search import Goal, improve, mean_job_time
from slotwise.instances.history.plan_checker import violations
from slotwise.instances.history.stage_graph import FAR, Plan, StageGraph, timed
from slotwise.solvers.history.exact import exact_bound, solve_exactly

pytestmark = pytest.mark.skipif(find_spec("ortools") is None, reason="OR-Tools is not installed")

HAND = graph_of(
    [(0, 0, 0, [4]), (0, 1, 0, [3]), (1, 0, 1, [1]), (1, 1, 1, [1])],
    [(0, 1, 0), (2, 3, 0)],
    [(0, 0, FAR), (1, 0, FAR)],
    [0, 1],
)
"""A: map 4, reduce 3; B, from 1: map 1, reduce 1. A first: ends 7, 8; B first: 9, 3."""

A_FIRST = timed(HAND, np.array([0, 4, 4, 7]), np.array([0, 1, 0, 1]))


def one_after_another(graph: StageGraph) -> Plan:
    """Any plan: the search's, of an order that nobody improved."""
    zeros = np.zeros_like(graph.tasks.time)
    return improve(graph, timed(graph, zeros + 10**6, zeros), Goal(), 0.0, Clock(0.0))


def check(seeds: range, *, windows: bool) -> None:
    """Plan and bound are brute force's, for both goals."""
    for seed in seeds:
        graph = drawn_graph(seed, windows=windows)
        with plain():
            known = one_after_another(graph)
        for goal in (Goal(), mean_job_time(graph)):
            best = best_by_brute_force(graph, lambda plan, goal=goal: goal(plan.job_end))
            found = solve_exactly(graph, known, goal, 0.0, Clock(60))
            assert violations(graph, found.plan) == [], seed
            value = goal(found.plan.job_end)
            assert found.bound == pytest.approx(value), seed
            # A task that takes no time holds no slot: brute force does not put it beside another.
            holds = (graph.tasks.time > 0).all()
            assert value == pytest.approx(best) if holds else value <= best + 1e-9, seed


@pytest.mark.parametrize("windows", [False, True])
def test_beside_brute_force(windows: bool) -> None:
    check(range(3, 5), windows=windows)


@pytest.mark.slow
@pytest.mark.parametrize("windows", [False, True])
def test_beside_brute_force_at_length(windows: bool) -> None:
    check(range(500, 625), windows=windows)


def test_it_waits_for_the_job_that_is_about_to_come() -> None:
    goal = mean_job_time(HAND)
    assert goal(A_FIRST.job_end) == 7
    found = solve_exactly(HAND, A_FIRST, goal, 0.0, Clock(20))
    assert (goal(found.plan.job_end), found.bound) == (5.5, pytest.approx(5.5))
    assert exact_bound(HAND, A_FIRST, goal, Bound(4.5, "x"), Clock(20)).proved_by == "CP-SAT"
    assert solve_exactly(HAND, A_FIRST, Goal(), 0.0, Clock(20)).bound == 8.0


def test_overlap_is_kept_and_a_bound_does_without() -> None:
    # The reduce of A holds its slot for 2 before the map ends; B's can only run before or after.
    overlap = np.array([0, 2, 0, 0])
    graph = replace(HAND, tasks=replace(HAND.tasks, overlap=overlap))
    plan = timed(graph, np.array([0, 2, 4, 7]), np.array([0, 1, 0, 1]))
    goal = mean_job_time(graph)
    found = solve_exactly(graph, plan, goal, 0.0, Clock(20))
    assert violations(graph, found.plan) == []
    assert goal(found.plan.job_end) == 5.5
    assert exact_bound(graph, plan, goal, Bound(1.0, "x"), Clock(20)).value == pytest.approx(5.5)


def test_a_bound_that_is_met_needs_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("slotwise.solvers.backends.cp_sat.solve", None)
    assert solve_exactly(HAND, A_FIRST, Goal(), 8.0, Clock(20)) == (A_FIRST, 8.0)


def test_a_bound_is_none_of_the_audit_where_an_attempt_beside_the_model_holds_a_slot() -> None:
    # As many slots as there are, but the map slot is free from 20 on only: A ends at 27 at best.
    held = replace(HAND.slots, since=np.array([20, 0]))
    graph = replace(HAND, slots=held)
    plan = timed(graph, A_FIRST.start + 20, A_FIRST.slot)
    assert violations(graph, plan) == []
    assert solve_exactly(graph, plan, Goal(), 0.0, Clock(20)).bound > 20
    known = Bound(7.0, "x")
    assert exact_bound(graph, plan, Goal(), known, Clock(20)) == known
