"""Why list scheduling puts a task where it does, in words filled from the offers of the slots."""

from __future__ import annotations

from collections.abc import Sequence

from ....core.wording import listed, number, plural, seconds, sentences
from ....heuristics.mapreduce.list_scheduling.placement import AVAILABLE
from ..record import Fact
from .offers import EARLIEST_FINISH, FIRST_AVAILABLE, LOWEST_NUMBER, ONLY_SLOT, Choice, Offer

Facts = dict[str, Fact]


def why(
    offers: Sequence[Offer], choice: Choice, rule: int, names: Sequence[str]
) -> tuple[str, Facts, int | None]:
    """Why the chosen slot beats the others, and which of them is the most tempting.

    Returns sentences, the numbers in them that no candidate has, and the slot of the loser.
    """
    best = offers[choice.order[0]]
    facts: Facts = {}
    text = [_placed(best, names), _decided(choice, best, rule, facts)]
    others = [offer for offer in offers if offer.allowed and offer is not best]
    loser = _loser(others, choice, best, by_free=rule != AVAILABLE and not choice.is_local)
    if loser is not None:
        text.append(_tempting(loser, best, choice, rule, names, facts))
    forbidden = sum(not offer.allowed for offer in offers)
    if forbidden:
        facts["forbidden"] = forbidden
        text.append(f"The task's priority forbids {plural(forbidden, 'slot')}")
    return sentences(*text), facts, None if loser is None else loser.slot


def _placed(best: Offer, names: Sequence[str]) -> str:
    reads = f", reads for {seconds(best.setup)}," if best.setup else ""
    waits = "" if best.start == best.free else f", free since {seconds(best.free)},"
    return (
        f"On {names[best.slot]}{waits} it starts at {seconds(best.start)}{reads} and ends at "
        f"{seconds(best.end)}"
    )


def _decided(choice: Choice, best: Offer, rule: int, facts: Facts) -> str:
    """The rule, or the tie rule, by name."""
    if choice.rule == ONLY_SLOT:
        return "No other slot may run it" if not choice.is_local else "Only this slot has its input"
    where = " with its input" if choice.is_local else ""
    if choice.ties == 1:
        by_end = choice.rule == EARLIEST_FINISH
        return (
            f"No other slot{where} would end it as early"
            if by_end
            else f"No other slot{where} is free as early"
        )
    facts["ties"] = choice.ties
    same = (
        f"are free at {seconds(best.free)}"
        if choice.rule == LOWEST_NUMBER and (rule == AVAILABLE or choice.is_local)
        else f"would end it at {seconds(best.end)}"
    )
    tie = {FIRST_AVAILABLE: "the one available first", LOWEST_NUMBER: "the lowest number"}
    return (
        f"{plural(choice.ties, 'slot')}{where} {same}; "
        f"{tie.get(choice.rule, 'the shorter setup')} wins"
    )


def _loser(others: Sequence[Offer], choice: Choice, best: Offer, *, by_free: bool) -> Offer | None:
    """What another rule would take: the slot free first, or the one that ends it first."""
    if not others:
        return None
    if by_free:
        other = min(others, key=lambda offer: (offer.free, offer.slot))
        if other.free < best.free:
            return other
    else:
        other = min(others, key=lambda offer: (offer.compared, offer.setup, offer.free, offer.slot))
        if other.end < best.end:
            return other
    second = choice.order[1] if len(choice.order) > 1 else None
    return next((offer for offer in others if offer.slot == second), None)


def _tempting(
    loser: Offer, best: Offer, choice: Choice, rule: int, names: Sequence[str], facts: Facts
) -> str:
    """How the most tempting other slot loses, and by how much."""
    name = names[loser.slot]
    if loser.end < best.end:
        facts["sooner"] = sooner = best.end - loser.end
        if choice.is_local and not loser.local:
            why_not = "but does not hold its input"
        elif loser.free > best.free:
            why_not = f"but is not free before {seconds(loser.free)}"
        else:
            why_not = "but has a higher number"
        return (
            f"{name} would end it {seconds(sooner)} sooner, at {seconds(loser.end)}, {why_not} "
            "(EFSS would go there)"
        )
    facts["later"] = later = loser.end - best.end
    ends = f"end it {seconds(later)} later" if later else "end it at the same time"
    if rule != AVAILABLE and not choice.is_local and loser.free < best.free:
        slow = f"read for {seconds(loser.setup)}" if loser.setup > best.setup else "run longer"
        if loser.setup <= best.setup and loser.time <= best.time:
            slow = f"start it at {seconds(loser.start)}"
        return (
            f"{name} is free earlier, at {seconds(loser.free)}, but would {slow} and {ends} "
            f"(EASS would go there)"
        )
    return f"Next comes {name}, free at {seconds(loser.free)}: it would {ends}"


def map_needs(mb: float, holders: Sequence[str], time: float, *, secure: bool) -> str:
    """What a map task needs.

    `mb`: its input (MB).
    `time`: its processing time (s), on a slot of factor 1.
    `secure`: whether moved data may have to be encrypted.
    """
    runs = f"runs for {seconds(time)}"
    if not mb:
        return f"It reads nothing and {runs}"
    where = f"on {listed(holders)}" if holders else "outside the cluster"
    level = ", encrypted where the security level asks for it," if secure and holders else ""
    return f"Its {number(mb)} MB lie {where}; it reads them{level} and {runs}"


def reduce_needs(mb: float, time: float, job: str, release: float | None) -> str:
    """What a reduce task needs.

    `mb`: what it reads (MB).
    `time`: its processing time (s), on a slot of factor 1.
    `release`: end of the job's map phase (s) if the task waits for it, None if the slot is busy
    then.
    """
    reads = f"It reads {number(mb)} MB of {job}'s map output" if mb else "It reads nothing"
    waits = ""
    if release is not None:
        waits = f". It waits for {job}'s last map task, which ends at {seconds(release)}"
    return f"{reads} and runs for {seconds(time)}{waits}"
