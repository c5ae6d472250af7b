"""Rules for the files of every command: a new command is here by itself, or the table fails.

Each command runs on small files of its kind; what is an input and what an output is asked from the
command line itself.
"""

import io
import json
import os
import re
import shutil
import stat
import sys
import threading
from itertools import combinations, product
from pathlib import Path

import pytest
import run_tables
import seed_files
from make import every_command, refused

from slotwise.commands.app import run
from slotwise.commands.file_rules import check_distinct
from slotwise.core.errors import InputError

SMALL = "--jobs 2 --maps 1 2 --reduces 1 2 --seed 1"
QUEUES = "--capacity cpu=200,memory=400 --demands {demands.json}"
LINES = {
    "solve": "{plain.json} --time-limit 60",
    "heuristic": "EFSS {plain.json}",
    "gap": "{plain.json} --time-limit 60",
    "rank": "{gaps.csv}",
    "bounds": "{plain.json}",
    "check": "{plain.json} {schedule.json}",
    "verify": "{plain.json} {result.json} {certificate.json}",
    "guide": "{datacenter.json} --jobs {jobs.csv} --time-limit 60",
    "simulate": "{datacenter.json} --guidance {guidance.json} --trace {jobs.csv} "
    "--policy first-fit --bound",
    "serve": "{guidance.json} --policy best-fit --check",
    "fair": "{hierarchy.json}",
    "explain": "allocation {datacenter.json}",
    "lesson": "allocation {datacenter.json}",
    "steps": "EFSS {plain.json}",
    "grade": "{answer.py} --exercise bound --instances 2 --seed-file {seed.txt}",
    "campaign": "{study.toml} --list",
    "reproduce": "mch-figure-4 --list",
    "list": "examples five-jobs",
    "report": "{campaign.runs/}",
    "generate ljr": f"{SMALL} --nodes 2",
    "generate smso": f"{SMALL} --nodes 2",
    "generate hmhs": f"{SMALL} --map-machines 2 --reduce-machines 2",
    "generate lotes": "--seed 1 --classes 2 --configurations 2 --machines 5",
    "generate mch": "--seed 1 --depth 2",
    "generate ljr-small": "--seed 1 --jobs 2",
    "generate smso-small": "--seed 1 --jobs 2",
    "generate hmhs-small": "--seed 1 --jobs 2",
    "generate two-stage": "--seed 1 --jobs 2",
    "generate google-2011": "--scale 0.01",
    "generate mch-binary": "--seed 1 --levels 2",
    "import rumen": "{trace.json} --topology {rumen-topology.json}",
    "import shop": "{shop.txt}",
    "import swim": "{swim.tsv} --nodes 3",
    "import openb": "{nodes.csv} {pods.csv} --classes 2",
    "import pai": "{pai.csv} --classes {openb.json}",
    "import google": "{tasks.csv} --machines {machines.csv} --classes 1",
    "import yarn": f"{{fair.xml}} {QUEUES}",
    "import yarn-capacity": f"{{capacity.xml}} {QUEUES}",
    "import kueue": "{kueue.yaml} --demands {demands.json}",
}


def inputs(line):
    """Names of the files that a command of the table reads; a folder, with a slash, is none."""
    return re.findall(r"\{([^{}]*[^{}/])\}", line)


NO_TEXT = {"seconds", "events_per_second", "found_after", "time"}
"""Fields of results that differ from run to run."""


COMMANDS = every_command()
OUTPUTS = {
    words: {
        name: mark for name, mark in command.paths.values() if mark is not None and not mark.folder
    }
    for words, command in COMMANDS.items()
}
FOLDERS = [
    (words, name)
    for words, command in COMMANDS.items()
    for name, mark in command.paths.values()
    if mark is not None and mark.folder
]
EACH_OUTPUT = [(words, name) for words, outputs in OUTPUTS.items() for name in outputs]
WRITING = [words for words, outputs in OUTPUTS.items() if outputs]
EACH_INPUT = [(words, name) for words, line in LINES.items() for name in inputs(line)]


