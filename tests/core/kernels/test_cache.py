"""Kept machine code is used only with the sources it was made from, and is never in the way."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from json import JSONDecoder
from pathlib import Path
from typing import Any, cast

import pytest
import source_tree
from numba.core.errors import TypingError

import slotwise
from slotwise.core.kernels import cache as kernel_cache
from slotwise.core.kernels.decorators import counted

KERNELS = Path(slotwise.__file__).parent / "core" / "kernels"

TOP = """
from ..core.kernels.decorators import counted
from .below import add

@counted
def top(x):
    return 10 * add(x)
"""

BELOW = """
from ..core.kernels.decorators import counted
from .constants import STEP

@counted
def add(x):
    return x + STEP + 0
"""

PARTS = """
from ..core.kernels.decorators import inlined, inner, kernel

@inlined
def half(x):
    if x < 0:
        raise ValueError("below zero")
    return x // 2

@inner
def add(x):
    return half(x) + 1

@kernel
def top(x):
    return 10 * add(x)

@kernel
def other(x):
    return 100 * add(x) + half(x)
"""

RUN = """
from mini.heuristics.top import top
print(top({argument}), sum(top.stats.cache_hits.values()))
"""


@pytest.fixture
def mini(tmp_path: Path) -> Path:
    """A package with the project's decorators, a kernel, its helper and the helper's constant."""
    package = tmp_path / "mini"
    for layer in ("", "core", "heuristics"):
        (package / layer).mkdir()
        (package / layer / "__init__.py").touch()
    shutil.copytree(KERNELS, package / "core" / "kernels")
    shutil.copy(KERNELS.parent / "notices.py", package / "core")
    (package / "heuristics" / "top.py").write_text(TOP)
    (package / "heuristics" / "below.py").write_text(BELOW)
    (package / "heuristics" / "constants.py").write_text("STEP = 1\n")
    return package


def environment(mini: Path, **changes: str) -> dict[str, str]:
    unset = ("NUMBA_CACHE_DIR", "NUMBA_CACHE_LOCATOR_CLASSES", "XDG_CACHE_HOME")
    mine = {name: value for name, value in os.environ.items() if name not in unset}
    return mine | {"PYTHONPATH": str(mini.parent), "PYTHONDONTWRITEBYTECODE": "1"} | changes


def run(mini: Path, before: str = "", argument: str = "4", **changes: str) -> tuple[int, int, str]:
    """What `top` gives, how many kernels Python calls came from the cache, and stderr."""
    done = subprocess.run(
        [sys.executable, "-c", before + RUN.format(argument=argument)],
        env=environment(mini, **changes),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    value, hits = done.stdout.split()
    return int(float(value)), int(hits), done.stderr


def edit(file: Path, old: str, new: str) -> None:
    """Change a source without changing its size or its time."""
    text, found = file.read_text(), file.stat()
    assert text.count(old) == 1
    assert len(old) == len(new)
    file.write_text(text.replace(old, new))
    os.utime(file, ns=(found.st_atime_ns, found.st_mtime_ns))


def entries(folder: Path) -> list[Path]:
    return sorted(folder.rglob(f"*{kernel_cache.SUFFIX}*"))


def nowhere(mini: Path) -> dict[str, str]:
    """An environment in which neither the package, nor home, nor the folder named is writable."""
    (mini / "heuristics" / "__pycache__").touch()
    blocked = mini / "a file"
    blocked.touch()
    temporary = mini.parent / "temporary"
    temporary.mkdir(exist_ok=True)
    return {
        "HOME": str(blocked),
        "NUMBA_CACHE_DIR": str(blocked / "cache"),
        "TMPDIR": str(temporary),
    }


def test_an_edit_in_any_file_is_seen_on_a_warm_cache(mini: Path) -> None:
    assert run(mini) == (50, 0, "")
    first = entries(mini)
    assert len(first) == 2
    assert run(mini) == (50, 1, "")
    edit(mini / "heuristics" / "constants.py", "1", "2")
    assert run(mini) == (60, 0, "")
    edit(mini / "heuristics" / "below.py", "+ 0", "+ 3")
    assert run(mini) == (90, 0, "")
    assert run(mini) == (90, 1, "")
    assert len(entries(mini)) == len(first), "stale entries stay"
    assert not set(entries(mini)) & set(first)


def test_where_nothing_is_writable_a_private_temporary_folder_serves(mini: Path) -> None:
    value, hits, note = run(mini, **nowhere(mini))
    assert (value, hits) == (50, 0)
    assert note.startswith("note: compiled code is kept in")
    assert note.count("\n") == 1
    assert run(mini, **nowhere(mini)) == (50, 1, "")


def test_a_temporary_folder_that_others_can_write_to_is_not_trusted(mini: Path) -> None:
    changes = nowhere(mini)
    shared = Path(changes["TMPDIR"]) / f"slotwise-{os.getuid()}"
    shared.mkdir()
    shared.chmod(0o777)
    value, hits, note = run(mini, **changes)
    assert (value, hits) == (50, 0)
    assert note.startswith("note: compiled code cannot be kept")
    assert note.count("\n") == 1
    assert not entries(shared)


def test_a_full_disk_costs_a_note(mini: Path) -> None:
    full = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\n"
    value, hits, note = run(mini, full)
    assert (value, hits) == (50, 0)
    assert note.startswith("note: compiled code cannot be kept (File too large)")
    assert note.count("\n") == 1
    assert not entries(mini)


def test_damaged_entries_are_replaced(mini: Path) -> None:
    run(mini)
    below, top = entries(mini)
    content = bytearray(top.read_bytes())
    content[len(content) // 2] ^= 1
    top.write_bytes(content)
    below.write_bytes(below.read_bytes()[:50])
    assert run(mini) == (50, 0, "")
    assert run(mini) == (50, 1, "")


def test_runs_at_the_same_time_share_the_cache(mini: Path) -> None:
    arguments = ("4", "4.0") * 2
    runs = [
        subprocess.Popen(
            [sys.executable, "-c", RUN.format(argument=argument)],
            env=environment(mini),
            stdout=subprocess.PIPE,
            text=True,
        )
        for argument in arguments
    ]
    for argument, process in zip(arguments, runs, strict=True):
        shown, _ = process.communicate()
        assert shown.startswith("50.0" if "." in argument else "50 ")
    assert len(entries(mini)) == 4
    for argument in ("4", "4.0"):
        assert run(mini, argument=argument) == (50, 1, "")


HOLD = """
import sys, time
from slotwise.core.kernels.cache import Entries
from json import JSONDecoder
kept, key = Entries(JSONDecoder.decode), ("int64", "processor", "bytecode")
with kept.turn(key):
    print("in", flush=True)
    time.sleep(float(sys.argv[1]))
    kept.save(key, "made by another")
