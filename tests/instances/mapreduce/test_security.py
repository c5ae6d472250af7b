"""Security and outages in the instance: setups by hand, the checker, the file, its errors."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from racing import all_heuristics
from random_instances import instances, tiny, with_outages, with_security
from typer.testing import CliRunner

import slotwise
from slotwise.commands.app import app
from slotwise.core.errors import InputError
from slotwise.formulations.mapreduce.bounds.closed_form import best_lower_bound
from slotwise.instances.mapreduce.checker import check
from slotwise.instances.mapreduce.cluster import Cluster
from slotwise.instances.mapreduce.eligibility import impossible
from slotwise.instances.mapreduce.instance import Instance, Job, MapTask
from slotwise.instances.mapreduce.instance_file import (
    instance_document,
    read_instance,
    write_instance,
)
from slotwise.instances.mapreduce.schedule import timed
from slotwise.instances.mapreduce.security import Outages, Security
from slotwise.instances.mapreduce.setups import (
    best_map_setups,
    encryption_times,
    map_setup_matrix,
    map_setups,
    reduce_setups,
)
from slotwise.instances.mapreduce.usable_slots import usable_slots


@pytest.fixture
def instance() -> Instance:
    """Nodes n0 (map slots 0, 1) and n1 (map slot 2), a reduce slot each; 100 and 50 MB/s.

    Task 0 has 300 MB on n0, task 1 has 100 MB on n1, task 2 reads nothing. Data of n0 needs
    encryption on slot 2; data of n1 needs it on slot 1, not on slot 0.
    """
    cluster = replace(
        Cluster.uniform(2, map_slots=1, reduce_slots=1), map_slots=np.array([2, 1], dtype=np.int64)
    )
    plain = Instance.from_jobs(
        "secure",
        cluster,
        [
            Job("j0", [MapTask(5, 300, ["n0"]), MapTask(7, 100, ["n1"])], [4.0, 2.0], 0.5),
            Job("j1", [3.0], [1.0]),
        ],
    )
    security = Security(
        priorities=np.array([[1, 1, 1], [1, 1, 0], [0, 0, 1]], dtype=bool),
        levels=np.array([[0, 0, -1], [1, -1, 0]], dtype=np.int8),
    )
    return replace(plain, security=security)


def test_setups_by_hand(instance: Instance) -> None:
    # 300 MB: 3 s of transfer, 6 s of encryption; 100 MB: 1 s and 2 s.
    assert map_setup_matrix(instance) == pytest.approx(np.array([[0, 0, 9], [1, 3, 0], [0, 0, 0]]))
    # Task 1's home slot 2 is forbidden to it.
    assert best_map_setups(instance) == pytest.approx([0, 1, 0])
    slots = np.array([2, 1, 0])
    assert map_setups(instance, slots) == pytest.approx([9, 3, 0])
    assert encryption_times(instance, slots) == pytest.approx([6, 2, 0])
    # Job j0 leaves 200 MB, 100 for each reduce task, read at 100 MB/s wherever it is.
    assert reduce_setups(instance, np.array([1, 0, 0])) == pytest.approx(np.array([[1, 1], [0, 0]]))


def test_data_with_several_holders_takes_the_cheapest_way(instance: Instance) -> None:
    both = replace(instance, replica_offsets=np.array([0, 2, 2, 2]), replicas=np.array([0, 1]))
    setups = map_setup_matrix(both)
    assert setups[0] == pytest.approx([0, 0, 0])
    # Nobody in the cluster holds the input of task 1: it is encrypted everywhere.
    assert setups[1] == pytest.approx([3, 3, 3])


@given(instances(), st.integers(0, 10**6))
def test_setups_of_an_assignment_are_those_of_the_matrix(drawn: Instance, seed: int) -> None:
    instance = with_security(drawn, seed)
    slots = len(instance.cluster.map_slot_node)
    matrix = map_setup_matrix(instance)
    for k in range(slots):
        slot = np.full(instance.map_tasks, k)
        assert map_setups(instance, slot) == pytest.approx(matrix[:, k])


def test_the_checker_finds_forbidden_and_lost_slots(instance: Instance) -> None:
    def violations(problem: Instance, map_slot: list[int], reduce_slot: list[int]) -> list[str]:
        rank = np.arange(3)
        schedule = timed(problem, np.array(map_slot), rank, np.array(reduce_slot), rank)
        return check(problem, schedule).violations

    assert violations(instance, [0, 1, 2], [0, 1, 0]) == []
    assert violations(instance, [0, 2, 2], [0, 1, 0]) == [
        "job 'j0' map task 1 is on map slot 2, its priority forbids that"
    ]
    lost = replace(instance, outages=Outages.of_nodes(instance.cluster, [1]))
    assert violations(lost, [0, 1, 2], [0, 1, 0]) == [
        "job 'j1' map task 0 is on map slot 2, which is lost",
        "job 'j0' reduce task 1 is on reduce slot 1, which is lost",
    ]
    assert impossible(instance) is None
    why = impossible(lost)
    assert why == (
        "job 'j1' map task 0 has nowhere to run: every map slot that its priority allows is lost"
    )


def test_no_schedule_is_an_answer_not_an_error(instance: Instance, tmp_path: Path) -> None:
    security = instance.security
    assert security is not None
    priorities = security.priorities.copy()
    priorities[2] = False
    nowhere = replace(instance, security=replace(security, priorities=priorities))
    path = tmp_path / "nowhere.json"
    write_instance(nowhere, path)
    why = "job 'j1' map task 0 has nowhere to run: its priority is too low on every map slot"
    run = CliRunner()
    for arguments in (["solve"], ["heuristic", "EFSS"], ["gap"], ["bounds"]):
        result = run.invoke(app, [*arguments, str(path), "--json"])
        assert result.exit_code == 1, arguments
        document = json.loads(result.stdout)
        if arguments == ["gap"]:
            document = document["instances"][0]
            assert document["heuristics"] == {}
        assert why in document["notes"]
        assert document["lower_bound"] in (0.0, None)
        assert why in " ".join(run.invoke(app, [*arguments, str(path)]).output.split())
    with pytest.raises(InputError, match="no schedule exists"):
        slotwise.bounds(nowhere)


def test_dropped_security_moves_tasks_off_forbidden_slots(instance: Instance) -> None:
    result = slotwise.heuristic(instance, "HMHS")
    assert "security" in result.assumptions_dropped
    assert check(instance, result.schedule).valid


@pytest.mark.parametrize("seed", range(40))
def test_every_heuristic_runs_on_every_instance(seed: int) -> None:
    instance = with_outages(with_security(tiny(seed), seed), seed)
    if impossible(instance) is not None:
        comparison = slotwise.gap(instance, time_limit=0)
        assert comparison.best.status == "infeasible"
        assert comparison.heuristics == []
        return
    bound = best_lower_bound(instance)
    for result in all_heuristics(instance):
        assert check(instance, result.schedule).valid
        assert result.makespan >= bound[0] * (1 - 1e-9)


@given(instances(), st.integers(0, 10**6))
def test_leaving_lost_slots_out_and_back(drawn: Instance, seed: int) -> None:
    instance = with_outages(with_security(drawn, seed), seed)
    if impossible(instance) is not None:
        return
    usable = usable_slots(instance)
    result = slotwise.heuristic(usable.instance, "HMHS")
    whole = usable.restored(result.schedule)
    assert check(instance, whole).valid
    again = usable.reduced(whole)
    assert np.array_equal(again.map.slot, result.schedule.map.slot)
    assert np.array_equal(again.reduce.slot, result.schedule.reduce.slot)


def test_the_file_keeps_everything(tmp_path: Path) -> None:
    for seed in range(30):
        instance = with_outages(with_security(tiny(seed), seed), seed)
        path = tmp_path / "secure.json.gz"
        write_instance(instance, path)
        again = read_instance(path)
        assert instance_document(again) == instance_document(instance)
        assert np.array_equal(again.security.priorities, instance.security.priorities)
        assert np.array_equal(again.outages.map, instance.outages.map)
        assert np.array_equal(again.outages.reduce, instance.outages.reduce)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda s, o: s.update(transfer_rate=0), "security, transfer_rate"),
        (lambda s, o: s["levels"].pop(), "security, levels: need 2 nodes, got 1"),
        (lambda s, o: s["levels"][1].pop(), "levels, node 'n1': need 3 map slots, got 2"),
        (lambda s, o: s["levels"][0].__setitem__(0, 1), "node 'n0', map slot 0: must be 0 on its"),
        (lambda s, o: s["levels"][0].__setitem__(2, 0), "map slot 2: must be -1 or 1, got 0"),
        (lambda s, o: s["levels"][0].__setitem__(2, 7), "levels"),
        (lambda s, o: s["priorities"].pop(), "security, priorities: need 2 jobs, got 1"),
        (lambda s, o: s["priorities"][0].pop(), "job 'j0': need 2 map tasks, got 1"),
        (
            lambda s, o: s["priorities"][0].__setitem__(1, "11"),
            "job 'j0', map task 1: need 3 map slots, got 2",
        ),
        (lambda s, o: s["priorities"][0].__setitem__(1, "1x1"), "priorities"),
        (lambda s, o: o.append({"node": "n7"}), "outages, entry 0: unknown node 'n7'"),
        (lambda s, o: o.append({"node": "n0", "slot": 0}), "a slot needs a phase"),
        (
            lambda s, o: o.append({"node": "n0", "phase": "map", "slot": 2}),
            "outages, entry 0: node 'n0' has 2 map slots",
        ),
    ],
)
def test_bad_input_is_one_line(instance: Instance, tmp_path: Path, change, message: str) -> None:
    document = instance_document(instance)
    document["outages"] = []
    change(document["security"], document["outages"])
    path = tmp_path / "bad.json"
    path.write_text(json.dumps(document))
    with pytest.raises(InputError) as error:
        read_instance(path)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_many_slots_of_which_a_task_may_use_the_last_one_only() -> None:
    """The data is at home on the slot that is allowed; without that slot there is no schedule."""
    slots = 200
    cluster = Cluster.uniform(2, map_slots=slots // 2, reduce_slots=1)
    jobs = [Job("j", [MapTask(1.0, 128, ["n1"])], [1.0])]
    last = np.arange(slots) == slots - 1
    levels = np.array([[0, -1], [-1, 0]], np.int8)[:, cluster.map_slot_node]
    plain = Instance.from_jobs("last", cluster, jobs)
    instance = replace(plain, security=Security(priorities=last[None, :], levels=levels))
    assert impossible(instance) is None
    assert best_map_setups(instance).tolist() == [0.0]
    lost = replace(instance, outages=Outages(last, np.zeros(2, dtype=bool)))
    assert "every map slot that its priority allows is lost" in impossible(lost)
