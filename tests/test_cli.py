"""The command line as other programs call it: exit codes, one JSON document, one line of error."""

import gzip
import json
import subprocess
import sys

import pytest
from make import cli

from slotwise import Cluster, Instance, Job, MapTask, write
from slotwise.instances.mapreduce.generators.ljr import small
from slotwise.instances.mapreduce.instance_file import instance_document


def slotwise(*arguments):
    """Within this process, which saves a second of imports."""
    end = cli(*arguments)
    return subprocess.CompletedProcess([*map(str, arguments)], end.code, end.out, end.err)


def process(*arguments):
    command = [sys.executable, "-m", "slotwise", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def refused(run):
    """The error line of a command that must refuse its input."""
    assert run.returncode == 2, run
    assert "Traceback" not in run.stderr
    assert run.stderr.count("\n") == 1, run.stderr
    assert run.stderr.startswith("slotwise: ")
    assert len(run.stderr.rstrip("\n")) <= 500
    line = run.stderr.strip()
    if "--json" in run.args:
        assert json.loads(run.stdout) == {"error": line.removeprefix("slotwise: "), "exit_code": 2}
    else:
        assert run.stdout == ""
    return line


@pytest.fixture
def toy(tmp_path):
    instance = small(3, 2, seed=3, max_maps=3, max_reduces=2)
    path = tmp_path / "toy.json"
    write(instance, path)
    return path


@pytest.fixture
def document():
    """A small valid document to be broken in one place."""
    cluster = Cluster.uniform(2, map_slots=1, reduce_slots=1)
    jobs = [
        Job("early", [MapTask(3.0, 128.0, ["n0"]), 4.0], [5.0], 0.5),
        Job("late", [2.0], []),
    ]
    return instance_document(Instance.from_jobs("toy", cluster, jobs))


def test_solve(toy, tmp_path):
    out, page = tmp_path / "result.json", tmp_path / "chart.svg"
    run = process("solve", toy, "--json", "-o", out, "--gantt", page, "--cross-check")
    assert run.returncode == 0, run.stderr
    result = json.loads(run.stdout)
    assert result["format"] == "slotwise/result/1"
    assert result["status"] == "optimal"
    assert result["gap"] <= 1e-6
    # On a busy machine it may have no answer in time.
    assert all(opinion["agrees"] is not False for opinion in result["cross_check"])
    assert json.loads(out.read_text())["makespan"] == result["makespan"]
    assert page.read_bytes().lstrip().startswith(b"<?xml")
    checked = slotwise("check", toy, out, "--json")
    assert checked.returncode == 0
    assert json.loads(checked.stdout) == {
        "valid": True,
        "violations": [],
        "makespan": result["makespan"],
    }


def test_heuristic_bounds_and_gap_tell_the_same_story(toy):
    bounds = json.loads(slotwise("bounds", toy, "--json").stdout)
    assert {"LB1 as printed", "LB1", "LB2"} <= set(bounds["bounds"])
    heuristic = json.loads(slotwise("heuristic", "EFSS", toy, "--json").stdout)
    assert heuristic["method"] == "EFSS"
    assert heuristic["lower_bound"] == bounds["lower_bound"]
    run = slotwise("gap", toy, toy, "--json")
    instances = json.loads(run.stdout)["instances"]
    assert len(instances) == 2
    assert instances[0]["bounds"] == bounds["bounds"]
    assert instances[0]["heuristics"]["EFSS"]["makespan"] == heuristic["makespan"]
    assert instances[0]["status"] == "optimal"


def test_texts_for_people(toy):
    assert "optimal" in slotwise("solve", toy).stdout
    assert "EFSS-L" in slotwise("gap", toy).stdout
    assert "LB1 as printed" in slotwise("bounds", toy).stdout
    assert "(10)" in slotwise("explain", "sequence").stdout
    for command in ("solve", "gap", "bounds"):
        assert slotwise(command, toy, "--quiet").stdout == ""


def test_check_says_no(toy, tmp_path):
    out = tmp_path / "schedule.json"
    slotwise("heuristic", "EASS", toy, "-o", out)
    result = json.loads(out.read_text())
    result["schedule"]["tasks"][0]["start"] += 1.0
    out.write_text(json.dumps(result))
    run = process("check", toy, out, "--json")
    assert run.returncode == 1
    verdict = json.loads(run.stdout)
    assert verdict["valid"] is False
    assert any("end is" in line for line in verdict["violations"])


def test_generate_is_reproducible(tmp_path):
    for name in ("a.json", "b.json"):
        run = slotwise(
            "generate", "ljr", "--jobs", 4, "--nodes", 3, "--maps", 1, 4, "--reduces", 1, 3,
            "--seed", 7, "-o", tmp_path / name, "--json",
        )  # fmt: skip
        assert run.returncode == 0, run.stderr
        assert json.loads(run.stdout)["jobs"] == 4
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()


def test_import_swim(tmp_path):
    table = tmp_path / "jobs.tsv"
    table.write_text("job0\t0\t0\t300000000\t100000000\t50000000\njob1\t5\t5\t0\t0\t10\n")
    out = tmp_path / "swim.json.gz"
    run = slotwise("import", "swim", table, "--nodes", 4, "-o", out)
    assert run.returncode == 0, run.stderr
    assert json.loads(slotwise("bounds", out, "--json").stdout)["lower_bound"] > 0


def change(document, path, value):
    *steps, last = path
    for step in steps:
        document = document[step]
    if value is KeyError:
        del document[last]
    else:
        document[last] = value


ERRORS = [
    (["jobs", 0, "map_tasks", 0, "processing"], -1, "job 'early', map task 0, processing"),
    (["jobs", 0, "map_tasks", 1, "processing"], "4", "job 'early', map task 1, processing"),
    (["jobs", 0, "map_tasks", 0, "processing"], KeyError, "map task 0, processing: is missing"),
    (["jobs", 0, "map_tasks", 0, "processing"], True, "need a valid number"),
    (["jobs", 0, "map_tasks", 0, "input_mb"], float("nan"), "map task 0, input_mb: need a finite"),
    (["jobs", 0, "map_tasks", 0, "replicas"], ["n7"], "map task 0, replicas: unknown node 'n7'"),
    (["jobs", 0, "reduce_tasks", 0, "processing"], -2.5, "job 'early', reduce task 0, processing"),
    (["jobs", 0, "output_ratio"], -0.1, "job 'early', output_ratio"),
    (["jobs", 1, "name"], "early", "job name 'early' is used twice"),
    (["jobs", 1, "nmae"], "typo", "job 'late', nmae: is not a field"),
    (["jobs"], {}, "jobs: need"),
    (["cluster", "nodes", 1, "name"], "n0", "node name 'n0' is used twice"),
    (["cluster", "nodes", 1, "map_slots"], -1, "node 'n1', map_slots"),
    (["cluster", "nodes", 1, "map_slots"], 1.5, "node 'n1', map_slots"),
    (["cluster", "nodes"], [], "cluster, nodes: need"),
    (["cluster", "rates", "rack"], 0, "cluster, rates, rack"),
    (["cluster", "rates", "rack"], 1000, "rates: need node >= rack >= remote > 0"),
    (["format"], "slotwise/mapreduce/9", "format: need 'slotwise/mapreduce/1', got"),
    (["format"], KeyError, "format: need 'slotwise/mapreduce/1', there is none"),
    (["name"], 5, "name: need a valid string"),
]


@pytest.mark.parametrize(("path", "value", "message"), ERRORS, ids=[e[2] for e in ERRORS])
def test_bad_documents_are_refused_in_one_line(document, tmp_path, path, value, message):
    change(document, path, value)
    file = tmp_path / "bad.json"
    file.write_text(json.dumps(document))
    line = refused(slotwise("bounds", file, "--json"))
    assert message in line
    assert str(file) in line


def test_no_map_slot(document, tmp_path):
    for node in document["cluster"]["nodes"]:
        node["map_slots"] = 0
    file = tmp_path / "bad.json"
    file.write_text(json.dumps(document))
    assert "3 map tasks to run but no node has a map slot" in refused(slotwise("solve", file))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b"[1, 2]", "need a JSON object, got a list"),
        (b"\xff\xfe{}", "not UTF-8"),
        (b"[" * 100_000, "nested too deeply"),
        (gzip.compress(b"{}" * 1000)[:-9], "truncated or damaged gzip"),
        (b"\x1f\x8bnonsense", "truncated or damaged gzip"),
    ],
    ids=["empty", "cut", "list", "utf-16", "deep", "cut gzip", "false gzip"],
)
def test_bad_files_are_refused_in_one_line(tmp_path, content, message):
    file = tmp_path / "bad.json"
    file.write_bytes(content)
    assert message in refused(slotwise("solve", file))


