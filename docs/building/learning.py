"""What a page about a formulation or a method shows of it, made while the site is built.

- `{statement} NAME`: the mathematics that `slotwise explain NAME` prints, but for the cuts;
- `{rows} NAME LABEL …`: some of its rows, to stand beside their proof;
- `{without} NAME`: what the model says of the shipped witness when a rule is left out;
- `{lesson} NAME`: the lesson page, in a frame;
- `{entry} KIND NAME`: what the registry says of a method;
- `{theorems}`: what the verifier of certificates takes for proved, and why;
- `{steps} NAME on EXAMPLE [with parameter=value …]`: the step page on an example, in a frame.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from functools import cache
from itertools import takewhile
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

import slotwise
from slotwise import verify, verify_plans
from slotwise.formulations.mathematics import Formulation, Statement, Symbol
from slotwise.reports import catalogue
from slotwise.teaching.lessons.family import FAMILIES
from slotwise.teaching.lessons.lesson import make_lesson
from slotwise.teaching.lessons.lesson_page import lesson_content
from slotwise.teaching.steps import RECORDERS
from slotwise.teaching.steps.html import page

from .from_package import table

FOLDER = "learning"
"""Folder of the site that holds the pages in frames."""

PAIR = re.compile(r"(\w+)=(\S+)")

LESSON_HEIGHT, STEPS_HEIGHT = 1000, 720
"""Height of the frames (pixels)."""

WITHOUT = """\
Each rule below is left out alone, on the problem with which the lesson opens. What the model then
answers breaks the rule, even where the number is the same.

"""

HOW_TO_STEP = """\
The arrow keys step, Home and End jump; `#9` in the address opens step 9. The page is one file for a
lecture: `slotwise steps {name} {example} -o steps.html`; `--slides FOLDER` writes a picture
of each step.
"""

logger = logging.getLogger(__name__)


def symbols(title: str, listed: tuple[Symbol, ...]) -> str:
    """A table of symbols."""
    if not listed:
        return ""
    rows = [
        [
            f"${one.formula}$",
            one.words,
            one.domain if one.domain in ("", "binary") else f"${one.domain}$",
            " ".join(f"`{component.name}`" for component in one.components),
        ]
        for one in listed
    ]
    used = [k for k in range(4) if k < 2 or any(row[k] for row in rows)]
    head = ["symbol", "meaning", "domain", "in code"]
    shown = table([head[k] for k in used], [[row[k] for k in used] for row in rows])
    return f"### {title}\n\n{shown}"


def equation(one: Statement) -> str:
    """A statement: the formula with its number, its words, its components."""
    forall = rf" \qquad {one.forall}" if one.forall else ""
    names = ", ".join(f"`{component.name}`" for component in one.components)
    words = one.words[:1].upper() + one.words[1:]
    end = "" if words.endswith(".") else "."
    return (
        f"```math\n{one.formula}{forall} \\tag{{{one.label}}}\n```\n\n"
        f"{words}{end}{f' ({names})' if names else ''}\n"
    )


def is_cut(one: Statement) -> bool:
    """Whether a row is the first of a family of cuts. Cuts stand behind all other rows."""
    return one.words.startswith("Cut (")


def statement(formulation: Formulation) -> Iterator[str]:
    """The mathematics of a formulation in Markdown, without its cuts."""
    yield f"{formulation.summary} Source: {formulation.source}.\n"
    yield symbols("Sets", formulation.sets)
    yield symbols("Parameters", formulation.parameters)
    yield symbols("Variables", formulation.variables)
    yield symbols("Abbreviations", formulation.abbreviations)
    yield "### Objective\n"
    yield equation(formulation.objective)
    yield "### Constraints\n"
    yield from map(equation, takewhile(lambda one: not is_cut(one), formulation.statements))


def rows(formulation: Formulation, labels: list[str]) -> Iterator[str]:
    """The rows with some labels in Markdown, in the order of the formulation."""
    unknown = set(labels) - {one.label for one in formulation.statements}
    if unknown:
        raise ExtensionError(f"{formulation.name} has no rows {sorted(unknown)}")
    yield from (equation(one) for one in formulation.statements if one.label in labels)


lesson_on = cache(make_lesson)


def without(model: str) -> str:
    """The table of what happens without each core rule."""
    lesson = lesson_on(model)
    rules = {rule.label: rule for rule in lesson.rules}
    rows = [["nothing", f"{lesson.optimum:.6g}", "the true optimum"]]
    for label, value in lesson.witness.items():
        says = "nothing: it has no optimum then" if value is None else f"{value:.6g}"
        rows.append([f"({label})", says, rules[label].words])
    unit = f" ({lesson.unit})" if lesson.unit else ""
    return (
        "## Without a rule\n\n"
        + WITHOUT
        + table(["left out", f"the model says{unit}", "what the rule is"], rows)
    )


def slug(name: str) -> str:
    """A name as it stands in an address."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


