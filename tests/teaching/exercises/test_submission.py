"""Files that hang, fork, print, eat memory, write, leave: each ends with a verdict, none stays."""

import os
import sys
import time
from pathlib import Path

import pytest
from processes import descendants, start, until
from seeded_bugs import right

from slotwise.core.errors import InputError
from slotwise.teaching.exercises.exercise import Limits
from slotwise.teaching.exercises.grading import grade_source, wanted

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /proc")

IF_TWO = "def bound(instance):\n    if len(instance['jobs']) > 1:\n        {}\n    return 0.0\n"


def graded(source, *, instances=4, exercise="bound", **limits):
    given = {"time": 60.0, "per_instance": 1.0, "memory": 1_000_000_000} | limits
    how = wanted(exercise, 1, instances, None, None, Limits(**given))
    before = descendants(os.getpid())
    found = grade_source(source, "mine.py", how)
    assert descendants(os.getpid()).keys() <= before.keys()
    return found


def only(found):
    (one,) = found.findings
    return one.failure.kind, one.size[0], one.failure.text


@pytest.mark.parametrize(
    ("line", "kind", "text"),
    [
        ("raise KeyError('x')", "raises KeyError", "line 3: KeyError: 'x'"),
        ("__import__('sys').exit(3)", "raises SystemExit", "line 3: SystemExit: 3"),
        ("__import__('os')._exit(3)", "ended its process", "left with exit code 3"),
        ("__import__('os').abort()", "ended its process", "was ended by SIGABRT"),
        ("bytearray(6 * 10**9)", "raises MemoryError", "it used more memory than is allowed"),
        ("open('big', 'wb').write(bytes(5 * 10**6))", "raises OSError", "File too large"),
        ("return float('nan')", "not a number", "the bound is not a number"),
        ("return None", "not an answer of this exercise", "number of seconds, got None"),
        ("return object()", "not an answer of this exercise", "a object is no part of an answer"),
        ("return __import__('decimal').Decimal(10**9)", "a bound above the optimum", "1e+09 s"),
        ("return __import__('fractions').Fraction(10**9)", "a bound above the optimum", "1e+09 s"),
        ("raise ValueError(chr(0xd800))", "raises ValueError", "line 3: ValueError: ?"),
        ("return 'x' * 10**7", "raises TooLong", "more than 1000000 bytes"),
        ("return 10**400", "a bound above the optimum", "bound inf s"),
    ],
)
def test_failures_of_all_sorts(line, kind, text):
    found = only(graded(IF_TWO.format(line)))
    assert found[:2] == (kind, 4)
    assert text in found[2]


def test_sleeping_and_working_for_ever():
    for line in ("while True: pass", "__import__('time').sleep(1000)"):
        began = time.monotonic()
        found = graded(IF_TWO.format(line), per_instance=0.05, instances=3)
        assert only(found)[:2] == ("no answer in time", 4)
        assert time.monotonic() - began < 60


def test_what_is_printed_is_no_answer():
    lies = 'print(\'{"number": 1, "value": 1e9}\', flush=True)\n'
    lies += "__import__('os').write(1, b'{\"number\": 2, \"value\": 1e9}\\n')\n"
    indented = "    " + lies.replace("\n", "\n    ").rstrip()
    assert not graded(f"{lies}def bound(instance):\n{indented}\n    return 0.0\n").broken


def test_copies_of_the_process_end_and_do_not_answer():
    mark = f"98765.{os.getpid()}"
    forks = "import os\ndef bound(instance):\n    for k in range(4):\n"
    forks += "        if os.fork() == 0:\n            if k % 2: os.setsid()\n"
    forks += f"            os.execvp('sleep', ['sleep', '{mark}'])\n    os.fork()\n    return 0.0\n"
    assert not graded(forks).broken
    assert living(mark) == []
    # The last ones are left to the keeper.
    assert only(graded(f"{forks[:-15]}    os._exit(2)\n"))[2] == "left with exit code 2"
    assert living(mark) == []


