"""A certificate of fair shares: the verifier computes them anew, in fractions."""

from __future__ import annotations

import json
from contextlib import suppress
from hashlib import sha256

from ...core.background import OutOfTime, attempt
from ...core.clock import Clock
from ...core.files.json_files import dump_json
from ...instances.hierarchy.allocation import Allocation
from ...instances.hierarchy.hierarchy_file import hierarchy_document
from ...verify import Refused, parsed
from ...verify_shares import Tree, judge_shares
from ..certificate import ATTESTED, PROVED, Certificate


def certify_allocation(
    allocation: Allocation, clock: Clock, text: bytes | None = None
) -> Certificate:
    """The certificate of an allocation.

    `text`: of the hierarchy's file; by default as `write_hierarchy` writes it.
    """
    hierarchy = allocation.hierarchy
    text = dump_json(hierarchy_document(hierarchy)).encode() if text is None else text
    confirmed = False

    def prove() -> None:
        nonlocal confirmed
        claim = parsed(json.dumps(allocation.document()))
        tree = Tree(parsed(text))
        confirmed = judge_shares(tree, claim, list[str]().append)

    with suppress(OutOfTime, Refused):
        attempt(prove, clock)
    proof = {"proof": "stages"} if confirmed else {"proof": "attested", "by": [allocation.method]}
    return Certificate(
        instance=hierarchy.name,
        instance_sha256=sha256(text).hexdigest(),
        proofs=(proof,),
        kind=PROVED if confirmed else ATTESTED,
    )
