"""Ctrl-C and SIGTERM at several moments: one line or the result, and nothing is left over."""

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest
import seed_files
from processes import LONG, hard, start, until

import slotwise
from slotwise.commands import interrupts
from slotwise.instances.mapreduce.generators.ljr import small

BOTH = pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
KEPT = "what was there"

AT_IMPORT = """
import os
class Hook:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), {number})
sys.meta_path.insert(0, Hook())
"""

JUST_BEFORE_IT_WAITS = """
import _thread, sys, threading, time
def at_files(main):
    frame = sys._current_frames()[main]
    while frame is not None:
        code, frame = frame.f_code, frame.f_back
        if "core/files" in code.co_filename and code.co_name != "<module>":
            return True
def watch(main):
    while not at_files(main):
        time.sleep(0.01)
    time.sleep(0.5)
    _thread.interrupt_main({number})
threading.Thread(target=watch, args=[threading.get_ident()], daemon=True).start()
"""
"""A signal of which nobody but Python knows, as if it came before the system call that waits."""

AT_SYNC = """
import os, time
def fsync(handle):
    os.kill(os.getpid(), {number})
    time.sleep(600)
os.fsync = fsync
"""

ONCE_SOMETHING_IS_KEPT = """
import os, threading, time
def watch():
    from slotwise.commands import interrupts
    while not interrupts.held():
        time.sleep(0.01)
    time.sleep({after})
    os.kill(os.getpid(), {number})
threading.Thread(target=watch, daemon=True).start()
"""


@pytest.fixture
def seeds(tmp_path: Path) -> Path:
    seed_files.make(tmp_path)
    (tmp_path / "out.json").write_text(KEPT)
    return tmp_path


def ended(process: subprocess.Popen) -> tuple[str, str]:
    """What it said on stdout and stderr, and no traceback."""
    out, err = process.communicate(timeout=LONG)
    assert "Traceback" not in err
    assert "Exception" not in err
    return out, err


def left_over(folder: Path) -> list[Path]:
    return [*(folder / "temporary").iterdir(), *folder.glob(".*")]


def assert_only_interrupted(process: subprocess.Popen, folder: Path) -> None:
    assert ended(process) == ("", "slotwise: interrupted\n")
    assert process.returncode == 130
    assert not left_over(folder)


@BOTH
@pytest.mark.parametrize("module", ["typer", "slotwise.commands.frame", "numpy.linalg"])
def test_while_modules_are_imported(tmp_path: Path, module: str, number: int) -> None:
    slotwise.write(small(2, 2, seed=1, max_maps=2, max_reduces=2), tmp_path / "a.json")
    code = AT_IMPORT.format(module=module, number=int(number))
    assert_only_interrupted(start("bounds", "a.json", folder=tmp_path, code=code), tmp_path)


@pytest.mark.parametrize(
    "words",
    [
        "solve PIPE -o out.json", "gap PIPE plain.json", "heuristic EFSS PIPE", "bounds PIPE",
        "check plain.json PIPE", "guide PIPE", "simulate PIPE", "fair PIPE",
        "explain job-order PIPE", "import yarn PIPE --capacity cpu=1,memory=1 -o out.json",
    ],
)  # fmt: skip
def test_while_a_file_is_read(tmp_path: Path, words: str) -> None:
    slotwise.write(small(2, 2, seed=1, max_maps=2, max_reduces=2), tmp_path / "plain.json")
    (tmp_path / "out.json").write_text(KEPT)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    # SIGTERM for every other command: both go the same way.
    number = signal.SIGTERM if len(words) % 2 else signal.SIGINT
    process = start(*words.replace("PIPE", "pipe").split(), folder=tmp_path)
    with pipe.open("w") as stream:  # waits for the reader
        stream.write('{"format": ')
        stream.flush()
        process.send_signal(number)
        assert_only_interrupted(process, tmp_path)
    assert (tmp_path / "out.json").read_text() == KEPT


@BOTH
@pytest.mark.parametrize(
    "words",
    ["bounds -", "bounds pipe", "generate ljr --seed 1 --jobs 40 --nodes 40 -o -",
     "generate ljr --seed 1 -o pipe"],
    ids=["reads", "opens to read", "writes", "opens to write"],
)  # fmt: skip
def test_just_before_the_process_waits(tmp_path: Path, words: str, number: int) -> None:
    os.mkfifo(tmp_path / "pipe")
    code = JUST_BEFORE_IT_WAITS.format(number=int(number))
    process = start(*words.split(), folder=tmp_path, code=code)
    assert process.wait(LONG) == 130
    assert process.stderr.read() == "slotwise: interrupted\n"
    process.communicate()


