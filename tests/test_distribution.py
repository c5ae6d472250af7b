"""What `pip install` brings, that the sdist is the whole project, and no more than that."""

import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest
from source_tree import ROOT, files_below, module_files, project_files

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
    for path in project_files():
        place = folder / "sources" / path.relative_to(ROOT)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, place)
    touch(folder / "sources", *LEFT)
    build("sdist", folder / "sources", folder)
    with tarfile.open(next(folder.glob("*.tar.gz"))) as archive:
        # Python 3.11 knows filters from its fourth patch on.
        safe = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
        archive.extractall(folder / "unpacked", **safe)
    build("wheel", next((folder / "unpacked").iterdir()), folder)
    return folder


def touch(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()


def build(what: str, sources: Path, target: Path) -> None:
    call = f"from setuptools import build_meta; build_meta.build_{what}({str(target)!r})"
    done = subprocess.run([sys.executable, "-c", call], cwd=sources, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_sdist_is_the_whole_project(built: Path) -> None:
    with tarfile.open(next(built.glob("*.tar.gz"))) as archive:
        found = {m.name.partition("/")[2] for m in archive.getmembers() if m.isfile()}
    made = {name for name in found if ".egg-info/" in name} | {"PKG-INFO", "setup.cfg"}
    assert found - made == {path.relative_to(ROOT).as_posix() for path in project_files()}


def test_the_wheel_holds_modules_data_and_nothing_else(built: Path) -> None:
    with zipfile.ZipFile(next(built.glob("*.whl"))) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
        (metadata,) = (name for name in archive.namelist() if name.endswith("/METADATA"))
        about = archive.read(metadata).decode()
    tools = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    patterns = tools["setuptools"]["package-data"]["slotwise"]
    data = {path for pattern in patterns for path in files_below(ROOT, pattern)}
    wanted = {path.relative_to(ROOT).as_posix() for path in {*module_files().values(), *data}}
    assert {"examples/swim.tsv", "cli.py", "__init__.pyi", "py.typed"} <= wanted
    assert {name.removeprefix("slotwise/") for name in names} == wanted
    assert "Author: slotwise developers" in about
    assert "Project-URL: Homepage, https://" in about


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_what_a_user_leaves_in_the_clone_is_not_seen(tmp_path: Path) -> None:
    touch(tmp_path, "__init__.py", "reports/page.py", "docs/building.py")
    for words in ("init --quiet", "add ."):
        subprocess.run(["git", "-C", str(tmp_path), *words.split()], check=True)
    own = project_files(tmp_path)
    touch(tmp_path, "env/lib/site.py", ".venv2/lib/site.py", "mine.py")
    assert project_files(tmp_path) == files_below(tmp_path, "**/*.*") == own
    assert module_files(tmp_path).keys() == {"", "reports.page"}


def test_an_sdist_lists_its_files(tmp_path: Path) -> None:
    touch(tmp_path, "__init__.py", "env/lib/site.py", "slotwise.egg-info/SOURCES.txt")
    (tmp_path / "slotwise.egg-info/SOURCES.txt").write_text("__init__.py\ncli.py\n")
    assert project_files(tmp_path) == [tmp_path / "__init__.py"]
