"""The only decorators of compiled functions; all are cached, most without reference counts.

Arrays in named tuples would be reference-counted atomically at every access, which takes several
times as long as the work. Without reference counts a kernel cannot make arrays; it is given its
scratch. A kernel that only other kernels call gets no entry from Python, which takes a third of the
time of compiling.

A kernel is compiled when it is first called; numba is not even imported before. Within `plain`
kernels run as the Python functions that they are: on small data that takes far less time than
compiling. Both give the same results.

This module is below every layer that has kernels, formulations and heuristics alike.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import update_wrapper
from importlib import import_module
from operator import attrgetter
from typing import Any, TypeVar, cast

import numpy as np

from .cache import Entries

Function = TypeVar("Function", bound=Callable[..., Any])

# Without the last one, what a function calls would become part of it if it is part of its caller.
_UNCOUNTED: Any = {"_nrt": False, "no_cfunc_wrapper": True, "forceinline": False}
_INNER: Any = _UNCOUNTED | {"no_cpython_wrapper": True}

OPTIONS: Any = _INNER | {"forceinline": True}
"""Options of functions that become part of their callers."""


def kernel(function: Function) -> Function:
    """Compile a function that Python calls; it releases the GIL, so threads and Ctrl-C work."""
    return cast(Function, Kernel(function, _UNCOUNTED | {"nogil": True}))


def by_reference(function: Function) -> Function:
    """Compile a function that Python calls; it gets named tuples by reference (`references`)."""
    return cast(Function, ReferenceKernel(function, _UNCOUNTED | {"nogil": True}))


def counted(function: Function) -> Function:
    """Compile a function with reference counts, which may make arrays; for Python and kernels."""
    return cast(Function, Kernel(function, {"nogil": True}))


def inner(function: Function) -> Function:
    """Compile a function that only kernels call; Python gets the plain one."""
    return cast(Function, Kernel(function, _INNER, part=True))


def inlined(function: Function) -> Function:
    """Compile a function that becomes part of the kernels that call it.

    Python gets the plain function.
    """
    return cast(Function, Kernel(function, OPTIONS, part=True))


def called_by_address(function: Callable[..., Any], *, keep: bool) -> Kernel:
    """Compile a function that kernels call by its address.

    `keep`: whether it is kept on disk. What calls functions of other packages is not: what is kept
    is known by the sources of this package only.
    """
    return Kernel(function, _INNER, keep=keep)


class Kernel:
    """A function that is compiled when Python or another kernel first calls it.

    `options`: options of numba.
    `keep`: whether machine code is kept on disk for later runs.
    `part`: whether it only becomes part of other kernels (`parts`).
    """

    def __init__(
        self,
        function: Callable[..., Any],
        options: dict[str, Any],
        *,
        keep: bool = True,
        part: bool = False,
    ) -> None:
        self.py_func = function
        self.options = options
        self._keep, self._part = keep, part
        self._machine: Any = None
        self._called = function if "no_cpython_wrapper" in options else None
        update_wrapper(self, function)

    def __call__(self, *args: Any) -> Any:
        if _mode.plain:
            return self.py_func(*args)
        return (self._called or self._made())(*args)

    def __reduce__(self) -> Any:
        """What stands for it in the key of a kernel that has it in a closure; it cannot be sent."""
        function = self.py_func
        values = [cell.cell_contents for cell in function.__closure__ or ()]
        return tuple, ([function.__module__, function.__qualname__, *values],)

    @property
    def _numba_type_(self) -> Any:
        """The type that numba uses for it where a kernel calls it."""
        return self._made()._numba_type_

    @property
    def signatures(self) -> list[Any]:
        """The types of arguments for which it is compiled."""
        return [] if self._machine is None else self._machine.signatures

    @property
    def stats(self) -> Any:
        """How often it was loaded and compiled, as numba counts."""
        return self._made().stats

    def address(self, *types: Any) -> int:
        """The address of its machine code for arguments of these types, for other kernels."""
        machine = self._made()
        if types not in machine.overloads:
            machine.compile(types)
        code, about = attrgetter("library", "fndesc")(machine.overloads[types])
        return int(code.get_pointer_to_function(about.llvm_func_name))

    def is_kept(self) -> bool:
        """Whether it is compiled, now or by an earlier run."""
        return bool(self.signatures) or Entries(self.py_func).exist()

    def _made(self) -> Any:
        with _lock:
            if self._machine is None:
                load_compiler()
                from .compiler import compiler

                self._machine = compiler(
                    self.py_func, self.options, keep=self._keep, part=self._part
                )
                self._called = self._called or self._machine
        return self._machine


class ReferenceKernel(Kernel):
    """A kernel that gets named tuples by reference."""

    def __call__(self, *args: Any) -> Any:
        if _mode.plain:
            return self.py_func(*args)
        load_compiler()
        from .references import Reference

        return super().__call__(*(Reference(a) if isinstance(a, tuple) else a for a in args))


def is_kept(function: Callable[..., Any]) -> bool:
    """Whether a kernel is compiled, now or by an earlier run."""
    return isinstance(function, Kernel) and function.is_kept()


class _Mode(threading.local):
    plain = False


_mode = _Mode()
_lock = threading.RLock()
_loading = 0.0


def load_compiler() -> None:
    """Import numba, which takes longer than many a search; its time counts as compiling."""
    global _loading
    with _lock:
        began = time.perf_counter()
        import_module(f"{__package__}.compiler")
        _loading += time.perf_counter() - began


@contextmanager
def plain() -> Iterator[None]:
    """Within it, kernels that this thread calls run as Python functions; for small data."""
    before, _mode.plain = _mode.plain, True
    try:
        # Machine code does not warn either.
        with np.errstate(all="ignore"):
            yield
    finally:
        _mode.plain = before


def compiling_seconds() -> float:
    """Wall time (s) that this process has spent so far on getting kernels ready, in all threads.

    This is importing numba, compiling kernels and loading them from the cache. Times at which
    several threads do so, or wait for another that does, count once; present activity but that
    import counts up to now. The time of a call without it is `perf_counter() - began -
    (compiling_seconds() - before)`, with both clocks read before the call. If other threads work
    while one compiles, their time is subtracted as well: get the kernels ready before.
    """
    module = sys.modules.get(f"{__package__}.compiler")
    stopwatch = getattr(module, "ready_or_waiting", None)
    return _loading + (0.0 if stopwatch is None else float(stopwatch.seconds()))
