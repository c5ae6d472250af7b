"""Kernels that only become part of other kernels: they are never made executable by themselves.

numba optimises every function with all that it calls, turns it into machine code, and does all of
it again in each caller. For a function that Python does not call the callers' turn is enough.
"""

from __future__ import annotations

from typing import Any

from llvmlite import binding
from numba.core import codegen, compiler

PART = "part"
"""Kind of an entry in the cache that holds bitcode alone."""

_Library: Any = codegen.JITCodeLibrary
_Compiler: Any = compiler.Compiler
_Result: Any = compiler.CompileResult


class Part(_Library):  # type: ignore[misc]
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


class PartCompiler(_Compiler):  # type: ignore[misc]
    """numba's compiler, but for the library that it fills."""

    def define_pipelines(self) -> Any:
        """The usual passes."""
        state = self.state
        state["library"] = Part(state.targetctx.codegen(), state.func_id.func_qualname)
        return super().define_pipelines()


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
