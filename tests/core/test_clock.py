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


def test_a_limit_counts_from_when_the_clock_was_made(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("slotwise.core.clock.time.perf_counter", lambda: now[0])
    clock = Clock(5.0)
    assert (clock(), clock.left) == (False, 5.0)
    now[0] += 3
    assert (clock(), clock.left, clock.elapsed) == (False, 2.0, 3.0)
    part = clock.until(4.0, target=7.0)
    assert (part.left, part(7.1), part(7.0), clock(7.0)) == (1.0, False, True, False)
    now[0] += 3
    assert (clock(), clock.left, part.left) == (True, 0.0, 0.0)


def test_a_target_or_an_answer_ends_it_too() -> None:
    asked: list[bool] = []
    clock = Clock(target=7.0, iterations=4, asked=lambda: bool(asked))
    assert (clock(), clock(7.1), clock(7.0), clock.target, clock.iterations) == (
        False, False, True, 7.0, 4,
    )  # fmt: skip
    part = clock.until(9.0, asked=clock.asked)
    asked.append(True)
    assert (clock(), part(), clock.over, part.over) == (True, True, False, False)


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
