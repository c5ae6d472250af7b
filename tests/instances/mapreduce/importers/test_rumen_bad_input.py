"""Rumen traces that are damaged or senseless: one line of error, never a traceback."""

import copy
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rumen_jobs import TOPOLOGY, attempt, job, map_task, read, reduce_task

from slotwise.core.errors import InputError
from slotwise.instances.mapreduce.importers.rumen import read_rumen
from slotwise.instances.mapreduce.instance_file import (
    instance_document,
    read_instance,
    write_instance,
)

GOOD = job(
    maps=[
        map_task(attempt("/r/h", 1, 5, **read(3, 10**6)), replicas=["r/h", "r/g"]),
        map_task(attempt("h", 1, 2, "FAILED"), replicas=["s/k"]),
    ],
    reduces=[reduce_task(attempt("/r/g", 2, 9, shuffled=6, reduceShuffleBytes=10**6))],
)


def without(*path):
    broken = copy.deepcopy(GOOD)
    here = broken
    for step in path[:-1]:
        here = here[step]
    del here[path[-1]]
    return broken


def changed(value, *path):
    broken = without(*path)
    here = broken
    for step in path[:-1]:
        here = here[step]
    here[path[-1]] = value
    return broken


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no job in the file"),
        ("[]", "no job in the file"),
        ("not json", "job 0: not JSON"),
        (json.dumps(GOOD)[:-9], "job 0: not JSON"),
        (json.dumps(GOOD) + "{", "job 1: not JSON"),
        ("[" * 100_000, "nested too deeply"),
        ("3", "not a Rumen trace"),
        (json.dumps(TOPOLOGY), "job 0, jobID: is missing"),
        (json.dumps(without("jobID")), "job 0, jobID: is missing"),
        (json.dumps(changed(7, "jobID")), "job 0, jobID: need a valid string, got 7"),
        (json.dumps(changed("", "jobID")), "jobID"),
        (json.dumps(changed("soon", "submitTime")), "job 'job_1', submitTime: need"),
        (
            json.dumps(changed(1.5, "mapTasks", 0, "attempts", 0, "startTime")),
            "job 'job_1', task 'task_1_m_000000', attempts 0, startTime: need",
        ),
        (
            json.dumps(changed({}, "mapTasks", 1, "attempts")),
            "job 'job_1', task 'task_1_m_000001', attempts: need",
        ),
        (
            json.dumps(changed(10**16, "reduceTasks", 0, "attempts", 0, "finishTime")),
            "task 'task_1_r_000000', attempts 0, finishTime: need",
        ),
        (
            json.dumps(changed([1], "mapTasks", 0, "preferredLocations", 0, "layers")),
            "task 'task_1_m_000000', preferredLocations 0, layers 0: need",
        ),
        (json.dumps(job()), "no job with a usable task"),
    ],
)
def test_bad_traces_are_refused(tmp_path, text, message):
    path = tmp_path / "bad.json"
    path.write_text(text)
    with pytest.raises(InputError) as refusal:
        read_rumen(path)
    assert message in str(refusal.value)
    assert str(path) in str(refusal.value)


@pytest.mark.parametrize(
    ("topology", "message"),
    [
        ({}, "need a name"),
        ({"name": "root"}, "no host"),
        ({"name": "root", "children": 3}, "children: need a list"),
        ({"name": "root", "children": [{"name": "r", "children": [4]}]}, "below 'r': need a name"),
    ],
)
def test_bad_topologies_are_refused(load, tmp_path, topology, message):
    path = tmp_path / "bad.topology.json"
    path.write_text(json.dumps(topology))
    with pytest.raises(InputError, match=message):
        load(copy.deepcopy(GOOD), topology=path)


def test_bad_options_are_refused(load):
    with pytest.raises(InputError, match="map_slots"):
        load(GOOD, map_slots=-1)
    with pytest.raises(InputError, match="no node has a reduce slot"):
        load(GOOD, reduce_slots=0)
    with pytest.raises(InputError, match="missing"):
        read_rumen("missing.json")


def paths_of(value, prefix=()):
    yield prefix
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from paths_of(inner, (*prefix, key))


PLACES = [path for path in paths_of(GOOD) if path]
VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**20), 10**20),
    st.floats(),
    st.text(max_size=5),
    st.builds(list),
    st.builds(dict),
    st.just("/\\/"),
    st.lists(st.none() | st.text(max_size=3), max_size=3),
)


@settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    changes=st.lists(
        st.tuples(st.sampled_from(PLACES), st.just("delete") | VALUES), min_size=1, max_size=4
    ),
    keep=st.none() | st.integers(0, 2000),
)
def test_a_mutilated_trace_gives_an_instance_or_an_input_error(tmp_path, changes, keep):
    broken = copy.deepcopy(GOOD)
    for path, value in changes:
        here = broken
        try:
            for step in path[:-1]:
                here = here[step]
            if value == "delete":
                del here[path[-1]]
            else:
                here[path[-1]] = value
        except (KeyError, IndexError, TypeError):
            continue
    file = tmp_path / "mutilated.json"
    file.write_text(json.dumps(broken)[:keep])
    try:
        instance = read_rumen(file).made
    except InputError:
        return
    write_instance(instance, tmp_path / "again.json")
    again = read_instance(tmp_path / "again.json")
    assert instance_document(again) == instance_document(instance)
