"""`slotwise/guidance/1`: guidance for dispatchers as JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from ...core.calls import checked
from ...core.errors import InputError
from ...core.files.json_files import Source, Strict, read_document, write_json
from .checker import check_guidance
from .datacenter import Datacenter, in_order
from .datacenter_file import (
    DatacenterDocument,
    datacenter_document,
    datacenter_from,
    named,
    place_in_words,
)
from .guidance import ClassPrices, Gains, Guidance, Prices
from .rehearsal import Rehearsal

FORMAT = "slotwise/guidance/1"

Share = Annotated[float, Field(ge=0, le=1 + 1e-9)]
NonNegative = Annotated[float, Field(ge=0)]
Count = Annotated[int, Field(ge=0, le=1_000_000_000)]

MOST_DRAWS = 1000
"""Draws over which the worth of room may be smoothed."""

PRICE_TOLERANCE = 1e-6
"""By how much the prices, weighted by the shares, may add up to more or less than 1."""


class _Bin(Strict):
    configuration: str
    machines: Count
    jobs: dict[str, Count]


class _Gain(Strict):
    arrival_rate: float
    at_most: float


class _More(Strict, extra="ignore"):
    resources: dict[str, NonNegative | None]


class _First(Strict):
    more: NonNegative | None
    gain: NonNegative | None = None


class _Firsts(Strict, extra="ignore"):
    resources: dict[str, _First]


class _Place(_More):
    first: _Firsts | None = None


class _Gains(Strict):
    more: NonNegative
    everywhere: _More
    configurations: dict[str, _Place]


class _Limits(Strict):
    resources: dict[str, dict[str, float]]
    classes: dict[str, float]
    one_more_machine: dict[str, _Gain]
    gains: _Gains | None = None


class _ClassPrices(Strict):
    classes: dict[str, NonNegative]
    belongs: dict[str, list[str]]
    spread: NonNegative = 0.0
    draws: Annotated[int, Field(ge=1, le=MOST_DRAWS)] = 24
    seed: Annotated[int, Field(ge=0, lt=2**63)] = 0
    bonus: NonNegative | None = None


class GuidanceDocument(Strict):
    """The fields of a `slotwise/guidance/1` document."""

    format: Literal["slotwise/guidance/1"]
    arrival_rate: NonNegative | None
    arrival_rate_bound: NonNegative
    bins: list[_Bin]
    proportions: dict[str, dict[str, Share]]
    bound: str = ""
    method: str = ""
    gap: float | None = None
    target_rate: NonNegative | None = None
    machines_needed: Count | None = None
    machines_bound: Count | None = None
    integer_bound: NonNegative | None = None
    integer_proof: str = ""
    limits: _Limits | None = None
    prices: _ClassPrices | None = None
    rehearsal: Rehearsal | None = None
    explanation: list[str] = []
    notes: list[str] = []
    datacenter: DatacenterDocument | None = None


class Misfit(InputError):
    """Guidance that is well formed but does not fit its datacenter."""


@checked
def read_guidance(path: Source, datacenter: Datacenter | None = None) -> Guidance:
    """Read a `slotwise/guidance/1` file (plain or gzip) and check it.

    Parameters
    ----------
    path
        Path of the file, `-` for stdin, or a file read before.
    datacenter
        The datacenter; by default the one in the file.

    Returns
    -------
    Guidance
        The guidance.

    Raises
    ------
    InputError
        If something is wrong, or bins do not fit; one line names file, place and field.
    """
    document = read_document(path, GuidanceDocument, FORMAT, where=place_in_words)
    if document.arrival_rate is None:
        raise InputError(f"{path}: holds no plan: {'; '.join(document.notes) or 'no arrival_rate'}")
    try:
        if datacenter is None:
            if document.datacenter is None:
                raise InputError("datacenter: is missing, and none is given")
            datacenter = datacenter_from(document.datacenter)
        guidance = _guidance(document, document.arrival_rate, datacenter)
        for violation in check_guidance(guidance).violations:
            planned = np.bincount(
                guidance.bin_configuration, guidance.bin_machines, len(datacenter.count)
            )
            anew = (
                "; plan anew for these machines: `slotwise guide`, with --scale for a part of all"
            )
            raise InputError(violation + ("" if (planned == datacenter.count).all() else anew))
    except InputError as error:
        raise Misfit(f"{path}: {error}") from None
    return guidance


@checked
def write_guidance(guidance: Guidance, path: str | Path) -> None:
    """Write a `slotwise/guidance/1` file atomically, compressed if the name ends in `.gz`.

    Parameters
    ----------
    guidance
        The guidance.
    path
        Path of the file, or `-` for stdout.

    Raises
    ------
    OutputError
        If the file cannot be written.
    """
    write_json(path, guidance_document(guidance))


def guidance_document(guidance: Guidance) -> dict[str, Any]:
    """The JSON document of a guidance, the datacenter included."""
    data = guidance.datacenter
    configurations, classes = data.configurations, data.classes
    bins = zip(guidance.bin_configuration, guidance.bin_machines, guidance.bin_jobs, strict=True)
    document: dict[str, Any] = {
        "format": FORMAT,
        "arrival_rate": guidance.arrival_rate,
        "arrival_rate_bound": guidance.arrival_rate_bound,
        "gap": guidance.gap,
        "bound": guidance.bound_name,
        "method": guidance.method,
        "notes": list(guidance.notes),
        "bins": [
            {
                "configuration": configurations[j],
                "machines": int(machines),
                "jobs": {name: n for name, n in named(classes, jobs).items() if n},
            }
            for j, machines, jobs in bins
        ],
        "proportions": {
            name: {c: share for c, share in named(configurations, row).items() if share}
            for name, row in zip(classes, guidance.proportions, strict=True)
        },
    }
    if guidance.target_rate is not None:
        document["target_rate"] = guidance.target_rate
        document["machines_needed"] = guidance.machines_needed
        document["machines_bound"] = guidance.machines_bound
    if guidance.integer_bound is not None:
        document["integer_bound"] = guidance.integer_bound
    if guidance.integer_proof:
        document["integer_proof"] = guidance.integer_proof
    if guidance.prices is not None:
        document["limits"] = _limits_document(data, guidance.prices)
    if (prices := guidance.class_prices) is not None:
        places = np.array(configurations, dtype=object)
        document["prices"] = {
            "classes": named(classes, prices.value),
            "belongs": {
                name: places[row].tolist()
                for name, row in zip(classes, prices.belongs, strict=True)
            },
            "spread": prices.spread,
            "draws": prices.draws,
            "seed": prices.seed,
            **({} if prices.bonus is None else {"bonus": prices.bonus}),
        }
    if guidance.rehearsal is not None:
        document["rehearsal"] = guidance.rehearsal.model_dump(mode="json")
    document["datacenter"] = datacenter_document(data)
    return document


def _limits_document(data: Datacenter, prices: Prices) -> dict[str, Any]:
    def by_place(values: Any) -> zip[tuple[str, Any]]:
        return zip(data.configurations, values, strict=True)

    most = prices.machine_bound.tolist()
    document: dict[str, Any] = {
        "resources": {name: named(data.resources, row) for name, row in by_place(prices.resource)},
        "classes": named(data.classes, prices.work),
        "one_more_machine": {
            name: {"arrival_rate": rate, "at_most": bound}
            for (name, rate), bound in zip(by_place(prices.machine.tolist()), most, strict=True)
        },
    }
    if (gains := prices.gains) is not None:
        document["gains"] = {
            "more": gains.more,
            "everywhere": _more(data, gains.everywhere),
            "configurations": {
                name: _more(data, gains.place[j]) | {"first": _firsts(data, gains, j)}
                for j, name in enumerate(data.configurations)
                if not np.isnan(gains.place[j]).all()
            },
        }
    return document


def _more(data: Datacenter, gains: Any) -> dict[str, Any]:
    """Gains by resource: null for what was not solved again."""
    each = named(data.resources, gains)
    return {"resources": {name: None if np.isnan(gain) else gain for name, gain in each.items()}}


def _firsts(data: Datacenter, gains: Gains, j: int) -> dict[str, Any]:
    """The first increases that help on a configuration: null where none does."""
    entries: dict[str, Any] = {}
    for name, more, gain in zip(data.resources, gains.first[j], gains.first_gain[j], strict=True):
        if not np.isnan(more):
            entries[name] = {"more": None if np.isinf(more) else float(more)}
            entries[name] |= {} if np.isnan(gain) else {"gain": float(gain)}
    return {"resources": entries}


def _guidance(document: GuidanceDocument, arrival_rate: float, data: Datacenter) -> Guidance:
    configurations, classes = data.configurations, data.classes
    number = {name: j for j, name in enumerate(configurations)}
    for b, entry in enumerate(document.bins):
        if entry.configuration not in number:
            raise InputError(f"bin {b}: unknown configuration {entry.configuration!r}")
    jobs = [
        in_order(f"bin {b}, jobs", "class", classes, entry.jobs, 0)
        for b, entry in enumerate(document.bins)
    ]
    limits, prices, rehearsal = document.limits, document.prices, document.rehearsal
    if rehearsal is not None:
        rehearsal.check_winner()
    return Guidance(
        datacenter=data,
        arrival_rate=arrival_rate,
        arrival_rate_bound=document.arrival_rate_bound,
        bin_configuration=np.array([number[b.configuration] for b in document.bins], np.int64),
        bin_machines=np.array([b.machines for b in document.bins], np.int64),
        bin_jobs=np.array(jobs, np.int64).reshape(len(jobs), len(classes)),
        bound_name=document.bound,
        method=document.method,
        target_rate=document.target_rate,
        machines_bound=document.machines_bound,
        integer_bound=document.integer_bound,
        integer_proof=document.integer_proof,
        prices=None if limits is None else _prices(limits, data),
        class_prices=None if prices is None else _class_prices(prices, data),
        notes=tuple(document.notes),
        rehearsal=rehearsal,
    )


def _prices(limits: _Limits, data: Datacenter) -> Prices:
    where, places = "limits, resources", data.configurations
    rows = in_order(where, "configuration", places, limits.resources)
    gains = in_order("limits, one_more_machine", "configuration", places, limits.one_more_machine)
    work = in_order("limits, classes", "class", data.classes, limits.classes)
    return Prices(
        resource=np.array([in_order(where, "resource", data.resources, row) for row in rows]),
        work=np.array(work, dtype=float),
        machine=np.array([gain.arrival_rate for gain in gains]),
        machine_bound=np.array([gain.at_most for gain in gains]),
        gains=None if limits.gains is None else _gains(limits.gains, data),
    )


def _gains(document: _Gains, data: Datacenter) -> Gains:
    def row(given: dict[str, Any]) -> list[Any]:
        return in_order("limits, gains", "resource", data.resources, given, None)

    nothing = _Place(resources={})
    places = in_order(
        "limits, gains", "configuration", data.configurations, document.configurations, nothing
    )
    firsts = [row(place.first.resources if place.first else {}) for place in places]
    more = [[f and (np.inf if f.more is None else f.more) for f in row] for row in firsts]
    # None becomes nan.
    return Gains(
        document.more,
        np.array(row(document.everywhere.resources), dtype=float),
        np.array([row(place.resources) for place in places], dtype=float),
        np.array(more, dtype=float),
        np.array([[f and f.gain for f in row] for row in firsts], dtype=float),
    )


def _class_prices(document: _ClassPrices, data: Datacenter) -> ClassPrices:
    value = np.array(in_order("prices, classes", "class", data.classes, document.classes))
    places = in_order("prices, belongs", "class", data.classes, document.belongs)
    total = float(value @ data.share)
    if abs(total - 1) > PRICE_TOLERANCE:
        raise InputError(
            f"prices, classes: weighted by the shares they add up to {total:.9g}, need 1"
        )
    belongs = np.zeros(data.mean_time.shape, dtype=bool)
    for k, given in enumerate(places):
        where = f"prices, belongs, class {data.classes[k]!r}"
        there = dict.fromkeys(given, True)
        belongs[k] = in_order(where, "configuration", data.configurations, there, False)
        for j in np.flatnonzero(belongs[k] & np.isinf(data.mean_time[k]))[:1]:
            raise InputError(f"{where}: it cannot run on {data.configurations[j]!r}")
    return ClassPrices(
        value, belongs, document.spread, document.draws, document.seed, document.bonus
    )
