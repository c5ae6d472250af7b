"""What the command line says when it cannot go on: one line, and what to do next."""

import gzip
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from make import cli, refused

import slotwise
from slotwise.commands import app as command_line
from slotwise.core.errors import InputError, one_line

EXAMPLES = Path(__file__).parents[1] / "examples"
JOBS = EXAMPLES / "five-jobs.json"
DATACENTER = EXAMPLES / "google-2011.json"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nonsense"], "no such command 'nonsense' (see slotwise --help)"),
        (
            ["slove", "x"],
            "no such command 'slove'. Did you mean 'solve', 'serve'? (see slotwise --help)",
        ),
        ([JOBS], f"a command comes first, such as slotwise solve {JOBS}"),
        (["solve", JOBS, "--objective", "mean"], "solve --objective is no longer there: the makes"),
        (["schema", "result"], "schema is no longer there: slotwise list schemas NAME prints it"),
        (["audit", "run.json"], "audit is no longer there: slotwise gap shows the run of a Rumen"),
        (["import", "jhist", "a.jhist"], "import jhist is no longer there: make a trace with"),
        (["solve"], "solve: missing argument 'INSTANCE' (see slotwise solve --help)"),
        (["solve", "x", "--tiem-limit", "3"], "no such option --tiem-limit: did you mean --time-"),
        (["solve", "x", "--time-limit"], "solve: option '--time-limit' requires an argument"),
        (
            ["solve", "x", "--time-limit", "soon"],
            "solve: invalid value for '--time-limit': need a valid",
        ),
        (["import", "yran", "x"], "import: no such command 'yran'. Did you mean 'yarn'"),
        (["heuristic", "efss", JOBS], "unknown heuristic 'efss': did you mean EFSS? choose from"),
        (["heuristic", JOBS, "EFSS"], f"comes before the file: did you mean EFSS {JOBS}?"),
        (["explain", JOBS, "job-order"], f"comes before the file: did you mean job-order {JOBS}?"),
        (["explain", "jobs-order"], "unknown model 'jobs-order': did you mean job-order?"),
        (["heuristic", "EFSS", "none.json"], "none.json: No such file or directory"),
        (["solve", EXAMPLES], f"{EXAMPLES}: Is a directory"),
        (["solve", DATACENTER], "this is a datacenter: use `slotwise guide`"),
        (["guide", JOBS], "this is an instance: use `slotwise solve`"),
        (["solve", "a\x1b[31m\u202eb"], r"a\x1b[31m\u202eb: "),
        (["solve", "a\ud800"], r"\ud800"),
    ],
)
def test_usage(arguments, message):
    assert message in refused(*arguments)


SWIM = "job0\t49\t49\t740773\t2339561\t627471\n"
READERS = (
    "import rumen F -o x",
    "import rumen example:rumen-trace --topology F -o x",
    "import openb F F -o x",
    "import google F --machines F -o x",
    "import pai F --classes example:gpu-cluster -o x",
    "import pai example:pai-machines --classes F -o x",
    "import yarn F --capacity cpu=4 -o x",
    "import yarn-capacity F --capacity cpu=4 -o x",
    "import kueue F -o x",
    "check F F",
    "campaign F",
    "fair F",
    "guide example:gpu-cluster --jobs F",
    "simulate example:gpu-cluster --trace F",
    "simulate example:gpu-cluster --guidance F",
    "explain job-order F",
)


