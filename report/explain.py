"""`explain`: a formulation in mathematics and, for an instance, its size and worked rows."""

from __future__ import annotations

import html
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from importlib import import_module
from typing import Any

from ..formulations import FORMULATIONS
from ..formulations.statement import (
    Component,
    Formulation,
    Index,
    Statement,
    Symbol,
    as_mathml,
    as_text,
)
from ..instances.errors import InputError
from ..instances.mapreduce import Instance
from ..instances.registry import lookup

WIDTH = 96
"""Columns of `Explanation.text()`."""

MOST_TERMS = 300_000
"""A model with more nonzeros than this is not built just to be explained."""


@dataclass(frozen=True)
class Rows:
    """What a constraint component has for an instance: rows, nonzeros, and one row written out."""

    component: str
    rows: int
    nonzeros: int
    example: str


@dataclass(frozen=True)
class Size:
    """The size of the model of an instance."""

    instance: str
    binary: int
    continuous: int
    rows: int
    nonzeros: int
    components: dict[str, Rows]

    def __str__(self) -> str:
        return (
            f"{self.binary + self.continuous} variables ({self.binary} binary, "
            f"{self.continuous} continuous), {self.rows} rows, {self.nonzeros} nonzeros"
        )


@dataclass(frozen=True)
class Explanation(Formulation):
    """A formulation, ready to be read; with `size` if an instance was given."""

    size: Size | None = None

    def text(self) -> str:
        """For terminals: Unicode mathematics in `WIDTH` columns."""
        return "\n".join(_text(self)) + "\n"

    def latex(self) -> str:
        """A LaTeX document of its own; equations carry the source's numbers as tags."""
        return "\n".join(_latex(self)) + "\n"

    def html(self) -> str:
        """A page of its own with MathML, which needs no network and no script."""
        title = html.escape(f"{self.name} model")
        return (
            f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
            '<meta name="viewport" content="width=device-width">'
            "<style>:root { color-scheme: light dark } body { margin: 2rem auto; max-width: 66rem;"
            " padding: 0 1rem; font: 16px/1.45 system-ui, sans-serif }</style></head>\n"
            f"<body>{self._repr_html_()}</body></html>\n"
        )

    def _repr_html_(self) -> str:
        return f'<div class="slotwise-model"><style>{_STYLE}</style>\n{_html(self)}</div>'

    def document(self) -> dict[str, Any]:
        """All of it as plain data for JSON, each formula in Unicode and in LaTeX."""
        return _document(self)


def explain(name: str, instance: Instance | None = None) -> Explanation:
    """The formulation called `name`, and the size of its model of `instance`.

    Raises `InputError` for an unknown name and for an instance whose model is too large to write
    out (`MOST_TERMS`).
    """
    entry = lookup("model", FORMULATIONS, name)
    module = entry.target.split(":")[0]
    statement: Formulation = import_module(f"..{module}_statement", __package__).STATEMENT
    size = None
    if instance is not None:
        terms = import_module(f"..{module}", __package__).estimated_terms(instance)
        if terms > MOST_TERMS:
            raise InputError(
                f"instance {instance.name!r}: its {name} model has about {terms:.2g} nonzeros, too "
                f"many to write out (limit {MOST_TERMS:.2g}): explain a smaller instance"
            )
        size = _size(statement, entry.load()(instance), instance)
    return Explanation(**vars(statement), size=size)


# Size and worked rows


def _size(statement: Formulation, model: Any, instance: Instance) -> Size:
    import pyomo.environ as pyo
    from pyomo.repn import generate_standard_repn

    writer = _RowWriter(statement, instance)
    components = {}
    for equation, component in ((s, c) for s in statement.statements for c in s.components):
        rows = nonzeros = terms_shown = 0
        example = ""
        for index, row in model.component(component.name).items():
            standard = generate_standard_repn(row.body)
            terms = len(standard.linear_vars)
            rows, nonzeros = rows + 1, nonzeros + terms
            # The first row that shows more than one variable.
            if not rows - 1 or terms_shown < 2 <= terms:
                terms_shown = terms
                example = writer.write(component, equation.formula, index, row, standard)
        components[component.name] = Rows(component.name, rows, nonzeros, example)
    variables = list(model.component_data_objects(pyo.Var))
    binary = sum(variable.is_binary() for variable in variables)
    return Size(
        instance=instance.name,
        binary=binary,
        continuous=len(variables) - binary,
        rows=sum(part.rows for part in components.values()),
        nonzeros=sum(part.nonzeros for part in components.values()),
        components=components,
    )


