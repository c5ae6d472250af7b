"""LJR's heuristics and FIFO under security: by hand."""

from dataclasses import replace

import numpy as np
import pytest

import slotwise
from slotwise.instances.mapreduce.cluster import Cluster
from slotwise.instances.mapreduce.instance import Instance, Job, MapTask
from slotwise.instances.mapreduce.security import Security


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
