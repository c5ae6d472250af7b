"""`slotwise/datacenter/1`: datacenters as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Discriminator, Field, Tag

from ...core.calls import checked
from ...core.errors import InputError
from ...core.files.json_files import Source, Strict, read_document, write_json
from .classifier import Classifier, ClassRule
from .datacenter import Configuration, Datacenter, JobClass, in_order

FORMAT = "slotwise/datacenter/1"

Name = Annotated[str, Field(min_length=1)]
Positive = Annotated[float, Field(gt=0)]
Amounts = dict[str, Annotated[float, Field(ge=0)]]
MeanTime = Annotated[
    Annotated[Positive, Tag("number")] | Annotated[dict[str, Positive], Tag("object")],
    # Which of the two is meant decides which error is told.
    Discriminator(lambda value: "object" if isinstance(value, dict) else "number"),
]


class _Configuration(Strict):
    name: Name
    count: Annotated[int, Field(ge=0, le=100_000_000)]
    capacity: Amounts


class _Class(Strict):
    name: Name
    share: Annotated[float, Field(ge=0, le=1)]
    mean_time: MeanTime
    request: Amounts


class _Rule(Strict):
    label: Name
    value: str
    class_: Annotated[str, Field(alias="class")]


class _Classifier(Strict):
    rules: list[_Rule] = []
    metric: dict[str, Positive] = {}


class DatacenterDocument(Strict):
    """The fields of a `slotwise/datacenter/1` document."""

    format: Literal["slotwise/datacenter/1"]
    name: Name
    source: str = ""
    time_unit: Name = "h"
    resources: Annotated[list[Name], Field(min_length=1)]
    configurations: Annotated[list[_Configuration], Field(min_length=1)]
    classes: Annotated[list[_Class], Field(min_length=1)]
    classifier: _Classifier = _Classifier()


@checked
def read_datacenter(path: Source) -> Datacenter:
    """Read a `slotwise/datacenter/1` file (plain or gzip).

    Parameters
    ----------
    path
        Path of the file, `-` for stdin, or a file read before.

    Returns
    -------
    Datacenter
        The datacenter.

    Raises
    ------
    InputError
        If something is wrong; one line names file, class or configuration, and field.
    """
    document = read_document(path, DatacenterDocument, FORMAT, where=place_in_words)
    try:
        return datacenter_from(document)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def datacenter_from(document: DatacenterDocument) -> Datacenter:
    """The datacenter of a document. Raises `InputError`."""
    datacenter = Datacenter.from_classes(
        document.name,
        document.resources,
        [Configuration(c.name, c.count, c.capacity) for c in document.configurations],
        [JobClass(c.name, c.share, c.mean_time, c.request) for c in document.classes],
        time_unit=document.time_unit,
        source=document.source,
    )
    rules, metric = document.classifier.rules, document.classifier.metric
    priced = document.resources if metric else []
    amounts = in_order("classifier, metric", "resource", priced, metric)
    classifier = Classifier(
        tuple(ClassRule(rule.label, rule.value, rule.class_) for rule in rules), tuple(amounts)
    )
    return replace(datacenter, classifier=classifier)


@checked
def write_datacenter(datacenter: Datacenter, path: str | Path) -> None:
    """Write a `slotwise/datacenter/1` file atomically, compressed if the name ends in `.gz`.

    Parameters
    ----------
    datacenter
        The datacenter.
    path
        Path of the file, or `-` for stdout.

    Raises
    ------
    OutputError
        If the file cannot be written.
    """
    write_json(path, datacenter_document(datacenter))


def datacenter_document(datacenter: Datacenter) -> dict[str, Any]:
    data = datacenter
    document: dict[str, Any] = {
        "format": FORMAT,
        "name": data.name,
        "source": data.source,
        "time_unit": data.time_unit,
        "resources": list(data.resources),
        "configurations": [
            {
                "name": name,
                "count": int(data.count[j]),
                "capacity": named(data.resources, data.capacity[j]),
            }
            for j, name in enumerate(data.configurations)
        ],
        "classes": [
            {
                "name": name,
                "share": float(data.share[k]),
                "mean_time": _mean_time(data, k),
                "request": named(data.resources, data.request[k]),
            }
            for k, name in enumerate(data.classes)
        ],
    }
    rules = [
        {"label": rule.label, "value": rule.value, "class": rule.job_class}
        for rule in data.classifier.rules
    ]
    metric = dict(zip(data.resources, data.classifier.metric, strict=False))
    if rules or metric:
        document["classifier"] = {
            **({"rules": rules} if rules else {}),
            **({"metric": metric} if metric else {}),
        }
    return document


def named(names: Sequence[str], values: Any) -> dict[str, Any]:
    """The values of an array by name."""
    return dict(zip(names, values.tolist(), strict=True))


def _mean_time(datacenter: Datacenter, k: int) -> float | dict[str, float]:
    """One number if the class takes the same time everywhere, else one by configuration."""
    times = named(datacenter.configurations, datacenter.mean_time[k])
    finite = {name: time for name, time in times.items() if np.isfinite(time)}
    first = next(iter(finite.values()), 0.0)
    alike = len(finite) == len(times) and set(finite.values()) == {first}
    return first if alike else finite


_SINGULAR = {
    "configurations": "configuration",
    "classes": "class",
    "resources": "resource",
    "rules": "rule",
    "bins": "bin",
    "candidates": "candidate",
}


def place_in_words(raw: Any, location: Sequence[str | int]) -> str:
    """A place: `class 'k3', request, cores` for ('classes', 3, 'request', 'cores')."""
    words: list[str] = []
    before: str | int = ""
    for step in location:
        if before == "mean_time" and step in ("number", "object"):
            before = ""  # the tag says nothing that the field does not
            continue
        if isinstance(step, int):
            raw = raw[step]
            name = raw.get("name") if isinstance(raw, dict) else None
            if before in _SINGULAR:
                words[-1] = f"{_SINGULAR[str(before)]} {repr(name) if name else step}"
            else:
                words.append(str(step))
        else:
            raw = raw.get(step) if isinstance(raw, dict) else None
            words.append(step)
        before = step
    return ", ".join(words)
