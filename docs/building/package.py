"""What pages show of the package, made while the site is built.

- `{commands}`: every command with its help; `{schemas}`: the JSON Schema of every format;
- `{registry} KIND`: all methods of a kind; `{entry} KIND NAME`: what the registry says of one;
- `{statement} MODEL`: its mathematics without the cuts; `{rows} MODEL LABEL …`: some of its rows;
- `{without} MODEL`: what the model says of the shipped witness when a rule is left out;
- `{lesson} MODEL` and `{steps} METHOD on EXAMPLE [with parameter=value …]`: pages in frames;
- `{theorems}`: what the verifier of certificates takes for proved, and why.
"""

from __future__ import annotations

import ast
import inspect
import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from itertools import takewhile
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxDirective

import slotwise
from slotwise.commands.app import tree
from slotwise.formulations.mathematics import Statement
from slotwise.reports import catalogue
from slotwise.reports.documents.formats import FORMATS
from slotwise.reports.explain import row_table, styled
from slotwise.verifier.judge import THEOREMS
from slotwise.verifier.plans import class_prices

lesson_on = cache(slotwise.make_lesson)


def table(*rows: list[str]) -> str:
    """A table in Markdown; the first row is its head."""
    head, *body = ([cell.replace("|", "\\|").replace("\n", " ") for cell in row] for row in rows)
    return "".join(f"| {' | '.join(row)} |\n" for row in (head, ["---"] * len(head), *body))


def commands(_: BuildEnvironment) -> str:
    return "".join(helps(tree(), "slotwise"))


def helps(command: Any, name: str) -> Iterator[str]:
    """What `--help` of a command and all below it prints."""
    context = command.make_context(
        name, [], resilient_parsing=True, terminal_width=88, max_content_width=88
    )
    yield f"## `{name}`\n\n````text\n{command.get_help(context).strip()}\n````\n\n"
    for below in getattr(command, "list_commands", lambda _: [])(context):
        yield from helps(command.get_command(context, below), f"{name} {below}")


def schemas(_: BuildEnvironment) -> str:
    return "\n".join(
        f"## {known.name}\n\n```json\n{json.dumps(slotwise.schema(known.name), indent=1)}\n```\n"
        for known in FORMATS
    )


def registry(_: BuildEnvironment, kind: str) -> str:
    rows = [
        [
            f"`{entry.name}`",
            entry.summary + ("" if entry.valid else " (kept to watch it fail)"),
            entry.source,
            ", ".join(sorted(entry.understands)),
        ]
        for entry in slotwise.registry(kind)
    ]
    return table(["name", "what it does", "source", "understands"], *rows)


def entry(_: BuildEnvironment, kind: str, *words: str) -> str:
    name = " ".join(words)
    (said,) = (row for row in catalogue.rows(slotwise.registry(kind)) if row["name"] == name)
    rows = {
        "what it does": said["summary"],
        "source": said["source"],
        "understands": ", ".join(said["understands"]),
        "parameters": ", ".join(f"`{one}`" for one in said.get("parameters", [])),
        "valid": "" if said["valid"] else "no: it is kept so that you can watch it fail",
    }
    return table([f"`{name}`", ""], *([title, text] for title, text in rows.items() if text))


def statement(_: BuildEnvironment, model: str) -> str:
    told = slotwise.explain(model)
    kept = takewhile(lambda row: not row.words.startswith("Cut ("), told.statements)
    shown = [*told.symbol_tables(), "<h3>Model</h3>", *row_table((told.objective, *kept), coded)]
    return f"{told.summary} Source: {told.source}.\n\n{raw(styled(shown))}"


def rows(_: BuildEnvironment, model: str, *labels: str) -> str:
    told = {row.label: row for row in slotwise.explain(model).statements}
    return raw(styled(row_table([told[label] for label in labels], coded)))


def coded(row: Statement) -> list[tuple[str, str]]:
    """The components of a row in the code, as notes below it."""
    return [(component.name, "") for component in row.components]


def without(_: BuildEnvironment, model: str) -> str:
    lesson = lesson_on(model)
    rules = {rule.label: rule for rule in lesson.rules}
    rows = [["nothing", f"{lesson.optimum:.6g}", "the true optimum"]]
    for label, value in lesson.witness.items():
        says = "nothing: it has no optimum then" if value is None else f"{value:.6g}"
        rows.append([f"({label})", says, rules[label].words])
    unit = f" ({lesson.unit})" if lesson.unit else ""
    return (
        "## Without a rule\n\nEach rule below is left out alone, on the problem with which the "
        "lesson opens. What the model then\nanswers breaks the rule, even where the number is "
        "the same.\n\n" + table(["left out", f"the model says{unit}", "what the rule is"], *rows)
    )


def lesson(env: BuildEnvironment, model: str) -> str:
    name = f"lesson-{model}.html"
    slotwise.write_lesson(lesson_on(model), frames(env) / name)
    return framed(env, name, f"Lesson: the {model} model", 1000)


def steps(env: BuildEnvironment, *words: str) -> str:
    method, example, given = re.fullmatch(r"(.+?) on (\S+)(?: with (.+))?", " ".join(words)).groups(
        ""
    )
    problem = slotwise.read(example)
    pairs = (pair.split("=") for pair in given.split())
    parameters = {name: ast.literal_eval(value) for name, value in pairs}
    optimum = 20 if isinstance(problem, slotwise.Instance) else None
    told = slotwise.steps(problem, method, optimum=optimum, **parameters)
    title = f"{method} on {problem.name}, step by step"
    file = re.sub(r"[^a-z0-9]+", "-", method.lower()).strip("-") + ".html"
    slotwise.write_step_page(told, frames(env) / file)
    name = f'"{method}"' if " " in method else method
    return (
        f"## Step by step\n\n{framed(env, file, title, 720)}\n"
        "The arrow keys step, Home and End jump; `#9` in the address opens step 9. The page is "
        f"one file for a\nlecture: `slotwise steps {name} {example} -o steps.html`; "
        "`--slides FOLDER` writes a picture\nof each step.\n"
    )


def frames(env: BuildEnvironment) -> Path:
    """Folder of the site that holds the pages in frames."""
    folder = Path(env.app.outdir) / "learning"
    folder.mkdir(exist_ok=True)
    return folder


def framed(env: BuildEnvironment, name: str, title: str, height: int) -> str:
    """A frame that shows a page."""
    address = f"{'../' * env.docname.count('/')}learning/{name}"
    return raw(
        f'<iframe class="learning" loading="lazy" src="{address}" '
        f'title="{title}" style="height: {height}px"></iframe>\n'
        f'<p><a href="{address}">{title}, on a page of its own</a></p>'
    )


def raw(html: str) -> str:
    return f"```{{raw}} html\n{html}\n```\n"


def theorems(_: BuildEnvironment) -> str:
    return "\n".join(
        f"### `{name}`\n\n{inspect.getdoc(theorem)}\n"
        for name, theorem in (*THEOREMS.items(), ("class prices", class_prices))
    )


def writes(text: Callable[..., str]) -> type[SphinxDirective]:
    """A directive that puts in the Markdown that a function makes of its words."""

    class Written(SphinxDirective):
        optional_arguments = 9

        def run(self) -> list[nodes.Node]:
            made = text(self.env, *self.arguments)
            return self.parse_text_to_nodes(made, allow_section_headings=True)

    return Written


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directives."""
    for text in (
        *(commands, schemas, registry, entry, statement, rows),
        *(without, lesson, steps, theorems),
    ):
        app.add_directive(text.__name__, writes(text))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
