"""`explain`: a formulation in mathematics and, for an instance, its size and one row each."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import partial
from html import escape
from importlib import import_module
from operator import attrgetter
from textwrap import wrap
from typing import Any

from ..core.calls import check_argument, checked
from ..core.errors import CallError, InputError
from ..core.registry import Entry
from ..core.wording import plural
from ..formulations import FORMULATIONS
from ..formulations.mathematics import Formulation, Index, Statement, Symbol, as_mathml, as_text
from ..instances.datacenter.datacenter import Datacenter
from ..instances.hierarchy.hierarchy import Hierarchy
from ..instances.mapreduce.instance import Instance
from .page import page, web_file
from .table_files import escaped

WIDTH = 96
"""Columns of `Explanation.text()`."""

KINDS = {"mapreduce": Instance, "datacenter": Datacenter, "hierarchy": Hierarchy}
"""What a model is explained for, by what its formulation takes."""

MOST_TERMS = 300_000
"""A model with more nonzeros than this is not built just to be explained."""


@dataclass(frozen=True)
class Rows:
    """How many rows and nonzeros a constraint component has for an instance; one row as text."""

    component: str
    rows: int
    nonzeros: int
    example: str

    @property
    def caption(self) -> str:
        """The numbers in words, to stand above the example."""
        if not self.rows:
            return f"{self.component}: no rows"
        rows, nonzeros = plural(self.rows, "row"), plural(self.nonzeros, "nonzero")
        return f"{self.component}: {rows}, {nonzeros}, such as"


@dataclass(frozen=True)
class Size:
    """The size of the model of an instance: variables by kind, rows, constraint components."""

    instance: str
    binary: int
    integer: int
    continuous: int
    rows: int
    nonzeros: int
    components: dict[str, Rows]

    def __str__(self) -> str:
        variables = self.binary + self.integer + self.continuous
        integer = f"{self.integer} integer, " if self.integer else ""
        return (
            f"{variables} variables ({self.binary} binary, {integer}{self.continuous} continuous), "
            f"{self.rows} rows, {self.nonzeros} nonzeros"
        )


@dataclass(frozen=True)
class Explanation(Formulation):
    """A formulation, ready to be read; with `size` if an instance was given."""

    size: Size | None = None

    def __repr__(self) -> str:
        of = "" if self.size is None else f" of {self.size.instance!r}: {self.size}"
        return f"Explanation({self.name!r}{of})"

    @property
    def symbols(self) -> dict[str, tuple[Symbol, ...]]:
        """The tables of symbols that are not empty, by title."""
        titles = ("Sets", "Parameters", "Variables", "Abbreviations")
        return {title: table for title in titles if (table := getattr(self, title.lower()))}

    def text(self) -> str:
        """Unicode mathematics in `WIDTH` columns, for terminals."""
        fill = partial(wrap, width=WIDTH, break_long_words=False, break_on_hyphens=False)
        lines = [f"{self.name} model", f"Source: {self.source}", *fill(self.summary)]
        if self.size is not None:
            lines += ["", f"For {self.size.instance}: {self.size}"]
        for title, symbols in self.symbols.items():
            lines += ["", title]
            formulas = [as_text(symbol.formula) for symbol in symbols]
            wide = max((len(formula) for formula in formulas if len(formula) <= 16), default=0)
            for formula, symbol in zip(formulas, symbols, strict=True):
                if len(formula) > wide:
                    lines.append(f"  {formula}")
                    formula = ""
                known = [domain(symbol, as_text), *(one.name for one in symbol.components)]
                shown = f" [{'; '.join(filter(None, known))}]" if any(known) else ""
                entry = f"  {formula:{wide}}  {symbol.words}{shown}"
                lines += fill(entry, subsequent_indent=" " * (wide + 4))
        goal = f"  ({self.objective.label})  {as_text(self.objective.formula)}"
        lines += ["", "Objective", goal, "", "Subject to"]
        for row in self.statements:
            label, formula = f"({row.label})", as_text(row.formula)
            forall = f"for {as_text(row.forall)}"
            line = f"  {label:7}{formula:{WIDTH - 11 - len(forall)}}  {forall}"
            fits = len(line) <= WIDTH
            lines += [line] if fits else [f"  {label:7}{formula}", f"{forall:>{WIDTH}}"]
            texts = [(9, 9, row.words)]
            for one in self.rows(row):
                texts += [(9, 11, one.caption), (11, 13, one.example)]
            for first, rest, text in texts:
                lines += fill(text, initial_indent=" " * first, subsequent_indent=" " * rest)
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
        for title, symbols in self.symbols.items():
            lines += [rf"\subsection*{{{title}}}", r"\begin{description}"]
            for symbol in symbols:
                words = filter(None, (escaped(symbol.words), domain(symbol, "${}$".format)))
                lines.append(rf"\item[${symbol.formula}$] {', '.join(words)}")
            lines.append(r"\end{description}")
        equations, items = [], []
        for row in (self.objective, *self.statements):
            forall = f" && {row.forall}" if row.forall else ""
            equations.append(rf"  & {row.formula}{forall} \tag{{{row.label}}}")
            items.append(rf"\item[({row.label})] {escaped(row.words)}")
            for one in self.rows(row):
                if one.rows:
                    example = rf"\small\ttfamily\raggedright {escaped(one.example)}\par"
                    items += [rf"\par {escaped(one.caption)}", rf"\par {{{example}}}"]
        lines += [r"\subsection*{Model}", r"\begin{align}", " \\\\\n".join(equations)]
        lines += [r"\end{align}", r"\begin{description}", *items, r"\end{description}"]
        return "\n".join([*lines, r"\end{document}"]) + "\n"

    def html(self) -> str:
        """A complete page with MathML, which needs no network and no script."""
        return page(f"{self.name} model", self._repr_html_())

    def _repr_html_(self) -> str:
        lines = [
            f"<h2>The {escape(self.name)} model</h2>",
            f"<p>{escape(self.summary)}<br>Source: {escape(self.source)}.</p>",
        ]
        if self.size is not None:
            lines.append(f"<p>For <b>{escape(self.size.instance)}</b>: {self.size}.</p>")
        model = row_table(
            (self.objective, *self.statements),
            lambda row: [(one.caption, one.example) for one in self.rows(row)],
        )
        return styled([*lines, *self.symbol_tables(), f"<h3>Model</h3>{next(model)}", *model])

    def symbol_tables(self) -> Iterator[str]:
        """The symbols in HTML."""
        for title, symbols in self.symbols.items():
            yield f"<h3>{title}</h3><table>"
            for symbol in symbols:
                names = "<br>".join(f"<code>{one.name}</code>" for one in symbol.components)
                yield (
                    f"<tr><td>{as_mathml(symbol.formula)}</td><td>{escape(symbol.words)}</td>"
                    f"<td>{domain(symbol, as_mathml)}</td><td>{names}</td></tr>"
                )
            yield "</table>"

    def document(self) -> dict[str, Any]:
        """All of it as plain data for JSON, each formula in Unicode and in LaTeX."""
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
            for title, symbols in self.symbols.items()
        }
        objective, *statements = [
            {
                "label": row.label,
                "formula": as_text(row.formula),
                "for": as_text(row.forall),
                "latex": row.formula,
                "latex_for": row.forall,
                "words": row.words,
                "components": [component.name for component in row.components],
            }
            for row in (self.objective, *self.statements)
        ]
        return {
            "model": self.name,
            "source": self.source,
            "summary": self.summary,
            "abbreviations": [],
            **tables,
            "objective": objective,
            "statements": statements,
            "size": None if self.size is None else asdict(self.size),
        }

    def rows(self, row: Statement) -> list[Rows]:
        """The components of a row; none without an instance."""
        return [self.size.components[one.name] for one in row.components] if self.size else []


def domain(symbol: Symbol, written: Callable[[str], str]) -> str:
    """The domain of a variable, in which `written` writes the formula; empty if it has none."""
    return symbol.domain if symbol.domain in ("", "binary") else written(symbol.domain)


def row_table(
    rows: Iterable[Statement], notes: Callable[[Statement], Iterable[tuple[str, str]]]
) -> Iterator[str]:
    """Rows of a model in HTML, below each its words, and notes and examples as code."""
    yield "<table>"
    for row in rows:
        yield (
            f"<tr><td>({escape(row.label)})</td>"
            f"<td>{as_mathml(row.formula, display=True)}</td>"
            f'<td class="for">{as_mathml(row.forall) if row.forall else ""}</td></tr>'
        )
        more = f'<span class="words">{escape(row.words)}</span>'
        for note, example in notes(row):
            more += f"<br><code>{escape(note)}</code>"
            more += f'<code class="example">{escape(example)}</code>' if example else ""
        yield f'<tr class="more"><td></td><td colspan="2">{more}</td></tr>'
    yield "</table>"


def styled(lines: Iterable[str]) -> str:
    """HTML of formulations with the styles of its tables."""
    style = web_file(__package__, "web/explain.css")
    start = f'<div class="slotwise-model"><style>\n{style}</style>'
    return "\n".join([start, *lines]) + "</div>"


def statement_of(entry: Entry) -> Formulation:
    """The mathematics beside the model: `STATEMENT`, in the model's module or one next to it."""
    module = entry.load().__module__
    for name in (module, f"{module.rpartition('.')[0]}.statement"):
        with suppress(ImportError):
            statement = getattr(import_module(name), "STATEMENT", None)
            if isinstance(statement, Formulation):
                return statement
    raise InputError(f"model {entry.name!r} comes without a statement of its mathematics")


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
    if instance is None:
        return Explanation(**vars(statement))
    check_argument(f"explain of {entry.name}: instance", instance, KINDS[entry.takes])
    assert not isinstance(instance, str)
    estimate = getattr(sys.modules[build.__module__], "estimated_terms", None)
    terms = 0.0 if estimate is None else float(estimate(instance))
    if terms > MOST_TERMS:
        raise InputError(
            f"instance {instance.name!r}: its {model} model has about {terms:.2g} nonzeros, "
            f"too many to write out (limit {MOST_TERMS:.2g}): explain a smaller instance"
        )
    return Explanation(**vars(statement), size=size_of(statement, build(instance), instance))


