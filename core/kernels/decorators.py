"""The only decorators of compiled functions; all are kept on disk, most have no reference counts.

Counting references to arrays in named tuples takes several times as long as the work. Without it
a kernel cannot make arrays; it is given its scratch. A kernel that only other kernels call gets no
entry from Python, which takes a third of the time of compiling. A kernel is compiled when it is
first called; numba is not even imported before.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import update_wrapper
from typing import Any, TypeVar, cast

import numpy as np

from . import cache

Function = TypeVar("Function", bound=Callable[..., Any])

# Without the last one, what a function calls would become part of it if it is part of its caller.
_UNCOUNTED: Any = {"_nrt": False, "no_cfunc_wrapper": True, "forceinline": False}
_INNER: Any = _UNCOUNTED | {"no_cpython_wrapper": True}


def kernel(function: Function) -> Function:
    """Compile a function that Python calls; it releases the GIL, so threads and Ctrl-C work."""
    return cast(Function, Kernel(function, _UNCOUNTED | {"nogil": True}))


def by_reference(function: Function) -> Function:
    """Compile a function that Python calls; it gets named tuples by reference (`references`)."""
    return cast(Function, Kernel(function, _UNCOUNTED | {"nogil": True}, refers=True))


def counted(function: Function) -> Function:
    """Compile a function with reference counts, which may make arrays; for Python and kernels."""
    return cast(Function, Kernel(function, {"nogil": True}))


def inner(function: Function) -> Function:
    """Compile a function that only kernels call; Python gets the plain one."""
    return cast(Function, Kernel(function, _INNER, part=True))


def inlined(function: Function) -> Function:
    """Like `inner`, and it becomes part of the kernels that call it."""
    return cast(Function, Kernel(function, _INNER | {"forceinline": True}, part=True))


class Kernel:
    """A function that is compiled when Python or another kernel first calls it.

    `options`: options of numba.
    `part`: whether it only becomes part of other kernels.
    `refers`: whether Python gives it named tuples by reference.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        options: dict[str, Any],
        *,
        part: bool = False,
        refers: bool = False,
    ) -> None:
        self.py_func, self.options = function, options
        self._part, self._refers = part, refers
        self._machine: Any = None
        self._called = function if "no_cpython_wrapper" in options else None
        update_wrapper(self, function)

    def __call__(self, *args: Any) -> Any:
        if _mode.plain:
            return self.py_func(*args)
        if self._refers:
            refer = load_compiler().Reference
            args = tuple(refer(arg) if isinstance(arg, tuple) else arg for arg in args)
        return (self._called or self.machine)(*args)

    def __reduce__(self) -> Any:
        """What stands for it in the key of a kernel that has it in a closure; it cannot be sent."""
        function = self.py_func
        values = [cell.cell_contents for cell in function.__closure__ or ()]
        return tuple, ([function.__module__, function.__qualname__, *values],)

    @property
    def _numba_type_(self) -> Any:
        """The type that numba uses for it where a kernel calls it."""
        return self.machine._numba_type_

    @property
    def machine(self) -> Any:
        """The dispatcher of numba that compiles it."""
        with _lock:
            if self._machine is None:
                compiler = load_compiler()
                self._machine = compiler.dispatcher(self.py_func, self.options, self._part)
                self._called = self._called or self._machine
        return self._machine


def is_kept(function: Callable[..., Any]) -> bool:
    """Whether a kernel is compiled, now or by an earlier run."""
    if not isinstance(function, Kernel):
        return False
    return bool(function._machine and function.machine.signatures) or cache.is_kept(function)


class _Mode(threading.local):
    plain = False


_mode = _Mode()
_lock = threading.RLock()
_compiler: Any = None
_loading = 0.0


def load_compiler() -> Any:
    """The module `compiler`; to import numba takes longer than many a search, and is timed."""
    global _compiler, _loading
    with _lock:
        if _compiler is None:
            began = time.perf_counter()
            from . import compiler

            _loading = time.perf_counter() - began
            _compiler = compiler
    return _compiler


@contextmanager
def plain() -> Iterator[None]:
    """Within it, kernels that this thread calls run as Python functions, with the same results."""
    before, _mode.plain = _mode.plain, True
    try:
        # Machine code does not warn either.
        with np.errstate(all="ignore"):
            yield
    finally:
        _mode.plain = before


def compiling_seconds() -> float:
    """Wall time (s) that this process has spent so far on getting kernels ready, in all threads.

    Times at which several threads do so, or wait for another that does, count once.
    """
    return _loading + (0.0 if _compiler is None else float(_compiler.ready_or_waiting.seconds()))
