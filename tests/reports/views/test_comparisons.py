"""What the title of a chart says about a comparison."""

from __future__ import annotations

import pytest
from matplotlib import pyplot

import slotwise
from slotwise.solvers.mapreduce.comparison import Comparison
from slotwise.solvers.mapreduce.result import Result, Status

CLUSTER = slotwise.Cluster.uniform(1, map_slots=1, reduce_slots=1)
TOY = slotwise.Instance.from_jobs("toy", CLUSTER, [slotwise.Job("a", [100.0])])


def result(method: str, makespan: float | None, status: Status = Status.FEASIBLE) -> Result:
    return Result(TOY, method, status, makespan, 100.0, "pigeonhole", 0.0)


@pytest.mark.parametrize(
    ("best", "heuristics", "title"),
    [
        (
            result("solve", 102.0),
            [result("EFSS", 120.0), result("TBS", 103.5)],
            "toy: TBS is nearest, 3.5 % above the best bound",
        ),
        (
            result("solve", 100.0, Status.OPTIMAL),
            [result("EFSS", 120.0), result("EASS", 120.0)],
            "toy: EASS is nearest, 20 % above the optimum",
        ),
        (result("solve", 102.0), [], "toy"),
        (result("solve", None, Status.INFEASIBLE), [], "toy: infeasible"),
    ],
)
@pytest.mark.filterwarnings("error")
def test_it_names_the_heuristic_that_is_nearest(
    best: Result, heuristics: list[Result], title: str
) -> None:
    axes = Comparison(best, heuristics, {}).plot()
    assert axes.get_title(loc="left") == title
    pyplot.close(axes.figure)
