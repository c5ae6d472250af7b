"""Instances, clusters and schedules of arrays: what compiled code reads is there and in range."""

import copy
import pickle
from dataclasses import replace

import numpy as np
import pytest

import slotwise
from slotwise.core.clock import Clock
from slotwise.heuristics.mapreduce.improvement import improve
from slotwise.instances.mapreduce.cluster import Cluster, Rates
from slotwise.instances.mapreduce.history import Events, History
from slotwise.instances.mapreduce.instance import Instance, SpeedFactors
from slotwise.instances.mapreduce.schedule import PhaseSchedule, Schedule, timed
from slotwise.instances.mapreduce.security import Outages, Security

NAN, INF = np.nan, np.inf


def ints(*values):
    return np.array(values, dtype=np.int64)


def floats(*values):
    return np.array(values, dtype=float)


def example(**changes):
    """Job a of two map tasks with three replicas and a reduce task, job b of a map task."""
    cluster = Cluster.uniform(2, racks=2, map_slots=1, reduce_slots=1)
    fields = {
        "name": "two jobs",
        "cluster": cluster,
        "job_names": ("a", "b"),
        "output_ratio": floats(0.5, 0.5),
        "map_offsets": ints(0, 2, 3),
        "map_processing": floats(1, 2, 3),
        "input_mb": floats(10, 10, 0),
        "replica_offsets": ints(0, 2, 3, 3),
        "replicas": ints(0, 1, 1),
        "reduce_offsets": ints(0, 1, 1),
        "reduce_processing": floats(4),
    }
    return Instance(**(fields | changes))


def security(**changes):
    fields = {"priorities": np.ones((3, 2), dtype=bool), "levels": np.array([[0, 1], [1, 0]])}
    return Security(**(fields | changes))


def events(**changes):
    fields = {"node": ints(-1, 0, 1), "start": np.full(3, NAN), "end": np.full(3, NAN)}
    return Events(**(fields | changes))


def history(**changes):
    reduces = Events(ints(-1), floats(NAN), floats(NAN))
    return History(**({"makespan": 1.0, "map": events(), "reduce": reduces} | changes))


