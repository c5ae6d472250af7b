"""The only decorators of compiled functions: cached, and most of them without reference counts.

Arrays in named tuples would be counted atomically at every access, which takes several times as
long as the work. Without counts a kernel cannot make arrays; it is given its scratch. What only
other kernels call gets no entry from Python (a call from there crashes), which takes a third of the
time of compiling.

It stands below every layer that has kernels: formulations and heuristics alike.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from time import perf_counter
from typing import Any, TypeVar, cast

from numba import njit
from numba.core import event as events
from numba.core.dispatcher import Dispatcher

from .kernel_cache import KernelCache

Function = TypeVar("Function", bound=Callable[..., Any])

_njit: Any = njit
_dispatcher: Any = Dispatcher
_register: Any = events.register
_INNER: Any = {"_nrt": False, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}

OPTIONS: Any = _INNER | {"forceinline": True}
"""Of what becomes part of its callers."""


def kernel(function: Function) -> Function:
    """Compile a function of its own that Python calls."""
    return _compiled(function, _nrt=False, no_cfunc_wrapper=True)


def released(function: Function) -> Function:
    """The same, leaving other Python threads to run."""
    return _compiled(function, nogil=True, _nrt=False, no_cfunc_wrapper=True)


def inner(function: Function) -> Function:
    """Compile a function of its own that only kernels call."""
    return _compiled(function, **_INNER)


def inlined(function: Function) -> Function:
    """Compile a function that becomes part of the kernels that call it."""
    return _compiled(function, **OPTIONS)


def counted(function: Function) -> Function:
    """Compile a function that makes arrays, for Python and other kernels to call."""
    return _compiled(function)


def counted_released(function: Function) -> Function:
    """The same, leaving other Python threads to run."""
    return _compiled(function, nogil=True)


def _compiled(function: Function, **options: Any) -> Function:
    made: Any = _njit(**options)(function)
    # With NUMBA_DISABLE_JIT it is the plain function.
    if isinstance(made, _dispatcher):
        made._cache = KernelCache(function)
    return cast(Function, made)


def compiling_seconds() -> float:
    """Wall time (s) that this process has spent so far on getting kernels ready, in all threads.

    That is compiling them and reading them from the cache. Times at which several threads do so, or
    wait for another that does, count once, and what is under way counts up to now. What a call took
    without it is `perf_counter() - began - (compiling_seconds() - before)`, with both clocks read
    before the call. Where other threads work while one compiles, their time is taken off as well:
    get the kernels ready before.
    """
    return _stopwatch.seconds()


class _Stopwatch(events.Listener):
    """How long numba's compiler lock was held or waited for; everything above happens under it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._inside = 0
        self._since = 0.0
        self._before = 0.0

    def on_start(self, event: Any) -> None:
        """Somebody takes the lock, or again."""
        with self._lock:
            if self._inside == 0:
                self._since = perf_counter()
            self._inside += 1

    def on_end(self, event: Any) -> None:
        """Somebody lets go of it."""
        with self._lock:
            self._inside -= 1
            if self._inside == 0:
                self._before += perf_counter() - self._since

    def seconds(self) -> float:
        """So far."""
        with self._lock:
            return self._before + (perf_counter() - self._since if self._inside else 0.0)


_stopwatch = _Stopwatch()
_register("numba:compiler_lock", _stopwatch)
