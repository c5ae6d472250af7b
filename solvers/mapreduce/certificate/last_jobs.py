"""Proofs by the jobs that end the map slots."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ....formulations.mapreduce.bounds.last_jobs import least_rises
from ....instances.mapreduce.usable_slots import usable_slots
from ...certificate import Proof
from .claim import Claim


def last_jobs(claim: Claim) -> Iterator[Proof]:
    """The price of the slot that decides, in whole units and then with a fraction of one."""
    work, rises = least_rises(usable_slots(claim.instance).instance)
    if not rises.size:
        return
    ends = (work + np.cumsum(rises)) / np.arange(1, rises.size + 1)
    price = float(min(rises[-1], ends.min()) / claim.shop.unit)
    for value in dict.fromkeys((round(price), round(price, 3))):
        yield {"proof": "last jobs", "price": value}