def test_every_command_is_in_the_table():
    assert set(COMMANDS) == set(LINES)


def test_every_path_of_every_command_is_read_or_written():
    # An output that is not marked would be taken for an input, which is not protected.
    for words, command in COMMANDS.items():
        for name, mark in command.paths.values():
            wanted = name in (
                "--output",
                "--gantt",
                "--plot",
                "--jobs",
                "--html",
                "--slides",
                "--pages",
                "--table",
                "--lesson",
                "--latex",
                "--paper",
                "--certificate",
                "--state",
            )
            wanted = wanted and (words, name) != ("guide", "--jobs")
            assert (mark is not None) == wanted, (words, name)


@pytest.fixture(scope="module")
def originals(tmp_path_factory):
    folder = tmp_path_factory.mktemp("inputs")
    seed_files.make(folder)
    (folder / "demands.json").write_text("{}")
    (folder / "seed.txt").write_text("secret")
    (folder / "shop.txt").write_text("2\n2\n1 1\n3 4\n5 1\n")
    (folder / "gaps.csv").write_text("instance,method,gap\na,x,0.1\na,y,0.2\nb,x,0.1\nb,y,0.3\n")
    (folder / "answer.py").write_text("def bound(instance):\n    return 0.0\n")
    (folder / "study.toml").write_text(
        '[[instances]]\ngenerator = "ljr-small"\n[[methods]]\nheuristic = "EFSS"\n'
    )
    (folder / "rumen-topology.json").write_text(
        '{"name": "<root>", "children": [{"name": "r", "children": [{"name": "h"}, {"name": "g"}]},'
        ' {"name": "s", "children": [{"name": "k"}]}]}'
    )
    run_tables.write(folder / "campaign.runs", run_tables.frame(run_tables.TWO_METHODS))
    line = ["import", "openb", folder / "nodes.csv", folder / "pods.csv", "--classes", 2]
    assert run([*map(str, line), "-q", "-o", str(folder / "openb.json")]) == 0
    return folder


@pytest.fixture
def files(originals, tmp_path):
    """A folder with all inputs."""
    folder = tmp_path / "files"
    folder.mkdir()
    shutil.copytree(originals, folder, dirs_exist_ok=True)
    return folder


def line_of(words, files, outputs=(), **replaced):
    """The arguments of a command; `outputs` are paths by the name of the option."""
    found = [*words.split()]
    for word in LINES[words].split():
        name = word.strip("{}")
        found.append(word if name == word else str(replaced.get(name, files / name)))
    for name, path in dict(outputs).items():
        found += [name, str(path)]
    return found


def targets(words, folder, without=()):
    """A path with the right ending for each output."""
    return {
        name: folder / f"out{name}{(mark.endings or ('.json',))[-1]}"
        for name, mark in OUTPUTS[words].items()
        if name not in without
    }


@pytest.fixture
def unworked(monkeypatch):
    """Whoever reads a file or draws an instance has begun to work."""
    from slotwise.core.files import inputs

    def fail(*_, **__):
        raise AssertionError("work has begun")

    monkeypatch.setattr(inputs, "_whole", fail)
    monkeypatch.setattr("random.Random", fail)
    monkeypatch.setattr("numpy.random.default_rng", fail)


@pytest.mark.parametrize(("words", "name"), EACH_OUTPUT)
def test_an_output_that_is_an_input_is_refused(words, name, files, unworked):
    for source in inputs(LINES[words]):
        ending = (OUTPUTS[words][name].endings or ("",))[-1]
        shown = files / f"{source}{ending}"
        if ending:
            (files / source).rename(shown)
        symlink, hard = files / f"symlink{ending}", files / f"hard{ending}"
        symlink.symlink_to(shown)
        os.link(shown, hard)
        content = shown.read_bytes()
        for path in (shown, symlink, hard, files / ".." / "files" / shown.name):
            line = line_of(words, files, targets(words, files) | {name: path}, **{source: shown})
            message = refused(*line)
            assert f"{name} {path} is the input" in message
            assert str(shown) in message
        assert shown.read_bytes() == content
        symlink.unlink()
        hard.unlink()


