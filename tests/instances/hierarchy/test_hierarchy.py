"""Hierarchies: arrays, paths, guarantees, networkx, the file format and the generators."""

import gzip
import json
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from trees import figure_4, leaf, tree

from slotwise.core.errors import InputError
from slotwise.instances.hierarchy.generators.mch import full_binary, generate
from slotwise.instances.hierarchy.hierarchy import Hierarchy
from slotwise.instances.hierarchy.hierarchy_file import (
    hierarchy_document,
    read_hierarchy,
    write_hierarchy,
)
from slotwise.instances.hierarchy.nodes import Group, Leaf
from slotwise.instances.hierarchy.quotas import Quotas


def same(a, b):
    assert a.paths == b.paths
    assert (a.names, a.resources) == (b.names, b.resources)
    for name in ("parent", "weight", "leaf", "demand", "tasks", "capacity"):
        assert np.array_equal(getattr(a, name), getattr(b, name)), name


def test_paths_and_guarantees():
    found = figure_4()
    assert found.paths == ("n1/n11", "n1/n12", "n2/n21", "n2/n22", "n2/n23", "n3/n31")
    assert found.guarantee == pytest.approx([1 / 6, 1 / 6, 1 / 9, 1 / 9, 1 / 9, 1 / 3])
    assert found.depth == 2
    assert found.leaf_at("n2/n23") == 4
    assert found.path(0) == "root"


def test_inactive_leaves_give_their_part_to_active_siblings_then_upward():
    found = tree(
        Group("a", [leaf("x", 1, 1, weight=3), leaf("y", 1, 1, tasks=0)], weight=8),
        Group("b", [leaf("z", 1, 1, tasks=0)]),
        leaf("c", 1, 1, weight=2),
    )
    assert found.guarantee == pytest.approx([0.8, 0, 0, 0.2])
    assert found.active.tolist() == [True, True, True, False, False, False, True]


def test_normalised_demand():
    # MCH, section III-A: <2 CPUs, 3 GB> of <10, 12> is <4/5, 1>, with mu = 1/4.
    found = tree(leaf("a", 2, 3, tasks=2), capacity=(10, 12))
    assert found.task_share.tolist() == [0.25]
    assert found.normalised == pytest.approx(np.array([[0.8, 1.0]]))
    assert found.most_share.tolist() == [0.5]


def test_weights_of_any_size():
    found = tree(
        leaf("a", 1, 1, weight=1e-300), leaf("b", 1, 1, weight=1e300), leaf("c", 1, 1, weight=1e300)
    )
    assert found.guarantee == pytest.approx([0, 0.5, 0.5])


@pytest.mark.parametrize(
    ("children", "message"),
    [
        ([leaf("a", 1, 1, weight=0)], "node 'a', weight: must be finite and > 0, got 0.0"),
        ([Group("g", [leaf("a", -1, 1)])], "leaf 'g/a', demand, 'c': must be finite and >= 0"),
        ([leaf("a", 0, 0)], "leaf 'a', demand: needs no resource at all"),
        ([leaf("a", 1, 1, tasks=-1)], "leaf 'a', tasks: must be >= 0, got -1.0"),
        ([leaf("a", 1, 1), leaf("a", 1, 1)], "node 'a': the name is used twice in its group"),
        ([leaf("a/b", 1, 1)], "node 1, name: must not be empty nor hold a '/', got 'a/b'"),
        ([Leaf("a", {"gpu": 1})], "leaf 'a', demand: unknown resource 'gpu': capacity has c, m"),
    ],
)
def test_bad_trees(children, message):
    with pytest.raises(InputError) as error:
        tree(*children)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"parent": np.array([-1.0, 0.0])}, "hierarchy, parent: needs an array of whole numbers"),
        ({"leaf": np.array([[1]])}, "hierarchy, leaf: needs an array of one dimension"),
        ({"leaf": np.array([1.0])}, "hierarchy, leaf: needs an array of whole numbers"),
        ({"demand": np.array([["1", "1"]])}, "hierarchy, demand: needs an array of numbers"),
        ({"tasks": None}, "hierarchy, tasks: needs an array of numbers"),
        ({"names": ("root", 1)}, "hierarchy: names: needs a sequence, each a word"),
        (
            {"quotas": replace(Quotas.none(2, 2), priority=np.zeros(2))},
            "hierarchy, priority: needs an array of whole numbers",
        ),
        (
            {"quotas": replace(Quotas.none(2, 2), limit=np.zeros((2, 1)))},
            r"hierarchy, limit: needs an array of shape \(2, 2\)",
        ),
    ],
)
def test_arrays_are_what_compiled_code_reads(changes, message):
    with pytest.raises(InputError, match=message):
        replace(tree(leaf("a", 1, 1)), **changes)


