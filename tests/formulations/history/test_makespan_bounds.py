"""Bounds of graphs of stages: by hand, and against the optimum of every small graph."""

import numpy as np
import pytest
from stage_graphs import best_by_brute_force, drawn_graph, graph_of

from slotwise.core.kernels.decorators import plain
from slotwise.formulations.history.makespan_bounds import makespan_bound
from slotwise.instances.history.heads_tails import least_time
from slotwise.instances.history.stage_graph import FAR

GRAPHS = 160


@pytest.mark.parametrize("windows", [False, True])
def test_no_bound_is_above_the_optimum(windows: bool) -> None:
    shares = []
    with plain():
        for seed in range(GRAPHS // 2):
            graph = drawn_graph(seed, windows=windows)
            best = best_by_brute_force(graph, lambda plan: plan.makespan)
            bound = makespan_bound(graph).value
            assert bound <= best, seed
            shares.append(bound / best if best else 1.0)
    assert np.mean(shares) > 0.97


def test_least_time_is_longest_area_and_pigeonhole() -> None:
    assert least_time(np.array([9, 1, 1]), 2) == 9
    assert least_time(np.array([4, 4, 4, 4]), 3) == 8  # two of four run on one of three slots
    assert least_time(np.array([5, 5, 1, 1, 1]), 2) == 7  # 13 slot-ms on two slots, in whole ms
    assert least_time(np.array([], dtype=np.int64), 2) == 0


def test_a_set_counts_the_slots_that_it_can_use() -> None:
    # One task of 6 on three slots that are free from 0: 6, not 6 / 3.
    graph = graph_of([(0, 0, 0, [6])], [], [(0, 0, FAR)] * 3, [0])
    assert makespan_bound(graph).value == 6
    # Two stages side by side, three tasks of 4 on two slots: 12 slot-ms, so 6; some slot runs
    # two, which needs them in one stage to be seen.
    graph = graph_of([(0, 0, 0, [4]), (0, 0, 0, [4, 4])], [], [(0, 0, FAR)] * 2, [0])
    assert makespan_bound(graph).value == 6


def test_slots_that_come_late_count_from_then() -> None:
    # Work 10 on one slot, a second from 4 on: 4 by the first alone, then 6 on both: 7.
    graph = graph_of([(0, 0, 0, [1] * 10)], [], [(0, 0, FAR), (0, 4, FAR)], [0])
    assert makespan_bound(graph).value == 7