ONES, NO = np.ones((2, 2)), np.zeros(2, dtype=bool)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"map_processing": floats(1, 2)}, r"input_mb: .* of shape \(2,\), got shape \(3,\)"),
        ({"map_processing": np.ones((3, 1))}, "map_processing: .* of one dimension"),
        ({"map_processing": 3.0}, "map_processing: .* of one dimension"),
        ({"map_processing": floats(1, NAN, 3)}, "job 'a', map task 1, processing: must be finite"),
        ({"map_processing": floats(1, 2, INF)}, "job 'b', map task 0, processing: must be finite"),
        ({"map_processing": np.array(["1", "2", "3"])}, "map_processing: needs an array of num"),
        ({"map_processing": np.array([1, 2, None])}, "map_processing: needs an array of num"),
        ({"map_processing": np.array([True, True, False])}, "map_processing: needs an array of"),
        ({"map_processing": floats(1, 2, 3) + 1j}, "map_processing: needs an array of num"),
        ({"map_processing": None}, "map_processing: needs an array of num"),
        ({"map_processing": [[1.0], [2.0, 3.0]]}, "map_processing: needs rows of one length"),
        ({"input_mb": floats(1, 2, 3, 4)}, r"input_mb: .* of shape \(3,\)"),
        ({"input_mb": floats(1, -2, 3)}, "job 'a', map task 1, input_mb: must be finite and >= 0"),
        ({"input_mb": np.ones((1, 3))}, r"input_mb: .* of shape \(3,\), got shape \(1, 3\)"),
        ({"output_ratio": floats(1)}, r"output_ratio: .* of shape \(2,\)"),
        ({"output_ratio": floats(1, NAN)}, "job 'b', output_ratio: must be finite"),
        ({"reduce_processing": floats(1, 2)}, "reduce_offsets: must go from 0 to 2, got 0 to 1"),
        ({"reduce_processing": floats(-INF)}, "job 'a', reduce task 0, processing: must be"),
        ({"map_offsets": ints(0, 3)}, r"map_offsets: .* of shape \(3,\), got shape \(2,\)"),
        ({"map_offsets": ints(0, 2, 4)}, "map_offsets: must go from 0 to 3, got 0 to 4"),
        ({"map_offsets": ints(1, 2, 3)}, "map_offsets: must go from 0 to 3, got 1 to 3"),
        ({"map_offsets": ints(0, 5, 3)}, "map_offsets, entry 2: must not be below the one before"),
        ({"map_offsets": ints(0, -1, 3)}, "map_offsets, entry 1: must not be below"),
        ({"map_offsets": floats(0, 2, 3)}, "map_offsets: needs an array of whole numbers"),
        ({"map_offsets": floats(0, NAN, 3)}, "map_offsets: needs an array of whole numbers"),
        ({"map_offsets": np.array([0, 2, 3], dtype=object)}, "map_offsets: needs an array of"),
        ({"map_offsets": np.array([0, 2**63, 3], dtype=np.uint64)}, "needs whole numbers of 64"),
        ({"reduce_offsets": ints(0, 1, 1, 1)}, r"reduce_offsets: .* of shape \(3,\)"),
        ({"reduce_offsets": ints(0, 0, 0)}, "reduce_offsets: must go from 0 to 1, got 0 to 0"),
        ({"replica_offsets": ints(0, 2, 3)}, r"replica_offsets: .* of shape \(4,\)"),
        ({"replica_offsets": ints(0, 2, 3, 9)}, "replica_offsets: must go from 0 to 3, got 0 to 9"),
        ({"replica_offsets": ints(0, 2, 1, 3)}, "replica_offsets, entry 2: must not be below"),
        ({"replicas": ints(0, 1)}, "replica_offsets: must go from 0 to 2, got 0 to 3"),
        ({"replicas": ints(0, 1, 2)}, "job 'a', map task 1, replicas: node 2, there are 2"),
        ({"replicas": ints(0, -1, 1)}, "job 'a', map task 0, replicas: node -1, there are 2"),
        ({"replicas": floats(0, 1, 1)}, "replicas: needs an array of whole numbers"),
        ({"replicas": np.array(["n0", "n1", "n1"])}, "replicas: needs an array of whole numbers"),
        ({"job_names": ("a",)}, r"output_ratio: .* of shape \(1,\), got shape \(2,\)"),
        ({"job_names": ("a", "a")}, "job name 'a' is used twice"),
        ({"job_names": ("a", 1)}, "instance: job_names: needs a sequence, each a word, got"),
        ({"job_names": ("a", "")}, "job name: needs a word, got ''"),
        ({"job_names": "ab"}, "instance: job_names: needs a sequence"),
        ({"name": 3}, "instance: name: needs a word, got 3"),
        ({"cluster": "two nodes"}, "instance: cluster: needs a Cluster"),
        ({"speed_factors": ONES}, "instance: speed_factors: needs a SpeedFactors, got"),
        ({"speed_factors": SpeedFactors(ONES[:1], ONES)}, "speed_factors, map: .* of shape"),
        ({"speed_factors": SpeedFactors(ONES, floats(1, 1))}, "speed_factors, reduce: .* of shape"),
        ({"speed_factors": SpeedFactors(ONES, -ONES)}, "speed_factors, reduce, job 'a', slot 0"),
        ({"speed_factors": SpeedFactors(ONES * NAN, ONES)}, "speed_factors, map, job 'a', slot 0"),
        ({"speed_factors": SpeedFactors(ONES.astype(str), ONES)}, "speed_factors, map: needs an"),
        ({"security": security(priorities=np.ones((3, 2)))}, "priorities: needs an array of True"),
        ({"security": security(priorities=np.ones(3, bool))}, "security, priorities: .* of shape"),
        ({"security": security(levels=ints(0, 1))}, r"security, levels: .* of shape \(2, 2\)"),
        ({"security": security(levels=np.array([[0, 257], [1, 0]]))}, "levels: needs whole num"),
        ({"security": security(levels=np.array([[0, 1], [0, 0]]))}, "levels, node 'n1', map slot"),
        ({"security": security(levels=np.zeros((2, 2)))}, "levels: needs an array of whole"),
        ({"security": security(transfer_rate="fast")}, "security: transfer_rate: needs a number"),
        ({"outages": Outages(NO, np.zeros(3, dtype=bool))}, r"outages, reduce: .* of shape \(2,\)"),
        ({"outages": Outages(ints(0, 1), NO)}, "outages, map: needs an array of True and False"),
        ({"history": history(map=events(node=ints(0, 1)))}, "history, map, node: .* of shape"),
        ({"history": history(map=events(node=ints(0, 1, 2)))}, "history, map task 2: node 2"),
        ({"history": history(map=events(node=ints(0, -2, 1)))}, "history, map task 1: node -2"),
        ({"history": history(map=events(start=floats(1)))}, "history, map, start: .* of shape"),
        ({"history": history(reduce=None)}, "history: reduce: needs an Events"),
        ({"history": history(makespan=NAN)}, "history: makespan: needs a number"),
    ],
)  # fmt: skip
def test_what_compiled_code_could_not_read_is_refused_in_one_line(changes, message):
    example()
    with pytest.raises(slotwise.InputError, match=message) as refusal:
        example(**changes)
    assert "\n" not in str(refusal.value)
    with pytest.raises(slotwise.InputError, match=message):
        replace(example(), **changes)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"rack_of": ints(0)}, r"cluster, rack_of: .* of shape \(2,\)"),
        ({"rack_of": ints(0, 2)}, "node 'n1', rack_of: rack 2, there are 2"),
        ({"rack_of": ints(-1, 0)}, "node 'n0', rack_of: rack -1, there are 2"),
        ({"rack_of": floats(0, 1)}, "cluster, rack_of: needs an array of whole numbers"),
        ({"map_slots": ints(1, 1, 1)}, r"cluster, map_slots: .* of shape \(2,\)"),
        ({"map_slots": ints(1, -1)}, "node 'n1', map_slots: must be >= 0, got -1"),
        ({"map_slots": floats(1, NAN)}, "cluster, map_slots: needs an array of whole numbers"),
        ({"reduce_slots": np.ones((2, 2), dtype=int)}, "cluster, reduce_slots: .* of shape"),
        ({"reduce_slots": np.array([1, "1"], dtype=object)}, "cluster, reduce_slots: needs"),
        ({"node_names": ("n0",)}, r"cluster, rack_of: .* of shape \(1,\)"),
        ({"node_names": ("n0", "n0")}, "cluster: node name 'n0' is used twice"),
        ({"node_names": ("n0", None)}, "cluster: node_names: needs a sequence, each a word"),
        ({"rack_names": ("r", "r")}, "cluster: rack name 'r' is used twice"),
        ({"rates": 30.0}, "cluster: rates: needs a Rates, got 30.0"),
    ],
)  # fmt: skip
def test_clusters_too(changes, message):
    with pytest.raises(slotwise.InputError, match=message):
        replace(example().cluster, **changes)


