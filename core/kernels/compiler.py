"""Compile a kernel with numba; imported when the first one has to be compiled."""

from __future__ import annotations

import atexit
from contextlib import ExitStack
from pathlib import Path
from threading import Lock
from time import perf_counter
from types import SimpleNamespace
from typing import Any

from numba import njit
from numba.core import caching, dispatcher, event
from numba.core.compiler_lock import global_compiler_lock
from numba.core.types import unliteral

from ..notices import progress
from .cache import PATIENCE, Entries
from .parts import KernelCompiler, PartCompiler, rebuild

_njit: Any = njit
_one_thread: Any = global_compiler_lock
_caching: Any = caching
_event: Any = event


def compiler(
    function: Any, options: dict[str, Any], *, keep: bool = True, part: bool = False
) -> Any:
    """Make the numba dispatcher of a function: it compiles, or loads, when types are known."""
    made = _njit(pipeline_class=PartCompiler if part else KernelCompiler, **options)(function)
    # With NUMBA_DISABLE_JIT it is the plain function. What was typed in has no file to know it by.
    has_file = Path(function.__code__.co_filename).is_file()
    if keep and has_file and isinstance(made, dispatcher.Dispatcher):
        kernel_cache, compile_now = KernelCache(function), made.compile

        def compile_once(types: Any) -> Any:
            # numba first takes a variable for the number that it begins with.
            general = tuple(map(unliteral, types))
            with _one_thread, ExitStack() as kernel_cache.turn:
                return compile_now(general)

        vars(made).update(_cache=kernel_cache, compile=compile_once)
    return made


class KernelCache(_caching.FunctionCache):  # type: ignore[misc]
    """The entries of one kernel, as numba's dispatcher asks for them."""

    def __init__(self, function: Any) -> None:
        # Not numba's own, which looks for a folder at once and fails where there is none.
        self._name = repr(function)
        self._py_func = function
        self._impl = _Implementation(function)
        self._entries = Entries(function)
        self.turn = ExitStack()
        """Left when the kernel that was not found is compiled and saved."""
        self.enable()

    @property
    def cache_path(self) -> None:
        """None, because there are several folders."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The kernel for some types, None if there is no usable entry."""
        target_context.refresh()
        try:
            key = self._index_key(sig, target_context.codegen())
            data = self._entries.load(key)
            if data is None:
                self.turn.enter_context(self._entries.turn(key))
                data = self._entries.load(key)
            return None if data is None else self._impl.rebuild(target_context, data)
        except Exception:
            # An entry that numba cannot read is as good as none; the next one replaces it.
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep the kernel for some types, if there is a place for it."""
        if self._impl.check_cachable(data):
            key = self._index_key(sig, data.codegen)
            self._entries.save(key, self._impl.reduce(data), _caching.dumps)

    def flush(self) -> None:
        self._entries.clear()


class _Implementation(_caching.CompileResultCacheImpl):  # type: ignore[misc]
    """How numba's results become entries."""

    def __init__(self, function: Any) -> None:
        code = function.__code__
        self._lineno = code.co_firstlineno
        self._locator = SimpleNamespace(_py_file=code.co_filename)

    def rebuild(self, target_context: Any, payload: Any) -> Any:
        return rebuild(target_context, payload)


class Stopwatch(_event.Listener):  # type: ignore[misc]
    """Time during which an activity that numba reports was going on, in any thread."""

    def __init__(self, kind: str) -> None:
        self._lock = Lock()
        self._inside = 0
        self._since = 0.0
        self._before = 0.0
        _event.register(kind, self)

    def on_start(self, event: Any) -> None:
        """The activity begins, perhaps once more."""
        with self._lock:
            if self._inside == 0:
                self._since = perf_counter()
            self._inside += 1

    def on_end(self, event: Any) -> None:
        """The activity ends as often as it began."""
        with self._lock:
            self._inside -= 1
            if self._inside == 0:
                self._before += perf_counter() - self._since

    def seconds(self) -> float:
        """Seconds so far."""
        with self._lock:
            return self._before + (perf_counter() - self._since if self._inside else 0.0)


class _Compilations(Stopwatch):
    """Tells the user that the wait is for the compiler, and at the end how long it took."""

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
            progress("compiling what is used for the first time, which can take a minute")
            atexit.register(lambda: progress(f"compiled for {self.seconds():.1f} s, once"))


ready_or_waiting = Stopwatch("numba:compiler_lock")
"""Time spent on compiling, loading entries, and waiting for another thread that does."""

_Compilations("numba:compile")
