"""The winner of a rehearsal: the policy that waited least on jobs like those at hand."""

from __future__ import annotations

from dataclasses import replace

from ...core.errors import InputError
from ...instances.datacenter.guidance import Guidance
from ...instances.datacenter.rehearsal import GUIDED, Candidate
from .engine.state import System
from .policy import RunningPolicy, policy_kind
from .policy_state import Setting
from .worth.tables import check_prices


def with_parameters(guidance: Guidance, candidate: Candidate) -> Guidance:
    """The plan under which the candidate's policy has the candidate's parameters.

    Raises `InputError` if these are of prices that the plan does not have.
    """
    if candidate.bonus is None:
        return guidance
    prices = replace(check_prices(guidance), bonus=candidate.bonus)
    if not candidate.bars:
        prices = replace(prices, belongs=guidance.datacenter.fits)
    return replace(guidance, class_prices=prices)


def winner_of(guidance: Guidance) -> Candidate:
    """Raises `InputError` if the plan was not rehearsed."""
    if guidance.rehearsal is None:
        raise InputError(
            f"this plan was not rehearsed, so {GUIDED} has no policy to follow: name one, such as "
            "bid-price, or make the plan with `slotwise guide --rehearse`"
        )
    return guidance.rehearsal.winner


class Guided:
    """What the winner of the guidance's rehearsal does."""

    name = GUIDED
    follows_plan = True

    def begin_run(self, setting: Setting, system: System) -> RunningPolicy:
        """Raises `InputError` if the plan was not rehearsed."""
        guidance = setting.required_guidance()
        winner = winner_of(guidance)
        kind = policy_kind(winner.policy)
        setting = replace(setting, guidance=with_parameters(guidance, winner))
        return kind.begin_run(setting, system)
