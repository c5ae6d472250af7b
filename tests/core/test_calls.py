"""One check of arguments and of fields of parameters: numpy's numbers are numbers everywhere."""

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache, partial
from types import UnionType
from typing import Any, Union, get_args, get_origin
from unittest.mock import Mock

import numpy as np
import pytest

import slotwise
from slotwise.core.calls import check_call, check_fields
from slotwise.core.errors import CallError
from slotwise.core.parameters import kind_and_meaning, parameters_of, signature_of
from slotwise.reports.catalogue import KINDS as REGISTRIES

NUMPY = {
    int: (np.int8(1), np.uint16(1), np.int64(1)),
    float: (np.float16(1), np.float32(1), np.float64(1), np.longlong(1)),
    bool: (np.True_,),
}


def kinds_of(annotation: Any) -> set[Any]:
    kind, _ = kind_and_meaning(annotation)
    return set(get_args(kind)) if get_origin(kind) in (Union, UnionType) else {kind}


def numeric(function: Callable[..., Any]) -> list[tuple[str, type]]:
    """Names of what a function takes that may be a number or a truth value, and its type."""
    return [
        (one.name, kind)
        for one in signature_of(function).parameters.values()
        for kind in (float, int, bool)
        if kind in kinds_of(one.annotation) and one.kind is not one.VAR_POSITIONAL
    ]


@cache
def verbs() -> dict[str, Callable[..., Any]]:
    """The public functions and classes' makers, and all that our registries list."""
    found = {name: getattr(slotwise, name) for name in slotwise.__all__}
    found = {name: one for name, one in found.items() if inspect.isfunction(one)}
    for kind in REGISTRIES:
        if kind != "policies":
            for entry in slotwise.registry(kind).own:
                found[f"{kind} {entry.name}"] = entry.load()
    for owner in (slotwise.Instance, slotwise.Cluster, slotwise.Hierarchy, slotwise.Datacenter):
        for name, one in inspect.getmembers(owner, inspect.ismethod):
            found[f"{owner.__name__}.{name}"] = one
    return found


def needed(function: Callable[..., Any]) -> dict[str, Any]:
    """Something of the right kind for each argument that must be given."""
    given: dict[str, Any] = {}
    for one in signature_of(function).parameters.values():
        if one.default is one.empty and one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD):
            kinds = kinds_of(one.annotation)
            classes = [kind for kind in kinds if inspect.isclass(kind)]
            simple = [thing for thing in (1, 1.0, "x") if type(thing) in kinds]
            empty = {} if any(get_origin(kind) is Mapping for kind in kinds) else []
            given[one.name] = empty if not classes else (*simple, Mock(spec=classes[0]))[0]
    return given


def cases() -> Iterator[Any]:
    for name, function in verbs().items():
        for argument, kind in numeric(function):
            yield pytest.param(name, argument, kind, id=f"{name}-{argument}-{kind.__name__}")


CASES = list(cases())


def test_there_are_many() -> None:
    assert len(CASES) > 150
    assert {"solve", "poisson", "read_swim", "heuristics EFSS", "generators ljr"} <= {
        case.values[0] for case in CASES
    }


@pytest.mark.parametrize(("name", "argument", "kind"), CASES)
def test_numbers_of_numpy_arrive_as_pythons(name: str, argument: str, kind: type) -> None:
    function = verbs()[name]
    for value in NUMPY[kind]:
        given = needed(function) | {argument: value}
        _, taken = check_call(name, function, (), given)
        assert taken[argument] == value
        assert type(taken[argument]) in (int, float, bool)


@pytest.mark.parametrize(("name", "argument", "kind"), CASES)
def test_a_truth_value_is_no_number_and_a_number_none(name: str, argument: str, kind: type) -> None:
    function = verbs()[name]
    kinds = kinds_of(signature_of(function).parameters[argument].annotation)
    if str in kinds or {bool, int} <= kinds:
        return
    for wrong in (np.int64(1), "x") if kind is bool else (np.True_, True, np.str_("x")):
        given = needed(function) | {argument: wrong}
        checks = partial(check_call, name, function, (), given)  # as `Entry.call` does
        call = checks if " " in name else partial(function, **given)
        with pytest.raises(CallError, match=f"{argument}: needs "):
            call()


PARAMETERS = sorted(
    {one.parameters for one in verbs().values() if hasattr(one, "parameters")},
    key=lambda kind: kind.__name__,
)


@pytest.mark.parametrize("kind", PARAMETERS, ids=lambda kind: kind.__name__)
def test_fields_of_parameters_are_checked_alike(kind: Any) -> None:
    usual = kind(**needed(kind))
    for each in parameters_of(kind):
        for number, forms in NUMPY.items():
            if number in kinds_of(each.type):
                value = getattr(usual, each.name)
                given = type(forms[-1])((50 if number is int else 1) if value is None else value)
                made = replace(usual, **{each.name: given})
                check_fields("it", made)
                assert type(getattr(made, each.name)) in (int, float, bool)
                assert getattr(made, each.name) == given
                object.__setattr__(made, each.name, "?" if number is bool else np.True_)
                with pytest.raises(CallError, match=f"it: {each.name}: needs "):
                    check_fields("it", made)


def test_numbers_within_lists_and_tables_arrive_as_pythons() -> None:
    made = slotwise.generate("hmhs", 2, maps=(np.int64(1), np.int64(2)), seed=np.uint8(1))
    assert "np." not in made.source
    study = {
        "seeds": [np.int64(1)],
        "instances": [{"generator": "ljr-small", "jobs": np.int64(2)}],
        "methods": [{"heuristic": "EFSS", "omega": np.float32(0.5)}],
    }
    assert len(slotwise.make_study(study).runs) == 1
