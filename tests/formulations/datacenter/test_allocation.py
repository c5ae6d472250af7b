"""The two programs of LoTES against the paper's numbers, worked examples and PuLP."""

import numpy as np
import pytest
from make import datacenter
from plain_datacenter import best_rate, fewest_machines

from slotwise.core.clock import StopReason
from slotwise.formulations.datacenter.allocation import model as allocation
from slotwise.formulations.datacenter.machine_assignment import model as machine_assignment
from slotwise.formulations.datacenter.machine_assignment.bins import all_non_dominated
from slotwise.instances.datacenter.generators.lotes import generate, google_2011
from slotwise.solvers.backends import highs

FRAGMENTED = datacenter("cores", {"m": (30, 8)}, {"k": (1, 0.5, 3)})
"""LoTES, section 2: 240 cores hold 80 jobs of 3 cores if pooled, 60 on 30 machines of 8."""


def optimum(model) -> float:
    outcome = highs.solve(model)
    assert outcome.stop is StopReason.GAP_CLOSED
    return outcome.incumbent


def test_tables_1_and_2() -> None:
    data = google_2011()
    assert optimum(allocation.build(data, as_printed=True)) == pytest.approx(4730796.59, abs=0.005)
    assert optimum(allocation.build(data)) == pytest.approx(4730689.90, abs=0.005)
    assert optimum(machine_assignment.build(data)) == pytest.approx(4730689.90, abs=0.005)


def test_fragmentation() -> None:
    # A job takes half an hour, so that n running jobs serve 2 n an hour.
    assert optimum(allocation.build(FRAGMENTED)) == pytest.approx(160)
    assert optimum(machine_assignment.build(FRAGMENTED)) == pytest.approx(120)


def test_the_printed_program_lets_jobs_run_that_fit_no_machine() -> None:
    data = datacenter("r", {"m": (4, 1)}, {"large": (1, 1, 2)})
    assert optimum(allocation.build(data, as_printed=True)) == pytest.approx(2)
    assert optimum(allocation.build(data)) == pytest.approx(0)
    assert optimum(machine_assignment.build(data)) == pytest.approx(0)


def test_a_class_stays_off_configurations_that_cannot_run_it() -> None:
    data = datacenter("r", {"a": (1, 1), "b": (1, 1)}, {"k": (1, {"b": 1.0}, 1)})
    for as_printed in (True, False):
        model = allocation.build(data, as_printed=as_printed)
        assert optimum(model) == pytest.approx(1)
        assert allocation.running(model)[0, 1] == pytest.approx(1)


def test_shares_of_resources_obey_the_printed_equations() -> None:
    data = google_2011()
    model = allocation.build(data)
    rate = optimum(model)
    delta = allocation.delta(model)
    amount = delta * (data.capacity * data.count[:, None])[:, None, :]
    # (2): for every class and resource; (3): in the proportions of the request; (4).
    served = (amount * data.rate.T[:, :, None]).sum(axis=0)
    needed = rate * data.share[:, None] * data.request
    assert (served >= needed * (1 - 1e-7)).all()
    jobs = amount / data.request[None]
    assert np.allclose(jobs, jobs[:, :, :1], rtol=1e-9, atol=1e-9)
    assert (delta.sum(axis=1) <= 1 + 1e-9).all()


def test_resources_that_nobody_has_or_needs_divide_nothing_by_zero() -> None:
    data = datacenter("cpu gpu", {"m": (2, 4)}, {"k": (1, 1, 1)})
    model = allocation.build(data)
    assert optimum(model) == pytest.approx(8)
    assert allocation.delta(model).tolist() == [[[pytest.approx(1), 0]]]


@pytest.mark.parametrize("seed", range(8))
def test_against_pulp_on_all_bins(seed: int) -> None:
    data = generate(3, 3, 2, 12, seed=seed, request=(0.1, 0.25), speed=(0.5, 2.0), allowed=0.8)
    fractional = optimum(machine_assignment.build(data))
    assert fractional == pytest.approx(best_rate(data), rel=1e-6)
    # Pooling can only help.
    assert optimum(allocation.build(data)) >= fractional * (1 - 1e-9)
    whole = optimum(machine_assignment.build(data, integer=True))
    assert whole == pytest.approx(best_rate(data, integer=True), rel=1e-6)
    target = 0.6 * fractional
    few = machine_assignment.build(data, target_rate=target, integer=True)
    assert optimum(few) == pytest.approx(fewest_machines(data, target, integer=True), rel=1e-6)


def test_a_start_is_a_solution() -> None:
    data = generate(3, 2, 2, 6, seed=1, request=(0.1, 0.25))
    bins = all_non_dominated(data)
    model = machine_assignment.build(data, bins, integer=True)
    plan = [np.zeros(len(rows), dtype=np.int64) for rows in bins]
    for j, rows in enumerate(bins):
        # As many machines as there are with the bin that holds most jobs.
        plan[j][rows.sum(axis=1).argmax()] = data.count[j]
    machine_assignment.start(model, plan)
    assert [x.tolist() for x in machine_assignment.machines(model)] == [x.tolist() for x in plan]
    served = sum(
        (x @ rows) * data.rate[:, j] for j, (x, rows) in enumerate(zip(plan, bins, strict=True))
    )
    assert model.arrival_rate.value == pytest.approx((served / data.share).min())
    for rows in (model.eq8_running, model.eq9_one_bin_each):
        for row in rows.values():
            assert row.body() == pytest.approx(row.ub)


def test_sizes_are_estimated_without_building() -> None:
    data = google_2011()
    nonzeros = sum(
        1 + np.count_nonzero(bins, axis=1).sum() / len(bins) for bins in all_non_dominated(data)
    )
    assert machine_assignment.estimated_terms(data) > nonzeros
    assert machine_assignment.estimated_terms(generate(seed=1)) > 1e9
    assert allocation.estimated_terms(data) == 4 * 10 * 3 + 4