class FromText(SphinxDirective):
    """A directive that writes Markdown."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        self.env.note_dependency(__file__)
        return self.parse_text_to_nodes(self.text(), allow_section_headings=True)

    def text(self) -> str:
        raise NotImplementedError

    def framed(self, name: str, content: bytes | str, title: str, height: int) -> str:
        """Markdown of a frame that shows a page, which is written into the site."""
        path = Path(self.env.app.outdir) / FOLDER / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        up = "../" * self.env.docname.count("/")
        address = f"{up}{FOLDER}/{name}"
        return (
            "```{raw} html\n"
            f'<iframe class="learning" loading="lazy" src="{address}" title="{title}" '
            f'style="height: {height}px"></iframe>\n'
            f'<p><a href="{address}">{title}, on a page of its own</a></p>\n```\n'
        )


class StatementOf(FromText):
    def text(self) -> str:
        return "\n".join(statement(slotwise.explain(self.arguments[0])))


class RowsOf(FromText):
    def text(self) -> str:
        name, *labels = self.arguments[0].split()
        return "\n".join(rows(slotwise.explain(name), labels))


class Without(FromText):
    def text(self) -> str:
        return without(self.arguments[0]) if self.arguments[0] in FAMILIES else ""


class LessonOf(FromText):
    def text(self) -> str:
        model = self.arguments[0]
        if model not in FAMILIES:
            return ""
        name = f"lesson-{model}.html"
        try:
            content = lesson_content(lesson_on(model), name)
        except slotwise.InputError as missing:
            logger.warning(f"no lesson on {model}: {missing}", type="slotwise", subtype="lesson")
            return f"`slotwise lesson {model} -o lesson.html` makes a lesson page.\n"
        return self.framed(name, content, f"Lesson: the {model} model", LESSON_HEIGHT)


class StepsOf(FromText):
    def text(self) -> str:
        method, _, rest = self.arguments[0].partition(" on ")
        example, _, given = rest.partition(" with ")
        if method not in RECORDERS:
            return ""
        problem = slotwise.read(example)
        parameters = {name: ast.literal_eval(v) for name, v in PAIR.findall(given)}
        optimum = 20 if isinstance(problem, slotwise.Instance) else None
        steps = slotwise.steps(problem, method, optimum=optimum, **parameters)
        title = f"{method} on {problem.name}, step by step"
        frame = self.framed(f"{slug(method)}.html", page(steps), title, STEPS_HEIGHT)
        name = f'"{method}"' if " " in method else method
        return f"## Step by step\n\n{frame}\n{HOW_TO_STEP.format(name=name, example=example)}"


class TheoremsOf(SphinxDirective):
    """Every theorem of the verifier, as the docstring of its function has it."""

    def run(self) -> list[nodes.Node]:
        parts = [
            f"### `{name}`\n\n{inspect.getdoc(theorem)}\n"
            for module in (verify, *map(verify.beside, verify.BESIDE), verify_plans)
            for name, theorem in module.PROOFS.items()
        ]
        return self.parse_text_to_nodes("\n".join(parts), allow_section_headings=True)


class EntryOf(FromText):
    def text(self) -> str:
        kind, _, name = self.arguments[0].partition(" ")
        entries = slotwise.registry(kind)
        entry = entries.lookup(name)
        (said,) = (row for row in catalogue.rows(entries) if row["name"] == name)
        rows = [["what it does", entry.summary], ["source", entry.source]]
        if entry.understands:
            rows.append(["understands", ", ".join(sorted(entry.understands))])
        if said.get("parameters"):
            rows.append(["parameters", ", ".join(f"`{one}`" for one in said["parameters"])])
        if not entry.valid:
            rows.append(["valid", "no: it is kept so that you can watch it fail"])
        return table([f"`{entry.name}`", ""], rows)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directives."""
    for name, directive in {
        "statement": StatementOf,
        "rows": RowsOf,
        "without": Without,
        "lesson": LessonOf,
        "steps": StepsOf,
        "entry": EntryOf,
        "theorems": TheoremsOf,
    }.items():
        app.add_directive(name, directive)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