@pytest.mark.parametrize(
    "words",
    [
        "generate ljr --jobs 2 --seed 1 -o out.json",
        "import kueue kueue.yaml --quiet -o out.json",
        "guide datacenter.json -o out.json",
        "fair hierarchy.json -o out.json",
    ],
)
def test_while_a_file_is_written(seeds: Path, words: str) -> None:
    code = AT_SYNC.format(number=int(signal.SIGTERM))
    assert_only_interrupted(start(*words.split(), folder=seeds, code=code), seeds)
    assert (seeds / "out.json").read_text() == KEPT


def test_a_signal_to_a_group_and_its_member_counts_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interrupts, "_first", None)
    monkeypatch.setattr(interrupts, "_action", None)
    told: list[int] = []
    interrupts.hold(lambda: told.append(1))
    interrupts._answer(signal.SIGINT, None)
    interrupts._answer(signal.SIGINT, None)
    assert told == [1]


def test_a_second_signal_ends_what_the_first_did_not(tmp_path: Path) -> None:
    slotwise.write(small(2, 2, seed=1, max_maps=2, max_reduces=2), tmp_path / "a.json")
    again = "os.kill(os.getpid(), {number})\n    time.sleep(1)\n    os.kill("
    code = AT_SYNC.replace("os.kill(", again).format(number=int(signal.SIGINT))
    process = start("solve", "a.json", "-o", "out.json", folder=tmp_path, code=code)
    assert_only_interrupted(process, tmp_path)
    assert not (tmp_path / "out.json").exists()


@BOTH
def test_solve_keeps_the_best_so_far(tmp_path: Path, number: int) -> None:
    instance = hard()
    slotwise.write(instance, tmp_path / "hard.json")
    code = ONCE_SOMETHING_IS_KEPT.format(number=int(number), after=2.0)
    words = ("solve", "hard.json", "--time-limit", "600", "-o", "out.json", "--json")
    process = start(*words, folder=tmp_path, code=code)
    out, _ = ended(process)
    assert process.returncode == 0
    document = json.loads(out)
    assert document["status"] == "feasible"
    assert json.loads((tmp_path / "out.json").read_text()) == document
    schedule = slotwise.read_schedule(tmp_path / "out.json", instance)
    assert slotwise.check(instance, schedule).valid
    assert not left_over(tmp_path)


def test_gap_keeps_the_instances_that_are_done(tmp_path: Path) -> None:
    slotwise.write(small(2, 2, seed=1, max_maps=2, max_reduces=2), tmp_path / "easy.json")
    slotwise.write(hard(), tmp_path / "hard.json")
    process = start(
        "gap", "easy.json", "hard.json", "hard.json", "--time-limit", "600", "-o", "out.json",
        folder=tmp_path,
    )  # fmt: skip
    until((tmp_path / "out.json").exists)
    process.send_signal(signal.SIGINT)
    _, err = ended(process)
    assert process.returncode == 0
    done = len(json.loads((tmp_path / "out.json").read_text())["instances"])
    assert done in (1, 2)
    assert f"note: interrupted after {done} of 3 instances\n" in err


@BOTH
def test_simulate_keeps_what_was_seen(seeds: Path, number: int) -> None:
    code = ONCE_SOMETHING_IS_KEPT.format(number=int(number), after=1.0)
    words = (
        "simulate", "datacenter.json", "--policy", "first-fit", "--against", "best-fit", "--bound",
        "--jobs", 10**9, "-o", "out.json",
    )  # fmt: skip
    process = start(*words, folder=seeds, code=code)
    out, err = ended(process)
    assert process.returncode == 0, err
    document = json.loads((seeds / "out.json").read_text())
    assert document["interrupted"]
    assert 0 < document["jobs"] < 10**9
    assert "against" not in document
    assert "note: interrupted: first-fit has started" in err
    assert "note: interrupted: not run: best-fit, the bound" in err
    assert "first-fit" in out
    assert not left_over(seeds)


def test_a_cross_check_may_be_interrupted(tmp_path: Path) -> None:
    instance = hard()
    slotwise.write(instance, tmp_path / "hard.json")
    code = AT_IMPORT.format(
        module="slotwise.solvers.backends.cbc_process", number=int(signal.SIGINT)
    )
    words = ("solve", "hard.json", "--time-limit", "1", "--cross-check", "--json")
    process = start(*words, folder=tmp_path, code=code)
    document = json.loads(ended(process)[0])
    assert process.returncode == 0
    assert document["status"] == "feasible"
    assert "cross_check" not in document
    assert not left_over(tmp_path)


def test_what_the_caller_ignores_stays_ignored(tmp_path: Path) -> None:
    slotwise.write(small(2, 2, seed=1, max_maps=2, max_reduces=2), tmp_path / "a.json")
    code = AT_IMPORT.format(module="numpy.linalg", number=int(signal.SIGINT))
    code = f"import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\n{code}"
    process = start("bounds", "a.json", folder=tmp_path, code=code)
    assert "heads and tails" in ended(process)[0]
    assert process.returncode == 0
