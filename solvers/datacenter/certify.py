"""Certificates of guidance: the plan is counted again, and prices prove its bound."""

from __future__ import annotations

import json
from contextlib import suppress
from hashlib import sha256

from ...core.background import OutOfTime, attempt
from ...core.clock import Clock
from ...core.files.json_files import dump_json
from ...instances.datacenter.datacenter_file import datacenter_document
from ...instances.datacenter.guidance import Guidance
from ...instances.datacenter.guidance_file import guidance_document
from ...verifier.documents import Refused, parsed
from ...verifier.judge import confirmed
from ...verifier.plans import Datacenter, greatest_rate
from ..certificate import ATTESTED, IN_PART, PROVED, Certificate, Proof, attested


def certify_guidance(guidance: Guidance, clock: Clock, text: bytes | None = None) -> Certificate:
    """The certificate of guidance.

    `text`: of the datacenter's file; by default as `write_datacenter` writes it.
    """
    document = datacenter_document(guidance.datacenter)
    text = dump_json(document).encode() if text is None else text
    proofs: list[Proof] = []
    if guidance.class_prices is not None:
        prices = zip(guidance.datacenter.classes, guidance.class_prices.value.tolist(), strict=True)
        given = {name: float(f"{price:.12g}") for name, price in prices}
        proofs.append({"proof": "class prices", "prices": given})
    kind, bound = ATTESTED, None

    def prove() -> None:
        nonlocal kind, bound
        problem = Datacenter(parsed(text))
        claim = parsed(json.dumps(guidance_document(guidance)))
        for proof in proofs:
            bound = float(greatest_rate(problem, parsed(json.dumps(proof))))
        if bound is not None:
            kind = IN_PART
            certificate = parsed(json.dumps({"proofs": proofs}))
            if confirmed(problem, claim, certificate, say=lambda line: None):
                kind = PROVED

    with suppress(OutOfTime, Refused):
        attempt(prove, clock)
    if kind != PROVED:
        proofs.append(attested(*_attested(guidance, bound), "highspy"))
    return Certificate(
        instance=guidance.datacenter.name,
        instance_sha256=sha256(text).hexdigest(),
        proofs=tuple(proofs),
        kind=kind,
        proved_bound=bound,
    )


def _attested(guidance: Guidance, bound: float | None) -> tuple[float, str]:
    """What is not proved, and who says it: the bound, or that of whole machines."""
    whole = guidance.integer_bound if guidance.target_rate is None else guidance.machines_bound
    if bound is None or whole is None or bound > guidance.arrival_rate_bound * (1 + 1e-6):
        return guidance.arrival_rate_bound, guidance.bound_name
    return float(whole), guidance.integer_proof
