"""The page of the generators: its tables are those of the dataclasses."""

import re
from pathlib import Path

import pytest

from slotwise.core.parameters import Parameter, parameters_of
from slotwise.instances.generators import GENERATORS

PAGE = Path(__file__).parents[1] / "docs/reference/generators.md"

pytestmark = pytest.mark.skipif(not PAGE.is_file(), reason="the docs are beside the sources only")


def default_of(one: Parameter) -> str:
    if one.required:
        return "to be given"
    if isinstance(one.default, tuple):
        return " ".join(f"{value:g}" for value in one.default)
    if one.default is None:
        return "none"
    return f"{one.default}"


def table(name: str) -> str:
    """The parameters of a generator: in Python, on the command line, default, meaning."""
    rows = ["| parameter | option | default | meaning |", "|---|---|---|---|"]
    for one in parameters_of(GENERATORS.lookup(name).load()):
        option = f"--{one.about.option or one.name.replace('_', '-')}"
        rows.append(f"| `{one.name}` | `{option}` | {default_of(one)} | {one.about.text} |")
    return "\n".join(rows)


def sections() -> dict[str, str]:
    """Text of each section by its title."""
    parts = re.split(r"^## (\S+).*$", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def test_every_generator_has_a_section() -> None:
    assert list(sections()) == [entry.name for entry in GENERATORS.own]


@pytest.mark.parametrize("name", [entry.name for entry in GENERATORS.own])
def test_the_section_has_the_table_of_parameters(name: str) -> None:
    assert table(name) in sections()[name]
