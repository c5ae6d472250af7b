"""A rate that is far from the others, and that no good schedule uses, misleads no solver."""

from importlib.util import find_spec

import pytest
from brute_force import optimum
from far_rates import far
from random_instances import extreme

import slotwise


@pytest.mark.parametrize("remote", [1e-6, 1e-12, 1e-20])
@pytest.mark.parametrize("method", ["job-order", "sequence"])
def test_a_remote_rate_that_no_good_schedule_uses(method: str, remote: float) -> None:
    result = slotwise.solve(far(remote), methods=method, time_limit=60)
    assert (result.status, result.makespan, result.lower_bound) == ("optimal", 11.0, 11.0)
    for opinion in slotwise.cross_check(result, time_limit=20):
        assert opinion.agrees is not False, opinion


@pytest.mark.parametrize("small", [1e-3, 1e-6, 1e-12])
@pytest.mark.parametrize("remote", [1e-9, 1e-12, 1e-15])
@pytest.mark.parametrize("method", ["job-order", "sequence"])
def test_so_small_a_read_that_all_rates_count(method: str, remote: float, small: float) -> None:
    """What HiGHS makes of such numbers may be no schedule; then it proves nothing."""
    result = slotwise.solve(far(remote, small), methods=method, time_limit=60)
    assert result.makespan is not None
    assert result.lower_bound <= 11 <= result.makespan
    assert result.status == "feasible" or result.makespan == pytest.approx(11)


@pytest.mark.skipif(find_spec("ortools") is None, reason="OR-Tools is not installed")
def test_cp_sat_proves_what_is_far_shorter_than_the_schedule_it_begins_with() -> None:
    """The first schedule reads for millions of seconds; a unit that suits it is too coarse."""
    instance = extreme(30741)
    first = slotwise.heuristic(instance, "FIFO-Pri")
    assert first.makespan > 1e6
    result = slotwise.solve(instance, methods="cp-sat", heuristics=[first], time_limit=60)
    assert result.status == "optimal"
    assert result.makespan == pytest.approx(optimum(instance))
