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
import pytest
import run_tables
from building.figures import figures
from building.whole import faults
from rumen_jobs import TOPOLOGY, attempt, job, map_task, read, reduce_task
from source_tree import files_below, project_files

import slotwise
from slotwise.commands.app import run, tree
from slotwise.core.files.examples import EXAMPLES
from slotwise.formulations.mapreduce.bounds import BOUNDS
from slotwise.instances.datacenter.datacenter_file import read_datacenter
from slotwise.instances.hierarchy.hierarchy_file import read_hierarchy
from slotwise.instances.mapreduce.instance_file import read_instance
from slotwise.teaching.lessons.family import FAMILIES
from slotwise.teaching.steps import RECORDERS

ROOT = Path(__file__).parents[1]
PAGES = [
    "README.md",
    "CONTRIBUTING.md",
    "benchmarks/README.md",
    *(path.relative_to(ROOT).as_posix() for path in files_below(ROOT, "docs/**/*.md")),
]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
INDENTED = re.compile(r"\n\n((?:    .*\n)+)")

pytestmark = pytest.mark.skipif(
    not (ROOT / "README.md").is_file(), reason="the docs are beside the sources only"
)


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


def leaf_commands(command: Any) -> Iterator[Any]:
    below = getattr(command, "commands", None)
    if below is None:
        yield command
    else:
        for found in below.values():
            yield from leaf_commands(found)


CLI: Any = tree()


@pytest.mark.parametrize("page", PAGES)
def test_commands_and_their_options_exist(page: str) -> None:
    for words in commands(page):
        command: Any = CLI
        rest = words
        while hasattr(command, "commands"):
            assert rest[0] in command.commands, words
            command, rest = command.commands[rest[0]], rest[1:]
        command.make_context(command.name, list(rest))


@cache
def known_options() -> set[str]:
    """Those of our commands and benchmarks, and of other programs that pages tell to run."""
    known = {"--help", "--json", "--user", "--upgrade", "--all-files", "--strict"}
    known |= {"--port", "--nthreads", "--nworkers"}  # of dask
    for command in (CLI, *leaf_commands(CLI)):
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


CITES = re.compile(r"docs/[\w./-]+\.md")
TEXTS = {".cff", ".csv", ".json", ".md", ".py", ".toml", ".yaml", ".yml"}


def test_pages_that_the_project_names_exist() -> None:
    named = {
        (path.relative_to(ROOT).as_posix(), page)
        for path in project_files(ROOT)
        if path.suffix in TEXTS
        for page in CITES.findall(path.read_text(encoding="utf-8"))
    }
    assert len(named) > 50
    assert [(path, page) for path, page in sorted(named) if not (ROOT / page).is_file()] == []


@pytest.mark.parametrize("kind", ["heuristics", "formulations"])
def test_every_method_has_a_page(kind: str) -> None:
    shown = "\n".join(text_of(page) for page in PAGES if page.startswith(f"docs/{kind}/"))
    directives = re.findall(
        r"^```\{(?:entry\} heuristics|steps\}|lesson\}) (.*?)(?: on .*)?$", shown, re.M
    )
    for name in slotwise.registry(kind).names:
        assert name in directives or (ROOT / f"docs/{kind}/{name}.md").is_file(), name


def test_every_method_that_can_be_stepped_through_is_on_a_page() -> None:
    shown = {
        name: example
        for page in PAGES
        for name, example in re.findall(r"^```\{steps\} (.*?) on (\S+)", text_of(page), re.M)
    }
    assert sorted(shown) == sorted(RECORDERS)
    assert set(shown.values()) <= {f"example:{one.name}" for one in EXAMPLES}


def test_every_lesson_is_on_the_page_of_its_model() -> None:
    for model in FAMILIES:
        text = text_of(f"docs/formulations/{model}.md")
        assert f"```{{lesson}} {model}\n" in text
        assert f"```{{without}} {model}\n" in text


FAULTS = {
    '<img src="https://host/a.png">': "loads https://host/a.png",
    '<script src="//host/a.js"></script>': "loads //host/a.js",
    "<style>@import 'https://host/a.css';</style>": "loads https://host/a.css",
    '<p style="background: url(https://host/a.png)">': "loads https://host/a.png",
    '<a href="gone.html">': "no file gone.html",
    '<a href="../gone/">': "no file ../gone/",
    '<a href="other.html#gone">': "no place other.html#gone",
    '<a href="#gone">': "no place #gone",
    '<iframe src="gone.html"></iframe>': "no file gone.html",
}


@pytest.mark.parametrize("text", FAULTS)
def test_a_fault_of_a_built_page_is_found(text: str, tmp_path: Path) -> None:
    (tmp_path / "other.html").write_text('<h1 id="top">Other</h1>')
    page = tmp_path / "page.html"
    page.write_text('<a href="https://host/">out</a><a href="other.html#top">in</a><a href="">')
    assert list(faults(tmp_path)) == []
    page.write_text(text)
    assert list(faults(tmp_path)) == [f"page.html: {FAULTS[text]}"]


def test_figures_outside_cells_are_listed() -> None:
    text = (
        "---\nfile_format: mystnb\n---\nIt takes 2.5 s.\n```{code-cell}\n3 s\n```\nAnd 40 % of s.\n"
    )
    assert list(figures(text)) == [(4, "2.5 s"), (8, "40 %")]
    assert list(figures(text.replace("mystnb", "plain"))) == []


@pytest.mark.slow
def test_the_site_is_built_without_a_warning(tmp_path: Path) -> None:
    pytest.importorskip("furo", reason="needs the extra `docs`")
    command = [sys.executable, "-m", "sphinx", "-nWq", "-j", "2", str(ROOT / "docs"), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "searchindex.js").is_file()


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
"""Commands that take longer than the others together, or need npm and its registry."""


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
        "docs/reference/generator-ljr.md",
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
    assert "<svg" in session["page"]
    for name in ("mine.lp", "sequence.mps", "shares.png"):
        assert (folder / name).stat().st_size > 0


def test_files_of_the_docs_are_read(tmp_path: Path) -> None:
    readers = {
        "slotwise/mapreduce/1": read_instance,
        "slotwise/datacenter/1": read_datacenter,
        "slotwise/hierarchy/1": read_hierarchy,
    }
    read_formats = set()
    for page in PAGES:
        for content in blocks(page, "json"):
            document = json.loads(content) if content.startswith("{") else {}
            if document.get("format") in readers:
                (tmp_path / "file.json").write_text(content)
                readers[document["format"]](tmp_path / "file.json")
                read_formats.add(document["format"])
    assert read_formats == set(readers)


def unproven(page: str, names: list[str]) -> list[str]:
    """The bounds that no section of a page, with their name in its heading, proves."""
    sections = re.findall(r"(?ms)^## (.+?)\n(.*?)(?=^## |\Z)", page)
    proven = [heading for heading, text in sections if re.search(r"(?s)\*Proof\.\*.+∎", text)]
    headings = "\n".join(proven)
    return [name for name in names if not re.search(rf"(?i)\b{re.escape(name)}\b", headings)]


def test_every_valid_bound_is_proven() -> None:
    names = [entry.name for entry in BOUNDS if entry.valid and not entry.plugin]
    assert unproven(text_of("docs/formulations/bounds.md"), names) == []


def test_a_bound_without_a_proof_is_found() -> None:
    page = "# Bounds\n## A and B\n*Proof.* Clear. ∎\n## C\nIt is clear.\n## D\n*Proof.* Open.\n"
    assert unproven(page, ["A", "B", "C", "D"]) == ["C", "D"]
