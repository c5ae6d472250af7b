"""A guidance document in numbers: amounts in whole units, classes and configurations by number."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from operator import le
from typing import Any

from ..worth.recipe import with_bonus, worth_recipe
from ..worth.tables import Worth

FIT_TOLERANCE = 1e-9
"""Jobs fit a machine if they need no more than this share above its capacity."""

DIGITS = 14
"""Amounts are counted in units of 10 ** -14 times (the power of ten below) the largest capacity."""

MOST_AMOUNT = 1e24
"""Amounts above this are refused, as in files."""

Units = tuple[int, ...]


def fits(demand: Sequence[int], free: Sequence[int]) -> bool:
    return all(map(le, demand, free))


def listed(where: str, value: Any) -> Sequence[Any]:
    if not isinstance(value, list | tuple):
        raise ValueError(f"{where}: need a list, got {value!r}")
    return value


class Plan:
    """A guidance document with K classes and M configurations."""

    def __init__(self, guidance: Mapping[str, Any]) -> None:
        if (
            not isinstance(guidance, Mapping)
            or guidance.get("format") != "slotwise/guidance/1"
            or not guidance.get("datacenter")
        ):
            raise ValueError("need a slotwise/guidance/1 document with its datacenter")
        self.document = guidance
        data = guidance["datacenter"]
        self.resources: list[str] = list(data["resources"])
        self.classes: list[str] = [entry["name"] for entry in listed("classes", data["classes"])]
        self.configurations: list[str] = [entry["name"] for entry in data["configurations"]]
        if not self.classes:
            raise ValueError("classes: need at least one class")
        self.number_of_class = {name: k for k, name in enumerate(self.classes)}
        self.number_of_configuration = {name: j for j, name in enumerate(self.configurations)}
        self._set_units([entry["capacity"] for entry in data["configurations"]])
        self.request = [self.in_units(entry["request"]) for entry in data["classes"]]
        self.mean_time = [self._times(entry["mean_time"]) for entry in data["classes"]]
        self.runs = [[time < math.inf for time in row] for row in self.mean_time]
        self.share = [
            [guidance["proportions"].get(k, {}).get(j, 0.0) for j in self.configurations]
            for k in self.classes
        ]
        self._upto = [_upto(row) for row in self.share]
        self._set_bins(listed("bins", guidance["bins"]))
        self._set_prices(guidance.get("prices"))
        self._set_classifier(data.get("classifier", {}))

    def _set_units(self, capacities: list[Mapping[str, float]]) -> None:
        amounts = [[float(row.get(r, 0.0)) for r in self.resources] for row in capacities]
        largest = [most if most > 0 else 1.0 for most in map(max, zip(*amounts, strict=True))]
        self.unit = [10.0 ** (math.floor(math.log10(most)) - DIGITS) for most in largest]
        self.capacity = [self.capacity_in_units(row) for row in capacities]
        most = [max(column) for column in zip(*self.capacity, strict=True)]
        self._weight = [1.0 / (units if units > 0 else 1) for units in most]

    def _set_bins(self, bins: Sequence[Mapping[str, Any]]) -> None:
        """`bins_of`: numbers of a configuration's bins, by machine; `planned`: classes in them."""
        self._bins: list[tuple[int, ...]] = []
        self.bins_of: list[list[int]] = [[] for _ in self.configurations]
        self.planned = [[False] * len(self.configurations) for _ in self.classes]
        for number, entry in enumerate(bins):
            j = self.number_of_configuration[entry["configuration"]]
            jobs = tuple(entry["jobs"].get(name, 0) for name in self.classes)
            self._bins.append(jobs)
            self.bins_of[j] += [number] * entry["machines"]
            for k, count in enumerate(jobs):
                if count and entry["machines"] and self.runs[k][j]:
                    self.planned[k][j] = True

    def _times(self, mean_time: Any) -> list[float]:
        if not isinstance(mean_time, Mapping):
            return [float(mean_time)] * len(self.configurations)
        return [float(mean_time.get(name, math.inf)) for name in self.configurations]

    def _set_prices(self, prices: Mapping[str, Any] | None) -> None:
        """`value`: price of each class; `belongs`: where it does. Empty without prices."""
        self.value: list[float] = []
        self.belongs: list[list[bool]] = []
        if prices is not None:
            self.value = [float(prices["classes"][name]) for name in self.classes]
            if not (all(0 <= v < math.inf for v in self.value) and any(self.value)):
                raise ValueError("prices, classes: need finite numbers, and some above 0")
            for k, runs in zip(self.classes, self.runs, strict=True):
                there = prices["belongs"][k]
                pairs = zip(self.configurations, runs, strict=True)
                self.belongs.append([able and j in there for j, able in pairs])

    def _set_classifier(self, classifier: Mapping[str, Any]) -> None:
        """`rules`: label, its value and the class; `scale`: units that count as 1 in distances."""
        rules = classifier.get("rules", ())
        self.rules = [(rule["label"], rule["value"], rule["class"]) for rule in rules]
        metric = classifier.get("metric")
        self.scale: list[float] = [max(column) or 1 for column in zip(*self.capacity, strict=True)]
        if metric:
            pairs = zip(self.resources, self.unit, strict=True)
            self.scale = [float(metric[resource]) / unit for resource, unit in pairs]

    @cached_property
    def worth(self) -> Worth:
        """The worth of room at the plan's prices. Raises `ValueError` if it has none."""
        if not self.value:
            if self.document.get("method") == "LoTES as printed":
                raise ValueError("this plan was made as printed and has no prices")
            raise ValueError("the guidance has no prices: make it again with `slotwise guide`")
        prices = self.document["prices"]
        recipe = worth_recipe(
            self.capacity,
            self.request,
            self.mean_time,
            self.value,
            prices.get("spread", 0.0),
            prices.get("draws", 24),
            prices.get("seed", 0),
        )
        return Worth(with_bonus(recipe, self.value, prices.get("bonus")))

    def bin(self, number: int | None) -> tuple[int, ...]:
        return (0,) * len(self.classes) if number is None else self._bins[number]

    def in_units(self, amounts: Mapping[str, float]) -> Units:
        """What a job needs; no positive amount becomes 0."""
        return tuple(
            max(round(amount / unit), 1) if amount > 0 else 0
            for amount, unit in zip(
                (float(amounts.get(r, 0.0)) for r in self.resources), self.unit, strict=True
            )
        )

    def capacity_in_units(self, capacity: Mapping[str, float]) -> Units:
        """What a machine has, `FIT_TOLERANCE` included."""
        units = (
            round(float(capacity.get(r, 0.0)) / unit)
            for r, unit in zip(self.resources, self.unit, strict=True)
        )
        return tuple(u + math.floor(float(u) * FIT_TOLERANCE) for u in units)

    def share_of(self, free: Units) -> float:
        """What is free in parts of the largest machine, summed over the resources."""
        total = 0.0
        for amount, weight in zip(free, self._weight, strict=True):
            total += amount * weight
        return total

    def drawn(self, k: int, draw: float) -> int | None:
        """Roulette wheel over the configurations, None for a class that no bin has."""
        return next((j for j, upto in enumerate(self._upto[k]) if draw < upto), None)

    def fingerprint(self) -> str:
        """Tells whether two documents are the same."""
        return self._fingerprint

    @cached_property
    def _fingerprint(self) -> str:
        text = json.dumps(self.document, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()


def _upto(shares: Sequence[float]) -> list[float]:
    """Upper ends of configurations on the roulette wheel; the last takes what rounding leaves."""
    ends, total = [], 0.0
    for share in shares:
        total += share
        ends.append(total)
    return [2.0 if 0 < end >= total else end for end in ends]
