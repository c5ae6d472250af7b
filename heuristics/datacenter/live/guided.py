"""The winner of a rehearsal, as a policy and a plan with its parameters."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from .checks import Documented, shape_of
from .plan import FIT_TOLERANCE, Plan

GUIDED = "guided"
"""Name of the policy that does what the winner does."""


def followed(
    guidance: Mapping[str, Any] | Documented | Plan, policies: Sequence[str]
) -> tuple[str, Mapping[str, Any] | Plan]:
    """The winner's policy, and the document with its parameters; a plan was made of such a one.

    If it is none of the `policies`, a warning says which candidate is followed instead: the first
    in the table that is. Raises `ValueError` for guidance without a rehearsal.
    """
    if isinstance(guidance, Plan):
        return followed(guidance.document, policies)[0], guidance
    if isinstance(guidance, Documented):
        guidance = guidance.document()
    with shape_of("guidance"):
        rehearsal = guidance.get("rehearsal")
        if not rehearsal:
            raise ValueError(
                f"the guidance has no rehearsal, so {GUIDED} has no policy to follow: name one, "
                "such as bid-price, or make it with `slotwise guide --rehearse`"
            )
        chosen: Mapping[str, Any] = rehearsal["winner"]
        if chosen["policy"] not in policies:
            known = (row for row in rehearsal["candidates"] if row["policy"] in policies)
            instead = next(known, {"policy": "best-fit"})
            warnings.warn(
                f"the rehearsal's winner {chosen['policy']} is no policy of a Dispatcher: it "
                f"follows {instead['policy']}",
                stacklevel=3,
            )
            chosen = instead
        return chosen["policy"], _with_parameters(guidance, chosen)


def _with_parameters(guidance: Mapping[str, Any], chosen: Mapping[str, Any]) -> Mapping[str, Any]:
    """A class without bars belongs wherever it can run."""
    if chosen.get("bonus") is None or not guidance.get("prices"):
        return guidance
    prices = {**guidance["prices"], "bonus": chosen["bonus"]}
    if not chosen.get("bars", True):
        places = guidance["datacenter"]["configurations"]
        prices["belongs"] = {
            entry["name"]: [place["name"] for place in places if _can_run(entry, place)]
            for entry in guidance["datacenter"]["classes"]
        }
    return {**guidance, "prices": prices}


def _can_run(entry: Mapping[str, Any], place: Mapping[str, Any]) -> bool:
    """Whether a class can run on a configuration, as far as its request says."""
    times, capacity = entry["mean_time"], place["capacity"]
    return (not isinstance(times, Mapping) or place["name"] in times) and all(
        need <= capacity.get(resource, 0.0) * (1 + FIT_TOLERANCE)
        for resource, need in entry["request"].items()
    )