def living(mark):
    """Processes with this word in their command lines."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found += [path] if mark.encode() in path.read_bytes() else []
        except OSError:
            continue
    return found


def test_its_keeper_may_be_killed():
    found = graded("import os\ndef bound(i):\n    os.kill(os.getppid(), 9)\n    while True: pass\n")
    assert only(found)[0] == "ended its process"


def test_its_surroundings():
    source = "import os, sys\ndef bound(instance):\n    raise ValueError(repr({}))\n"

    def seen(what):
        return only(graded(source.replace("{}", what), instances=1))[2]

    assert "'PATH'" not in seen("sorted(os.environ)")
    folder = seen("os.getcwd()").rpartition(" ")[2].strip("'")
    assert folder != os.getcwd()
    assert not Path(folder).exists()
    assert "ignore_environment=0" in seen("sys.flags")
    assert "no_user_site=1" in seen("sys.flags")
    assert "True" in seen("sys.flags.safe_path")
    assert "''" in seen("sys.stdin.read()")


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("def bound(instance) return 0\n", "mine.py: line 1: SyntaxError: "),
        ("\n\nimport helper\n", "mine.py: line 3: ModuleNotFoundError: No module named 'helper'"),
        ("x = 1 / 0\n", "mine.py: line 1: ZeroDivisionError: division by zero"),
        ("def bund(instance): return 0\n", "mine.py: defines no function `bound`"),
        ("import os; os._exit(4)\n", "mine.py: it left with exit code 4 while it was loaded"),
        ("\0", ("mine.py: SyntaxError", "mine.py: ValueError")),  # before Python 3.11.4
        ("def bound(instance): pass\n", "mine.py: bound: need a number of seconds, got None"),
    ],
)
def test_what_cannot_be_loaded_is_refused(source, said):
    with pytest.raises(InputError) as error:
        graded(source)
    assert str(error.value).startswith(said)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("None", "need a list of rows, got None (forgot `return`?)"),
        ("type('DataFrame', (), {})()", "mine.py: a DataFrame is no list of rows: return frame.to"),
        ("[{}, 3]", "row 1 has no field `job`"),
        ("[row, 3]", "row 2 is a int, need a dict"),
        ("[row, {**row, 'slot': None}]", "row 2: `slot` is None, need an integer"),
        ("[row, {k: v for k, v in row.items() if k != 'slot'}]", "row 2 has no field `slot`"),
        ("[{**row, 'phase': 'sort'}]", "row 1: `phase` is 'sort'"),
        ("[{**row, 'start': float('inf')}]", "row 1: `start` is inf"),
        ("{'tasks': []}", "makespan: need a number of seconds, got None"),
    ],
)
def test_rows_that_are_none_are_refused(answer, said):
    row = "{'job': 'j0', 'phase': 'map', 'task': 0, 'node': 'n0', 'slot': 0, 'start': 0}"
    with pytest.raises(InputError) as error:
        graded(f"row = {row}\ndef heuristic(i):\n    return {answer}\n", exercise="heuristic")
    assert str(error.value) == f"mine.py: heuristic: {said}" or said in str(error.value)


@pytest.mark.parametrize(
    "change", ["reversed(rows)", "map(dict, rows)", "(row for row in rows)", "iter(rows)"]
)
def test_rows_that_can_be_read_only_once(change):
    assert "    return rows\n" in right("heuristic")
    source = right("heuristic").replace("    return rows\n", f"    return {change}\n", 1)
    assert not graded(source, instances=2, exercise="heuristic").broken


def test_no_process_that_it_sees_tells_the_seed(tmp_path):
    (tmp_path / "spy.py").write_text(
        "import glob, os, sys, time\n"
        "def bound(instance):\n"
        "    seen = [repr(sys.orig_argv), repr(os.environ)]\n"
        "    for path in glob.glob('/proc/[0-9]*/cmdline') + glob.glob('/proc/[0-9]*/environ'):\n"
        "        try: seen.append(open(path, errors='replace').read())\n"
        "        except OSError: pass\n"
        "    open('began', 'w').close()\n"
        "    while not os.path.exists('seen'): time.sleep(0.01)\n"
        "    return 1e9 if any('987654' in text for text in seen) else 0.0\n"
    )
    line = ("grade", "spy.py", "--exercise", "bound", "--instances", 1, "--per-instance", 60)
    process = start(*line, "--seed-file", "-", folder=tmp_path)
    process.stdin.write("987654")
    process.stdin.close()
    until(lambda: list((tmp_path / "temporary").glob("*/began")))
    (began,) = (tmp_path / "temporary").glob("*/began")
    began.with_name("seen").write_text("")
    assert process.wait(60) == 0


def test_without_slotwise():
    source = "import slotwise.instances\ndef bound(instance): return 0\n"
    assert not graded(source, instances=1).broken
    with pytest.raises(InputError, match="line 1: ModuleNotFoundError: slotwise is hidden"):
        graded(source, slotwise=False)
    assert not graded("import numpy\ndef bound(instance): return numpy.float64(0)\n").broken


def test_it_ends_with_the_grader(tmp_path):
    (tmp_path / "mine.py").write_text("def bound(i):\n    while True: pass\n")
    grader = start("grade", "mine.py", "--exercise", "bound", folder=tmp_path)
    until(lambda: len(descendants(grader.pid)) >= 2)
    below = descendants(grader.pid)
    grader.kill()
    grader.wait()
    until(lambda: not any(Path(f"/proc/{child}/cmdline").exists() for child in below))
