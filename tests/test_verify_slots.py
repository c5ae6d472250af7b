"""The theorem of what slots wait for."""

import pytest
from certified import proved_within_optima

from slotwise import verify_slots


def some_proofs(shop, units, rng):
    """Proofs with good and bad numbers; `units` is the optimal makespan."""
    for price in (0, units // 2, units - 1, units, rng.randrange(2 * units + 2)):
        yield {"proof": "last jobs", "price": max(0, price)}


@pytest.mark.parametrize("first", range(0, 60, 30))
def test_no_proof_exceeds_the_optimum(first):
    assert proved_within_optima(range(first, first + 30), some_proofs) == set(verify_slots.PROOFS)
