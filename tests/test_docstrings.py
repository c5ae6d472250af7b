"""The public API names its parameters section by section, everything else in a sentence or two."""

import ast
import inspect
import re
from collections.abc import Container, Iterator
from pathlib import Path

import pytest
from building.mentioned import mentioned

import slotwise
from tests.support import source_tree

ROOT = Path(__file__).parents[1]

HELP = "commands"
"""Layer whose docstrings are the help that the command line prints: no sections in them."""

RECORDERS = "teaching.steps"
"""Room of the recorders, which take what the recorded method takes."""

FROM_OPTIONS = {"documented", "exact_method", "generator", "importer", "run_importer", "solver"}
"""Decorators that write the Parameters section from the descriptions of options."""

SECTIONS = re.compile(r"(?m)^(Parameters|Attributes|Returns|Raises|Yields)\n-{3,}$")

pytestmark = pytest.mark.skipif(
    not (ROOT / "pyproject.toml").is_file(), reason="the rules are about the sources"
)

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def definitions(module: str, tree: ast.Module) -> Iterator[tuple[str, Definition]]:
    """Public classes, functions and methods of a module, by name."""
    for node in tree.body:
        if not isinstance(node, Definition) or node.name.startswith("_"):
            continue
        yield f"{module}:{node.name}", node
        if isinstance(node, ast.ClassDef):
            for method in node.body:
                if isinstance(method, Definition) and not method.name.startswith("_"):
                    yield f"{module}:{node.name}.{method.name}", method


def is_stub(node: Definition) -> bool:
    """Whether another definition has the docstring: an overload, or a property's setter."""
    decorators = {ast.unparse(decorator) for decorator in node.decorator_list}
    return any(d.endswith(("overload", ".setter", "override")) for d in decorators)


def is_exempt(module: str, node: Definition) -> bool:
    """Whether the docstring needs no Parameters section in the source."""
    called = {ast.unparse(decorator).partition("(")[0] for decorator in node.decorator_list}
    return module.startswith(HELP) or bool(called & FROM_OPTIONS)


def parameters(node: Definition) -> list[str]:
    """Names that a Parameters section has to list, stars included."""
    if isinstance(node, ast.ClassDef):
        fields = [
            f.target.id
            for f in node.body
            if isinstance(f, ast.AnnAssign) and isinstance(f.target, ast.Name)
        ]
        made = [m for m in node.body if isinstance(m, ast.FunctionDef) and m.name == "__init__"]
        return parameters(made[0]) if made else fields
    given = node.args
    names = [a.arg for a in given.posonlyargs + given.args]
    names += [f"*{given.vararg.arg}"] if given.vararg else []
    names += [a.arg for a in given.kwonlyargs]
    names += [f"**{given.kwarg.arg}"] if given.kwarg else []
    return [name for name in names if name not in {"self", "cls"}]


def listed(docstring: str) -> list[str] | None:
    """Names in the Parameters section of a numpydoc docstring, None without such a section."""
    lines = docstring.splitlines()
    if "Parameters" not in lines:
        return None
    names: list[str] = []
    section = lines[lines.index("Parameters") + 2 :]
    for number, line in enumerate(section):
        if set("".join(section[number + 1 : number + 2])) == {"-"}:
            break
        if line and not line.startswith(" "):
            names += [name.strip() for name in line.partition(" : ")[0].split(",")]
    return names


def public_names() -> set[str]:
    """Names of `slotwise.__all__`, targets of registries and protocols, as `module:name`.

    What `Dispatcher` inherits is called as its own.
    """
    interface = (ROOT / "__init__.py").read_text(encoding="utf-8")
    names = {"heuristics.datacenter.live.placing:Placing"} | {
        f"{module}:{name}"
        for module, name in re.findall(r"^    from \.([\w.]+) import (\w+)", interface, re.M)
    }
    for module, path in source_tree.module_files(ROOT).items():
        source = path.read_text(encoding="utf-8")
        if not module.startswith(RECORDERS):
            names |= set(re.findall(r'"([\w.]+:\w+)"', source))
        protocols = re.findall(r"^class (\w+)\([^)]*\bProtocol\b", source, re.M)
        names |= {f"{module}:{name}" for name in protocols}
    return names


def classes_in_the_reference() -> set[str]:
    """Classes that the public API mentions in its signatures, as `module:name`."""
    classes = mentioned([getattr(slotwise, name) for name in slotwise.__all__]).values()
    return {f"{c.__module__.removeprefix('slotwise.')}:{c.__qualname__}" for c in classes}


