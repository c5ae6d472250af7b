"""Work in a thread of its own: left behind when the time is up, ended by Ctrl-C."""

import threading

import numpy as np
import pytest

from slotwise.core.background import OutOfTime, attempt, interruptible
from slotwise.core.clock import Clock


def test_work_is_done_or_left_behind():
    assert attempt(lambda: 7, Clock()) == 7
    with pytest.raises(ZeroDivisionError):
        attempt(lambda: 1 / 0, Clock())
    for stop in (Clock(0.01), Clock(asked=lambda: True)):
        release = threading.Event()
        with pytest.raises(OutOfTime):
            attempt(release.wait, stop)
        release.set()


def test_a_rule_ends_the_kernel():
    flag, ended = np.zeros(1, dtype=np.int64), []

    def kernel():
        while not flag[0]:
            pass
        ended.append(True)

    assert interruptible(kernel, flag, Clock(0.01))
    assert ended == [True]


def test_ctrl_c_stops_the_kernel():
    flag = np.zeros(1, dtype=np.int64)
    ended = []

    def kernel():
        while not flag[0]:
            pass
        ended.append(True)

    def press():
        raise KeyboardInterrupt

    assert not interruptible(kernel, flag, Clock(60.0), press)
    assert ended == [True]


def test_errors_in_the_kernel_are_seen():
    def kernel():
        raise ValueError("inside")

    with pytest.raises(ValueError, match="inside"):
        interruptible(kernel, np.zeros(1, dtype=np.int64), Clock(60.0))
