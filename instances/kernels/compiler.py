"""Compile a kernel with numba: imported when the first one has to be compiled."""

from __future__ import annotations

import atexit
from threading import Lock
from time import perf_counter
from types import SimpleNamespace
from typing import Any

from numba import njit
from numba.core import caching, dispatcher, event

from ..notices import progress
from .cache import Entries

PATIENCE = 0.7
"""Seconds of compiling after which a person is told what the wait is for."""

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


class Stopwatch(_event.Listener):  # type: ignore[misc]
    """How long something that numba tells of was going on, in any thread."""

    def __init__(self, kind: str) -> None:
        self._lock = Lock()
        self._inside = 0
        self._since = 0.0
        self._before = 0.0
        _event.register(kind, self)

    def on_start(self, event: Any) -> None:
        """It begins, or begins once more."""
        with self._lock:
            if self._inside == 0:
                self._since = perf_counter()
            self._inside += 1

    def on_end(self, event: Any) -> None:
        """As often as it began."""
        with self._lock:
            self._inside -= 1
            if self._inside == 0:
                self._before += perf_counter() - self._since

    def seconds(self) -> float:
        """So far."""
        with self._lock:
            return self._before + (perf_counter() - self._since if self._inside else 0.0)


class _Compilations(Stopwatch):
    """Says that the wait is for the compiler, and at the end how long it took."""

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self._said = False

    def on_start(self, event: Any) -> None:
        super().on_start(event)
        self._say()

    def on_end(self, event: Any) -> None:
        super().on_end(event)
        self._say()

    def _say(self) -> None:
        if not self._said and self.seconds() > PATIENCE:
            self._said = True
            progress("compiling what is used for the first time, which can take half a minute")
            atexit.register(lambda: progress(f"compiled for {self.seconds():.1f} s, once"))


ready_or_waiting = Stopwatch("numba:compiler_lock")
"""Compiling, loading what is kept, and waiting for another thread that does."""

_Compilations("numba:compile")
