"""Which symbols of a formulation stand in a formula."""

from __future__ import annotations

from collections.abc import Iterator

from .mathematics import UNDER, Atom, Formulation, Symbol, parsed

Name = tuple[str, str, int]
"""A letter, its superscript if that is a word, and how many indices it has."""


def symbols_of(statement: Formulation) -> tuple[Symbol, ...]:
    return (
        *statement.variables,
        *statement.parameters,
        *statement.abbreviations,
        *statement.sets,
    )


def standing_in(symbols: tuple[Symbol, ...], *formulas: str) -> tuple[int, ...]:
    """Which symbols stand in formulas."""
    places: dict[Name, list[int]] = {}
    for k, symbol in enumerate(symbols):
        for name in names_in(symbol.formula.split("=")[0]):
            places.setdefault(name, []).append(k)
    met = (name for formula in formulas for name in names_in(formula))
    return tuple(dict.fromkeys(place for name in met for place in places.get(name, ())))


def names_in(formula: str) -> tuple[Name, ...]:
    """The symbols in a formula, each once; indices alone among them."""
    return tuple(dict.fromkeys(_names(parsed(formula))))


def _names(atoms: tuple[Atom, ...]) -> Iterator[Name]:
    for atom in atoms:
        if atom.group or atom.symbol in UNDER:
            yield from _names(atom.group + atom.below + atom.above)
        elif _is_letter(atom):
            above = "".join(sign.symbol for sign in atom.above)
            yield atom.symbol, above if len(above) > 1 else "", _indices(atom.below)


def _is_letter(atom: Atom) -> bool:
    return not atom.is_text and atom.symbol.rstrip("\N{PRIME}").isalpha()


def _indices(below: tuple[Atom, ...]) -> int:
    """How many there are: a function of an index counts as one."""
    letters = depth = 0
    for atom in below:
        depth += (atom.symbol == "(") - (atom.symbol == ")")
        letters += depth == 0 and _is_letter(atom)
    return letters
