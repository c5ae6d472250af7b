"""How much demands differ within a class."""

import numpy as np
import pytest

from slotwise import Configuration, Datacenter, JobClass
from slotwise.instances.datacenter.work import spread_of
from slotwise.instances.datacenter.workload import Jobs, Workload, poisson


def problem():
    return Datacenter.from_classes(
        "two classes",
        ["cpu", "gpu"],
        [Configuration("c", 1, {"cpu": 100.0, "gpu": 100.0})],
        [
            JobClass("a", 0.8, 1.0, {"cpu": 1.0, "gpu": 0.0}),
            JobClass("b", 0.2, 1.0, {"cpu": 2.0, "gpu": 1.0}),
        ],
    )


def test_by_hand():
    """Class a: 1 and 3 cores, a c.v. of 1/2. Class b: 2 and 2 cores, 0; 1 and 4 GPUs, 3/5."""
    demands = [[1, 0], [2, 1], [3, 0], [2, 4], [1, 9], [3, 9]]
    jobs = Jobs(
        np.arange(6.0),
        np.array([0, 1, 0, 1, 0, 0]),
        np.ones(6),
        problem().in_units(np.array(demands, dtype=float)),
    )
    # Class a has four jobs and requests no GPU; class b has two.
    expected = np.sqrt((4 * 0.5**2 + 2 * 0.0 + 2 * 0.6**2) / (4 + 2 + 2))
    parts = [Jobs._make(column[i : i + 2] for column in jobs) for i in (0, 2, 4)]
    workload = Workload(problem(), 6, 6.0, "by hand", lambda: iter(parts))
    assert spread_of(workload) == pytest.approx(expected)


@pytest.mark.parametrize("noise", [0.0, 0.3])
def test_noise_is_found_again(noise):
    workload = poisson(problem(), 1.0, 100_000, seed=1, noise=noise)
    assert spread_of(workload) == pytest.approx(noise, rel=0.01)
