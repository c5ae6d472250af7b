"""The clock: limits, stops, and work that is left behind."""

import math
import subprocess
import sys

import pytest

import slotwise
from slotwise import Cluster, Instance, Job
from slotwise.core.clock import Clock, check_time_limit
from slotwise.core.errors import InputError


def test_a_clock_is_over_at_its_limit_or_when_stopped() -> None:
    assert Clock(0.0).over
    endless = Clock()
    assert (endless.over, endless.left) == (False, math.inf)
    part = endless.until(1e6)
    endless.stop.set()
    assert endless.over
    assert part.over
    assert (part.reason, Clock(0.0).reason) == ("interrupted", "time limit")


@pytest.mark.parametrize("seconds", [-1.0, math.nan])
def test_a_limit_is_a_number_of_seconds(seconds: float) -> None:
    with pytest.raises(InputError, match="time limit"):
        check_time_limit(seconds)


def test_without_time_there_is_a_first_schedule() -> None:
    jobs = [Job("a", [2.0, 3.0, 4.0], [3.0, 1.0]), Job("b", [1.0, 5.0], [2.0, 2.0, 2.0])]
    instance = Instance.from_jobs("short", Cluster.uniform(2, map_slots=1), jobs)
    result = slotwise.solve(instance, time_limit=0)
    assert slotwise.check(instance, result.schedule).valid
    assert (result.found_by, result.lower_bound > 0) == ("FIFO-Pri", True)
    assert any("not run, time limit" in note for note in result.notes)


def test_importing_the_compiler_counts_as_compiling() -> None:
    program = (
        "import sys\n"
        "from slotwise.core.clock import Clock\n"
        "from slotwise.core.kernels.decorators import load_compiler\n"
        "clock = Clock()\n"
        "assert 'numba' not in sys.modules\n"
        "load_compiler()\n"
        "assert 0.02 <= clock.compiling <= clock.elapsed\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
