"""Inputs that once ended in a traceback: a right answer, or one line that names the file.

Each has a small equivalent made here; those of the public collection run where it is at hand.
"""

import json
from pathlib import Path

import make
import pytest
from make import cli

from slotwise.instances.mapreduce.generators.ljr import small
from slotwise.instances.mapreduce.instance_file import instance_document

EXAMPLES = Path(__file__).parents[1] / "examples"
CAPACITY = ("--capacity", "cpu=200,memory=400")
KUEUE = """kind: Cohort
metadata: {name: top}
spec:
  resourceGroups:
  - coveredResources: [cpu]
    flavors: FLAVORS
"""


def refused(*arguments, file):
    line = make.refused(*arguments)
    assert line.startswith(str(file))
    assert "internal error" not in line
    return line


@pytest.fixture
def collection(traces):
    folder = traces / "regressions"
    if not folder.is_dir():
        pytest.skip(f"no collection of regressions at {folder}")
    return folder


@pytest.mark.parametrize(
    ("reader", "name"),
    [
        ("kueue", "kueue-deep.yaml"),
        ("kueue", "kueue-kind-number.yaml"),
        ("kueue", "kueue-mapping-expected.yaml"),
        ("kueue", "kueue-overflow.yaml"),
        ("yarn", "fair-encoding-hex.xml"),
        ("yarn-capacity", "capacity-encoding-utf7.xml"),
    ],
)
def test_queues_of_the_collection(collection, tmp_path, reader, name):
    file = collection / name
    refused("import", reader, file, *CAPACITY, "-o", tmp_path / "out.json", file=file)


def test_the_rest_of_the_collection(collection, tmp_path):
    machines = tmp_path / "machines.csv"
    machines.write_text("0,5,0,HofLGzk1Or,0.5,0.25\n")
    file = collection / "google-circled-digit.csv"
    out = tmp_path / "out.json"
    refused("import", "google", file, "--machines", machines, "-o", out, file=file)
    file = collection / "datacenter-zero-division.json"
    assert "mean_time" in refused("guide", file, file=file)
    for model in ("job-order", "sequence", "heterogeneous"):
        assert cli("explain", model, collection / "jobs-empty-explain.json").code == 0
    file = collection / "guidance-huge-number.json"
    document = json.loads(file.read_text())
    datacenter = tmp_path / "datacenter.json"
    datacenter.write_text(json.dumps(document["datacenter"]))
    assert "need" in refused("simulate", datacenter, "--guidance", file, file=file)
    assert "need" in refused("check", datacenter, file, file=file)


@pytest.mark.parametrize(
    ("reader", "text", "message"),
    [
        ("kueue", "[" * 100_000, "nested"),
        ("kueue", "kind: 7\nmetadata: {name: x}\n", "has no kind"),
        ("kueue", "kind: Cohort\nmetadata: {name: !!bool maybe}\n", "not YAML"),
        ("kueue", "kind: Cohort\nmetadata: {name: [x]}\n", "name: need a valid string, got a list"),
        (
            "kueue",
            KUEUE.replace("FLAVORS", "{resources: []}"),
            "flavors: need a valid array, got an object",
        ),
        (
            "kueue",
            KUEUE.replace("FLAVORS", "[{resources: [x]}]"),
            "resources, 0: need an object, got 'x'",
        ),
        (
            "kueue",
            KUEUE.replace("FLAVORS", "[{resources: [{name: cpu, nominalQuota: 1e400}]}]"),
            "too large",
        ),
        (
            "kueue",
            KUEUE.replace(
                "FLAVORS", f"[{{resources: [{{name: cpu, nominalQuota: {'9' * 5000}}}]}}]"
            ),
            "",
        ),
        ("yarn", '<?xml version="1.0" encoding="hex"?><allocations/>', "not XML"),
        ("yarn", '<?xml version="1.0" encoding="utf-7"?><allocations/>', "not XML"),
        ("yarn", '<?xml version="1.0" encoding="undefined"?><allocations/>', "not XML"),
        ("yarn-capacity", '<?xml version="1.0" encoding="rot13"?><configuration/>', "not XML"),
    ],
)
def test_queues(tmp_path, reader, text, message):
    file, out = tmp_path / "queues", tmp_path / "out.json"
    file.write_text(text)
    assert message in refused("import", reader, file, *CAPACITY, "-o", out, file=file)
    assert not out.exists()


@pytest.mark.parametrize("time", ["①", "٣", "9" * 5000, "-1", "1.5"])
def test_google(tmp_path, time):
    machines, tasks = tmp_path / "machines.csv", tmp_path / "tasks.csv"
    machines.write_text("0,5,0,HofLGzk1Or,0.5,0.25\n")
    tasks.write_text(f"{time},,1,0,,0,u,2,9,0.1,0.05,0.001,0\n")
    out = tmp_path / "out.json"
    line = refused("import", "google", tasks, "--machines", machines, "-o", out, file=tasks)
    assert "line 1, time: need microseconds" in line


def test_a_class_that_takes_for_ever(tmp_path):
    document = json.loads((EXAMPLES / "google-2011.json").read_text())
    document["classes"][0]["mean_time"] = 6.4e148
    file = tmp_path / "slow.json"
    file.write_text(json.dumps(document))
    assert "class 'k1', mean_time" in refused("guide", file, file=file)


def test_a_number_of_jobs_that_no_machine_word_holds(tmp_path):
    datacenter = EXAMPLES / "google-2011.json"
    guidance = {
        "format": "slotwise/guidance/1",
        "arrival_rate": 1.0,
        "arrival_rate_bound": 1.0,
        "bins": [{"configuration": "c1", "machines": 1, "jobs": {"k1": 2**63}}],
        "proportions": {},
    }
    file = tmp_path / "guidance.json"
    file.write_text(json.dumps(guidance))
    assert "bin 0, jobs, k1: need" in refused("check", datacenter, file, file=file)
    assert "bin 0, jobs, k1: need" in refused("simulate", datacenter, "--guidance", file, file=file)


@pytest.mark.parametrize("model", ["job-order", "sequence", "heterogeneous", "unrelated-machines"])
def test_a_statement_for_no_jobs(tmp_path, model):
    document = instance_document(small(2, 2, seed=1, max_maps=2, max_reduces=2))
    document["jobs"] = []
    file = tmp_path / "empty.json"
    file.write_text(json.dumps(document))
    assert cli("explain", model, file).code == 0
