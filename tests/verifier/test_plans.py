"""Guidance is proved exactly, and false claims are not."""

import copy
import json
import random
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from certified import read_exactly, tampered

import slotwise
from slotwise.instances.datacenter.guidance_file import guidance_document as document_of
from slotwise.verifier.claims import GONE
from slotwise.verifier.documents import Refused
from slotwise.verifier.judge import confirmed, problem_of
from slotwise.verifier.plans import Datacenter, greatest_rate, most_valuable


def lines(problem: Any, claim: Any, certificate: Any) -> tuple[bool, list[str]]:
    """The verdict, and what was said."""
    findings: list[str] = []
    documents = read_exactly(claim), read_exactly(certificate)
    try:
        holds = confirmed(problem_of(read_exactly(problem)), *documents, say=findings.append)
    except Refused as why:
        return False, [*findings, str(why)]
    return holds, findings


@pytest.mark.parametrize("seed", range(20))
def test_the_most_valuable_bin_against_all_bins(seed: int) -> None:
    rng = random.Random(seed)
    document = {
        "format": "slotwise/datacenter/1",
        "name": "d",
        "resources": ["cpu", "memory"],
        "configurations": [{"name": "m", "count": 2, "capacity": {"cpu": 4, "memory": 3.5}}],
        "classes": [
            {
                "name": f"k{k}",
                "share": 0.25,
                "mean_time": rng.choice([1, 2, 0.3]),
                "request": {"cpu": rng.choice([1, 2, 0.5]), "memory": rng.choice([0, 0.5, 1])},
            }
            for k in range(4)
        ],
    }
    datacenter = Datacenter(read_exactly(document))
    prices = [Fraction(rng.randint(0, 9), 7) for _ in range(4)]
    best = max(
        sum(n * p * r[0] for n, p, r in zip(jobs, prices, datacenter.rate, strict=True))
        for jobs in product(range(9), repeat=4)
        if all(
            sum(n * q[r] for n, q in zip(jobs, datacenter.request, strict=True))
            <= datacenter.capacity[0][r]
            for r in range(2)
        )
    )
    assert most_valuable(datacenter, 0, prices) == best


def test_bounds_of_whole_machines_are_attested() -> None:
    # Four machines: the linear program carries 8/7, whole machines 1.
    datacenter = slotwise.read("example:four-machines")
    text = Path(slotwise.__file__).with_name("examples").joinpath("four-machines.json").read_text()
    plan = slotwise.guide(datacenter)
    certificate = slotwise.certify(plan)
    assert certificate.kind == "proved in part"
    assert [proof["proof"] for proof in certificate.proofs] == ["class prices", "attested"]
    assert certificate.proofs[1]["bound"] == plan.integer_bound
    holds, findings = lines(json.loads(text), document_of(plan), certificate.document())
    assert not holds
    assert findings[0].startswith("attested, not proved: 1")
    assert "integer program over all bins" in findings[0]
    assert findings[-1].startswith("whole machines: no plan carries more than 1.142857")


def test_theorems_that_are_gone_are_refused_in_a_line() -> None:
    datacenter, plan, certificate = guidance_document()
    gone = [{"proof": name, "prices": {}} for name in GONE]
    holds, findings = lines(datacenter, plan, certificate | {"proofs": gone})
    assert not holds
    assert findings[: len(gone)] == [
        f"proof refused: {name} is no longer a theorem: make a new certificate" for name in GONE
    ]
    holds, _ = lines(datacenter, plan, certificate | {"proofs": gone + certificate["proofs"]})
    assert holds


def guidance_document(target: float | None = None) -> tuple[Any, Any, Any]:
    """A datacenter, its guidance, its certificate, as documents."""
    datacenter = slotwise.read("example:google-2011")
    plan = slotwise.guide(datacenter, target_rate=target)
    text = Path(slotwise.__file__).with_name("examples").joinpath("google-2011.json").read_text()
    return json.loads(text), document_of(plan), slotwise.certify(plan).document()


@pytest.mark.parametrize("target", [None, 2e6])
def test_a_plan_and_its_bound_are_proved(target: float | None) -> None:
    datacenter, plan, certificate = guidance_document(target)
    assert certificate["class"] == "proved"
    assert lines(datacenter, plan, certificate)[0]
    false = {
        "a bound below the truth": lambda p: p.update(arrival_rate_bound=4.7e6),
        "a rate that the bins do not carry": lambda p: p.update(
            arrival_rate=p["arrival_rate"] * 1.001
        ),
        "one machine more in a bin": lambda p: p["bins"][0].update(
            machines=p["bins"][0]["machines"] + 1
        ),
        "proportions of another plan": lambda p: p["proportions"].update({"k1": {"c1": 1.0}}),
    }
    if target is not None:
        false["machines"] = lambda p: p.update(machines_bound=p["machines_bound"] + 1)
    for name, change in false.items():
        wrong = copy.deepcopy(plan)
        change(wrong)
        assert not lines(datacenter, wrong, certificate)[0], name


def test_hostile_documents_are_judged_or_refused() -> None:
    documents = guidance_document(2e6)
    for seed in range(150):
        hostile = list(documents)
        hostile[seed % 3] = tampered(hostile[seed % 3], seed)
        holds, _ = lines(*hostile)
        if holds and seed % 3 == 1:
            assert hostile[1]["arrival_rate"] <= documents[1]["arrival_rate"] * (1 + 1e-9)
            assert hostile[1]["arrival_rate_bound"] >= documents[1]["arrival_rate"]


def test_no_prices_prove_a_rate_below_a_plan() -> None:
    datacenter, plan, _ = guidance_document()
    problem, rng = Datacenter(read_exactly(datacenter)), random.Random(1)
    for _ in range(20):
        prices = {name: Fraction(rng.randint(0, 50), 9) for name in problem.classes}
        proof = {"proof": "class prices", "prices": prices}
        assert greatest_rate(problem, proof) >= plan["arrival_rate"] * (1 - 1e-9)
