"""The problem for the lesson on allocation: searched, not chosen.

On most datacenters the fit rule (A1) can be dropped without harm. The search goes through random
ones until it is worth a fifth of the arrival rate. This module as a program searches again.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np

from ....formulations.datacenter.allocation import model as allocation
from ....instances.datacenter.datacenter import Configuration, Datacenter, JobClass
from ....solvers.backends import highs

NUMBER = 302
"""The first candidate that is a witness, counted from 0."""

WORTH = 0.2
"""What the model without the fit rule adds to the arrival rate, at least."""


def candidates() -> Iterator[Datacenter]:
    """Random datacenters of three kinds of machines and three classes, always the same ones."""
    rng = random.Random(1)
    while True:
        configurations = [
            Configuration(
                name,
                rng.randint(2, 8),
                {
                    "cores": rng.choice([4, 8, 16, 32]),
                    "memory": rng.choice([8, 16, 32, 64, 128]),
                },
            )
            for name in ("m1", "m2", "m3")
        ]
        for _ in range(3):
            rng.randint(1, 5)
        shares = rng.choice([(0.5, 0.3, 0.2), (0.6, 0.3, 0.1), (0.4, 0.4, 0.2)])
        classes = [
            JobClass(
                name,
                share,
                rng.choice([0.1, 0.2, 0.25, 0.5, 1, 2]),
                {
                    "cores": rng.choice([1, 2, 4, 6, 12]),
                    "memory": rng.choice([1, 2, 4, 8, 24, 48]),
                },
            )
            for name, share in zip(("web", "batch", "train"), shares, strict=True)
        ]
        yield Datacenter.from_classes(
            "lesson-allocation",
            ["cores", "memory"],
            configurations,
            classes,
            time_unit="h",
            source="found by search: every rule is needed",
        )


def is_witness(datacenter: Datacenter) -> bool:
    """Whether the fit rule matters, at two places, and all machines and classes have a part."""
    model = allocation.build(datacenter)
    value = highs.solve(model).incumbent or 0.0
    if value < 1.0 or np.count_nonzero(~datacenter.fits) != 2:
        return False
    runs = allocation.running(model) > 1e-6
    if np.count_nonzero(runs) != 5 or not (runs.any(axis=0).all() and runs.any(axis=1).all()):
        return False
    without = highs.solve(allocation.build(datacenter, as_printed=True)).incumbent or 0.0
    return without >= (1.0 + WORTH) * value


if __name__ == "__main__":
    print(next(number for number, candidate in enumerate(candidates()) if is_witness(candidate)))
