"""From a model that anybody has solved to a schedule."""

import pyomo.environ as pyo
import pytest

import slotwise
from slotwise.instances.mapreduce.generators.ljr import small

TINY = small(2, 2, seed=4, max_maps=2, max_reduces=2)


@pytest.mark.parametrize("name", ["job-order", "sequence"])
def test_a_solved_model_gives_its_schedule(name: str) -> None:
    model = slotwise.build(TINY, name)
    with pytest.raises(slotwise.InputError, match="has no value: solve it first"):
        slotwise.schedule_of(model)
    pyo.SolverFactory("appsi_highs").solve(model)
    schedule = slotwise.schedule_of(model)
    assert slotwise.check(TINY, schedule).valid
    assert schedule.makespan == pytest.approx(slotwise.solve(TINY).makespan)
    assert schedule.makespan == pytest.approx(pyo.value(model.makespan))


def test_bounds_are_no_schedules() -> None:
    model = slotwise.build(TINY, "unrelated-machines")
    with pytest.raises(slotwise.InputError, match="are no schedules"):
        slotwise.schedule_of(model)
    with pytest.raises(slotwise.InputError, match=r"slotwise\.build"):
        slotwise.schedule_of(pyo.ConcreteModel())
