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


class _Kinds(Strict):
    resources: dict[str, NonNegative | None]
    together: NonNegative | None


class _First(Strict):
    more: NonNegative | None
    gain: NonNegative | None = None


class _FirstKinds(Strict):
    resources: dict[str, _First]
    together: _First | None = None


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
        *each, together = (None if np.isnan(gain) else gain for gain in row.tolist())
        return {"resources": dict(zip(names, each, strict=True)), "together": together}

    def first(j: int) -> dict[str, Any]:
        document: dict[str, Any] = {"resources": {}}
        for kind in np.flatnonzero(~np.isnan(gains.first[j])).tolist():
            more, gain = float(gains.first[j, kind]), float(gains.first_gain[j, kind])
            entry: dict[str, Any] = {"more": None if np.isinf(more) else more}
            if not np.isnan(gain):
                entry["gain"] = gain
            if kind == len(names):
                document["together"] = entry
            else:
                document["resources"][names[kind]] = entry
        return document

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
    shape = len(configurations), len(resources) + 1
    place, first, first_gain = (np.full(shape, np.nan) for _ in range(3))

    def number(name: str) -> int:
        if name not in resources:
            raise InputError(f"limits, gains: unknown resource {name!r}")
        return resources[name]

    def row(kinds: _Kinds) -> FloatArray:
        values = np.full(shape[1], np.nan)
        for name, gain in kinds.resources.items():
            values[number(name)] = np.nan if gain is None else gain
        values[-1] = np.nan if kinds.together is None else kinds.together
        return values

    for name, entry in document.configurations.items():
        if name not in configurations:
            raise InputError(f"limits, gains: unknown configuration {name!r}")
        j = configurations[name]
        place[j] = row(entry)
        if entry.first is None:
            continue
        least = {number(resource): step for resource, step in entry.first.resources.items()}
        if entry.first.together is not None:
            least[len(resources)] = entry.first.together
        for kind, step in least.items():
            first[j, kind] = np.inf if step.more is None else step.more
            first_gain[j, kind] = np.nan if step.gain is None else step.gain
    return Gains(document.more, row(document.everywhere), place, first, first_gain)
