"""List schedules and the search: always possible, never worse than what they begin with."""

import numpy as np
import pytest
from stage_graphs import best_by_brute_force, drawn_graph, graph_of

from slotwise.core.clock import Clock
from slotwise.heuristics.history.list_schedule import decoder, list_schedule, scratch
from slotwise.heuristics.history.search import Goal, improve, mean_job_time
from slotwise.instances.history.plan_checker import violations
from slotwise.instances.history.stage_graph import FAR, Plan, StageGraph, timed


def in_file_order(graph: StageGraph) -> Plan:
    """The list schedule of the groups as they stand."""
    d = decoder(graph)
    start, slot = np.zeros_like(graph.tasks.time), np.zeros_like(graph.tasks.time)
    order, hold = np.arange(len(d.group_stage)), np.zeros(len(d.group_stage), np.int64)
    ends = list_schedule(d, scratch(d), order, hold, start, slot)
    plan = timed(graph, start, slot)
    assert ends.tolist() == plan.job_end.tolist()
    return plan


@pytest.mark.parametrize("windows", [False, True])
def test_plans_of_drawn_graphs_are_possible_and_near_the_optimum(windows: bool) -> None:
    found, best = [], []
    for seed in range(40):
        graph = drawn_graph(seed, windows=windows)
        first = in_file_order(graph)
        assert violations(graph, first) == []
        plan = improve(graph, first, Goal(), 0.0, Clock(0.02))
        assert violations(graph, plan) == []
        assert plan.makespan <= first.makespan
        found.append(plan.makespan)
        best.append(best_by_brute_force(graph, lambda p: p.makespan))
    assert all(a >= b for a, b in zip(found, best, strict=True))
    assert sum(a == b for a, b in zip(found, best, strict=True)) >= 36


def test_a_longest_task_that_no_slot_has_time_for_waits() -> None:
    # Slot 0 goes at 5: only the task of 2 fits there; the task of 6 waits for slot 1 at 4.
    graph = graph_of([(0, 0, 0, [6, 2])], [], [(0, 0, 5), (0, 4, FAR)], [0])
    plan = in_file_order(graph)
    assert violations(graph, plan) == []
    assert plan.start.tolist() == [4, 0]
    assert plan.makespan == 10


def test_no_job_ends_later_than_it_may() -> None:
    # Two jobs of 3 and 1 on one slot; the mean is least with the short one first.
    graph = graph_of([(0, 0, 0, [3]), (1, 0, 0, [1])], [], [(0, 0, FAR)], [0, 0])
    run = timed(graph, np.array([0, 3]), np.array([0, 0]))
    free = improve(graph, run, mean_job_time(graph), 0.0, Clock(1))
    assert free.job_end.tolist() == [4, 1]
    goal = Goal(graph.job_weight, graph.job_release, run.job_end)
    assert improve(graph, run, goal, 0.0, Clock(0.2)).job_end.tolist() == [3, 4]


def test_a_slot_waits_for_a_short_job_that_is_about_to_come() -> None:
    # One map and one reduce slot. A: map 4, reduce 3, from 0. B: map 1, reduce 1, from 1.
    # Never idle: A 4 and 7, B 5 and 8, so 7 on average. Waiting for B: B 2 and 3, A 6 and 9: 5.5.
    stages = [(0, 0, 0, [4]), (0, 1, 0, [3]), (1, 0, 1, [1]), (1, 1, 1, [1])]
    graph = graph_of(stages, [(0, 1, 0), (2, 3, 0)], [(0, 0, FAR), (1, 0, FAR)], [0, 1])
    run = in_file_order(graph)
    goal = mean_job_time(graph)
    assert goal(run.job_end) == 7.0
    best = improve(graph, run, goal, 5.5, Clock(10))
    assert goal(best.job_end) == 5.5
    assert goal(best.job_end) == best_by_brute_force(graph, lambda p: goal(p.job_end))
    assert best_by_brute_force(graph, lambda p: p.makespan) == 8
