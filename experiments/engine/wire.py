"""Units and records as JSON: for the journal, for processes of their own and for other machines."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

from ..study.study import InstanceSource, MethodCall, Run, Unit
from .record import Record


def record_line(record: Record) -> bytes:
    """A record as one line of JSON, without what is empty. Numbers that are not finite become null.

    Parameters
    ----------
    record
        The record.

    Returns
    -------
    bytes
        The line with its end.
    """
    document = {
        name: value
        for name, value in vars(record).items()
        if name in _NEEDED or value not in _EMPTY
    }
    try:
        text = json.dumps(document, allow_nan=False, default=_number)
    except ValueError:
        text = json.dumps(_finite(document), allow_nan=False, default=_number)
    return text.encode() + b"\n"


def record_of(line: bytes | str) -> Record:
    """The record in a line.

    Parameters
    ----------
    line
        What `record_line` made.

    Returns
    -------
    Record
        The record.

    Raises
    ------
    ValueError
        If the line holds none.
    """
    document = json.loads(line)
    if not isinstance(document, dict):
        raise ValueError("no record")
    try:
        return Record(**{name: value for name, value in document.items() if name in _FIELDS})
    except TypeError as failure:
        raise ValueError(str(failure)) from None


def unit_document(unit: Unit) -> dict[str, Any]:
    """A unit as JSON holds it.

    Parameters
    ----------
    unit
        The unit.

    Returns
    -------
    dict
        The document, for `unit_of`.
    """
    return {
        "instance": _plain(vars(unit.instance)),
        "runs": [
            {"id": run.id, "order": run.order, "method": _plain(vars(run.method))}
            for run in unit.runs
        ],
        "bounds": list(unit.bounds),
    }


def unit_of(document: Mapping[str, Any]) -> Unit:
    """The unit of a document.

    Parameters
    ----------
    document
        What `unit_document` made.

    Returns
    -------
    Unit
        The unit.
    """
    source = dict(document["instance"])
    instance = InstanceSource(**source | {"shown": tuple(source["shown"])})
    runs = tuple(
        Run(run["id"], run["order"], instance, _method(run["method"])) for run in document["runs"]
    )
    return Unit(instance, runs, tuple(document["bounds"]))


def runs_alone(unit: Unit) -> list[Unit]:
    """A unit for each run of a unit.

    Parameters
    ----------
    unit
        The unit.

    Returns
    -------
    list of Unit
        The units.
    """
    return [replace(unit, runs=(run,)) for run in unit.runs]


_EMPTY: tuple[Any, ...] = (None, "", {})
_FIELDS = {one.name for one in fields(Record)}
_NEEDED = {"run", "order", "instance", "method", "parameters", "status"}


def _method(document: Mapping[str, Any]) -> MethodCall:
    return MethodCall(**{**document, "shown": tuple(document["shown"])})


def _plain(values: Mapping[str, Any]) -> dict[str, Any]:
    """Mappings as dictionaries: JSON knows no others."""
    return {name: dict(one) if isinstance(one, Mapping) else one for name, one in values.items()}


def _number(value: Any) -> Any:
    """Numbers and arrays of numpy; anything else as text."""
    return value.tolist() if hasattr(value, "tolist") else str(value)


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(one) for one in value]
    if hasattr(value, "tolist"):
        value = value.tolist()
    return None if isinstance(value, float) and not math.isfinite(value) else value
