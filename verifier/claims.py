"""What is said of a claim: what its certificate proves, and when that is enough."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from .documents import Document, Number, Refused, amount, need, refuse, refusing

BOUND_TOLERANCE = Fraction(1, 10**6)
"""A bound counts as confirmed, and a gap as closed, up to this part of it."""
ROUNDING = Fraction(1, 10**9)
"""A claimed amount is a rounded number."""
MOST_PROOFS = 1000
GONE = {
    "tree", "unrelated machines", "ends of map phases", "orders of all jobs", "crowded ends",
    "late work", "stages", "waiting", "whole machines",
}  # fmt: skip
"""Theorems of older certificates."""

Say = Callable[[str], object]


class OutOfTime(BaseException):
    """The reader's time is up."""


def shown_by(
    certificate: Document, show: Callable[[Document], Any], say: Say, unit: str = ""
) -> list[Any]:
    """What the proofs of a certificate show; one that is refused shows nothing."""
    found = []
    try:
        for proof in need(certificate.get("proofs"), list)[:MOST_PROOFS]:
            try:
                with refusing():
                    name = need(proof, dict).get("proof")
                    if name == "attested":
                        bound, by = decimal(amount(proof["bound"])), ascii(proof.get("by"))[:200]
                        say(f"attested, not proved: {bound}{unit} by {by}")
                    elif name in GONE:
                        refuse(f"{name} is no longer a theorem: make a new certificate")
                    else:
                        found.append(show(proof))
            except Refused as why:
                say(f"proof refused: {why}")
    except OutOfTime:
        say("stopped: the time is up")
    return found


def decimal(value: Number) -> str:
    """A number in at most 15 digits, with a sign that it goes on."""
    text = f"{float(value):.15g}"
    return text if Fraction(text) == value else f"{text}..."


def word(holds: bool) -> str:
    return "confirmed" if holds else "NOT CONFIRMED"
