"""`slotwise/guidance/1`: guidance for dispatchers as JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from ...core.arrays import FloatArray
from ...core.calls import checked
from ...core.errors import InputError
from ...core.files.json_files import Source, Strict, read_document, write_json
from .checker import check_guidance
from .datacenter import Datacenter
from .datacenter_file import (
    DatacenterDocument,
    datacenter_document,
    datacenter_from,
    where_in_datacenter,
)
from .gains_document import GainsDocument, gains_document, gains_from
from .guidance import ClassPrices, Guidance, Prices
from .rehearsal import RehearsalDocument, rehearsal_document, rehearsal_from

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


class _Limits(Strict):
    resources: dict[str, dict[str, float]]
    classes: dict[str, float]
    one_more_machine: dict[str, _Gain]
    gains: GainsDocument | None = None


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
    rehearsal: RehearsalDocument | None = None
    explanation: list[str] = []
    notes: list[str] = []
    datacenter: DatacenterDocument | None = None


class Misfit(InputError):
    """Guidance that is well formed but does not fit its datacenter."""


def _where(raw: dict[str, Any], location: Any) -> str:
    if location[:1] == ("datacenter",):
        return ", ".join(
            filter(None, ("datacenter", where_in_datacenter(raw["datacenter"], location[1:])))
        )
    if location[:1] == ("bins",) and len(location) > 1:
        location = (f"bin {location[1]}", *location[2:])
    return ", ".join(map(str, location))


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
    document = read_document(path, GuidanceDocument, FORMAT, where=_where)
    if document.arrival_rate is None:
        raise InputError(f"{path}: holds no plan: {'; '.join(document.notes) or 'no arrival_rate'}")
    try:
        if datacenter is None:
            if document.datacenter is None:
                raise InputError("datacenter: is missing, and none is given")
            datacenter = datacenter_from(document.datacenter)
        guidance = _guidance(document, document.arrival_rate, datacenter)
        for violation in check_guidance(guidance).violations:
            raise InputError(f"{violation}{_plan_anew(guidance)}")
    except InputError as error:
        raise Misfit(f"{path}: {error}") from None
    return guidance


def _plan_anew(guidance: Guidance) -> str:
    """What to do with a plan for other numbers of machines."""
    count = guidance.datacenter.count
    planned = np.bincount(guidance.bin_configuration, guidance.bin_machines, len(count))
    if (planned == count).all():
        return ""
    return "; plan anew for these machines: `slotwise guide`, with --scale for a part of all"


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
    datacenter = guidance.datacenter
    configurations, classes = datacenter.configurations, datacenter.classes
    proportions = guidance.proportions.tolist()
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
                "machines": machines,
                "jobs": {name: n for name, n in zip(classes, jobs, strict=True) if n},
            }
            for j, machines, jobs in zip(
                guidance.bin_configuration.tolist(),
                guidance.bin_machines.tolist(),
                guidance.bin_jobs.tolist(),
                strict=True,
            )
        ],
        "proportions": {
            name: {c: share for c, share in zip(configurations, row, strict=True) if share}
            for name, row in zip(classes, proportions, strict=True)
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
        document["limits"] = _limits(datacenter, guidance.prices)
    if guidance.class_prices is not None:
        document["prices"] = _price_document(datacenter, guidance.class_prices)
    if guidance.rehearsal is not None:
        document["rehearsal"] = rehearsal_document(guidance.rehearsal)
    document["datacenter"] = datacenter_document(datacenter)
    return document


def _limits(datacenter: Datacenter, prices: Prices) -> dict[str, Any]:
    gains = zip(prices.machine.tolist(), prices.machine_bound.tolist(), strict=True)
    return {
        "resources": {
            name: dict(zip(datacenter.resources, row, strict=True))
            for name, row in zip(datacenter.configurations, prices.resource.tolist(), strict=True)
        },
        "classes": dict(zip(datacenter.classes, prices.work.tolist(), strict=True)),
        "one_more_machine": {
            name: {"arrival_rate": gain, "at_most": bound}
            for name, (gain, bound) in zip(datacenter.configurations, gains, strict=True)
        },
        **({} if prices.gains is None else {"gains": gains_document(datacenter, prices.gains)}),
    }


def _guidance(document: GuidanceDocument, arrival_rate: float, datacenter: Datacenter) -> Guidance:
    configurations = {name: j for j, name in enumerate(datacenter.configurations)}
    classes = {name: k for k, name in enumerate(datacenter.classes)}
    jobs = np.zeros((len(document.bins), len(classes)), dtype=np.int64)
    for b, entry in enumerate(document.bins):
        if entry.configuration not in configurations:
            raise InputError(f"bin {b}: unknown configuration {entry.configuration!r}")
        for name, n in entry.jobs.items():
            if name not in classes:
                raise InputError(f"bin {b}, jobs: unknown class {name!r}")
            jobs[b, classes[name]] = n
    return Guidance(
        datacenter=datacenter,
        arrival_rate=arrival_rate,
        arrival_rate_bound=document.arrival_rate_bound,
        bin_configuration=np.array(
            [configurations[entry.configuration] for entry in document.bins], dtype=np.int64
        ),
        bin_machines=np.array([entry.machines for entry in document.bins], dtype=np.int64),
        bin_jobs=jobs,
        bound_name=document.bound,
        method=document.method,
        target_rate=document.target_rate,
        machines_bound=document.machines_bound,
        integer_bound=document.integer_bound,
        integer_proof=document.integer_proof,
        prices=None if document.limits is None else _prices(document.limits, datacenter),
        class_prices=(
            None if document.prices is None else _class_prices(document.prices, datacenter)
        ),
        notes=tuple(document.notes),
        rehearsal=None if document.rehearsal is None else rehearsal_from(document.rehearsal),
    )


def _prices(limits: _Limits, datacenter: Datacenter) -> Prices:
    try:
        resource = [
            [limits.resources[c][r] for r in datacenter.resources]
            for c in datacenter.configurations
        ]
        work = [limits.classes[name] for name in datacenter.classes]
        gains = [limits.one_more_machine[c] for c in datacenter.configurations]
    except KeyError as error:
        raise InputError(f"limits: nothing on {error.args[0]!r}") from None

    def array(values: list[float] | list[list[float]]) -> FloatArray:
        return np.array(values, dtype=float)

    return Prices(
        resource=array(resource),
        work=array(work),
        machine=array([gain.arrival_rate for gain in gains]),
        machine_bound=array([gain.at_most for gain in gains]),
        gains=None if limits.gains is None else gains_from(limits.gains, datacenter),
    )


def _price_document(datacenter: Datacenter, prices: ClassPrices) -> dict[str, Any]:
    names = np.array(datacenter.configurations, dtype=object)
    return {
        "classes": dict(zip(datacenter.classes, prices.value.tolist(), strict=True)),
        "belongs": {
            name: names[row].tolist()
            for name, row in zip(datacenter.classes, prices.belongs, strict=True)
        },
        "spread": prices.spread,
        "draws": prices.draws,
        "seed": prices.seed,
        **({} if prices.bonus is None else {"bonus": prices.bonus}),
    }


def _class_prices(document: _ClassPrices, datacenter: Datacenter) -> ClassPrices:
    classes, configurations = datacenter.classes, datacenter.configurations
    for field, given in (("classes", document.classes), ("belongs", document.belongs)):
        for name in given:
            if name not in classes:
                raise InputError(f"prices, {field}: unknown class {name!r}")
        for name in classes:
            if name not in given:
                raise InputError(f"prices, {field}: nothing on class {name!r}")
    value = np.array([document.classes[name] for name in classes])
    if not (np.isfinite(value).all() and value.any()):
        raise InputError("prices, classes: need finite numbers, and some above 0")
    total = float(value @ datacenter.share)
    if abs(total - 1) > PRICE_TOLERANCE:
        raise InputError(
            f"prices, classes: weighted by the shares they add up to {total:.9g}, need 1"
        )
    belongs = np.zeros(datacenter.mean_time.shape, dtype=bool)
    for k, name in enumerate(classes):
        where = f"prices, belongs, class {name!r}"
        for configuration in document.belongs[name]:
            if configuration not in configurations:
                raise InputError(f"{where}: unknown configuration {configuration!r}")
            j = configurations.index(configuration)
            if not np.isfinite(datacenter.mean_time[k, j]):
                raise InputError(f"{where}: it cannot run on {configuration!r}")
            belongs[k, j] = True
    return ClassPrices(
        value, belongs, document.spread, document.draws, document.seed, document.bonus
    )
