"""The size of an instance's model, and one row written out per constraint component."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..core.wording import plural
from ..formulations.mathematics import Component, Formulation, Index
from ..instances.datacenter.datacenter import Datacenter
from ..instances.hierarchy.hierarchy import Hierarchy
from ..instances.mapreduce.instance import Instance

Names = dict[Index, list[str]]


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


def size_of(
    statement: Formulation, model: Any, instance: Instance | Datacenter | Hierarchy
) -> Size:
    import pyomo.environ as pyo
    from pyomo.repn import generate_standard_repn

    names = _index_names(instance)
    known = {c.name: c for symbol in statement.variables for c in symbol.components}
    components = {}
    for equation, component in ((s, c) for s in statement.statements for c in s.components):
        rows = nonzeros = terms_shown = 0
        example = ""
        for index, row in model.component(component.name).items():
            standard = generate_standard_repn(row.body)
            terms = len(standard.linear_vars)
            rows, nonzeros = rows + 1, nonzeros + terms
            # The first row that shows more than one variable.
            if rows == 1 or terms_shown < 2 <= terms:
                terms_shown = terms
                inequality = _written(row, standard, known, names, equation.formula)
                example = f"{_indexed(component, index, names)}: {inequality}"
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


def _written(
    row: Any, standard: Any, known: dict[str, Component], names: Names, formula: str
) -> str:
    """`x[j0] ≥ 12·y[j0,n0.0] + 3`: every variable on the side where it is positive."""
    less: list[str] = []
    more: list[str] = []
    for coefficient, variable in zip(standard.linear_coefs, standard.linear_vars, strict=True):
        factor = "" if abs(coefficient) == 1 else f"{abs(coefficient):.6g}·"
        name = _indexed(known[variable.parent_component().name], variable.index(), names)
        (more if coefficient < 0 else less).append(factor + name)
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
    return " ".join(filter(None, written))


def _sum(terms: list[str], most: int = 6) -> str:
    if len(terms) > most:
        skipped = len(terms) - most + 1
        terms = [*terms[: most - 2], f"… ({skipped} more terms) …", terms[-1]]
    return " + ".join(terms)


def _indexed(component: Component, index: Any, names: Names) -> str:
    if not component.index:
        return component.name
    numbers = index if isinstance(index, tuple) else (index,)
    parts = []
    for kind, number in zip(component.index, numbers, strict=True):
        if kind is Index.ROW:
            parts.append(str(number))
        else:  # negative task numbers are the dummy tasks of the sequence model
            dummies = {-1: "head", -2: "tail"}
            parts.append(names[kind][number] if number >= 0 else dummies[number])
    return f"{component.name}[{','.join(parts)}]"


def _index_names(instance: Instance | Datacenter | Hierarchy) -> Names:
    """What an instance calls the things that indices count."""
    if isinstance(instance, Datacenter):
        return {
            Index.CLASS: list(instance.classes),
            Index.CONFIGURATION: list(instance.configurations),
            Index.RESOURCE: list(instance.resources),
        }
    if isinstance(instance, Hierarchy):
        return {
            Index.LEAF: list(instance.paths),
            Index.GROUP: [instance.path(n) for n in range(instance.nodes)],
            Index.RESOURCE: list(instance.resources),
        }

    def within(owners: tuple[str, ...], counts: Any) -> list[str]:
        """`j0.0`, `j0.1`, `j1.0`, …: the tasks of each job, the slots of each node."""
        return [f"{o}.{k}" for o, n in zip(owners, counts.tolist(), strict=True) for k in range(n)]

    cluster = instance.cluster
    return {
        Index.JOB: list(instance.job_names),
        Index.MAP_TASK: within(instance.job_names, instance.maps_of),
        Index.REDUCE_TASK: within(instance.job_names, instance.reduces_of),
        Index.MAP_SLOT: within(cluster.node_names, cluster.map_slots),
        Index.REDUCE_SLOT: within(cluster.node_names, cluster.reduce_slots),
    }
