"""Claims about instances as the verifier reads them, and claims that somebody has tampered with."""

import copy
import json
import random
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from brute_force import optimum
from random_instances import any_parts

from slotwise.core.clock import Clock
from slotwise.instances.mapreduce.cluster import Cluster, Rates
from slotwise.instances.mapreduce.eligibility import impossible
from slotwise.instances.mapreduce.instance import Instance, Job, MapTask
from slotwise.instances.mapreduce.instance_file import instance_document
from slotwise.solvers.mapreduce.proofs import Claim
from slotwise.verifier.documents import Refused, parsed
from slotwise.verifier.judge import confirmed, lower_bound
from slotwise.verifier.problem import Shop

Document = dict[str, Any]

JUNK = (None, True, "", "waits", [], {}, [[]], {"proof": "waits"}, -1, 0, 1, 0.5, 1e-30, 10**30)


def spread_or_gathered() -> Instance:
    """Two racks of a node each, four map tasks whose input both hold, a reduce task of 5 s."""
    rates = Rates(100, 50, 25)
    cluster = Cluster.uniform(2, racks=2, map_slots=2, reduce_slots=1, rates=rates)
    job = Job("a", [MapTask(9, 100, ["n0", "n1"])] * 4, [5], 1)
    return Instance.from_jobs("spread", cluster, [job])


def read_exactly(document: Any) -> Any:
    """A document as the verifier reads its text."""
    return parsed(json.dumps(document))


def shop_of(instance: Instance) -> Shop:
    """The verifier's view of an instance, from the text of its file."""
    return Shop(read_exactly(instance_document(instance)))


def claim(
    shop: Shop, target: int, instance: Instance | None = None, name: str = "", seconds: float = 20.0
) -> Claim:
    """What emitters of proofs are asked to prove: a bound in units."""
    return Claim(instance, shop, target, target, name, Clock(seconds))


def shown(shop: Shop, proof: Document) -> float:
    """The bound (s) that a proof shows."""
    return float(lower_bound(shop, read_exactly(proof)) * shop.unit)


def certificate_of(instance: Instance, proofs: list[Document]) -> Document:
    """A `slotwise/certificate/1` document."""
    return {"format": "slotwise/certificate/1", "instance": instance.name, "proofs": proofs}


def judged(shop: Shop, result: Document, certificate: Document) -> bool:
    """The verdict on documents that were written and read again; False if they are refused."""
    try:
        return confirmed(
            shop, read_exactly(result), read_exactly(certificate), say=lambda line: None
        )
    except Refused:
        return False


def tampered(document: Document, seed: int) -> Document:
    """The document with one to three fields swapped, scaled, cut, repeated or replaced."""
    rng = random.Random(seed)
    document = copy.deepcopy(document)
    for _ in range(rng.randint(1, 3)):
        places = list(_places(document))
        if not places:
            break
        holder, key = rng.choice(places)
        value = holder[key]
        ways = [rng.choice(JUNK)]
        if isinstance(value, (int, float)):
            ways = [value + 1, value - 1, value * 2, value * (1 - 1e-3), -value, 0, *ways]
        elif isinstance(value, list):
            shuffled = rng.sample(value, len(value))
            ways = [value[: len(value) // 2], value * 2, value[::-1], shuffled, *ways]
        elif isinstance(value, str):
            others = [h[k] for h, k in places if isinstance(h[k], str)]
            ways = [rng.choice(others), *ways]
        if isinstance(holder, dict) and rng.random() < 0.1:
            del holder[key]
        else:
            other, at = rng.choice(places)
            swapped = rng.random() < 0.2 and not _inside(value, other)
            holder[key] = copy.deepcopy(other[at]) if swapped else rng.choice(ways)
    return document


def _inside(value: Any, holder: Any) -> bool:
    return any(below is holder for below, _ in _places(value)) or value is holder


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every holder with the key of a value in it."""
    if isinstance(value, (dict, list)):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield value, key
            yield from _places(value[key])


def proved_within_optima(
    seeds: Iterable[int],
    proofs: Callable[[Shop, int, random.Random], Iterator[Document]],
) -> set[str]:
    """Names of proofs that the verifier takes on small instances, none above the optimum.

    `proofs`: proofs with good and bad numbers for an instance whose optimum has so many units.
    """
    proved = set()
    for seed in seeds:
        instance = any_parts(seed, tiny_every=3)
        if impossible(instance) is not None:
            continue
        shop, least = shop_of(instance), optimum(instance)
        for proof in proofs(shop, round(least / float(shop.unit)), random.Random(seed)):
            try:
                bound = shown(shop, proof)
            except Refused:
                continue
            proved.add(proof["proof"])
            assert bound <= least * (1 + 1e-9) + 1e-12, (seed, proof)
    return proved
