"""What `pip install` brings, and that the sdist is the whole project."""

import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest
import source_tree

ROOT = Path(__file__).parents[1]
LEFT = {"env/lib/site.py", "cores/__init__.py", "notes/__init__.py"}
"""Packages that a user leaves in the folder."""

pytestmark = pytest.mark.skipif(
    not (ROOT / "pyproject.toml").is_file(), reason="only the sources can be built"
)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a copy of the sources, the sdist made of it, and the wheel made of that."""
    pytest.importorskip("setuptools", minversion="77")
    folder = tmp_path_factory.mktemp("built")
    copy(source_tree.project_files(ROOT), folder / "sources")
    touch(folder / "sources", *LEFT)
    _run("build_sdist", folder / "sources", folder)
    with tarfile.open(next(folder.glob("*.tar.gz"))) as archive:
        # Python 3.11 knows filters from its fourth patch on.
        safe = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
        archive.extractall(folder / "unpacked", **safe)
    _run("build_wheel", next((folder / "unpacked").iterdir()), folder)
    return folder


def copy(files: list[Path], target: Path) -> None:
    for path in files:
        place = target / path.relative_to(ROOT)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, place)


def _run(step: str, sources: Path, target: Path) -> None:
    call = f"from setuptools import build_meta; build_meta.{step}({str(target)!r})"
    done = subprocess.run(
        [sys.executable, "-c", call], cwd=sources, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def files_below(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def without_egg_info(names: set[str]) -> set[str]:
    return {name for name in names if ".egg-info/" not in name}


def test_the_sdist_is_the_whole_project(built: Path) -> None:
    with tarfile.open(next(built.glob("*.tar.gz"))) as archive:
        found = {m.name.partition("/")[2] for m in archive.getmembers() if m.isfile()}
    made, own = {"PKG-INFO", "setup.cfg"}, files_below(built / "sources") - LEFT
    assert without_egg_info(found) - made == without_egg_info(own)


def test_the_wheel_holds_modules_examples_and_nothing_else(built: Path) -> None:
    with zipfile.ZipFile(next(built.glob("*.whl"))) as archive:
        names = [name for name in archive.namelist() if ".dist-info/" not in name]
        (metadata,) = (name for name in archive.namelist() if name.endswith("/METADATA"))
        about = archive.read(metadata).decode()
    with open(ROOT / "pyproject.toml", "rb") as stream:
        data = tomllib.load(stream)["tool"]["setuptools"]["package-data"]["slotwise"]
    modules = source_tree.module_files(ROOT).values()
    others = [path for pattern in data for path in source_tree.files_below(ROOT, pattern)]
    wanted = {path.relative_to(ROOT).as_posix() for path in (*modules, *others)}
    assert {
        "examples/five-jobs.json",
        "examples/swim.tsv",
        "cli.py",
        "py.typed",
        "__init__.pyi",
    } <= wanted
    assert {name.removeprefix("slotwise/") for name in names} == wanted
    assert "Author: slotwise developers" in about
    assert "Project-URL: Homepage, https://" in about


def touch(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_what_a_user_leaves_in_the_clone_is_not_seen(tmp_path: Path) -> None:
    touch(tmp_path, "__init__.py", "reports/page.py", "docs/building.py")
    for words in ("init --quiet", "add ."):
        subprocess.run(["git", "-C", str(tmp_path), *words.split()], check=True)
    own = source_tree.project_files(tmp_path)
    touch(tmp_path, "env/lib/site.py", ".venv2/lib/site.py", "mine.py")
    touch(tmp_path, "five-jobs.html", "docs/notes.txt", "report/results.csv")
    assert source_tree.project_files(tmp_path) == own
    assert source_tree.files_below(tmp_path, "**/*.*") == own
    assert source_tree.module_files(tmp_path).keys() == {"", "reports.page"}


def test_an_sdist_lists_its_files(tmp_path: Path) -> None:
    touch(tmp_path, "__init__.py", "env/lib/site.py")
    assert source_tree.module_files(tmp_path).keys() == {"", "env.lib.site"}
    (tmp_path / "slotwise.egg-info").mkdir()
    (tmp_path / "slotwise.egg-info/SOURCES.txt").write_text("__init__.py\ncli.py\n")
    assert source_tree.project_files(tmp_path) == [tmp_path / "__init__.py"]
