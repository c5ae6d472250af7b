"""What CONTRIBUTING.md shows works: all ten things go into a copy of the package and are used."""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from source_tree import ROOT, files_below, module_files

import slotwise

PAGE = ROOT / "CONTRIBUTING.md"
BLOCK = re.compile(r"^```python\n# ([\w/]+\.py)(?:, (\w+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)

pytestmark = pytest.mark.skipif(not PAGE.is_file(), reason="the page is beside the sources only")


def with_entry(source: str, registry: str, entry: str) -> str:
    """A module with one entry more at the end of a registry; of its only one, if none is named."""
    for statement in ast.parse(source).body:
        if (
            isinstance(statement, ast.Assign)
            and isinstance(statement.value, ast.Call)
            and ast.unparse(statement.value.func) == "Registry"
            and registry in ("", ast.unparse(statement.targets[0]))
        ):
            last = statement.value.args[2]
            assert isinstance(last, ast.Tuple)
            assert last.end_lineno is not None
            lines = source.splitlines()
            return "\n".join(
                [*lines[: last.end_lineno - 1], entry + ",", *lines[last.end_lineno - 1 :]]
            )
    raise AssertionError(f"no registry for {entry}")


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a copy of the package that has all ten."""
    folder = tmp_path_factory.mktemp("copy")
    package = folder / "slotwise"
    others = [path for pattern in ("*.pyi", "examples/*") for path in files_below(ROOT, pattern)]
    for path in (*module_files().values(), *others):
        target = package / path.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    new = 0
    for name, registry, content in BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        path = package / name
        if content.startswith("Entry("):
            path.write_text(with_entry(path.read_text(), registry, content.strip()))
        elif name == "commands/app.py":
            before, table, after = path.read_text().partition('    "Files": {\n')
            path.write_text(f"{before}{table}{content.strip()},\n{after}")
        else:
            assert not path.exists(), f"{name} is no new file"
            path.write_text(content)
            new += 1
    assert new == 10
    (folder / "jobs.csv").write_text("job,map,reduce\na,3,4\nb,5,6\n")
    return folder


SCRIPT = """
import slotwise
from slotwise.commands.app import run

instance = slotwise.read("example:five-jobs")
for name in ("shortest-first", "EFSS"):
    assert slotwise.heuristic(instance, name).schedule is not None
assert slotwise.bounds(instance)["longest reduce"] > 0
slotwise.write_model(instance, "slot-loads", "loads.lp")
for line in (
    "heuristic shortest-first example:five-jobs",
    "solve example:five-jobs --method last-jobs -o result.json",
    "import durations jobs.csv --nodes 3 -o mine.json",
    "fair example:departments --export table -o table.csv",
    "list policies",
    "fair example:departments --method equal -o fair.json",
    "generate equal-jobs --jobs 3 --seed 1 -o equal.json",
    "work example:five-jobs -o work.json",
):
    assert run(line.split()) == 0, line
"""


def test_all_ten_things_work(copy: Path) -> None:
    """In one process, without compiling: the copy has no compiled code yet."""
    ended = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        cwd=copy,
        env=os.environ | {"PYTHONPATH": str(copy), "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr

    def document(name: str) -> dict:
        return json.loads((copy / name).read_text())

    assert document("result.json")["lower_bound"] > 0
    assert "eq2_load" in (copy / "loads.lp").read_text()
    assert [job["name"] for job in document("mine.json")["jobs"]] == ["a", "b"]
    assert (copy / "table.csv").read_text().startswith("leaf,guarantee\neng/dev,0.2\n")
    assert "last-fit" in ended.stdout
    assert document("fair.json")["method"] == "equal"
    assert len(document("equal.json")["jobs"]) == 3
    assert document("work.json")["seconds"] > 0


def test_the_policy_dispatches() -> None:
    """It runs here, where what simulate needs may have been compiled before."""
    (content,) = (
        content
        for name, _, content in BLOCK.findall(PAGE.read_text(encoding="utf-8"))
        if name == "heuristics/datacenter/last_fit.py"
    )
    found: dict[str, Any] = {}
    exec(content.replace("from .", "from slotwise.heuristics.datacenter."), found)
    workload = slotwise.poisson(slotwise.read_datacenter("example:gpu-cluster"), 10.0, 200, seed=0)
    assert slotwise.simulate(workload, found["LastFit"]).all_jobs == 200
