"""Audits of Hadoop histories: by hand, and on public traces."""

from dataclasses import fields, replace
from itertools import chain, combinations, pairwise
from pathlib import Path

import numpy as np
import pytest
from made_histories import Row, made_run

from slotwise.core.clock import Clock
from slotwise.instances.history.hadoop.rumen import read_rumen_run
from slotwise.instances.history.projection import BrokenRun
from slotwise.instances.history.run import Attempts, Executor, Job, Outcome, Run, Stage
from slotwise.solvers.history.audit import Audit, AuditOptions
from slotwise.solvers.history.auditing import audit_run

EXACT = AuditOptions(heartbeat=0.0)


def seconds(made: Audit) -> dict[str, float]:
    return {name: round(time / 1000, 6) for name, _, time in made.causes}


def hadoop(
    jobs: list[Job],
    kinds: list[tuple[int, int, str, tuple[int, ...]]],
    rows: list[Row],
    outcomes: dict[int, Outcome] | None = None,
    slots: int = 1,
) -> Run:
    """Jobs with stages (job, pool, kind, parents) on one host; executor 0 maps, 1 reduces."""
    stages = [
        Stage(f"{jobs[job].name} {kind}", job, pool, kind, 9, parents)  # type: ignore[arg-type]
        for job, pool, kind, parents in kinds
    ]
    executors = [Executor("h map", "h", 0, slots), Executor("h reduce", "h", 1, slots)]
    return made_run(
        jobs,
        stages,
        executors,
        rows,
        framework="hadoop",
        outcomes=outcomes,
        pools=("map", "reduce"),
    )


def two_jobs() -> Run:
    """A from 0: map 4, reduce 3; B from 1: map 1, reduce 1; as it ran, A then B on each slot."""
    return hadoop(
        [Job("A", 0, 0, ended=7000), Job("B", 0, 1000, ended=8000)],
        [(0, 0, "map", ()), (0, 1, "reduce", (0,)), (1, 0, "map", ()), (1, 1, "reduce", (2,))],
        [
            (0, 0, 0, 0, 0, 4000),
            (1, 0, 0, 1, 4000, 7000),
            (2, 0, 0, 0, 4000, 5000),
            (3, 0, 0, 1, 7000, 8000),
        ],
    )


def test_order_alone_is_to_blame_where_the_run_had_no_lags() -> None:
    # Four orders: mean 5.5 (B first, after waiting for it until 1), 7, 7, 9; makespan 8 at best.
    audit_run(two_jobs(), Clock(0), EXACT)  # compiles what the clock would count
    made = audit_run(two_jobs(), Clock(5), EXACT)
    assert made.objective == "mean"
    assert made.actual == 7000.0
    assert made.reference("kept").best == 5500.0
    causes = seconds(made)
    assert causes.pop("order of the jobs") == 1.5
    left = causes.pop("not decided")
    assert set(causes.values()) == {0.0}
    assert left == pytest.approx(5.5 - made.reference("none").bound.value / 1000)
    assert made.other is not None
    assert made.other.reference("kept").best == 8000
    # B is in nobody's way: alone A takes 7 and B 2, so nothing is under 4.5; the bound is better.
    assert 4500 < made.reference("kept").bound.value <= 5500


def test_no_job_may_lose_more_than_it_is_allowed_to() -> None:
    # 5.5 on average costs A 2 s; if it may lose 1 s nothing is better than the run.
    made = audit_run(two_jobs(), Clock(3), AuditOptions("mean", 0.0, max_loss=1.0))
    assert made.reference("kept").best == 7000
    assert (made.steps[made.kept].job_end <= made.steps[0].job_end + 1000).all()


