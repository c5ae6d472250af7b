"""A certificate of a result: proofs that the verifier confirms, tried one kind after another."""

from __future__ import annotations

import json
import math
from contextlib import suppress
from fractions import Fraction
from functools import partial
from hashlib import sha256

from ....core.background import OutOfTime, attempt
from ....core.clock import Clock
from ....core.files.json_files import dump_json
from ....instances.mapreduce.instance_file import instance_document
from ....instances.mapreduce.schedule_file import schedule_document
from ....verifier.claims import BOUND_TOLERANCE, ROUNDING
from ....verifier.documents import Refused, parsed
from ....verifier.judge import lower_bound
from ....verifier.problem import Shop
from ....verifier.schedule import shortest
from ...certificate import ATTESTED, IN_PART, PROVED, Certificate, Proof, attested
from ..pattern_prices.method import WINDOWS_PROOF
from ..relaxations.linear_programs import SPREAD_PROOF
from ..result import Result, Status
from . import Claim, Route
from .closed_forms import closed_forms, last_jobs
from .job_reads import reads_of_jobs
from .prices import pattern_prices, prices_of_time, windows
from .searches import LONGER, QUICK, searches
from .spread import spread

CLOSES: tuple[Route, ...] = partial(searches, limits=QUICK), partial(searches, limits=LONGER)
"""Those that prove a makespan to the last unit, however small that is."""

ROUTES: tuple[Route, ...] = (
    closed_forms,
    last_jobs,
    reads_of_jobs,
    CLOSES[0],
    prices_of_time,
    pattern_prices,
    windows,
    spread,
    CLOSES[1],
)
"""Kinds of proofs, the cheapest first."""

CLAIMED: dict[str, Route] = {
    "last jobs": last_jobs,
    SPREAD_PROOF: spread,
    WINDOWS_PROOF: windows,
}
"""By the name of a bound that a result claims: what proves just that is tried before all others."""


SOLVERS = {"HiGHS": "highspy", "CP-SAT": "ortools"}
"""The packages of the solvers that names of bounds name."""

MOST_BYTES = 100_000
"""Longest proof of a part of the claim."""

FOR_SEARCH = 0.85
"""Part of the time in which proofs are looked for; then what is found is checked."""


def certify_result(
    result: Result,
    clock: Clock,
    text: bytes | None = None,
    routes: tuple[Route, ...] = ROUTES,
) -> Certificate:
    """The certificate of a result.

    `text`: of the instance's file; by default as `write_instance` writes it.
    """
    text = dump_json(instance_document(result.instance)).encode() if text is None else text
    # What a route has by then it still hands over.
    search = _Search(result, text, Clock(FOR_SEARCH * clock.left, clock.stop), routes)
    with suppress(OutOfTime, MemoryError):
        attempt(search.run, clock)
    proved, proofs = search.proved, list(search.proofs)
    bound = proved * search.unit
    if result.status is Status.INFEASIBLE:
        kind = PROVED if search.impossible else ATTESTED
    elif bound >= Fraction(result.lower_bound) * (1 - BOUND_TOLERANCE):
        kind = PROVED
    else:
        kind = IN_PART if proved else ATTESTED
        solver = next((SOLVERS[name] for name in SOLVERS if name in result.bound_name), "slotwise")
        proofs.append(attested(result.lower_bound, result.bound_name, solver))
    return Certificate(
        instance=result.instance.name,
        instance_sha256=sha256(text).hexdigest(),
        proofs=tuple(proofs),
        kind=kind,
        proved_bound=float(bound),
        makespan=result.makespan,
        lower_bound=result.lower_bound,
        exactly=result.status is Status.OPTIMAL and proved == search.makespan,
    )


class _Search:
    """Proofs of a result, kept as they come."""

    def __init__(
        self, result: Result, text: bytes, clock: Clock, routes: tuple[Route, ...]
    ) -> None:
        self.result, self.text, self.clock, self.routes = result, text, clock, routes
        self.unit, self.proved, self.impossible = Fraction(1), 0, False
        self.makespan: int | None = None
        self.proofs: list[Proof] = []

    def run(self) -> None:
        """Try one kind after another until the claim is proved."""
        result = self.result
        shop = Shop(parsed(self.text))
        self.unit, self.impossible = shop.unit, shop.impossible
        if result.status is Status.OPTIMAL and result.schedule is not None:
            text = json.dumps(schedule_document(result.instance, result.schedule))
            self.makespan = shortest(shop, parsed(text))
        if self.impossible:
            return
        claimed = Fraction(result.lower_bound) / shop.unit
        if self.makespan is not None:
            claimed = Fraction(self.makespan)
        target = math.ceil(claimed * (1 - ROUNDING))
        exact = math.ceil(claimed) if result.status is Status.OPTIMAL else target
        claim = Claim(result.instance, shop, target, exact, result.bound_name, self.clock)
        first = CLAIMED.get(result.bound_name)
        for route in sorted(self.routes, key=lambda route: route is not first):
            if self.proved >= target and route not in CLOSES:
                continue
            with suppress(MemoryError):  # other kinds may need less
                for proof in route(claim):
                    self._take(shop, proof, target)
                    if self.proved >= exact or self.clock.over:
                        return
                    if self.proved >= target and route not in CLOSES:
                        break

    def _take(self, shop: Shop, proof: Proof, target: int) -> None:
        """Keep a proof if the verifier takes it for more than those before it.

        A long one that does not prove the target is not worth its length.
        """
        with suppress(Refused):
            shown = lower_bound(shop, proof)
            long = shown < target and len(json.dumps(proof)) > MOST_BYTES
            if shown > self.proved and not long:
                self.proofs.append(proof)
                self.proved = shown
