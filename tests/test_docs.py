"""What README and docs tell a reader to type: it exists, it runs, and links lead somewhere."""

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from itertools import takewhile
from pathlib import Path
from typing import Any

import matplotlib

# Its log goes for ever where stdout goes when it is imported: not into a test that ends.
import pyomo.environ  # noqa: F401
import pytest
import run_tables
from make import every_command
from rumen_jobs import TOPOLOGY, attempt, job, map_task, read, reduce_task
from source_tree import ROOT, files_below, project_files

import slotwise
from slotwise.commands.app import run, tree

PAGES = [
    path.relative_to(ROOT).as_posix()
    for pattern in ("README.md", "CONTRIBUTING.md", "benchmarks/README.md", "docs/**/*.md")
    for path in files_below(ROOT, pattern)
]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
INDENTED = re.compile(r"\n\n((?:    .*\n)+)")

pytestmark = pytest.mark.skipif(not PAGES, reason="the docs are beside the sources only")


def text_of(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def blocks(page: str, *kinds: str) -> list[str]:
    return [content for kind, content in BLOCK.findall(text_of(page)) if kind in kinds]


def commands(page: str) -> Iterator[list[str]]:
    """Arguments of every complete slotwise command on a page."""
    text = text_of(page)
    shell = [*blocks(page, "sh", "bash"), *INDENTED.findall(BLOCK.sub("\n", text))]
    for content in shell:
        for line in content.replace("\\\n", " ").splitlines():
            words = shlex.split(line, comments=True)
            if words[:1] == ["slotwise"]:
                yield list(takewhile(lambda word: word not in (">", "|", "&&"), words[1:]))


CLI: Any = tree()


@pytest.mark.parametrize("page", PAGES)
def test_commands_and_their_options_exist(page: str) -> None:
    for words in commands(page):
        command: Any = CLI
        rest = words
        while hasattr(command, "get_command"):
            command, rest = command.get_command(None, rest[0]), rest[1:]
            assert command is not None, words
        command.make_context(command.name, list(rest))


@cache
def known_options() -> set[str]:
    """Those of our commands and benchmarks, and of other programs that pages tell to run."""
    known = {"--help", "--json", "--user", "--upgrade", "--all-files", "--strict"}
    known |= {"--port", "--nthreads", "--nworkers"}  # of dask
    for command in (CLI, *every_command().values()):
        known |= {name for p in command.params for name in (*p.opts, *p.secondary_opts)}
    programs = files_below(ROOT, "benchmarks/*.py")
    scripts = "\n".join(path.read_text(encoding="utf-8") for path in programs)
    return known | set(re.findall(r'"(--[a-z][a-z-]+)"', scripts))


@pytest.mark.parametrize("page", PAGES)
def test_every_option_in_the_text_is_one(page: str) -> None:
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z0-9-]+", text_of(page))) <= known_options()


def anchors(page: Path) -> set[str]:
    found = set()
    for title in re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE):
        plain = re.sub(r"\[([^]]*)\]\([^)]*\)|[`*]", r"\1", title).lower()
        found.add(re.sub(r"[^\w\- ]", "", plain).replace(" ", "-"))
    return found


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", BLOCK.sub("", text_of(page))):
        if "://" in target:
            continue
        name, _, anchor = target.partition("#")
        file = (ROOT / page).parent / name if name else ROOT / page
        assert file.exists(), target
        assert not anchor or anchor in anchors(file), target


def test_pages_that_the_project_names_exist() -> None:
    named = {
        (path.relative_to(ROOT).as_posix(), page)
        for path in project_files()
        if path.suffix in {".cff", ".csv", ".json", ".md", ".py", ".toml", ".yaml", ".yml"}
        for page in re.findall(r"docs/[\w./-]+\.md", path.read_text(encoding="utf-8"))
    }
    assert len(named) > 50
    assert [(path, page) for path, page in sorted(named) if not (ROOT / page).is_file()] == []


@pytest.mark.parametrize("kind", ["heuristics", "formulations"])
def test_every_method_has_a_page(kind: str) -> None:
    shown = "\n".join(map(text_of, PAGES))
    directives = re.findall(
        r"^```\{(?:entry\} heuristics|steps\}|lesson\}) (.*?)(?: on .*)?$", shown, re.M
    )
    for name in slotwise.registry(kind).names:
        assert name in directives or (ROOT / f"docs/{kind}/{name}.md").is_file(), name


def test_every_public_name_is_in_the_reference_once() -> None:
    pages = "".join(text_of(page) for page in PAGES if page.startswith("docs/reference/api/"))
    shown = re.findall(r"^\.\. auto(?:function|class|exception):: (\w+)$", pages, re.MULTILINE)
    assert sorted(shown) == sorted(slotwise.__all__)


def test_pages_of_code_become_notebooks_whose_links_lead_somewhere() -> None:
    pytest.importorskip("myst_nb", reason="needs the extra `docs`")
    nbformat = pytest.importorskip("nbformat")
    from building.pages import SOURCES, notebook

    made = 0
    for page in PAGES:
        name = page.removeprefix("docs/").removesuffix(".md")
        if book := notebook(name, text_of(page)):
            nbformat.validate(book)
            code = [cell for cell in book.cells if cell.cell_type == "code"]
            assert len(code) == text_of(page).count("\n```{code-cell}") > 0
            words = "\n".join(cell.source for cell in book.cells if cell.cell_type == "markdown")
            assert "```{" not in words
            for target in re.findall(r"\]\(([^)#]+)", words):
                assert target.startswith("https://"), target
                if target.startswith(SOURCES):
                    assert (ROOT / "docs" / target.removeprefix(f"{SOURCES}/")).is_file(), target
            made += 1
    assert made > 10


