"""`explain`: a formulation in mathematics and, for an instance, its size and one row each."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from html import escape
from importlib import import_module
from typing import Any, overload

from ..core.calls import check_argument, checked
from ..core.errors import CallError, InputError
from ..core.registry import Entry
from ..formulations import FORMULATIONS
from ..formulations.mathematics import Formulation, Statement, Symbol, as_mathml, as_text
from ..instances.datacenter.datacenter import Datacenter
from ..instances.hierarchy.hierarchy import Hierarchy
from ..instances.mapreduce.instance import Instance
from .explain_rows import Rows, Size, size_of
from .latex import escaped
from .page import page, web_file

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


def sections(formulation: Formulation) -> list[tuple[str, tuple[Symbol | Statement, ...]]]:
    """What every rendering walks: tables of symbols, then objective and constraints, by title."""
    every: list[tuple[str, tuple[Symbol | Statement, ...]]] = [
        ("Sets", formulation.sets),
        ("Parameters", formulation.parameters),
        ("Variables", formulation.variables),
        ("Abbreviations", formulation.abbreviations),
        ("Model", (formulation.objective, *formulation.statements)),
    ]
    return [(title, parts) for title, parts in every if parts]


def domain(symbol: Symbol, written: Callable[[str], str]) -> str:
    """The domain of a variable, in which `written` writes the formula; empty if it has none."""
    return symbol.domain if symbol.domain in ("", "binary") else written(symbol.domain)


@dataclass(frozen=True)
class Explanation(Formulation):
    """A formulation, ready to be read; with `size` if an instance was given."""

    size: Size | None = None

    def __repr__(self) -> str:
        of = "" if self.size is None else f" of {self.size.instance!r}: {self.size}"
        return f"Explanation({self.name!r}{of})"

    def text(self) -> str:
        """Unicode mathematics in `WIDTH` columns, for terminals."""
        lines = [f"{self.name} model", f"Source: {self.source}", *_wrapped(self.summary)]
        if self.size is not None:
            lines += ["", f"For {self.size.instance}: {self.size}"]
        for title, parts in sections(self):
            if title != "Model":
                lines += ["", title]
            short = (len(formula) for part in parts if len(formula := as_text(part.formula)) <= 16)
            wide = max(short, default=0)
            for part in parts:
                formula = as_text(part.formula)
                if isinstance(part, Symbol):
                    if len(formula) > wide:
                        lines.append(f"  {formula}")
                        formula = ""
                    names = (domain(part, as_text), *(one.name for one in part.components))
                    known = "; ".join(filter(None, names))
                    words = f"{part.words} [{known}]" if known else part.words
                    lines += _wrapped(f"{formula:{wide}}  {words}", "  ", " " * (wide + 4))
                    continue
                label, forall = f"({part.label})", f"for {as_text(part.forall)}"
                if part is self.objective:
                    lines += ["", "Objective", f"  {label}  {formula}", "", "Subject to"]
                    continue
                line = f"  {label:7}{formula:{WIDTH - 11 - len(forall)}}  {forall}"
                fits = len(line) <= WIDTH
                lines += [line] if fits else [f"  {label:7}{formula}", f"{forall:>{WIDTH}}"]
                lines += _wrapped(part.words, " " * 9, " " * 9)
                for rows in self._rows(part):
                    lines += _wrapped(rows.caption, " " * 9, " " * 11)
                    lines += _wrapped(rows.example, " " * 11, " " * 13)
        return "\n".join(lines) + "\n"

    def latex(self) -> str:
        """A complete LaTeX document; equations carry the source's numbers as tags."""
        lines = [
            r"\documentclass{article}",
            r"\usepackage[a4paper,margin=2cm]{geometry}",
            r"\usepackage[T1]{fontenc}",
            r"\usepackage{amsmath,amssymb}",
            r"\allowdisplaybreaks",
            r"\begin{document}",
            rf"\section*{{The {escaped(self.name)} model}}",
            rf"\noindent Source: {escaped(self.source)}.\par",
            escaped(self.summary),
        ]
        if self.size is not None:
            lines.append(rf"\par For {escaped(self.size.instance)}: {escaped(str(self.size))}.")
        for title, parts in sections(self):
            equations, items = [], []
            for part in parts:
                if isinstance(part, Symbol):
                    words = filter(None, (escaped(part.words), domain(part, "${}$".format)))
                    items.append(rf"\item[${part.formula}$] {', '.join(words)}")
                    continue
                forall = f" && {part.forall}" if part.forall else ""
                equations.append(rf"  & {part.formula}{forall} \tag{{{part.label}}}")
                items.append(rf"\item[({part.label})] {escaped(part.words)}")
                for rows in self._rows(part):
                    if rows.rows:
                        items.append(rf"\par {escaped(rows.caption)}")
                        example = rf"\small\ttfamily\raggedright {escaped(rows.example)}\par"
                        items.append(rf"\par {{{example}}}")
            lines.append(rf"\subsection*{{{title}}}")
            if equations:
                lines += [r"\begin{align}", " \\\\\n".join(equations), r"\end{align}"]
            lines += [r"\begin{description}", *items, r"\end{description}"]
        return "\n".join([*lines, r"\end{document}"]) + "\n"

    def html(self) -> str:
        """A complete page with MathML, which needs no network and no script."""
        return page(f"{self.name} model", self._repr_html_())

    def _repr_html_(self) -> str:
        lines = [
            '<div class="slotwise-model"><style>',
            f"{web_file(__package__, 'web/explain.css')}</style>",
            f"<h2>The {escape(self.name)} model</h2>",
            f"<p>{escape(self.summary)}<br>Source: {escape(self.source)}.</p>",
        ]
        if self.size is not None:
            lines.append(f"<p>For <b>{escape(self.size.instance)}</b>: {self.size}.</p>")
        for title, parts in sections(self):
            lines.append(f"<h3>{title}</h3><table>")
            for part in parts:
                if isinstance(part, Symbol):
                    names = "<br>".join(f"<code>{one.name}</code>" for one in part.components)
                    lines.append(
                        f"<tr><td>{as_mathml(part.formula)}</td><td>{escape(part.words)}</td>"
                        f"<td>{domain(part, as_mathml)}</td><td>{names}</td></tr>"
                    )
                    continue
                lines.append(
                    f"<tr><td>({escape(part.label)})</td>"
                    f"<td>{as_mathml(part.formula, display=True)}</td>"
                    f'<td class="for">{as_mathml(part.forall) if part.forall else ""}</td></tr>'
                )
                more = f'<span class="words">{escape(part.words)}</span>'
                for rows in self._rows(part):
                    more += f"<br><code>{escape(rows.caption)}</code>"
                    if rows.example:
                        more += f'<code class="example">{escape(rows.example)}</code>'
                lines.append(f'<tr class="more"><td></td><td colspan="2">{more}</td></tr>')
            lines.append("</table>")
        return "\n".join(lines) + "</div>"

    def document(self) -> dict[str, Any]:
        """All of it as plain data for JSON, each formula in Unicode and in LaTeX."""
        tables: dict[str, Any] = {"abbreviations": []}
        for title, parts in sections(self):
            tables[title.lower()] = [
                {
                    "formula": as_text(part.formula),
                    "latex": part.formula,
                    "words": part.words,
                    "domain": part.domain,
                    "components": [component.name for component in part.components],
                }
                if isinstance(part, Symbol)
                else {
                    "label": part.label,
                    "formula": as_text(part.formula),
                    "for": as_text(part.forall),
                    "latex": part.formula,
                    "latex_for": part.forall,
                    "words": part.words,
                    "components": [component.name for component in part.components],
                }
                for part in parts
            ]
        objective, *statements = tables.pop("model")
        return {
            "model": self.name,
            "source": self.source,
            "summary": self.summary,
            **tables,
            "objective": objective,
            "statements": statements,
            "size": None if self.size is None else asdict(self.size),
        }

    def _rows(self, statement: Statement) -> list[Rows]:
        if self.size is None:
            return []
        return [self.size.components[component.name] for component in statement.components]


def _wrapped(text: str, first: str = "", rest: str = "") -> list[str]:
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=first,
        subsequent_indent=rest,
        break_long_words=False,
        break_on_hyphens=False,
    )


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


@checked
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
        model, instance = instance, None
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
