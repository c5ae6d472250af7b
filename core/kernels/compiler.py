"""Compile a kernel with numba; imported when the first one has to be compiled.

numba optimises every function with all that it calls, and does so again in each caller. For a
function that Python does not call, a part, the callers' turn is enough. Where data come by
reference, loops go over a few resources, and LLVM need not vectorise them. As numba does it,
simulations take three times as long.
"""

# mypy: disable-error-code="attr-defined, misc, no-untyped-call, override, untyped-decorator"
# numba says the types of few of its functions.

from __future__ import annotations

import atexit
from collections.abc import Callable, Mapping
from contextlib import suppress
from hashlib import sha256
from time import perf_counter
from types import SimpleNamespace
from typing import Any

from numba import config, njit
from numba.core import caching, codegen, compiler, event
from numba.core.dispatcher import Dispatcher
from numba.core.types import unliteral

from ..notices import progress
from . import cache
from .references import WORD, Reference, ReferenceType

PATIENCE = 0.7
"""Seconds of compiling after which the user is told about it."""

__all__ = ["Reference", "dispatcher", "ready_or_waiting"]


def dispatcher(function: Callable[..., Any], options: dict[str, Any], part: bool) -> Any:
    """What compiles a function, or loads it, when it is called with types that are new to it."""
    made = njit(pipeline_class=_PartCompiler if part else _Compiler, **options)(function)
    if isinstance(made, Dispatcher):  # with NUMBA_DISABLE_JIT it is the function
        compile_now: Any = made.compile

        def compile_for(types: Any) -> Any:
            # numba first takes a variable for the number that it begins with.
            return compile_now(tuple(map(unliteral, types)))

        vars(made)["compile"] = compile_for
        if cache.is_covered(function):
            vars(made)["_cache"] = _Cache(function)
    return made


class _Cache(caching.FunctionCache):
    """The kept machine code of one kernel, as numba's dispatcher asks for it."""

    cache_path = None

    def __init__(self, function: Callable[..., Any]) -> None:
        # Not numba's own, which looks for a folder at once and fails where there is none.
        self._py_func = function

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        target_context.refresh()
        processor = target_context.codegen()
        with suppress(Exception):  # what numba cannot read is as good as nothing
            data = cache.load(self._py_func, self._key(sig, processor))
            if data is not None:
                (_, kind, _), *_ = data
                processor._library_class = _Part if kind == "bitcode" else codegen.JITCodeLibrary
                try:
                    return compiler.CompileResult._rebuild(target_context, *data)
                finally:
                    del processor._library_class
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        if not data.library.has_dynamic_globals:
            key = self._key(sig, data.codegen)
            cache.save(self._py_func, key, caching.dumps((key, data._reduce())))

    def _key(self, sig: Any, processor: Any) -> Any:
        """Types, processor, the function's closure, and settings of numba."""
        settings = {
            name: repr(value)
            for name, value in vars(config).items()
            if name.isupper() and "CACHE" not in name and "THREAD" not in name
        }
        digest = sha256(repr(sorted(settings.items())).encode()).hexdigest()
        return *self._index_key(sig, processor), digest


class _Code(codegen.JITCodeLibrary):
    """The code of a function that may get data by reference."""

    words: Mapping[str, int] = {}
    """Words of what it gets by reference, by argument."""

    def add_ir_module(self, ir_module: Any) -> None:
        """Take in the function's code; LLVM is told that these words can be read at any time."""
        for function in ir_module.functions:
            for argument in function.args if function.blocks else ():
                if argument.name in self.words:
                    argument.attributes.dereferenceable = WORD * self.words[argument.name]
                    argument.attributes.align = WORD
        super().add_ir_module(ir_module)


class _Part(_Code):
    """The code of a function, to be linked into its callers: bitcode that nothing runs."""

    codegen = SimpleNamespace(set_env=lambda *_: None)
    serialize_using_object_code = _Code.serialize_using_bitcode

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


class _Executable(_Code):
    """The code of a function that gets its data by reference."""

    def _optimize_final_module(self) -> None:
        for settings in ({"opt": 0, "cost": "cheap"}, {"opt": 2}):
            passes, builder = self._codegen._module_pass_manager(
                loop_vectorize=False, slp_vectorize=False, **settings
            )
            passes.run(self._final_module, builder)


class _Compiler(compiler.Compiler):
    """numba's compiler, but for the library that it fills."""

    part = False

    def define_pipelines(self) -> Any:
        state = self.state
        place = state.targetctx.codegen(), state.func_id.func_qualname
        words = {
            f"arg.{name}": kind.words
            for name, kind in zip(state.func_id.arg_names, state.args, strict=True)
            if isinstance(kind, ReferenceType)
        }
        if self.part or words:
            state["library"] = library = (_Part if self.part else _Executable)(*place)
            library.words = words
            if not self.part:
                library.enable_object_caching()
        return super().define_pipelines()


class _PartCompiler(_Compiler):
    part = True


class _Stopwatch(event.TimingListener):
    """Time during which an activity that numba reports was going on, in any thread.

    `told`: false if the user is to be told that the wait is for it.
    """

    def __init__(self, kind: str, told: bool = True) -> None:
        super().__init__()
        self._told = told
        event.register(kind, self)

    def seconds(self) -> float:
        """Seconds so far, with those of what is going on."""
        ended = float(self.duration) if self.done else 0.0
        return ended + (perf_counter() - self._ts if self._depth else 0.0)

    def on_start(self, event: Any) -> None:
        super().on_start(event)
        self._tell()

    def on_end(self, event: Any) -> None:
        super().on_end(event)
        self._tell()

    def _tell(self) -> None:
        if not self._told and self.seconds() > PATIENCE:
            self._told = True
            progress("compiling what is used for the first time, which can take a minute")
            atexit.register(lambda: progress(f"compiled for {self.seconds():.1f} s, once"))


ready_or_waiting = _Stopwatch("numba:compiler_lock")
"""Time spent on compiling, loading, and waiting for another thread that does."""

_Stopwatch("numba:compile", told=False)