def test_rates_are_numbers():
    with pytest.raises(slotwise.InputError, match="rates: node: needs a number, got the string"):
        Rates("fast")


def test_many_tasks_are_refused_before_a_kernel_reads_beyond_them():
    n = 6000
    whole = {
        "map_offsets": ints(0, n, n),
        "map_processing": np.ones(n),
        "input_mb": np.ones(n),
        "replica_offsets": np.arange(n + 1),
        "replicas": np.zeros(n, dtype=np.int64),
    }
    assert example(**whole).map_tasks == n
    for far in (10**9, -(10**9)):
        with pytest.raises(slotwise.InputError, match=f"map task 4321, replicas: node {far}"):
            example(**(whole | {"replicas": np.where(np.arange(n) == 4321, far, 0)}))


def test_lists_and_other_sizes_of_numbers_become_the_usual_arrays():
    plain = example()
    other = example(
        job_names=["a", "b"],
        map_processing=[1, 2, 3],
        input_mb=floats(10, 10, 0).astype(np.float32),
        map_offsets=[0, 2, 3],
        replicas=ints(0, 1, 1).astype(np.int32).astype(">i4"),
    )
    assert other == plain
    assert other.map_processing.dtype == plain.map_processing.dtype
    assert other.replicas.dtype == plain.replicas.dtype
    assert slotwise.heuristic(other, "EFSS").makespan == slotwise.heuristic(plain, "EFSS").makespan
    none = example(
        map_offsets=[0, 0, 0], map_processing=[], input_mb=[], replica_offsets=[0], replicas=[]
    )
    assert none.replicas.dtype == np.int64


def test_every_part_survives_copies():
    whole = example(
        speed_factors=SpeedFactors(ONES, ONES),
        security=security(),
        outages=Outages(NO, NO),
        history=history(),
    )
    for same in (replace(whole), copy.deepcopy(whole), pickle.loads(pickle.dumps(whole))):
        assert same == whole