def faults(
    module: str, source: str, public: Container[str], classes: Container[str] = ()
) -> list[str]:
    """What is wrong with the docstrings of a module, a line each.

    `classes`: those that may have sections without being public.
    """
    found = []
    for name, node in definitions(module, ast.parse(source)):
        docstring = ast.get_docstring(node)
        if docstring is None:
            found += [] if is_stub(node) else [f"{name}: no docstring"]
            continue
        names, needed = listed(docstring), parameters(node)
        is_class = isinstance(node, ast.ClassDef)
        section = SECTIONS.search(docstring)
        if is_exempt(module, node) or (is_class and (name in public or name in classes)):
            if names is not None and sorted(names) != sorted(needed):
                found.append(f"{name}: Parameters lists {names}, not {needed}")
        elif name in public or name.rpartition(".")[0] in public:
            if names is None and len(needed) > 1:
                found.append(f"{name}: no Parameters section")
            elif names is not None and sorted(names) != sorted(needed):
                found.append(f"{name}: Parameters lists {names}, not {needed}")
        elif section:
            found.append(f"{name}: is not public, and has a section {section[1]}")
    return found


def test_docstrings_name_the_parameters_of_the_public_api() -> None:
    public, classes = public_names(), classes_in_the_reference()
    assert len(public) > 100
    found = [
        fault
        for module, path in source_tree.module_files(ROOT).items()
        for fault in faults(module, path.read_text(encoding="utf-8"), public, classes)
    ]
    assert found == []


def cited(text: str, *, linked: bool) -> set[str]:
    """Keys that a docstring (`[LJR]`) or a page (`[[LJR]](../papers/references.md)`) cites."""
    if linked:
        return set(re.findall(r"\[\[?([\w-]+)\]?\]\((?:[./\w-]*/)?references\.md\)", text))
    return set(re.findall(r"(?<![\w\]])\[([A-Z][\w-]+)\]", re.sub(r"`[^`]*`", "", text)))


def test_sections_written_at_run_time_are_there() -> None:
    for function in (slotwise.solve, slotwise.read_swim, slotwise.read_openb):
        names = {name.partition(" : ")[0] for name in listed(inspect.getdoc(function) or "") or []}
        assert set(inspect.signature(function).parameters) <= names | {"path"}


def test_citations_and_references_agree() -> None:
    """Every key that code or documentation cites is explained, and nothing else is."""
    explained = re.findall(
        r"^- \*\*\[([\w-]+)\]\*\*", (ROOT / "docs/papers/references.md").read_text("utf-8"), re.M
    )
    keys = set()
    for path in source_tree.module_files(ROOT).values():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                keys |= cited(str(node.value.value), linked=False)
    for page in [ROOT / "README.md", *source_tree.files_below(ROOT, "docs/**/*.md")]:
        keys |= cited(page.read_text(encoding="utf-8"), linked=True)
    assert sorted(explained) == sorted(keys)


@pytest.mark.parametrize(
    ("source", "fault"),
    [
        ("def f(a): pass", "no docstring"),
        ("def f(a, b):\n  '''Add.'''", "no Parameters section"),
        ("def f(a, b):\n  '''Add.\n\n  Parameters\n  ----------\n  a\n      One.\n  '''", "['a']"),
        ("class C:\n  '''C.'''\n  def m(self): pass", "C.m: no docstring"),
        ("class f:\n  '''C.\n\n  Parameters\n  ----------\n  x\n  '''\n  y: int", "['x']"),
        ("class C:\n  '''C.\n\n  Attributes\n  ----------\n  y\n  '''\n  y: int", "is not public"),
        ("def g(a):\n  '''Go.\n\n  Returns\n  -------\n  int\n  '''", "is not public"),
    ],
)
def test_a_fault_is_found(source: str, fault: str) -> None:
    assert len(found := faults("m", source, {"m:f"})) == 1
    assert fault in found[0]


@pytest.mark.parametrize(
    "source",
    [
        "def f(a):\n  '''Double.'''",
        "def g(a, b):\n  '''Add.'''",
        "def _f(a, b): pass",
        "@generator(Options)\ndef f(a, b):\n  '''Draw.'''",
        "def f(a, *, b, **c):\n  '''F.\n\n  Parameters\n  ----------\n  a, b : int\n      Two.\n"
        "  **c\n      More.\n\n  Returns\n  -------\n  int\n      One.\n  '''",
    ],
)
def test_a_good_docstring_passes(source: str) -> None:
    assert faults("m", source, {"m:f"}) == []