def test_every_cause_of_one_job_to_the_millisecond() -> None:
    """Submitted at 0; setup 2.5 to 4; map 0 fails from 5 to 6 and succeeds from 6.25 to 8.25.

    The other map, 4.5 to 7.5, is on the second slot; the reduce runs from 8.75 to 10.75, cleanup
    from 11 to 12 and the job ends at 12.5. The heartbeat is 0.5 s.
    """
    run = hadoop(
        [Job("A", 0, 0, ended=12500)],
        [
            (0, 0, "setup", ()),
            (0, 0, "map", ()),
            (0, 1, "reduce", (1,)),
            (0, 0, "cleanup", ()),
        ],
        [
            (0, 0, 0, 0, 2500, 4000),
            (1, 0, 0, 0, 5000, 6000),
            (1, 0, 1, 0, 6250, 8250),
            (1, 1, 0, 0, 4500, 7500),
            (2, 0, 0, 1, 8750, 10750),
            (3, 0, 0, 0, 11000, 12000),
        ],
        outcomes={1: Outcome.FAILED},
        slots=2,
    )
    made = audit_run(run, Clock(5), AuditOptions("makespan", heartbeat=0.5, detail=True))
    # Each line takes one more thing away and follows the longest path by hand.
    # Failed: map 0 could start at 4 and has a lag of 0.25 only, so it ends at 6.25 and the other
    # map (7.5) holds the reduce: 8 to 10, cleanup 10.25 to 11.25, end 11.75.
    # Initialisation: 2.5 becomes 0.5: all is 2 s earlier: 9.75. Idle: no lag is above 0.5.
    # Setup (0.5 + 1.5): 7.75. After: cleanup 0.25 + 1, end 0.5: 6. Heartbeats: 0.5 and 0.5: 5.
    assert seconds(made) == {
        "failed attempts": 0.75,
        "initialisation": 2.0,
        "idle slots": 0.0,
        "which slot": 0.0,
        "order of the jobs": 0.0,
        "setup": 2.0,
        "after the last task": 1.75,
        "heartbeats": 1.0,
        "order again": 0.0,
        "waiting reduces": 0.0,
        "overlap not known": 0.0,
        "not decided": 0.0,
    }
    assert made.reference("none").bound.value == 5000
    assert made.detail is not None
    # First: the failed map has a lag of 1, so 0.5 is idle; without the setup its next ends at 4.25,
    # the job at 8.5; without heartbeats lags are 2, 0.5 and 0 and the job ends at 10.5. Last: only
    # the setup is back 6.5, cleanup and end 6.5, lags of 0.5 before the other map and reduce 6.
    assert {one.cause: (one.first, one.last) for one in made.detail.causes} == {
        "failed attempts": (750, 0),
        "initialisation": (2000, 0),
        "idle slots": (500, 0),
        "setup": (4000, 1500),
        "after the last task": (1750, 1500),
        "heartbeats": (2000, 1000),
        "order of the jobs": (None, 0),
    }
    assert made.detail.areas == {}
    # Whatever is gone already, taking one more away delays nothing.
    for some in chain.from_iterable(combinations(made.replays.causes, k) for k in range(6)):
        ends = made.replays.ends(some)
        assert all((made.replays.ends({*some, c}) <= ends).all() for c in made.replays.causes)


def test_a_reduce_that_waits_for_maps_holds_its_slot_for_sure_and_hardly_in_likelihood() -> None:
    """A's reduce waits from 0 to 10 for its map; B's reduce of 1 s has to wait behind it.

    Another reduce of A, 11 to 13, shuffles for 0.5 s, and says what the first would have needed.
    """
    run = hadoop(
        [Job("A", 0, 0, ended=13000), Job("B", 0, 0, ended=14000)],
        [(0, 0, "map", ()), (0, 1, "reduce", (0,)), (1, 1, "reduce", ())],
        [
            (0, 0, 0, 0, 0, 10000),
            (1, 0, 0, 1, 0, 11000),
            (1, 1, 0, 1, 11000, 13000),
            (2, 0, 0, 1, 13000, 14000),
        ],
    )
    run.attempts.shuffle_end[1:3] = (10400, 11500)
    made = audit_run(run, Clock(8), AuditOptions("mean", heartbeat=0.0))
    kept = made.reference("kept")
    # Sure: B may go after A's early reduce at best, at 11 to 12: (14 + 12) / 2, or before it, when
    # it takes its whole 10 + 1 s from 1 on: A 12 + 2 = 14, B 1: 7.5. Likely and least: the early
    # reduce needs no time before 10: B 0 to 1, A 10 to 13: 7.
    assert kept.best == 7500
    assert kept.likely == kept.least == 7000
    assert seconds(made)["waiting reduces"] == 0.5