@pytest.mark.parametrize("words", [words for words in WRITING if len(OUTPUTS[words]) > 1])
def test_two_outputs_to_one_path_are_refused(words, files, unworked):
    ending = next((m.endings[-1] for m in OUTPUTS[words].values() if m.endings), ".json")
    path, link = files / f"both{ending}", files / f"link{ending}"
    link.symlink_to(path)
    for (first, second), other in product(combinations(OUTPUTS[words], 2), (path, link, "-")):
        outputs = {first: path if other != "-" else "-", second: other}
        message = refused(*line_of(words, files, outputs))
        assert f"{first} and {second} both write to" in message
    assert not path.exists()


@pytest.mark.parametrize(("words", "name"), EACH_OUTPUT)
def test_an_output_that_cannot_be_written_is_refused(words, name, files, unworked):
    paths = targets(words, files)
    path = paths[name]

    def message(path):
        return refused(*line_of(words, files, paths | {name: path}))

    path.write_text("mine")
    path.chmod(0o444)
    assert "is read-only (mode 444)" in message(path)
    assert path.read_text() == "mine"
    path.unlink()
    path.mkdir()
    if OUTPUTS[words][name].folder is not None:
        assert "is a folder" in message(path)
    assert "does not exist" in message(files / "none" / path.name)
    assert "Not a directory" in message(files / "plain.json" / path.name)
    path.rmdir()
    path.symlink_to(path)
    assert "symbolic links" in message(path)
    assert "File name too long" in message(files / (300 * "x" + path.suffix))
    if OUTPUTS[words][name].endings:
        assert "needs a name ending in" in message(files / "chart.bmp")


@pytest.mark.parametrize(("words", "name"), [pair for pair in FOLDERS if pair[0] in LINES])
def test_a_folder_that_cannot_be_written_is_refused(words, name, files, unworked):
    def message(path):
        page = {"--output": files / "page.html"} if words == "report" else {}
        return refused(*line_of(words, files, page), name, path)

    assert "is nothing for stdout" in message("-")
    assert "is no folder" in message(files / "plain.json")
    assert "does not exist" in message(files / "none" / "runs")
    assert "File name too long" in message(files / (300 * "x"))


@pytest.mark.parametrize("words", [w for w in LINES if LINES[w].count("{") > 1])
def test_stdin_cannot_be_two_inputs(words, files, unworked):
    both = dict.fromkeys(inputs(LINES[words])[:2], "-")
    message = refused(*line_of(words, files, targets(words, files), **both))
    assert "only one input can be stdin" in message


def figures(document):
    """A result without what differs from run to run."""
    if isinstance(document, dict):
        return {k: figures(v) for k, v in document.items() if k not in NO_TEXT}
    return [figures(v) for v in document] if isinstance(document, list) else document


def same(one, other):
    """Whether two outputs say the same, but for the line that a page says it is from."""
    one, other = (re.sub(rb"<pre>slotwise .*</pre>", b"", text) for text in (one, other))
    if one.lstrip().startswith(b"{"):
        return figures(json.loads(one)) == figures(json.loads(other))
    return one == other


def endings(words, name):
    """Those that an output may have."""
    return OUTPUTS[words][name].endings or ()