def test_bad_capacity():
    with pytest.raises(InputError, match="capacity, 'c': must be finite and > 0"):
        tree(leaf("a", 1, 1), capacity=(0, 1))


def test_parents_come_first():
    found = tree(leaf("a", 1, 1), leaf("b", 1, 1))
    for changes, message in (
        ({"parent": np.array([-1, 2, 0])}, "node 1, parent: must be a node before it, got 2"),
        ({"parent": np.array([-1, 0, 1])}, "node 'a': has a demand and children"),
        ({"leaf": np.array([0, 1])}, "the root must be a group"),
    ):
        with pytest.raises(InputError, match=message):
            replace(found, **changes)


def test_networkx_and_back():
    found = figure_4(tasks=7)
    graph = found.graph()
    assert nx.is_arborescence(graph)
    assert nx.dag_longest_path_length(graph) == 2
    assert graph.nodes[found.leaf[1]]["demand"] == {"c": 0, "m": 1}
    same(Hierarchy.from_graph(graph), found)


def test_any_networkx_tree():
    graph = nx.DiGraph([("all", "x"), ("all", "y")], capacity={"cpu": 4})
    nx.set_node_attributes(graph, {"x": {"cpu": 1}, "y": {"cpu": 2}}, "demand")
    graph.nodes["y"]["weight"] = 3
    found = Hierarchy.from_graph(graph)
    assert found.paths == ("x", "y")
    assert found.guarantee == pytest.approx([0.25, 0.75])
    assert np.isinf(found.tasks).all()
    graph.add_edge("y", "x")
    with pytest.raises(InputError, match="graph: need a tree"):
        Hierarchy.from_graph(graph)


@given(st.integers(1, 5), st.integers(0, 10**6), st.floats(0, 1))
@settings(max_examples=30, deadline=None)
def test_file_and_back(tmp_path_factory, depth, seed, limited):
    made = generate(depth, seed=seed, limited=limited, weight=(0.1, 10), resources=3)
    path = tmp_path_factory.mktemp("h") / "tree.json.gz"
    write_hierarchy(made, path)
    read = read_hierarchy(path)
    rows = dict(
        zip(
            made.paths,
            zip(made.demand.tolist(), made.tasks, made.guarantee, strict=True),
            strict=True,
        )
    )
    back = dict(
        zip(
            read.paths,
            zip(read.demand.tolist(), read.tasks, read.guarantee, strict=True),
            strict=True,
        )
    )
    assert back.keys() == rows.keys()
    for name, (demand, tasks, guarantee) in rows.items():
        assert back[name] == (demand, tasks, pytest.approx(guarantee))
    assert (read.name, read.source) == (made.name, made.source)
    write_hierarchy(read, path)
    assert json.loads(gzip.decompress(path.read_bytes())) == hierarchy_document(made)


def test_empty_groups_and_limits_in_the_file(tmp_path):
    made = Hierarchy.from_tree(
        {"cpu": 4}, Group("root", [Group("none"), Leaf("a", {"cpu": 1}, tasks=2.5)])
    )
    write_hierarchy(made, tmp_path / "tree.json")
    same(read_hierarchy(tmp_path / "tree.json"), made)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"weight": 0}, "node 'a/l', weight: need greater than 0, got 0"),
        ({"weight": "1"}, "node 'a/l', weight: need a valid number, got '1'"),
        ({"tasks": True}, "node 'a/l', tasks: need a valid number, got true"),
        ({"tasks": -1}, "node 'a/l', tasks: need greater than or equal to 0, got -1"),
        ({"demand": {"cpu": -1}}, "node 'a/l', demand, cpu: need greater than or equal to 0"),
        ({"demand": {"gpu": 1}}, "unknown resource 'gpu': capacity has cpu"),
        ({"children": []}, "node 'a/l': has 'demand' and 'children'; need one of them"),
        ({"demand": None}, "node 'a/l': need 'demand' or 'children'"),
        ({"demand": None, "children": [], "tasks": 1}, "node 'a/l', tasks: a group has no tasks"),
        ({"children": [3], "demand": None}, "node 'a/l', children, 0: need an object, got 3"),
        ({"wait": 1}, "node 'a/l', wait: is not a field of this format"),
        ({"name": ""}, "name: need"),
        (
            {"guarantee": {"cpu": 1}},
            "node 'a/l', guarantee: needs the format 'slotwise/hierarchy/2'",
        ),
    ],
)
def test_bad_files(tmp_path, change, message):
    inner = {"name": "l", "demand": {"cpu": 1}} | change
    document = {
        "format": "slotwise/hierarchy/1",
        "capacity": {"cpu": 1},
        "root": {"name": "root", "children": [{"name": "a", "children": [inner]}]},
    }
    path = tmp_path / "tree.json"
    path.write_text(json.dumps(document))
    with pytest.raises(InputError) as error:
        read_hierarchy(path)
    assert str(error.value).startswith(f"{path}: ")
    assert message in str(error.value)


