"""Proofs by prices of slots of different speed."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ....formulations.mapreduce.unrelated_machines import model as formulation
from ....instances.mapreduce.usable_slots import usable_slots
from ...backends.highs import linear_duals, objective_value
from ...certificate import Proof
from .claim import Claim

WHOLE_PRICES = 10**9
"""The greatest whole price of a slot."""

ROUNDING = 1e-9
"""Relative: by so much the program's optimum may be wrong."""

MOST_TERMS = 200_000.0
"""Larger programs take too long."""


def unrelated_machines(claim: Claim) -> Iterator[Proof]:
    """Prices for each phase: duals of the linear program. They may prove less than the target."""
    instance, unit = usable_slots(claim.instance).instance, claim.shop.unit
    horizon = max(claim.target - 1, 0)
    if instance.speed_factors is None or formulation.estimated_terms(instance) > MOST_TERMS:
        return
    for phase, slot, first in (
        ("map", "U3_map_slot", "U4_one_last_job"),
        ("reduce", "U2_reduce_slot", "U4_one_first_job"),
    ):
        if claim.stop() or not claim.shop.phases[phase].job:
            continue
        model = formulation.build(instance, horizon=float(horizon * unit), only=[phase])
        slots, firsts = (list(model.component(name).values()) for name in (slot, first))
        try:
            duals = linear_duals(model, [*slots, *firsts])
            most = int(objective_value(model) * (1 - ROUNDING) / unit)
        except RuntimeError:  # nothing fits the horizon, whatever the prices
            duals, most = dict.fromkeys([*slots, *firsts], 0.0), horizon
        price, granted = (np.abs([duals[row] for row in rows]) for rows in (slots, firsts))
        scale = WHOLE_PRICES / (float(price.max()) or 1.0)
        yield {
            "proof": "unrelated machines",
            "phase": phase,
            "horizon": min(horizon, most),
            "price": [round(p * scale) for p in price.tolist()],
            "first": [int(g * scale / unit) for g in granted.tolist()],  # seconds in the program
        }