def test_places_that_do_not_exist(toy, tmp_path):
    assert "No such file" in refused(slotwise("solve", tmp_path / "none.json"))
    assert "Is a directory" in refused(slotwise("solve", tmp_path))
    missing = tmp_path / "no" / "out.json"
    assert "does not exist" in refused(slotwise("solve", toy, "-o", missing))
    assert "unknown heuristic 'LPT'" in refused(slotwise("heuristic", "LPT", toy))
    assert "unknown method 'LP'" in refused(slotwise("solve", toy, "--model", "LP"))
    assert "unknown model 'LP'" in refused(slotwise("explain", "LP"))
    chart = tmp_path / "chart.bmp"
    assert ".html" in refused(slotwise("solve", toy, "--gantt", chart))
    assert not chart.exists()


def test_schedule_files_are_refused_in_one_line(toy, tmp_path):
    assert "need 'slotwise/schedule/1'" in refused(slotwise("check", toy, toy))
    file = tmp_path / "schedule.json"
    file.write_text('{"format": "slotwise/schedule/1", "instance": "toy", "makespan": 1}')
    assert "tasks: is missing" in refused(slotwise("check", toy, file))


@pytest.mark.parametrize(
    "arguments", [["nonsense"], ["solve"], ["solve", "x", "--time-limit", "-1"]]
)
def test_usage_errors(arguments):
    refused(process(*arguments))


def test_help_imports_nothing_heavy():
    code = (
        "import sys, slotwise.commands.app\n"
        "heavy = {'numpy', 'numba', 'pyomo', 'highspy', 'pydantic', 'matplotlib'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert run.stdout.strip() == "[]", run.stderr
