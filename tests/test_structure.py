"""The shape of the source: layers, circles, rooms, packages and the size of functions.

Computed from the files themselves, so that a new module is held to it as it appears. The cases on
small trees at the end show that every rule can fail.
"""

import re
import shutil
import subprocess
import tomllib
from collections.abc import Callable
from pathlib import Path

import networkx as nx
import pytest
import source_tree

ROOT = Path(__file__).parents[1]
MOST_FILES = 16
MOST_DEEP = 3
MOST_LINES = 60
MOST_ARGUMENTS = 7

pytestmark = pytest.mark.skipif(
    not (ROOT / "pyproject.toml").is_file(), reason="the rules are about the sources"
)


Tree = Callable[[dict[str, str]], Path]


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """Writes a package of the given modules and gives its folder."""

    def write(modules: dict[str, str]) -> Path:
        for name, text in modules.items():
            path = tmp_path / f"{name}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return tmp_path

    return write


def circles(root: Path) -> list[list[str]]:
    """Groups of modules that import one another, in the order of the alphabet."""
    graph = nx.DiGraph(
        (module, target)
        for module, targets in source_tree.imports(root).items()
        for target in targets
    )
    return [sorted(group) for group in nx.strongly_connected_components(graph) if len(group) > 1]


def crowded(root: Path) -> dict[str, int]:
    """Rooms with too many modules, and how many they have."""
    rooms = source_tree.files_in_rooms(root)
    return {room: files for room, files in rooms.items() if files > MOST_FILES}


def too_deep(root: Path) -> list[str]:
    """Rooms further than `MOST_DEEP` folders below the root."""
    return [room for room in source_tree.files_in_rooms(root) if room.count("/") >= MOST_DEEP]


def packages_and_tree(root: Path) -> tuple[set[str], set[str]]:
    """The packages that `pyproject.toml` lists, and those that the folders are."""
    with open(root / "pyproject.toml", "rb") as stream:
        settings = tomllib.load(stream)["tool"]["setuptools"]
    (name,) = settings["package-dir"]
    return set(settings["packages"]), source_tree.packages(root, name)


def too_long(root: Path) -> set[str]:
    """Functions that are too long, without their docstrings."""
    return {f.name for f in source_tree.functions(root) if f.lines > MOST_LINES}


def too_wide(root: Path) -> set[str]:
    """Public functions with too many arguments; a command's arguments are its options."""
    return {
        f.name
        for f in source_tree.functions(root)
        if f.public and f.arguments > MOST_ARGUMENTS and not f.name.startswith("commands.")
    }


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_what_a_user_leaves_in_the_clone_is_not_seen(tree: Tree) -> None:
    root = tree({"__init__": "", "report/page": "", "docs/building": ""})
    for words in ("init --quiet", "add ."):
        subprocess.run(["git", "-C", str(root), *words.split()], check=True)
    own = source_tree.project_files(root)
    tree({"env/lib/site": "", ".venv2/lib/site": "", "mine": "from .report import page"})
    for name in ("five-jobs.html", "docs/notes.txt", "report/results.csv"):
        (root / name).touch()
    assert source_tree.project_files(root) == own
    assert source_tree.files_below(root, "**/*.*") == own
    assert source_tree.module_files(root).keys() == {"", "report.page"}


def test_an_sdist_lists_its_files(tree: Tree) -> None:
    root = tree({"__init__": "", "env/lib/site": ""})
    assert source_tree.module_files(root).keys() == {"", "env.lib.site"}
    (root / "slotwise.egg-info").mkdir()
    (root / "slotwise.egg-info/SOURCES.txt").write_text("__init__.py\ncli.py\n")
    assert source_tree.project_files(root) == [root / "__init__.py"]


def test_all_modules_are_seen() -> None:
    files = source_tree.module_files(ROOT)
    assert {"", "cli", "core.errors", "commands.app", "solvers"} <= files.keys()
    assert source_tree.imports(ROOT)["cli"] >= {"commands.app"}


def test_imports_run_one_way() -> None:
    assert source_tree.wrong_ways(ROOT) == []


def test_families_of_problem_do_not_know_one_another() -> None:
    assert source_tree.across_families(ROOT) == []


def test_folders_are_at_most_three_deep() -> None:
    assert too_deep(ROOT) == []


def test_no_modules_import_one_another_in_a_circle() -> None:
    assert circles(ROOT) == []


def test_no_room_is_crowded() -> None:
    assert crowded(ROOT) == {}


def test_listed_packages_are_the_tree() -> None:
    listed, tree = packages_and_tree(ROOT)
    assert listed == tree


def test_every_package_says_so() -> None:
    folders = {path.parent for path in source_tree.module_files(ROOT).values()}
    assert [str(folder) for folder in folders if not (folder / "__init__.py").is_file()] == []


