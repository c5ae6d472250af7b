"""What the charts of an audit's page draw."""

from itertools import pairwise

from made_histories import made_run

from slotwise.core.clock import Clock
from slotwise.instances.history.run import Executor, Job, Stage
from slotwise.report.history.charts import charts
from slotwise.solvers.history.auditing import audit_run


def test_the_parts_of_a_slot_that_fixed_attempts_leave_are_one_row() -> None:
    """Two slots; an attempt of no job holds the first from 1 to 2; the job has 4 tasks of 1 s."""
    run = made_run(
        [Job("a", 0, 0, ended=4000)],
        [Stage("a.0", 0, 0, "stage", 4), Stage("lost", -1, 0, "stage", 1)],
        [Executor("e", "h", 0, 2)],
        [
            (0, 0, 0, 0, 0, 1000),
            (1, 0, 0, 0, 1000, 2000),
            *((0, k, 0, 0, 1000 * k, 1000 * k + 1000) for k in (1, 2, 3)),
        ],
    )
    made = audit_run(run, Clock(1))
    assert len(made.graph.slots) == 3
    _, best = charts(made)["bars"]
    assert set(best["slot"]) == {0, 1}
    for slot in (0, 1):
        own = zip(best["start"], best["end"], best["slot"], strict=True)
        times = sorted((start, end) for start, end, where in own if where == slot)
        assert all(before[1] <= after[0] for before, after in pairwise(times))