class _RowWriter:
    """Writes a row of a model with the instance's own names for tasks and slots."""

    def __init__(self, statement: Formulation, instance: Instance) -> None:
        cluster = instance.cluster
        names = {
            Index.JOB: list(instance.job_names),
            Index.MAP_TASK: _within(instance.job_names, instance.maps_of.tolist()),
            Index.REDUCE_TASK: _within(instance.job_names, instance.reduces_of.tolist()),
            Index.MAP_SLOT: _within(cluster.node_names, cluster.map_slots.tolist()),
            Index.REDUCE_SLOT: _within(cluster.node_names, cluster.reduce_slots.tolist()),
        }
        # Negative task numbers are the dummy tasks of the sequence model.
        self._name: Callable[[Index, int], str] = lambda kind, number: (
            names[kind][number] if number >= 0 else {-1: "head", -2: "tail"}[number]
        )
        self._variables = {c.name: c for s in statement.variables for c in s.components}

    def write(self, component: Component, formula: str, index: Any, row: Any, standard: Any) -> str:
        """`C1[j0]: x[j0] ≥ 12·y[j0,n0.0] + 3`: every variable on the side where it is positive."""
        less, more = self._sides(row, standard)
        constant = standard.constant - (row.ub if row.has_ub() else row.lb)
        if not row.has_ub():
            less, more, constant = more, less, -constant
        # Now less + constant <= more (or =); turned so that it reads as the formula does.
        if row.equality and less and not 0 < len(more) < len(less):
            left, relation, right, constant = less, "=", more, -constant
        elif row.equality or "\\ge" in formula:
            left, relation, right = more, "=" if row.equality else "≥", less
        else:
            left, relation, right, constant = less, "≤", more, -constant
        numbers = [] if right and not constant else [f"{abs(constant):.6g}"]
        sign = "−" if constant < 0 else "+" if right else ""
        written = [_sum(left) or "0", relation, _sum(right), sign if numbers else "", *numbers]
        return f"{self._indexed(component, index)}: {' '.join(filter(None, written))}"

    def _sides(self, row: Any, standard: Any) -> tuple[list[str], list[str]]:
        """Terms of the row's body with positive and, sign turned, with negative coefficients."""
        sides: tuple[list[str], list[str]] = ([], [])
        for coefficient, variable in zip(standard.linear_coefs, standard.linear_vars, strict=True):
            parent = self._variables[variable.parent_component().name]
            name = self._indexed(parent, variable.index())
            factor = "" if abs(coefficient) == 1 else f"{abs(coefficient):.6g}·"
            sides[coefficient < 0].append(factor + name)
        return sides

    def _indexed(self, component: Component, index: Any) -> str:
        if not component.index:
            return component.name
        numbers = index if isinstance(index, tuple) else (index,)
        names = map(self._name, component.index, numbers)
        return f"{component.name}[{','.join(names)}]"


def _within(names: tuple[str, ...], counts: list[int]) -> list[str]:
    """`j0.0`, `j0.1`, `j1.0`, …: the tasks of each job, the slots of each node."""
    return [f"{name}.{k}" for name, count in zip(names, counts, strict=True) for k in range(count)]


def _sum(terms: list[str], most: int = 6) -> str:
    if len(terms) > most:
        skipped = len(terms) - most + 1
        terms = [*terms[: most - 2], f"… ({skipped} more terms) …", terms[-1]]
    return " + ".join(terms)


# As text


