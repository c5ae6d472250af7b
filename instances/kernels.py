"""The only decorators of compiled functions: cached, and most of them without reference counts.

Arrays in named tuples would be counted atomically at every access, which takes several times as
long as the work. Without counts a kernel cannot make arrays; it is given its scratch. What only
other kernels call gets no entry from Python (a call from there crashes), which takes a third of the
time of compiling.

It stands below every layer that has kernels: formulations and heuristics alike.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit

Function = TypeVar("Function", bound=Callable[..., Any])

_njit: Any = njit
_INNER: Any = {"_nrt": False, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}

OPTIONS: Any = _INNER | {"forceinline": True}
"""Of what becomes part of its callers."""


def kernel(function: Function) -> Function:
    """Compile a function of its own that Python calls."""
    return cast(Function, _njit(cache=True, _nrt=False, no_cfunc_wrapper=True)(function))


def released(function: Function) -> Function:
    """The same, leaving other Python threads to run."""
    return cast(
        Function, _njit(cache=True, nogil=True, _nrt=False, no_cfunc_wrapper=True)(function)
    )


def inner(function: Function) -> Function:
    """Compile a function of its own that only kernels call."""
    return cast(Function, _njit(cache=True, **_INNER)(function))


def inlined(function: Function) -> Function:
    """Compile a function that becomes part of the kernels that call it."""
    return cast(Function, _njit(cache=True, **OPTIONS)(function))


def counted(function: Function) -> Function:
    """Compile a function that makes arrays, for Python and other kernels to call."""
    return cast(Function, _njit(cache=True)(function))


def counted_released(function: Function) -> Function:
    """The same, leaving other Python threads to run."""
    return cast(Function, _njit(cache=True, nogil=True)(function))
