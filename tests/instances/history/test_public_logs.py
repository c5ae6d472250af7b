"""Public logs, read whole."""

from pathlib import Path

import numpy as np
import pytest

from slotwise.instances.history.reading import HistoryOptions, read_run
from slotwise.instances.history.run import Outcome, Run


def outcomes(run: Run) -> list[int]:
    return np.bincount(run.attempts.outcome, minlength=len(Outcome)).tolist()


def of_kind(run: Run, kind: str) -> int:
    """Tasks of a kind that succeeded."""
    stages = [k for k, stage in enumerate(run.stages) if stage.kind == kind]
    done = np.isin(run.attempts.stage, stages) & (run.attempts.outcome == Outcome.SUCCESS)
    return len(set(zip(run.attempts.stage[done], run.attempts.task[done], strict=True)))


def test_mumak(traces: Path) -> None:
    folder = traces / "hadoop_rumen" / "mumak"
    topology = HistoryOptions(folder / "19-jobs.topology.json.gz")
    run = read_run(folder / "19-jobs.trace.json.gz", topology)
    assert (run.framework, len(run.jobs), len(run.executors)) == ("hadoop", 19, 2 * 1545)
    assert {one.slots for one in run.executors} == {2}
    assert (of_kind(run, "map"), of_kind(run, "reduce")) == (5650, 2754)
    assert sum(run.dropped.values()) == 9


@pytest.mark.parametrize(
    ("name", "jobs", "maps", "reduces", "slots"),
    [("trace_1m", 5, 42, 5, (2, 1)), ("trace_10m", 29, 77, 184, (4, 2))],
)
def test_gridmix(
    traces: Path, name: str, jobs: int, maps: int, reduces: int, slots: tuple[int, int]
) -> None:
    run = read_run(traces / "hadoop_rumen" / "gridmix_system" / f"{name}.json.gz")
    assert (len(run.jobs), of_kind(run, "map"), of_kind(run, "reduce")) == (jobs, maps, reduces)
    assert tuple(one.slots for one in run.executors[:2]) == slots
    assert (of_kind(run, "setup"), of_kind(run, "cleanup")) == (jobs, jobs)
    assert run.dropped == {}


def test_jhist(traces: Path) -> None:
    run = read_run(traces / "hadoop_rumen" / "jhist")
    assert (run.framework, run.pools, len(run.jobs)) == ("yarn", ("containers",), 1)
    # It says one reduce task and logs two.
    assert (of_kind(run, "map"), of_kind(run, "reduce"), of_kind(run, "master")) == (10, 2, 1)
    assert outcomes(run) == [13, 0, 0, 0, 0]


def test_spark_sample(traces: Path) -> None:
    run = read_run(traces / "spark" / "spark_sample_4.0.1.jsonl")
    assert (run.versions, run.complete, run.dropped) == ({"spark": "4.0.1"}, True, {})
    assert [(stage.tasks, stage.parents) for stage in run.stages] == [(4, ()), (3, (0,))]
    assert [one.slots for one in run.executors] == [2]
    last = run.attempts.end.max() - run.jobs[0].submitted
    assert last / 1000 == pytest.approx(6.40, abs=0.01)
