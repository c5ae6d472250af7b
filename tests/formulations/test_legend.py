"""Which symbol a formula means."""

from __future__ import annotations

import pytest

from slotwise.formulations.legend import standing_in
from slotwise.formulations.mathematics import Symbol

SYMBOLS = (
    Symbol("p_i", "time of job i"),
    Symbol("p_{ik}", "time of job i on slot k"),
    Symbol("p^{\\max}_i", "longest time of job i"),
)


@pytest.mark.parametrize(
    ("formula", "meant"),
    [
        ("p_j", (0,)),
        ("p_{jl}", (1,)),
        ("p_{f(j)}", (0,)),  # a function of an index counts as one
        ("p_{f(j)l}", (1,)),
        ("p^{\\max}_j", (2,)),
        ("p_{jl} + p_j", (1, 0)),
        ("p", ()),
    ],
)
def test_a_symbol_is_known_by_its_letter_and_how_many_indices_it_has(
    formula: str, meant: tuple[int, ...]
) -> None:
    assert standing_in(SYMBOLS, formula) == meant
