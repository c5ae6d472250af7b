"""Guidance in words and tables, against a plan made by hand."""

from dataclasses import replace

import numpy as np
import pytest
from make import datacenter
from printed import shown, tables

from slotwise.instances.datacenter.guidance import Gains, Guidance, Prices
from slotwise.reports.datacenter.guidance import MOST_BINS, explanation, guidance_view

PLAN = "At most 100 jobs per h are possible (linear program); this plan carries 90, 10 % less."


@pytest.fixture
def plan() -> Guidance:
    """Two big machines run 3 web jobs and a batch job, two small ones a web job, one nothing."""
    classes = {"web": (0.75, 1, 1), "batch": (0.25, 1, 1)}
    data = datacenter("cpu mem", {"big": (2, 4, 8), "small": (3, 2)}, classes)
    return Guidance(
        data,
        90.0,
        100.0,
        bin_configuration=np.array([0, 1, 1]),
        bin_machines=np.array([2, 2, 1]),
        bin_jobs=np.array([[3, 1], [1, 0], [0, 0]]),
        bound_name="linear program",
        method="column generation",
        prices=Prices(
            resource=np.array([[0.6, 0.0], [0.3, 0.1]]),
            work=np.array([0.2, 0.8]),
            machine=np.array([3.0, 12.5]),
            machine_bound=np.array([4.0, 13.0]),
        ),
    )


def test_words(plan: Guidance) -> None:
    assert explanation(plan) == [
        PLAN,
        "Of what limits the rate, 90 % is cpu: big 60 %, small 30 %.",
        "Of what limits the rate, 10 % is mem: small 10 %.",
        "At these prices the classes take of the datacenter: batch 80 %, web 20 %.",
        "One more machine would bring, in jobs per h: small 12.5, big 3.",
    ]
    assert len(explanation(replace(plan, prices=None))) == 1


def test_what_limits_nothing(plan: Guidance) -> None:
    assert plan.prices is not None
    prices = replace(plan.prices, resource=np.array([[0.7, 0.0], [0.3, 0.0]]), machine=np.zeros(2))
    words = explanation(replace(plan, prices=prices))
    assert "The rate is not limited by mem." in words
    assert words[-1] == "No single machine more of any configuration would raise the rate."


def test_a_plan_that_nothing_exceeds(plan: Guidance) -> None:
    assert explanation(replace(plan, arrival_rate=100.0, prices=None)) == [
        "At most 100 jobs per h are possible; this plan reaches that (proven: linear program)."
    ]


def test_how_far_it_is_from_the_best_plan_of_whole_machines(plan: Guidance) -> None:
    def last(**changes) -> str:
        return explanation(replace(plan, prices=None, integer_proof="all bins", **changes))[0]

    assert last(integer_bound=90.0) == f"{PLAN} No plan of whole machines carries more (all bins)."
    assert last(integer_bound=90.9) == (
        f"{PLAN} No plan of whole machines carries more than 90.9 (all bins), so this one is at "
        "most 0.99 % below the best."
    )
    assert last(integer_bound=100.0) == PLAN


