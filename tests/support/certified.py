"""Instances and results as the verifier reads them."""

import json
from typing import Any

from slotwise import verify
from slotwise.instances.mapreduce.instance import Instance
from slotwise.instances.mapreduce.instance_file import instance_document


def shop_of(instance: Instance) -> verify.Shop:
    """The verifier's view of an instance, from the text of its file."""
    return verify.Shop(verify.parsed(json.dumps(instance_document(instance))))


def shown(shop: verify.Shop, proof: dict[str, Any]) -> float:
    """The bound (s) that a proof shows."""
    text = json.dumps(proof)
    return float(verify.lower_bound(shop, verify.parsed(text)) * shop.unit)
