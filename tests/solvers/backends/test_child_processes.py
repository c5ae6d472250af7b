"""No process that a command started survives it, even if it is killed."""

import signal
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from processes import descendants, end_groups, in_group, is_alive, start, until

import slotwise
from slotwise.instances.mapreduce.generators.ljr import small

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads /proc")


@pytest.mark.parametrize("child", ["cp_sat_process", "/cbc "])
def test_killed_with_a_child_at_work(tmp_path: Path, child: str) -> None:
    if child == "cp_sat_process" and find_spec("ortools") is None:
        pytest.skip("needs OR-Tools")
    instance = small(12, 4, seed=1, max_maps=6, max_reduces=4)
    options = ["--time-limit", "600"]
    if child == "/cbc ":
        options = ["--time-limit", "6", "--cross-check"]
    slotwise.write(instance, tmp_path / "a.json")
    process = start("solve", "a.json", *options, folder=tmp_path)
    seen: dict[int, str] = {}

    def is_at_work() -> bool:
        seen.update(descendants(process.pid))
        assert process.poll() is None, process.communicate()
        return any(child in line for line in seen.values())

    until(is_at_work)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    until(lambda: not any(map(is_alive, seen)))
    until(lambda: not list((tmp_path / "temporary").iterdir()))


CHILD = """
import time
from slotwise.solvers.backends.child_processes import die_with_parent
die_with_parent()
print("at work", flush=True)
time.sleep(600)
"""


def test_a_child_ends_when_its_input_does() -> None:
    command = [sys.executable, "-c", CHILD]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
    ) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        try:
            assert child.stdout.readline() == b"at work\n"
            child.stdin.close()
            assert child.wait(30) == -signal.SIGKILL
        finally:
            child.kill()


def test_what_a_failed_test_leaves_is_ended() -> None:
    code = "import subprocess; subprocess.run(['sleep', '600'])"
    process = in_group([sys.executable, "-c", code])
    until(lambda: descendants(process.pid))
    (child,) = descendants(process.pid)
    end_groups()
    assert process.returncode == -signal.SIGKILL
    until(lambda: not is_alive(child))
