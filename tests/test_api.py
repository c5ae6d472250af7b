"""What `import slotwise` offers, and that it costs nothing before it is used."""

import ast
import importlib.metadata
import inspect
import pydoc
import subprocess
import sys
from pathlib import Path

import generator_stub
import pytest

import slotwise


def test_every_public_name_exists():
    for name in slotwise.__all__:
        assert getattr(slotwise, name) is not None, name
    assert {*dir(slotwise)} == {*slotwise.__all__, "__version__"}


def test_help_shows_the_signature_of_every_verb():
    for name in slotwise.__all__:
        thing = getattr(slotwise, name)
        if inspect.isfunction(thing):
            shown = pydoc.plain(pydoc.render_doc(thing)).splitlines()
            assert shown[2].startswith(f"{name}("), name
            assert "Annotated" not in shown[2], name
            assert "'Instance'" not in shown[2], name


def test_a_registry_is_a_table():
    registry = slotwise.registry("allocators")
    lines = repr(registry).splitlines()
    assert len(lines) == len(registry)
    assert lines[0].split(maxsplit=1) == [registry[0].name, registry[0].summary]
    assert registry._repr_html_().count("<tr>") == len(registry) + 1


def test_what_each_generator_takes_is_written_down():
    assert generator_stub.STUB.read_text("utf-8") == generator_stub.stub()


def test_each_name_of_the_stub_is_public():
    """`lazy_loader` would take what is renamed by its first name, type checkers by its second."""
    stub = Path(slotwise.__file__).with_suffix(".pyi").read_text("utf-8")
    blocks = [node for node in ast.parse(stub).body if isinstance(node, ast.ImportFrom)]
    names = [(alias.name, alias.asname) for block in blocks for alias in block.names]
    assert [first for first, _ in names] == [second for _, second in names]
    assert sorted(name for name, _ in names) == slotwise.__all__
    assert slotwise.gap is slotwise.solvers.mapreduce.comparison.gap


def test_star_import_brings_every_name():
    names = {}
    exec("from slotwise import *", names)
    assert set(slotwise.__all__) <= set(names)


def test_the_version_is_that_of_the_package():
    assert slotwise.__version__ == importlib.metadata.version("slotwise")


def test_errors_have_one_base_class():
    errors = {
        thing
        for thing in (getattr(slotwise, name) for name in slotwise.__all__)
        if isinstance(thing, type) and issubclass(thing, Exception)
    }
    named = {
        slotwise.InputError,
        slotwise.OutputError,
        slotwise.CertificateError,
        slotwise.BrokenInvariant,
        slotwise.NoRate,
    }
    assert named <= errors
    for error in errors:
        assert issubclass(error, slotwise.SlotwiseError), error


def test_unknown_names_are_attribute_errors():
    with pytest.raises(AttributeError, match="attribute nonsense"):
        slotwise.nonsense  # noqa: B018


def test_import_alone_loads_no_library():
    code = "import sys, slotwise; print('numpy' in sys.modules, 'pydantic' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert run.stdout.split() == ["False", "False"]


def test_generate_solve_write_read(tmp_path):
    instance = slotwise.generate("ljr-small", jobs=2, nodes=2, seed=1)
    slotwise.write(instance, tmp_path / "instance.json.gz")
    again = slotwise.read(tmp_path / "instance.json.gz")
    assert slotwise.bounds(again) == slotwise.bounds(instance)
    result = slotwise.solve(again, time_limit=30)
    slotwise.write_schedule(again, result.schedule, tmp_path / "schedule.json")
    schedule = slotwise.read_schedule(tmp_path / "schedule.json", instance)
    assert slotwise.check(instance, schedule).makespan == pytest.approx(result.makespan)
    assert "optimal" in str(result)
    assert "lower bound" in result._repr_html_()


def test_unknown_generator():
    with pytest.raises(slotwise.InputError, match="unknown generator 'x': choose from ljr"):
        slotwise.generate("x")
