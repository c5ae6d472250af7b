"""What the site's build makes of pages: notebooks, and lists with a sentence for each page."""

import re
from pathlib import Path
from typing import Any

import matplotlib
import pytest
from source_tree import files_below

pytest.importorskip("myst_nb", reason="needs the extra `docs`")

import nbformat
from building.indexes import listed
from building.notebooks import PAGES, SOURCES, is_run, notebook
from building.public_names import LINKED, area
from sphinx.errors import ExtensionError

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"

pytestmark = pytest.mark.skipif(not DOCS.is_dir(), reason="the docs are beside the sources only")


def text_of(name: str) -> str:
    return (DOCS / f"{name}.md").read_text(encoding="utf-8")


LIST = re.compile(r"^```\{pages\}\n(?::pictures:\n)?(.*?)^```$", re.MULTILINE | re.DOTALL)
RUN = [
    name
    for path in files_below(ROOT, "docs/**/*.md")
    if is_run(name := path.relative_to(DOCS).with_suffix("").as_posix(), text_of(name))
]


def test_all_folders_have_notebooks() -> None:
    assert {f"{name.partition('/')[0]}/" for name in RUN} == set(PAGES)
    assert not is_run("how-to/own-data", text_of("how-to/own-data"))
    assert not is_run("gallery/index", text_of("gallery/index"))


@pytest.mark.parametrize("name", RUN)
def test_a_notebook_is_valid_and_has_the_cells_of_its_page(name: str) -> None:
    made = notebook(name, text_of(name))
    nbformat.validate(made)
    code = [cell.source for cell in made.cells if cell.cell_type == "code"]
    assert len(code) == len(re.findall(r"^```\{code-cell\}", text_of(name), re.MULTILINE)) > 0
    words = "\n".join(cell.source for cell in made.cells if cell.cell_type == "markdown")
    assert words.startswith("# ")
    assert "```{" not in words
    for target in re.findall(r"\]\(([^)]+)\)", words):
        assert target.startswith(("https://", "#")), target
        page, _, _ = target.removeprefix(SOURCES).partition("#")
        assert not target.startswith(SOURCES) or (DOCS / page.strip("/")).is_file(), target


def test_a_notebook_runs() -> None:
    session: dict[str, Any] = {}
    with matplotlib.rc_context({"backend": "agg"}):
        for cell in notebook("gallery/next-machine", text_of("gallery/next-machine")).cells:
            if cell.cell_type == "code":
                exec(compile(cell.source, "gallery/next-machine", "exec"), session)
    assert session["best"] == "V100"


def test_a_list_takes_sentences_from_its_lines_and_from_registries(tmp_path: Path) -> None:
    (tmp_path / "efss.md").write_text("# EFSS\n\n```{entry} heuristics EFSS\n```\n")
    (tmp_path / "model.md").write_text("# A model\n\n```{statement} fair-share\n```\n")
    (tmp_path / "other.md").write_text("# Other\n")
    lines = ["efss", "", "model", "other: What: it is."]
    assert list(listed(lines, tmp_path)) == [
        ("efss", "Earliest finishing slot."),
        ("model", "One stage of hierarchical max-min fairness."),
        ("other", "What: it is."),
    ]
    with pytest.raises(ExtensionError, match="no sentence about"):
        list(listed(["other"], tmp_path))
    with pytest.raises(ExtensionError, match="no page"):
        list(listed(["gone: It was."], tmp_path))


@pytest.mark.parametrize("page", files_below(ROOT, "docs/**/index.md"), ids=str)
def test_every_page_of_a_list_has_a_sentence(page: Path) -> None:
    for lines in LIST.findall(page.read_text(encoding="utf-8")):
        for name, sentence in listed(lines.splitlines(), page.parent):
            assert re.fullmatch(r"[A-Z`].*\.", sentence), (name, sentence)


def test_every_class_of_the_reference_has_an_area() -> None:
    assert {area(full.rpartition(".")[0]) for full in LINKED} > {"batches", "solving"}
