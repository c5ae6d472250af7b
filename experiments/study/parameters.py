"""What generators and methods take by name: defaults that count as given, and values that fit."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, replace
from typing import Any

from pydantic import PydanticSchemaGenerationError, PydanticUserError, TypeAdapter, ValidationError

from ...core.advice import did_you_mean
from ...core.errors import InputError
from ...core.parameters import Description, Parameter, parameters_of
from ...core.registry import Registry
from ...heuristics.datacenter import POLICIES
from ...heuristics.hierarchy import ALLOCATORS
from ...heuristics.mapreduce import HEURISTICS
from ...instances.generators import GENERATORS
from .identity import canonical
from .workload import WORKLOADS, PolicyParameters

REGISTRIES: dict[str, Registry] = {
    "heuristic": HEURISTICS,
    "policy": POLICIES,
    "allocator": ALLOCATORS,
}
"""The methods that have names, by kind."""

Names = str | Sequence[str] | None

MOST = 12
"""Most names that a message lists."""


def or_one_of(name: str, names: Iterable[str], few: int = MOST) -> str:
    """`: did you mean 'EFSS'?` in place of an unknown name, or `: choose from …` if no name is
    similar and there are few; may be empty."""
    names = list(names)
    guess = did_you_mean(name, names).removeprefix("did you mean ").removesuffix("? ")
    if guess:
        return f": did you mean {guess!r}?"
    return f": choose from {', '.join(names)}" if 0 < len(names) <= few else ""


@dataclass(frozen=True)
class Takes:
    """What something takes by name."""

    known: Mapping[str, Parameter]
    """The parameters."""
    any_other: bool = False
    """Whether it takes others, too."""

    @property
    def defaults(self) -> dict[str, Any]:
        """The defaults that JSON can hold."""
        return {
            name: parameter.default
            for name, parameter in self.known.items()
            if not parameter.required and _is_plain(parameter.default)
        }

    @property
    def required(self) -> list[str]:
        """The parameters that have no default."""
        return [name for name, parameter in self.known.items() if parameter.required]

    def filled(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Values with all defaults filled in, which come first, in their order."""
        return {**self.defaults, **given}

    def check_known(self, names: Iterable[str], what: str = "parameter") -> None:
        """Raise `InputError` if a name is not known."""
        for name in names:
            if name not in self.known and not self.any_other:
                raise InputError(f"unknown {what} {name!r}{or_one_of(name, self.known)}")

    def fitting(self, name: str, value: Any) -> Any:
        """A value as the parameter's type has it: 2.0 is an integer, a list may be a tuple.

        Raises `InputError` if it does not fit.
        """
        whole = _whole(name, value)
        parameter = self.known.get(name)
        if parameter is None or parameter.type in (Any, MISSING):
            return value
        try:
            kind: TypeAdapter[Any] = TypeAdapter(parameter.type)
        except (PydanticSchemaGenerationError, PydanticUserError, NameError):
            return value
        try:
            return kind.validate_python(whole, strict=True)
        except ValidationError as failure:
            said = dict.fromkeys(_need(error["msg"]) for error in failure.errors())
            raise InputError(f"{name}: need {' or '.join(said)}, got {value!r}") from None


def of_generator(name: str) -> Takes:
    return _takes(parameters_of(GENERATORS.lookup(name).load()))


def of_method(kind: str, name: str) -> Takes:
    """What a method with a name takes, or `solve`."""
    if kind == "solve":
        from ...solvers.mapreduce.params import SolveParams

        of_names = ("methods", "heuristics", "bounds")
        return _takes(
            replace(each, type=Names if each.name in of_names else each.type, positional=False)
            for each in parameters_of(SolveParams)
            if each.name not in ("on_progress", "time_limit", "threads")
        )
    entry = REGISTRIES[kind].lookup(name)
    return POLICY if kind == "policy" else of_function(entry.load())


def of_function(function: Callable[..., Any]) -> Takes:
    """What a function of one thing takes beside it.

    Returns its parameters; those without an annotation that can be understood take any value.
    """
    try:
        annotated = getattr(function, "__annotations__", {})
        return _takes(
            argument if argument.name in annotated else replace(argument, type=Any)
            for argument in parameters_of(function)[1:]
        )
    except (InputError, NameError, TypeError, AttributeError, SyntaxError):
        pass
    given = list(inspect.signature(function).parameters.values())
    named = [each for each in given if each.kind not in (each.VAR_KEYWORD, each.VAR_POSITIONAL)]
    found = {
        each.name: Parameter(
            each.name,
            Any,
            MISSING if each.default is each.empty else each.default,
            Description(),
            positional=False,
        )
        for each in named[1:]
    }
    return Takes(found, any(each.kind is each.VAR_KEYWORD for each in given))


def _takes(parameters: Iterable[Parameter]) -> Takes:
    return Takes({parameter.name: parameter for parameter in parameters})


POLICY = _takes(parameters_of(PolicyParameters))
"""What every policy takes."""


def of_workload(family: str) -> Takes:
    """What is asked of a datacenter or a hierarchy beside the thing itself; of others nothing."""
    return _takes(parameters_of(WORKLOADS[family]) if family in WORKLOADS else ())


def _is_plain(value: Any) -> bool:
    try:
        canonical(value)
    except (TypeError, ValueError):
        return False
    return True


def _whole(name: str, value: Any) -> Any:
    """A value with tuples for lists and integers for numbers without a fraction."""
    if isinstance(value, list | tuple):
        return tuple(_whole(name, item) for item in value)
    if isinstance(value, dict):
        return {key: _whole(name, item) for key, item in value.items()}
    if isinstance(value, float):
        if not math.isfinite(value):
            raise InputError(f"{name}: need a finite number, got {value}")
        return int(value) if value.is_integer() else value
    if not isinstance(value, str | int | None):
        raise InputError(f"{name}: need a number, a text, true, false or a list, got {value}")
    return value


def _need(message: str) -> str:
    for said, ours in _WORDS:
        message = re.sub(said, ours, message)
    return message


_WORDS = (
    (r"Input should be (a valid )?", ""),
    (
        r"^Tuple should have at (most|least) (\d+) items?.*|^Field required$",
        "a list of another length",
    ),
    (r"^an? instance of Sequence|^tuple", "a list"),
    (r"^integer", "an integer"),
    (r"^number", "a number"),
    (r"^string", "a text"),
    (r"^boolean", "true or false"),
    (r", got a number with a fractional part", ""),
)
"""Pydantic's words, which are for programmers."""
