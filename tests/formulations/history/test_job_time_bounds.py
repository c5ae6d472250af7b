"""Bounds of the mean job time, closed and by linear program, against the optimum."""

import numpy as np
import pytest
from stage_graphs import best_by_brute_force, drawn_graph, graph_of

import slotwise.solvers.busy_times
from slotwise.core.clock import Clock
from slotwise.core.kernels.decorators import plain
from slotwise.formulations.history.job_time_bounds import job_time_bound
from slotwise.heuristics.history.search import mean_job_time
from slotwise.instances.history.heads_tails import heads_and_tails
from slotwise.instances.history.stage_graph import FAR
from slotwise.solvers.history import busy_times


@pytest.mark.parametrize("windows", [False, True])
def test_no_bound_is_above_the_optimum(windows: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LEAST_INTERVALS", "MOST_INTERVALS"):  # any grid is valid; a coarse one is quick
        monkeypatch.setattr(slotwise.solvers.busy_times, name, 20)
    shares = []
    with plain():
        for seed in range(1000, 1060):
            graph = drawn_graph(seed, windows=windows)
            goal = mean_job_time(graph)
            best = best_by_brute_force(graph, lambda plan, goal=goal: goal(plan.job_end))
            closed = job_time_bound(graph, heads_and_tails(graph)).value
            assert closed <= best + 1e-9, seed
            program = busy_times.best_job_time_bound(graph, best * 1.2 + 1, Clock(60)).value
            assert closed <= program <= best + 1e-9, seed
            shares.append(program / best if best else 1.0)
    assert np.mean(shares) > 0.93


def test_one_fast_machine_by_hand() -> None:
    # Two jobs of 2 and 4 on one slot: 2 and 6 at best, 4 on average; alone 2 and 4, so 3.
    graph = graph_of([(0, 0, 0, [2]), (1, 0, 0, [4])], [], [(0, 0, FAR)], [0, 0])
    bound = job_time_bound(graph, heads_and_tails(graph))
    assert bound == (4.0, "one fast machine for pool 0")
    # With weight 2 for the long one: 2 x 4 + 6 against 2 + 2 x 6: 14 / 3.
    graph = graph_of([(0, 0, 0, [2]), (1, 0, 0, [4])], [], [(0, 0, FAR)], [0, 0], [1, 2])
    assert job_time_bound(graph, heads_and_tails(graph)).value == pytest.approx(14 / 3)
