"""Sizes that no memory holds are refused by name, before anything is made."""

from pathlib import Path

import pytest
import seed_files
from make import refused

from slotwise.instances.datacenter.datacenter_file import write_datacenter
from slotwise.instances.datacenter.generators.lotes import google_2011
from slotwise.instances.mapreduce.generators.ljr import small
from slotwise.instances.mapreduce.instance_file import write_instance

HUGE = "1000000000"
BEYOND = "9" * 30
MADE = (
    ("mch --nodes {huge}", "nodes: need at most 2100000"),
    ("mch --depth {huge}", "depth: need at most 400"),
    ("mch --depth 90", "depth: need a tree of at most 2100000 nodes"),
    ("mch --binary --depth 21", "levels: need 1 to 20"),
    ("mch --resources {huge}", "resources: need at most 1000"),
    ("ljr --jobs {huge}", "'--jobs': need less than or equal to 1000000"),
    ("ljr --nodes {huge}", "nodes: must be at most 1000000"),
    ("ljr --map-slots {huge}", "map_slots: must be at most 10000000 on all nodes"),
    ("ljr --replicas {huge}", "'--replicas': need less than or equal to 1000000"),
    ("ljr --nodes 9000 --replicas 9000", "replicas of all map tasks"),
    ("ljr --jobs 2 --maps 1 {huge}", "maps_range: need at most 5000000"),
    ("ljr --jobs 2 --reduces 4000000 5000000", "reduces: need at most 5000000 tasks of all jobs"),
    ("ljr --jobs 2 --maps-mean 1e300", "maps: need at most 5000000 tasks of all jobs"),
    ("hmhs --jobs {huge}", "'--jobs': need less than or equal to 1000000"),
    ("hmhs --map-machines {huge}", "'--map-machines': need less than or equal to 1000000"),
    ("hmhs --jobs 100001", "factors by job and machine: 20000200 entries"),
    ("hmhs --jobs 2 --reduces 1 {huge}", "reduces: need at most 5000000"),
    ("smso --jobs {huge}", "'--jobs': need less than or equal to 1000000"),
    ("smso --nodes {huge}", "'--nodes': need less than or equal to 1000000"),
    ("smso --map-slots {huge}", "'--map-slots': need less than or equal to 10000000"),
    ("smso --nodes 9000", "levels between nodes"),
    ("smso --jobs 1000 --nodes 900", "priorities by map task and slot"),
    ("lotes --classes {huge}", "classes: need at most 1000000"),
    ("lotes --configurations {huge} --machines {huge}", "configurations: need at most 1000000"),
    ("lotes --machines {huge}9", "machines: need at most 1000000000"),
    ("lotes --resources {huge}", "resources: need at most 1000"),
    ("lotes --classes 9999 --configurations 9999", "mean times and amounts"),
    ("lotes --google-2011 --scale 1e9", "scale: need at most 79472"),
)  # fmt: skip


@pytest.fixture(scope="module")
def seeds(tmp_path_factory):
    folder = tmp_path_factory.mktemp("seeds")
    (folder / "swim.tsv").write_text(seed_files.TEXTS["swim.tsv"])
    write_datacenter(google_2011(0.01), folder / "datacenter.json")
    write_instance(small(seed=1), folder / "plain.json")
    return folder


@pytest.mark.parametrize(("line", "message"), MADE)
def test_what_is_made(line, message, tmp_path):
    for huge in (HUGE, BEYOND) if "{huge}" in line else ("",):
        words = line.format(huge=huge).split()
        target: Path = tmp_path / "out.json"
        error = refused("generate", *words, "--seed", 1, "-o", target)
        assert message in error
        assert not target.exists()


@pytest.mark.parametrize("huge", [HUGE, BEYOND])
def test_what_is_imported(huge, seeds, tmp_path):
    line = ["import", "swim", seeds / "swim.tsv", "-o", tmp_path / "out.json", "--nodes"]
    assert "nodes: must be at most 1000000" in refused(*line, huge)
    assert "map_slots: must be at most 10000000" in refused(*line, 9, "--map-slots", huge)
    assert "replicas" in refused(*line, 1000, "--replicas", huge)
    assert "replicas: must be at most 512" in refused(*line, 1000, "--replicas", 513)


@pytest.mark.parametrize("huge", [HUGE + "0", BEYOND])
def test_what_runs(huge, seeds):
    assert "--jobs" in refused("simulate", seeds / "datacenter.json", "--jobs", huge)
    assert "--scale: need at most 10000000 machines" in refused(
        "simulate", seeds / "datacenter.json", "--scale", huge
    )
    for command in ("solve", "gap"):
        error = refused(command, seeds / "plain.json", "--threads", huge)
        assert error.startswith("threads: must be 1 to 1024")


@pytest.mark.parametrize(
    "bomb", ["[" + "[]," * 40 + "[]]", '{"x": [' + "{}," * 40 + "{}]}", "[0" + ",0" * 70 + "]"]
)
def test_json_that_is_small_and_becomes_large(bomb, tmp_path, monkeypatch):
    from slotwise.core.files import json_files as files

    monkeypatch.setattr(files, "MOST_CONTAINERS", 30)
    monkeypatch.setattr(files, "MOST_ITEMS", 60)
    path = tmp_path / "bomb.json"
    path.write_text(bomb)
    for command in ("bounds", "fair", "guide"):
        error = refused(command, path)
        assert error.startswith(f"{path}: more than ")


def test_the_trace_of_a_huge_cluster(seeds, tmp_path):
    line = ["import", "swim", seeds / "swim.tsv", "-o", tmp_path / "out.json", "--nodes", 4]
    assert "trace_machines: must be" in refused(*line, "--trace-machines", BEYOND)
