"""A lesson: a formulation and a problem, with the rows, the proven optimum and the mathematics."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal, overload

from ...core.calls import check_argument, checked
from ...core.errors import CallError
from ...core.files.json_files import STRICT
from ...formulations import FORMULATIONS
from ...formulations.legend import standing_in, symbols_of
from ...formulations.mathematics import Formulation, as_mathml
from ...formulations.model_files import KINDS
from ...instances.datacenter.datacenter import Datacenter
from ...instances.hierarchy.hierarchy import Hierarchy
from ...instances.mapreduce.instance import Instance
from ...reports.documents.read_write import read
from ...reports.explain import statement_of
from .family import Family, Role, family
from .rows import PlainModel, plain_model

FORMAT = "slotwise/lesson/1"


@dataclass(frozen=True)
class Rule:
    """A numbered constraint of the formulation, in words and, as MathML, with its indices.

    `components` are its components in the model; without any it needs no row and has no role.
    `symbols` are the numbers of the lesson's symbols that stand in the formula.
    """

    __pydantic_config__ = STRICT

    label: str
    words: str
    mathml: str
    forall: str
    components: tuple[str, ...]
    role: Role | None
    symbols: tuple[int, ...] = ()


@dataclass(frozen=True)
class Lesson:
    """What a lesson page is made of.

    Parameters
    ----------
    model
        Name of the formulation.
    source, summary
        Where it is published, and what it is.
    instance
        The problem as a document.
    horizon
        The horizon that the model was built with (s), or None.
    optimum
        The proven optimum.
    unit
        Its unit.
    rules
        Objective first, then the constraints.
    rows
        The model as data.
    witness
        Optimum without each core rule, by label; None where there is none. Only for the problem
        that is shipped for this.
    facts
        What else is known of the problem, for the page to compare with its own.
    symbols
        `{"mathml", "words"}` of each symbol.
    """

    model: str
    source: str
    summary: str
    instance: dict[str, Any]
    horizon: float | None
    optimum: float
    unit: str
    rules: tuple[Rule, ...]
    rows: PlainModel
    witness: dict[str, float | None] | None = None
    facts: dict[str, Any] | None = None
    symbols: tuple[dict[str, str], ...] = ()

    @property
    def sense(self) -> Literal["min", "max"]:
        """Whether the objective is minimised."""
        return "min" if self.rows.sense == "min" else "max"

    def document(self) -> dict[str, Any]:
        """The lesson as a `slotwise/lesson/1` document."""
        return {
            "format": FORMAT,
            "model": self.model,
            "source": self.source,
            "summary": self.summary,
            "instance": self.instance,
            "horizon": self.horizon,
            "optimum": self.optimum,
            "unit": self.unit,
            "statements": [asdict(rule) for rule in self.rules],
            **vars(self.rows),
            "witness": self.witness,
            "facts": self.facts,
            "symbols": list(self.symbols),
        }

    def __repr__(self) -> str:
        return f"Lesson({self.model!r} on {self.instance.get('name')!r})"


@overload
def make_lesson(instance: str) -> Lesson: ...


@overload
def make_lesson(instance: Instance | Datacenter | Hierarchy | None, model: str) -> Lesson: ...


@overload
def make_lesson(*, model: str) -> Lesson: ...


@checked
def make_lesson(
    instance: Instance | Datacenter | Hierarchy | str | None = None, model: str | None = None
) -> Lesson:
    """Make the lesson of a formulation on a problem.

    Parameters
    ----------
    instance
        A problem of the kind that the formulation is for; None, or nothing at all
        (`slotwise.make_lesson("job-order")`), for the example that is shipped for this, on which no
        rule can be dropped without harm.
    model
        Name of the formulation.

    Returns
    -------
    Lesson
        The lesson.

    Raises
    ------
    InputError
        For an unknown model, one without lessons, and a problem that is too large for a page or
        has parts that the page does not know.
    """
    if model is None:
        if not isinstance(instance, str):
            raise CallError("make_lesson: model: needs the name of a formulation that has lessons")
        return make_lesson(None, instance)
    entry = FORMULATIONS.lookup(model)
    about = family(entry.name)
    shipped = read(f"example:{about.witness}")
    problem = shipped if instance is None else instance
    check_argument(f"lesson of {entry.name}: instance", problem, KINDS[entry.takes])
    about.refuse(problem)
    statement = statement_of(entry)
    built, horizon = about.build(problem)
    document = about.document(problem)
    return Lesson(
        model=entry.name,
        source=statement.source,
        summary=statement.summary,
        instance=document,
        horizon=horizon,
        optimum=about.optimum(problem),
        unit=about.unit(problem),
        rules=_rules(statement, about),
        rows=plain_model(built, about.variable),
        witness=dict(about.without) if document == about.document(shipped) else None,
        facts=None if about.facts is None else about.facts(problem),
        symbols=tuple(
            {"mathml": as_mathml(symbol.formula), "words": symbol.words}
            for symbol in symbols_of(statement)
        ),
    )


def _rules(statement: Formulation, about: Family) -> tuple[Rule, ...]:
    made = []
    symbols = symbols_of(statement)
    for rule in (statement.objective, *statement.statements):
        components = tuple(component.name for component in rule.components)
        roles = {about.role(component) for component in components}
        assert len(roles) <= 1, f"({rule.label}) has components of different roles"
        made.append(
            Rule(
                label=rule.label,
                words=rule.words,
                mathml=as_mathml(rule.formula, display=True),
                forall=as_mathml(rule.forall) if rule.forall else "",
                components=components,
                role=next(iter(roles), None),
                symbols=standing_in(symbols, rule.formula, rule.forall),
            )
        )
    return tuple(made)