def test_words_for_what_more_brings(plan: Guidance) -> None:
    assert plan.prices is not None
    gains = Gains(
        more=0.01,
        everywhere=np.array([0.012, 0.0]),
        place=np.array([[0.0, 0.0], [0.012, 0.0]]),
        first=np.array([[0.25, np.inf], [np.nan, 0.5]]),
        first_gain=np.array([[0.2, np.nan], [np.nan, 0.04]]),
    )
    words = explanation(replace(plan, prices=replace(plan.prices, gains=gains)))
    assert words[1].endswith(
        "small 30 %. 1 % more cpu on all machines brings 1.2 % more jobs (small alone 1.2 %). "
        "25 % more cpu on big (1 a machine) brings 20 % more jobs; less there brings nothing."
    )
    assert words[2].endswith(
        "1 % more mem on all machines brings nothing. 50 % more mem on small (0 a machine) "
        "brings 4 % more jobs; less there brings nothing."
    )
    # Of equal gains the one for which least has to be added.
    equal = replace(
        gains,
        first=np.array([[0.125, np.inf], [0.0625, 0.5]]),
        first_gain=np.array([[0.0312, np.nan], [0.0312, 0.04]]),
    )
    words = explanation(replace(plan, prices=replace(plan.prices, gains=equal)))
    assert words[1].endswith(
        "6.25 % more cpu on small (0.125 a machine) brings 3.12 % more jobs; less there brings "
        "nothing."
    )
    gains = replace(
        gains,
        everywhere=np.zeros(2),
        place=np.zeros((2, 2)),
        first=np.full((2, 2), np.inf),
        first_gain=np.full((2, 2), np.nan),
    )
    words = explanation(replace(plan, prices=replace(plan.prices, gains=gains)))
    assert words[2].endswith("mem on all machines brings nothing. Nor does up to twice as much.")


def test_words_for_a_target(plan: Guidance) -> None:
    target = replace(plan, target_rate=12345.0, machines_bound=3, prices=None)
    assert explanation(target) == [
        "4 of 5 machines carry 12 345 jobs per h; no plan does with fewer than 3.",
        "Not needed: 1 small.",
    ]
    busy = replace(target, bin_jobs=np.array([[3, 1], [1, 0], [0, 1]]))
    assert explanation(busy)[1] == "Every machine is needed."


def test_many_configurations_are_summed_up(plan: Guidance) -> None:
    data = datacenter("cpu", {f"c{j}": (1, 1) for j in range(8)}, {"web": (1, 1, 1)})
    prices = Prices(
        resource=np.array([[0.3, 0.2, 0.15, 0.12, 0.1, 0.08, 0.04, 0.01]]).T,
        work=np.array([1.0]),
        machine=np.array([8.0, 7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0]),
        machine_bound=np.ones(8),
    )
    wide = replace(plan, datacenter=data, bin_jobs=plan.bin_jobs[:, :1], prices=prices)
    words = explanation(wide)
    assert "c0 30 %, c1 20 %, c2 15 %, c3 12 %, c4 10 %, 3 others 13 %." in words[1]
    assert words[-1].endswith("c0 8, c1 7, c2 6, c3 5, c4 4, c5 3, ….")


def test_tables(plan: Guidance) -> None:
    text = shown(guidance_view(plan))
    assert "d: column generation" in text
    configurations, bins = tables(text)
    assert list(configurations[0]) == [
        "configuration", "machines", "bins", "limit: cpu", "limit: mem", "one more: jobs/h"
    ]  # fmt: skip
    assert [list(row.values()) for row in configurations] == [
        ["big", "2", "1", "60 %", "–", "3"],
        ["small", "3", "2", "30 %", "10 %", "12.5"],
    ]
    assert [list(row.values()) for row in bins] == [
        ["big", "2", "3 web, 1 batch"],
        ["small", "2", "1 web"],
        ["small", "1", "none"],
    ]
    assert list(bins[0]) == ["configuration", "machines", "jobs on each"]
    configurations, _ = tables(shown(guidance_view(replace(plan, prices=None))))
    assert list(configurations[1].values()) == ["small", "3", "2"]


def test_the_table_says_how_many_bins_it_leaves_out(plan: Guidance) -> None:
    number = MOST_BINS + 7
    many = replace(
        plan,
        bin_configuration=np.zeros(number, dtype=np.int64),
        bin_machines=np.arange(number),
        bin_jobs=np.ones((number, 2), dtype=np.int64),
    )
    text = shown(guidance_view(many))
    assert "7 more bins in the file" in [line.strip() for line in text.splitlines()]
    bins = tables(text)[1]
    assert [row["machines"] for row in bins] == [str(b) for b in range(MOST_BINS)]
