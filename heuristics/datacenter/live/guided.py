"""The winner of a rehearsal, as a policy and a plan with its parameters."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from .checks import Documented, shape_of
from .plan import Plan

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
                "the guidance has no rehearsal: make it with `slotwise guide --rehearse`"
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
    """A class without bars belongs wherever it may; the plan leaves out where it cannot run."""
    if chosen.get("bonus") is None or not guidance.get("prices"):
        return guidance
    prices = {**guidance["prices"], "bonus": chosen["bonus"]}
    if not chosen.get("bars", True):
        everywhere = [entry["name"] for entry in guidance["datacenter"]["configurations"]]
        prices["belongs"] = dict.fromkeys(prices["classes"], everywhere)
    return {**guidance, "prices": prices}