def test_every_reader_knows_a_file_of_another_importer(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "F").write_text(SWIM)
    for line in READERS:
        assert "this is a SWIM table: use `slotwise import swim`" in refused(*line.split()), line
    with pytest.raises(InputError, match="; this is "):
        slotwise.read("F")
    assert [path.name for path in tmp_path.iterdir()] == ["F"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"format": "slotwise/mapreduce/2"}', "made by a newer slotwise: this one reads slotwise"),
        ('{"format": "slotwise/history/1"}', "slotwise/history/1 is no longer there: slotwise"),
        ('{"format": "slotwise/schedule/1"}', "this is a schedule: use `slotwise check INSTANCE"),
        ('{"format": "slotwise/result/1"}', "this is a result: use `slotwise check INSTANCE"),
        ('{"format": "slotwise/guidance/1"}', "this is guidance: use `slotwise check DATACENTER"),
        ('{"format": "slotwise/hierarchy/1"}', "this is a hierarchy: use `slotwise fair`"),
        ('{"format": "slotwise/hierarchy-events/1"}', "use `slotwise fair HIERARCHY --events`"),
        ('{"format": "slotwise/allocation/1"}', "this is an allocation: use `slotwise check HIER"),
        ('{"jobID": "job_1"}\n{"jobID": "job_2"}', "a Rumen trace: use `slotwise import rumen`"),
        ('{"jobID": "job_1"}', "a Rumen trace: use `slotwise import rumen`"),
        ('[{"priority": "LOW", "jobID": "job_1"}]', "a Rumen trace: use `slotwise import rumen`"),
        ('{"name": "<root>", "children": []}', "this is a topology: use `slotwise import rumen`"),
        (
            "name,cpu_milli,memory_mib,num_gpu,gpu_milli\n",
            "this is an openb pod list without times: those called default, cpu…, gpushare… and",
        ),
        (SWIM, "a SWIM table: use `slotwise import swim`"),
        ('<?xml version="1.0"?><allocations/>', "a fair-scheduler.xml: use `slotwise import yarn`"),
        (
            "<configuration><property><name>yarn.scheduler.capacity.root.queues</name>",
            "use `slotwise import yarn-capacity`",
        ),
        ("apiVersion: kueue.x-k8s.io/v1beta2\nkind: Cohort", "use `slotwise import kueue`"),
        ("sn,cpu_milli,memory_mib,gpu,model\n", "this is an openb node list: use `slotwise import"),
        ("name,cpu_milli,memory_mib\n", "this is an openb pod list: use `slotwise import openb"),
        ("600000000,,1,0,,0,u,2,9,0.1,0.05,0.001,0\n", "use `slotwise import google`"),
        ("0,5,0,HofLGzk1Or,0.5,0.2493\n", "use `slotwise import google`"),
        ("7399a758eb02bae1a3621236,CPU,96,512,0\n", "use `slotwise import pai`"),
        ("arrival,duration,class,cpu\n", "a table of jobs: use `slotwise simulate --trace`"),
    ],
)
def test_files_of_another_kind(tmp_path, content, message):
    for name, data in (
        ("plain", content.encode()),
        ("zipped.gz", gzip.compress(content.encode())),
    ):
        file = tmp_path / name
        file.write_bytes(data)
        line = refused("solve", file)
        assert line.startswith(f"{file}: ")
        assert message in line


def test_importers_know_the_files_of_others_but_do_not_recommend_themselves(tmp_path):
    swim, xml = tmp_path / "swim.tsv", tmp_path / "fair.xml"
    swim.write_text(SWIM)
    xml.write_text("<allocations><queue></allocations>")
    out = tmp_path / "out.json"
    for reader, options in (
        ("rumen", []),
        ("kueue", []),
        ("yarn", ["--capacity", "cpu=1"]),
        ("google", ["--machines", swim]),
    ):
        line = refused("import", reader, swim, *options, "-o", out)
        assert "use `slotwise import swim`" in line, reader
    assert "use `slotwise" not in refused("import", "yarn", xml, "--capacity", "a=1", "-o", out)
    assert not out.exists()


def test_an_error_is_a_document_too_with_json(tmp_path):
    for arguments in (["solve", "none.json"], ["solve"], ["nonsense"], ["solve", "x", "--no"]):
        end = cli(*arguments, "--json")
        assert end.code == 2
        document = json.loads(end.out)
        assert document == {"error": end.err.strip().removeprefix("slotwise: "), "exit_code": 2}
    assert cli("solve", "--", "--json").out == ""  # the name of a file


def test_help_and_version():
    for arguments in ([], ["--help"], ["generate"], ["import"], ["solve", "-h"]):
        end = cli(*arguments)
        assert end.code == 0, arguments
        assert end.out.startswith("Usage: slotwise"), arguments
        assert end.err == ""
    assert cli("--version").out.startswith("slotwise ")


def test_lines_are_short_and_printable():
    line = one_line("tab\tand\nline \x1b[2J \ud800 " + "x" * 10_000 + " the end")
    assert line.startswith("tab and line \\x1b[2J \\ud800 xxx")
    assert line.endswith("x the end")
    assert " ... " in line
    assert len(line) == 490
    assert line.isprintable()
    assert one_line(line) == line
    assert len(str(InputError("\x00" * 100_000))) <= 490


@pytest.mark.parametrize("length", [300, 100_000])
def test_long_names(tmp_path, length):
    document = json.loads(JOBS.read_text())
    for k, job in enumerate(document["jobs"]):
        job["name"] = f"{k}\n\x1b[31m\u202e[/bold]" + "n" * length
    file = tmp_path / "long.json"
    file.write_text(json.dumps(document))
    end = cli("heuristic", "EFSS", file)
    assert end.code == 0
    assert "\x1b" not in end.out
    document["jobs"][0]["map_tasks"][0]["processing"] = -1
    file.write_text(json.dumps(document))
    assert refused("bounds", file).startswith(f"{file}: job '0\\n\\x1b[31m\\u202e[/bold]nnn")


def test_names_that_look_like_markup_or_escapes_in_tables(tmp_path):
    file, out = tmp_path / "fair.xml", tmp_path / "tree.json"
    file.write_text('<allocations><queue name="[b]&#x80;"/><queue name="b"/></allocations>')
    assert cli("import", "yarn", file, "--capacity", "cpu=3", "-o", out).code == 0
    end = cli("fair", out)
    assert end.code == 0, end
    assert "[b]\\x80" in end.out


