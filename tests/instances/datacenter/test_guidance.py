"""Guidance: its proportions, its checker and its file."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from make import datacenter

from slotwise.core.errors import InputError
from slotwise.instances.datacenter.checker import check_guidance
from slotwise.instances.datacenter.classifier import Classifier
from slotwise.instances.datacenter.datacenter_file import datacenter_document, read_datacenter
from slotwise.instances.datacenter.guidance import ClassPrices, Guidance, Prices
from slotwise.instances.datacenter.guidance_file import (
    guidance_document,
    read_guidance,
    write_guidance,
)
from slotwise.solvers.datacenter.guide import guide

MACHINES = {"a": (3, 4), "b": (1, 8)}
DATA = datacenter("cpu", MACHINES, {"x": (0.5, {"a": 1.0, "b": 0.5}, 2), "y": (0.5, 1, 4)})
"""Class x runs twice as fast on b."""


def plan() -> Guidance:
    """Two machines a with 2 x, one with 1 y, b with 4 x: x is served at 4 + 8 = 12, y at 1."""
    return Guidance(
        datacenter=DATA,
        arrival_rate=2.0,  # 0.5 * 2 = 1, what y is served at
        arrival_rate_bound=10.0,
        bin_configuration=np.array([0, 0, 1]),
        bin_machines=np.array([2, 1, 1]),
        bin_jobs=np.array([[2, 0], [0, 1], [4, 0]]),
        prices=Prices(
            resource=np.array([[0.6], [0.4]]),
            work=np.array([0.25, 0.75]),
            machine=np.array([1.0, 2.0]),
            machine_bound=np.array([1.0, 2.5]),
        ),
        class_prices=ClassPrices(
            value=np.array([0.5, 1.5]),
            belongs=np.array([[True, True], [False, True]]),
            spread=0.3,
        ),
        notes=("a note",),
    )


def test_proportions_are_shares_of_the_arrivals_served() -> None:
    # Running are 4 x on a and 4 x on b, but those on b take half the time.
    assert plan().running.tolist() == [[4, 4], [1, 0]]
    assert plan().proportions.tolist() == [[4 / 12, 8 / 12], [1, 0]]


def test_bins_of_machines_follow_the_numbering_of_machines() -> None:
    shuffled = replace(
        plan(),
        bin_configuration=np.array([1, 0, 0]),
        bin_machines=np.array([1, 2, 1]),
        bin_jobs=np.array([[4, 0], [2, 0], [0, 1]]),
    )
    assert DATA.configuration_of.tolist() == [0, 0, 0, 1]
    assert shuffled.machine_jobs.tolist() == [[2, 0], [2, 0], [0, 1], [4, 0]]


def test_a_valid_plan_passes() -> None:
    assert check_guidance(plan()).violations == []


@pytest.mark.parametrize(
    ("changes", "violation"),
    [
        ({"bin_jobs": np.array([[2, 1], [0, 1], [4, 0]])}, "bin 0 on 'a': its jobs need 8 cpu"),
        ({"bin_machines": np.array([1, 1, 1])}, "configuration 'a': bins for 2 machines, there"),
        ({"bin_machines": np.array([2, 1, 2])}, "configuration 'b': bins for 2 machines, there"),
        ({"arrival_rate": 2.001}, "class 'y': 1.0005 jobs per h arrive at the arrival rate"),
        ({"arrival_rate_bound": 1.9}, "arrival_rate: 2 is above the bound 1.9"),
        ({"target_rate": 2.1}, "arrival_rate: 2 is below the target 2.1"),
        ({"bin_machines": np.array([4, -1, 1])}, "bin 1 on 'a': negative number"),
    ],
)
def test_the_checker_finds_each_fault(changes: dict, violation: str) -> None:
    found = check_guidance(replace(plan(), **changes)).violations
    assert any(line.startswith(violation) for line in found), found


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"bin_configuration": np.array([0, 0, 2])}, "bin 2, bin_configuration: 2, there are 2"),
        ({"bin_configuration": np.array([0, -1, 1])}, "bin 1, bin_configuration: -1, there are 2"),
        (
            {"bin_configuration": np.array([0, 1])},
            "guidance, bin_machines: needs an array of shape",
        ),
        ({"bin_machines": np.array([2.0, 1.0, 1.0])}, "bin_machines: needs an array of whole"),
        ({"bin_jobs": np.ones((3, 1), dtype=int)}, "guidance, bin_jobs: needs an array of shape"),
        (
            {"class_prices": ClassPrices(np.ones(1), np.ones((2, 2), bool))},
            "value: needs an array of shape",
        ),
        ({"class_prices": ClassPrices(np.ones(2), np.ones((2, 2)))}, "belongs: needs an array of"),
        ({"datacenter": None}, "guidance, datacenter: needs a Datacenter, got None"),
    ],
)
def test_arrays_are_what_compiled_code_reads(changes: dict, message: str) -> None:
    with pytest.raises(InputError, match=message):
        replace(plan(), **changes)


def test_the_checker_finds_classes_where_they_cannot_run() -> None:
    other = datacenter("cpu", MACHINES, {"x": (0.5, {"a": 1.0}, 2), "y": (0.5, 1, 4)})
    assert check_guidance(replace(plan(), datacenter=other)).violations == [
        "bin 2 on 'b': class 'x' cannot run"
    ]


def test_file_round_trip(tmp_path: Path) -> None:
    path = tmp_path / "g.json"
    write_guidance(plan(), path)
    again = read_guidance(path)
    assert guidance_document(again) == guidance_document(plan())
    document = json.loads(path.read_text())
    assert document["bins"][1] == {"configuration": "a", "machines": 1, "jobs": {"y": 1}}
    assert document["proportions"]["y"] == {"a": 1.0}
    assert document["datacenter"]["name"] == "d"
    assert document["prices"] == {
        "classes": {"x": 0.5, "y": 1.5},
        "belongs": {"x": ["a", "b"], "y": ["b"]},
        "spread": 0.3,
        "draws": 24,
        "seed": 0,
    }


def test_the_bare_contract_is_enough_with_a_datacenter(tmp_path: Path) -> None:
    bare = {
        name: guidance_document(plan())[name]
        for name in ("format", "arrival_rate", "arrival_rate_bound", "bins", "proportions")
    }
    path = tmp_path / "bare.json"
    path.write_text(json.dumps(bare))
    assert read_guidance(path, DATA).machine_jobs.tolist() == plan().machine_jobs.tolist()
    with pytest.raises(InputError, match="datacenter: is missing, and none is given"):
        read_guidance(path)


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        (("bins", 1, "jobs", "y"), -1, "bin 1, jobs, y: need greater than or equal to 0"),
        (("bins", 1, "jobs"), {"z": 1}, "bin 1, jobs: unknown class 'z'"),
        (("bins", 0, "configuration"), "c", "bin 0: unknown configuration 'c'"),
        (("bins", 0, "machines"), 7, "configuration 'a': bins for 8 machines, there are 3"),
        (("bins", 0, "jobs", "x"), 3, "bin 0 on 'a': its jobs need 6 cpu, a machine has 4"),
        (
            ("datacenter", "classes", 0, "share"),
            -1,
            "datacenter, class 'x', share: need greater than or equal to 0",
        ),
        (("limits", "classes"), {"x": 1.0}, "limits, classes: nothing on class 'y'"),
        (("prices", "classes"), {"x": 2.0}, "prices, classes: nothing on class 'y'"),
        (("prices", "classes", "z"), 2.0, "prices, classes: unknown class 'z'"),
        (("prices", "classes", "x"), -1, "prices, classes, x: need greater than or equal to 0"),
        (
            ("prices", "classes", "x"),
            0.6,
            "prices, classes: weighted by the shares they add up to 1.05, need 1",
        ),
        (("prices", "belongs", "x"), ["c"], "prices, belongs, class 'x': unknown configuration"),
        (("prices", "draws"), 0, "prices, draws: need greater than or equal to 1"),
    ],
)
def test_bad_files_are_refused_naming_the_place(
    tmp_path: Path, place: tuple, value: object, message: str
) -> None:
    document = guidance_document(plan())
    here = document
    for step in place[:-1]:
        here = here[step]
    here[place[-1]] = value
    path = tmp_path / "bad.json"
    path.write_text(json.dumps(document))
    with pytest.raises(InputError) as error:
        read_guidance(path)
    assert str(error.value).startswith(f"{path}: {message}")


RULE = {"label": "team", "value": "ml", "class": "y"}


def test_rules_and_metric_are_kept(tmp_path: Path) -> None:
    document = guidance_document(plan())
    assert "classifier" not in document["datacenter"]
    given = {"rules": [RULE, {**RULE, "value": ""}], "metric": {"cpu": 0.5}}
    document["datacenter"]["classifier"] = given
    path = tmp_path / "guidance.json"
    path.write_text(json.dumps(document))
    again = read_guidance(path)
    assert again.document()["datacenter"]["classifier"] == given
    assert guide(again.datacenter).document()["datacenter"]["classifier"] == given


@pytest.mark.parametrize(
    ("classifier", "message"),
    [
        ({"rules": [RULE, {**RULE, "class": "z"}]}, "classifier, rule 1: unknown class 'z'"),
        ({"rules": [{**RULE, "value": 3}]}, "classifier, rule 0, value: "),
        ({"rules": [{**RULE, "label": ""}]}, "classifier, rule 0, label: "),
        ({"rules": [{"label": "a", "value": "b"}]}, "classifier, rule 0, class: "),
        ({"rules": {}}, "classifier, rules: "),
        ({"metric": {"gpu": 1.0}}, "classifier, metric: unknown resource 'gpu'"),
        ({"metric": {"cpu": 0.0}}, "classifier, metric, cpu: "),
        ({"metric": {"cpu": 1e30}}, "classifier, metric, cpu: must be > 0, got 1e+30"),
        ({"of": 1}, "classifier, of: "),
    ],
)
def test_a_bad_classifier_is_told_in_one_line(
    tmp_path: Path, classifier: object, message: str
) -> None:
    document = guidance_document(plan())
    document["datacenter"]["classifier"] = classifier
    path = tmp_path / "guidance.json"
    path.write_text(json.dumps(document))
    with pytest.raises(InputError) as error:
        read_guidance(path)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_a_metric_counts_every_resource(tmp_path: Path) -> None:
    two = datacenter("cpu mem", {"a": (1, 4, 8)}, {"x": (1, 1, 2)})
    path = tmp_path / "datacenter.json"
    document = {**datacenter_document(two), "classifier": {"metric": {"cpu": 1.0}}}
    path.write_text(json.dumps(document))
    with pytest.raises(InputError, match="classifier, metric: nothing on resource 'mem'"):
        read_datacenter(path)
    with pytest.raises(InputError, match="classifier, metric: need 2 amounts"):
        replace(two, classifier=Classifier(metric=(1.0,)))