def _text(explanation: Explanation) -> Iterator[str]:
    size = explanation.size
    yield f"{explanation.name} model"
    yield f"Source: {explanation.source}"
    yield from _wrapped(explanation.summary)
    if size is not None:
        yield from ("", f"For {size.instance}: {size}")
    for title, symbols in _symbol_tables(explanation):
        yield from ("", title)
        formulas = [as_text(symbol.formula) for symbol in symbols]
        wide = max((len(formula) for formula in formulas if len(formula) <= 16), default=0)
        for symbol, formula in zip(symbols, formulas, strict=True):
            if len(formula) > wide:
                yield f"  {formula}"
                formula = ""
            yield from _wrapped(f"{formula:{wide}}  {_words(symbol)}", "  ", " " * (wide + 4))
    objective = explanation.objective
    yield from ("", "Objective", f"  ({objective.label})  {as_text(objective.formula)}")
    yield from ("", "Subject to")
    for statement in explanation.statements:
        label = f"({statement.label})"
        forall = f"for {as_text(statement.forall)}"
        formula = as_text(statement.formula)
        one_line = f"  {label:7}{formula:{WIDTH - 11 - len(forall)}}  {forall}"
        if len(one_line) <= WIDTH:
            yield one_line
        else:
            yield from (f"  {label:7}{formula}", f"{forall:>{WIDTH}}")
        yield from _wrapped(statement.words, " " * 9, " " * 9)
        for rows in _rows(explanation, statement):
            yield from _wrapped(_counted(rows), " " * 9, " " * 11)
            yield from _wrapped(rows.example, " " * 11, " " * 13)


def _wrapped(text: str, first: str = "", rest: str = "") -> list[str]:
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=first,
        subsequent_indent=rest,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _symbol_tables(formulation: Formulation) -> list[tuple[str, tuple[Symbol, ...]]]:
    return [
        ("Sets", formulation.sets),
        ("Parameters", formulation.parameters),
        ("Variables", formulation.variables),
        ("Abbreviations", formulation.abbreviations),
    ]


def _words(symbol: Symbol) -> str:
    """Words, then domain and names in the code in brackets."""
    domain = symbol.domain if symbol.domain in ("", "binary") else as_text(symbol.domain)
    names = [domain, *(component.name for component in symbol.components)]
    known = "; ".join(name for name in names if name)
    return f"{symbol.words} [{known}]" if known else symbol.words


def _rows(explanation: Explanation, statement: Statement) -> list[Rows]:
    size = explanation.size
    return [] if size is None else [size.components[c.name] for c in statement.components]


def _counted(rows: Rows) -> str:
    if not rows.rows:
        return f"{rows.component}: no rows"
    plural = "row" if rows.rows == 1 else "rows"
    return f"{rows.component}: {rows.rows} {plural}, {rows.nonzeros} nonzeros, such as"


# As LaTeX


def _latex(explanation: Explanation) -> Iterator[str]:
    yield r"\documentclass{article}"
    yield r"\usepackage[a4paper,margin=2cm]{geometry}"
    yield r"\usepackage[T1]{fontenc}"
    yield r"\usepackage{amsmath,amssymb}"
    yield r"\begin{document}"
    yield rf"\section*{{The {_tex(explanation.name)} model}}"
    yield rf"\noindent Source: {_tex(explanation.source)}.\par"
    yield _tex(explanation.summary)
    if explanation.size is not None:
        yield rf"\par For {_tex(explanation.size.instance)}: {_tex(str(explanation.size))}."
    for title, symbols in _symbol_tables(explanation):
        yield rf"\subsection*{{{title}}}"
        yield r"\begin{description}"
        for symbol in symbols:
            domain = symbol.domain
            domain = (
                f", ${domain}$" if domain not in ("", "binary") else _tex(domain and ", binary")
            )
            yield rf"\item[${symbol.formula}$] {_tex(symbol.words)}{domain}"
        yield r"\end{description}"
    yield r"\subsection*{Model}"
    yield r"\begin{align}"
    lines = [explanation.objective, *explanation.statements]
    for statement in lines:
        forall = f" && {statement.forall}" if statement.forall else ""
        end = "" if statement is lines[-1] else r" \\"
        yield rf"  & {statement.formula}{forall} \tag{{{statement.label}}}{end}"
    yield r"\end{align}"
    yield r"\begin{description}"
    for statement in lines:
        yield rf"\item[({statement.label})] {_tex(statement.words)}"
        for rows in _rows(explanation, statement):
            if rows.rows:
                yield rf"\par {_tex(_counted(rows))}"
                yield rf"\par {{\small\ttfamily\raggedright {_tex(rows.example)}\par}}"
    yield r"\end{description}"
    yield r"\end{document}"


