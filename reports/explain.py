"""`explain`: a formulation in mathematics and, for an instance, its size and one row each."""

from __future__ import annotations

import html
import sys
import textwrap
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from importlib import import_module
from typing import Any, overload

from ..core.calls.argument_types import check_argument
from ..core.calls.checked import checked_but
from ..core.errors import CallError, InputError
from ..core.registry import Entry
from ..formulations import FORMULATIONS
from ..formulations.mathematics import Formulation, Statement, Symbol, as_mathml, as_text
from ..instances.datacenter.datacenter import Datacenter
from ..instances.hierarchy.hierarchy import Hierarchy
from ..instances.mapreduce.instance import Instance
from .explain_rows import Rows, Size, size_of
from .page import page

WIDTH = 96
"""Columns of `Explanation.text()`."""

KINDS: dict[str, type] = {
    "mapreduce": Instance,
    "datacenter": Datacenter,
    "hierarchy": Hierarchy,
}
"""What a model is explained for, by what its formulation takes."""

MOST_TERMS = 300_000
"""A model with more nonzeros than this is not built just to be explained."""


@dataclass(frozen=True)
class Explanation(Formulation):
    """A formulation, ready to be read; with `size` if an instance was given."""

    size: Size | None = None

    def __repr__(self) -> str:
        of = "" if self.size is None else f" of {self.size.instance!r}: {self.size}"
        return f"Explanation({self.name!r}{of})"

    def text(self) -> str:
        """Unicode mathematics in `WIDTH` columns, for terminals."""
        return "\n".join(_text(self)) + "\n"

    def latex(self) -> str:
        """A complete LaTeX document; equations carry the source's numbers as tags."""
        return "\n".join(_latex(self)) + "\n"

    def html(self) -> str:
        """A complete page with MathML, which needs no network and no script."""
        return page(f"{self.name} model", self._repr_html_())

    def _repr_html_(self) -> str:
        return f'<div class="slotwise-model"><style>{_STYLE}</style>\n{_html(self)}</div>'

    def document(self) -> dict[str, Any]:
        """All of it as plain data for JSON, each formula in Unicode and in LaTeX."""
        return _document(self)


def statement_of(entry: Entry) -> Formulation:
    """The mathematics beside the model: `STATEMENT`, in the model's module or one next to it."""
    module = entry.load().__module__
    for name in (module, f"{module.rpartition('.')[0]}.statement"):
        with suppress(ImportError):
            statement = getattr(import_module(name), "STATEMENT", None)
            if isinstance(statement, Formulation):
                return statement
    raise InputError(f"model {entry.name!r} comes without a statement of its mathematics")


@overload
def explain(instance: str) -> Explanation: ...


@overload
def explain(instance: Instance | Datacenter | Hierarchy | None, model: str) -> Explanation: ...


@overload
def explain(*, model: str) -> Explanation: ...


@checked_but("instance")
def explain(
    instance: Instance | Datacenter | Hierarchy | str | None = None, model: str | None = None
) -> Explanation:
    """Explain a formulation and, for an instance, the size of its model.

    Parameters
    ----------
    instance
        An instance of the kind that the formulation is for; None, or nothing at all
        (`slotwise.explain("job-order")`), for the mathematics alone.
    model
        Name of a formulation.

    Returns
    -------
    Explanation
        The explanation.

    Raises
    ------
    InputError
        For an unknown name and for an instance whose model has more than `MOST_TERMS` nonzeros.
    """
    if model is None:
        if not isinstance(instance, str):
            names = ", ".join(FORMULATIONS.names)
            raise CallError(f"explain: model: needs the name of a formulation: {names}")
        return explain(None, instance)
    entry = FORMULATIONS.lookup(model)
    build = entry.load()
    statement = statement_of(entry)
    size = None
    if instance is not None:
        check_argument(f"explain of {entry.name}: instance", instance, KINDS[entry.takes])
        assert not isinstance(instance, str)
        estimate = getattr(sys.modules[build.__module__], "estimated_terms", None)
        terms = 0.0 if estimate is None else float(estimate(instance))
        if terms > MOST_TERMS:
            raise InputError(
                f"instance {instance.name!r}: its {model} model has about {terms:.2g} nonzeros, "
                f"too many to write out (limit {MOST_TERMS:.2g}): explain a smaller instance"
            )
        size = size_of(statement, build(instance), instance)
    return Explanation(**vars(statement), size=size)


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
            yield from _wrapped(rows.caption, " " * 9, " " * 11)
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
    tables = [
        ("Sets", formulation.sets),
        ("Parameters", formulation.parameters),
        ("Variables", formulation.variables),
        ("Abbreviations", formulation.abbreviations),
    ]
    return [table for table in tables if table[1]]


def _words(symbol: Symbol) -> str:
    """Words, then domain and names in the code in brackets."""
    domain = symbol.domain if symbol.domain in ("", "binary") else as_text(symbol.domain)
    names = [domain, *(component.name for component in symbol.components)]
    known = "; ".join(name for name in names if name)
    return f"{symbol.words} [{known}]" if known else symbol.words


def _rows(explanation: Explanation, statement: Statement) -> list[Rows]:
    return [] if explanation.size is None else explanation.size.of(statement)


# As LaTeX


def _latex(explanation: Explanation) -> Iterator[str]:
    yield r"\documentclass{article}"
    yield r"\usepackage[a4paper,margin=2cm]{geometry}"
    yield r"\usepackage[T1]{fontenc}"
    yield r"\usepackage{amsmath,amssymb}"
    yield r"\allowdisplaybreaks"
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
                yield rf"\par {_tex(rows.caption)}"
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
.slotwise-model table { border-collapse: collapse; font-size: inherit; margin: .3rem 0 1.2rem;
  width: 100% }
.slotwise-model td { border: 0; border-top: 1px solid #8884; padding: .35rem .6rem;
  text-align: left; vertical-align: baseline }
.slotwise-model td:first-child { white-space: nowrap; width: 1% }
.slotwise-model h3 { margin: 1.4rem 0 .2rem }
.slotwise-model math { font-size: 1.08em }
.slotwise-model .for { text-align: right }
.slotwise-model .words { opacity: .8; padding-top: 0 }
.slotwise-model tr.more td { border-top: 0; padding-top: 0 }
.slotwise-model code { font-size: .82em; overflow-wrap: anywhere }
.slotwise-model .example { display: block; margin: .1rem 0 .3rem 1.2rem }
@media (max-width: 640px) {
  .slotwise-model table, .slotwise-model tbody, .slotwise-model tr,
  .slotwise-model td { display: block; width: auto }
  .slotwise-model td { border: 0; padding: .1rem 0; overflow-x: auto }
  .slotwise-model tr { border-top: 1px solid #8884; padding: .3rem 0 }
  .slotwise-model tr.more { border-top: 0 }
  .slotwise-model td:first-child { white-space: normal; width: auto }
  .slotwise-model .for { text-align: left }
  .slotwise-model td:empty { display: none }
}
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
            more += f"<br><code>{html.escape(rows.caption)}</code>"
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
    tables: dict[str, Any] = {"abbreviations": []}
    tables |= {
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
