"""What more of a resource brings, in a `slotwise/guidance/1` document."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from pydantic import Field

from ...core.arrays import FloatArray
from ...core.errors import InputError
from ...core.files.json_files import Strict
from .datacenter import Datacenter
from .guidance import Gains

NonNegative = Annotated[float, Field(ge=0)]


class _Kinds(Strict, extra="ignore"):
    resources: dict[str, NonNegative | None]


class _First(Strict):
    more: NonNegative | None
    gain: NonNegative | None = None


class _FirstKinds(Strict, extra="ignore"):
    resources: dict[str, _First]


class _Place(_Kinds):
    first: _FirstKinds | None = None


class GainsDocument(Strict):
    """The field `limits.gains`."""

    more: NonNegative
    everywhere: _Kinds
    configurations: dict[str, _Place]


def gains_document(datacenter: Datacenter, gains: Gains) -> dict[str, Any]:
    """The gains as JSON: null for what was not solved again, and where no increase helps."""
    names = datacenter.resources

    def kinds(row: FloatArray) -> dict[str, Any]:
        each = (None if np.isnan(gain) else gain for gain in row.tolist())
        return {"resources": dict(zip(names, each, strict=True))}

    def first(j: int) -> dict[str, Any]:
        entries: dict[str, Any] = {}
        for r in np.flatnonzero(~np.isnan(gains.first[j])).tolist():
            more, gain = float(gains.first[j, r]), float(gains.first_gain[j, r])
            entries[names[r]] = {"more": None if np.isinf(more) else more}
            if not np.isnan(gain):
                entries[names[r]]["gain"] = gain
        return {"resources": entries}

    return {
        "more": gains.more,
        "everywhere": kinds(gains.everywhere),
        "configurations": {
            name: kinds(gains.place[j]) | {"first": first(j)}
            for j, name in enumerate(datacenter.configurations)
            if not np.isnan(gains.place[j]).all()
        },
    }


def gains_from(document: GainsDocument, datacenter: Datacenter) -> Gains:
    """The gains of a document.

    Raises `InputError` if a configuration or resource is unknown.
    """
    resources = {name: r for r, name in enumerate(datacenter.resources)}
    configurations = {name: j for j, name in enumerate(datacenter.configurations)}
    shape = len(configurations), len(resources)
    place, first, first_gain = (np.full(shape, np.nan) for _ in range(3))

    def number(name: str) -> int:
        if name not in resources:
            raise InputError(f"limits, gains: unknown resource {name!r}")
        return resources[name]

    def row(kinds: _Kinds) -> FloatArray:
        values = np.full(shape[1], np.nan)
        for name, gain in kinds.resources.items():
            values[number(name)] = np.nan if gain is None else gain
        return values

    for name, entry in document.configurations.items():
        if name not in configurations:
            raise InputError(f"limits, gains: unknown configuration {name!r}")
        j = configurations[name]
        place[j] = row(entry)
        if entry.first is None:
            continue
        for resource, step in entry.first.resources.items():
            r = number(resource)
            first[j, r] = np.inf if step.more is None else step.more
            first_gain[j, r] = np.nan if step.gain is None else step.gain
    return Gains(document.more, row(document.everywhere), place, first, first_gain)