_TEX = {
    **{letter: f"\\{letter}" for letter in "_&%#${}"},
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "≤": r"$\le$",
    "≥": r"$\ge$",
    "−": "$-$",
    "·": r"$\cdot$",
    "…": r"\dots{}",
    "π": r"$\pi$",
}


def _tex(text: str) -> str:
    return "".join(_TEX.get(letter, letter) for letter in text)


# As HTML

_STYLE = """
.slotwise-model table { border-collapse: collapse; margin: .3rem 0 1.2rem; width: 100% }
.slotwise-model td { border-top: 1px solid #8884; padding: .35rem .6rem; text-align: left;
  vertical-align: baseline }
.slotwise-model td:first-child { white-space: nowrap; width: 1% }
.slotwise-model h3 { margin: 1.4rem 0 .2rem }
.slotwise-model math { font-size: 1.08em }
.slotwise-model .for { text-align: right }
.slotwise-model .words { opacity: .8; padding-top: 0 }
.slotwise-model tr.more td { border-top: 0; padding-top: 0 }
.slotwise-model code { font-size: .82em; overflow-wrap: anywhere }
.slotwise-model .example { display: block; margin: .1rem 0 .3rem 1.2rem }
"""


def _html(explanation: Explanation) -> str:
    parts = [
        f"<h2>The {html.escape(explanation.name)} model</h2>",
        f"<p>{html.escape(explanation.summary)}<br>Source: {html.escape(explanation.source)}.</p>",
    ]
    if explanation.size is not None:
        size = explanation.size
        parts.append(f"<p>For <b>{html.escape(size.instance)}</b>: {size}.</p>")
    for title, symbols in _symbol_tables(explanation):
        parts.append(f"<h3>{title}</h3><table>")
        parts += [_html_symbol(symbol) for symbol in symbols]
        parts.append("</table>")
    parts.append("<h3>Model</h3><table>")
    for statement in (explanation.objective, *explanation.statements):
        forall = as_mathml(statement.forall) if statement.forall else ""
        parts.append(
            f"<tr><td>({html.escape(statement.label)})</td>"
            f"<td>{as_mathml(statement.formula, display=True)}</td>"
            f'<td class="for">{forall}</td></tr>'
        )
        more = f'<span class="words">{html.escape(statement.words)}</span>'
        for rows in _rows(explanation, statement):
            more += f"<br><code>{html.escape(_counted(rows))}</code>"
            if rows.example:
                more += f'<code class="example">{html.escape(rows.example)}</code>'
        parts.append(f'<tr class="more"><td></td><td colspan="2">{more}</td></tr>')
    parts.append("</table>")
    return "\n".join(parts)


def _html_symbol(symbol: Symbol) -> str:
    domain = symbol.domain
    domain = as_mathml(domain) if domain not in ("", "binary") else domain
    names = "<br>".join(f"<code>{component.name}</code>" for component in symbol.components)
    return (
        f"<tr><td>{as_mathml(symbol.formula)}</td><td>{html.escape(symbol.words)}</td>"
        f"<td>{domain}</td><td>{names}</td></tr>"
    )


# As data


def _document(explanation: Explanation) -> dict[str, Any]:
    tables = {
        title.lower(): [
            {
                "formula": as_text(symbol.formula),
                "latex": symbol.formula,
                "words": symbol.words,
                "domain": symbol.domain,
                "components": [component.name for component in symbol.components],
            }
            for symbol in symbols
        ]
        for title, symbols in _symbol_tables(explanation)
    }
    statements = [
        {
            "label": statement.label,
            "formula": as_text(statement.formula),
            "for": as_text(statement.forall),
            "latex": statement.formula,
            "latex_for": statement.forall,
            "words": statement.words,
            "components": [component.name for component in statement.components],
        }
        for statement in (explanation.objective, *explanation.statements)
    ]
    return {
        "model": explanation.name,
        "source": explanation.source,
        "summary": explanation.summary,
        **tables,
        "objective": statements[0],
        "statements": statements[1:],
        "size": None if explanation.size is None else asdict(explanation.size),
    }
