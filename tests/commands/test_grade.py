"""`slotwise grade` and `slotwise grade --list` as a lecturer and a student use them."""

import csv
import json
import signal
from pathlib import Path

import pytest
from browser import DESK, PHONE, browser, opened, sticks_out
from make import cli
from processes import start, until
from seeded_bugs import QUICK, right

from slotwise.commands.grade import parse_size
from slotwise.core.errors import InputError
from slotwise.teaching.exercises.catalogue import EXERCISES

BUG = next(bug for bug in QUICK if bug.name == "slot")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("good.py").write_text(right("rule"))
    Path("bad.py").write_text(BUG.source)
    Path("none.py").write_text("def other(): pass\n")
    return tmp_path


@pytest.fixture(scope="module")
def broken(tmp_path_factory):
    """The answer to grading a broken file, as JSON and text, and its page."""
    folder = tmp_path_factory.mktemp("broken")
    (folder / "bad.py").write_text(BUG.source)
    line = ("grade", folder / "bad.py", "--exercise", "heuristic", "--instances", 12)
    page = folder / "page.html"
    return cli(*line, "--json", "-o", page), cli(*line), page


def test_nothing_found(folder):
    end = cli("grade", "good.py", "--exercise", "rule", "--instances", 20)
    assert end.code == 0
    assert end.out == "good.py, exercise rule: 20 hidden instances, none breaks it: no proof\n"
    assert "limits stop accidents, not attackers" in end.err


def test_broken(broken):
    as_json, text, _ = broken
    assert (as_json.code, text.code) == (1, 1)
    document = json.loads(as_json.out)
    assert document["verdict"] == "broken"
    first = document["findings"][0]
    assert (first["kind"], first["tasks"]) == (BUG.kind, 2)
    assert len(first["instance"]["jobs"][0]["reduce_tasks"]) > 0
    assert first["right"]["makespan"] <= first["answer"]["makespan"]
    assert "broken by" in text.out
    assert BUG.kind in text.out
    assert "A shortest schedule" in text.out


def test_the_page_shows_the_mistake(broken):
    page = broken[-1].read_text()
    assert BUG.kind in page
    assert page.count('class="bar broken"') >= 1
    assert len(page) < 30_000
    assert "http" not in page.replace("http://www.w3", "").replace("http-equiv", "")


def test_the_page_in_a_browser(broken):
    *_, page = broken
    with browser() as chromium:
        for width, dark in ((PHONE, False), (DESK, True)):
            with opened(chromium, page, width, dark=dark) as tab:
                assert not sticks_out(tab)
                assert tab.locator("svg").count() == 2
                boxes = tab.eval_on_selector_all(
                    "svg:first-of-type .bar > rect",
                    "all => all.map(one => { const b = one.getBoundingClientRect();"
                    " return [b.left, b.top, b.right, b.bottom] })",
                )
                assert boxes
                for k, (left, top, right_, bottom) in enumerate(boxes):
                    for other in boxes[:k]:
                        apart = left >= other[2] - 1 or other[0] >= right_ - 1
                        assert apart or top >= other[3] - 1 or other[1] >= bottom - 1


def test_what_cannot_be_graded(folder):
    def said(*words):
        end = cli("grade", *words)
        assert (end.code, end.out) == (2, "")
        return end.err

    assert said("none.py", "--exercise", "rule").endswith("none.py: defines no class `policy`\n")
    assert "did you mean rule" in said("good.py", "--exercise", "rules")
    assert "no-file.py" in said("no-file.py", "--exercise", "rule")
    gone = said("good.py", "--exercise", "rule", "--reveal", "kind")
    assert gone == (
        "slotwise: grade --reveal is no longer there: the smallest instance is always shown\n"
    )
    assert "need a size" in said("good.py", "--exercise", "rule", "--memory", "much")
    assert "-o is a page about one file" in said(".", "--exercise", "rule", "-o", "page.html")
    assert "--pages is for the files" in said("good.py", "--exercise", "rule", "--pages", "p")
    Path("empty").write_text(" \n")
    assert "is empty" in said("good.py", "--exercise", "rule", "--seed-file", "empty")
    assert not Path("page.html").exists()


def test_a_secret_seed(folder):
    Path("seed").write_text("secret\n")
    line = ("grade", "bad.py", "--exercise", "heuristic", "--json", "--instances", 16)
    documents = [
        json.loads(cli(*line, *more).out)
        for more in (["--seed-file", "seed"], ["--seed-file", "seed"], ["--seed", 3])
    ]
    assert documents[0] == documents[1] != documents[2]
    assert "secret" not in json.dumps(documents)


def test_a_class(folder):
    line = ("grade", ".", "--exercise", "rule", "--instances", 20, "--table", "marks.csv")
    end = cli(*line, "--json")
    assert end.code == 1
    rows = json.loads(end.out)["files"]
    assert [row["verdict"] for row in rows] == ["not graded", "nothing found", "not graded"]
    with open("marks.csv", newline="") as stream:
        assert [row["file"] for row in csv.DictReader(stream)] == ["bad.py", "good.py", "none.py"]
    assert "good.py" in cli(*line).out


@pytest.mark.parametrize("exercise", [one.name for one in EXERCISES])
def test_a_file_to_begin_with(exercise, folder):
    assert cli("grade", "--start", exercise, "-o", "mine.py").code == 0
    assert cli("grade", "--start", exercise).out == Path("mine.py").read_text()
    end = cli("grade", "mine.py", "--exercise", exercise, "--instances", 6, "--no-slotwise")
    assert end.code == (1 if exercise in ("solve", "build") else 0)


def test_the_list_of_exercises():
    end = cli("grade", "--list")
    document = json.loads(cli("grade", "--list", "--json").out)
    assert [one["name"] for one in document["exercises"]] == [one.name for one in EXERCISES]
    for one in document["exercises"]:
        assert one["write"] in end.out
        assert set(one["domains"]) <= set(end.out.replace(";", " ").split())
    assert cli("grade", "--list", "-o", "x.py").code == 2


def test_ctrl_c_keeps_what_it_has(folder):
    Path("slow.py").write_text(
        "import time\ndef bound(instance):\n    open('began', 'w').close()\n"
        "    time.sleep(0.2)\n    return 1e9\n"
    )
    process = start("grade", "slow.py", "--exercise", "bound", "--json", folder=folder)
    until(lambda: list((folder / "temporary").glob("*/began")))
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    document = json.loads(out)
    assert process.returncode == 130
    assert document["interrupted"]
    assert list((folder / "temporary").glob("*")) == []


@pytest.mark.parametrize(
    ("text", "size"),
    [("5", 5), ("5B", 5), ("1.5 kB", 1500), ("2M", 2 * 10**6), ("8gb", 8 * 10**9), ("1T", 10**12)],
)
def test_sizes(text, size):
    assert parse_size(text, "x") == size


@pytest.mark.parametrize("text", ["", "0", "-1", "x", "1 PB", "1e9", "nan", "9" * 99, "0.1"])
def test_what_is_no_size(text):
    with pytest.raises(InputError, match="--memory: need a size such as 500MB"):
        parse_size(text, "--memory")