class Broken(io.TextIOBase):
    def __init__(self, error):
        self.error = error

    def write(self, text):
        if text:
            raise self.error
        return 0


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (MemoryError(), "bounds: not enough memory"),
        (OSError(28, "No space left on device", "x.json"), "x.json: No space left on device"),
        (OSError(5, "Input/output error"), "Input/output error"),
        (ValueError("a\nb" * 999), "internal error: ValueError: a ba b"),
        (RecursionError("deep"), "internal error: RecursionError: deep; please report; traceback"),
    ],
)
def test_whatever_goes_wrong(monkeypatch, error, message, tmp_path):
    def fails(path):
        raise error

    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    monkeypatch.setattr("slotwise.instances.mapreduce.instance_file.read_instance", fails)
    line = refused("bounds", JOBS)
    assert message in line
    saved = list(tmp_path.glob("slotwise-*.txt"))
    if "internal error" in message:
        assert line.endswith(f"please report; traceback in {saved[0]}")
        assert "in fails" in saved[0].read_text()
    else:
        assert not saved


def test_errors_that_content_leads_to_name_the_file(tmp_path):
    tree = tmp_path / "tree.json"
    leaf = {"name": "leaf", "demand": {"cpu": 1e-9}}
    document = {"format": "slotwise/hierarchy/1", "capacity": {"cpu": 1.0}}
    tree.write_text(json.dumps(document | {"root": {"name": "root", "children": [leaf]}}))
    line = refused("fair", tree, "--method", "naive", "--quiet")
    assert line.startswith(f"{tree}: method naive: about 1e+")
    speeds = tmp_path / "speeds.json"
    assert cli("generate", "hmhs", "--seed", "1", "-o", speeds).code == 0
    assert refused("explain", "spread-bound", speeds).startswith(f"{speeds}: ")


def test_a_bomb_of_brackets_is_no_trace(tmp_path):
    bomb = tmp_path / "trace.json"
    bomb.write_text("[" + "[]," * 10_000_001)
    line = refused("import", "rumen", bomb, "-o", tmp_path / "out.json")
    assert line.startswith(f"{bomb}: more than 1e+07 lists and objects")


def test_an_interrupt_with_nothing_to_keep(monkeypatch):
    def interrupted(path):
        raise KeyboardInterrupt

    monkeypatch.setattr("slotwise.instances.mapreduce.instance_file.read_instance", interrupted)
    end = cli("bounds", JOBS, "--json")
    assert end.code == 130
    assert end.err == "slotwise: interrupted\n"
    assert json.loads(end.out) == {"error": "interrupted", "exit_code": 130}


def test_a_full_disk_below_stdout(monkeypatch, tmp_path):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr("sys.stdout", Broken(OSError(28, "No space left on device")))
    stderr = io.StringIO()
    monkeypatch.setattr("sys.stderr", stderr)
    assert command_line.run(["bounds", str(JOBS)]) == 2
    assert stderr.getvalue().startswith("slotwise: standard output: No space left on device")
    assert stderr.getvalue().count("\n") == 1


def shell(script, **environment):
    """The exit code and stderr of a command line in a real shell."""
    run = subprocess.run(
        ["bash", "-c", script],
        env=os.environ
        | {"SLOTWISE": f"{sys.executable} -m slotwise", "FILE": str(JOBS)}
        | environment,
        capture_output=True,
        timeout=120,
    )
    return run.returncode, run.stdout.decode(), run.stderr.decode()


@pytest.mark.parametrize(
    ("script", "code"),
    [
        ("$SLOTWISE bounds $FILE | true; exit ${PIPESTATUS[0]}", 0),
        ("$SLOTWISE --help | true; exit ${PIPESTATUS[0]}", 0),
        ("PYTHONUNBUFFERED=1 $SLOTWISE --help | true; exit ${PIPESTATUS[0]}", 0),
        ("$SLOTWISE bounds $FILE <&- >&- 2>&-", 0),
        ("$SLOTWISE bounds none.json >&- 2>&-", 2),
        ("$SLOTWISE bounds none.json --json | true; exit ${PIPESTATUS[0]}", 2),
    ],
)
def test_streams_that_are_closed_or_break(script, code, tmp_path):
    found, _, err = shell(script, TMPDIR=str(tmp_path))
    assert found == code, err
    told = ("note: nobody reads standard output", "slotwise: none.json: No such file or directory")
    assert all(line.startswith(told) for line in err.splitlines())


@pytest.mark.parametrize(
    "environment",
    [
        {"PYTHONIOENCODING": "ascii"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"LANG": "no_SUCH.locale", "PYTHONIOENCODING": "latin-1"},
    ],
)
def test_streams_that_cannot_encode(environment):
    code, out, err = shell("$SLOTWISE bounds $FILE; $SLOTWISE bounds …–", **environment)
    assert "LB1 as printed" in out
    assert code == 2
    assert err.startswith("slotwise: ")
    assert err.count("\n") == 1
