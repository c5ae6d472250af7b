"""Slots are alike only if nothing about them makes a difference to any task."""

from dataclasses import replace

import numpy as np
import pytest

from slotwise.formulations.mapreduce.coefficients import Coefficients
from slotwise.instances.mapreduce.cluster import Cluster
from slotwise.instances.mapreduce.instance import Instance, Job, MapTask, SpeedFactors
from slotwise.instances.mapreduce.security import Outages, Security


def shop(task: MapTask, ratio: float = 0.0, nodes: int = 2) -> Instance:
    """Two map and two reduce slots on one node or two."""
    slots = 2 // nodes
    cluster = Cluster.uniform(nodes, map_slots=slots, reduce_slots=slots)
    return Instance.from_jobs("shop", cluster, [Job("a", [task, 2.0], [3.0], ratio)])


PLAIN = shop(MapTask(1.0))
ONES, SLOWER = np.ones((1, 2)), np.array([[1.0, 0.5]])
NONE, LAST = np.array([False, False]), np.array([False, True])
ONE_WAY = Security(np.array([[True, False], [True, True]]), np.array([[0, 1], [1, 0]], np.int8))


@pytest.mark.parametrize(
    "instance",
    [
        PLAIN,
        shop(MapTask(1.0, 100.0, ["n0"]), 1.0, nodes=1),
        replace(PLAIN, speed_factors=SpeedFactors(ONES * 0.5, ONES)),
        replace(PLAIN, outages=Outages(NONE, NONE)),
    ],
    ids=["without data", "one node", "equal factors", "no slot lost"],
)
def test_alike(instance: Instance) -> None:
    assert Coefficients(instance).places_alike


@pytest.mark.parametrize(
    "instance",
    [
        shop(MapTask(1.0, 100.0, ["n0"])),
        # Read with the same effort everywhere, as there is no copy; what comes out is not.
        shop(MapTask(1.0, 100.0), 1.0),
        replace(PLAIN, speed_factors=SpeedFactors(SLOWER, ONES)),
        replace(PLAIN, speed_factors=SpeedFactors(ONES, SLOWER)),
        replace(PLAIN, outages=Outages(LAST, NONE)),
        replace(PLAIN, outages=Outages(NONE, LAST)),
        replace(PLAIN, security=ONE_WAY),
    ],
    ids=[
        "input",
        "output",
        "map speed",
        "reduce speed",
        "map slot lost",
        "reduce slot lost",
        "low",
    ],
)
def test_not_alike(instance: Instance) -> None:
    assert not Coefficients(instance).places_alike
