"""Certificates of guidance, whose plan is counted again, and of waits: prices prove the bounds."""

from __future__ import annotations

import json
from contextlib import suppress
from hashlib import sha256

from ... import verify_plans
from ...core.background import OutOfTime, attempt
from ...core.clock import Clock
from ...core.files.json_files import dump_json
from ...formulations.datacenter.waiting_bound import WaitingBound
from ...instances.datacenter.datacenter_file import datacenter_document
from ...instances.datacenter.guidance import Guidance
from ...instances.datacenter.guidance_file import guidance_document
from ...instances.datacenter.workload import Workload
from ...verify import BOUND_TOLERANCE, Refused, parsed
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
    kind, bound, kept = ATTESTED, None, len(proofs)

    def prove() -> None:
        nonlocal kind, bound, kept
        problem = verify_plans.Datacenter(parsed(text))
        claim = parsed(json.dumps(guidance_document(guidance)))
        for proof in proofs:
            bound = float(verify_plans.greatest_rate(problem, parsed(json.dumps(proof))))
        kind = ATTESTED if bound is None else IN_PART
        # With the same prices, and only if it is needed, that whole machines do not carry more.
        for more in ([], [{**proof, "proof": "whole machines"} for proof in proofs]):
            tried = parsed(json.dumps({"proofs": proofs + more}))
            if problem.judge(claim, tried, list[str]().append):
                proofs.extend(more)
                kind, kept = PROVED, len(proofs)
                return

    with suppress(OutOfTime, Refused):
        attempt(prove, clock)
    proofs = proofs[:kept]
    if kind != PROVED:
        proofs.append(attested(*_attested(guidance, bound)))
    return Certificate(
        instance=guidance.datacenter.name,
        instance_sha256=sha256(text).hexdigest(),
        proofs=tuple(proofs),
        kind=kind,
        proved_bound=bound,
    )


def _attested(guidance: Guidance, bound: float | None) -> tuple[float, str]:
    """What is not proved, and who says it: the bound, or that of whole machines."""
    whole = guidance.integer_bound
    if bound is None or whole is None or bound > guidance.arrival_rate_bound * (1 + 1e-6):
        return guidance.arrival_rate_bound, guidance.bound_name
    return whole, guidance.integer_proof


def certify_waiting(bound: WaitingBound, jobs: str, clock: Clock, text: bytes) -> Certificate:
    """The certificate of a bound on the mean wait, which lists the jobs.

    `jobs`: as `jobs_text` has them. `text`: of the datacenter's file.
    """
    document, proved = parsed(text), None

    def prove() -> None:
        nonlocal proved
        problem = verify_plans.Datacenter(document)
        proof = parsed(json.dumps(bound.proof))
        listed = verify_plans.jobs_of(problem, jobs)
        proved = verify_plans.least_mean_wait(problem, proof, listed)

    with suppress(OutOfTime, Refused):
        attempt(prove, clock)
    proofs, kind = [bound.proof], PROVED
    if proved is None or proved < bound.mean_wait * (1 - BOUND_TOLERANCE):
        proofs.append(attested(bound.mean_wait, bound.by))
        kind = IN_PART if proved else ATTESTED
    return Certificate(
        instance=document["name"],
        instance_sha256=sha256(text).hexdigest(),
        proofs=tuple(proofs),
        kind=kind,
        proved_bound=None if proved is None else float(proved),
        jobs=jobs,
    )


def jobs_text(workload: Workload) -> str:
    """The jobs as the verifier reads them: a line of numbers each, times in the time unit."""
    unit = workload.datacenter.unit
    lines = []
    for block in workload.blocks():
        columns = zip(*(column.tolist() for column in block[:3]), strict=True)
        for (arrival, k, duration), demand in zip(columns, block.demand * unit, strict=True):
            amounts = (f"{amount:.15g}" for amount in demand.tolist())
            lines.append(" ".join((f"{arrival:.12g}", f"{duration:.12g}", str(k), *amounts)))
    return "\n".join([*lines, ""])