def schedule(instance):
    return timed(instance, ints(0, 1, 0), ints(0, 0, 1), ints(0), ints(0))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"slot": ints(0, 1)},
            r"schedule, start: needs an array of shape \(2,\), got shape \(3,\)",
        ),
        ({"slot": floats(0, 1, 0)}, "schedule, slot: needs an array of whole numbers"),
        ({"slot": ints(0, 1, 0)[None]}, "schedule, slot: needs an array of one dimension"),
        ({"start": np.array(["0", "1", "2"])}, "schedule, start: needs an array of num"),
        ({"end": np.ones((3, 1))}, "schedule, end: needs an array of shape"),
        ({"setup": None}, "schedule, setup: needs an array of num"),
    ],
)
def test_arrays_of_a_schedule_belong_together(changes, message):
    with pytest.raises(slotwise.InputError, match=message):
        replace(schedule(example()).map, **changes)


def test_a_schedule_has_two_phases():
    with pytest.raises(slotwise.InputError, match="schedule, reduce: needs a PhaseSchedule"):
        replace(schedule(example()), reduce=ints(0))
    with pytest.raises(slotwise.InputError, match="schedule, makespan: needs a number"):
        replace(schedule(example()), makespan="long")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"slot": ints(0, 2, 0)}, "job 'a' map task 1 is on map slot 2, the cluster has 2"),
        ({"slot": ints(0, 1, -1)}, "job 'b' map task 0 is not scheduled"),
        ({"start": floats(0, NAN, 0)}, "job 'a' map task 1 is not scheduled: slot 1, start nan"),
    ],
)
def test_what_does_not_fit_the_instance_is_not_written_nor_searched_from(
    changes, message, tmp_path
):
    instance = example()
    found = schedule(instance)
    wrong = replace(found, map=replace(found.map, **changes))
    assert not slotwise.check(instance, wrong).valid
    with pytest.raises(slotwise.InputError, match=message):
        slotwise.write(wrong, tmp_path / "s.json", instance=instance)
    best = slotwise.heuristic(instance, "EFSS")
    with pytest.raises(slotwise.InputError, match=message):
        slotwise.solve(instance, heuristics=[replace(best, schedule=wrong)])
    with pytest.raises(slotwise.InputError, match=message):
        improve(instance, wrong, Clock(1.0))


def test_a_schedule_of_fewer_tasks_is_of_another_instance(tmp_path):
    instance = example()
    short = PhaseSchedule(ints(0), floats(0), floats(0), floats(1))
    wrong = Schedule("two jobs", short, schedule(instance).reduce, 1.0)
    with pytest.raises(slotwise.InputError, match="the schedule has 1 map tasks, instance 'two"):
        slotwise.write(wrong, tmp_path / "s.json", instance=instance)
    assert slotwise.check(instance, wrong).violations == ["map phase: need 3 entries, got [1]"]


def test_results_of_another_instance_are_no_start():
    other = slotwise.heuristic(example(map_processing=floats(1, 1, 1)), "EFSS")
    with pytest.raises(slotwise.InputError, match="is of another instance than 'two jobs'"):
        slotwise.solve(example(), heuristics=[other])


def test_a_heuristic_of_ones_own_is_looked_at_before_its_slots_are_read():
    instance = example(outages=Outages(NO, np.array([True, False])))

    def wild(plain):
        maps = PhaseSchedule(ints(0, 7, 0), floats(0, 0, 1), np.zeros(3), floats(1, 2, 4))
        return Schedule(plain.name, maps, schedule(example()).reduce, 4.0)

    with pytest.raises(slotwise.InputError, match="job 'a' map task 1 is on map slot 7"):
        slotwise.heuristic(instance, wild)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"map_slot": floats(0, 1, 0)}, "timed: map_slot: needs an array of whole numbers"),
        ({"map_slot": ints(0, 1)}, r"timed: map_slot: needs an array of shape \(3,\)"),
        ({"reduce_slot": ints(2)}, "timed: reduce_slot: needs numbers from 0 to 1"),
        ({"map_rank": np.array(["x", "y", "z"])}, "timed: map_rank: needs an array of num"),
    ],
)
def test_arrays_for_timed(changes, message):
    given = {"map_slot": ints(0, 1, 0), "map_rank": ints(0, 0, 1)}
    given |= {"reduce_slot": ints(0), "reduce_rank": ints(0)}
    with pytest.raises(slotwise.InputError, match=message):
        timed(example(), **(given | changes))
