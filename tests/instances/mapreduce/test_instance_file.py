"""What an instance file says about jobs, and about the run that it was recorded from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import slotwise

MAP = {"processing": 1.0}


def read_with(tmp_path: Path, of_b: Any = None, **row: Any) -> slotwise.Instance:
    """Jobs a with two map tasks and b with one, and a history of one task."""
    node = {"name": "n0", "rack": "r0", "map_slots": 1, "reduce_slots": 1}
    document = {
        "format": "slotwise/mapreduce/1",
        "name": "recorded",
        "cluster": {"nodes": [node], "rates": {"node": 1.0, "rack": 1.0, "remote": 1.0}},
        "jobs": [
            {"name": "a", "map_tasks": [MAP, MAP]},
            {"name": "b", "map_tasks": [MAP]} | (of_b or {}),
        ],
        "history": {"makespan": 5.0, "tasks": [{"job": "b", "phase": "map", "task": 0} | row]},
    }
    path = tmp_path / "recorded.json"
    path.write_text(json.dumps(document))
    instance = slotwise.read(path)
    assert isinstance(instance, slotwise.Instance)
    return instance


def test_tasks_of_the_history_are_numbered_within_their_job(tmp_path: Path) -> None:
    history = read_with(tmp_path, node="n0", start=1.0, end=3.0).history
    assert history is not None
    assert history.map.node.tolist() == [-1, -1, 0]
    assert history.map.end[2] == 3.0
    assert np.isnan(history.map.start).tolist() == [True, True, False]


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        ({"job": "c"}, "history, job 'c' map task 0: unknown job"),
        ({"task": 1}, "history, job 'b' map task 1: the job has 1 map tasks"),
        ({"phase": "reduce"}, "history, job 'b' reduce task 0: the job has 0 reduce tasks"),
        ({"node": "n9"}, "history, job 'b' map task 0: unknown node 'n9'"),
    ],
)
def test_a_history_of_what_is_not_there_is_refused(
    tmp_path: Path, row: dict[str, Any], fault: str
) -> None:
    with pytest.raises(slotwise.InputError, match=fault):
        read_with(tmp_path, **row)


@pytest.mark.parametrize(
    ("field", "why"),
    [
        ({"release": 3.0}, "release: is no longer there: all jobs are there at time 0"),
        ({"release": 0.0}, "release: is no longer there: all jobs are there at time 0"),
        ({"weight": 1}, "weight: is no longer there: every job counts the same"),
    ],
)
def test_jobs_have_neither_releases_nor_weights(
    tmp_path: Path, field: dict[str, float], why: str
) -> None:
    said = rf"^{tmp_path}/recorded.json: job 'b', {why}, so leave it out$"
    with pytest.raises(slotwise.InputError, match=said):
        read_with(tmp_path, of_b=field)
    # A command was called so; no field ever was.
    with pytest.raises(slotwise.InputError, match="schema: is not a field of this format"):
        read_with(tmp_path, of_b={"schema": {}})