NAMES: dict[Index, tuple[str, ...]] = {
    Index.JOB: ("job_names",),
    Index.MAP_TASK: ("job_names", "maps_of"),
    Index.REDUCE_TASK: ("job_names", "reduces_of"),
    Index.MAP_SLOT: ("cluster.node_names", "cluster.map_slots"),
    Index.REDUCE_SLOT: ("cluster.node_names", "cluster.reduce_slots"),
    Index.CLASS: ("classes",),
    Index.CONFIGURATION: ("configurations",),
    Index.RESOURCE: ("resources",),
    Index.LEAF: ("paths",),
    Index.GROUP: ("node_paths",),
}
"""What has the names of the things that indices count; or those of jobs and nodes, and how many
tasks and slots each has, which are called `j0.0`, `j0.1`, `j1.0` and so on."""

DUMMIES = {-1: "head", -2: "tail"}
"""The dummy tasks of the sequence model."""


def size_of(
    statement: Formulation, model: Any, instance: Instance | Datacenter | Hierarchy
) -> Size:
    import pyomo.environ as pyo
    from pyomo.repn import generate_standard_repn

    parts: tuple[Symbol | Statement, ...] = (*statement.variables, *statement.statements)
    known = {component.name: component for part in parts for component in part.components}
    names: dict[Index, Sequence[object]] = {Index.ROW: range(sys.maxsize)}
    for kind in {kind for component in known.values() for kind in component.index} - {Index.ROW}:
        names[kind], *counts = (attrgetter(name)(instance) for name in NAMES[kind])
        if counts:
            owned = zip(names[kind], counts[0].tolist(), strict=True)
            names[kind] = [f"{owner}.{k}" for owner, count in owned for k in range(count)]

    def named(part: Any) -> str:
        """`on_map[a.0,n0.0]`: a variable or a row of the model."""
        component, index = known[part.parent_component().name], part.index()
        numbers = index if isinstance(index, tuple) else (index,)
        indices = [
            DUMMIES.get(number) or str(names[kind][number])
            for kind, number in zip(component.index, numbers, strict=bool(component.index))
        ]
        return f"{component.name}[{','.join(indices)}]" if indices else component.name

    components = {}
    for equation, component in ((s, c) for s in statement.statements for c in s.components):
        rows = nonzeros = terms_shown = 0
        example = ""
        for row in model.component(component.name).values():
            standard = generate_standard_repn(row.body)
            terms = len(standard.linear_vars)
            rows, nonzeros = rows + 1, nonzeros + terms
            # The first row that shows more than one variable.
            if rows == 1 or terms_shown < 2 <= terms:
                terms_shown = terms
                example = f"{named(row)}: {_written(row, standard, named, equation.formula)}"
        components[component.name] = Rows(component.name, rows, nonzeros, example)
    variables = list(model.component_data_objects(pyo.Var))
    binary = sum(variable.is_binary() for variable in variables)
    integer = sum(variable.is_integer() for variable in variables) - binary
    return Size(
        instance=instance.name or "a hierarchy",
        binary=binary,
        integer=integer,
        continuous=len(variables) - binary - integer,
        rows=sum(part.rows for part in components.values()),
        nonzeros=sum(part.nonzeros for part in components.values()),
        components=components,
    )


def _written(row: Any, standard: Any, named: Callable[[Any], str], formula: str) -> str:
    """`x[j0] ≥ 12·y[j0,n0.0] + 3`: every variable on the side where it is positive."""
    less: list[str] = []
    more: list[str] = []
    for coefficient, variable in zip(standard.linear_coefs, standard.linear_vars, strict=True):
        factor = "" if abs(coefficient) == 1 else f"{abs(coefficient):.6g}·"
        (more if coefficient < 0 else less).append(factor + named(variable))
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
    written = [_sum(left) or "0", relation, _sum(right)]
    if constant or not right:
        sign = "−" if constant < 0 else "+" if right else ""
        written += [sign, f"{abs(constant):.6g}"]
    return " ".join(filter(None, written))


def _sum(terms: list[str], most: int = 6) -> str:
    if len(terms) > most:
        skipped = len(terms) - most + 1
        terms = [*terms[: most - 2], f"… ({skipped} more terms) …", terms[-1]]
    return " + ".join(terms)
