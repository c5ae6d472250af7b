"""Which class a request belongs to that names none: rules on labels, and a metric."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ...core.errors import InputError
from ..limits import LEAST, MOST, bounds_of


class ClassRule(NamedTuple):
    """Requests with this label, of this value, belong to the class."""

    label: str
    value: str
    job_class: str


@dataclass(frozen=True)
class Classifier:
    """The first rule that a request's labels fulfil says its class, else the nearest class is it.

    Distances are Euclidean; without a metric amounts count in parts of the largest machine.
    """

    rules: tuple[ClassRule, ...] = ()
    """In their order."""
    metric: tuple[float, ...] = ()
    """Amount of each resource that counts as 1; empty: none."""

    def check(self, resources: Sequence[str], classes: Sequence[str]) -> None:
        """Raise `InputError` if it does not fit these resources and classes."""
        for number, rule in enumerate(self.rules):
            if rule.job_class not in classes:
                raise InputError(f"classifier, rule {number}: unknown class {rule.job_class!r}")
        if self.metric and len(self.metric) != len(resources):
            raise InputError(f"classifier, metric: need {len(resources)} amounts")
        for resource, amount in zip(resources, self.metric, strict=False):
            if not LEAST <= amount <= MOST:
                raise InputError(
                    f"classifier, metric, {resource}: must be > 0, got {amount}{bounds_of(amount)}"
                )