def test_the_map_of_the_rooms_shows_each() -> None:
    page = (ROOT / "docs/contributing/architecture.md").read_text(encoding="utf-8")
    rooms = set(re.findall(r"`([a-z_]+(?:/[a-z_]+)*)/?`", page.partition("## Rooms")[2]))
    folders = {
        p.parent.relative_to(ROOT).as_posix() for p in source_tree.module_files(ROOT).values()
    }
    missing = {f for f in folders if f != "." and f not in rooms}
    assert missing == set()
    assert {room for room in rooms if "/" in room and not (ROOT / room).is_dir()} == set()


def test_functions_are_short() -> None:
    assert too_long(ROOT) == set()


def test_public_functions_take_few_arguments() -> None:
    assert too_wide(ROOT) == set()


@pytest.mark.parametrize(
    "line",
    [
        "from ..solvers import solve",
        "from ..solvers.solve import solve",
        "def f():\n    from ..solvers.solve import solve",
        "if TYPE_CHECKING:\n    from ..solvers.solve import Solver",
        "import slotwise.solvers.solve",
        "from slotwise.solvers import solve",
    ],
)
def test_an_import_that_runs_upwards_is_found(tree: Tree, line: str) -> None:
    root = tree({"formulations/model": line, "solvers/solve": "from ..formulations import model"})
    assert source_tree.wrong_ways(root) == ["formulations.model imports solvers.solve"]


def test_imports_of_layers_side_by_side_and_of_the_top_are_found(tree: Tree) -> None:
    root = tree(
        {
            "__init__": "from .commands.app import run",
            "cli": "",
            "commands/app": "from ..cli import main",
            "formulations/__init__": "",
            "formulations/bound": "from .. import __version__",
            "formulations/other": "from .bound import b\nfrom . import bound",
            "heuristics/rules": "from ..formulations.bound import b",
        }
    )
    assert source_tree.wrong_ways(root) == [
        "commands.app imports cli",
        "formulations.bound imports the package itself",
        "heuristics.rules imports formulations.bound",
    ]


def test_a_circle_through_a_late_import_is_found(tree: Tree) -> None:
    root = tree(
        {
            "instances/a": "from .b.c import x",
            "instances/b/c": "def f():\n    from ...instances import a",
            "instances/b/d": "from ..a import f",
        }
    )
    assert circles(root) == [["instances.a", "instances.b.c"]]


def test_a_crowded_room_is_found(tree: Tree) -> None:
    room = {f"report/m{k}": "" for k in range(MOST_FILES)}
    outside = {f"tests/t{k}": "" for k in range(MOST_FILES + 1)}
    assert crowded(tree(room | outside | {"report/__init__": ""})) == {}
    assert crowded(tree({"report/one_more": ""})) == {"report": MOST_FILES + 1}


def test_an_import_between_families_is_found(tree: Tree) -> None:
    root = tree(
        {
            "instances/mapreduce/job": "from ..hierarchy import tree",
            "instances/hierarchy/__init__": "from ..verdict import v",
            "instances/hierarchy/tree": "",
            "instances/verdict": "",
            "solvers/datacenter/guide": "from ...instances.mapreduce.job import Job",
        }
    )
    assert source_tree.across_families(root) == [
        "instances.mapreduce.job imports instances.hierarchy.tree",
        "solvers.datacenter.guide imports instances.mapreduce.job",
    ]


def test_a_deep_folder_is_found(tree: Tree) -> None:
    assert too_deep(tree({"report/a/b/page": "", "report/a/b/c/page": ""})) == ["report/a/b/c"]


def test_a_package_missing_from_the_list_is_found(tree: Tree) -> None:
    root = tree({"__init__": "", "report/__init__": "", "report/gantt/__init__": ""})
    (root / "pyproject.toml").write_text(
        '[tool.setuptools]\npackage-dir = {pack = "."}\npackages = ["pack", "pack.report"]\n'
    )
    listed, found = packages_and_tree(root)
    assert found - listed == {"pack.report.gantt"}


def test_long_functions_are_found(tree: Tree) -> None:
    body, deep = "    pass\n" * MOST_LINES, "            pass\n" * MOST_LINES
    root = tree(
        {
            "report/page": f'def short():\n    """Text\n\n    text."""\n{body[9:]}'
            f"def long():\n{body}"
            f"class C:\n    def m(self):\n        def inside():\n{deep}",
            "report/kernels": f"@kernel(cache=True)\ndef k():\n{body}",
        }
    )
    assert too_long(root) == {"report.page:long", "report.page:C.m", "report.page:C.m.inside"}


def test_functions_with_many_arguments_are_found(tree: Tree) -> None:
    seven, eight = "a, b, c, *, d, e, f, g", "a, b, c, /, d, e, *, f, g, h"
    root = tree(
        {
            "report/page": f"def narrow({seven}): ...\n"
            f"def wide({eight}): ...\n"
            f"def _own({eight}): ...\n"
            f"class C:\n    def __init__(self, {seven}): ...\n    def m(self, {eight}): ...\n",
            "commands/verb": f"def verb({eight}): ...",
        }
    )
    assert too_wide(root) == {"report.page:wide", "report.page:C.m"}
