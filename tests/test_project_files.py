"""Files beside the source that say things twice: they agree with one another."""

import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from source_tree import files_below

ROOT = Path(__file__).parents[1]

pytestmark = pytest.mark.skipif(
    not (ROOT / "pyproject.toml").is_file(), reason="these files are beside the sources only"
)


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def yaml_of(name: str) -> Any:
    return yaml.safe_load(text_of(name))


@pytest.fixture(scope="module")
def project() -> dict[str, Any]:
    return tomllib.loads(text_of("pyproject.toml"))["project"]


CHECKS = {"ruff check .", "ruff format --check .", ".ci/typecheck"}
LINT = '"$folder/lint/bin/ruff"'


def test_the_same_checks_run_everywhere() -> None:
    here = {line.replace(LINT, "ruff") for line in text_of(".ci/run").splitlines()}
    assert here >= CHECKS | {".ci/lowest", 'bash -ex "$folder/two-commands"'}
    steps = yaml_of(".github/workflows/ci.yml")["jobs"]["checks"]["steps"]
    assert {step.get("run") for step in steps} >= CHECKS | {"pytest -n auto"}
    jobs = yaml_of(".github/workflows/ci.yml")["jobs"]
    assert jobs["lowest"]["steps"][-1]["run"] == ".ci/lowest"
    (repository,) = yaml_of(".pre-commit-config.yaml")["repos"]
    entries = [hook["entry"] for hook in repository["hooks"]]
    assert entries == ["ruff check", "ruff format", "bash .ci/typecheck"]
    assert repository["repo"] == "local"  # the tools of the environment, not versions of their own


@pytest.mark.skipif(shutil.which("awk") is None, reason="needs a shell and awk")
def test_the_two_commands_are_read_off_the_readme() -> None:
    done = subprocess.run([ROOT / ".ci/two-commands"], capture_output=True, text=True, check=True)
    first, second = done.stdout.splitlines()
    assert first.startswith("python3 -m venv .venv && .venv/bin/pip install . &&")
    assert second == ".venv/bin/pip install '.[dev,cp]' && .venv/bin/pytest -n auto"
    readme = text_of("README.md").partition("## Two commands")[2]
    assert 0 < readme.index(first) < readme.index(second)


def test_the_workflow_runs_the_versions_that_are_promised(project: dict[str, Any]) -> None:
    matrix = yaml_of(".github/workflows/ci.yml")["jobs"]["checks"]["strategy"]["matrix"]
    promised = re.findall(r":: Python :: (3\.\d+)", "\n".join(project["classifiers"]))
    assert matrix["python"] == promised
    assert project["requires-python"] == f">={promised[0]}"
    assert [system.partition("-")[0] for system in matrix["system"]] == ["ubuntu", "macos"]


def test_the_citation_is_that_of_this_version_and_names_the_papers(
    project: dict[str, Any],
) -> None:
    citation = yaml_of("CITATION.cff")
    assert citation["version"] == project["version"]
    assert citation["license"] == project["license"]
    assert citation["repository-code"] == project["urls"]["Homepage"]
    assert citation["authors"] == project["authors"]
    papers = " ".join(text_of("docs/papers/references.md").split("## ")[1].split()).replace("-", "")
    assert len(citation["references"]) == papers.count("**[") == 5
    for paper in citation["references"]:
        assert paper["title"].lower().replace("-", "") in papers.lower()
        assert str(paper.get("year", "not verified")) in papers
        assert paper.get("doi", "").replace("-", "") in papers
        for author in paper["authors"]:
            assert author["family-names"] in papers


def test_issue_forms_are_complete() -> None:
    found = files_below(ROOT, ".github/ISSUE_TEMPLATE/*")
    forms = [path for path in found if path.stem != "config"]
    assert {path.stem for path in forms} == {"bug", "new-method", "wrong-result"}
    for path in forms:
        form = yaml.safe_load(path.read_text(encoding="utf-8"))
        assert {"name", "description", "body"} <= set(form)
        fields = [field for field in form["body"] if field["type"] != "markdown"]
        names = [field["id"] for field in fields]
        assert len(set(names)) == len(names)
        assert all(field["attributes"]["label"] for field in fields)
        assert any(field.get("validations", {}).get("required") for field in fields)