@pytest.mark.parametrize("words", WRITING)
def test_outputs_follow_links_keep_modes_and_go_to_stdout(words, files, tmp_path, capfdbinary):
    # Charts as .svg, which is what stdout gets.
    paths = {
        name: path.with_suffix(".svg") if ".svg" in endings(words, name) else path
        for name, path in targets(words, tmp_path).items()
    }
    for name, path in paths.items():
        (files / f"real{name}").write_text("old")
        (files / f"real{name}").chmod(0o600)
        path.symlink_to(files / f"real{name}")
    assert run(line_of(words, files, paths)) == 0
    for path in paths.values():
        assert path.is_symlink()
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert path.read_bytes() != b"old"
    assert [p.name for p in files.iterdir() if p.name.startswith(".")] == []
    for name, path in paths.items():
        needed = {"--output": tmp_path / "again.json"} if "--output" in paths else {}
        needed.pop(name, None)
        for more in ((), ("--json",)) if not needed else ((),):
            capfdbinary.readouterr()
            assert run([*line_of(words, files, needed | {name: "-"}), *more]) == 0
            assert same(path.read_bytes(), capfdbinary.readouterr().out)


@pytest.mark.parametrize("words", WRITING)
def test_what_cannot_be_written_is_told(words, files, tmp_path, monkeypatch, capsys):
    paths = targets(words, files)
    for path in paths.values():
        path.write_text("old")
    replace = os.replace

    def fail(source, target):
        if Path(target) in paths.values():
            raise OSError(28, "No space left on device")
        replace(source, target)

    monkeypatch.setattr(os, "replace", fail)
    capsys.readouterr()
    assert run(line_of(words, files, paths)) == 2
    out, err = capsys.readouterr()
    last = err.splitlines()[-1]
    assert last.startswith("slotwise: ")
    for name, path in paths.items():
        assert f"{path}: No space left on device" in last, name
        assert path.read_text() == "old"
    if not words.startswith(("generate", "import")):  # whose result is the file
        assert out.strip()
    assert [p.name for p in files.iterdir() if p.name.startswith(".")] == []


@pytest.mark.parametrize(("words", "name"), EACH_INPUT)
def test_every_input_can_be_stdin_or_a_pipe(words, name, files, monkeypatch, capsys):
    content = (files / name).read_bytes()
    outputs = {name: path for name, path in targets(words, files).items() if name == "--output"}
    stdin = io.TextIOWrapper(io.BufferedReader(io.BytesIO(content)))
    monkeypatch.setattr(sys, "stdin", stdin)
    code = run([*line_of(words, files, outputs, **{name: "-"}), "-q"])
    assert code == 0, capsys.readouterr().err
    pipe = files / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=[content], daemon=True)
    writer.start()
    code = run([*line_of(words, files, outputs, **{name: pipe}), "-q"])
    assert code == 0, capsys.readouterr().err
    writer.join(10)
    assert not writer.is_alive()


@pytest.mark.parametrize("words", ["import rumen", "import swim"])
def test_an_instance_from_stdin_has_a_name(words, files, monkeypatch, capsys):
    source = inputs(LINES[words])[0]
    content = io.BytesIO((files / source).read_bytes())
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(content))
    capsys.readouterr()
    assert run(line_of(words, files, {"--output": "-"}, **{source: "-"})) == 0
    assert json.loads(capsys.readouterr().out)["name"] == words.split()[1]


def test_distinct_paths(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("a").write_text("")
    os.link("a", "b")
    check_distinct({"-o": "new", "--plot": "other"}, {"FILE": ["a", "b", "none"]})
    check_distinct({"-o": "-"}, {"FILE": ["-"]})
    for outputs_, inputs, message in (
        ({"-o": "a"}, {"FILE": ["none", "b"]}, "-o a is the input FILE b: choose another name"),
        ({"-o": "new"}, {"FILE": ["./x/../new"]}, "-o new is the input"),
        ({"-o": "a", "--plot": "b"}, {}, "-o and --plot both write to b"),
        ({"-o": "new", "--plot": "new"}, {}, "-o and --plot both write to new"),
        ({"-o": "-", "--plot": "-"}, {}, "-o and --plot both write to -"),
        ({}, {"FILE": ["-"], "--events": ["-"]}, "stdin, not FILE and --events"),
    ):
        with pytest.raises(InputError) as error:
            check_distinct(outputs_, inputs)
        assert message in str(error.value)
