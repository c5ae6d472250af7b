"""LJR's heuristics and FIFO under security: by hand, and task by task against a plain scan."""

from dataclasses import replace

import numpy as np
import plain_secure
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from random_instances import instances, with_security, with_speed_factors

import slotwise
from slotwise.heuristics.mapreduce.hmhs import fifo as first_come
from slotwise.heuristics.mapreduce.hmhs.priority import by_priority
from slotwise.heuristics.mapreduce.list_scheduling import rules as list_scheduling
from slotwise.instances.mapreduce.checker import check
from slotwise.instances.mapreduce.cluster import Cluster
from slotwise.instances.mapreduce.eligibility import impossible
from slotwise.instances.mapreduce.instance import Instance, Job, MapTask
from slotwise.instances.mapreduce.security import Security

PAIRS = [
    (list_scheduling.eass, plain_secure.plain_eass),
    (list_scheduling.efss, plain_secure.plain_efss),
    (list_scheduling.efss_local, plain_secure.plain_efss_local),
    (list_scheduling.tbs, plain_secure.plain_tbs),
    (list_scheduling.tbs_local, plain_secure.plain_tbs_local),
]


@st.composite
def secure_instances(draw):
    """Setups are exact in binary, so that the reference need not round as the kernel does."""
    instance = with_security(draw(instances(tasks=7)), draw(st.integers(0, 10**6)))
    assume(impossible(instance) is None)
    rate = draw(st.sampled_from([64.0, 256.0]))
    security = replace(instance.security, transfer_rate=rate, encryption_rate=rate)
    ratio = draw(st.sampled_from([0.0, 0.5])) * instance.reduces_of
    instance = replace(instance, security=security, output_ratio=ratio)
    if draw(st.booleans()):
        instance = with_speed_factors(instance, draw(st.integers(0, 10**6)))
    return instance


def assert_same(got, want) -> None:
    for phase in ("map", "reduce"):
        here, there = getattr(got, phase), getattr(want, phase)
        assert here.slot.tolist() == there.slot.tolist()
        assert here.start == pytest.approx(there.start)
        assert here.setup == pytest.approx(there.setup)


@pytest.mark.parametrize(("heuristic", "plain"), PAIRS)
@settings(max_examples=60, deadline=None)
@given(secure_instances())
def test_task_by_task_as_a_plain_scan(heuristic, plain, instance: Instance) -> None:
    schedule = heuristic(instance)
    assert check(instance, schedule).violations == []
    assert_same(schedule, plain(instance))


@settings(max_examples=100, deadline=None)
@given(secure_instances())
def test_fifo_gives_a_free_slot_the_first_task_it_may_run(instance: Instance) -> None:
    for heuristic, jobs in (
        (first_come.fifo, range(instance.jobs)),
        (first_come.fifo_pri, by_priority(instance).tolist()),
    ):
        schedule = heuristic(instance)
        assert check(instance, schedule).violations == []
        maps = plain_secure.plain_fifo_maps(instance, jobs)
        assert schedule.map.slot.tolist() == maps.slot.tolist()
        assert schedule.map.start == pytest.approx(maps.start)


@pytest.fixture
def instance() -> Instance:
    """Nodes n0, n1, n2 with a map slot each; one job with map tasks a, b of 10 and 9 s.

    Both read 100 MB of n0: 1 s to move, and 2 s more to encrypt for n1. Task a may not run on n0.
    """
    jobs = [Job("j", [MapTask(10, 100, ["n0"]), MapTask(9, 100, ["n0"])], [1.0])]
    plain = Instance.from_jobs("secure", Cluster.uniform(3, map_slots=1, reduce_slots=1), jobs)
    security = Security(
        priorities=np.array([[0, 1, 1], [1, 1, 1]], dtype=bool),
        levels=np.array([[0, -1, 1], [1, 0, 1], [1, 1, 0]], dtype=np.int8),
    )
    return replace(plain, security=security)


def test_the_rules_by_hand(instance: Instance) -> None:
    # EASS: a to the first slot that it may use, n1, with 3 s of setup; b to n0, the first free.
    available = slotwise.heuristic(instance, "EASS").schedule
    assert available.map.slot.tolist() == [1, 0]
    assert available.map.end == pytest.approx([13, 9])
    # EFSS: a ends at 13 on n1 and at 11 on n2; b at 9 on n0.
    finishing = slotwise.heuristic(instance, "EFSS").schedule
    assert finishing.map.slot.tolist() == [2, 0]
    assert finishing.map.end == pytest.approx([11, 9])
    # EFSS-L: a has no allowed slot at home and is placed as in EFSS.
    assert slotwise.heuristic(instance, "EFSS-L").schedule.map.slot.tolist() == [2, 0]


def test_local_is_local_however_long_it_takes(instance: Instance) -> None:
    """Three more tasks of n0's data: EFSS-L queues them all at home, EFSS sends one to n2."""
    tasks = [MapTask(4, 100, ["n0"])] * 3
    plain = Instance.from_jobs("more", instance.cluster, [Job("j", tasks, [1.0])])
    security = replace(instance.security, priorities=np.ones((3, 3), dtype=bool))
    secure = replace(plain, security=security)
    assert slotwise.heuristic(secure, "EFSS-L").schedule.map.slot.tolist() == [0, 0, 0]
    # EFSS: 4 s on n0; then 8 s there, 7 on n1, 5 on n2; then 8, 7, 10.
    assert slotwise.heuristic(secure, "EFSS").schedule.map.slot.tolist() == [0, 2, 1]


def test_what_understands_security_drops_nothing(instance: Instance) -> None:
    for name in ("EASS", "EFSS", "EFSS-L", "TBS", "TBS-L", "FIFO", "FIFO-Pri"):
        assert slotwise.heuristic(instance, name).assumptions_dropped == ()
