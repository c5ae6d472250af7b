"""The plan that a dispatcher follows: checked guidance in the numbers that rules ask for."""

from __future__ import annotations

import hashlib
import json
import math
import warnings
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from ....core.arrays import IntArray
from ....core.errors import InputError
from ....core.files.json_files import JsonFile
from ....instances.datacenter.datacenter import FIT_TOLERANCE
from ....instances.datacenter.guidance import Guidance
from ....instances.datacenter.guidance_file import FORMAT, guidance_document, read_guidance
from ....instances.datacenter.rehearsal import Candidate
from ....instances.limits import MOST
from ..guided import winner_of, with_parameters
from ..policy_state import upper_ends
from ..worth.tables import WorthTables, tables_at_prices, worths_of_machines

Units = tuple[int, ...]
"""Amounts of each resource, in units of `Datacenter.unit`."""

MOST_UNITS = 1 << 62
"""Machines have at most so many units, above 4 600 times what the largest of the plan has."""


class Plan:
    """Guidance, and the document that says it."""

    def __init__(self, guidance: Guidance, document: Mapping[str, Any] | None = None) -> None:
        self.guidance, self.datacenter = guidance, guidance.datacenter
        self.document = guidance_document(guidance) if document is None else document
        data = self.datacenter
        self.class_number = {name: k for k, name in enumerate(data.classes)}
        self.configuration_number = {name: j for j, name in enumerate(data.configurations)}
        self.runs = np.isfinite(data.mean_time)
        self.upto = upper_ends(guidance)
        self.bins_of = [
            np.repeat(bins, guidance.bin_machines[bins]).tolist()
            for bins in (
                np.flatnonzero(guidance.bin_configuration == j)
                for j in range(len(data.configurations))
            )
        ]
        """Numbers of a configuration's bins, by machine."""
        self._unit = data.unit.tolist()

    @classmethod
    def of(cls, given: Mapping[str, Any] | Guidance | Plan) -> Plan:
        """The plan of a document, of guidance, or one made before. Raises `InputError`."""
        if isinstance(given, Plan):
            return given
        if isinstance(given, Guidance):
            return cls(given)
        if not isinstance(given, Mapping) or not given.get("datacenter"):
            raise InputError(f"guidance: need a {FORMAT} document with its datacenter")
        try:
            content = json.dumps(given).encode()
        except (TypeError, ValueError, RecursionError) as error:
            raise InputError(f"guidance: {error}") from None
        return cls(read_guidance(JsonFile("guidance", content, dict(given))), given)

    @cached_property
    def worth(self) -> tuple[WorthTables, float]:
        """The worth of room at the plan's prices, and the bonus, as a worth times a time.

        Raises `InputError` if it has no prices.
        """
        return tables_at_prices(self.guidance)

    def worths(self, kinds: IntArray, free: IntArray) -> IntArray:
        """The worth of what is free, shape (n, R), on machines of these configurations.

        What is beyond all machines that share a table is worth nothing.
        """
        tables, capacity = self.worth[0], self.datacenter.capacity_units
        alike = tables.first[kinds, None, 0] == tables.first[:, 0]
        most = np.where(alike[:, :, None], capacity, 0).max(axis=1)
        worths = np.zeros(len(kinds), dtype=np.int64)
        worths_of_machines(tables, np.minimum(free, most), kinds, worths)
        return worths

    @cached_property
    def fingerprint(self) -> str:
        """Tells whether two documents are the same."""
        text = json.dumps(self.document, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    def in_units(self, amounts: Mapping[str, float]) -> Units:
        """What a job needs; no positive amount becomes 0."""
        needs = (float(amounts.get(name, 0.0)) for name in self.datacenter.resources)
        return tuple(
            min(max(round(need / unit), 1), MOST_UNITS + 1) if need > 0 else 0
            for need, unit in zip(needs, self._unit, strict=True)
        )

    def capacity(self, j: int, own: Mapping[str, float] | None) -> Units:
        """What a machine of configuration j has, or one with a capacity of its own."""
        if own is None:
            return tuple(self.datacenter.capacity_units[j].tolist())
        units = (
            round(float(own.get(name, 0.0)) / unit)
            for name, unit in zip(self.datacenter.resources, self._unit, strict=True)
        )
        return tuple(min(u + math.floor(float(u) * FIT_TOLERANCE), MOST_UNITS) for u in units)

    def amounts(self, where: str, given: Mapping[str, float], of: str = "") -> dict[str, float]:
        """Amounts by resource as somebody gave them. Raises `InputError`."""
        if not isinstance(given, Mapping):
            raise InputError(f"{where}: need amounts by resource, got {given!r}")
        amounts = {}
        for name, amount in given.items():
            if name not in self.datacenter.resources:
                raise InputError(f"{where}: unknown resource {name!r}")
            try:
                amounts[name] = float(amount)
            except (TypeError, ValueError, OverflowError):
                amounts[name] = math.nan
            if not 0 <= amounts[name] <= MOST:
                need = f"need a finite number >= 0, at most {MOST:g}"
                raise InputError(f"{where}: {of}{name} is {amount}: {need}")
        return amounts

    def request(
        self, where: str, job_class: str, demand: Mapping[str, float]
    ) -> tuple[int, dict[str, float], Units]:
        """Class and demand of a job as somebody gave them. Raises `InputError`."""
        if not isinstance(job_class, str) or job_class not in self.class_number:
            raise InputError(f"{where}: unknown class {job_class!r}")
        given = self.amounts(where, demand, "demand of ")
        if not any(given.values()):
            raise InputError(f"{where}: demands nothing")
        return self.class_number[job_class], given, self.in_units(given)


def followed(
    given: Mapping[str, Any] | Guidance | Plan, policies: Sequence[str]
) -> tuple[str, Plan]:
    """The policy that won the plan's rehearsal, and the plan with its parameters.

    If it is none of the `policies`, a warning says which candidate is followed instead: the first
    in the table that is. Raises `InputError` for a plan without a rehearsal.
    """
    plan = Plan.of(given)
    chosen = winner_of(plan.guidance)
    if chosen.policy not in policies:
        assert plan.guidance.rehearsal is not None
        rows = (row.candidate for row in plan.guidance.rehearsal.candidates)
        known = (one for one in rows if one.policy in policies)
        instead = next(known, Candidate(policy="best-fit"))
        warnings.warn(
            f"the rehearsal's winner {chosen.policy} is no policy of a Dispatcher: it follows "
            f"{instead.policy}",
            stacklevel=4,
        )
        chosen = instead
    guidance = with_parameters(plan.guidance, chosen)
    if guidance is plan.guidance or isinstance(given, Plan):
        return chosen.policy, plan
    return chosen.policy, Plan(guidance)
