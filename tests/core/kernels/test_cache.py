"""Kept machine code is used only with the sources it was made from, and is never in the way."""

from __future__ import annotations

import os
import pickle
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, cast

import pytest
import source_tree

import slotwise
from slotwise.core.kernels import cache
from slotwise.core.kernels.decorators import counted, inner

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
print(top({argument}), sum(top.machine.stats.cache_hits.values()))
"""


@pytest.fixture
def mini(tmp_path: Path) -> Path:
    """A package with the project's decorators, a kernel, its helper and the helper's constant."""
    package = tmp_path / "mini"
    for layer in ("", "core", "heuristics"):
        (package / layer).mkdir()
        (package / layer / "__init__.py").touch()
    ours = shutil.ignore_patterns("__pycache__")
    shutil.copytree(KERNELS, package / "core" / "kernels", ignore=ours)
    shutil.copy(KERNELS.parent / "notices.py", package / "core")
    (package / "heuristics" / "top.py").write_text(TOP)
    (package / "heuristics" / "below.py").write_text(BELOW)
    (package / "heuristics" / "constants.py").write_text("STEP = 1\n")
    return package


def environment(mini: Path, **changes: str) -> dict[str, str]:
    mine = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    home = {"HOME": str(mini / "home"), "XDG_CACHE_HOME": ""}
    return mine | home | {"PYTHONPATH": str(mini.parent), "PYTHONDONTWRITEBYTECODE": "1"} | changes


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
    return sorted(folder.rglob(f"*{cache.SUFFIX}"))


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


OTHER_LLVM = """
from importlib import metadata
version = metadata.version
metadata.version = lambda name: "0.1" if name == "llvmlite" else version(name)
"""


def test_another_setting_or_library_compiles_anew(mini: Path) -> None:
    assert run(mini)[:2] == (50, 0)
    assert run(mini, NUMBA_BOUNDSCHECK="1")[:2] == (50, 0)
    assert run(mini, NUMBA_NUM_THREADS="1")[:2] == (50, 1)
    assert run(mini, NUMBA_BOUNDSCHECK="1")[:2] == (50, 1)
    assert run(mini, OTHER_LLVM)[:2] == (50, 0)


def test_code_is_kept_in_the_first_place_that_is_writable(mini: Path, tmp_path: Path) -> None:
    beside, asked, blocked = mini / "__pycache__", tmp_path / "asked", tmp_path / "a file"
    blocked.touch()
    run(mini, NUMBA_CACHE_DIR=str(asked))
    assert len(entries(asked)) == len(entries(tmp_path)) == 2
    assert run(mini, NUMBA_CACHE_DIR=str(blocked)) == (50, 0, "")
    assert len(entries(beside)) == 2
    assert run(mini, NUMBA_CACHE_DIR=str(tmp_path / "another"))[:2] == (50, 1)
    shutil.rmtree(beside)
    beside.touch()
    run(mini)
    assert len(entries(mini / "home" / ".cache" / "slotwise")) == 2


def test_where_nothing_can_be_kept_a_note_says_so(mini: Path) -> None:
    full = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\n"
    value, hits, note = run(mini, full)
    assert (value, hits) == (50, 0)
    assert note.startswith("note: compiled code cannot be kept (File too large)")
    assert note.count("\n") == 1
    assert [file for file in mini.rglob("kernels-*/*") if file.is_file()] == []
    shutil.rmtree(mini / "__pycache__")
    for place in ("__pycache__", "home"):
        shutil.rmtree(mini / place, ignore_errors=True)
        (mini / place).touch()
    value, hits, note = run(mini)
    assert (value, hits) == (50, 0)
    assert note.startswith("note: compiled code cannot be kept (")


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


def test_parts_of_kernels_are_kept_and_are_no_code_of_their_own(mini: Path) -> None:
    (mini / "heuristics" / "top.py").write_text(PARTS)
    assert run(mini)[0] == 10 * (4 // 2 + 1)
    # A new process compiles another kernel from the parts that it finds.
    program = """
from mini.heuristics.top import add, half, other
print(other(4), *(sum(part.machine.stats.cache_hits.values()) for part in (add, half)))
(compiled,) = add.machine.overloads.values()
assert compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name) == 0
try:
    other(-1)
except ValueError as error:
    assert str(error) == "below zero"
"""
    command = [sys.executable, "-c", program]
    done = subprocess.run(
        command, env=environment(mini), capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == [str(100 * (4 // 2 + 1) + 2), "1", "1"]
    again = "from mini.heuristics.top import other; assert other(4) == 302\n"
    assert run(mini, again)[:2] == (30, 1)


def test_the_digest_covers_every_module_that_decorates_and_what_these_import() -> None:
    root = Path(slotwise.__file__).resolve().parent
    names = "by_reference|counted|inlined|inner|kernel"
    decorates = re.compile(rf"kernels\.decorators import .*\b({names})\b")
    decorating = {
        str(root / file.relative_to(source_tree.ROOT))
        for file in source_tree.module_files().values()
        if decorates.search(file.read_text())
    }
    assert len(decorating) > 30
    assert decorating <= cache.sources().keys()
    for name in (
        "solvers/mapreduce/branch_and_bound/integer_times.py",
        "heuristics/datacenter/engine/state.py",
        "instances/mapreduce/security.py",
        *(f"core/kernels/{module}.py" for module in ("cache", "compiler", "references")),
    ):
        assert str(root / name) in cache.sources()
    assert str(root / "solvers/mapreduce/cp_sat.py") not in cache.sources()


def test_what_no_source_of_ours_holds_is_compiled_and_not_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kept: list[Any] = []
    monkeypatch.setattr(cache, "save", lambda *entry: kept.append(entry))
    names: dict[str, object] = {}
    exec("def twice(x):\n    return 2 * x", names)
    twice: Any = counted(cast(Any, names["twice"]))
    assert twice(21) == 42

    @inner
    def half(x: int) -> int:
        return x // 2

    @counted
    def around(x: int) -> int:
        return half(x)

    # As if it stood in a source of ours: what it calls does not.
    code = around.py_func.__code__  # type: ignore[attr-defined]
    ours = code.replace(co_filename=str(KERNELS / "decorators.py"))
    around.py_func.__code__ = ours  # type: ignore[attr-defined]
    assert around(9) == 4
    assert kept == []


def test_an_entry_is_read_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    key, data = ("int64", "processor", "bytecode"), bytes(100)
    assert not cache.is_kept(edit)
    cache.save(edit, key, pickle.dumps((key, data)))
    assert cache.is_kept(edit)
    assert cache.load(edit, key) == data
    assert cache.load(edit, ("int64", "another", "bytecode")) is None
    assert cache.load(entries, key) is None
    (file,) = entries(tmp_path)
    content = file.read_bytes()
    cache.save(edit, key, pickle.dumps((["as it is written"], data)))
    assert cache.load(edit, key) is None, "another key that has the same name"
    for at in range(len(content)):
        file.write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
        assert cache.load(edit, key) is None
        file.write_bytes(content[:at])
        assert cache.load(edit, key) is None