def test_trees_made_of_slurm_are_read(tmp_path):
    root = {"name": "root", "children": [{"name": "a", "demand": {"cpu": 1}}]}
    document = {"format": "slotwise/hierarchy/2", "capacity": {"cpu": 1}, "root": root}
    path = tmp_path / "tree.json"
    path.write_text(json.dumps(document))
    tree = read_hierarchy(path)
    path.write_text(json.dumps(document | {"users": ["a"]}))
    assert read_hierarchy(path) == tree


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "slotwise/mapreduce/1"}, "format: need 'slotwise/hierarchy/1'"),
        ({"capacity": {}}, "capacity: need"),
        ({"capacity": {"cpu": 0}}, "capacity, cpu: need greater than 0, got 0"),
        ({"root": []}, "root: need"),
        ({"surplus": "total"}, "surplus: needs the format 'slotwise/hierarchy/2'"),
    ],
)
def test_bad_heads(tmp_path, change, message):
    document = {"format": "slotwise/hierarchy/1", "capacity": {"cpu": 1}, "root": {}} | change
    path = tmp_path / "tree.json"
    path.write_text(json.dumps(document))
    with pytest.raises(InputError) as error:
        read_hierarchy(path)
    assert message in str(error.value)


def test_depth_in_files(tmp_path):
    def rungs(depth):
        node = Leaf("a", {"c": 1})
        for _ in range(depth):
            node = Group("g", [node])
        return Hierarchy.from_tree({"c": 1}, Group("root", [node]))

    write_hierarchy(rungs(300), tmp_path / "tree.json")
    assert read_hierarchy(tmp_path / "tree.json").depth == 301
    with pytest.raises(InputError, match="a tree of depth 100001 is nested too deeply for JSON"):
        write_hierarchy(rungs(100_000), tmp_path / "tree.json")
    (tmp_path / "tree.json").write_text('{"a":' * 100_000)
    with pytest.raises(InputError, match="nested too deeply"):
        read_hierarchy(tmp_path / "tree.json")


def test_full_binary_trees_of_the_paper():
    for levels in (2, 3, 4, 5):
        made = full_binary(levels, seed=1)
        assert (made.leaves, made.nodes, made.depth) == (2**levels, 2 ** (levels + 1) - 1, levels)
        assert made.guarantee == pytest.approx(np.full(2**levels, 2.0**-levels))
        assert (made.demand > 0).all()


@pytest.mark.parametrize("depth", [1, 3, 8])
def test_random_trees_have_the_depth_and_share_asked_for(depth):
    made = generate(depth, seed=4, nodes=3000, partial=0.25, limited=0.5, tasks=(2, 9), resources=3)
    assert (made.nodes, made.depth) == (3000, depth)
    narrow = (made.demand > 0).sum(axis=1)
    assert set(narrow) == {1, 3}
    assert (narrow == 1).mean() == pytest.approx(0.25, abs=0.04)
    limited = made.tasks[np.isfinite(made.tasks)]
    assert len(limited) / made.leaves == pytest.approx(0.5, abs=0.05)
    assert (limited.min(), limited.max()) == (2, 9)


def test_seeds():
    same(generate(4, seed=1), generate(4, seed=1))
    assert not np.array_equal(generate(4, seed=1).demand, generate(4, seed=2).demand)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"depth": 0}, "depth: need at least 1, got 0"),
        ({"fanout": (3, 2)}, "fanout: need 1 <= low <= high"),
        ({"partial": 1.5}, "partial: need a probability, got 1.5"),
        ({"demand": (0, 1)}, "demand: need 0 < low <= high"),
        ({"nodes": 2}, "nodes: need more than the depth 3"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(InputError) as error:
        generate(**{"seed": 1} | parameters)
    assert message in str(error.value)
