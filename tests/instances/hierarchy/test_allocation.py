"""Allocations as files."""

import json
from dataclasses import replace

import numpy as np
import pytest
from quota_trees import eng_and_ads
from trees import figure_4, leaf, tree

from slotwise.core.errors import InputError
from slotwise.heuristics.hierarchy import ALLOCATORS, fair
from slotwise.instances.hierarchy.allocation_file import (
    claimed_allocation,
    read_allocation,
    write_allocation,
)
from slotwise.instances.hierarchy.checker import check_allocation
from slotwise.instances.hierarchy.hierarchy_file import read_hierarchy


def test_document():
    document = fair(figure_4()).document()
    assert document["format"] == "slotwise/allocation/1"
    assert document["method"] == "exact"
    assert document["guarantees_met"] is True
    assert document["used"] == pytest.approx({"c": 1, "m": 1})
    assert document["leaves"]["n2/n23"] == {
        "tasks": pytest.approx(100),
        "dominant_share": pytest.approx(0.5),
        "weight": pytest.approx(1),
        "guarantee": pytest.approx(1 / 9),
        "met": True,
        "limited_by": "m",
    }


@pytest.mark.parametrize("entry", ALLOCATORS, ids=lambda entry: entry.name)
def test_file_and_back(tmp_path, entry):
    made = fair(figure_4(), entry.name)
    write_allocation(made, tmp_path / "a.json.gz")
    read = read_allocation(tmp_path / "a.json.gz", figure_4())
    assert (read.method, read.whole) == (made.method, made.whole)
    assert read.tasks.tolist() == made.tasks.tolist()
    assert read.weight.tolist() == made.weight.tolist()
    assert (check_allocation(read).violations == []) == (check_allocation(made).violations == [])


def test_claims_that_the_tasks_do_not_bear_out(tmp_path):
    document = fair(figure_4()).document()
    document["leaves"]["n1/n11"]["dominant_share"] = 0.9
    document["leaves"]["n1/n12"]["guarantee"] = 0.4
    path = tmp_path / "a.json"
    path.write_text(json.dumps(document))
    wrong = [
        "leaf 'n1/n11': says dominant share 0.9, it is 0.333333",
        "leaf 'n1/n12': says guarantee 0.4, it is 0.166667",
    ]
    assert claimed_allocation(path, figure_4())[1] == wrong
    with pytest.raises(InputError, match=r"says dominant share 0\.9, .* more"):
        read_allocation(path, figure_4())


def altered(value):
    """Another value of the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, float):
        return value + 0.25
    if isinstance(value, dict):
        return {name: altered(one) for name, one in value.items()} or {"cpu": 1.0}
    return "memory" if isinstance(value, str) else [*value, "limit:eng:memory"]


def test_every_claim_of_a_file_is_checked(tmp_path):
    tree, path = eng_and_ads(), tmp_path / "a.json"
    whole = fair(tree).document()
    parts = [(whole, ("used", "guarantees_met"))]
    parts += [(row, tuple(row)) for row in whole["nodes"].values()]
    claims = ("dominant_share", "guarantee", "met", "limited_by")
    parts += [(row, claims) for row in whole["leaves"].values()]
    tried = 0
    for part, fields in parts:
        for field in fields:
            true = part[field]
            part[field] = altered(true)
            path.write_text(json.dumps(whole))
            assert len(claimed_allocation(path, tree)[1]) == 1, (part, field)
            part[field], tried = true, tried + 1
    assert tried == 2 + 4 * 5 + 3 * 4
    path.write_text(json.dumps(whole))
    assert claimed_allocation(path, tree)[1] == []


def test_false_claims_of_the_collection(traces):
    folder = traces / "regressions"
    if not folder.is_dir():
        pytest.skip(f"no collection of regressions at {folder}")
    tree = read_hierarchy(folder / "false-claims-tree.json")
    _, wrong = claimed_allocation(folder / "false-claims-allocation.json", tree)
    assert wrong == [
        "the file: says guarantees met false, it is true",
        "the file: says used cpu 0.2, it is 0.85",
        "leaf 'ads': says limited by cpu, it is not",
        "leaf 'ads': says guarantee 0.9, it is 0",
        "leaf 'ads': says met false, it is true",
        "node 'eng': says dominant share 0.9, it is 0.4",
        "node 'eng': says guaranteed cpu 99, it is 25",
        "node 'eng': says limit cpu 10, it is 40",
        "node 'eng': says limited by tasks, it is limit:eng:cpu",
    ]


def test_bad_files(tmp_path):
    path = tmp_path / "a.json"
    document = fair(figure_4()).document()
    document["leaves"]["n9"] = document["leaves"].pop("n1/n11")
    path.write_text(json.dumps(document))
    with pytest.raises(InputError, match="leaves, 'n9': the hierarchy has no such leaf"):
        read_allocation(path, figure_4())
    document["leaves"] = {"n1/n12": {"tasks": -1, "dominant_share": 0, "weight": 1, "guarantee": 0}}
    path.write_text(json.dumps(document))
    with pytest.raises(InputError, match="leaves, n1/n12, tasks: need greater than or equal to 0"):
        read_allocation(path, figure_4())


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"tasks": np.ones(2)}, "allocation, tasks: needs an array of shape"),
        ({"tasks": np.array(["1"])}, "allocation, tasks: needs an array of numbers"),
        ({"weight": None}, "allocation, weight: needs an array of numbers"),
        ({"bottleneck": np.zeros(1)}, "allocation, bottleneck: needs an array of whole numbers"),
        ({"guaranteed_tasks": np.ones((1, 1))}, "guaranteed_tasks: needs an array of shape"),
        ({"hierarchy": None}, "allocation, hierarchy: needs a Hierarchy, got None"),
    ],
)
def test_arrays_are_what_compiled_code_reads(changes, message):
    found = fair(tree(leaf("a", 1, 1)))
    with pytest.raises(InputError, match=message):
        replace(found, **changes)
