"""Compile a kernel with numba: imported when the first one has to be compiled."""

from __future__ import annotations

from threading import Lock
from time import perf_counter
from types import SimpleNamespace
from typing import Any

from numba import njit
from numba.core import caching, dispatcher, event

from .kernel_cache import Entries

_njit: Any = njit
_caching: Any = caching
_event: Any = event


def compiler(function: Any, options: dict[str, Any]) -> Any:
    """What numba makes of the function: it compiles, or loads, when types are known."""
    made = _njit(**options)(function)
    # With NUMBA_DISABLE_JIT it is the plain function.
    if isinstance(made, dispatcher.Dispatcher):
        vars(made)["_cache"] = KernelCache(function)
    return made


class KernelCache(_caching.FunctionCache):  # type: ignore[misc]
    """What is kept of one kernel, as numba's dispatcher asks for it."""

    def __init__(self, function: Any) -> None:
        # Not numba's own, which looks for a folder at once and fails where there is none.
        self._name = repr(function)
        self._py_func = function
        self._impl = _Implementation(function)
        self._entries = Entries(function)
        self.enable()

    @property
    def cache_path(self) -> None:
        """There are several."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The kernel for these types, None if there is no entry that can be used."""
        target_context.refresh()
        try:
            data = self._entries.load(self._index_key(sig, target_context.codegen()))
            return None if data is None else self._impl.rebuild(target_context, data)
        except Exception:
            # An entry that numba cannot read is as good as none; the next one replaces it.
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep the kernel for these types, if there is room."""
        if self._impl.check_cachable(data):
            key = self._index_key(sig, data.codegen)
            self._entries.save(key, self._impl.reduce(data), _caching.dumps)

    def flush(self) -> None:
        """Forget all entries."""
        self._entries.clear()


class _Implementation(_caching.CompileResultCacheImpl):  # type: ignore[misc]
    """How numba's results become entries."""

    def __init__(self, function: Any) -> None:
        code = function.__code__
        self._lineno = code.co_firstlineno
        self._locator = SimpleNamespace(_py_file=code.co_filename)


class _Stopwatch(_event.Listener):  # type: ignore[misc]
    """How long numba's compiler lock was held or waited for: all compiling happens under it."""

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


stopwatch = _Stopwatch()
_event.register("numba:compiler_lock", stopwatch)
