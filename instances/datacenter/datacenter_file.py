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
from .datacenter import Configuration, Datacenter, JobClass

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
    metric: dict[str, Annotated[float, Field(gt=0)]] = {}


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
    document = read_document(path, DatacenterDocument, FORMAT, where=where_in_datacenter)
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
    return replace(datacenter, classifier=_classifier_of(document.classifier, document.resources))


def _classifier_of(document: _Classifier, resources: Sequence[str]) -> Classifier:
    metric = document.metric
    for resource in metric:
        if resource not in resources:
            raise InputError(f"classifier, metric: unknown resource {resource!r}")
    for resource in resources if metric else ():
        if resource not in metric:
            raise InputError(f"classifier, metric: nothing on resource {resource!r}")
    rules = (ClassRule(rule.label, rule.value, rule.class_) for rule in document.rules)
    return Classifier(tuple(rules), tuple(metric[resource] for resource in resources if metric))


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
    def amounts(row: Any) -> dict[str, float]:
        return dict(zip(datacenter.resources, row.tolist(), strict=True))

    document: dict[str, Any] = {
        "format": FORMAT,
        "name": datacenter.name,
        "source": datacenter.source,
        "time_unit": datacenter.time_unit,
        "resources": list(datacenter.resources),
        "configurations": [
            {
                "name": name,
                "count": int(datacenter.count[j]),
                "capacity": amounts(datacenter.capacity[j]),
            }
            for j, name in enumerate(datacenter.configurations)
        ],
        "classes": [
            {
                "name": name,
                "share": float(datacenter.share[k]),
                "mean_time": _mean_time(datacenter, k),
                "request": amounts(datacenter.request[k]),
            }
            for k, name in enumerate(datacenter.classes)
        ],
    }
    if classifier := _classifier_document(datacenter):
        document["classifier"] = classifier
    return document


def _classifier_document(datacenter: Datacenter) -> dict[str, Any]:
    """The field `classifier`, without what is not there."""
    classifier, document = datacenter.classifier, dict[str, Any]()
    if classifier.rules:
        document["rules"] = [
            {"label": rule.label, "value": rule.value, "class": rule.job_class}
            for rule in classifier.rules
        ]
    if classifier.metric:
        document["metric"] = dict(zip(datacenter.resources, classifier.metric, strict=True))
    return document


def _mean_time(datacenter: Datacenter, k: int) -> float | dict[str, float]:
    """One number if the class takes the same time everywhere, else a number for each eligible
    configuration.
    """
    times = datacenter.mean_time[k].tolist()
    if len(set(times)) == 1 and np.isfinite(times[0]):
        return float(times[0])
    return {
        name: time
        for name, time in zip(datacenter.configurations, times, strict=True)
        if np.isfinite(time)
    }


def where_in_datacenter(raw: Any, location: Sequence[str | int]) -> str:
    """A location in words: `class 'k3', request, cores` for ('classes', 3, 'request', 'cores')."""
    words: list[str] = []
    part: Any = raw
    singular = {
        "configurations": "configuration",
        "classes": "class",
        "resources": "resource",
        "rules": "rule",
    }
    for step in location:
        if words[-1:] == ["mean_time"] and step in ("number", "object"):
            words[-1] = "mean_time "  # the tag says nothing that the field does not
            continue
        try:
            part = part[step]
        except (KeyError, IndexError, TypeError):
            part = None
        if isinstance(step, int):
            kind = words.pop() if words else "entry"
            name = part.get("name") if isinstance(part, dict) else None
            words.append(f"{singular.get(kind, kind)} {repr(name) if name else step}")
        else:
            words.append(step)
    return ", ".join(word.strip() for word in words)
