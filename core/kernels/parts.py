"""How kernels become machine code, where numba would take longer than it has to.

numba optimises every function with all that it calls, turns it into machine code, and does all of
it again in each caller. For a function that Python does not call, a part, the callers' turn is
enough. LLVM would unroll and vectorise loops, too; where data come by reference they go over a few
resources, and that is not worth its time.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from llvmlite import binding
from numba.core import codegen, compiler

from .references import WORD, ReferenceType

PART = "part"
"""Kind of an entry in the cache that holds bitcode alone."""

_Library: Any = codegen.JITCodeLibrary
_Compiler: Any = compiler.Compiler
_Result: Any = compiler.CompileResult


class _Code(_Library):  # type: ignore[misc]
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


class Part(_Code):
    """The code of a function, to be linked into its callers."""

    @property
    def codegen(self) -> Any:
        """What sets addresses of environments; here there is nothing that could run."""
        return _NOWHERE

    def get_pointer_to_function(self, name: str) -> int:
        """The null pointer: Python has no entry."""
        self._ensure_finalized()
        return 0

    def serialize_using_object_code(self) -> tuple[str, str, bytes]:
        """Name, kind and bitcode."""
        return self.name, PART, self._get_module_for_linking().as_bitcode()

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True


class Executable(_Code):
    """The code of a function that gets its data by reference."""

    def _optimize_final_module(self) -> None:
        for settings in ({"opt": 0, "cost": "cheap"}, {"opt": 2}):
            passes, builder = self._codegen._module_pass_manager(
                loop_vectorize=False, slp_vectorize=False, **settings
            )
            passes.run(self._final_module, builder)


class KernelCompiler(_Compiler):  # type: ignore[misc]
    """numba's compiler, but for the library that it fills."""

    parts = False

    def define_pipelines(self) -> Any:
        """The usual passes."""
        state = self.state
        place = state.targetctx.codegen(), state.func_id.func_qualname
        words = {
            f"arg.{name}": kind.words
            for name, kind in zip(state.func_id.arg_names, state.args, strict=True)
            if isinstance(kind, ReferenceType)
        }
        if self.parts or words:
            code = Part(*place) if self.parts else Executable(*place)
            code.words = words
            if not self.parts:
                code.enable_object_caching()
            state["library"] = code
        return super().define_pipelines()


class PartCompiler(KernelCompiler):
    """The compiler of parts."""

    parts = True


def rebuild(context: Any, payload: Any) -> Any:
    """Make the result of a compilation from an entry of the cache."""
    (name, kind, data), *rest = payload
    if kind != PART:
        return _Result._rebuild(context, *payload)
    library = Part(context.codegen(), name)
    library._final_module = binding.parse_bitcode(data)
    library._finalize_final_module()
    fndesc, environment, signature, objectmode, lifted, annotation, reload_init, others = rest
    for function in reload_init:
        function()
    return _Result(
        target_context=context,
        typing_context=context.typing_context,
        library=library,
        environment=environment,
        entry_point=context.get_executable(library, fndesc, environment),
        fndesc=fndesc,
        type_annotation=annotation,
        signature=signature,
        objectmode=objectmode,
        lifted=lifted,
        typing_error=None,
        call_helper=None,
        metadata=None,
        reload_init=reload_init,
        referenced_envs=others,
    )


class _Nowhere:
    def set_env(self, name: str, environment: Any) -> None:
        pass


_NOWHERE = _Nowhere()
