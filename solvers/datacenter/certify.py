"""A certificate of guidance: the plan is counted again, and prices prove its bound."""

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
from ...verify import Refused, parsed
from ...verify_plans import Datacenter, greatest_rate, judge_guidance
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
        given = parsed(json.dumps({"proofs": proofs}))
        for proof in given["proofs"]:
            bound = float(greatest_rate(problem, proof))
            kind = PROVED if judge_guidance(problem, claim, given, list[str]().append) else IN_PART

    with suppress(OutOfTime, Refused):
        attempt(prove, clock)
    if kind != PROVED:
        proofs.append(attested(guidance.arrival_rate_bound, guidance.bound_name))
    return Certificate(
        instance=guidance.datacenter.name,
        instance_sha256=sha256(text).hexdigest(),
        proofs=tuple(proofs),
        kind=kind,
        proved_bound=bound,
    )
