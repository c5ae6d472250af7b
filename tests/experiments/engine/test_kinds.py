"""Runs on datacenters and hierarchies: what they record, and of what it depends."""

import json
from pathlib import Path

import pytest
from studies import own_function, run_here, small_study

from slotwise.core.errors import InputError
from slotwise.experiments.engine.kinds.makespan import own_measures
from slotwise.experiments.engine.kinds.waits import sample_interval
from slotwise.experiments.study.instance_files import found_files
from slotwise.experiments.study.instance_sources import called, read_in
from slotwise.experiments.study.study import Block, Study
from slotwise.experiments.study.workload import beside, digests, name_of_file


def test_a_day_is_a_whole_number_of_samples() -> None:
    assert sample_interval(24 * 29.0, "h") == pytest.approx(3.0)
    assert sample_interval(29.0, "d") == pytest.approx(1 / 8)
    assert sample_interval(1.3, "h") is None  # parts of the run instead
    assert sample_interval(1e9, "fortnight") is None


def test_a_job_that_is_kept_waiting_counts_when_it_came(tmp_path: Path) -> None:
    """One machine, one job at a time: 0 to 30, then the job of second 1, then that of second 29."""
    document = {
        "format": "slotwise/datacenter/1",
        "name": "one",
        "time_unit": "s",
        "resources": ["cpu"],
        "configurations": [{"name": "m", "count": 1, "capacity": {"cpu": 1}}],
        "classes": [{"name": "k", "share": 1, "mean_time": 10, "request": {"cpu": 1}}],
    }
    (tmp_path / "one.json").write_text(json.dumps(document))
    (tmp_path / "jobs.csv").write_text("arrival,duration,class,cpu\n0,30,k,1\n1,1,k,1\n29,1,k,1\n")
    (one,) = found_files("one.json", tmp_path)
    workload = beside({"trace": "jobs.csv", "warm_up": 0.0}, tmp_path)
    study = Study("s", [Block(read_in(one, (0,), workload), [called("policy", "first-fit")])])
    (row,) = run_here(study).to_dict("records")
    assert row["error"] == ""
    waits = json.loads(row["wait_by_arrival"])
    # Thirty intervals of 29 / 30 s: second 1 is in the second, the end of the last in the last.
    assert {i: wait for i, wait in enumerate(waits) if wait} == {1: 29.0, 29: 2.0}
    assert len(waits) == 30
    # By starts there is only the first job: the others start after the last arrival.
    assert (sum(json.loads(row["starts_over_time"])), sum(json.loads(row["wait_over_time"]))) == (
        1,
        0,
    )


def test_events_give_the_shares_at_each_time() -> None:
    (tree,) = found_files("example:departments", Path())
    workload = {"events": "example:departments-events", "repeats": 2}
    study = Study("s", [Block(read_in(tree, (), workload), [called("allocator", "exact")])])
    (row,) = run_here(study).to_dict("records")
    assert json.loads(row["times"]) == [0, 60, 150, 240]
    # At first eng/dev has all its 40 tasks of 200 CPUs; sci/genome takes memory, 8 of 400 a task,
    # which eng/dev uses 2 each of: (400 - 80) / 400.
    assert json.loads(row["shares_over_time"])[0] == pytest.approx([0.2, 0, 0.8, 0, 0])
    assert row["share eng/dev"] == json.loads(row["shares_over_time"])[-1][0]


def test_a_method_of_another_kind_is_told() -> None:
    (tree,) = found_files("example:departments", Path())
    study = Study("s", [Block(read_in(tree, ()), [called("policy", "best-fit")])])
    (row,) = run_here(study).to_dict("records")
    assert row["status"] == "error"
    assert "policy 'best-fit' is not for hierarchies" in row["error"]


def test_files_of_a_workload_are_their_content(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x")
    (tmp_path / "b.csv").write_text("x")
    one, other = (
        beside({"trace": name, "durations": f"trace:{name}"}, tmp_path)
        for name in ("a.csv", "b.csv")
    )
    assert one["durations"] == f"trace:{tmp_path / 'a.csv'}"
    assert digests(one) == digests(other)
    assert digests(one).keys() == {"trace", "durations"}
    assert name_of_file(one["durations"]) == "trace:a.csv"
    (tmp_path / "b.csv").write_text("y")
    assert digests(one) != digests(other)
    with pytest.raises(InputError, match=r"no\.csv"):
        digests({"trace": str(tmp_path / "no.csv")})


def test_a_function_may_measure_for_itself(tmp_path: Path) -> None:
    body = """\
import math, numpy as np
own = {"makespan": np.int64(3), "ratio": np.float32(0.5), "log": [1, 2.5, math.inf]}
own = own | {"none": math.nan} if instance.jobs == 2 else {"log": (7,)}
return slotwise.heuristic(instance, "EFSS").schedule, own"""
    frame = run_here(small_study(1, [own_function(tmp_path, body)]))
    assert frame["error"].tolist() == ["", ""]
    columns = ["measure makespan", "measure ratio", "measure log"]
    assert frame[columns].values.tolist()[0] == [3, 0.5, "[1, 2.5, null]"]
    assert frame["measure log"][1] == "[7]"
    assert frame[["measure makespan", "measure none"]].isna().values.tolist()[1] == [True, True]
    assert (frame["makespan"] > 0).all()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("{'best': 'x'}", "measure 'best': need a number or a list of numbers, got 'x'"),
        ("{'best': [1, [2]]}", "measure 'best': need a number or a list of numbers, got [2]"),
        ("{'best': 10 ** 30}", "measure 'best': a whole number has at most 64 bits"),
        (
            "{'best': range(3)}",
            "measure 'best': need a number or a list of numbers, got range(0, 3)",
        ),
        ("{'best': [0] * 10001}", "measure 'best': at most 10000 numbers, got 10001"),
        ("{3: 4}", "measure 3: need a name of 1 to 80 characters"),
        ("dict.fromkeys(map(str, range(101)), 1)", "measures: at most 100, got 101"),
    ],
)
def test_measures_that_no_table_can_hold_are_named(given: str, said: str) -> None:
    with pytest.raises(InputError) as told:
        own_measures(eval(given))
    assert str(told.value) == said