"""


@pytest.fixture
def holder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Starts a process that is in its turn for so many seconds, and gives it."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))

    def hold(seconds: float) -> subprocess.Popen[str]:
        command = [sys.executable, "-c", HOLD, str(seconds)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        started.append(process)
        assert process.stdout is not None
        assert process.stdout.readline() == "in\n"
        return process

    started: list[subprocess.Popen[str]] = []
    yield hold
    for process in started:
        process.kill()
        process.communicate()


def test_what_one_process_compiles_others_wait_for(
    holder: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    kept, key = kernel_cache.Entries(JSONDecoder.decode), ("int64", "processor", "bytecode")
    killed = holder(60)
    killed.kill()
    with kept.turn(key):
        assert kept.load(key) is None
    holder(0.3)
    with kept.turn(key):
        assert kept.load(key) == "made by another"
    holder(60)
    with kept.turn(("int64", "another", "bytecode")):
        pass
    monkeypatch.setattr(kernel_cache, "TURN", 0.0)
    monkeypatch.setattr(kernel_cache.Entries, "_waits", True)
    with kept.turn(key):
        assert not kernel_cache.Entries._waits
    assert not list(tmp_path.rglob(f"*{kernel_cache.UNFINISHED}"))


def test_a_kernel_that_cannot_be_compiled_leaves_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    wrong: Any = counted(cast(Any, edit))
    for _ in range(2):
        with pytest.raises(TypingError):
            wrong(1, 2, 3)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_the_digest_covers_every_module_that_decorates_and_what_these_import() -> None:
    root = Path(slotwise.__file__).parent
    files = source_tree.module_files(root).values()
    names = "by_reference|called_by_address|counted|inlined|inner|kernel"
    decorates = re.compile(rf"kernels\.decorators import (\([^)]*|.*)\b({names})\b")
    decorating = {file for file in files if decorates.search(file.read_text())}
    assert len(decorating) > 30
    covered = kernel_cache.sources()
    assert decorating <= covered.keys()
    constants = (
        "solvers/mapreduce/branch_and_bound/integer_times.py",
        "heuristics/datacenter/engine/state.py",
        "instances/mapreduce/security.py",
    )
    assert {root / name for name in (*constants, "core/kernels/decorators.py")} <= covered.keys()
    assert root / "solvers/mapreduce/cp_sat.py" not in covered


def test_a_kernel_that_was_typed_in_is_compiled_and_not_kept() -> None:
    names: dict[str, object] = {}
    exec("def twice(x):\n    return 2 * x", names)
    typed_in: Any = counted(cast(Any, names["twice"]))
    assert typed_in(21) == 42
    assert len(typed_in.signatures) == 1


def test_an_entry_is_read_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    kept = kernel_cache.Entries(edit)
    key, data = ("int64", "processor", "bytecode"), bytes(100)
    assert not kept.exist()
    kept.save(key, data)
    assert kept.exist()
    assert kept.load(key) == data
    assert kept.load(("int64", "another", "bytecode")) is None
    assert kept.load(("int64", "processor", "another")) is None
    assert kernel_cache.Entries(entries).load(key) is None
    (file,) = (file for file in tmp_path.rglob("*") if file.is_file())
    content = file.read_bytes()
    for at in range(len(content)):
        file.write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
        assert kept.load(key) is None
        file.write_bytes(content[:at])
        assert kept.load(key) is None


def test_parts_of_kernels_are_kept_and_are_no_code_of_their_own(mini: Path) -> None:
    (mini / "heuristics" / "top.py").write_text(PARTS)
    assert run(mini)[0] == 10 * (4 // 2 + 1)
    # A new process compiles another kernel from the parts that it finds.
    program = """
from mini.heuristics.top import add, half, other
print(other(4), sum(add.stats.cache_hits.values()) + sum(half.stats.cache_hits.values()))
(compiled,) = add._made().overloads.values()
library = compiled._asdict()["library"]
assert library.get_pointer_to_function(compiled.fndesc.llvm_func_name) == 0
try:
    other(-1)
except ValueError as error:
    assert str(error) == "below zero"
"""
    command = [sys.executable, "-c", program]
    done = subprocess.run(
        command, env=environment(mini), capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == [str(100 * (4 // 2 + 1) + 2), "2"]
    again = "from mini.heuristics.top import other; assert other(4) == 302\n"
    assert run(mini, again)[:2] == (30, 1)
