r"""The mathematics of a formulation as data, next to the code that builds its model.

Each formulation has it in `statement.py` as `STATEMENT`. A formula is written once, in a small
subset of LaTeX: letters, digits, sub- and superscripts, `\text{…}` and the commands in `SYMBOLS`.
`as_text` and `as_mathml` render the same formula for terminals and browsers.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from enum import StrEnum
from functools import cache


class Index(StrEnum):
    """What an index of a variable or constraint component counts."""

    JOB = "job"
    MAP_TASK = "map task"
    REDUCE_TASK = "reduce task"
    MAP_SLOT = "map slot"
    REDUCE_SLOT = "reduce slot"
    CLASS = "class"
    CONFIGURATION = "configuration"
    RESOURCE = "resource"
    LEAF = "leaf"
    GROUP = "group"
    ROW = "row"


@dataclass(frozen=True)
class Component:
    """A component of the Pyomo model.

    Parameters
    ----------
    name
        Its name.
    index
        What its indices count.
    """

    name: str
    index: tuple[Index, ...] = ()


@dataclass(frozen=True)
class Symbol:
    """A set, parameter, abbreviation or variable.

    Parameters
    ----------
    formula
        The symbol in LaTeX.
    words
        What it means.
    components
        The variable's components in the model.
    domain
        `binary`, or the bounds of a continuous variable as a formula.
    """

    formula: str
    words: str
    components: tuple[Component, ...] = ()
    domain: str = ""


@dataclass(frozen=True)
class Statement:
    """A numbered objective or constraint.

    Parameters
    ----------
    label
        Its number in the source.
    formula
        The formula in LaTeX.
    forall
        The indices that it holds for.
    words
        The same in words.
    components
        Its components in the model. Without any it needs no row, for the reason that `words` gives.
    """

    label: str
    formula: str
    forall: str
    words: str
    components: tuple[Component, ...] = ()


@dataclass(frozen=True)
class Formulation:
    """A whole formulation."""

    name: str
    """Its name in the registry."""
    source: str
    """Where it is published."""
    summary: str
    """What it is, in words."""
    sets: tuple[Symbol, ...]
    parameters: tuple[Symbol, ...]
    variables: tuple[Symbol, ...]
    abbreviations: tuple[Symbol, ...]
    """`sets`, `parameters`, `variables`, `abbreviations`: its symbols."""
    objective: Statement
    statements: tuple[Statement, ...]
    """The constraints."""


SYMBOLS = {
    "sum": "∑",
    "min": "min",
    "max": "max",
    "le": "≤",
    "ge": "≥",
    "ne": "≠",
    "in": "∈",
    "emptyset": "∅",
    "cup": "∪",
    "cdot": "·",
    "alpha": "α",
    "delta": "δ",
    "lambda": "λ",
    "mu": "μ",
    "theta": "θ",
    "pi": "π",
    "rho": "ρ",
    "tau": "τ",
    "omega": "ω",
    "Delta": "Δ",
    "mathcal M": "ℳ",
    "{": "{",
    "}": "}",
    ",": " ",
}
"""LaTeX commands that a formula may use, and how they read."""

_SPACED = set("=≤≥≠<>∈∪+-")
UNDER = {"∑", "min", "max"}
_SUBSCRIPTS = dict(
    zip("0123456789+-=()aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ", strict=True)
) | {"′": "′", ",": ","}
_SUPERSCRIPTS = dict(
    zip(
        "0123456789+-=()abcdefghijklmnoprstuvwxyz",
        "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ",
        strict=True,
    )
)
_TOKEN = re.compile(
    r"\\text\{(?P<text>[^}]*)\}"
    r"|\\(?P<command>mathcal M|[a-zA-Z]+|[{},])"
    r"|(?P<plain>[a-zA-Z]'?|\d+|[-+=<>()|/,;.:])"
    r"|(?P<mark>[{}_^])|\s+"
)


@dataclass(frozen=True)
class Atom:
    """A symbol or a group, with its subscript and superscript."""

    symbol: str = ""
    is_text: bool = False
    group: tuple[Atom, ...] = ()
    below: tuple[Atom, ...] = ()
    above: tuple[Atom, ...] = ()


def as_text(formula: str) -> str:
    """Render a formula in Unicode, for terminals."""
    return " ".join(_text(parsed(formula)).split())


def as_mathml(formula: str, *, display: bool = False) -> str:
    """Render a formula as a MathML element, which browsers draw without any library."""
    style = ' displaystyle="true"' if display else ""
    return f"<math{style}>{_mathml(parsed(formula))}</math>"


@cache
def parsed(formula: str) -> tuple[Atom, ...]:
    """The atoms of a formula. Raises `ValueError` if it cannot be read."""
    tokens: list[re.Match[str]] = []
    place = 0
    while place < len(formula):
        match = _TOKEN.match(formula, place)
        if match is None:
            raise ValueError(f"cannot read {formula[place:]!r} in the formula {formula!r}")
        place = match.end()
        if match.lastgroup:
            tokens.append(match)
    tokens.reverse()
    atoms = _sequence(tokens)
    if tokens:
        raise ValueError(f"too many closing braces in the formula {formula!r}")
    return atoms


def _sequence(tokens: list[re.Match[str]]) -> tuple[Atom, ...]:
    """Atoms up to the end or a closing brace; consumes `tokens` from its end."""
    atoms: list[Atom] = []
    while tokens and tokens[-1][0] != "}":
        atoms.append(_scripted(_one(tokens), tokens))
    return tuple(atoms)


def _one(tokens: list[re.Match[str]]) -> Atom:
    if not tokens:
        raise ValueError("a script is missing at the end of a formula")
    token = tokens.pop()
    if token["text"] is not None:
        return Atom(token["text"], is_text=True)
    if token["command"] is not None:
        if token["command"] not in SYMBOLS:
            raise ValueError(f"no command {token[0]!r} in a formula: add it to SYMBOLS")
        return Atom(SYMBOLS[token["command"]])
    if token["plain"] is not None:
        return Atom(token[0].replace("'", "′"))
    if token[0] != "{":
        raise ValueError(f"misplaced {token[0]!r} in a formula")
    inner = _sequence(tokens)
    if not tokens:
        raise ValueError("a closing brace is missing in a formula")
    tokens.pop()
    return Atom(group=inner)


def _scripted(base: Atom, tokens: list[re.Match[str]]) -> Atom:
    scripts: dict[str, tuple[Atom, ...]] = {}
    while tokens and tokens[-1]["mark"] in ("_", "^"):
        mark = tokens.pop()[0]
        script = _one(tokens)
        scripts[mark] = script.group or (script,)
    below, above = scripts.get("_", ()), scripts.get("^", ())
    return Atom(base.symbol, base.is_text, base.group, below, above)


def _text(atoms: tuple[Atom, ...], *, tight: bool = False) -> str:
    pieces = []
    for atom in atoms:
        piece = _text(atom.group, tight=tight) if atom.group else atom.symbol
        if not tight and not atom.is_text:
            if piece in _SPACED:
                piece = f" {piece} "
            elif piece == ",":
                piece = ", "
        piece += _script(atom.above, "^", _SUPERSCRIPTS) + _script(atom.below, "_", _SUBSCRIPTS)
        pieces.append(piece + " " if atom.symbol in UNDER and atom.below else piece)
    return "".join(pieces).replace("-", "−")


def _script(atoms: tuple[Atom, ...], mark: str, small: dict[str, str]) -> str:
    text = _text(atoms, tight=True).replace("−", "-")
    if all(letter in small for letter in text):
        return "".join(small[letter] for letter in text)
    return f"{mark}{{{text}}}".replace("-", "−")


def _mathml(atoms: tuple[Atom, ...]) -> str:
    return "<mrow>" + "".join(map(_mathml_atom, atoms)) + "</mrow>"


def _mathml_atom(atom: Atom) -> str:
    base = _mathml(atom.group) if atom.group else _mathml_symbol(atom)
    below, above = _mathml(atom.below), _mathml(atom.above)
    if atom.below and atom.symbol in UNDER:
        return f"<munder>{base}{below}</munder>"
    if atom.below and atom.above:
        return f"<msubsup>{base}{below}{above}</msubsup>"
    if atom.below:
        return f"<msub>{base}{below}</msub>"
    return f"<msup>{base}{above}</msup>" if atom.above else base


def _mathml_symbol(atom: Atom) -> str:
    text = html.escape(atom.symbol.replace("-", "−"))
    if atom.is_text:
        return f"<mtext>{text.replace(' ', '&nbsp;')}</mtext>"
    if not text.strip():
        return '<mspace width="0.17em"></mspace>'
    if text in ("min", "max"):
        return f'<mo lspace="0" rspace="0.17em">{text}</mo>'
    if text.endswith("′"):
        return f'<mrow><mi>{text[:-1]}</mi><mo lspace="0" rspace="0">′</mo></mrow>'
    tag = "mn" if text.isdigit() else "mi" if text.isalpha() else "mo"
    return f"<{tag}>{text}</{tag}>"
