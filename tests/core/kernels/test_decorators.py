"""Kernels are decorated in one module, which alone says how they are compiled and kept."""

from __future__ import annotations

import ast
from threading import Thread
from time import perf_counter

import numpy as np
import source_tree

from slotwise.core.kernels import decorators as kernels

DECORATORS = {"cfunc", "generated_jit", "guvectorize", "jit", "jitclass", "njit", "vectorize"}


def decorators_of_numba(source: str) -> set[str]:
    """The decorators of numba that a module can name: imported, or by way of `numba` itself."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names if name.name.split(".")[0] == "numba"}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "numba":
            found |= {name.name for name in node.names} & (DECORATORS | {"*"})
    return found


def test_what_names_a_decorator_of_numba() -> None:
    assert decorators_of_numba("from numba import njit as n, prange") == {"njit"}
    assert decorators_of_numba("import numba as nb") == {"numba"}
    assert decorators_of_numba("from numba.core.decorators import *") == {"*"}
    assert decorators_of_numba("from numba.extending import overload") == set()


def test_no_module_but_one_decorates() -> None:
    modules = source_tree.module_files().values()
    assert len(modules) > 100
    decorating = [
        str(file.relative_to(source_tree.ROOT))
        for file in modules
        if decorators_of_numba(file.read_text())
    ]
    assert decorating == ["core/kernels/compiler.py"]


def test_compiling_is_timed_apart() -> None:
    def twice(x: float) -> float:
        return 2 * x

    compiled = kernels.counted(twice)
    before, began = kernels.compiling_seconds(), perf_counter()
    assert compiled(3.0) == 6.0
    spent, whole = kernels.compiling_seconds() - before, perf_counter() - began
    assert 0 < spent <= whole
    after = kernels.compiling_seconds()
    assert compiled(4.0) == 8.0
    assert kernels.compiling_seconds() == after


def test_what_threads_compile_at_the_same_time_counts_once() -> None:
    def half(x: float) -> float:
        return x / 2

    def third(x: float) -> float:
        return x / 3

    threads = [Thread(target=kernels.counted(f), args=(3.0,)) for f in (half, third)]
    before, began = kernels.compiling_seconds(), perf_counter()
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        assert kernels.compiling_seconds() - before <= perf_counter() - began
    assert kernels.compiling_seconds() > before


def test_plain_kernels_need_no_compiler() -> None:
    @kernels.inner
    def half(x: int) -> int:
        return x // 2

    @kernels.counted
    def zeros(x: int) -> int:
        return len(np.zeros(half(x)))

    before = kernels.compiling_seconds()
    with kernels.plain():
        assert zeros(7) == 3
    assert half(9) == 4
    assert zeros._machine is None
    assert kernels.compiling_seconds() == before
    assert zeros(7) == 3
    assert len(zeros.machine.signatures) == 1