@pytest.mark.slow
def test_the_site_is_built_and_asks_no_host(tmp_path: Path) -> None:
    pytest.importorskip("furo", reason="needs the extra `docs`")
    command = [sys.executable, "-m", "sphinx", "-nWq", "-j", "2", str(ROOT / "docs"), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    loads = re.compile(
        r"<(?:script|img|iframe|link|source|video)\b[^>]*?\s(?:src|href|srcset)=\"([^\"#]*)"
        r"|(?:url\(|@import )[\"']?((?:https?:)?//[^\"')]*)"
    )
    for page in (*tmp_path.rglob("*.html"), *tmp_path.rglob("*.css")):
        for target in filter(None, map("".join, loads.findall(page.read_text(encoding="utf-8")))):
            assert "//" not in target, (page, target)
            file = page.parent / target.partition("?")[0]
            assert target.startswith("data:") or file.exists(), (page, target)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the inputs that the docs take for granted."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    (tmp_path / "fair-scheduler.xml").write_text(
        '<allocations><queue name="eng"><weight>3</weight><queue name="dev"/>'
        '<queue name="prod"/></queue><queue name="sci"/></allocations>'
    )
    tree, events = (
        content
        for content in blocks("docs/heuristics/fairness.md", "json")
        if '"format"' in content
    )
    (tmp_path / "tree.json").write_text(tree)
    (tmp_path / "events.json").write_text(events)
    traced = job(
        1,
        [
            map_task(
                attempt("/10.0.1/h1.example", 0, 30, **read(64)), replicas=["10.0.1/h1.example"]
            )
        ],
        [reduce_task(attempt("/10.0.2/h3.example", 30, 70, shuffled=40))],
    )
    (tmp_path / "trace.json.gz").write_text(json.dumps(traced))
    (tmp_path / "topology.json.gz").write_text(json.dumps(TOPOLOGY))
    run_tables.write(tmp_path / "study.runs", run_tables.frame(run_tables.TWO_METHODS))
    monkeypatch.chdir(tmp_path)
    return tmp_path


PARSED_ONLY = (
    ["solve", "--cross-check"],
    ["simulate"],
    ["serve"],
    ["guide", "--target-rate"],
    ["campaign"],
    ["--lesson"],
    ["lesson"],
)
"""Commands that take longer than the others together, or download something."""


@pytest.mark.parametrize(
    "page", ["README.md", "docs/heuristics/fairness.md", "docs/how-to/schedulers.md"]
)
def test_commands_run_and_say_something(
    page: str, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for words in commands(page):
        if any(set(some) <= set(words) for some in PARSED_ONLY):
            continue
        code = run(words)
        said = capfd.readouterr()
        assert code == 0, (words, said.err)
        assert said.out.strip(), words
        for option in ("-o", "--gantt", "--plot"):
            if option in words:
                assert (folder / words[words.index(option) + 1]).stat().st_size > 0


@pytest.mark.parametrize(
    "page",
    [
        "README.md",
        "docs/heuristics/dispatch.md",
        "docs/reference/generators.md",
        "docs/heuristics/hmhs.md",
        "docs/heuristics/smso.md",
    ],
)
def test_python_runs(page: str, folder: Path) -> None:
    for content in blocks(page, "python"):
        exec(compile(content, page, "exec"), {})


def test_the_python_session_runs(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """On this page each block goes on where the one before it ended."""
    session: dict[str, Any] = {}
    with matplotlib.rc_context({"backend": "agg"}):
        for content in blocks("docs/reference/python.md", "python"):
            exec(compile(content, "docs/reference/python.md", "exec"), session)
    line = capfd.readouterr().out.splitlines()[-1]
    assert line.replace("mine.json", "x.json") in text_of("docs/reference/python.md")
    assert "data:image/svg" in session["page"]
    for name in ("mine.lp", "sequence.mps", "shares.png"):
        assert (folder / name).stat().st_size > 0


def test_files_of_the_docs_are_read(tmp_path: Path) -> None:
    found = set()
    for page in PAGES:
        for content in blocks(page, "json"):
            document = json.loads(content) if content.startswith("{") else {}
            if document.get("format") in (
                *("slotwise/mapreduce/1", "slotwise/datacenter/1", "slotwise/hierarchy/1"),
            ):
                (tmp_path / "file.json").write_text(content)
                slotwise.read(tmp_path / "file.json")
                found.add(document["format"])
    assert len(found) == 3


def test_every_valid_bound_is_proven() -> None:
    sections = re.findall(
        r"(?ms)^## (.+?)\n(.*?)(?=^## |\Z)", text_of("docs/formulations/bounds.md")
    )
    proven = [heading for heading, text in sections if re.search(r"(?s)\*Proof\.\*.+∎", text)]
    headings = "\n".join(proven).lower()
    for entry in slotwise.registry("bounds"):
        if entry.valid and not entry.plugin:
            assert re.search(rf"\b{re.escape(entry.name.lower())}\b", headings), entry.name
