"""A datacenter in the steady state: machines of several configurations, jobs of several classes.

See [LoTES], section 2. Jobs arrive one by one. The arrival rate counts all of them: at a rate of λ
jobs per `time_unit`, jobs of class k arrive at the rate λ * share[k]. Each runs on one machine,
which runs any number of jobs at once as long as they fit its capacity in every resource.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ...core.arrays import BoolArray, FloatArray, IntArray
from ...core.calls import check_fields, checked
from ...core.errors import InputError
from ...core.values import ByValue
from ..array_checks import check_arrays
from ..limits import LEAST, MOST, MOST_SLOTS, bounds_of
from ..views import Tabular
from .classifier import Classifier

FIT_TOLERANCE = 1e-9
"""Jobs fit a machine if they need at most this share above its capacity: 3 * 0.1 fits 0.3."""

_DIGITS = 14
"""Resources are counted in units of 10 ** -14 times (the power of ten below) the largest capacity.
"""


@dataclass(frozen=True, eq=False)
class Datacenter(Tabular, ByValue):
    """Machine configurations and job classes: R resources, M configurations, K classes.

    Parameters
    ----------
    name
        Name of the datacenter.
    time_unit
        Unit of time, such as `h`.
    resources
        Names of the resources.
    configurations
        Names of the configurations.
    count
        Machines of each configuration, shape (M,).
    capacity
        Capacity of one machine, shape (M, R).
    classes
        Names of the classes.
    share
        Share of each class in all arrivals, shape (K,).
    mean_time
        Mean processing time (`time_unit`), inf where the class cannot run, shape (K, M).
    request
        Request of one job, shape (K, R).
    source
        Where the datacenter comes from.
    classifier
        Which class a request belongs to that names none.

    Raises
    ------
    InputError
        If something is wrong; the message names the place.
    """

    name: str
    time_unit: str
    resources: tuple[str, ...]
    configurations: tuple[str, ...]
    count: IntArray
    capacity: FloatArray
    classes: tuple[str, ...]
    share: FloatArray
    mean_time: FloatArray
    request: FloatArray
    source: str = ""
    classifier: Classifier = Classifier()

    @classmethod
    @checked
    def from_classes(
        cls,
        name: str,
        resources: Sequence[str],
        configurations: Sequence[Configuration],
        classes: Sequence[JobClass],
        *,
        time_unit: str = "h",
        source: str = "",
    ) -> Datacenter:
        """Build a datacenter from plain objects.

        Parameters
        ----------
        name
            Its name.
        resources
            Names of the resources.
        configurations
            Machine configurations.
        classes
            Job classes.
        time_unit
            Unit of time.
        source
            Where it comes from.

        Returns
        -------
        Datacenter
            The datacenter.

        Raises
        ------
        InputError
            If something is wrong; the message names the place.
        """
        for machine in configurations:
            check_fields(f"configuration {machine.name!r}", machine)
        for job_class in classes:
            check_fields(f"class {job_class.name!r}", job_class)
        names = tuple(configuration.name for configuration in configurations)
        capacity = [
            in_order(f"configuration {c.name!r}, capacity", "resource", resources, c.capacity, 0.0)
            for c in configurations
        ]
        request = [
            in_order(f"class {c.name!r}, request", "resource", resources, c.request, 0.0)
            for c in classes
        ]
        mean_time = [
            in_order(f"class {c.name!r}, mean_time", "configuration", names, c.mean_time, np.inf)
            if isinstance(c.mean_time, Mapping)
            else [c.mean_time] * len(names)
            for c in classes
        ]
        return cls(
            name=name,
            time_unit=time_unit,
            resources=tuple(resources),
            configurations=names,
            count=np.array([c.count for c in configurations], dtype=np.int64),
            capacity=np.array(capacity, dtype=float).reshape(len(names), len(resources)),
            classes=tuple(c.name for c in classes),
            share=np.array([c.share for c in classes], dtype=float),
            mean_time=np.array(mean_time, dtype=float).reshape(len(classes), len(names)),
            request=np.array(request, dtype=float).reshape(len(classes), len(resources)),
            source=source,
        )

    def __post_init__(self) -> None:
        check_fields("datacenter", self)
        for kind, names in (
            ("resource", self.resources),
            ("configuration", self.configurations),
            ("class", self.classes),
        ):
            if not names:
                raise InputError(f"need at least one {kind}")
            for name, times in Counter(names).items():
                if times > 1:
                    raise InputError(f"{kind} name {name!r} is used twice")
        kinds, machines, jobs = len(self.resources), len(self.configurations), len(self.classes)
        check_arrays(self, "", np.int64, count=(machines,))
        check_arrays(self, "", np.float64, capacity=(machines, kinds), share=(jobs,))
        check_arrays(self, "", np.float64, mean_time=(jobs, machines), request=(jobs, kinds))
        self._check("count", self.count >= 0, ">= 0")
        if not self.count.sum():
            raise InputError("configurations: need at least one machine")
        capacity, share, time, request = self.capacity, self.share, self.mean_time, self.request
        self._check("capacity", (capacity >= 0) & (capacity <= MOST), "finite and >= 0")
        self._check("share", (share >= 0) & (share <= MOST), "finite and >= 0")
        total = float(share.sum())
        if not 0 < total <= 1.001:
            raise InputError(f"classes: shares add up to {total:.6g}, need more than 0, at most 1")
        self._check("share", (share == 0) | (share >= LEAST), f"0 or at least {LEAST:g}")
        self._check("mean_time", (time >= LEAST) & (time <= MOST) | (time == np.inf), "> 0")
        self._check("request", (request >= 0) & (request <= MOST), "finite and >= 0")
        for k in np.flatnonzero(~request.any(axis=1))[:1]:
            raise InputError(
                f"class {self.classes[k]!r}, request: must be > 0 for some resource, "
                "or any number of its jobs would fit one machine"
            )
        self.classifier.check(self.resources, self.classes)

    def _check(self, field: str, right: BoolArray, need: str) -> None:
        """Raise `InputError` that names the first entry of a field that is not right."""
        for row, *column in np.argwhere(~right)[:1].tolist():
            kind, rows = ("class", self.classes)
            if field in ("count", "capacity"):
                kind, rows = "configuration", self.configurations
            names = self.configurations if field == "mean_time" else self.resources
            value = getattr(self, field)[(row, *column)]
            of = "".join(f", {names[c]}" for c in column)
            limits = "" if field == "share" else bounds_of(value)
            place = f"{kind} {rows[row]!r}, {field}{of}"
            raise InputError(f"{place}: must be {need}, got {value}{limits}")

    @property
    def machines(self) -> int:
        """Number of all machines."""
        return int(self.count.sum())

    @cached_property
    def configuration_of(self) -> IntArray:
        """Configuration of each machine, shape (machines,); machines are numbered in that order."""
        return np.repeat(np.arange(len(self.configurations)), self.count)

    @cached_property
    def rate(self) -> FloatArray:
        """Service rate μ of one running job, shape (K, M), per `time_unit`; 0 if it cannot run."""
        return 1.0 / self.mean_time

    @cached_property
    def fits(self) -> BoolArray:
        """Whether a machine of the configuration can run one job of the class, shape (K, M)."""
        inside = self.request_units[:, None, :] <= self.capacity_units[None, :, :]
        fitting: BoolArray = inside.all(axis=2) & np.isfinite(self.mean_time)
        return fitting

    @cached_property
    def unit(self) -> FloatArray:
        """Amount of each resource that counts as 1 in integers, a power of ten, shape (R,).

        Decimal numbers of up to 15 digits become integers without loss, so that sums and
        differences of requests are exact in any order.
        """
        most = self.capacity.max(axis=0)
        largest = np.where(most > 0, most, 1.0)
        unit: FloatArray = 10.0 ** (np.floor(np.log10(largest)) - _DIGITS)
        return unit

    @cached_property
    def capacity_units(self) -> IntArray:
        """`capacity` in integer units, `FIT_TOLERANCE` included, shape (M, R)."""
        units = np.rint(self.capacity / self.unit)
        capacity: IntArray = (units + np.floor(units * FIT_TOLERANCE)).astype(np.int64)
        return capacity

    @cached_property
    def request_units(self) -> IntArray:
        """`request` in integer units, shape (K, R); see `in_units`."""
        return self.in_units(self.request)

    def in_units(self, amounts: FloatArray) -> IntArray:
        """Convert amounts of the resources, shape (..., R), to integer units.

        No positive amount becomes 0. Amounts above ten times the largest capacity, which never fit,
        are cut off there.
        """
        with np.errstate(over="ignore"):
            units = np.clip(np.rint(amounts / self.unit), 0.0, 10.0 ** (_DIGITS + 2))
        integers: IntArray = np.where((units == 0) & (amounts > 0), 1.0, units).astype(np.int64)
        return integers

    def with_count(self, count: IntArray) -> Datacenter:
        """The datacenter with other numbers of machines, shape (M,)."""
        return replace(self, count=np.asarray(count, dtype=np.int64))

    def part(self, scale: float, option: str = "scale") -> Datacenter:
        """A part of the machines of every configuration, at least 1 where there are any.

        Parameters
        ----------
        scale
            Which part; it may be greater than 1.
        option
            What the part is called in messages.

        Raises
        ------
        InputError
            For a part that is no positive number, and for too many machines.
        """
        if scale == 1.0:
            return self
        if not 0 < scale < float("inf"):
            raise InputError(f"{option}: need a positive number, got {scale}")
        if scale * self.machines > MOST_SLOTS:
            raise InputError(f"{option}: need at most {MOST_SLOTS} machines in all, got {scale}")
        count = [max(1, round(n * scale)) if n else 0 for n in self.count.tolist()]
        return self.with_count(np.array(count))

    def __repr__(self) -> str:
        return (
            f"Datacenter({self.name!r}: {self.machines} machines of {len(self.configurations)} "
            f"configurations, {len(self.classes)} classes, {len(self.resources)} resources)"
        )


def in_order(
    where: str,
    kind: str,
    names: Sequence[str],
    given: Mapping[str, Any],
    missing: Any = ...,
) -> list[Any]:
    """What a mapping says of each name, in their order.

    `where`, `kind`: how messages begin, and what the names are of.
    `missing`: stands for what is not there; without it, it is an error.
    Raises `InputError`.
    """
    known = set(names)
    for name in given:
        if name not in known:
            raise InputError(f"{where}: unknown {kind} {name!r}")
    for name in names if missing is ... else ():
        if name not in given:
            raise InputError(f"{where}: nothing on {kind} {name!r}")
    return [given.get(name, missing) for name in names]


@checked
@dataclass(frozen=True)
class Configuration:
    """A machine configuration for `Datacenter.from_classes`.

    Parameters
    ----------
    name
        Its name.
    count
        Number of machines.
    capacity
        Capacity by resource, 0 where it is missing.
    """

    name: str
    count: int
    capacity: Mapping[str, float]


@checked
@dataclass(frozen=True)
class JobClass:
    """A job class for `Datacenter.from_classes`.

    Parameters
    ----------
    name
        Its name.
    share
        Its share in all arrivals.
    mean_time
        Mean processing time: one for all configurations, or by name of the configuration; the class
        cannot run on configurations that are missing.
    request
        Request by resource, 0 where it is missing.
    """

    name: str
    share: float
    mean_time: float | Mapping[str, float]
    request: Mapping[str, float]
