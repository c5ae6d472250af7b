"""Docstrings of the public API are numpydoc and name what is taken; citations lead somewhere."""

import ast
import inspect
import re

import pytest
from source_tree import ROOT, files_below, module_files

import slotwise

pytest.importorskip("numpydoc")

CHECKED = {"GL03", "GL07", "GL08", "PR02", "PR03", "SS01"}
"""Sections, parameters and summaries; https://numpydoc.readthedocs.io lists the codes."""
OF_FUNCTIONS = CHECKED | {"PR01"}


@pytest.mark.parametrize("name", slotwise.__all__)
def test_the_public_api_is_documented(name: str) -> None:
    from numpydoc.docscrape import get_doc_object
    from numpydoc.validate import validate

    thing = getattr(slotwise, name)
    codes = OF_FUNCTIONS if inspect.isfunction(thing) else CHECKED
    found = validate(get_doc_object(thing))["errors"]
    assert [message for code, message in found if code in codes] == []


def cited(text: str, *, linked: bool) -> set[str]:
    """Keys that a docstring (`[LJR]`) or a page (`[[LJR]](../papers/references.md)`) cites."""
    if linked:
        return set(re.findall(r"\[\[?([\w-]+)\]?\]\((?:[./\w-]*/)?references\.md\)", text))
    return set(re.findall(r"(?<![\w\]])\[([A-Z][\w-]+)\]", re.sub(r"`[^`]*`", "", text)))


@pytest.mark.skipif(not (ROOT / "docs").is_dir(), reason="the sources are not here")
def test_citations_and_references_agree() -> None:
    """Every key that code or documentation cites is explained, and nothing else is."""
    explained = re.findall(
        r"^- \*\*\[([\w-]+)\]\*\*", (ROOT / "docs/papers/references.md").read_text("utf-8"), re.M
    )
    keys = set()
    for path in module_files().values():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                keys |= cited(str(node.value.value), linked=False)
    for page in [ROOT / "README.md", *files_below(ROOT, "docs/**/*.md")]:
        keys |= cited(page.read_text(encoding="utf-8"), linked=True)
    assert sorted(explained) == sorted(keys)
