"""What more of a resource brings, by hand."""

import numpy as np
import pytest
from make import datacenter

from slotwise.core.clock import Clock
from slotwise.instances.datacenter.datacenter import Datacenter
from slotwise.instances.datacenter.guidance import Gains
from slotwise.solvers.datacenter.column_generation import generate_columns
from slotwise.solvers.datacenter.gains import machine_gains, resource_gains


def gains_of(data: Datacenter, seconds: float = 60) -> Gains:
    return resource_gains(data, generate_columns(data, gains=True), Clock(seconds))


def test_a_job_that_needs_two_resources_needs_more_of_both() -> None:
    # 4 jobs fill cpu and mem alike: a fifth needs 25 % more of both, and no more of one helps.
    gains = gains_of(datacenter("cpu mem", {"m": (1, 4, 8)}, {"k": (1, 1, 1, 2)}))
    assert gains.everywhere.tolist() == [0, 0]
    assert gains.place.tolist() == [[0, 0]]
    assert gains.first[0].tolist() == [np.inf, np.inf]
    assert np.isnan(gains.first_gain).all()


def test_1_percent_of_a_hundred_jobs_is_one() -> None:
    gains = gains_of(datacenter("cpu mem", {"m": (1, 100, 150)}, {"k": (1, 1, 1, 1)}))
    assert gains.everywhere == pytest.approx([0.01, 0])
    assert gains.place[0] == pytest.approx([0.01, 0])
    assert np.isnan(gains.first[0, 0])
    assert gains.first[0, 1] == np.inf


def test_the_first_increase_that_helps() -> None:
    # 3 jobs of 3 in 10: a fourth needs 12, 20 % more.
    gains = gains_of(datacenter("cpu", {"m": (1, 10)}, {"k": (1, 1, 3)}))
    assert gains.first[0].tolist() == [0.2]
    assert gains.first_gain[0] == pytest.approx([1 / 3])


def test_machines_that_do_not_exist_gain_nothing() -> None:
    data = datacenter("cpu", {"m": (2, 100), "none": (0, 50)}, {"k": (1, 1, 1)})
    gains = gains_of(data)
    assert gains.place[0] == pytest.approx([0.01])
    assert np.isnan(gains.place[1]).all()
    # One machine more: 100 or 50 jobs beside 200.
    columns = generate_columns(data, gains=True)
    assert machine_gains(data, columns, Clock(60)) == pytest.approx([100, 50])


def test_out_of_time_nothing_is_claimed() -> None:
    gains = gains_of(datacenter("cpu", {"m": (1, 4)}, {"k": (1, 1, 1)}), 0)
    for values in (gains.everywhere, gains.place, gains.first, gains.first_gain):
        assert np.isnan(values).all()