def two_masters() -> Run:
    """Two containers. A: master 0 to 3, its map from 1 to 3. B waits for both containers: master 3
    to 6, its map from 4 to 6."""
    return made_run(
        [Job("A", 0, 0, ended=3000), Job("B", 0, 0, ended=6000)],
        [
            Stage("A map", 0, 0, "map", 1),
            Stage("A master", 0, 0, "master", 1),
            Stage("B map", 1, 0, "map", 1),
            Stage("B master", 1, 0, "master", 1),
        ],
        [Executor("h", "h", 0, 2)],
        [
            (1, 0, 0, 0, 0, 3000),
            (0, 0, 0, 0, 1000, 3000),
            (3, 0, 0, 0, 3000, 6000),
            (2, 0, 0, 0, 4000, 6000),
        ],
        framework="yarn",
        pools=("containers",),
    )


def test_masters_start_like_setups_and_hold_their_containers_as_in_the_run() -> None:
    made = audit_run(two_masters(), Clock(3), EXACT)
    kinds = [stage.kind for stage in made.run.stages]
    assert kinds == ["map", "master", "map", "master", "setup", "setup"]
    start, stage = made.run.attempts.start, made.run.attempts.stage
    assert start[np.isin(stage, [1, 3])].tolist() == [1000, 4000]
    # The start-up of B's master can come first, from 0 to 1, and its map follows A's, 3 to 5. Then
    # A's and B's masters and A's map would need three containers from 1 to 3.
    kept = made.reference("kept")
    assert (made.actual, kept.best) == (6000, 5000)
    (told,) = (text for text in made.assumptions if "masters" in text)
    assert told.endswith("in the best plan up to 1 container would be missing, for 2 s in all.")
    # Alone on the two containers B would take 3 s; the start-up is what all else waits for.
    assert kept.bound.value >= 3000
    none = made.reference("none")
    assert none.bound.value <= 2000 <= (none.best or 0)


def test_a_master_that_is_needed_as_in_the_run_has_its_container() -> None:
    whole = two_masters()
    some = whole.attempts.stage < 2
    columns = {f.name: getattr(whole.attempts, f.name)[some] for f in fields(Attempts)[:-1]}
    run = replace(whole, jobs=whole.jobs[:1], stages=whole.stages[:2], attempts=Attempts(**columns))
    (told,) = (t for t in audit_run(run, Clock(1), EXACT).assumptions if "masters" in t)
    assert told.endswith("the best plan has one left for each as long as it needs it.")
    no_master = replace(run, stages=(run.stages[0], replace(run.stages[1], kind="cleanup")))
    (told,) = (t for t in audit_run(no_master, Clock(1), EXACT).assumptions if "masters" in t)
    assert told.endswith("the log does not tell of any.")


def test_more_attempts_than_slots_give_no_verdict() -> None:
    run = hadoop(
        [Job("A", 0, 0, ended=2000)],
        [(0, 0, "map", ())],
        [(0, 0, 0, 0, 0, 1000), (0, 1, 0, 0, 500, 2000)],
    )
    with pytest.raises(BrokenRun, match="breaks the model in 1 place"):
        audit_run(run, Clock(1), EXACT)


@pytest.mark.parametrize(
    ("name", "mean", "makespan"),
    [("trace_1m", 30.67, 50.26), ("2m_stream_trace", 46.23, 79.2), ("trace_3m", 27.2, 100.7)],
)
def test_public_traces(traces: Path, name: str, mean: float, makespan: float) -> None:
    run = read_rumen_run(traces / f"hadoop_rumen/gridmix_system/{name}.json.gz").made
    made = audit_run(run, Clock(1.5), AuditOptions("mean", detail=True))
    assert made.other is not None
    assert made.detail is not None
    assert all(min(one.first or 0, one.last or 0) >= 0 for one in made.detail.causes)
    assert all((one.jobs >= 0).all() for one in made.detail.what_if)
    assert made.actual / 1000 == pytest.approx(mean, abs=0.05)
    assert made.other.actual / 1000 == pytest.approx(makespan, abs=0.05)
    for audit in (made, made.other):
        for reference in audit.references:
            assert reference.best is not None
            assert reference.likely is not None
            assert reference.least is not None
            values = (reference.bound.value, reference.least, reference.likely, reference.best)
            assert list(values) == sorted(values)
            assert reference.best <= audit.actual
        total = sum(time for _, _, time in audit.causes) + audit.reference("none").bound.value
        assert total == pytest.approx(audit.actual, abs=1e-6)
        replays = [step.job_end for step in audit.steps[:5]]
        assert all((b <= a).all() for a, b in pairwise(replays))
        assert np.array_equal(replays[0], made.steps[0].job_end)
