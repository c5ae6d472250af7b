"""Generators, importers and exporters of other packages, found by their entry points."""

import json
from collections.abc import Callable, Iterator
from dataclasses import KW_ONLY, dataclass
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
import typer

import slotwise
from slotwise import Hierarchy, Instance
from slotwise.commands.app import app, run, tree
from slotwise.core import registry as module
from slotwise.core.calls import generator
from slotwise.core.parameters import parameter
from slotwise.core.registry import Registry
from slotwise.instances.exporters import EXPORTERS
from slotwise.instances.generators import GENERATORS
from slotwise.instances.importers import IMPORTERS
from slotwise.instances.mapreduce.generators.ljr import small


def equal_jobs(
    jobs: Annotated[int, "How many."] = 2,
    *,
    seed: int,
    speed: Literal["slow", "fast"] = "slow",
    shares: tuple[float, float] = (0.5, 1.0),
) -> Instance:
    """Jobs that are all alike."""
    assert isinstance(shares, tuple)
    made: Instance = slotwise.generate(small, jobs, seed=seed, max_maps=3 if speed == "fast" else 1)
    return made


@dataclass(frozen=True)
class Sizes:
    """Sizes of jobs."""

    jobs: int = parameter(2, "How many jobs.", option="how-many")
    _: KW_ONLY
    tasks: int = parameter(1, "Most map tasks.", least=1)


@generator(Sizes)
def sized(sizes: Sizes) -> Instance:
    """Jobs of a size."""
    return small(sizes.jobs, seed=0, max_maps=sizes.tasks)


def lines_of(
    file: str | Path,
    *,
    nodes: int = 2,
    more: Annotated[Path | None, "Another file."] = None,
    unit: Any = object(),  # noqa: B008
) -> tuple[Instance, list[str]]:
    """A job for every line."""
    lines = [line for path in (file, more) if path for line in Path(path).read_text().split()]
    return small(len(lines), nodes, seed=0), [f"read {len(lines)} lines"]


def outline(hierarchy: Hierarchy) -> str:
    """The leaves, one a line."""
    return "".join(f"{path}\n" for path in hierarchy.paths)


@pytest.fixture
def plugins(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Makes a registry find these functions of this file, by name."""
    tree.cache_clear()  # commands that are made already do not know them

    def install(registry: Registry, **targets: str) -> None:
        points = [
            EntryPoint(name, f"{__name__}:{to}", registry.group) for name, to in targets.items()
        ]
        monkeypatch.setattr(
            module, "_entry_points", lambda group: points if group == registry.group else []
        )
        monkeypatch.setattr(EntryPoint, "load", lambda point: globals()[point.value.split(":")[1]])
        monkeypatch.delitem(registry.__dict__, "_all", raising=False)
        # What is found here is forgotten afterwards: the value set now is taken away then.
        monkeypatch.setitem(registry.__dict__, "_all", Registry.__dict__["_all"].func(registry))

    yield install
    tree.cache_clear()


def told(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert run(list(words)) == 0, capsys.readouterr().err
    return capsys.readouterr().out


def test_a_generator_of_another_package(
    plugins: Callable[..., None], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    plugins(GENERATORS, equal="equal_jobs", sized="sized")
    assert "equal" in told(capsys, "generate", "--help").split()
    text = told(capsys, "generate", "equal", "--help")
    assert "Jobs that are all alike." in text
    assert "How many.  [default: 2]" in text
    assert "slow|fast" in text
    assert "--shares LOW HIGH" in text
    file = tmp_path / "made.json"
    told(capsys, "generate", "equal", "--seed", "3", "--jobs", "4", "-o", str(file))
    assert slotwise.read(file).source == slotwise.generate("equal", jobs=4, seed=3).source
    assert run(["generate", "equal", "-o", str(file)]) == 2
    assert "missing option '--seed'" in capsys.readouterr().err

    told(capsys, "generate", "sized", "--how-many", "3", "--tasks", "2", "-o", str(file))
    assert slotwise.read(file).source == slotwise.generate("sized", 3, tasks=2).source
    assert run(["generate", "sized", "--tasks", "0", "-o", str(file)]) == 2


def test_an_importer_of_another_package(
    plugins: Callable[..., None], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    plugins(IMPORTERS, lines="lines_of")
    text = told(capsys, "import", "lines", "--help")
    assert "A job for every line." in text
    assert "Another file." in text
    assert "--unit" not in text  # no option can express it
    one, other, out = tmp_path / "one", tmp_path / "other", tmp_path / "made.json"
    one.write_text("a\nb\n")
    other.write_text("c\n")
    words = [str(one), "--more", str(other), "--nodes", "3", "-o", str(out), "--json"]
    document = json.loads(told(capsys, "import", "lines", *words))
    assert (document["jobs"], document["nodes"]) == (3, 3)
    assert document["notes"] == ["read 3 lines"]
    assert slotwise.import_("lines", one).notes == ("read 2 lines",)
    # A file that it reads is an input like any other: nothing is written over it.
    assert run(["import", "lines", str(one), "--more", str(other), "-o", str(other)]) == 2
    assert other.read_text() == "c\n"


def test_an_exporter_of_another_package(
    plugins: Callable[..., None], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    plugins(EXPORTERS, outline="outline")
    tree = slotwise.generate("mch-binary", levels=1, seed=1)
    file = tmp_path / "tree.json"
    slotwise.write_hierarchy(tree, file)
    assert told(capsys, "fair", str(file), "--export", "outline") == "j1\nj2\n"
    assert slotwise.export(tree, "outline") == ("j1\nj2\n", [])
    assert slotwise.export(tree, outline).text == "j1\nj2\n"
    assert run(["fair", str(file), "--export", "outlin"]) == 2
    assert "did you mean outline" in capsys.readouterr().err
    text = " ".join(told(capsys, "fair", "--help").split())
    assert "Write it for a scheduler: kueue, yarn, yarn" in text
    assert "capacity, outline." in text


def test_a_plugin_whose_options_cannot_be_given_leaves_the_others_alone(
    plugins: Callable[..., None], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    plugins(GENERATORS, odd="odd")
    assert "odd" in told(capsys, "generate", "--help").split()
    assert run(["generate", "odd", "-o", str(tmp_path / "file")]) == 2
    told_why = capsys.readouterr().err
    assert "generator 'odd' of package 'tests' makes no command: InputError" in told_why
    assert "what: typing.Any cannot be given on the command line" in told_why
    assert run(["generate", "ljr-small", "--seed", "1", "-o", str(tmp_path / "file")]) == 0


def odd(what: Any) -> Instance:
    return small(seed=0)


def test_the_app_has_its_own_commands_again() -> None:
    group: Any = typer.main.get_command(app).get_command(None, "generate")  # type: ignore[attr-defined]
    assert list(group.commands) == [entry.name for entry in GENERATORS.own]
