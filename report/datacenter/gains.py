"""What more of a resource brings, in words."""

from __future__ import annotations

import numpy as np

from ...core.arrays import FloatArray
from ...core.wording import percent
from ...instances.datacenter.datacenter import Datacenter
from ...instances.datacenter.guidance import Gains

MOST_NAMED = 3
"""Most configurations named in a sentence."""


def more_of(datacenter: Datacenter, gains: Gains, r: int) -> str:
    """What more of one resource brings, as sentences that follow others.

    Returns the sentences, each after a space; empty if nothing was solved again.
    """
    gain, names = float(gains.everywhere[r]), datacenter.configurations
    resource = datacenter.resources[r]
    if np.isnan(gain):
        return ""
    if gain > 0:
        place = np.nan_to_num(gains.place[:, r])
        alone = [f"{names[j]} alone {percent(float(place[j]))}" for j in _best(place)]
        listed = f" ({', '.join(alone)})" if alone and len(names) > 1 else ""
        words = (
            f" Solved again, 1 % more {resource} on all machines brings {percent(gain)} more "
            f"jobs{listed}."
        )
    else:
        words = f" Solved again, 1 % more {resource} on all machines brings nothing."
        first = gains.first[datacenter.count > 0, r]
        if np.isinf(first).all():
            return f"{words} Nor does up to twice as much."
    least = np.nan_to_num(gains.first_gain[:, r])
    return words + "".join(
        f" On {names[j]} it takes {percent(float(gains.first[j, r]))} more, which brings "
        f"{percent(float(least[j]))}."
        for j in _best(least)[:1]
    )


def _best(gain: FloatArray) -> list[int]:
    """The numbers of the largest gains above 0."""
    order = np.argsort(-gain, kind="stable")[:MOST_NAMED].tolist()
    return [j for j in order if gain[j] > 0]
