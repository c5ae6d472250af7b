"""Datacenters: validation, integer units, files."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slotwise.core.errors import InputError
from slotwise.instances.datacenter.datacenter import Configuration, Datacenter, JobClass
from slotwise.instances.datacenter.datacenter_file import (
    datacenter_document,
    read_datacenter,
    write_datacenter,
)
from slotwise.instances.datacenter.generators.lotes import generate, google_2011

EXAMPLE = Path(__file__).parents[3] / "examples" / "google-2011.json"


def small(**changes: object) -> Datacenter:
    fields = {
        "name": "small",
        "resources": ["cpu", "gpu"],
        "configurations": [
            Configuration("plain", 3, {"cpu": 0.3}),
            Configuration("gpus", 2, {"cpu": 0.3, "gpu": 2}),
        ],
        "classes": [
            JobClass("web", 0.75, 2.0, {"cpu": 0.1}),
            JobClass("train", 0.25, {"gpus": 4.0}, {"cpu": 0.1, "gpu": 1}),
        ],
    }
    return Datacenter.from_classes(**(fields | changes))  # type: ignore[arg-type]


def test_what_fits_and_how_fast() -> None:
    data = small()
    assert data.machines == 5
    assert data.configuration_of.tolist() == [0, 0, 0, 1, 1]
    assert data.fits.tolist() == [[True, True], [False, True]]
    assert data.rate.tolist() == [[0.5, 0.5], [0.0, 0.25]]


def test_three_tenths_hold_three_times_a_tenth() -> None:
    # 0.1 + 0.1 + 0.1 > 0.3 in floating point.
    data = small()
    assert 3 * data.request_units[0, 0] <= data.capacity_units[0, 0]
    assert 4 * data.request_units[0, 0] > data.capacity_units[0, 0]


@settings(max_examples=100, deadline=None)
@given(st.integers(1, 10**9), st.integers(1, 1000), st.integers(-9, 9))
def test_decimal_numbers_become_integers_without_loss(whole: int, parts: int, power: int) -> None:
    part, capacity = float(f"{whole}e{power}"), float(f"{whole * parts}e{power}")
    machine = Configuration("m", 1, {"r": capacity})
    data = Datacenter.from_classes("d", ["r"], [machine], [JobClass("k", 1.0, 1.0, {"r": part})])
    need, room = int(data.request_units[0, 0]), int(data.capacity_units[0, 0])
    # `parts` jobs fit, and one more does not.
    assert parts * need <= room < (parts + 1) * need


def test_a_positive_amount_never_vanishes_and_a_huge_one_never_fits() -> None:
    data = small()
    assert data.in_units(np.array([1e-30, 0.0])).tolist() == [1, 0]
    with np.errstate(all="raise"):
        beyond = data.in_units(np.array([1e30, 1.7e308]))
    assert (beyond > data.capacity_units.max(axis=0)).all()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"resources": ["cpu", "cpu"]}, "configuration 'gpus', capacity: unknown resource 'gpu'"),
        ({"classes": []}, "need at least one class"),
        (
            {"classes": [JobClass("a", 1, 1, {"cpu": 1}), JobClass("a", 0, 1, {"cpu": 1})]},
            "class name 'a' is used twice",
        ),
        (
            {"classes": [JobClass("a", 1, 1, {"cpu": 0})]},
            "class 'a', request: must be > 0 for some resource, "
            "or any number of its jobs would fit one machine",
        ),
        (
            {"classes": [JobClass("a", 1, {"plain": 0.0}, {"cpu": 1})]},
            "class 'a', mean_time, plain: must be > 0, got 0.0",
        ),
        (
            {"classes": [JobClass("a", 1, {"gone": 1.0}, {"cpu": 1})]},
            "class 'a', mean_time: unknown configuration 'gone'",
        ),
        (
            {"classes": [JobClass("a", float("nan"), 1, {"cpu": 1})]},
            "class 'a': share: needs a number, got nan",
        ),
        (
            {"classes": [JobClass("a", 0.7, 1, {"cpu": 1}), JobClass("b", 0.7, 1, {"cpu": 1})]},
            "classes: shares add up to 1.4, need more than 0, at most 1",
        ),
        (
            {"configurations": [Configuration("gpus", 1, {"cpu": -1})]},
            "configuration 'gpus', capacity, cpu: must be finite and >= 0, got -1.0",
        ),
        (
            {"configurations": [Configuration("gpus", -1, {"cpu": 1})]},
            "configuration 'gpus', count: must be >= 0, got -1",
        ),
    ],
)
def test_what_is_no_datacenter_is_refused_in_one_line(changes: dict, message: str) -> None:
    with pytest.raises(InputError) as error:
        small(**changes)
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"count": np.array([1.0, 2.0])}, "count: needs an array of whole numbers"),
        ({"count": np.array([1])}, "count: needs an array of shape"),
        ({"capacity": np.array([["4"], ["8"]])}, "capacity: needs an array of numbers"),
        ({"request": np.ones(2)}, "request: needs an array of shape"),
        ({"share": None}, "share: needs an array of numbers"),
        ({"classes": (1, 2)}, "datacenter: classes: needs a sequence, each a word"),
    ],
)
def test_arrays_are_what_compiled_code_reads(changes: dict, message: str) -> None:
    with pytest.raises(InputError, match=message):
        replace(small(), **changes)


def test_file_round_trip(tmp_path: Path) -> None:
    for number, data in enumerate((small(), google_2011(), generate(seed=3, allowed=0.5))):
        path = tmp_path / f"{number}.json.gz"
        write_datacenter(data, path)
        again = read_datacenter(path)
        assert datacenter_document(again) == datacenter_document(data)
        for field in ("count", "capacity", "share", "mean_time", "request"):
            assert np.array_equal(getattr(again, field), getattr(data, field))


def test_mean_time_is_one_number_or_one_by_configuration() -> None:
    classes = datacenter_document(small())["classes"]
    assert [c["mean_time"] for c in classes] == [2.0, {"gpus": 4.0}]


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        (("classes", 1, "mean_time", "gpus"), -1, "class 'train', mean_time, gpus: need greater"),
        (("classes", 1, "mean_time"), "long", "class 'train', mean_time: need a valid number"),
        (("classes", 0, "share"), 2, "class 'web', share: need less than or equal to 1, got 2"),
        (("classes", 0, "request", "cpu"), "1", "class 'web', request, cpu: need a valid number"),
        (("classes", 0, "request", "disk"), 1, "class 'web', request: unknown resource 'disk'"),
        (("configurations", 0, "count"), 1.5, "configuration 'plain', count: need a valid integer"),
        (("configurations", 1, "capacity", "gpu"), -2, "configuration 'gpus', capacity, gpu: need"),
        (("configurations", 0, "cost"), 1, "configuration 'plain', cost: is not a field"),
        (("resources",), [], "resources: need List should have at least 1 item"),
    ],
)
def test_bad_files_are_refused_naming_the_place(
    tmp_path: Path, place: tuple, value: object, message: str
) -> None:
    document = datacenter_document(small())
    here = document
    for step in place[:-1]:
        here = here[step]
    here[place[-1]] = value
    path = tmp_path / "bad.json"
    path.write_text(json.dumps(document))
    with pytest.raises(InputError) as error:
        read_datacenter(path)
    assert str(error.value).startswith(f"{path}: {message}")
    assert "\n" not in str(error.value)


def test_the_example_is_tables_1_and_2() -> None:
    data = read_datacenter(EXAMPLE)
    assert datacenter_document(data) == datacenter_document(google_2011())
    assert (data.machines, len(data.configurations), len(data.classes)) == (12583, 10, 4)
    # Table 1, row 6, and Table 2, class 3.
    assert (data.count[5], data.capacity[5].tolist()) == (52, [0.5, 0.12])
    assert (data.share[2], data.mean_time[2, 0]) == (0.3, 0.04)
    assert data.request[2].tolist() == [0.07, 0.03]


def test_scaling_keeps_every_configuration() -> None:
    # 629.15 machines: the floors 336 193 50 39 6 2 0 0 0 0 and three more for the remainders .75,
    # .6 and .6 of c4, c1 and c6; then one for each of the last four.
    assert google_2011(1 / 20).count.tolist() == [337, 193, 50, 40, 6, 3, 1, 1, 1, 1]
    assert google_2011(1 / 20, at_least=0).machines == 629
    with pytest.raises(InputError, match="scale: need a positive number, got 0"):
        google_2011(0)


def test_random_datacenters_are_repeatable_and_can_run_every_class() -> None:
    one, two = (generate(8, 5, 3, 100, seed=4, allowed=0.1) for _ in range(2))
    assert datacenter_document(one) == datacenter_document(two)
    assert one.fits.any(axis=1).all()
    assert not one.fits.all()
    assert one.machines == 100
    assert one.share.sum() == pytest.approx(1)
    with pytest.raises(InputError, match="machines: need at least one a configuration"):
        generate(2, 5, 1, 4, seed=0)
