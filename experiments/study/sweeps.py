"""`sweep.KEY` and `cases` of a table: the settings that they cross to."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import product
from typing import Any

from ...core.errors import InputError

Setting = dict[str, Any]
"""Values by key; those of a table within the table have keys such as `workload.load`."""


def settings_of(table: Mapping[str, Any], nested: Collection[str] = ()) -> list[Setting]:
    """The settings of a table: sweeps in their order, then cases; the last varies fastest.

    `table`: the table, without the keys that are no parameters but with `sweep` and `cases`.
    Raises `InputError` for a sweep that is no list, and for a key that is set twice.
    """
    fixed = flat({k: v for k, v in table.items() if k not in ("sweep", "cases")}, nested)
    sweep, cases = _sweep(table.get("sweep", {}), nested), _cases(table, nested)
    in_cases = dict.fromkeys(key for case in cases for key in case)
    for names, first, others in (
        (sweep, "as a value", fixed),
        (in_cases, "as a value", fixed),
        (in_cases, "as sweep.{}", sweep),
    ):
        for name in names:
            if name in others:
                second = f"as sweep.{name}" if names is sweep else "in cases"
                raise InputError(f"{name} is set twice, {first.format(name)} and {second}")
    return [
        {**fixed, **dict(zip(sweep, values, strict=True)), **case}
        for *values, case in product(*sweep.values(), cases)
    ]


def flat(values: Mapping[str, Any], nested: Collection[str]) -> Setting:
    """Values with those of tables within the table at their side."""
    setting: Setting = {}
    for key, value in values.items():
        if key not in nested:
            setting[key] = value
        elif isinstance(value, Mapping):
            setting |= {f"{key}.{inner}": item for inner, item in value.items()}
        else:
            raise InputError(f"{key}: need a table, such as {key} = {{ … }}, got {value!r}")
    return setting


def _sweep(sweep: Any, nested: Collection[str]) -> dict[str, list[Any]]:
    if not isinstance(sweep, Mapping):
        raise InputError(f"sweep: need keys, such as sweep.KEY = […], got {sweep!r}")
    swept = flat(sweep, nested)
    for name, values in swept.items():
        if not isinstance(values, list | tuple) or not values:
            raise InputError(f"sweep.{name}: need a list of at least one value, got {values!r}")
    return swept


def _cases(table: Mapping[str, Any], nested: Collection[str]) -> list[Setting]:
    if "cases" not in table:
        return [{}]
    cases = table["cases"]
    if not isinstance(cases, list | tuple) or not cases:
        raise InputError(f"cases: need a list of tables, such as [{{ … }}, {{ … }}], got {cases!r}")
    for number, case in enumerate(cases, 1):
        if not isinstance(case, Mapping) or not case:
            raise InputError(f"cases: {number}: need a table such as {{ … }}, got {case!r}")
    return [flat(case, nested) for case in cases]
