"""The worked example of the explanations."""

import pytest

from slotwise.instances.mapreduce.cluster import Cluster
from slotwise.instances.mapreduce.instance import Instance, Job, MapTask


@pytest.fixture(scope="module")
def toy() -> Instance:
    """The worked example of docs/formulations/job-order.md."""
    cluster = Cluster.uniform(2, map_slots=1, reduce_slots=1)
    a = Job("a", [MapTask(10, 200, ["n0"]), MapTask(10, 200, ["n1"])], [20.0, 20.0], 1.0)
    b = Job("b", [MapTask(6, 100, ["n0"])], [8.0], 1.0)
    return Instance.from_jobs("toy", cluster, [a, b])
